"""Panels on a real viser server and real topics, without a browser: the content sent to browsers."""

import asyncio
import csv
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.logging import LoggingSeverity
from std_msgs.msg import Float64, Int32MultiArray
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.base.context import make_context
from ros_bridge.base.ros_thread import RosThread, SpunNode
from ros_bridge.overlays import OVERLAYS, PREFIX
from ros_bridge.overlays.primitives import MarkerMaker, Primitives
from ros_bridge.viewer.console_panel import ConsolePanel
from ros_bridge.viewer.keyboard import BrowserKeyboard
from ros_bridge.viewer.keys import MARK
from ros_bridge.viewer.overlay_panel import OverlayPanel
from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.plot_panel import PlotPanel, csv_of
from ros_bridge.viewer.robot_panel import RobotPanel, robots_of
from ros_bridge.viewer.scene.gizmo import Gizmo
from ros_bridge.viewer.scene.scene_state import SceneState
from ros_bridge.viewer.scene.scene_view import SceneView
from ros_bridge.viewer.sim_link import DEFAULT_NODE_PATH, SimLink
from ros_bridge.viewer.tree.outline import ROOT, FieldText, NodeOutline
from ros_bridge.viewer.tree.selection import Selection
from ros_bridge.viewer.tree.tree_panel import TreePanel
from ros_bridge.viewer.window_panel import WindowPanel
from sim_core.base.inbox import Inbox

pytest.importorskip("viser", reason="needs the Python package viser")
LIMIT = 60.0


@pytest.fixture
def context() -> Iterator[ViewerContext]:
    from rclpy.node import Node

    from ros_bridge.base.page_server import make_server

    server = make_server("127.0.0.1", 0)
    ros_context = make_context(())
    node = SpunNode("panels", context=ros_context)
    watch = Node("panels_watch", context=ros_context, start_parameter_services=False)
    ros = RosThread(node)
    ros.start()
    link = SimLink(node, watch)
    scene, selection = SceneView(server.scene), Selection(link, server)
    yield ViewerContext(server, link, SceneState(), scene, node, watch, Inbox(), selection)
    ros.stop_spinning()
    for each in (watch, node):
        each.destroy_node()
    ros_context.try_shutdown()
    server.stop()


def until(context: ViewerContext, condition: Callable[[], Any], what: str, *panels: Any) -> None:
    """Run the viewer's loop until the condition holds."""
    end = time.monotonic() + LIMIT
    while True:
        context.inbox.drain()
        context.topics = {name: kinds[0] for name, kinds in context.node.get_topic_names_and_types()}
        for panel in panels:
            panel.refresh(time.monotonic())
        if condition():
            return
        assert time.monotonic() < end, f"not within {LIMIT:g} s: {what}"
        time.sleep(0.02)


def test_an_overlay_is_asked_for_while_its_switch_is_on(context: ViewerContext, client: Any) -> None:
    panel = OverlayPanel(context)
    topic = f"{PREFIX}sensor_rays"
    publisher = client.node.create_publisher(MarkerArray, topic, 1)
    until(context, lambda: topic in context.topics, "the topic", panel)
    assert publisher.get_subscription_count() == 0
    panel._layers["sensor_rays"].show(True)
    until(context, publisher.get_subscription_count, "a subscriber", panel)
    ends = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 2.0, 1.0)])
    maker = MarkerMaker()

    def lines() -> Any:
        return context.server.scene.get_handle_by_name("/overlay/sensor_rays/lines")

    def ends_drawn() -> int:
        return 0 if lines() is None else 2 * len(lines().points)

    for count in (4, 2):  # the same object with fewer lines
        message = MarkerArray(markers=maker.markers([Primitives("a", ends[:count], (1.0, 0.0, 0.0))], 0))
        publisher.publish(message)
        until(context, lambda wanted=count: ends_drawn() == wanted, f"{count} ends", panel)
        assert lines().points.reshape(-1, 3).tolist() == ends[:count].tolist()
        assert lines().colors.shape == lines().points.shape
    publisher.publish(MarkerArray(markers=[Marker(action=Marker.DELETEALL)]))
    until(context, lambda: not lines().visible, "no lines", panel)
    panel._layers["sensor_rays"].show(False)
    until(context, lambda: publisher.get_subscription_count() == 0, "nobody listening", panel)
    assert lines() is None
    assert set(panel._layers) == set(OVERLAYS)


