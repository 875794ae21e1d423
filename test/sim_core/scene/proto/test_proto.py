"""Each rule of PROTO files, in the accepted form and in the refused one (Webots reference, PROTO)."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from sim_core.base.errors import Mistake, SceneErrors
from sim_core.scene import Scene, load_scene, parse_scene, write_scene
from sim_core.scene.assets import Assets
from sim_core.scene.meshes.node_files import file_of
from sim_core.scene.proto.missing import missing_declared_protos

HEAD = "#VRML_SIM R2025a utf8\n"
Files = Callable[..., Path]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Writes PROTO files, by name, and a world that declares them; the text of a PROTO follows its header."""
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    monkeypatch.delenv("ODESIM_PROTO_PATH", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def write(world: str, declare: bool = True, **protos: str) -> Path:
        for folder in ("worlds", "protos"):
            (tmp_path / folder).mkdir(exist_ok=True)
        for name, text in protos.items():
            text = text if text.startswith("#VRML") else HEAD + text
            (tmp_path / "protos" / f"{name}.proto").write_text(text, encoding="utf-8")
        lines = [f'EXTERNPROTO "../protos/{name}.proto"\n' for name in protos] if declare else []
        file = tmp_path / "worlds" / "w.wbt"
        file.write_text(HEAD + "".join(lines) + world, encoding="utf-8")
        return file

    return write


def refusal(file: Path) -> list[str]:
    """The messages of a world that is refused, with file names alone."""
    with pytest.raises(SceneErrors) as caught:
        load_scene(file)
    folder = str(file.parent.parent)
    return [
        line.replace(f"{folder}/worlds/../protos/", "")
        .replace(f"{folder}/protos/", "")
        .replace(f"{folder}/worlds/", "")
        for line in str(caught.value).splitlines()
    ]


def warnings(scene: Scene) -> list[str]:
    return [str(warning).split("/")[-1] for warning in scene.warnings]


# ---- the interface

ALL_TYPES = """PROTO All [
  field SFBool a TRUE field SFInt32 b 3 field SFFloat c 0.5 field SFString d "text" field SFVec2f e 1 2
  field SFVec3f f 1 2 3 field SFColor g 1 0 0 field SFRotation h 0 0 1 1.5 field SFNode i Box { size 1 1 1 }
  field MFBool j [ TRUE, FALSE ] field MFInt32 k [ 1 2 ] field MFFloat l [ 1 2.5 ]
  field MFString m [ "x" "y" ] field MFVec2f n [ 1 2, 3 4 ] field MFVec3f o [ 1 2 3 ]
  field MFColor p [ 1 0 0, 0 1 0 ] field MFRotation q [ 0 0 1 2 ]
  field MFNode r [ Solid { } Pose { } ] unconnectedField SFFloat s 7
] { Group { children IS r } }
"""


def test_every_field_type_has_its_default(files: Files) -> None:
    (node,) = load_scene(files("All { }", All=ALL_TYPES)).nodes
    assert node.proto is not None
    defaults = {name: field.default for name, field in node.proto.node_type.fields.items()}
    assert [defaults[name] for name in "abcdefgh"] == [
        True, 3, 0.5, "text", (1.0, 2.0), (1.0, 2.0, 3.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 1.5),
    ]  # fmt: skip
    assert defaults["i"].type_name == "Box"
    assert [defaults[name] for name in "jklmn"] == [
        [True, False], [1, 2], [1.0, 2.5], ["x", "y"], [(1.0, 2.0), (3.0, 4.0)],
    ]  # fmt: skip
    assert [each.type_name for each in defaults["r"]] == ["Solid", "Pose"]
    assert [each.type_name for each in node["children"]] == ["Solid", "Pose"]


INTERFACE_MISTAKES = {
    "field SFFoo a 1": 'A.proto:2:17: "SFFoo", expected a field type such as SFFloat',
    "field SFFloat a 1 field SFFloat a 2": 'A.proto:2:43: field "a" once more, expected each field once',
    "field SFFloat a TRUE": 'A.proto:2:27: "TRUE" for PROTO.a, expected a number (SFFloat)',
    "field SFFloat{1 x} a 1": 'A.proto:2:27: "x" for PROTO.restriction, expected a number (SFFloat)',
    "feild SFFloat a 1": 'A.proto:2:11: "feild", expected "field", "unconnectedField" or "]" (did you',
    "field SFFloat{1, 2} a 3": 'A.proto:2:33: default 3.0 of "a", expected one of 1.0, 2.0',
    "field SFNode a 3": 'A.proto:2:26: "3" for PROTO.a, expected a node or NULL (SFNode)',
}


@pytest.mark.parametrize("fields", INTERFACE_MISTAKES)
def test_a_mistake_in_the_interface_is_named(files: Files, fields: str) -> None:
    file = files("A { }", A=f"PROTO A [ {fields} ] {{ Group {{ }} }}")
    assert refusal(file)[0].startswith(INTERFACE_MISTAKES[fields])


def test_blanks_are_where_they_may_be(files: Files) -> None:
    proto = "  PROTO\n A[\n field SFVec3f translation 0,0,1,,]\n{Solid{\n translation,IS,translation\n}}"
    scene = load_scene(files("A{translation,1,2,3}", A=proto))
    assert scene.nodes[-1]["translation"] == (1.0, 2.0, 3.0) and scene.warnings == []


def test_values_outside_a_restriction_are_refused(files: Files) -> None:
    proto = "PROTO A [ field SFColor{0 0 0, 1 1 1} c 0 0 0 field MFNode{Solid{}, Pose{}} s [] ] "
    proto += "{ Solid { children IS s } } # c is used: IS c"
    load_scene(files("A { c 1 1 1 s [ Solid { } Pose { } ] }", A=proto))
    (line,) = refusal(files("A { c 1 1 0.5 }", A=proto))
    assert line.startswith("w.wbt:3:7: A.c ") and "expected one of (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)" in line
    (line,) = refusal(files("A { s [ Shape { } ] }", A=proto))
    assert line == "w.wbt:3:9: Shape in A.s, expected a Solid or Pose"


def test_a_restriction_names_types_and_not_what_derives_from_them(files: Files) -> None:
    protos = {
        "A": "PROTO A [ field MFNode{Group{}, B{}} s [] ] { Solid { children IS s } }",
        "B": "PROTO B [ ] { Pose { } }",
        "G": "PROTO G [ ] { Group { } }",
        "H": "PROTO H [ ] { G { } }",
        "Outer": "PROTO Outer [ field MFNode s [] ] { Group { children [ A { s IS s } ] } }",
    }
    load_scene(files("A { s [ Group { } B { } G { } H { } ] } Outer { s [ B { } ] }", **protos))
    (line,) = refusal(files("A { s [ Group { } Pose { } ] }", **protos))
    assert line.endswith("Pose in A.s, expected a Group or B")


@pytest.mark.parametrize("fields", ["", "field SFFloat x 1"])
def test_unknown_fields_of_an_instance_are_refused(files: Files, fields: str) -> None:
    file = files("A { nme 3 }", A=f'PROTO A [ {fields} unconnectedField SFString name "" ] {{ Group {{ }} }}')
    assert refusal(file) == ['w.wbt:3:5: unknown field "nme", expected a field of A (did you mean "name"?)']


# ---- the file

FILE_MISTAKES = {
    "Solid { }": "A.proto:1:1: a file without PROTO",
    "PROTO B [ ] { Group { } }": 'A.proto:2:7: PROTO "B", expected "A", as the file is named',
    "PROTO A [ ] { }": "A.proto:2:7: PROTO A without a node, expected one in { }",
    "PROTO A [ field SFFloat x 1 { Group { } }": "A.proto:2:1: a PROTO whose interface does not end",
    "PROTO A [ ] { Group { } Group { } }": 'A.proto:2:25: "Group", expected "}" behind the one node',
    "PROTO A [ ] { Group { } } PROTO B [ ] { Group { } }": "expected the end of the file: there is one",
    "PROTO A [ ] { Foo { } }": 'unknown node "Foo" at the root of the PROTO',
}


@pytest.mark.parametrize("text", FILE_MISTAKES)
def test_a_file_that_is_no_proto_is_refused(files: Files, text: str) -> None:
    (line,) = refusal(files("A { }", A=text))
    assert FILE_MISTAKES[text] in line


def test_a_proto_may_not_have_the_name_of_a_node_of_webots(files: Files) -> None:
    (line,) = refusal(files("Solid { }", Solid="PROTO Solid [ ] { Group { } }"))
    assert line == 'Solid.proto:2:7: a PROTO named "Solid", expected a name that no node of Webots has'


@pytest.mark.parametrize("before", ["", " #VRML_SIM R2022b utf8\n", "# a comment\n"])
def test_a_proto_without_header_in_a_world_of_today_counts_as_one_of_today(files: Files, before: str) -> None:
    file = files("A { } A { }", A="x")
    (file.parent.parent / "protos/A.proto").write_text(before + "PROTO A [ ] { Box { } }", encoding="utf-8")
    scene = load_scene(file)
    assert [node.type_name for node in scene.nodes] == ["Box", "Box"]
    (warning,) = warnings(scene)
    assert warning == (
        "A.proto: PROTO without a header, read as one of R2025a, "
        'expected a first line like "#VRML_SIM R2025a utf8"'
    )


@pytest.mark.parametrize("world", ["R2019a", "R2021a", "R2025a"])
@pytest.mark.parametrize("between", [None, "R2019a", "R2025a"], ids=["by the world", "by an old", "by a new"])
def test_a_proto_without_header_is_as_old_as_the_file_that_asks_for_it(
    files: Files, world: str, between: str | None
) -> None:
    """Its cylinders stand along the axis of that time, as those of the same file with that header do."""

    def axes(header: str) -> list[object]:
        file = files("", A="PROTO A [ ] { B { } }", B="PROTO B [ ] { Group { } }")
        asker = f"#VRML_SIM {between or world} utf8\n"
        shown = "Shape { geometry IS n } B { }"
        text = f"PROTO A [ field SFNode n Cylinder {{ }} ] {{ Pose {{ children [ {shown} ] }} }}"
        inner = "PROTO B [ ] { Solid { children [ Camera { } Shape { geometry Cylinder { } } ] } }"
        a = asker + text if between else header + text
        (file.parent.parent / "protos/A.proto").write_text(a, encoding="utf-8")
        (file.parent.parent / "protos/B.proto").write_text(header + inner, encoding="utf-8")
        file.write_text(f"#VRML_SIM {world} utf8\nA {{ }}", encoding="utf-8")
        scene = load_scene(file, skip_missing=True)
        return [(node.type_name, node.axes) for node in scene.walk()]

    assert axes("") == axes(f"#VRML_SIM {between or world} utf8\n")


def test_names_of_nodes_that_webots_no_longer_has_are_free(files: Files) -> None:
    file = files("Extrusion { }", Extrusion="PROTO Extrusion [ ] { Box { } }")
    assert load_scene(file).nodes[0].type_name == "Box"


def test_a_single_value_fills_a_list_by_is(files: Files) -> None:
    proto = 'PROTO A [ field SFString args "x" ] { Robot { controllerArgs IS args } }'
    first, second = load_scene(files('A { } A { args "y" }', A=proto)).nodes
    assert (first["controllerArgs"], second["controllerArgs"]) == (["x"], ["y"])
    inner, outer = (
        f'PROTO {name} [ field SFString controllerArgs "{name}" ]'
        f" {{ {base} {{ controllerArgs IS controllerArgs }} }}"
        for name, base in (("A", "Robot"), ("B", "A"))
    )
    assert load_scene(files("B { }", A=inner, B=outer)).nodes[0]["controllerArgs"] == ["B"]
    proto = "PROTO A [ field SFNode part NULL ] { Group { children IS part } }"
    first, second = load_scene(files("A { } A { part Solid { } }", A=proto)).nodes
    assert (first["children"], len(second["children"])) == ([], 1)


def test_a_single_colour_or_text_is_no_list(files: Files) -> None:
    proto = "PROTO A [ field SFColor one 1 0 0 ] { Solid { recognitionColors IS one } }"
    (line,) = refusal(files("A { }", A=proto))
    assert line.endswith("IS one, which is SFColor, expected MFColor, as Solid.recognitionColors is")
    proto = 'PROTO A [ field SFString p "x.png" ] { ImageTexture { url IS p } }'
    (line,) = refusal(files("Shape { appearance Appearance { texture A { } } }", A=proto))
    assert line.endswith("IS p, which is SFString, expected MFString, as ImageTexture.url is")


def test_a_proto_that_cannot_be_read_leaves_an_empty_node_in_a_run(files: Files) -> None:
    file = files("A { x 1 } Group { children [ A { } ] } Box { }", A="PROTO Other [ ] { Group { } }")
    scene = load_scene(file, lenient=True)
    assert [node.type_name for node in scene.nodes] == ["Group", "Group", "Box"]
    (line,) = warnings(scene)
    assert 'PROTO "Other", its node is empty, expected "A", as the file is named' in line
    assert isinstance(scene.warnings[0], Mistake)


def test_a_broken_proto_is_told_twice_at_most(files: Files) -> None:
    lines = refusal(files("A { } A { } A { }", A="PROTO A [ field SFFloat x ] { Group { } }"))
    assert len(lines) == 2 and "A.proto is broken" in lines[0] and "A.proto:2:" in lines[1]


def test_what_stands_in_for_a_missing_proto_is_left_out_where_no_group_may_stand(files: Files) -> None:
    proto = f"""{HEAD}EXTERNPROTO "{WEB}"
      PROTO Ball [ field SFNode look A {{ }} field MFNode more [ A {{ }} Sphere {{ }} ]
        field MFNode part [ A {{ }} ] ] {{
        Solid {{ children [ Shape {{ appearance IS look }} Group {{ children IS part }} ]
          boundingObject Group {{ children IS more }} }} }}"""
    file = files("Ball { }", Ball=proto)
    assert len(refusal(file)) == 1
    (ball,) = load_scene(file, skip_missing=True).nodes
    shape, group = ball["children"]
    assert shape["appearance"] is None
    assert [each.type_name for each in group["children"]] == ["Group"]


def test_unknown_fields_are_skipped_on_request(files: Files) -> None:
    file = files("A { sise [ 1 2 ] x 2 sise 3 } Box { sice 1 2 3 size 3 3 3 }", A=ONE_FIELD)
    assert len(refusal(file)) == 3
    scene = load_scene(file, skip_missing=True)
    assert scene.nodes[0]["radius"] == 2.0 and scene.nodes[1]["size"] == (3.0, 3.0, 3.0)
    assert [line.split(": ")[1] for line in warnings(scene)] == [
        'unknown field "sise" of A, skipped, expected a field of A',
        'unknown field "sice" of Box, skipped, expected a field of Box',
    ]


LENIENT = {
    "Box { sise 1 2 3 }": 'unknown field "sise" of Box, skipped',
    "Group { children [ Nothing { a 1 } Box { } ] }": 'unknown node "Nothing", skipped',
    "Shape { geometry Solid { } }": "Solid in Shape.geometry, skipped",
    "DEF P Physics { } Shape { appearance USE P }": "Physics in Shape.appearance, skipped",
    'TouchSensor { type "boxer" }': 'TouchSensor.type "boxer", skipped',
    "B { x 1 }": "IS x, which is SFFloat, skipped",
    "C { s [ Box { } ] }": "IS s, which is MFNode, skipped",
    "D { }": "IS nothing, skipped",
    "Group { children USE NOBODY }": "USE of NOBODY, skipped",
    "DEF G Group { children USE G }": "USE G within DEF G itself, skipped",
}


@pytest.mark.parametrize("world", LENIENT)
def test_mistakes_that_webots_only_warns_of(files: Files, world: str) -> None:
    """They are errors for who checks a file, and warnings for who runs it."""
    b = "PROTO B [ field SFFloat x 1 ] { Solid { translation IS x } }"
    c = "PROTO C [ field MFNode s [ ] ] { Solid { physics IS s } }"
    d = "PROTO D [ ] { Solid { name IS nothing } }"
    file = files(world, B=b, C=c, D=d)
    assert len(refusal(file)) == 1
    scene = load_scene(file, lenient=True)
    assert any(LENIENT[world] in line for line in warnings(scene))


def test_what_no_reader_can_make_sense_of_stays_an_error(files: Files) -> None:
    for world in ("Box { size 1 2 }", "Box { size 1 2 3", "Solid { name 3 }", "Missing.proto { }"):
        with pytest.raises(SceneErrors):
            load_scene(files(world), lenient=True)


ONE_FIELD = "PROTO A [ field SFFloat x 1 ] { Sphere { radius IS x } }"


def test_a_field_written_twice_has_the_last_value(files: Files) -> None:
    scene = load_scene(files("A { x 2 x 3 }", A=ONE_FIELD))
    assert scene.nodes[0]["radius"] == 3.0
    assert warnings(scene) == [
        'w.wbt:3:9: field "x" of A once more: the last value counts, expected each field once'
    ]


# ---- IS

CHAIR = """PROTO Chair [
  field SFVec3f translation 1 2 3
  field SFColor color 1 0 0
  field MFNode slot [ ]
  field SFString name "chair"
] {
  Solid {
    translation IS translation
    children [
      DEF LEG Shape { appearance PBRAppearance { baseColor IS color } geometry Box { } }
      Pose { children [ USE LEG ] }
      Pose { children IS slot }
    ]
    name IS name
  }
}
"""


def test_is_takes_the_value_of_the_instance_or_the_default(files: Files) -> None:
    first, second = load_scene(
        files('Chair { } Chair { translation 0 0 1 color 0 0 1 name "b" }', Chair=CHAIR)
    ).nodes
    assert (first.type_name, first["translation"], first["name"]) == ("Solid", (1.0, 2.0, 3.0), "chair")
    assert (second["translation"], second["name"]) == ((0.0, 0.0, 1.0), "b")
    colours = [node["baseColor"] for node in second.walk() if node.type_name == "PBRAppearance"]
    assert colours == [(0.0, 0.0, 1.0)] * 2  # USE has copied what IS gave


def test_a_slot_takes_nodes(files: Files) -> None:
    (node,) = load_scene(
        files('Chair { slot [ DEF BACK Solid { name "back" } Shape { } ] }', Chair=CHAIR)
    ).nodes
    slot = node["children"][2]
    assert [child.type_name for child in slot["children"]] == ["Solid", "Shape"]
    assert all(child.parent is slot for child in slot["children"])


IS_MISTAKES = {
    "translation IS place": 'IS place, expected a field of PROTO A (did you mean "plate"?)',
    "translation IS colour": "IS colour, which is SFColor, expected SFVec3f, as Solid.translation is",
    "children IS colour": "IS colour, which is SFColor, expected MFNode, as Solid.children is",
    "translation IS": "expected the name of a field of the PROTO after IS",
}


@pytest.mark.parametrize("line", IS_MISTAKES)
def test_is_of_another_type_or_of_nothing_is_refused(files: Files, line: str) -> None:
    fields = "unconnectedField SFColor colour 1 0 0 unconnectedField SFVec3f plate 0 0 0"
    proto = f"PROTO A [ {fields} ] {{ Solid {{ {line} }} }}"
    assert any(IS_MISTAKES[line] in message for message in refusal(files("A { }", A=proto)))


def test_is_outside_a_proto_is_refused(files: Files) -> None:
    assert refusal(files("Solid { name IS x }"))[0].startswith('w.wbt:2:14: "IS", expected a value')


def test_a_field_that_nothing_uses_warns_unless_it_is_unconnected(files: Files) -> None:
    proto = "PROTO A [ {} SFFloat speed 1 ] {{ Group {{ }} }}"
    scene = load_scene(files("A { } A { }", A=proto.format("field")))
    assert warnings(scene) == [
        'A.proto:2:7: field "speed" of PROTO A is not used in its body, expected IS, or unconnectedField'
    ]
    assert load_scene(files("A { speed 3 }", A=proto.format("unconnectedField"))).warnings == []


# ---- scopes


def test_names_of_a_body_are_not_known_outside_and_the_other_way_round(files: Files) -> None:
    assert "USE of LEG" in refusal(files("Chair { } Group { children USE LEG }", Chair=CHAIR))[0]
    inner = "PROTO A [ ] { Group { children USE OUT } }"
    assert refusal(files("DEF OUT Shape { } A { }", A=inner))[0].startswith("A.proto:2:36: USE of OUT")
    scene = load_scene(files("DEF MINE Chair { slot DEF BACK Shape { } }", Chair=CHAIR))
    assert scene.find_def("LEG") is None
    assert scene.find_def("BACK") is not None
    mine = scene.find_def("MINE")
    assert mine is not None and mine.proto is not None and mine.proto.defs["LEG"].type_name == "Shape"


def test_use_names_what_a_default_above_holds(files: Files) -> None:
    proto = """PROTO A [
      field SFNode a DEF X Box { size 1 1 1 } field SFNode b DEF Y Sphere { } field SFNode c NULL
    ] { Group { children [ Shape { geometry IS a } Shape { geometry IS b } Shape { geometry IS c } ] } }"""
    scene = load_scene(files("A { c USE X } Shape { geometry USE Y }", A=proto))
    shapes = scene.nodes[0]["children"]
    assert shapes[2]["geometry"]["size"] == (1.0, 1.0, 1.0) and scene.warnings == []
    assert scene.nodes[1]["geometry"].type_name == "Sphere"
    for instance in ("A { a USE Y }", "A { a Cone { } c USE X }"):  # one is below, the other is not there
        assert "USE of" in refusal(files(instance, A=proto))[0]
    scene = load_scene(files("A { c Cone { } a DEF Y Cylinder { } } Shape { geometry USE Y }", A=proto))
    (line,) = warnings(scene)
    assert "a of A behind a field that is declared after it" in line
    assert scene.nodes[1]["geometry"].type_name == "Cylinder"


def test_the_name_of_the_root_of_a_body_is_the_instance(files: Files) -> None:
    scene = load_scene(
        files("A { } B { }", A="PROTO A [ ] { DEF R Pose { } }", B="PROTO B [ ] { DEF S A { } }")
    )
    first, second = scene.nodes
    assert first.proto is not None and second.proto is not None
    assert first.proto.defs == {"R": first} and second.proto.defs == {"R": second, "S": second}


def test_a_proto_may_hold_others_and_hand_on_its_fields(files: Files) -> None:
    pair = """EXTERNPROTO "Chair.proto"
PROTO Pair [ field SFColor both 0 1 0 ]
{ Group { children [ Chair { color IS both } Chair { color IS both name "b" } ] } }"""
    (node,) = load_scene(files("Pair { }", Pair=pair, Chair=CHAIR)).nodes
    colours = [each["baseColor"] for each in node.walk() if each.type_name == "PBRAppearance"]
    assert colours == [(0.0, 1.0, 0.0)] * 4


def test_a_derived_proto_has_the_base_type_of_its_base(files: Files) -> None:
    tall = """EXTERNPROTO "Chair.proto"
PROTO Tall [ field SFVec3f translation 0 0 9 ] { Chair { translation IS translation } }"""
    scene = load_scene(
        files("Tall { } Group { children Tall { translation 1 1 1 } }", Tall=tall, Chair=CHAIR)
    )
    first, group = scene.nodes
    assert (first.type_name, first["translation"], first["name"]) == ("Solid", (0.0, 0.0, 9.0), "chair")
    assert group["children"][0]["translation"] == (1.0, 1.0, 1.0)
    assert first.proto is not None and first.proto.connected == {"translation": "translation"}


def test_a_field_named_as_one_of_the_base_is_that_one_and_no_other(files: Files) -> None:
    tall = """EXTERNPROTO "Chair.proto"
PROTO Tall [ field SFColor color 0 1 0 field SFString title "t" ] { Chair { %s } }"""
    (node,) = load_scene(files("Tall { }", Tall=tall % "color IS color name IS title", Chair=CHAIR)).nodes
    assert node["name"] == "t"
    slot = "slot Solid { recognitionColors [ ] children Pose { children Shape { appearance "
    slot += "PBRAppearance { baseColor IS color } } } }"
    for wrong in (f"name IS title {slot}", "color IS color name IS title " + slot):
        lines = refusal(files("Tall { }", Tall=tall % wrong, Chair=CHAIR))
        assert any("baseColor IS color, a name that Chair has too" in line for line in lines)


def test_a_proto_stands_only_where_its_base_may(files: Files) -> None:
    file = files("Shape { geometry Chair { } }", Chair=CHAIR)
    assert refusal(file)[0].startswith("w.wbt:3:18: Chair in Shape.geometry, expected a ")


@pytest.mark.parametrize(
    "protos",
    [
        {"A": 'EXTERNPROTO "A.proto"\nPROTO A [ ] { Group { children A { } } }'},
        {
            "A": 'EXTERNPROTO "B.proto"\nPROTO A [ ] { Group { children B { } } }',
            "B": 'EXTERNPROTO "A.proto"\nPROTO B [ ] { Group { children A { } } }',
        },
        {
            "A": 'EXTERNPROTO "B.proto"\nPROTO A [ ] { B { } }',
            "B": 'EXTERNPROTO "A.proto"\nPROTO B [ ] { A { } }',
        },
    ],
    ids=["itself", "by way of another", "as its own base"],
)
def test_a_proto_that_holds_itself_is_refused(files: Files, protos: dict[str, str]) -> None:
    lines = refusal(files("A { }", **protos))
    assert any("a PROTO that holds itself: A > " in line for line in lines)


def test_protos_that_multiply_are_stopped(files: Files) -> None:
    names = [f"P{i}" for i in range(12)]
    protos = {
        name: f'EXTERNPROTO "{below}.proto"\nPROTO {name} [ ] {{ Group {{ children [ '
        + f"{below} {{ }} " * 10
        + "] } }"
        for name, below in pairwise(names)
    }
    protos["P11"] = "PROTO P11 [ ] { Group { } }"
    assert any(
        "too many nodes, expected at most 150000 (for more: ODESIM_LIMITS=scene_nodes" in line
        for line in refusal(files("P0 { }", **protos))
    )


# ---- where PROTO files are


def test_an_undeclared_proto_is_found_by_its_name_and_said(files: Files) -> None:
    scene = load_scene(files("A { }", declare=False, A="PROTO A [ ] { Group { } }"))
    assert scene.nodes[0].type_name == "Group"
    assert warnings(scene) == [
        "w.wbt:2:1: PROTO A is not declared, expected an EXTERNPROTO line with its URL"
    ]


def test_an_old_world_need_not_declare(files: Files) -> None:
    file = files("A { }", declare=False, A="PROTO A [ ] { Group { } }")
    file.write_text(file.read_text().replace("R2025a", "R2022a"), encoding="utf-8")
    assert load_scene(file).warnings == []


def test_folders_are_searched_in_order(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def proto(folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        text = f'{HEAD}PROTO A [ ] {{ Solid {{ name "{name}" }} }}'
        (folder / "A.proto").write_text(text, encoding="utf-8")

    file = files("A { }", declare=False)
    proto(tmp_path / "home/projects/objects/protos", "webots")
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "home"))
    assert load_scene(file).nodes[0]["name"] == "webots"
    proto(tmp_path / "mine", "path")
    monkeypatch.setenv("ODESIM_PROTO_PATH", str(tmp_path / "mine"))
    assert load_scene(file).nodes[0]["name"] == "path"


WEB = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/projects/objects/protos/A.proto"


@pytest.mark.parametrize("url", [WEB, "webots://projects/objects/protos/A.proto"])
def test_urls_of_webots_lead_into_a_copy_of_its_tree(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    folder = tmp_path / "home/projects/objects/protos"
    folder.mkdir(parents=True)
    (folder / "A.proto").write_text(f"{HEAD}PROTO A [ ] {{ Group {{ }} }}", encoding="utf-8")
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "home"))
    assert load_scene(files(f'EXTERNPROTO "{url}"\nA {{ }}')).nodes[0].type_name == "Group"


