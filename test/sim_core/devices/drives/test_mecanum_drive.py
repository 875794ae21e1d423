"""Four Mecanum wheels: the numbers of gz-sim's MecanumDrive, and dead reckoning of the same motion."""

import math
from collections.abc import Callable

import pytest

from sim_core.base.config import DriveConfig, MecanumConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.devices.drives.differential_drive import SignedWheel
from sim_core.devices.drives.mecanum_drive import MecanumDrive
from sim_core.devices.drives.odometry import WheelOdometry
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

RADIUS, SEPARATION, BASE = 0.3, 1.25, 1.511


class IdealWheel:
    """A wheel that reaches its commanded speed at once."""

    max_velocity = 20.0
    multiplier = 1.0

    def __init__(self, name: str) -> None:
        self.name, self.position, self.velocity = name, 0.0, 0.0

    def set_velocity(self, velocity: float) -> str | None:
        self.velocity = velocity
        return None


def ideal() -> tuple[MecanumDrive, list[IdealWheel]]:
    """Return the left wheels, front and back, then the right ones, which turn in the opposite direction."""
    wheels = [IdealWheel(name) for name in ("fl", "bl", "fr", "br")]
    left, right = (
        tuple(SignedWheel(wheel, sign) for wheel in side)
        for side, sign in ((wheels[:2], 1.0), (wheels[2:], -1.0))
    )
    return MecanumDrive("r", left, right, RADIUS, SEPARATION, wheelbase=BASE), wheels


@pytest.mark.parametrize(
    ("twist", "speeds"),
    [
        ((0.5, 0.5, 0.0), (0.0, 3.333, 3.333, 0.0)),
        ((0.0, 0.5, 0.2), (-2.587, 0.746, 2.587, -0.746)),
        ((0.3, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0)),
        ((0.0, 0.0, 0.3), (-1.3805, -1.3805, 1.3805, 1.3805)),
    ],
)
def test_wheel_speeds(twist: tuple[float, float, float], speeds: tuple[float, ...]) -> None:
    drive, wheels = ideal()
    assert drive.set_twist(twist[0], twist[2], twist[1]) is None
    told = [wheel.velocity for wheel in wheels]
    assert [*told[:2], -told[2], -told[3]] == pytest.approx(speeds, abs=1e-3)
    assert drive.twist() == pytest.approx((twist[0], twist[2], twist[1]))


def test_a_speed_past_the_limit_keeps_its_direction() -> None:
    drive, _ = ideal()
    assert "slowed" in str(drive.set_twist(20.0, 0.0, 10.0))
    assert drive.twist() == pytest.approx((4.0, 0.0, 2.0))  # 30 m/s of the front right rim become 6


def test_dead_reckoning_knows_the_way_to_the_side() -> None:
    """A circle, driven sideways: its middle is v/ω ahead of the robot, and it closes."""
    drive, wheels = ideal()
    odometry = WheelOdometry(drive)
    drive.set_twist(0.0, 0.5, 0.4)
    for quarter in range(1, 5):
        for wheel in wheels:
            wheel.position += wheel.velocity * (math.pi / 2.0 / 0.5)
        odometry.update_pose()
        angle = quarter * math.pi / 2.0
        place = 0.8 * (math.cos(angle) - 1.0), 0.8 * math.sin(angle), angle
        assert odometry.pose == pytest.approx(place, abs=1e-9)


def wheel(name: str, x: float, y: float) -> str:
    return f"""HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 1 0 anchor {x} {y} 0 }}
  device RotationalMotor {{ name "{name}" maxVelocity 20 }}
  endPoint Solid {{ name "{name}" translation {x} {y} 0 boundingObject Sphere {{ radius {RADIUS} }}
    physics Physics {{ density -1 mass 1 }} }}
}}"""


@pytest.fixture
def drive_of() -> Callable[[DriveConfig], object]:
    wheels = "".join(
        wheel(f"{end}{side}", x, y)
        for end, x in (("f", 0.8), ("b", -0.7))
        for side, y in (("l", 0.6), ("r", -0.6))
    )
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ }}
Robot {{ name "r" boundingObject Box {{ size 1 1 0.1 }} physics Physics {{ }} children [ {wheels} ] }}
"""

    def made(config: DriveConfig) -> object:
        robots = {"r": RobotConfig(drive=config)}
        return Simulation(parse_scene(text, "r.wbt"), SimulationConfig(robots=robots)).robot("r").drive

    return made


def test_sizes_are_those_of_the_settings_or_of_the_wheels(drive_of: Callable[[DriveConfig], object]) -> None:
    drive = drive_of(MecanumConfig(("fl", "bl"), ("fr", "br"), max_linear_velocity=2.0))
    assert isinstance(drive, MecanumDrive)
    assert (drive.wheelbase, drive.wheel_separation, drive.wheel_radius) == pytest.approx((1.5, 1.2, RADIUS))
    assert drive.limits[0].velocity == (-math.inf, 2.0)
    drive = drive_of(MecanumConfig(("fl", "bl"), ("fr", "br"), 0.1, 1.0, 2.0))
    assert isinstance(drive, MecanumDrive)
    assert (drive.wheelbase, drive.wheel_separation, drive.wheel_radius) == (2.0, 1.0, 0.1)


def test_each_side_has_two_wheels() -> None:
    with pytest.raises(ConfigError, match=r"mecanum.left: found 1 motors, expected the names of two"):
        MecanumConfig(("fl",), ("fr", "br"))
