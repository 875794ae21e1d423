"""The worlds that come along, run by the real command with their controllers as processes, over DDS."""

import math
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Odometry
from nav_msgs.msg import Path as PathMessage
from processes import LIMIT, ODESIM, ReadProcess, started
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock

from ros_bridge.controllers import wall_follower
from sim_core import SimulationConfig, load_world
from sim_core.base.shipped import share_dir, shipped_worlds
from sim_core.scene import load_scene, write_scene

ROOT = Path(__file__).resolve().parents[2]


class Command(ReadProcess):
    """`odesim run` in a process of its own."""

    def __init__(self, *arguments: str | Path) -> None:
        super().__init__(*ODESIM, "run", *arguments)

    def controllers(self) -> dict[str, int]:
        """Process ids of the controllers by their namespaces."""
        found = {}
        for folder in Path("/proc").iterdir():
            try:
                parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
                words = (folder / "cmdline").read_bytes().decode().split("\0")
            except (OSError, IndexError):
                continue
            names = [word.removeprefix("__ns:=/") for word in words if word.startswith("__ns:=/")]
            if int(parent) == self.process.pid and names and "end_with_parent" not in " ".join(words):
                found[names[0]] = int(folder.name)
        return found

    def wait(self, seconds: float = LIMIT / 3.0) -> int:
        """Exit code; a process that does not end shows where its threads are."""
        try:
            code = super().wait(seconds)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGABRT)
            self._reader.join(LIMIT)
            pytest.fail("\n".join(self.lines))
        assert not self.says("Traceback")
        return code


@pytest.fixture
def odesim() -> Iterator[Callable[..., Command]]:
    """Starts `odesim run`; what still runs at the end of the test is killed."""
    yield from started(Command)


def go_fast(client: Any) -> None:
    mode = Parameter("mode", value="fast").to_parameter_msg()
    answer = client.call("set_parameters", SetParameters.Request(parameters=[mode]), SetParameters)
    assert answer.results[0].successful


def is_running(process_id: int) -> bool:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def nanoseconds(stamp: Any) -> int:
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def place(message: PointStamped) -> tuple[float, float, float]:
    return (message.point.x, message.point.y, message.point.z)


def test_the_wall_follower_repeats_to_the_last_bit_and_is_the_same_without_ros(odesim, client) -> None:
    period, count = 0.2, 300
    config = SimulationConfig(sampling_period=period, contacts="stiff")  # as config/wall_follower.yaml
    sim = load_world(shipped_worlds()["wall_follower"], config)
    robot, expected = sim.robot("robot2"), []
    for _ in range(count):
        sim.run(period)
        left, right = wall_follower.decide(robot["ds_front"].value, robot["ds_left"].value)
        robot["motor_left"].set_velocity(left)
        robot["motor_right"].set_velocity(right)
        expected.append(robot["gps"].value)

    def track(found: list[PointStamped]) -> list[tuple[int, tuple[float, float, float]]]:
        """What was heard, once each: a controller that starts slowly has its readings sent again."""
        return list(dict.fromkeys((nanoseconds(message.header.stamp), place(message)) for message in found))

    for run in ("first", "second"):
        command = odesim("wall_follower", "--mode", "paused", "--duration", count * period + 1.0)
        messages = client.listen(PointStamped, "/robot2/gps")
        go_fast(client)
        client.until(lambda found=messages: len(track(found)) >= count, f"the {run} track", LIMIT)
        assert command.wait() == 0
        client.until(lambda: client.node.count_publishers("/robot2/gps") == 0, "the end of the run")
        assert track(messages)[:count] == [
            (200_000_000 * (n + 1), each) for n, each in enumerate(expected)
        ], run


def test_a_reset_starts_the_controller_anew_too(odesim, client) -> None:
    command = odesim("wall_follower", "--speed", "3")
    messages = client.listen(PointStamped, "/robot2/gps")
    client.until(lambda: len(messages) >= 10, "readings before the reset")
    assert client.call("reset").success

    def runs() -> list[dict[int, tuple[float, float, float]]]:
        """Places by stamps, before and after the reset; a client that gets no answer asks for another one."""
        found: list[dict[int, tuple[float, float, float]]] = [{}]
        for message in messages:
            stamp = nanoseconds(message.header.stamp)
            if found[-1] and stamp < max(found[-1]):
                found.append({})
            found[-1][stamp] = place(message)
        return found

    def reached_again() -> bool:
        found = runs()
        return len(found) > 1 and len(found[0].keys() & found[-1].keys()) >= 5

    client.until(reached_again, "the times from before the reset", LIMIT)
    before, *_, after = runs()
    assert all(before[stamp] == after[stamp] for stamp in before.keys() & after.keys())
    command.process.send_signal(signal.SIGINT)
    assert command.wait() == 0


