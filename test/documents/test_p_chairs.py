"""P, the chapter on PROTO: its chair and the world with it; files of newer releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim_core.scene import Node, load_scene
from sim_core.session.simulation import Simulation

LEGS = ((0.23, -0.25), (0.23, 0.25), (-0.2, -0.25), (-0.2, 0.25))
LEG = """DEF LEG_SHAPE Shape { geometry Box { size 0.075 0.075 0.52 }
  appearance Appearance { material Material { diffuseColor IS legColor } } }"""
CHAIR = (
    """#VRML_SIM R2023b utf8
PROTO TwoColorChair [
  field SFVec3f translation 0 0 0.91
  field SFRotation rotation 0 0 1 0
  field SFString name "two-color chair"
  field SFColor legColor 1 1 0
  field SFColor seatColor 1 0.65 0
  field SFNode seatGeometry NULL
  field MFNode seatExtensionSlot []
]
{
  Solid { translation IS translation rotation IS rotation name IS name children [
    Pose { translation 0.27 0 0 children IS seatExtensionSlot }
    Pose { translation 0 0 -0.35 children [ Shape {
      appearance Appearance { material Material { diffuseColor IS seatColor } } geometry IS seatGeometry } ] }
"""
    + "".join(
        f"    Pose {{ translation {x} {y} -0.65 children [ {'USE LEG_SHAPE' if number else LEG} ] }}\n"
        for number, (x, y) in enumerate(LEGS)
    )
    + "] } }\n"
)
WORLD = """#VRML_SIM VERSION utf8
EXTERNPROTO "FAR/appearances/protos/DamascusSteel.proto"
EXTERNPROTO "FAR/appearances/protos/VarnishedPine.proto"
EXTERNPROTO "FAR/objects/backgrounds/protos/TexturedBackground.proto"
EXTERNPROTO "FAR/objects/backgrounds/protos/TexturedBackgroundLight.proto"
EXTERNPROTO "FAR/objects/floors/protos/Floor.proto"
EXTERNPROTO "../protos/TwoColorChair.proto"
WorldInfo { }
Viewpoint { orientation -0.141 0.263 0.954 1.078 position -0.863 -3.489 1.757 }
TexturedBackground { }
TexturedBackgroundLight { luminosity 0.5 castShadows FALSE }
PointLight { attenuation 0 0 1 intensity 20 location -4 -4 1 radius 10 castShadows TRUE }
Floor { size 20 20 }
DEF GREEN_STOOL TwoColorChair { translation 0 0 0.9 name "two-color chair(2)" legColor 0 0.666667 0
  seatColor 0.235294 0.470588 0 seatGeometry Cylinder { height 0.1 radius 0.4 } }
DEF YELLOW_CHAIR TwoColorChair { translation 1 0 0.9 seatGeometry Box { size 0.6 0.6 0.1 }
  seatExtensionSlot [ Pose { translation -0.27 0.28 -0.014 children [ Shape {
    appearance PBRAppearance { baseColor 1 1 0 roughness 1 metalness 0 }
    geometry Box { size 0.6 0.03 0.7 } } ] } ] }
DEF DAMACUS_SPHERE TwoColorChair { translation 3 0 0.9 name "two-color chair(1)"
  legColor 0.678431 0.678431 0.678431 seatExtensionSlot [ Pose { translation -0.27 0 -0.29 children [
    Shape { appearance DamascusSteel { } geometry Sphere { radius 0.4 subdivision 5 } } ] } ] }
DEF WOODEN_CHAIR TwoColorChair { translation 2 0 0.9 name "two-color chair(3)" legColor 0.478431 0.239216 0
  seatColor 0.666667 0.333333 0 seatGeometry Box { size 0.6 0.6 0.1 }
  seatExtensionSlot [ Pose { translation -0.27 0.25 0.05 children [
    Shape { appearance VarnishedPine { } geometry Box { size 0.6 0.1 0.7 } } ] } ] }
""".replace("FAR/", "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/projects/")


def world(folder: Path, version: str) -> Path:
    for name in ("protos", "worlds"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "protos" / "TwoColorChair.proto").write_text(CHAIR)
    file = folder / "worlds" / "ThreeChairs.wbt"
    file.write_text(WORLD.replace("VERSION", version))
    return file


def test_the_chairs_of_the_chapter_stand_as_it_says(tmp_path: Path) -> None:
    scene = load_scene(world(tmp_path, "R2023b"))
    chairs: dict[str | None, Node] = {
        node.def_name: node for node in scene.nodes if node.type_name == "Solid"
    }
    expected = {
        "GREEN_STOOL": (0.0, "two-color chair(2)", (0.0, 0.666667, 0.0), "Cylinder"),
        "YELLOW_CHAIR": (1.0, "two-color chair", (1.0, 1.0, 0.0), "Box"),
        "DAMACUS_SPHERE": (3.0, "two-color chair(1)", (0.678431,) * 3, None),
        "WOODEN_CHAIR": (2.0, "two-color chair(3)", (0.478431, 0.239216, 0.0), "Box"),
    }
    sim = Simulation(scene)
    for name, (x, own_name, colour, seat) in expected.items():
        chair = chairs[name]
        assert chair["name"] == own_name and sim.supervisor.pose(name).position == (x, 0.0, 0.9)
        slot, middle, *legs = chair["children"]
        assert len(slot["children"]) == (name != "GREEN_STOOL")
        geometry = middle["children"][0]["geometry"]
        assert (geometry.type_name if geometry is not None else None) == seat
        assert [leg["translation"] for leg in legs] == [(*place, -0.65) for place in LEGS]
        assert {leg["children"][0]["appearance"]["material"]["diffuseColor"] for leg in legs} == {colour}
    sim.run(0.1)


@pytest.mark.parametrize(("version", "lines"), [("R2023b", 0), ("R2025a", 0), ("R2031b", 1)])
def test_a_file_of_a_newer_release_is_said_in_one_line(version: str, lines: int, tmp_path: Path) -> None:
    scene = load_scene(world(tmp_path, version))
    told = [str(each) for each in scene.warnings if "version" in each.found]
    assert len(told) == lines and all(version in line and "ThreeChairs.wbt:1:1" in line for line in told)
