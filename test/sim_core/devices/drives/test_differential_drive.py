import math

import pytest

from sim_core.base.config import DriveConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import CommandError, ConfigError
from sim_core.devices.drives.differential_drive import DifferentialDrive, explain_missing_drive
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation


def wheel(
    name: str, y: float, x: float = 0.0, radius: float = 0.2, axis: str = "0 1 0", motor: bool = True
) -> str:
    device = f'device RotationalMotor {{ name "motor_{name}" maxVelocity 20 }}' if motor else ""
    return f"""HingeJoint {{
  jointParameters HingeJointParameters {{ axis {axis} anchor {x} {y} 0 }}
  {device}
  endPoint Solid {{
    name "{name}" translation {x} {y} 0 rotation 1 0 0 1.5707963267948966
    boundingObject Cylinder {{ radius {radius} height 0.02 }}
    physics Physics {{ density -1 mass 1 }}
  }}
}}
"""


def simulation(wheels: str, drive: DriveConfig | None = None) -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 5 }}
Robot {{
  name "robot1"
  controller "<none>"
  boundingObject Box {{ size 0.3 0.3 0.1 }}
  physics Physics {{ density -1 mass 5 }}
  children [ {wheels} ]
}}
"""
    config = SimulationConfig(robots={"robot1": RobotConfig(drive=drive)})
    return Simulation(parse_scene(text, "robot.wbt"), config)


def drive_of(wheels: str, drive: DriveConfig | None = None) -> DifferentialDrive | None:
    return simulation(wheels, drive).robot("robot1").drive


def motors(drive: DifferentialDrive) -> tuple[list[str], list[str]]:
    return [wheel.motor.name for wheel in drive.left], [wheel.motor.name for wheel in drive.right]


FOUR = "".join(
    wheel(f"{side}{n}", y, x) for side, y in (("l", 0.25), ("r", -0.25)) for n, x in ((1, 0.4), (2, -0.2))
)


def test_two_coaxial_wheels_are_a_drive() -> None:
    drive = drive_of(wheel("left", 0.25) + wheel("right", -0.25))
    assert drive is not None
    assert motors(drive) == (["motor_left"], ["motor_right"])
    assert (drive.wheel_radius, drive.wheel_separation) == pytest.approx((0.2, 0.5))
    assert drive.centre == pytest.approx((0.0, 0.0, 0.0))


def test_the_side_is_told_by_the_place_not_by_the_order_or_the_name() -> None:
    drive = drive_of(wheel("left", -0.25, x=0.1) + wheel("right", 0.25, x=0.1))
    assert drive is not None
    assert motors(drive) == (["motor_right"], ["motor_left"])
    assert drive.centre == pytest.approx((0.1, 0.0, 0.0))


def test_casters_do_not_count() -> None:
    caster = wheel("caster", 0.0, x=-0.2, radius=0.05, motor=False)
    assert drive_of(wheel("left", 0.25) + wheel("right", -0.25) + caster) is not None


@pytest.mark.parametrize(
    "wheels",
    [
        "",
        wheel("left", 0.25),
        wheel("left", 0.25) + wheel("right", -0.25, radius=0.15),
        wheel("left", 0.25) + wheel("right", -0.25, x=0.1),
        wheel("left", 0.25) + wheel("right", -0.15),
        wheel("left", 0.25) + wheel("right", -0.25, axis="1 0 0"),
        FOUR + wheel("extra", 0.0, 0.6),
        wheel("l1", 0.25, 0.3) + wheel("r1", -0.25, 0.3) + wheel("l2", 0.2, -0.3) + wheel("r2", -0.2, -0.3),
        FOUR.replace("maxVelocity 20", "maxVelocity 20 minPosition -1 maxPosition 1"),
    ],
    ids=[
        *("none", "one", "unequal", "not coaxial", "not symmetrical", "across", "a fifth wheel"),
        *("two tracks", "legs"),
    ],
)
def test_what_is_no_drive_is_said_where_there_are_wheels(wheels: str) -> None:
    robot = simulation(wheels).robot("robot1")
    assert robot.drive is None
    reason = explain_missing_drive(robot.devices.values())
    if wheels:
        assert reason is not None and '"motor_' in reason
    else:
        assert reason is None


def test_four_wheels_are_a_drive_whose_sides_turn_together() -> None:
    """As in a Pioneer 3-AT: both wheels of a side at (v ∓ ω·s/2)/r, about the middle of the axles."""
    sim = simulation(FOUR)
    drive = sim.robot("robot1").drive
    assert drive is not None
    assert motors(drive) == (["motor_l1", "motor_l2"], ["motor_r1", "motor_r2"])
    assert (drive.wheel_radius, drive.wheel_separation) == pytest.approx((0.2, 0.5))
    assert drive.centre == pytest.approx((0.1, 0.0, 0.0))
    drive.set_twist(0.4, 1.0)
    sim.step()
    left, right = (0.4 - 0.25) / 0.2, (0.4 + 0.25) / 0.2
    assert [wheel.motor.target_velocity for wheel in drive.left] == pytest.approx([left, left])
    assert [wheel.motor.target_velocity for wheel in drive.right] == pytest.approx([right, right])


def test_sprung_wheels_are_a_drive_steered_ones_are_not() -> None:
    """A wheel on a slider or a swing arm without a motor is driven; a wheel behind a castor's pivot is
    not."""

    def sprung(name: str, y: float, joint: str = "SliderJoint", axis: str = "0 0 1", device: str = "") -> str:
        parameters = "HingeJointParameters" if joint == "HingeJoint" else "JointParameters"
        return f"""{joint} {{ jointParameters {parameters} {{ axis {axis} springConstant 1000 }} {device}
            endPoint Solid {{ name "arm {name}" translation 0 0 0.1 physics Physics {{ density -1 mass 1 }}
              boundingObject Box {{ size 0.01 0.01 0.01 }} children [ {wheel(name, y)} ] }} }}"""

    drive = drive_of(sprung("left", 0.25) + sprung("right", -0.25))
    assert drive is not None and drive.wheel_separation == pytest.approx(0.5)
    assert drive_of(
        sprung("left", 0.25, "HingeJoint", "0 1 0") + sprung("right", -0.25, "HingeJoint", "0 1 0")
    )
    assert drive_of(sprung("left", 0.25, "HingeJoint") + sprung("right", -0.25, "HingeJoint")) is None
    lifts = [f'device LinearMotor {{ name "lift {side}" }}' for side in "lr"]
    assert drive_of(sprung("left", 0.25, device=lifts[0]) + sprung("right", -0.25, device=lifts[1])) is None


def test_a_named_drive_takes_its_sizes_from_the_wheels() -> None:
    wheels = "".join(wheel(f"{side}{x}", y, x) for side, y in (("l", 0.3), ("r", -0.3)) for x in (-1, 1))
    drive = drive_of(wheels, DriveConfig(("motor_l-1", "motor_l1"), ("motor_r-1", "motor_r1")))
    assert drive is not None
    assert motors(drive) == (["motor_l-1", "motor_l1"], ["motor_r-1", "motor_r1"])
    assert (drive.wheel_radius, drive.wheel_separation) == pytest.approx((0.2, 0.6))


def test_a_named_drive_may_state_its_sizes() -> None:
    config = DriveConfig(("motor_left",), ("motor_right",), 0.1, 0.7)
    drive = drive_of(wheel("left", 0.25) + wheel("right", -0.25), config)
    assert drive is not None
    assert (drive.wheel_radius, drive.wheel_separation) == (0.1, 0.7)


def test_a_named_motor_that_is_not_there() -> None:
    config = DriveConfig(("motor_lfet",), ("motor_right",))
    with pytest.raises(ConfigError, match=r'robot1\.diff_drive\.left: found "motor_lfet".*"motor_left"'):
        drive_of(wheel("left", 0.25) + wheel("right", -0.25), config)


def test_a_named_drive_whose_sizes_nothing_tells() -> None:
    slider = """SliderJoint { device LinearMotor { name "%s" } endPoint Solid { name "%s"
      boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 1 } } }"""
    wheels = slider % ("a", "a") + slider % ("b", "b")
    with pytest.raises(ConfigError, match=r"robot1\.diff_drive\.wheel_radius: found none, expected a length"):
        drive_of(wheels, DriveConfig(("a",), ("b",)))


@pytest.mark.parametrize("axes", [("0 1 0", "0 1 0"), ("0 -1 0", "0 1 0"), ("0 -1 0", "0 -1 0")])
def test_forward_is_forward_whichever_way_the_axes_point(axes: tuple[str, str]) -> None:
    sim = simulation(wheel("left", 0.25, axis=axes[0]) + wheel("right", -0.25, axis=axes[1]))
    drive = sim.robot("robot1").drive
    assert drive is not None
    drive.set_wheel_speeds(3.0, 5.0)
    signs = [1.0 if axis == "0 1 0" else -1.0 for axis in axes]
    commanded = [sim.robot("robot1")[name].target_velocity for name in ("motor_left", "motor_right")]
    assert commanded == [3.0 * signs[0], 5.0 * signs[1]]


def test_a_speed_past_the_limit_is_said() -> None:
    drive = drive_of(wheel("left", 0.25) + wheel("right", -0.25))
    assert drive is not None
    assert drive.set_twist(1.0, 0.0) is None
    assert drive.set_twist(8.0, 0.0) == (
        "robot1: velocity 8 m/s, 0 rad/s needs a wheel speed of 40 rad/s, past the limit 20 rad/s, slowed"
    )
    message = drive.set_wheel_speeds(1.0, -30.0)
    assert message == "robot1/motor_right: velocity -30 rad/s is past the limit 20 rad/s, clamped"


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_twist_that_is_not_finite_is_refused_and_changes_nothing(value: float) -> None:
    sim = simulation(wheel("left", 0.25) + wheel("right", -0.25))
    drive = sim.robot("robot1").drive
    assert drive is not None
    drive.set_wheel_speeds(1.0, 2.0)
    for command in (drive.set_twist, drive.set_wheel_speeds):
        for values in ((value, 1.0), (1.0, value)):
            with pytest.raises(CommandError, match=r"robot1: .*found .*expected a finite number"):
                command(*values)
    assert sim.robot("robot1")["motor_left"].target_velocity == 1.0
    assert sim.robot("robot1")["motor_right"].target_velocity == 2.0


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (((), ("right",)), r"diff_drive\.left: found no motor"),
        ((("left",), ()), r"diff_drive\.right: found no motor"),
        ((("left",), ("right",), 0.0), r"diff_drive\.wheel_radius: found 0"),
        ((("left",), ("right",), 0.1, math.nan), r"diff_drive\.wheel_separation: found nan"),
    ],
)
def test_settings_that_make_no_sense(fields: tuple, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        DriveConfig(*fields)
