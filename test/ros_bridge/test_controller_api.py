"""Controllers in Webots' Python, started by a real simulation."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., list[str]]


@pytest.fixture
def run_controller(tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any]) -> Run:
    """Runs the small world with a controller of this source; what it printed."""

    def run(source: str, duration: float = 0.1, world: Path | None = None) -> list[str]:
        folder = tmp_path / "controllers" / "mine"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "mine.py").write_text(source, encoding="utf-8")
        sim = simulate(world or world_file("mine", sync=True), mode="fast", duration=duration)
        assert sim.wait() == 0, sim.lines
        return [line.split("robot1: ", 1)[1] for line in sim.says("robot1: ")]

    return run


def test_a_sensor_is_sampled_from_enable_on_at_its_period(run_controller: Run) -> None:
    """4 ms steps, a period of 8 ms: NaN until 8 ms after `enable`, then a new value every 8 ms."""
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
robot.step(4)
gps = robot.getDevice("gps")
gps.enable(8)
print("value", robot.getTime(), gps.getValues()[0])
while robot.step(4) != -1:
    print("value", robot.getTime(), gps.getValues()[0])
print("over")
"""
    )
    values = [line.split()[1:] for line in lines if line.startswith("value")]
    times = [float(time) for time, _ in values]
    assert times == pytest.approx([0.004 * k for k in range(1, 26)])
    assert [text for _, text in values[:2]] == ["nan", "nan"]
    seen = [text for _, text in values[2:]]
    assert "nan" not in seen
    assert all(seen[k] == seen[k + 1] for k in range(0, len(seen) - 1, 2))
    assert len(set(seen[::2])) == len(seen[::2])  # its noise is new each time
    assert lines[-1] == "over"


def test_a_step_of_the_controller_may_be_longer_and_is_rounded_up(run_controller: Run) -> None:
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
print("time", robot.getTime())
while robot.step(18) != -1:
    print("time", robot.getTime())
"""
    )
    assert [float(line.split()[1]) for line in lines] == pytest.approx([0.02 * k for k in range(6)])


def test_a_motor_turns_at_the_velocity_once_the_position_is_infinite(run_controller: Run) -> None:
    """Without a position it stands; with an infinite one angle = velocity·time, as the encoder says."""
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
left, right = robot.getDevice("motor left"), robot.getDevice("motor right")
encoder = left.getPositionSensor()
encoder.enable(4)
left.setVelocity(2.0)
right.setVelocity(2.0)
robot.step(200)
print("angle", encoder.getValue())
for motor in (left, right):
    motor.setPosition(float("inf"))
robot.step(1000)
print("angle", encoder.getValue())
left.setPosition(encoder.getValue() + 0.5)
right.setPosition(float("nan"))
right.setVelocity(0)
robot.step(1000)
print("turned", encoder.getValue())
""",
        duration=5.0,
    )
    before, after = (float(line.split()[1]) for line in lines if line.startswith("angle"))
    turned = next(float(line.split()[1]) for line in lines if line.startswith("turned"))
    assert before == pytest.approx(0.0, abs=1e-3)
    assert after - before == pytest.approx(2.0, rel=0.01)
    assert turned - after == pytest.approx(0.5, abs=0.01)
    assert any(re.search(r"setPosition\(\).*'position'.*NaN", line) for line in lines)


ALL_SENSORS = """
import hashlib
from controller import Robot
robot = Robot()
left, right = robot.getDevice("motor left"), robot.getDevice("motor right")
for motor in (left, right):
    motor.setPosition(float("inf"))
    motor.enableTorqueFeedback(4)
left.setVelocity(3.0)
right.setVelocity(2.0)
sensors = [robot.getDevice(name) for name in ("ds", "gps", "compass", "gyro", "accelerometer", "encoder")]
unit = robot.getDevice("inertial unit")
for sensor in [*sensors, unit]:
    sensor.enable(4)
hashed = hashlib.sha256()
while robot.step(4) != -1:
    values = [s.getValues() if hasattr(s, "getValues") else s.getValue() for s in sensors]
    values += [unit.getRollPitchYaw(), unit.getQuaternion(), left.getTorqueFeedback()]
    hashed.update(repr((robot.getTime(), values)).encode())
    if sensors[0].getValue() < 100:
        left.setVelocity(-3.0)
print("hash", hashed.hexdigest())
print("last", values)
"""


def test_two_runs_are_identical(run_controller: Run) -> None:
    first, second = (run_controller(ALL_SENSORS, duration=2.0) for _ in range(2))
    assert first == second
    assert "nan" not in first[-1]


def test_without_a_simulation_it_says_so_in_one_line(tmp_path: Path) -> None:
    import subprocess
    import sys

    api = Path(__file__).resolve().parents[2] / "webots_api"
    done = subprocess.run(
        [sys.executable, "-c", "from controller import Robot; Robot()"],
        env={"PYTHONPATH": str(api)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "odesim run" in done.stderr
