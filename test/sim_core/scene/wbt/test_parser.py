"""The parser: values, DEF and USE, and one message per mistake at the right place."""

import pytest

from sim_core.base.errors import SceneErrors
from sim_core.scene import Scene, parse_scene
from sim_core.scene.limits import MAX_DEPTH

HEADER = "#VRML_SIM R2025a utf8\n"


def parse(body: str) -> Scene:
    return parse_scene(HEADER + body, "w.wbt")


def problems(body: str) -> list[str]:
    """The messages without the file name; lines count from 1 in the body."""
    with pytest.raises(SceneErrors) as caught:
        parse(body)
    messages = []
    for problem in caught.value.problems:
        assert problem.file == "w.wbt"
        messages.append(f"{problem.line - 1}:{problem.column}: " + str(problem).split(": ", 1)[1])
    return messages


def test_values_of_every_single_type() -> None:
    node = parse(
        'Camera { antiAliasing TRUE width 0x20 fieldOfView 1.5e-1 name "a \\"b\\" \\\\ c" '
        "translation 1, -2 +.5 rotation 0 0 1 3 lens Lens { center 1 2 } zoom NULL recognitionColors 1 0 0 }"
    ).nodes[0]
    assert node["antiAliasing"] is True
    assert node["width"] == 32 and isinstance(node["width"], int)
    assert node["fieldOfView"] == 0.15
    assert node["name"] == 'a "b" \\ c'
    assert node["translation"] == (1.0, -2.0, 0.5)
    assert all(isinstance(each, float) for each in node["translation"])
    assert node["rotation"] == (0.0, 0.0, 1.0, 3.0)
    assert node["lens"]["center"] == (1.0, 2.0)
    assert node["zoom"] is None and node.is_set("zoom")
    assert node["recognitionColors"] == [(1.0, 0.0, 0.0)]


def test_lists_may_stand_without_brackets_when_they_have_one_element() -> None:
    node = parse('Robot { controllerArgs "x" battery 3 children Pose { } }').nodes[0]
    assert node["controllerArgs"] == ["x"]
    assert node["battery"] == [3.0]
    assert [child.type_name for child in node["children"]] == ["Pose"]


def test_lists_in_brackets_keep_their_order_and_may_be_empty() -> None:
    node = parse("IndexedFaceSet { coordIndex [ 0 1, 2 -1 ] normalIndex [ ] }").nodes[0]
    assert node["coordIndex"] == [0, 1, 2, -1]
    assert node["normalIndex"] == [] and node.is_set("normalIndex")


def test_comments_and_commas_are_blanks() -> None:
    assert parse("Box { # size 9 9 9\n size 1,2,3 #}\n}").nodes[0]["size"] == (1.0, 2.0, 3.0)
    assert parse('Robot { name "#1, not a comment" }').nodes[0]["name"] == "#1, not a comment"


def test_use_is_a_copy_with_its_own_parent() -> None:
    scene = parse(
        "DEF A Pose { children [ DEF B Shape { geometry DEF S Sphere { radius 2 } } USE B ] }\nUSE A"
    )
    a, copy = scene.nodes
    b, b_copy = a["children"]
    assert b_copy.use_name == "B" and b_copy.def_name is None
    assert b_copy.parent is a and b_copy["geometry"].parent is b_copy
    assert b_copy["geometry"] is not b["geometry"] and b_copy["geometry"]["radius"] == 2.0
    assert copy.use_name == "A" and copy.parent is None and copy["children"][1].use_name == "B"
    assert scene.find_def("S") is b["geometry"]


def test_a_later_def_of_the_same_name_counts_for_later_use() -> None:
    body = "Shape { geometry DEF G Sphere { } } Shape { geometry USE G } "
    body += "Shape { geometry DEF G Box { } } Shape { geometry USE G }"
    types = [node["geometry"].type_name for node in parse(body).nodes]
    assert types == ["Sphere", "Sphere", "Box", "Box"]


def test_use_within_a_node_of_the_same_name_means_the_earlier_node() -> None:
    scene = parse("DEF A Group { children Gyro { } } DEF A Group { children [ USE A Group { } ] }")
    assert [node.type_name for node in scene.nodes[1].walk()] == ["Group", "Group", "Gyro", "Group"]


def test_a_declared_proto_hides_an_old_node_of_its_name() -> None:
    (found,) = problems('EXTERNPROTO "https://h/Extrusion.proto"\nExtrusion { splineSubdivision 0 }')
    assert found.startswith("2:1: PROTO Extrusion: not on this machine")


