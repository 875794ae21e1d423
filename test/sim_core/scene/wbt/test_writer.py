"""The writer: what is written reads back as an equal tree, for hand-written worlds and for any tree."""

import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim_core.base.errors import OdesimError, SceneErrors
from sim_core.scene import ExternProto, Node, Scene, parse_scene, write_node, write_scene
from sim_core.scene.node_types import FieldType, all_node_types
from sim_core.scene.values import COMPONENTS, INT32_MAX, INT32_MIN

WORLD = r"""#VRML_SIM R2025a utf8
EXTERNPROTO "https://h/p/Floor.proto"
IMPORTABLE EXTERNPROTO "../protos/Ball.proto"
WorldInfo { info [ "a \"quoted\" line" "back\\slash" "two
lines" ] basicTimeStep 16 CFM 1e-7 gravity 9.81 }
Viewpoint { orientation 0.1 0.2 0.3 -1.5 position 1e-20 -0.0 123456789.125 }
Background { skyColor [ 0.4 0.7 1 ] }
DEF R Robot {
  translation 0 0 0.1 rotation 0 0 1 1.5707963267948966
  children [
    DEF BODY Pose { children [ Shape { geometry DEF B Box { size 0.1 0.2 0.3 } appearance NULL } ] }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0.05 0 }
      device [ RotationalMotor { name "left wheel motor" } PositionSensor { name "left wheel sensor" } ]
      endPoint Solid { name "wheel" boundingObject DEF W Pose { children Cylinder { height 0.01 } }
        physics DEF P Physics { density -1 mass 0.05 } children [ USE W ] }
    }
    DistanceSensor { lookupTable [ 0 1024 0, 0.02 1024 0.1 0.08 0 0.3 ] name "ds0" children [ ] }
  ]
  boundingObject USE BODY physics USE P controller "<extern>" controllerArgs [ ] selfCollision TRUE
}
USE R
DEF TERRAIN Solid { boundingObject ElevationGrid { xDimension 0x3 yDimension 2 height [ 0 1 2 3 4 5 ] } }
"""


def read_back(scene: Scene) -> Scene:
    text = write_scene(scene)
    try:
        return parse_scene(text)
    except SceneErrors as errors:
        pytest.fail(f"{errors}\n{text}")


def assert_same(a: Scene, b: Scene) -> None:
    assert a.header == b.header
    assert [(p.url, p.importable) for p in a.extern_protos] == [
        (p.url, p.importable) for p in b.extern_protos
    ]
    assert len(a.nodes) == len(b.nodes)
    for first, second in zip(a.nodes, b.nodes, strict=True):
        assert first.equals(second)
        assert [list(node.fields) for node in first.walk()] == [list(node.fields) for node in second.walk()]
        assert [bits(node) for node in first.walk()] == [bits(node) for node in second.walk()]


def bits(node: Node) -> list[bytes]:
    """Every float of a node's own fields, bit by bit: == takes -0.0 for 0.0."""

    def floats(value: Any) -> list[float]:
        if isinstance(value, float):
            return [value]
        return [each for item in value for each in floats(item)] if isinstance(value, (list, tuple)) else []

    return [struct.pack("d", each) for value in node.fields.values() for each in floats(value)]


def test_a_hand_written_world_survives() -> None:
    scene = parse_scene(WORLD)
    again = read_back(scene)
    assert_same(scene, again)
    assert write_scene(again) == write_scene(scene)


def test_layout_is_that_of_webots() -> None:
    scene = parse_scene(
        '#VRML_SIM R2025a utf8\nSolid{name "a" translation 1 2 .5 children[Shape{geometry Box{}}]}'
    )
    assert write_scene(scene) == (
        "#VRML_SIM R2025a utf8\n\nSolid {\n"
        '  name "a"\n  translation 1 2 0.5\n'
        "  children [\n    Shape {\n      geometry Box {\n      }\n    }\n  ]\n}\n"
    )


def test_only_fields_that_are_set_are_written() -> None:
    node = Node.create("Sphere", radius=1)
    assert write_node(node) == "Sphere {\n  radius 1\n}\n"
    node.unset("radius")
    assert write_node(node) == "Sphere {\n}\n"