def test_ten_wall_avoiders_one_of_them_killed_then_ctrl_c(odesim, client) -> None:
    command = odesim("wall_avoiders")
    tracks = {f"robot{n}": client.listen(PointStamped, f"/robot{n}/gps", matched=False) for n in range(1, 11)}
    clock = client.listen(Clock, "/clock", matched=False)
    client.until(lambda: clock, "the first step", LIMIT)

    def way(name: str, first: int = 0) -> float:
        places = [place(message)[:2] for message in tracks[name][first:]]
        return math.dist(places[0], places[-1]) if len(places) > 1 else 0.0

    def standing() -> dict[str, int]:
        """Robots that have not come far yet, and how often each was heard of."""
        return {name: len(track) for name, track in tracks.items() if way(name) <= 0.5}

    deadline = time.monotonic() + LIMIT
    client.until(lambda: not standing() or time.monotonic() > deadline, "never", 2.0 * LIMIT)
    assert not standing(), command.lines
    controllers = command.controllers()
    assert set(controllers) == set(tracks)
    for one in (command.process.pid, *controllers.values()):  # it would outlive the one who is killed
        assert "/dev/shm/fastdds" not in Path(f"/proc/{one}/maps").read_text()
        threads = {thread.read_text().strip() for thread in Path(f"/proc/{one}/task").glob("*/comm")}
        assert not [name for name in threads if name.startswith("dds.tls")], "it asks for types"
    os.kill(controllers["robot3"], signal.SIGKILL)
    says = 'robot3: controller "wall_avoider" ended: killed by signal 9 (SIGKILL)'
    client.until(lambda: any(says in line for line in command.lines), "the report of the killed one")
    marks = {name: len(track) for name, track in tracks.items() if name != "robot3"}
    client.until(lambda: all(len(tracks[name]) > mark + 10 for name, mark in marks.items()), "the others")
    assert set(command.controllers()) == set(tracks) - {"robot3"}
    for name, track in tracks.items():
        assert all(max(map(abs, place(message)[:2])) < 9.7 for message in track), f"{name} left the arena"
    asked = time.monotonic()
    command.process.send_signal(signal.SIGINT)
    command.process.send_signal(signal.SIGINT)
    assert command.wait() == 1  # because of the killed one
    assert time.monotonic() - asked < 5.0 * load()
    assert not [one for one in controllers.values() if is_running(one)]


def load() -> float:
    """How many processes want each core, at least 1: what a time limit must be stretched by."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def test_a_killed_simulation_leaves_no_controller(odesim, client) -> None:
    command = odesim("wall_follower")
    client.until(command.controllers, "the controller")
    (controller,) = command.controllers().values()
    command.process.kill()
    command.process.wait()
    client.until(lambda: not is_running(controller), "the end of the controller")


START = (-1.5, 1.0, 2.5)


@pytest.mark.parametrize("source", ["gps", "odometry"])
def test_go_to_pose_arrives_over_ros(odesim, client, tmp_path: Path, source: str) -> None:
    goal = (0.5, -0.5, -1.0)
    scene = load_scene(shipped_worlds()["go_to_pose"])
    robot = scene.find_def("ROBOT")
    assert robot is not None
    robot["translation"] = (START[0], START[1], robot["translation"][2])
    robot["rotation"] = (0.0, 0.0, 1.0, START[2])
    parameters = [f"source:={source}", f"start:={list(START)}"]
    if source == "odometry":  # the other gets its goal over its topic
        parameters.append(f"goal:={list(goal)}")
    robot["controllerArgs"] = ["--ros-args", *(word for value in parameters for word in ("-p", value))]
    world = tmp_path / "worlds" / "start.wbt"
    world.parent.mkdir()
    world.write_text(write_scene(scene))
    (tmp_path / "config").mkdir()
    shutil.copy(share_dir() / "config" / "go_to_pose.yaml", tmp_path / "config" / "start.yaml")
    command = odesim(world, "--mode", "paused", "--duration", 25)
    poses = client.listen(Odometry, "/robot/ground_truth")
    paths = client.listen(PathMessage, "/robot/path", latched=True)
    if source == "gps":
        message = PoseStamped()
        message.header.frame_id = "world"
        message.pose.position.x, message.pose.position.y = goal[:2]
        message.pose.orientation.z, message.pose.orientation.w = math.sin(goal[2] / 2), math.cos(goal[2] / 2)
        client.speak(PoseStamped, "/robot/goal_pose").publish(message)
    go_fast(client)
    client.until(lambda: command.process.poll() is not None, "the end of the run", LIMIT)
    assert command.wait() == 0
    pose = poses[-1].pose.pose
    assert math.dist((pose.position.x, pose.position.y), goal[:2]) < 0.05
    heading = 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)
    assert abs(math.remainder(heading - goal[2], math.tau)) < math.radians(5.0)
    shown: list[PoseStamped] = paths[-1].poses
    assert math.dist((shown[0].pose.position.x, shown[0].pose.position.y), START[:2]) < 0.1
    assert math.dist((shown[-1].pose.position.x, shown[-1].pose.position.y), goal[:2]) < 0.1