def test_a_number_of_a_topic_is_plotted(context: ViewerContext, client: Any) -> None:
    panel = PlotPanel(context)
    publisher = client.node.create_publisher(Float64, "/r/value", 10)
    until(context, lambda: "/r/value" in panel._topics.options, "the topic in the list", panel)
    panel._choose("/r/value")
    until(context, publisher.get_subscription_count, "a subscriber", panel)
    assert tuple(panel._fields.options) == ("data",)
    panel.add_curve("/r/value", "data")
    values = (1.0, float("nan"), 2.5, -3.0)
    for value in values:
        publisher.publish(Float64(data=value))

    def overlay_drawing() -> list[float]:
        return [] if panel._plot.data is None else np.asarray(panel._plot.data[1]).tolist()

    until(context, lambda: overlay_drawing() == [1.0, 2.5, -3.0], "the numbers, without what is none", panel)
    assert panel._value.content.startswith("/r/value data = -3 at ")
    lists = client.node.create_publisher(Int32MultiArray, "/r/list", 10)
    until(context, lambda: "/r/list" in panel._topics.options, "the other topic in the list", panel)
    panel._choose("/r/list")
    until(context, lists.get_subscription_count, "a subscriber", panel)
    lists.publish(Int32MultiArray(data=[5, 7]))
    until(context, lambda: "data[1]" in panel._fields.options, "the numbers of a list", panel)
    panel.add_curve("/r/list", "data[1]")
    lists.publish(Int32MultiArray(data=[5, 9]))
    until(
        context, lambda: len(panel._plot.data) == 3 and 9.0 in np.asarray(panel._plot.data[2]), "both", panel
    )
    rows = list(csv.reader(csv_of(panel._curves).splitlines()))
    assert rows[0] == ["time", "/r/value data", "/r/list data[1]"]
    assert sorted(float(value) for row in rows[1:] for value in row[1:] if value)[-1] == 9.0


def test_the_console_has_what_controllers_and_others_said(context: ViewerContext, client: Any) -> None:
    client.node.get_logger().info("said before anybody listened")
    panel = ConsolePanel(context)
    until(context, lambda: "said before" in panel._html.content, "a line from before", panel)
    client.node.get_logger().log("<b>it burns</b>", LoggingSeverity.ERROR)
    until(context, lambda: "&lt;b&gt;it burns" in panel._html.content, "a line that stays text", panel)
    assert panel._html.content.index("it burns") > panel._html.content.index("said before")  # newest last
    panel._press("Errors")
    until(context, lambda: "said before" not in panel._html.content, "errors alone", panel)
    assert "it burns" in panel._html.content
    panel._filter.value = "nobody says this"
    until(context, lambda: "it burns" not in panel._html.content, "no line with these words", panel)
    panel._filter.value = ""
    panel._press("All")
    until(context, lambda: "said before" in panel._html.content, "all lines", panel)
    panel._press("Clear")
    until(context, lambda: "it burns" not in panel._html.content, "no line", panel)