def test_a_missing_proto_says_where_it_was_looked_for(files: Files, tmp_path: Path) -> None:
    file = files(f'EXTERNPROTO "{WEB}"\nA {{ size 1 }}\nGroup {{ children [ A {{ }} ] }}')
    lines = refusal(file)
    assert len(lines) == 1
    for place in (
        "WEBOTS_HOME is not set",
        "cache/odesim/",
        f"{tmp_path}/protos",
        "--download",
        "lenient=True",
    ):
        assert place in lines[0]


def test_missing_protos_become_empty_nodes_with_one_line_for_all(files: Files) -> None:
    both = f'EXTERNPROTO "{WEB}"\nEXTERNPROTO "{WEB.replace("A.proto", "B.proto")}"\n'
    file = files(f"{both}A {{ size 1 }}\nGroup {{ children [ A {{ }} B {{ }} ] }} B {{ }}")
    scene = load_scene(file, skip_missing=True)
    assert [node.type_name for node in scene.nodes] == ["Group", "Group", "Group"]
    (line,) = warnings(scene)
    assert line.startswith("w.wbt:4:1: 2 PROTO (A, B) are missing, their nodes are empty (--download")
    assert isinstance(scene.warnings[0], Mistake) and "WEBOTS_HOME" in line and "--strict" in line
    old = files("", declare=False)
    old.write_text("#VRML_SIM R2019a utf8\nA { }", encoding="utf-8")
    (line,) = [each for each in warnings(load_scene(old, skip_missing=True)) if "missing" in each]
    assert "PROTO A is missing, its node is empty (WEBOTS_HOME" in line  # nothing says where to download it