def test_filtering_is_read_as_the_truth_value_it_was() -> None:
    assert parse("ImageTexture { filtering FALSE }").nodes[0]["filtering"] is False
    assert parse("ImageTexture { filtering 2 }").nodes[0]["filtering"] == 2


def test_extern_protos_are_kept() -> None:
    protos = parse(
        'EXTERNPROTO "https://h/Floor.proto"\nIMPORTABLE EXTERNPROTO "../Ball.proto"\nRobot { }'
    ).extern_protos
    assert [(proto.name, proto.url, proto.importable) for proto in protos] == [
        ("Floor", "https://h/Floor.proto", False),
        ("Ball", "../Ball.proto", True),
    ]


def test_routes_are_passed_over_with_one_warning() -> None:
    route = "ROUTE T.fraction_changed TO A.set_translation"
    scene = parse(f"{route} Pose {{ {route} children [ Group {{ }} {route} Group {{ }} ] }}\n{route}")
    assert len(scene.nodes[0]["children"]) == 2
    assert [str(each) for each in scene.warnings] == ["w.wbt:2:1: ROUTE is not read"]


def test_parents_and_places_are_known() -> None:
    scene = parse('Robot {\n  children [\n    DEF X DistanceSensor { name "ds" }\n  ]\n}')
    sensor = scene.nodes[0]["children"][0]
    assert sensor.parent is scene.nodes[0] and sensor.parent_field == "children"
    assert sensor.where == "w.wbt:4:5"
    assert sensor.source == ("w.wbt", 4, 5)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("WorldInfo { gravity 0 -9.81 0 }", (0.0, -9.81, 0.0)),
        ("WorldInfo { gravity 9.81 }", 9.81),
    ],
)
def test_gravity_is_read_in_both_forms(body: str, expected: object) -> None:
    scene = parse(body)
    assert scene.world_info["gravity"] == expected
    assert len(scene.warnings) == (1 if isinstance(expected, tuple) else 0)


def test_old_fields_and_nodes_are_read_with_a_warning_each() -> None:
    scene = parse(
        "Physics { bounce 0.3 bounceVelocity 0.02 coulombFriction 0.7 forceDependentSlip 0 "
        "orientation 0 1 0 0 inertiaMatrix [ 1 0 0 0 1 0 0 0 1 ] centerOfMass 0 1 2 }\n"
        "WorldInfo { runRealTime TRUE displayRefresh 2 northDirection 1 0 0 }\nSupervisor { }"
    )
    physics = scene.nodes[0]
    assert physics["coulombFriction"] == [0.7]
    assert physics["inertiaMatrix"] == [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    assert physics["centerOfMass"] == [(0.0, 1.0, 2.0)]
    assert [warning.line for warning in scene.warnings] == [2] * 5 + [3] * 3 + [4]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "Robott { }",
            '1:1: unknown node "Robott", expected a node type or a PROTO declared by EXTERNPROTO '
            '(did you mean "Robot"?)',
        ),
        ("Robot {\n nmae 1 }", '2:2: unknown field "nmae", expected a field of Robot (did you mean "name"?)'),
        ("Sphere { radius }", '1:17: "}" for Sphere.radius, expected a number (SFFloat)'),
        ('Sphere { radius "1" }', '1:17: "1" for Sphere.radius, expected a number (SFFloat)'),
        ("Sphere { radius nan }", '1:17: "nan" for Sphere.radius, expected a number (SFFloat)'),
        (
            "Sphere { radius 1e999 }",
            '1:17: "1e999" for Sphere.radius, expected a number that a double can hold',
        ),
        ("Sphere { radius 0x10 }", '1:17: "0x10" for Sphere.radius, expected a decimal number'),
        ("Sphere { radius -inf }", "1:17: unreadable '-inf', expected a number, a name or a string"),
        ("Sphere { radius 1.2.3 }", "1:17: unreadable '1.2.3', expected a number, a name or a string"),
        ("Sphere { radius 1 2 }", '1:19: "2", expected a field of Sphere or "}"'),
        ("Sphere { subdivision 1.5 }", '1:22: "1.5" for Sphere.subdivision, expected a whole number'),
        (
            "Sphere { subdivision 2147483648 }",
            '1:22: "2147483648" for Sphere.subdivision, expected a whole number of 32 bits',
        ),
        (
            "Sphere { ico true }",
            '1:14: "true" for Sphere.ico, expected TRUE or FALSE (SFBool) (did you mean "TRUE"?)',
        ),
        ("Box { size 1 2 }", '1:16: "}" for Box.size, expected 3 numbers (SFVec3f)'),
        ("Box { size IS size }", '1:12: "IS", expected a value: IS has a meaning inside a PROTO only'),
        ("USE A", "1:5: USE of A, expected a name given by a DEF above"),
        (
            "DEF FOO Pose { } USE FOB",
            '1:22: USE of FOB, expected a name given by a DEF above (did you mean "FOO"?)',
        ),
        (
            "DEF A Group { children [ USE A ] }",
            "1:30: USE A within DEF A itself, expected a node that is complete",
        ),
        ('Lidar { type "round" }', '1:14: Lidar.type "round", expected one of "fixed", "rotating"'),
        ("Solid { physics Box { } }", "1:17: Box in Solid.physics, expected a Physics"),
        ("Shape { geometry Solid { } }", "1:18: Solid in Shape.geometry, expected a Geometry"),
        (
            "Solid { boundingObject Solid { } }",
            "1:24: Solid in Solid.boundingObject, expected a Geometry or Shape or Group",
        ),
        ("Geometry { }", None),
        ("12", '1:1: "12", expected a node'),
        ("PROTO Foo [ ] { Robot { } }", None),
        ("Robot { } }", '1:11: "}", expected a node'),
        ("Robot { children [ Pose { } }", '1:29: "}", expected "]" for the "[" opened at 2:18'),
        (
            "Robot {\n children [\n Pose {\n",
            '4:1: the end of the file, expected "}" for the "{" opened at 4:7',
        ),
        ('Robot { name "a\n}', '1:14: a string that is never closed, expected a closing "'),
        ("Robot { \0 }", "1:9: a NUL character, expected text"),
        ("DEF Robot { }", None),
        ("IMPORTABLE Robot { }", None),
        ("EXTERNPROTO Robot", None),
    ],
)
def test_one_mistake_gives_one_message(body: str, message: str | None) -> None:
    found = problems(body)
    assert len(found) == 1, found
    if message is not None:
        assert found[0] == message


