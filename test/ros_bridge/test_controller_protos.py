"""PROTO as supervisors see them in Webots' Python: their levels, their fields, what of them can be set."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller_runs import run_project, said

HEAD = "#VRML_SIM R2025a utf8\n"
PROTOS = {
    "Base": """PROTO Base [ field SFFloat translationStep 0.01 field SFFloat rotationStep 0.01
      field MFNode children [ ] unconnectedField SFFloat loose 0.01 ] {
      Solid { translationStep IS translationStep rotationStep IS rotationStep children IS children
        radarCrossSection 0.5 } }""",
    "Middle": """EXTERNPROTO "Base.proto"
      PROTO Middle [ field SFFloat translationStep 0.02 field MFNode children [ ]
      unconnectedField SFFloat more 0.2 field SFString name "m" ] {
      Base { translationStep IS translationStep children IS children } }""",
    "Top": """EXTERNPROTO "Middle.proto"
      PROTO Top [ field SFFloat translationStep 0.03 field SFFloat inner 0.04 ] {
      Middle { translationStep IS translationStep more 0.7
        children DEF IN Middle { translationStep IS inner } } }""",
    "Slotted": """# template language: javascript
      PROTO Slotted [ field SFFloat size 1 field MFNode slot [ ] ] {
      Solid { name "s" children [ Group { children IS slot }
        Shape { geometry Box { size %<= fields.size.value >% 1 1 } } ] } }""",
    "Told": """# template language: javascript
      PROTO Told [ field SFFloat size 1 unconnectedField MFFloat list [ 1 2 ] ] {
      Solid { description "%<= context.id >%" boundingObject Box { size %<= fields.size.value >% 1 1 } } }""",
}
WORLD = (
    "\n".join(f'EXTERNPROTO "{name}.proto"' for name in PROTOS)
    + """
WorldInfo { basicTimeStep 10 }
DEF TOP Top { }
DEF TOLD Told { }
DEF SLOTTED Slotted { slot DEF GIVEN Pose { translation 1 2 3 } }
Robot { name "boss" supervisor TRUE controller "boss" }
"""
)
START = """
from controller import Supervisor
s = Supervisor()
top, told = s.getFromDef("TOP"), s.getFromDef("TOLD")
"""


def run(tmp_path: Path, simulate: Callable[..., Any], source: str) -> list[str]:
    (tmp_path / "worlds").mkdir()
    for name, text in PROTOS.items():
        (tmp_path / "worlds" / f"{name}.proto").write_text(HEAD + text, encoding="utf-8")
    sim = run_project(tmp_path, simulate, WORLD, {"boss": START + source}, 0.2)
    assert sim.code == 0, sim.lines
    return said(sim, "boss")


def test_levels_of_a_proto_and_their_fields(tmp_path: Path, simulate: Callable[..., Any]) -> None:
    """The names, types and order of each interface; a field leads to that in the scene tree, if there is one,
    and is read only."""
    lines = run(
        tmp_path,
        simulate,
        """
proto, names = top.getProto(), []
while proto is not None:
    names.append((proto.getTypeName(), proto.isDerived(), proto.getNumberOfFields()))
    last, proto = proto, proto.getParent()
print(names)
print([last.getFieldByIndex(i).getName() for i in range(4)], last.getFieldByIndex(4))
print(s.getSelf().getProto())
middle = top.getProto().getParent()
step, loose = middle.getParent().getField("translationStep"), last.getField("loose")
print(step.getTypeName(), step.getSFFloat(), loose.getSFFloat(), middle.getField("more").getSFFloat())
print(step.getActualField() == top.getField("translationStep"), loose.getActualField())
base = top.getBaseNodeField("translationStep")
print(base.getActualField() == top.getField("translationStep"),
      top.getBaseNodeField("radarCrossSection").getActualField())
inner = top.getFromProtoDef("IN")
deep = inner.getProto().getParent().getField("translationStep")
print(deep.getActualField() == top.getField("inner"), deep.getSFFloat())
print(inner.getBaseNodeField("translationStep").getActualField().getName())
for field in (step, base, inner.getField("translationStep"), deep):
    field.setSFFloat(9.0)