def test_what_could_be_downloaded_is_known_before_a_load(files: Files) -> None:
    """What lines of PROTO files of the project name counts too; what has a stand-in, or waits, does not."""
    inner = f'{HEAD}EXTERNPROTO "{WEB}"\nPROTO P [ ] {{ A {{ }} }}'
    floor = WEB.replace("A.proto", "Floor.proto")
    later = WEB.replace("A.proto", "Later.proto")
    file = files(f'EXTERNPROTO "{floor}"\nIMPORTABLE EXTERNPROTO "{later}"\nP {{ }}', P=inner)
    assert missing_declared_protos(file, Assets.for_world(file)) == ["A"]
    assert missing_declared_protos(file.parent / "none.wbt", Assets.for_world(None)) == []


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("webots://../../etc/A.proto", '".." in the URL'),
        ("https://example.org/a/../../A.proto", '".." in a URL'),
        ("https://example.org/a/%2e%2e/A.proto", '".." in a URL'),
        ("http://example.org/A.proto", "a URL of scheme http:"),
        ("file:///etc/A.proto", "a URL of scheme file:"),
        ("ftp://example.org/A.proto", "a URL of scheme ftp:"),
    ],
)
def test_urls_that_lead_astray_are_refused(files: Files, url: str, says: str) -> None:
    assert says in refusal(files(f'EXTERNPROTO "{url}"\nA {{ }}'))[0]


