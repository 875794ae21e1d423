"""Controllers written and started by users, on a running simulation."""

import math
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PointStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, Range
from std_msgs.msg import Header

from ros_bridge.controllers import SHIPPED
from ros_bridge.controllers.robot_client import RobotClient
from sim_core.base.shipped import share_dir, shipped_worlds

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 60.0


@pytest.fixture
def start() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start a controller manually."""
    running: list[subprocess.Popen[str]] = []

    def make(name: str, *arguments: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", f"ros_bridge.controllers.{name}", *arguments]
        running.append(
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        )
        return running[-1]

    yield make
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_the_controller_of_the_documentation_stops_before_the_wall(
    simulate: Callable[..., Any], client: Any, tmp_path: Path
) -> None:
    guide = (ROOT / "docs" / "controllers.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"<!-- test: controller -->\n```python\n(.*?)```", guide, re.DOTALL)
    folder = tmp_path / "controllers" / "careful"
    folder.mkdir(parents=True)
    (folder / "careful.py").write_text(code)
    world = tmp_path / "worlds" / "course.wbt"
    world.parent.mkdir()
    text = shipped_worlds()["wall_follower"].read_text(encoding="utf-8")
    world.write_text(text.replace('controller "wall_follower"', 'controller "careful"'))
    (tmp_path / "config").mkdir()
    shutil.copy(share_dir() / "config" / "wall_follower.yaml", tmp_path / "config" / "course.yaml")
    simulation = simulate(world, mode="paused", duration=15.0)
    distances = client.listen(Range, "/robot2/ds_front")
    truth = client.listen(Odometry, "/robot2/ground_truth")
    mode = Parameter("mode", value="fast").to_parameter_msg()
    client.call("set_parameters", SetParameters.Request(parameters=[mode]), SetParameters)
    client.until(lambda: simulation.process.poll() is not None, "the end of the run", LIMIT)
    assert simulation.wait() == 0, simulation.lines
    speed, period, wall = 4.0 * 0.2, 0.2, -10.0 + 0.1
    assert distances[0].range == pytest.approx(2.0)
    assert 0.5 - speed * period < distances[-1].range <= 0.5
    assert truth[-1].twist.twist.linear.x == pytest.approx(0.0, abs=1e-3)
    assert truth[-1].pose.pose.position.x - 0.4 - wall == pytest.approx(distances[-1].range, abs=0.02)


def test_one_process_drives_several_robots(simulate: Callable[..., Any], client: Any, start: Any) -> None:
    simulation = simulate(shipped_worlds()["wall_avoiders"], controllers=False)
    tracks = {name: client.listen(PointStamped, f"/{name}/gps") for name in ("robot1", "robot2", "robot4")}
    start("wall_avoider", "robot1", "robot2")

    def way(name: str) -> float:
        points = [(message.point.x, message.point.y) for message in tracks[name]]
        return math.dist(points[0], points[-1]) if points else 0.0

    client.until(lambda: way("robot1") > 0.5 and way("robot2") > 0.5, "both robots moving", LIMIT)
    assert way("robot4") < 0.05
    simulation.send(signal.SIGINT)
    assert simulation.wait() == 0


STRUCK_WHERE_AN_EXCEPTION_IS_SWALLOWED = """
import os, signal
from rclpy.node import Node
from ros_bridge.controllers.robot_client import run

class Gone:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        sum(range(1000))

def make():
    node = Node("struck")
    node.create_timer(0.01, lambda: Gone() and None)
    return node

print(run(make))
"""


def test_a_signal_ends_a_controller_wherever_it_strikes() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STRUCK_WHERE_AN_EXCEPTION_IS_SWALLOWED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0\n", "")


@pytest.mark.parametrize("name", SHIPPED)
def test_ctrl_c_twice_ends_a_controller_without_a_word(start: Any, client: Any, name: str) -> None:
    process = start(name, "--ros-args", "-r", f"__ns:=/{name}_alone")
    if name != "command_player":  # which reads nothing and so answers nothing
        client.listen(JointState, f"/{name}_alone/joint_command")
    client.until(lambda: client.node.count_subscribers("/clock"), "its clock")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=LIMIT)
    assert (process.returncode, output) == (0, "")


@pytest.mark.parametrize("told", [True, False])
def test_readings_from_before_a_reset_are_not_taken_for_those_after_it(client: Any, told: bool) -> None:
    """Readings may arrive after time has jumped back: they must not be answered before the new start.

    `told`: whether /clock/restarts reports the jump, or only the readings.
    """
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node("slow", namespace="/r", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    decided: list[float] = []

    def decide(readings: dict[str, Any]) -> dict[str, float]:
        decided.append(time_in(readings["ds"].header.stamp))
        return {}

    robot = RobotClient(node, {"ds": Range}, decide)
    clock, restarts = client.speak(Clock, "/clock"), client.speak(Clock, "/clock/restarts")
    readings = client.speak(Range, "/r/ds")
    answers = client.listen(JointState, "/r/joint_command")

    def tell(publisher: Any, message: Any, until: Callable[[], bool]) -> None:
        """Send the reading repeatedly, as the simulation does."""

        def is_done() -> bool:
            publisher.publish(message)
            executor.spin_once(0.01)
            return until()

        client.until(is_done, "what follows")

    def answered(seconds: float) -> bool:
        return bool(answers) and time_in(answers[-1].header.stamp) == seconds

    try:
        tell(clock, Clock(clock=at(6.0)), lambda: answered(6.0))
        tell(clock, Clock(clock=at(7.0)), lambda: robot._now == at(7.0))
        tell(readings, Range(header=Header(stamp=at(7.0))), lambda: decided == [7.0])
        jump = (restarts, Clock(clock=at(0.0))) if told else (readings, Range(header=Header(stamp=at(0.2))))
        tell(*jump, lambda: robot._is_in_handshake)
        tell(clock, Clock(clock=at(0.0)), lambda: answered(0.0))
        for _ in range(20):
            readings.publish(Range(header=Header(stamp=at(7.0))))
            executor.spin_once(0.01)
        answers.clear()
        tell(clock, Clock(clock=at(0.0)), lambda: answered(0.0))
        tell(readings, Range(header=Header(stamp=at(0.2))), lambda: "ds" in robot._readings)
        tell(clock, Clock(clock=at(0.2)), lambda: answered(0.2))
        assert decided == [7.0, 0.2]
    finally:
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()


def at(seconds: float) -> Time:
    return Time(sec=int(seconds), nanosec=round(seconds % 1.0 * 1e9))


def time_in(stamp: Any) -> float:
    return stamp.sec + stamp.nanosec / 1e9