print(step.getSFFloat(), base.getSFFloat(), deep.getSFFloat())
top.getField("translationStep").setSFFloat(0.5)
top.getField("inner").setSFFloat(0.6)
print(step.getSFFloat(), base.getSFFloat(), deep.getSFFloat())
print([top.getBaseNodeFieldByIndex(i).getName() for i in range(4)])
""",
    )
    values = [line for line in lines if "read only" not in line]
    assert values == [
        "[('Top', True, 2), ('Middle', True, 4), ('Base', False, 4)]",
        "['translationStep', 'rotationStep', 'children', 'loose'] None",
        "None",
        "SFFloat 0.03 0.01 0.7",
        "True None",
        "True None",
        "True 0.04",
        "inner",
        "0.03 0.03 0.04",
        "0.5 0.5 0.6",
        "['translation', 'rotation', 'children', 'name']",
    ]
    assert len(lines) - len(values) == 4


def test_a_body_made_anew_ends_what_was_known_of_the_old_one(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """The instance keeps the number that its template was told."""
    lines = run(
        tmp_path,
        simulate,
        """
def told_id():
    return int(told.getBaseNodeField("description").getSFString())
print(told_id() == told.getId(), s.getFromId(told.getId()).getDef(), s.getRoot().getId())
proto = told.getProto()
count = proto.getField("list")
text, box = map(told.getBaseNodeField, ("description", "boundingObject"))
size = told.getField("size")
part = box.getSFNode().getField("size")
print([each.getType() > 0 for each in (text, size, box, part, count)], box.getSFNode().getId())
print(count.getCount(), proto.getTypeName())
told.getField("size").setSFFloat(2.0)
print(repr(proto.getTypeName()), count.getCount(), proto.getNumberOfFields(), proto.getField("list"))
print(told.getProto().getField("list").getCount(), told_id() == told.getId())
print(repr(proto.getTypeName()), count.getCount())
print([each.getType() for each in (text, box, part, count)], size.getType() == size.SF_FLOAT, text.getCount())
print(repr(text.getTypeName()), repr(text.getSFString()), told.getBaseNodeField("description") == text)
given = s.getFromDef("GIVEN")
place = given.getField("translation")
s.getFromDef("SLOTTED").getField("size").setSFFloat(2.0)
place.setSFVec3f([4, 5, 6])
print(given.getPosition(), s.getFromDef("GIVEN") == given, given.getParentNode().getDef())
""",
    )
    errors = [line for line in lines if "rebuilt" in line or "no longer" in line or "body of" in line]
    values = [line for line in lines if line not in errors]
    assert len(errors) == 6  # of getId, three getType, getTypeName and getSFString
    assert values == [
        "True TOLD 0",
        "[True, True, True, True, True] -1",
        "2 Told",
        "'' -1 -1 None",
        "2 True",
        "'' -1",
        "[0, 0, 0, 0] True -1",
        "'' '' False",
        "[4.0, 5.0, 6.0] True SLOTTED",
    ]


def test_only_what_the_world_declares_importable_is_imported(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """A line says so of others, also of one that the world declares for its own nodes; of a file with a
    second Background the rest comes."""
    (tmp_path / "protos").mkdir()
    for name in ("Declared", "Free", "Hidden"):
        text = f'{HEAD}PROTO {name} [ ] {{ Solid {{ name "{name}" }} }}'
        (tmp_path / "protos" / f"{name}.proto").write_text(text, encoding="utf-8")
    (tmp_path / "controllers" / "boss").mkdir(parents=True)
    scenery = "#VRML V2.0 utf8\nBackground { }\nDEF COME Group { }\n"
    (tmp_path / "controllers" / "boss" / "scenery.wrl").write_text(scenery, encoding="utf-8")
    world = """EXTERNPROTO "../protos/Declared.proto" IMPORTABLE EXTERNPROTO "../protos/Free.proto"