def test_an_edited_copy_is_written_in_full() -> None:
    scene = parse_scene(
        "#VRML_SIM R2025a utf8\nDEF A Solid { children [ DEF S Shape { } ] boundingObject USE S }"
    )
    solid = scene.nodes[0]
    assert "boundingObject USE S" in write_scene(scene)
    solid["boundingObject"]["castShadows"] = False
    assert parse_scene(write_scene(scene)).nodes[0]["boundingObject"]["castShadows"] is False
    solid["children"][0]["castShadows"] = False
    assert "boundingObject USE S" in write_scene(scene)


@pytest.mark.parametrize("bracket", "{}[]")
def test_each_missing_bracket_gives_one_message_near_its_place(bracket: str) -> None:
    text = write_scene(parse_scene(WORLD))
    for offset in [index for index, character in enumerate(text) if character == bracket]:
        with pytest.raises(SceneErrors) as caught:
            parse_scene(text[:offset] + text[offset + 1 :])
        assert len(caught.value.problems) == 1, str(caught.value)
        assert "expected" in str(caught.value) and bracket in str(caught.value)


def finite() -> st.SearchStrategy[float]:
    return st.floats(allow_nan=False, allow_infinity=False)


def single(kind: str, field: FieldType) -> st.SearchStrategy[Any]:
    if field.allowed:
        return st.sampled_from(field.allowed)
    if kind in COMPONENTS:
        return st.tuples(*[finite()] * COMPONENTS[kind])
    return {
        "SFBool": st.booleans(),
        "SFInt32": st.integers(INT32_MIN, INT32_MAX),
        "SFFloat": finite(),
        "SFString": st.text(st.characters(exclude_categories=["Cs"])),
    }[kind]


TYPES = sorted(name for name, each in all_node_types().items() if not each.abstract)


@st.composite
def nodes(
    draw: st.DrawFn, classes: tuple[str, ...] = (), never: tuple[str, ...] = (), depth: int = 3
) -> Node:
    fit = [
        name for name in TYPES if not classes or any(all_node_types()[name].is_a(each) for each in classes)
    ]
    node = Node.create(
        draw(st.sampled_from([n for n in fit if not any(all_node_types()[n].is_a(x) for x in never)]))
    )
    if draw(st.integers(0, 3)) == 0:
        node.def_name = draw(st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,5}", fullmatch=True))
    for name in draw(
        st.lists(st.sampled_from(sorted(node.node_type.fields) or [""]), max_size=4, unique=True)
    ):
        if not name:
            continue
        field = node.node_type.fields[name]
        if field.type.endswith("Node"):
            child = nodes(field.nodes, field.never, depth - 1) if depth else st.none()
            many = st.lists(child, max_size=2) if depth else st.just([])
            node[name] = draw(many if field.type == "MFNode" else st.one_of(st.none(), child))
        elif field.type.startswith("MF"):
            node[name] = draw(st.lists(single("SF" + field.type[2:], field), max_size=20))
        else:
            node[name] = draw(single(field.type, field))
    return node


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(nodes(), max_size=3), st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=2))
def test_any_tree_survives(roots: list[Node], urls: list[str]) -> None:
    scene = Scene(nodes=roots, extern_protos=[ExternProto(url) for url in urls])
    assert_same(scene, read_back(scene))


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_damaged_world_gives_messages_and_never_another_error(data: st.DataObject) -> None:
    text = WORLD
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(22, len(text)))
        end = start + data.draw(st.integers(0, 12))
        piece = data.draw(
            st.sampled_from(["", "{", "}", "[", "]", '"', "DEF ", " USE B ", " 1 ", "\0", "NULL", "#", "é"])
        )
        text = text[:start] + piece + text[end:]
    try:
        scene = parse_scene(text)
    except OdesimError as error:
        assert isinstance(error, SceneErrors)
        for problem in error.problems:
            assert 1 <= problem.line <= text.count("\n") + 1 and "\n" not in str(problem)
        return
    assert_same(scene, read_back(scene))