# ---- tags and hidden fields


def test_a_deprecated_proto_warns_once(files: Files) -> None:
    proto = f"{HEAD}# tags: deprecated, hidden\nPROTO A [ ] {{ Group {{ }} }}"
    assert warnings(load_scene(files("A { } A { }", A=proto))) == [
        "w.wbt:3:1: PROTO A is deprecated, expected a newer one"
    ]


CART = """PROTO Cart [ field SFVec3f translation 0 0 0 ] {
  Robot { translation IS translation children [
    HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } endPoint Solid { name "w0" } }
    Solid { name "fixed" }
    HingeJoint { endPoint Solid { name "w1" } }
  ] }
}
"""


def test_hidden_fields_put_back_the_state_of_the_parts(files: Files) -> None:
    hidden = "hidden position_0_1 0.7 hidden linearVelocity_0 1 2 3 hidden translation_3 0.1 0.2 0.3"
    (cart,) = load_scene(files(f"Cart {{ {hidden} translation 5 0 0 }}", Cart=CART)).nodes
    wheels = [node for node in cart.walk() if node.type_name == "HingeJoint"]
    assert wheels[1]["jointParameters"]["position"] == 0.7
    assert wheels[0]["jointParameters"]["position"] == 0.0
    assert wheels[1]["endPoint"]["translation"] == (0.1, 0.2, 0.3)
    assert (cart["linearVelocity"], cart["translation"]) == ((1.0, 2.0, 3.0), (5.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("hidden", "says"),
    [
        ("translation_9 1 2 3", "expected one of 4 solids"),
        ("position_0_2 1", "expected one of 2 joints"),
        ("position2_0_0 1", "expected a joint with jointParameters2"),
        ("colour_1 1 2 3", 'hidden field "colour_1"'),
        ("translation_9 1 2 3 hidden rotation_9 0 0 1 1", '"translation_9" and 1 more, left out'),
    ],
)
def test_hidden_fields_that_belong_nowhere_are_left_out(files: Files, hidden: str, says: str) -> None:
    scene = load_scene(files(f"Cart {{ hidden {hidden} hidden position_0_0 0.5 }}", Cart=CART))
    (warning,) = warnings(scene)
    assert says in warning
    joint = next(node for node in scene.walk() if node.type_name == "HingeJoint")
    assert joint["jointParameters"]["position"] == 0.5


@pytest.mark.parametrize(
    ("hidden", "says"),
    [
        ("translation_1 1 2", '2 numbers for "translation_1", expected 3'),
        ("translation_1 1 2 0x1F", '"0x1F", expected a decimal number'),
        ("translation_1 1 2 1e999", '"1e999", expected'),
    ],
)
def test_hidden_fields_with_wrong_numbers_are_refused(files: Files, hidden: str, says: str) -> None:
    assert says in refusal(files(f"Cart {{ hidden {hidden} }}", Cart=CART))[0]


def test_hidden_positions_of_the_second_and_third_axis(files: Files) -> None:
    proto = """PROTO Arm [ ] { Robot { children [
      BallJoint { endPoint Solid { } } Hinge2Joint { jointParameters2 JointParameters { axis 0 1 0 } }
    ] } }"""
    hidden = "hidden position_0_0 0.1 hidden position3_0_0 0.3 hidden position2_0_1 0.2"
    scene = load_scene(files(f"Arm {{ {hidden} }}", Arm=proto))
    ball, gimbal = scene.nodes[0]["children"]
    assert ball["jointParameters"].type_name == "BallJointParameters"
    assert (ball["jointParameters"]["position"], ball["jointParameters3"]["position"]) == (0.1, 0.3)
    assert gimbal["jointParameters2"]["position"] == 0.2 and scene.warnings == []


# ---- writing


def test_an_instance_is_written_as_an_instance(files: Files) -> None:
    file = files('DEF C Chair { color 0 0 1 slot [ Shape { } ] }\nChair { name "b" }', Chair=CHAIR)
    scene = load_scene(file)
    text = write_scene(scene)
    assert "DEF C Chair {" in text and "baseColor" not in text
    again = parse_scene(text, str(file))
    assert all(a.equals(b) for a, b in zip(again.nodes, scene.nodes, strict=True))


def test_what_was_changed_through_a_connected_field_is_written(files: Files) -> None:
    file = files("Chair { }", Chair=CHAIR)
    scene = load_scene(file)
    scene.nodes[0]["translation"] = (7.0, 8.0, 9.0)
    assert parse_scene(write_scene(scene), str(file)).nodes[0]["translation"] == (7.0, 8.0, 9.0)


def test_a_file_that_the_root_of_a_body_names_is_beside_the_proto_file(files: Files) -> None:
    """One that a parameter gives is beside the world."""
    world = files(
        'WorldInfo { } Day { top "a.png" }',
        Sky='PROTO Sky [ field MFString top "a.png" ] { Background { frontUrl "a.png" topUrl IS top } }',
        Day="PROTO Day [ field MFString top [] ] { Sky { top IS top } }",
    )
    for folder in (world.parent, world.parent.parent / "protos"):
        (folder / "a.png").touch()
    sky = load_scene(world).nodes[-1]
    found = [file_of(sky, field).find_file().parent.name for field in ("frontUrl", "topUrl")]
    assert found == ["protos", "worlds"]
