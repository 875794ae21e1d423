"""Which controllers hold the world up, and which do not: real ones, on a running simulation."""

import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controller_runs import write_controllers
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, Range

from ros_bridge.topics.conversions import time_of

README = Path(__file__).resolve().parents[2] / "README.md"
PERIOD_NS = 20_000_000
SLOW = """
import sys, time
from rclpy.node import Node
from ros_bridge.controllers.robot_client import SIM_TIME, RobotClient, run
from sensor_msgs.msg import Range

class Slow(Node):
    def __init__(self):
        super().__init__("slow", parameter_overrides=SIM_TIME)
        self.create_subscription(Range, "ds", print, 10)
        time.sleep(1.0)
        self.client = RobotClient(self, {"ds": Range}, lambda readings: {"motor left": 1.0})

sys.exit(run(Slow))
"""


def test_the_node_of_the_readme_as_a_controller_moves_its_robot_in_real_time(
    tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any], client: Any
) -> None:
    """It is seen to have no publisher of answers, long before the time to wait for them is over."""
    found = re.search(
        r"<!-- test: ros -->\n```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found
    write_controllers(tmp_path, {"driver": found[1]})
    world = world_file("driver", sync=True)
    world.write_text(world.read_text().replace('name "ds"', 'name "ds_front"'), encoding="utf-8")
    sim = simulate(world, ros_args=["-p", "lockstep_timeout:=1000.0"])
    truth = client.listen(Odometry, "/robot1/ground_truth")
    client.until(lambda: truth and truth[-1].pose.pose.position.x > 0.1, "the robot moving")
    (line,) = sim.says("runs free")
    assert "/robot1/driver cannot answer" in line and "synchronization:=always" in line
    sim.send(signal.SIGINT)
    assert sim.wait() == 0
    assert not sim.says("Traceback") and not sim.says("KeyboardInterrupt")


@pytest.mark.parametrize("extra", [{}, {"controllers": False}])
def test_an_extern_robot_is_free_until_a_controller_answers_and_again_when_it_has_left(
    world_file: Callable[..., Path], simulate: Callable[..., Any], client: Any, extra: dict[str, Any]
) -> None:
    period = ["-p", f"robots.robot1.sampling_period:={PERIOD_NS * 1e-9}"]
    sim = simulate(world_file("<extern>", sync=True), mode="fast", ros_args=period, **extra)
    clock = client.listen(Clock, "/clock")
    client.until(lambda: clock and time_of(clock[-1].clock) > 10**9, "a world that nobody holds up")
    answers = client.node.create_publisher(JointState, "/robot1/joint_command", 10)
    stamps: list[int] = []

    def answer(reading: Range) -> None:
        message = JointState()
        message.header.stamp = reading.header.stamp
        stamps.append(time_of(reading.header.stamp))
        answers.publish(message)

    readings = client.node.create_subscription(Range, "/robot1/ds", answer, 10)
    client.until(
        lambda: sim.says("a controller of robot1 answers; it is waited for from now on"), "it in step"
    )
    first = len(stamps)
    client.until(lambda: len(stamps) > first + 50, "a second in step")
    in_step = sorted(set(stamps[-30:]))
    assert in_step == list(range(in_step[0], in_step[-1] + 1, PERIOD_NS))
    client.node.destroy_subscription(readings)
    client.node.destroy_publisher(answers)
    client.until(lambda: sim.says("the controller of robot1 has ended: robot1 runs free"), "its leaving")
    reached = time_of(clock[-1].clock)
    client.until(lambda: time_of(clock[-1].clock) > reached + 10**9, "the world going on")


def test_who_says_nothing_at_all_is_given_lockstep_timeout(
    tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any]
) -> None:
    write_controllers(tmp_path, {"mute": "import time\ntime.sleep(1000)"})
    world = world_file("mute", sync=True)
    sim = simulate(world, mode="fast", duration=0.2, ros_args=["-p", "lockstep_timeout:=0.3"])
    assert sim.wait() == 0
    (line,) = sim.says("robot1 runs free")
    assert (
        "/robot1/joint_command within 0.3 s (lockstep_timeout)" in line and "synchronization:=always" in line
    )


def test_who_is_known_to_answer_is_waited_for_however_late_it_is(
    tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any]
) -> None:
    write_controllers(tmp_path, {"slow": SLOW})
    world = world_file("slow", sync=True)
    sim = simulate(world, mode="fast", duration=0.2, ros_args=["-p", "lockstep_timeout:=0.3"])
    assert sim.wait() == 0
    assert not sim.says("free")
    assert sim.says(
        "still waiting; to go on without it, set synchronization:=never or lockstep_on_timeout:=continue"
    )
    assert sim.says("end at 0.200 s")
