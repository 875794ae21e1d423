"""Worlds saved with another PROTO than the one that is here: parts stay where their joints can lead them."""

from math import pi
from pathlib import Path

import pytest

from sim_core.base.geometry import axis_angle_from_rotation, multiply, rotation_from_axis_angle
from sim_core.base.shipped import share_dir
from sim_core.scene import Scene, parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

URL = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/projects/robots"
WHEELS = {"E-puck": 0.02, "Pioneer3dx": 0.0975, "Pioneer3at": 0.11}
"""Radius of the wheels in m."""
SAVED = {
    "at the start": "",
    "positions": "hidden position_0_0 3.4156 hidden position_0_1 3.014",
    "positions and rotations": """hidden position_0_0 3.4156 hidden position_0_1 3.014
      hidden rotation_1 0 1 0 3.4156 hidden rotation_2 0 1 0 3.014""",
    "of the old axes": """hidden position_0_0 3.4156 hidden position_0_1 3.014
      hidden rotation_1 -1 0 0 3.4156 hidden rotation_2 -1 0 0 3.014""",
    "rotations alone": "hidden rotation_1 -1 0 0 6.2831853 hidden rotation_2 -1 0 0 3.1",
    "in another place": "hidden position_0_0 3.4 hidden translation_1 0.3 0.026 0.02",
}


def world(text: str, tmp_path: Path, version: str = "R2023b") -> Scene:
    head = f"#VRML_SIM {version} utf8\nWorldInfo {{ basicTimeStep 16 }}\nFloor {{ size 40 40 }}\n"
    return parse_scene(head + text, str(tmp_path / "w.wbt"), Assets(cache=tmp_path), lenient=True)


@pytest.mark.parametrize("version", ["R2019a", "R2023b"])
@pytest.mark.parametrize("hidden", SAVED.values(), ids=SAVED)
def test_an_e_puck_saved_while_running_drives_as_far_as_one_at_the_start(
    hidden: str, version: str, tmp_path: Path
) -> None:
    """Angular velocity × radius × time."""
    scene = world(f'E-puck {{ controller "<none>" {hidden} }}', tmp_path, version)
    assert way(Simulation(scene), 2.0) == pytest.approx(3.0 * WHEELS["E-puck"] * 2.0, rel=0.02)


@pytest.mark.parametrize("robot", ["Pioneer3dx", "Pioneer3at"])
def test_so_do_other_robots(robot: str, tmp_path: Path) -> None:
    scene = world(f'{robot} {{ controller "<none>" {SAVED["positions and rotations"]} }}', tmp_path)
    (line,) = [str(each) for each in scene.warnings if "hidden" in str(each)]
    assert (
        "w.wbt:5:" in line
        and 'hidden field "rotation_1" and 1 more, left out, expected a place to which ' in line
    )
    assert way(Simulation(scene), 1.0) == pytest.approx(3.0 * WHEELS[robot], rel=0.05)


def way(sim: Simulation, seconds: float) -> float:
    """How far the one robot goes with its wheels at 3 rad/s."""
    (robot,) = sim.robots.values()
    for device in robot.devices.values():
        if device.spec.type_name == "RotationalMotor":
            device.set_velocity(3.0)
    start = robot.frame.pose().position
    sim.step(round(seconds / 0.016))
    return sum((a - b) ** 2 for a, b in zip(robot.frame.pose().position, start, strict=True)) ** 0.5


def test_a_saved_pose_that_the_joint_reaches_counts_as_it_is(tmp_path: Path) -> None:
    """The wheel of ours lies on its side: turned by the joint, which has given way a little."""
    rest = (1.0, 0.0, 0.0, pi / 2)
    turned = multiply(rotation_from_axis_angle((0.0, 1.0, 0.0, 0.7)), rotation_from_axis_angle(rest))
    rotation = axis_angle_from_rotation(turned)
    hidden = f"hidden position_0_0 0.7 hidden rotation_1 {' '.join(map(str, rotation))}"
    hidden += " hidden translation_1 0.0001 0.026 0.02"
    scene = world(f"E-puck {{ {hidden} }}", tmp_path)
    wheel = next(node for node in scene.walk() if node.is_a("Solid") and node["name"] == "left wheel")
    assert (wheel["rotation"], wheel["translation"]) == (rotation, (0.0001, 0.026, 0.02))
    assert not any("hidden" in str(each) for each in scene.warnings)


def test_who_names_the_very_file_was_saved_with_it(tmp_path: Path) -> None:
    """A supervisor may put a wheel where its joint does not lead."""
    kept = []
    for url in (share_dir() / "protos/robots/Cart.proto", "webots://projects/robots/Cart.proto"):
        scene = world(f'EXTERNPROTO "{url}"\nCart {{ hidden rotation_1 0 0 1 0.1 }}', tmp_path)
        wheel = next(node for node in scene.walk() if node.is_a("Solid") and node["name"] == "left wheel")
        kept.append(wheel["rotation"] == (0.0, 0.0, 1.0, 0.1))
    assert kept == [True, False]


JOINTS = """PROTO Arm [ field SFVec3f translation 0 0 0 ] { Robot { translation IS translation children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 2 anchor 1 0 0 position 0.5 }
    endPoint Solid { name "hand" translation 2 0 0 } }
  SliderJoint { jointParameters JointParameters { axis 0 1 0 }
    endPoint Solid { name "slide" translation 0 3 0 } }
] } }"""


@pytest.mark.parametrize(
    ("hidden", "hand", "slide"),
    [
        ("", (2, 0, 0, 0.0), (0, 3, 0)),
        ("hidden rotation_1 1 0 0 1 hidden position_0_0 0.5", (2, 0, 0, 0.0), (0, 3, 0)),
        (f"hidden position_0_0 {0.5 + pi / 2} hidden translation_1 0 5 0", (1, 1, 0, pi / 2), (0, 3, 0)),
        (f"hidden translation_1 1 1 0 hidden rotation_1 0 0 1 {pi / 2}", (1, 1, 0, pi / 2), (0, 3, 0)),
        ("hidden translation_2 0.5 7 0", (2, 0, 0, 0.0), (0, 3, 0)),
        ("hidden translation_2 2 7 0 hidden position_0_1 0.2", (2, 0, 0, 0.0), (0, 3.2, 0)),
        ("hidden translation_2 0 7 0.01 hidden position_0_1 4", (2, 0, 0, 0.0), (0, 7, 0.01)),
    ],
)
def test_a_part_that_its_joint_does_not_reach_is_put_where_the_position_leads(
    hidden: str, hand: tuple[float, ...], slide: tuple[float, ...], tmp_path: Path
) -> None:
    """An old world, and a PROTO of today."""
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos/Arm.proto").write_text("#VRML_SIM R2025a utf8\n" + JOINTS, encoding="utf-8")
    (tmp_path / "worlds").mkdir()
    text = f"#VRML_SIM R2019a utf8\nArm {{ {hidden} }}"
    file = str(tmp_path / "worlds/w.wbt")
    scene = parse_scene(text, file, Assets.for_world(file), lenient=True)
    parts = {node["name"]: node for node in scene.walk() if node.is_a("Solid")}
    found = (*parts["hand"]["translation"], parts["hand"]["rotation"][3])
    assert found == pytest.approx(hand) and parts["slide"]["translation"] == pytest.approx(slide)