def test_keys_drive_the_chosen_robot_until_the_browser_is_silent(context: ViewerContext, client: Any) -> None:
    context.keyboard = keyboard = BrowserKeyboard(context)
    panel = RobotPanel(context)
    twists = client.listen(Twist, "/n1_r/cmd_vel", matched=False)
    codes = client.listen(Int32MultiArray, "/odesim/keyboard")
    context.robots = ("n1_r",)
    name = FieldText("name", "SFString", "1 r")
    context.selection.outline = NodeOutline(
        "#7", 'Robot "1 r"', "Robot", fields=(name,)
    )  # picked in the tree
    panel.refresh(0.0)
    assert panel._dropdown.value == "n1_r"
    assert keyboard.is_driving

    def spun(condition: Callable[[], Any]) -> Callable[[], Any]:
        def check() -> Any:
            client._executor.spin_once(0.0)
            return condition()

        return check

    until(context, panel._publisher.get_subscription_count, "a subscriber", keyboard, panel)
    keyboard._handle_message(f"{MARK} b 1 ArrowUp a")
    until(context, spun(lambda: twists), "a command", keyboard, panel)
    assert (twists[0].linear.x, twists[0].angular.z) == (panel._linear.value, panel._angular.value)
    until(
        context,
        spun(lambda: codes and list(codes[-1].data) == [315, 65]),
        "codes of the keys",
        keyboard,
        panel,
    )
    # this browser sends nothing more
    until(
        context, spun(lambda: twists[-1].linear.x == 0.0 == twists[-1].angular.z), "a stop", keyboard, panel
    )
    until(context, spun(lambda: not codes[-1].data), "no keys", keyboard, panel)


