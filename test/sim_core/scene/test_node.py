"""Nodes: values and defaults, checks on assignment, parents, copies."""

import pytest

from sim_core.base.errors import SceneError
from sim_core.scene import Node


def test_fields_have_defaults_until_set() -> None:
    box = Node.create("Box")
    assert box["size"] == (2.0, 2.0, 2.0) and not box.is_set("size")
    box["size"] = [1, 2, 3]
    assert box["size"] == (1.0, 2.0, 3.0) and box.is_set("size")
    box["size"] = (2.0, 2.0, 2.0)
    assert box.is_set("size")
    box.unset("size")
    assert not box.is_set("size")


def test_a_default_list_cannot_be_spoilt() -> None:
    Node.create("DistanceSensor")["lookupTable"].clear()
    assert len(Node.create("DistanceSensor")["lookupTable"]) == 2


@pytest.mark.parametrize(
    ("type_name", "field", "value"),
    [
        ("Sphere", "radius", "1"),
        ("Sphere", "radius", float("nan")),
        ("Sphere", "radius", float("inf")),
        ("Sphere", "radius", None),
        ("Sphere", "radius", True),
        ("Sphere", "subdivision", 1.5),
        ("Sphere", "subdivision", 2**31),
        ("Sphere", "ico", 1),
        ("Box", "size", (1, 2)),
        ("Box", "size", 1.0),
        ("Robot", "name", 3),
        ("Robot", "controllerArgs", "abc"),
        ("Lidar", "type", "round"),
        ("Solid", "physics", "Physics"),
        ("Solid", "children", [None]),
        ("WorldInfo", "gravity", (1, 2)),
    ],
)
def test_wrong_values_are_refused_and_change_nothing(type_name: str, field: str, value: object) -> None:
    node = Node.create(type_name)
    before = node[field]
    with pytest.raises(SceneError, match=rf"{type_name}\.{field} c"):
        node[field] = value
    assert node[field] == before and not node.is_set(field)


def test_nodes_of_the_wrong_class_are_refused() -> None:
    with pytest.raises(SceneError, match="expected a Physics"):
        Node.create("Solid", physics=Node.create("Box"))
    with pytest.raises(SceneError, match=r"Solid\.children cannot hold a RotationalMotor"):
        Node.create("Solid", children=[Node.create("RotationalMotor")])


def test_unknown_names_are_refused_with_a_hint() -> None:
    with pytest.raises(SceneError, match='did you mean "Robot"'):
        Node.create("Robt")
    with pytest.raises(SceneError, match='did you mean "radius"'):
        Node.create("Sphere")["Radius"]
    with pytest.raises(SceneError, match="unknown node"):
        Node.create("Geometry")


def test_parents_follow_assignment() -> None:
    robot, a, b = Node.create("Robot"), Node.create("Pose"), Node.create("Pose")
    robot["children"] = [a]
    assert (a.parent, a.parent_field) == (robot, "children")
    robot["children"] = [*robot["children"], b]
    assert a.parent is robot and b.parent is robot
    robot["children"] = [b]
    assert a.parent is None and a.parent_field is None
    robot["physics"] = physics = Node.create("Physics")
    robot["physics"] = None
    assert physics.parent is None


def test_a_node_stands_in_one_place_only() -> None:
    child, other = Node.create("Pose"), Node.create("Group")
    Node.create("Group", children=[child])
    with pytest.raises(SceneError, match="already held"):
        other["children"] = [child]
    fresh = Node.create("Pose")
    with pytest.raises(SceneError, match="already held"):
        other["children"] = [fresh, fresh]
    inner = Node.create("Group")
    other["children"] = [inner]
    with pytest.raises(SceneError, match="cannot hold itself"):
        inner["children"] = [other]


def test_walk_is_pre_order_and_ancestors_go_up() -> None:
    shape = Node.create("Shape", geometry=Node.create("Box"))
    robot = Node.create("Robot", children=[Node.create("Pose", children=[shape]), Node.create("Gyro")])
    assert [node.type_name for node in robot.walk()] == ["Robot", "Pose", "Shape", "Box", "Gyro"]
    assert [node.type_name for node in shape["geometry"].ancestors()] == ["Shape", "Pose", "Robot"]
    assert [node.type_name for node in robot.child_nodes()] == ["Pose", "Gyro"]


def test_path_names_solids_and_stops_at_a_def() -> None:
    sensor = Node.create("DistanceSensor", name="ds")
    robot = Node.create("Robot", name="e1", children=[Node.create("Pose", children=[sensor])])
    assert sensor.path() == 'Robot "e1" > DistanceSensor "ds"'
    robot.def_name = "R1"
    assert sensor.path() == 'DEF R1 > DistanceSensor "ds"'
    assert robot.path() == "DEF R1"
    assert Node.create("WorldInfo").path() == "WorldInfo"


def test_a_copy_is_equal_and_apart() -> None:
    original = Node.create("Solid", children=[Node.create("Shape", geometry=Node.create("Sphere", radius=3))])
    original.def_name = "S"
    copy = original.copy()
    assert copy.equals(original) and original.equals(copy)
    assert copy.parent is None
    shape = copy["children"][0]
    assert shape.parent is copy and shape["geometry"].parent is shape
    shape["geometry"]["radius"] = 4
    assert not copy.equals(original)
    assert original["children"][0]["geometry"]["radius"] == 3.0


def test_equality_looks_at_what_is_set() -> None:
    assert not Node.create("Sphere").equals(Node.create("Sphere", radius=1))
    assert not Node.create("Solid").equals(Node.create("Robot"))
