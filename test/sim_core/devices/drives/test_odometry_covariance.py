"""The covariance of dead reckoning against closed formulas and against many noisy runs."""

import math

import numpy as np
import pytest

from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.devices.drives.odometry_covariance import OdometryCovariance, OdometryNoise
from sim_core.devices.drives.planar_motion import Pose2d
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WIDTH = 0.4
RUNS = 20_000
CLOSE = 5.0 * math.sqrt(2.0 / RUNS)
"""5 standard errors of a variance that was found in so many runs, as a part of it."""


def rolled(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return poses (runs, 3) at the end of paths (runs, pieces) of the wheels, by the equations of an arc."""
    x = y = yaw = np.zeros(len(left))
    for dl, dr in zip(left.T, right.T, strict=True):
        distance, half = (dl + dr) / 2.0, (dr - dl) / (2.0 * WIDTH)
        x, y = (
            x + distance * np.sinc(half / np.pi) * np.cos(yaw + half),
            y + distance * np.sinc(half / np.pi) * np.sin(yaw + half),
        )
        yaw = yaw + 2.0 * half
    return np.stack([x, y, yaw], axis=1)


def covariance(noise: OdometryNoise, left: np.ndarray, right: np.ndarray, encoder: float = 0.0) -> np.ndarray:
    model, pose = OdometryCovariance(WIDTH, noise), Pose2d()
    for dl, dr in zip(left.tolist(), right.tolist(), strict=True):
        model.add_path(pose, dl, dr)
        pose = pose.advanced((dl + dr) / 2.0, (dr - dl) / WIDTH)
    xx, xy, yy, x_yaw, y_yaw, yaw = model.covariance_of(pose, encoder)
    return np.array([[xx, xy, x_yaw], [xy, yy, y_yaw], [x_yaw, y_yaw, yaw]])


def agree(found: np.ndarray, expected: np.ndarray) -> None:
    """Check each element within 5 standard errors, on the scale of the two deviations that it belongs to."""
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.abs(found - expected) / scale == pytest.approx(np.zeros((3, 3)), abs=CLOSE)


def winding(pieces: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Return an S of 2.4 m, with a piece backwards and a turn on the spot."""
    left, right = np.full(pieces, 0.02), np.full(pieces, 0.02)
    left[:40], right[50:80] = 0.01, 0.012
    left[90:100] *= -1.0
    right[90:100] *= -1.0
    left[100:110] *= -1.0
    return left, right


def test_on_a_straight_line_the_closed_formulas_hold() -> None:
    """q = k·s for each wheel: var x = k·s/2, var yaw = 2k·s/w², var y = var yaw·s²/3, cov = var yaw·s/2."""
    k, s, pieces = 1e-4, 3.0, 3000
    path = np.full(pieces, s / pieces)
    found = covariance(OdometryNoise(slip=k), path, path)
    turn = 2.0 * k * s / WIDTH**2
    expected = [
        [k * s / 2.0, 0.0, 0.0],
        [0.0, turn * s * s / 3.0, turn * s / 2.0],
        [0.0, turn * s / 2.0, turn],
    ]
    assert found == pytest.approx(np.array(expected), rel=1e-6, abs=1e-15)


def test_slip_agrees_with_many_runs_on_a_winding_path() -> None:
    left, right = winding()
    noise, draw = OdometryNoise(slip=2e-6), np.random.default_rng(1).standard_normal((2, RUNS, left.size))
    poses = rolled(
        *(path + np.sqrt(2e-6 * np.abs(path)) * n for path, n in zip((left, right), draw, strict=True))
    )
    agree(np.cov(poses.T), covariance(noise, left, right))


def test_proportional_errors_agree_with_many_runs() -> None:
    """Each piece is 4 steps of the encoder, whose factors are uniform in 1 ± n."""
    left, right = winding()
    n, draw = 0.05, np.random.default_rng(2).uniform(-1.0, 1.0, (2, 4, RUNS, left.size)).mean(axis=1)
    poses = rolled(*(path * (1.0 + n * u) for path, u in zip((left, right), draw, strict=True)))
    agree(np.cov(poses.T), covariance(OdometryNoise(proportional=n, steps=4), left, right))


def test_wrong_readings_agree_with_many_runs_and_do_not_add_up() -> None:
    """Errors e of each reading, first and last among them; var yaw stays at 4e²/w²."""
    left, right = winding()
    e = 2e-4
    errors = e * np.random.default_rng(3).standard_normal((2, RUNS, left.size + 1))
    poses = rolled(*(path + np.diff(each) for path, each in zip((left, right), errors, strict=True)))
    expected = covariance(OdometryNoise(), left, right, e * e)
    assert expected[2, 2] == pytest.approx(4.0 * e * e / WIDTH**2)
    found = np.cov(poses.T)
    assert found[2, 2] == pytest.approx(expected[2, 2], rel=CLOSE)
    assert np.diag(found)[:2] == pytest.approx(np.diag(expected)[:2], rel=0.05)


WHEELS = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
DifferentialWheels { name "r" controller "void" axleLength 0.4 wheelRadius 0.1 maxSpeed 50 slipNoise 0
  encoderNoise 0.3 encoderResolution 100 maxAcceleration 1e5 }
"""


def test_the_odometry_of_a_robot_with_noisy_encoders_is_as_wrong_as_it_says() -> None:
    """300 robots, each with its own seed, on one arc: the spread of their computed poses."""
    poses, said = [], np.zeros(0)
    for seed in range(300):
        sim = Simulation(parse_scene(WHEELS, "w.wbt"), SimulationConfig(seed=seed))
        robot = sim.robot("r")
        robot.odometry.keep_covariance(0.0)
        robot.drive.set_twist(1.0, 0.5)
        sim.run(0.6)
        poses.append(robot.odometry.pose)
        said = np.array(robot.odometry.pose_covariance())
    found = np.cov(np.array(poses).T)
    assert np.diag(found) == pytest.approx(said[[0, 2, 5]], rel=5.0 * math.sqrt(2.0 / 300))


MOTORS = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "r" controller "void" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0.2 0 }
    device [ RotationalMotor { name "left" maxVelocity 50 maxTorque 1e6 } PositionSensor { name "l" NOISE } ]
    endPoint Solid { translation 0 0.2 0 rotation 1 0 0 1.5707963267948966
      boundingObject Cylinder { radius 0.1 height 0.02 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 -0.2 0 }
    device [ RotationalMotor { name "right" maxVelocity 50 maxTorque 1e6 } PositionSensor { name "r" NOISE } ]
    endPoint Solid { translation 0 -0.2 0 rotation 1 0 0 1.5707963267948966
      boundingObject Cylinder { radius 0.1 height 0.02 } } }
] }
"""


@pytest.mark.parametrize(
    ("field", "faults", "variance"),
    [
        ("noise 0.01", FaultConfig(), 1e-4),
        ("resolution 0.03", FaultConfig(), 0.03**2 / 12.0),
        ("noise 0.01", FaultConfig(gaussian=0.02), 5e-4),
    ],
)
def test_encoders_are_position_sensors_with_what_they_are_wrong_by(
    field: str, faults: FaultConfig, variance: float
) -> None:
    """Var yaw = 4·(r·e)²/w², whatever the path; the computed heading is what the two sensors measure."""
    device = DeviceConfig(faults=faults)
    config = SimulationConfig(robots={"r": RobotConfig(devices={"l": device, "r": device})})
    sim = Simulation(parse_scene(MOTORS.replace("NOISE", field), "w.wbt"), config)
    robot = sim.robot("r")
    first = [robot[name].take_sample(0).value for name in "lr"]
    robot.odometry.keep_covariance(0.0)
    robot.drive.set_twist(0.5, 0.3)
    sim.run(1.0)
    last = [robot[name].take_sample(sim.time_ns).value for name in "lr"]
    turned = 0.1 * ((last[1] - first[1]) - (last[0] - first[0])) / 0.4
    assert robot.odometry.pose.yaw == pytest.approx(turned)
    assert robot.odometry.pose_covariance().yaw == pytest.approx(4.0 * 0.1**2 * variance / 0.4**2)
    sim.reset()
    assert robot.odometry.pose == (0.0, 0.0, 0.0)


def test_exact_sensors_change_nothing() -> None:
    sim = Simulation(parse_scene(MOTORS.replace("NOISE", ""), "w.wbt"))
    robot = sim.robot("r")
    robot.odometry.keep_covariance(0.0)
    robot.drive.set_twist(0.5, 0.3)
    sim.run(1.0)
    assert robot.odometry.pose.yaw == pytest.approx(0.3, rel=1e-6)
    assert not any(robot.odometry.pose_covariance())


def test_rates_have_the_variance_of_one_reckoning() -> None:
    """Speeds of 1 and 0.5 m/s: k·(1 + 0.5)/T on both wheels together, /4 for v, /w² for the turn rate.

    Wrong encoders add nothing: the speeds are the motors'.
    """
    model = OdometryCovariance(WIDTH, OdometryNoise(slip=1e-4, proportional=0.3))
    speed, turning = model.rates(1.0, -0.5, 0.02)
    assert speed == pytest.approx(1e-4 * 1.5 / 0.02 / 4.0)
    assert turning == pytest.approx(1e-4 * 1.5 / 0.02 / WIDTH**2)