def test_a_robot_in_a_namespace_of_a_simulation_in_another_is_listed_and_driven(
    context: ViewerContext, client: Any, simulate: Any, world_file: Callable[..., Path]
) -> None:
    file = world_file()
    file.write_text(file.read_text(encoding="utf-8").replace('name "robot1"', 'name "fleet/left"'))
    simulation = simulate(file, controllers=False, ros_args=["-r", "__ns:=/lab"])
    context.keyboard = keyboard = BrowserKeyboard(context)
    panel = RobotPanel(context)
    said = []

    def look() -> None:
        context.link.discover()
        context.link.poll()
        context.robots = robots_of(context.topics)
        client._executor.spin_once(0.0)

    def seen(condition: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: (look(), condition())[1]

    robots = ("none", "lab/fleet/left", "lab/old")  # found one after the other
    until(context, seen(lambda: panel._dropdown.options == robots), "both robots in the list", panel)
    truth = client.listen(Odometry, "/lab/fleet/left/ground_truth")
    panel._choose("lab/fleet/left")
    until(context, seen(panel._publisher.get_subscription_count), "a subscriber", panel)

    numbers = itertools.count(1)

    def drives() -> bool:  # what a browser says again has another number, or it has let go
        keyboard._handle_message(f"{MARK} b {next(numbers)} ArrowUp")
        return bool(truth) and truth[-1].twist.twist.linear.x > 0.25

    until(context, seen(drives), "0.3 m/s", keyboard, panel)
    until(context, seen(lambda: context.link.call("pause", said.append)), "the services of the node", panel)
    until(context, seen(lambda: said), "an answer", panel)
    assert (context.link.node_path, context.link.logger, said[0].success) == (
        "/lab/odesim",
        "lab.odesim",
        True,
    )
    until(context, seen(lambda: context.link.send_text("remove_node", "fleet/left")), "a listener", panel)
    until(context, seen(lambda: not truth_is_told(client)), "the end of its topics", panel)
    until(context, seen(lambda: context.link.call("quit")), "the end", panel)
    assert simulation.wait() == 0


def truth_is_told(client: Any) -> bool:
    return bool(client.node.count_publishers("/lab/fleet/left/ground_truth"))


def test_without_a_browser_nobody_listens_and_the_first_one_is_sent_everything(
    context: ViewerContext,
) -> None:
    """The viewer's loop, without its window."""
    from ros_bridge.viewer.polled_topic import PolledTopic
    from ros_bridge.viewer.viewer import Viewer

    publisher = context.node.create_publisher(Float64, "/r/ds/value", 10)
    topic = PolledTopic(context.watch, Float64, "/r/ds/value")
    until(context, lambda: publisher.get_subscription_count() == 1, "a subscriber")
    viewer = Viewer.__new__(Viewer)
    viewer._context, viewer._number, viewer._is_watched, anew = context, 1, True, []
    viewer._resubscribe = lambda: anew.append(True)
    viewer._pause_without_browsers()
    until(context, lambda: publisher.get_subscription_count() == 0, "nobody")
    assert topic.take() == [] == anew
    context.server.get_clients = lambda: {1: None}
    viewer._pause_without_browsers()
    viewer._pause_without_browsers()
    until(context, lambda: publisher.get_subscription_count() == 1, "a subscriber again")
    assert anew == [True]
    topic.close()
    viewer._pause_without_browsers()
    until(context, lambda: publisher.get_subscription_count() == 0, "nobody, for it was closed")


PROTO = """#VRML_SIM R2025a utf8
# A lamp with <one> leg.
# keywords: household/light
# documentation url: https://example.org/lamp
PROTO Lamp [ field SFVec3f translation 0 0 0 field SFFloat height 1.2 ]
{ Solid { translation IS translation children Shape { geometry Cylinder { height IS height } } } }
"""
YARD = """#VRML_SIM R2025a utf8
WorldInfo { title "yard" basicTimeStep 8 }
Viewpoint { position -8 1 2 fieldOfView 0.8 }
DEF CRATE Solid { translation 0 0 0.5 name "crate"
  boundingObject Box { size 1 1 1 } physics Physics { mass 2 density -1 } }
Robot { name "r" window "panel" controller "<none>" }
"""


def test_nodes_are_cut_pasted_reset_changed_and_added(
    context: ViewerContext, client: Any, simulate: Any, tmp_path: Path
) -> None:
    """The buttons of the book's scene tree, on a world with a PROTO, a hidden PROTO and a robot window."""
    world, window = tmp_path / "worlds" / "yard.wbt", tmp_path / "plugins" / "robot_windows" / "panel"
    for folder in (world.parent, tmp_path / "protos" / "icons", window):
        folder.mkdir(parents=True)
    world.write_text(YARD, encoding="utf-8")
    (window / "panel.html").write_text("<p>panel</p>", encoding="utf-8")
    (tmp_path / "protos" / "Lamp.proto").write_text(PROTO, encoding="utf-8")
    hidden = PROTO.replace("Lamp", "Leg").replace("# keywords: household/light", "# tags: hidden")
    (tmp_path / "protos" / "Leg.proto").write_text(hidden, encoding="utf-8")
    simulation = simulate(world, controllers=False)
    context.server.get_clients = lambda: {1: None}
    context.view.show_state(context.state)
    tree, windows = TreePanel(context), WindowPanel(context)
    nodes, selection, link = tree._node, context.selection, context.link
    adding = nodes._add

    def seen(condition: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: (link.discover(), link.poll(), condition())[2]

    def comes(condition: Callable[[], Any], what: str) -> None:
        until(context, seen(condition), what, tree, windows)

    def rows(title: str) -> list[str]:
        return [each.name for each in tree._model.children(ROOT).nodes if title in each.title]

    def choose(title: str) -> None:
        comes(lambda: rows(title), title)
        selection.select(rows(title)[-1])
        comes(lambda: selection.outline is not None, "its fields")
        names = tuple(field.name for field in selection.outline.fields)
        comes(lambda: tuple(nodes._field.options) == ("none", *names), "the list of them")

    def says(words: str, refused: bool = False) -> None:
        comes(lambda: words in selection.note[0] and selection.note[1] is refused, words)

    def value(name: str) -> str:
        return next(each.text for each in selection.outline.fields if each.name == name)

    comes(lambda: selection.outline is not None and selection.outline.viewpoint is not None, "the Viewpoint")
    assert selection.outline.viewpoint.pose == (-8.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0)
    assert selection.outline.viewpoint.field_of_view == 0.8
    choose("CRATE")
    nodes._press("Copy")
    says("Copied DEF CRATE Solid")
    nodes._press("Paste after")
    comes(lambda: len(rows("CRATE")) == 2, "two of them, side by side")
    titles = [each.title for each in tree._model.children(ROOT).nodes]
    assert ["CRATE" in title for title in titles] == [False, False, True, True, False]
    says("Added DEF CRATE")
    nodes._press("Cut")
    comes(lambda: len(rows("CRATE")) == 1, "the first alone")
    choose("WorldInfo")
    nodes._press("Cut")
    says("the removal of WorldInfo", refused=True)
    choose("Viewpoint")
    nodes._press("Copy")
    says("Copied Viewpoint")
    nodes._press("Paste after")
    says("a second Viewpoint", refused=True)

    choose("CRATE")
    nodes._field.value = "name"
    nodes._press("Reset value")
    says("name reset")
    comes(lambda: value("name") == "solid", "the default")
    nodes._press("Copy value")
    nodes._field.value = "translation"
    nodes._press("Paste value")
    says("translation is SFVec3f, but the copied value is SFString.", refused=True)
    comes(lambda: "Robot" in nodes._types, "the types that fit")
    nodes._change_type("Pose")
    says("Now DEF CRATE Pose; lost fields: name")
    comes(lambda: selection.outline.type == "Pose", "a Pose")
    tree._undo_latest()
    comes(lambda: selection.outline.type == "Solid", "a Solid again")

    selection.select(ROOT)
    comes(lambda: "Lamp" in adding._choice.options, "the project's PROTO")
    assert {"Robot", "E-puck"} <= set(adding._choice.options)
    assert {"Leg", "Box", "WorldInfo", "Grass"}.isdisjoint(adding._choice.options)
    adding._words.value = "household lamp"
    comes(lambda: adding._choice.options == ("none", "Lamp"), "what the words find")
    adding._begin("Lamp")
    assert adding._text.value == 'EXTERNPROTO "../protos/Lamp.proto"\nLamp { }'
    for part in ("with &lt;one&gt; leg", "household/light", 'href="https://example.org/lamp"'):
        assert part in adding._about.content
    adding._node_edits.add_node(adding._text.value, *adding.place)
    says("Added Lamp")
    choose('Robot "r"')
    comes(lambda: "<iframe" in windows._html.content, "the robot's window")
    windows.close()
    assert link.call("quit")
    assert simulation.wait() == 0


def test_what_is_dragged_ends_where_it_was_let_go_of(
    context: ViewerContext, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, ...]] = []

    def put(request: SetParameters.Request, response: SetParameters.Response) -> SetParameters.Response:
        asked.append(tuple(request.parameters[0].value.double_array_value))
        response.results = [SetParametersResult(successful=True)]
        return response

    client.node.create_service(SetParameters, f"{DEFAULT_NODE_PATH}/set_parameters", put)
    writes = context.link._parameters
    until(context, writes.service_is_ready, "the simulation")
    gizmo, selection = Gizmo(context), context.selection
    selection.select("#5")
    selection.outline = NodeOutline("#5", "crate", pose=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    gizmo.refresh(time.monotonic())
    handle = gizmo._handle
    (tell,) = handle._impl_aux.update_cb

    def move(phase: str) -> None:
        asyncio.run(tell(SimpleNamespace(target=handle, phase=phase)))

    move("start")
    handle.position = (2.0, 0.0, 0.0)
    move("update")
    selection.outline = replace(selection.outline, pose=(0.0, 0.0, -0.001, 0.0, 0.0, 0.0, 1.0))
    gizmo.refresh(time.monotonic())  # before the viewer has handled the drag
    handle.position = (0.0, 0.0, -0.001)  # put there before that
    move("end")
    monkeypatch.setattr("ros_bridge.viewer.sim_link.ANSWER_LIMIT", 0.0)
    until(context, lambda: gizmo._is_asked, "a request", gizmo)
    context.link.poll()  # its answer is late
    assert not gizmo._is_asked
    monkeypatch.undo()
    selection.select(ROOT)

    def has_come() -> bool:
        context.link.poll()
        gizmo.refresh(time.monotonic())
        return gizmo._wanted is None

    client.until(has_come, "the answer", LIMIT)
    assert set(asked) == {(2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)}
