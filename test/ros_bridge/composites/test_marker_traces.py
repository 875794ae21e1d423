"""Pen traces in markers: additions are sent once, everything to a late subscriber."""

from typing import Any

import pytest
from obeying import obey
from std_msgs.msg import Bool, ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.composites import markers
from ros_bridge.composites.markers import MarkersFiller
from ros_bridge.control.recording_services import save_all_traces
from ros_bridge.devices import make_bridge
from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Solid { name "floor" children Shape { geometry Plane { size 4 4 } } }
Robot { name "r" translation 0 0 0.2 children [ HingeJoint {
  jointParameters HingeJointParameters { axis 0 0 1 } device RotationalMotor { name "arm" }
  endPoint Solid { name "beam" children [ Pen { name "pen" translation 0.3 0 0 } ] } } ] }"""


@pytest.fixture
def sim(monkeypatch: pytest.MonkeyPatch) -> Simulation:
    monkeypatch.setattr(markers, "CHUNK", 16)
    sim = Simulation(parse_scene(WORLD, "w.wbt"))
    sim.robot("r")["arm"].set_velocity(1.0)
    return sim


class Viewer:
    """Keeps markers as RViz does."""

    def __init__(self) -> None:
        self.shown: dict[tuple[str, int], Any] = {}

    def take(self, message: MarkerArray) -> None:
        for marker in message.markers:
            if marker.action == Marker.DELETEALL:
                self.shown.clear()
            elif marker.action == Marker.DELETE:
                self.shown.pop((marker.ns, marker.id), None)
            else:
                self.shown[marker.ns, marker.id] = marker

    def lines(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """Pieces of the trace, as pairs of points."""
        found = []
        for (name, _), marker in sorted(self.shown.items()):
            if name == "r/pen trace":
                points = [(point.x, point.y) for point in marker.points]
                found += list(zip(points[::2], points[1::2], strict=True))
        return found


def wanted(sim: Simulation) -> list[Any]:
    trace = sim.robot("r")["pen"].trace
    points = [(x, y) for x, y, _ in trace.points.tolist()]
    strokes = trace.strokes.tolist()
    return [(points[i], points[i + 1]) for i in range(len(points) - 1) if strokes[i] == strokes[i + 1]]


def test_a_viewer_from_the_start_and_a_late_one_see_the_whole_trace(sim: Simulation) -> None:
    fill, viewer, late = MarkersFiller(sim), Viewer(), Viewer()
    pen: Any = sim.robot("r")["pen"]
    for turn in range(30):
        if turn in (10, 20):
            pen.write(turn == 20)
        sim.step(10)
        message = MarkerArray()
        fill.fill(message, sim.time_ns)
        viewer.take(message)
        assert sum(len(marker.points) for marker in message.markers) <= 2 * 3 * 16 + 6
    fill.everything = True
    message = MarkerArray()
    fill.fill(message, sim.time_ns)
    late.take(message)
    assert viewer.lines() == late.lines() == wanted(sim)
    assert any(name == "world" for name, _ in late.shown)


def test_nothing_new_is_not_sent_and_a_reset_takes_the_lines_away(sim: Simulation) -> None:
    fill, viewer, message = MarkersFiller(sim), Viewer(), MarkerArray()
    sim.run(1.0)
    fill.fill(message, sim.time_ns)
    viewer.take(message)
    assert viewer.lines()
    sim.robot("r")["pen"].write(False)
    sim.step()
    fill.fill(message, sim.time_ns)
    viewer.take(message)
    fill.fill(message, sim.time_ns)
    assert not [marker for marker in message.markers if marker.ns == "r/pen trace"]
    sim.reset()
    fill.fill(message, sim.time_ns)
    viewer.take(message)
    assert viewer.lines() == []


def test_the_lines_stay_when_the_robot_goes(sim: Simulation) -> None:
    fill, viewer, message = MarkersFiller(sim), Viewer(), MarkerArray()
    sim.run(1.0)
    fill.fill(message, sim.time_ns)
    viewer.take(message)
    sim.supervisor.remove("r")
    fill.fill(message, sim.time_ns)
    viewer.take(message)
    assert viewer.lines() == []
    assert sum(len(each.points) for (name, _), each in viewer.shown.items() if name == "r/pen (1) trace") > 20


def test_the_lines_have_the_ink_and_the_width(sim: Simulation) -> None:
    inputs = {item.name: item for item in make_bridge(sim.robot("r")["pen"]).inputs()}
    obey(sim, inputs["ink_color"], ColorRGBA(r=1.0, g=0.5, b=0.0, a=0.25))
    sim.run(0.5)
    message = MarkerArray()
    MarkersFiller(sim).fill(message, sim.time_ns)
    (line,) = [marker for marker in message.markers if marker.ns == "r/pen trace" and marker.id == 0]
    assert line.type == Marker.LINE_LIST and line.scale.x == 0.002
    assert {(c.r, c.g, c.b, c.a) for c in line.colors} == {(1.0, 0.5, 0.0, 0.25)}
    with pytest.raises(CommandError, match="expected numbers from 0 to 1"):
        obey(sim, inputs["ink_color"], ColorRGBA(r=-1.0))
    obey(sim, inputs["write"], Bool(data=False))
    assert sim.robot("r")["pen"].writes is False


def test_the_traces_are_saved_by_one_call(sim: Simulation, tmp_path: Any) -> None:
    with pytest.raises(CommandError, match="found nothing drawn"):
        save_all_traces(sim, str(tmp_path / "traces.png"))
    sim.run(1.0)
    text = save_all_traces(sim, str(tmp_path / "traces.svg"))
    assert str(tmp_path / "traces.svg") in text and "pixels per metre" in text
    assert (tmp_path / "traces.svg").is_file()
