"""A supervisor's labels, from real markers to their positions in the viewer."""

from obeying import perform
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from ros_bridge.composites.markers import MarkersFiller
from ros_bridge.control.world_topics import decode_label
from ros_bridge.viewer.scene.label_overlay import PANELS, overlay_html
from ros_bridge.viewer.scene.scene_state import SceneState
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = "#VRML_SIM R2025a utf8 WorldInfo { basicTimeStep 8 } Solid { children Shape { geometry Box { } } }"


def test_a_label_stands_where_it_was_put_and_goes_with_its_text() -> None:
    sim = Simulation(parse_scene(WORLD, "w.wbt"))
    state, markers, message = SceneState(), MarkersFiller(sim), MarkerArray()

    def shown() -> str:
        markers.rebuild()
        markers.fill(message, 0)
        state.apply(message.markers)
        return overlay_html(state.items())

    assert shown() == ""
    look = "x: 0.25, y: 0.75, size: 0.1, colour: [1, 0, 0], transparency: 0.5"
    perform(sim, *decode_label(String(data=f"{{number: 3, text: '<b>goal</b>', {look}}}")))
    html = shown()
    assert "&lt;b&gt;goal&lt;/b&gt;" in html and "<b>" not in html
    assert f"left:calc(0.2500 * (100vw - {PANELS}px))" in html
    for part in ("top:75.00vh", "font-size:10.00vh", "rgb(255,0,0)", "opacity:0.500"):
        assert part in html
    perform(sim, *decode_label(String(data="{number: 3, text: ''}")))
    assert shown() == ""