def test_the_parser_goes_on_after_each_kind_of_mistake() -> None:
    found = problems(
        "WorldInfo { basicTimeStep fast }\n"
        "DEF GOOD Robot {\n"
        "  translation 0 zero 0\n"
        "  childen [ Solid { } ]\n"
        "  children [\n"
        "    Wheel { radius 1 }\n"
        "    Solid { boundingObject Box { size 1 1 } }\n"
        "    DEF LOST Nothing { children [ DEF INNER Pose { } ] }\n"
        "    USE LOST\n"
        "    USE INNER\n"
        "    HingeJoint { endPoint Physics { } }\n"
        "  ]\n"
        "}\n"
        "USE GOOD\n"
        "Sphere { radius 1.x }\n"
    )
    assert [int(each.split(":")[0]) for each in found] == [1, 3, 4, 6, 7, 8, 11, 15]


@pytest.mark.parametrize(
    "body",
    [
        'Solid { children [ Shape { geometry Box { size 1 1 1 } ] name "a" }\nRobot { }',
        "Shape { appearance Appearance { material Material { } geometry Box { } }\nRobot { }",
        'Solid { physics Physics { mass 1 name "a" }\nRobot { }',
        'Solid { name "a"\nRobot { name "b" }',
        "IndexedFaceSet { coordIndex [ 0 1 2 -1 creaseAngle 1 }\nRobot { }",
        'Robot { children [ Pose { } name "a" }\nRobot { }',
    ],
)
def test_a_missing_bracket_in_the_middle_gives_one_message_that_names_the_open_one(body: str) -> None:
    found = problems(body)
    assert len(found) == 1
    assert "opened at 2:" in found[0]


def test_too_many_problems_end_the_reading() -> None:
    assert len(problems("Robot { foo 1 } " * 500)) == 100


def test_nesting_is_limited() -> None:
    deep = "Group { children [ " * (MAX_DEPTH - 1) + "Group { } " + "] } " * (MAX_DEPTH - 1)
    assert sum(1 for _ in parse(deep).walk()) == MAX_DEPTH
    found = problems("Group { children [ " * 100_000 + "] } " * 100_000)
    assert len(found) == 1 and f"nested more than {MAX_DEPTH} deep" in found[0]


def test_use_cannot_deepen_the_tree_beyond_the_limit() -> None:
    body = "DEF A0 Group { }\n"
    for index in range(1, MAX_DEPTH + 50):
        body += f"DEF A{index} Group {{ children USE A{index - 1} }}\n"
    assert any("deep" in each for each in problems(body))


def test_use_cannot_fill_the_memory() -> None:
    body = "DEF A0 Group { }\n"
    for index in range(1, 60):
        body += f"DEF A{index} Group {{ children [ USE A{index - 1} USE A{index - 1} ] }}\n"
    found = problems(body)
    assert len(found) == 1 and "nodes made by USE" in found[0]
