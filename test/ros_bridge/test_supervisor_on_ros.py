"""The supervisor over ROS: fields as parameters, nodes that come and go, worlds saved and loaded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PointStamped, WrenchStamped
from obeying import perform
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.control.fields.parameters import packed, unpacked
from ros_bridge.control.world_topics import decode_import, decode_label
from sim_core.base.errors import CommandError
from sim_core.scene import node_type, parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DEF BALL Solid { translation 0 0 5 boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 }
  children Shape { appearance PBRAppearance { baseColor 1 1 1 } geometry Sphere { radius 0.1 } } }
Robot { name "my robot" translation 1 2 3 children GPS { name "gps" } }
"""


def value(client: Any, *names: str) -> list[Any]:
    request = GetParameters.Request(names=list(names))
    values = client.call("get_parameters", request, GetParameters).values
    kinds = {
        1: "bool_value",
        2: "integer_value",
        3: "double_value",
        4: "string_value",
        8: "double_array_value",
    }
    return [getattr(each, kinds[each.type]) for each in values]


def put(client: Any, name: str, numbers: list[float]) -> Any:
    given = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=numbers)
    request = SetParameters.Request(parameters=[Parameter(name=name, value=given)])
    return client.call("set_parameters", request, SetParameters).results[0]


def test_the_world_is_supervised_over_ros(simulate: Callable[..., Any], client: Any, tmp_path: Path) -> None:
    world = tmp_path / "w.wbt"
    world.write_text(WORLD, encoding="utf-8")
    simulation = simulate(world, mode="paused")
    names = client.call("list_parameters", ListParameters.Request(), ListParameters).result.names
    assert {"mode", "BALL.translation", "my_robot.rotation"} <= set(names)
    assert list(value(client, "my_robot.translation")[0]) == [1.0, 2.0, 3.0]
    (about,) = client.call(
        "describe_parameters", DescribeParameters.Request(names=["BALL.translation"]), DescribeParameters
    ).descriptors
    assert about.type == ParameterType.PARAMETER_DOUBLE_ARRAY and not about.read_only
    assert put(client, "BALL.translation", [3.0, 0.0, 7.0]).successful
    assert list(value(client, "BALL.translation")[0]) == [3.0, 0.0, 7.0]
    refused = put(client, "BALL.translation", [3.0, 0.0])
    assert not refused.successful and "3 numbers" in refused.reason
    colour = "root[1].children[0].appearance.baseColor"
    assert put(client, colour, [1.0, 0.0, 0.0]).successful and list(value(client, colour)[0]) == [
        1.0,
        0.0,
        0.0,
    ]

    markers = client.listen(MarkerArray, "/odesim/markers", latched=True)
    client.speak(String, "/odesim/label").publish(String(data="{number: 3, text: goal, colour: [0, 1, 0]}"))
    client.until(
        lambda: any(each.text == "goal" for array in markers for each in array.markers),
        "the label in a marker",
    )
    assert any(each.action == Marker.DELETEALL for array in markers for each in array.markers)

    importer = client.speak(String, "/odesim/import_node")
    importer.publish(String(data='DEF R2 Robot { name "r2" translation 9 8 7 children GPS { name "gps" } }'))
    places = client.listen(PointStamped, "/r2/gps")
    client.until(lambda: client.node.count_subscribers("/r2/gps"), "the subscription")
    client.call("step")

    def place() -> Any:
        client.call("step")
        return places

    found = client.until(place, "a reading of the new robot")[0].point
    assert (found.x, found.y, found.z) == (9.0, 8.0, 7.0)
    importer.publish(String(data="Sold { }"))
    client.until(lambda: simulation.says("~/import_node: refused"), "the refusal")

    push = client.speak(WrenchStamped, "/odesim/wrench")
    message = WrenchStamped()
    message.header.frame_id, message.wrench.force.x = "BALL", 100.0
    push.publish(message)
    client.until(lambda: client.call("step") and value(client, "BALL.linearVelocity")[0][0] > 0.3, "a push")

    saved = client.call("save")
    assert saved.success and (tmp_path / "w_saved.wbt").exists()
    text = client.call("world_text").message
    assert "DEF R2" in text and "baseColor 1 0 0" in text
    client.speak(String, "/odesim/remove_node").publish(String(data="R2"))
    client.until(lambda: not client.node.count_publishers("/r2/gps"), "the end of the topic")
    assert client.call("revert").success
    assert list(value(client, "BALL.translation")[0]) == [0.0, 0.0, 5.0]
    client.speak(String, "/odesim/load_world").publish(String(data=str(tmp_path / "w_saved.wbt")))
    client.until(lambda: client.node.count_publishers("/r2/gps"), "the topic in the loaded world")
    client.speak(String, "/odesim/load_world").publish(String(data="nowhere.wbt"))
    client.until(lambda: simulation.says("~/load_world: refused"), "the refusal")
    client.call("quit")
    assert simulation.wait() == 0


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "w.wbt"))


def test_text_is_imported_where_its_first_line_says(sim: Simulation) -> None:
    perform(sim, *decode_import(String(data="# into BALL.children[0]\nShape { geometry Box { } }")))
    assert [each["geometry"].type_name for each in sim.supervisor.node("BALL")["children"]] == [
        "Box",
        "Sphere",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", "YAML mapping"),
        ("goal", "YAML mapping"),
        ("{number: 1, txt: goal}", "found txt"),
        ("{number: one, text: goal}", "numbers"),
        ("{number: 1, text: goal, colour: red}", "numbers"),
    ],
)
def test_bad_labels_are_refused(text: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        decode_label(String(data=text))


def test_lists_of_vectors_are_flat_arrays() -> None:
    entry = node_type("IndexedLineSet")
    solid, coordinate = node_type("Solid"), node_type("Coordinate")
    assert entry and solid and coordinate
    points = [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)]
    kind = coordinate.fields["point"]
    assert packed(kind, points)[1] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert [tuple(each) for each in unpacked(kind, packed(kind, points)[1])] == points
    assert unpacked(solid.fields["name"], "x") == "x"
