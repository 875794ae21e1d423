"""`odesim explain`: a recorded run whose controller fails, and messages that are late."""

from pathlib import Path

import pytest
from processes import ODESIM, finished

from ros_bridge.recorder.explain import late

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot {
  name "r" controller "crash"
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "motor" maxVelocity 5 maxTorque 1e16 }
      endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { } }
    }
  ]
}
"""
CRASH = """
from controller import Robot

robot = Robot()
motor = robot.getDevice("motor")
motor.setPosition(float("inf"))
for _ in range(25):
    motor.setVelocity(9.0)
    robot.step(8)
print("no luck")
raise SystemExit(3)
"""


def recorded(folder: Path, controller: str, code: int) -> list[str]:
    """What is said of a run of a second with a controller, after which `odesim run` ends with a code."""
    for name, text in {"worlds/w.wbt": WORLD, "controllers/crash/crash.py": controller}.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    words = ["run", folder / "worlds/w.wbt", "--mode", "fast", "--duration", "1"]
    assert finished(*ODESIM, *words, "--record", folder / "bag").returncode == code
    done = finished(*ODESIM, "explain", folder / "bag")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_controller_that_failed_is_the_cause_and_what_was_past_a_limit_is_told(tmp_path: Path) -> None:
    cause, *lines = recorded(tmp_path, CRASH, 1)
    assert cause == 'cause: r: controller "crash" ended: exit code 3; its last line: no luck, at 0.2 s'
    assert [float(line.split()[0]) for line in lines] == sorted(float(line.split()[0]) for line in lines)
    (clamped,) = (line for line in lines if "clamped: " in line)
    assert "0.000 s" in clamped and "9 rad/s is past the limit 5 rad/s" in clamped
    again = finished(*ODESIM, "replay", tmp_path / "bag")
    assert again.returncode == 0 and "identical" in again.stdout, again.stdout


def test_a_state_that_is_not_finite_is_the_cause(tmp_path: Path) -> None:
    cause, *_ = recorded(tmp_path, CRASH.replace("setVelocity(9.0)", "setTorque(1e15)"), 2)
    assert cause.startswith("cause: ") and "position or velocity is not finite" in cause


def test_what_is_no_bag_is_one_line(tmp_path: Path) -> None:
    done = finished(*ODESIM, "explain", tmp_path / "nothing")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "not found" in done.stderr


@pytest.mark.parametrize(
    ("pause", "said"),
    [(1.0, "/r/cmd_vel: no message for 1 s; before, one came every 0.1 s"), (0.4, "")],
)
def test_a_gap_of_ten_usual_ones_is_late(pause: float, said: str) -> None:
    times = [0.1 * index for index in range(20)]
    times += [times[-1] + pause + 0.1 * index for index in range(20)]
    whole = [round(time * 1e9) for time in times]
    found = list(late("/r/cmd_vel", whole, whole[-1]))
    assert [each.text for each in found] == ([said] if said else [])
    assert all(each.time_ns == whole[19] for each in found)


def test_messages_that_end_before_the_run_are_told() -> None:
    times = [100_000_000 * index for index in range(20)]
    (found,) = late("/r/cmd_vel", times, times[-1] + 5_000_000_000)
    assert found.text == "/r/cmd_vel: no message until the end; before, one came every 0.1 s"