WorldInfo { basicTimeStep 10 } Background { } Declared { }
Robot { name "boss" supervisor TRUE controller "boss" }"""
    source = """
from controller import Supervisor
s = Supervisor()
children = s.getRoot().getField("children")
for name in ("Hidden", "Declared", "Free"):
    children.importMFNodeFromString(-1, name + " { }")
    print(name, children.getCount(), children.getMFNode(-1).getTypeName())
children.importMFNode(-1, "scenery.wrl")
print(children.getCount(), children.getMFNode(-1).getDef())
"""
    sim = run_project(tmp_path, simulate, world, {"boss": source}, 0.1)
    assert sim.code == 0, sim.lines
    hidden, none, declared, neither, free, second, come = said(sim, "boss")
    assert "PROTO Hidden is not declared" in hidden and "PROTO Declared is not declared" in declared
    assert [none, neither, free] == ["Hidden 4 Robot", "Declared 4 Robot", "Free 5 Free"]
    assert "a second Background" in second and come == "6 COME"


TWICE = {
    "Twice": """PROTO Twice [ field MFNode slot [ ] ] { Solid { name "t" children [
      DEF A Pose { translation 1 0 0 children IS slot }
      DEF B Pose { translation 2 0 0 children IS slot } ] } }""",
    "Nested": """EXTERNPROTO "Twice.proto"
      PROTO Nested [ field MFNode slot [ DEF P Pose { translation 0 0 1 } ] ] { Solid { name "n" children [
      DEF FIRST Twice { slot IS slot }
      Pose { translation 0 5 0 children [ DEF SECOND Twice { slot IS slot } ] } ] } }""",
}


def test_a_parameter_that_stands_in_several_places_is_found_at_its_first_in_each_body(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """Placed twice, nested twice: from the outer PROTO the first of four, from each inner one the first of
    its two; the other is reached by the field that holds it. A change of the parameter changes them all."""
    (tmp_path / "protos").mkdir()
    for name, text in TWICE.items():
        (tmp_path / "protos" / f"{name}.proto").write_text(HEAD + text, encoding="utf-8")
    world = """EXTERNPROTO "../protos/Nested.proto" WorldInfo { basicTimeStep 10 }
DEF N Nested { } DEF M Nested { slot DEF P Pose { translation 0 0 3 } }
Robot { name "boss" supervisor TRUE controller "boss" }"""
    source = """
from controller import Supervisor
s = Supervisor()
for nested in (s.getFromDef("N"), s.getFromDef("M")):
    first, second = nested.getFromProtoDef("FIRST"), nested.getFromProtoDef("SECOND")
    other = second.getFromProtoDef("B").getField("children").getMFNode(0)
    given = nested.getField("slot").getMFNode(0)
    nodes = [each.getFromProtoDef("P") for each in (nested, first, second)] + [other, given]
    print([node.getPosition() for node in nodes])
    given.getField("translation").setSFVec3f([0, 0, 4])
    print([node.getPosition()[2] for node in nodes], given.getDef(), given.getParentNode() == nested)
    print(nodes[2].getParentNode().getPosition(), other.getParentNode().getPosition())
print(s.getFromDef("N").getFromProtoDef("A"), second.getField("slot").getMFNode(0).getPosition())
other.getField("translation").setSFVec3f([0, 0, 9])
"""
    sim = run_project(tmp_path, simulate, world, {"boss": source}, 0.1)
    assert sim.code == 0, sim.lines
    *lines, last, refused = said(sim, "boss")
    assert len(lines) == 6, lines
    for height, (places, changed, parents) in zip((1.0, 3.0), (lines[:3], lines[3:]), strict=True):
        x_y = [(1.0, 0.0), (1.0, 0.0), (1.0, 5.0), (2.0, 5.0), (1.0, 0.0)]
        assert places == str([[x, y, height] for x, y in x_y])
        assert changed == "[4.0, 4.0, 4.0, 4.0, 4.0] P True"
        assert parents == "[1.0, 5.0, 0.0] [2.0, 5.0, 0.0]"
    assert last == "None [1.0, 5.0, 4.0]" and "read only" in refused
