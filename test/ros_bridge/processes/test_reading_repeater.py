"""Lost readings and answers in lock-step."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import rclpy
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState, Range

from ros_bridge.controllers.robot_client import SIM_TIME, RobotClient
from ros_bridge.processes.controller_wait import MAX_PAUSE, MIN_PAUSE, ReadingRepeater
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.fingerprint import hash_of_bag
from ros_bridge.topics.conversions import time_of

PERIOD_NS = 20_000_000
DURATION = 1.0
LOST_READINGS = (PERIOD_NS, 10 * PERIOD_NS, 25 * PERIOD_NS)
LOST_ANSWERS = (15 * PERIOD_NS, 30 * PERIOD_NS)


class Lossy(Node):
    """A controller whose node receives some readings, and sends some answers, only at the second attempt.

    Attributes:
        heard: how often a range of each stamp arrived, including those that were dropped.
        decided: stamps for which the controller computed a command.
    """

    def __init__(self, context: Context, losses: bool) -> None:
        super().__init__("lossy", context=context, namespace="robot1", parameter_overrides=SIM_TIME)
        self.heard: dict[int, int] = {}
        self.decided: list[int] = []
        self._lost = (LOST_READINGS, LOST_ANSWERS) if losses else ((), ())
        self._sent: set[int] = set()
        self.client = RobotClient(self, {"ds": Range, "ground_truth": Odometry}, self.decide)

    def create_subscription(self, kind: Any, topic: str, callback: Any, *rest: Any, **more: Any) -> Any:
        def receive(message: Any) -> None:
            stamp = time_of(message.header.stamp)
            self.heard[stamp] = self.heard.get(stamp, 0) + 1
            if self.heard[stamp] > 1 or stamp not in self._lost[0]:
                callback(message)

        return super().create_subscription(kind, topic, receive if kind is Range else callback, *rest, **more)

    def create_publisher(self, kind: Any, topic: str, *rest: Any, **more: Any) -> Any:
        made = super().create_publisher(kind, topic, *rest, **more)
        publish = made.publish

        def send(message: Any) -> None:
            stamp = time_of(message.header.stamp)
            if stamp in self._sent or stamp not in self._lost[1]:
                publish(message)
            self._sent.add(stamp)

        if topic == "joint_command":
            made.publish = send
        return made

    def decide(self, readings: dict[str, Any]) -> JointState:
        """Return speeds that depend on the number of calls, so that a repeated call would be noticed."""
        self.decided.append(time_of(readings["ds"].header.stamp))
        turn = 0.1 * len(self.decided)
        distance = readings["ds"].range
        return JointState(name=["motor left", "motor right"], velocity=[distance - turn, distance + turn])


@pytest.fixture
def control(simulate: Any, world_file: Any, tmp_path: Path) -> Iterator[Callable[[bool], Any]]:
    """Run the world to its end with a controller; return the controller and the hash of the recording."""
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    executor = SingleThreadedExecutor(context=context)

    def run(losses: bool) -> tuple[Lossy, str]:
        node = Lossy(context, losses)
        executor.add_node(node)
        bag = tmp_path / f"bag_{losses}"
        simulation = simulate(
            world_file("<extern>", sync=True),
            wait_extern=True,
            mode="fast",
            duration=DURATION,
            record=str(bag),
            ros_args=["-p", "robots.robot1.sampling_period:=0.02", "-p", "lockstep_timeout:=30.0"],
        )
        while simulation.process.poll() is None:
            executor.spin_once(0.05)
        assert simulation.wait() == 0
        assert not simulation.says("no answer from")
        executor.remove_node(node)
        node.destroy_node()
        with Bag(bag) as recorded:
            return node, hash_of_bag(recorded)

    yield run
    executor.shutdown()
    context.try_shutdown()


def test_a_run_in_which_readings_and_answers_are_lost_is_the_same_as_one_without(control: Any) -> None:
    lossless, expected = control(False)
    lossy, found = control(True)
    assert found == expected
    every = list(range(PERIOD_NS, round(DURATION * 1e9), PERIOD_NS))
    assert lossless.decided[: len(every)] == lossy.decided[: len(every)] == every
    assert all(lossy.heard[stamp] >= 2 for stamp in (*LOST_READINGS, *LOST_ANSWERS))


class Sent:
    """What a `ReadingRepeater` sends again, and when."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.now = 0.0
        self.repetition = ReadingRepeater(lambda robot, time_ns: self.times.append(self.now))

    def wait(self, time_ns: int, seconds: float) -> list[float]:
        """Return after how many seconds readings are sent again if an answer takes a given time."""
        begin, self.times = self.now, []
        for tenth in range(round(10.0 * seconds) + 1):
            self.now = begin + tenth / 10.0
            self.repetition.check_missing(self.now, time_ns, ["a"])
        self.repetition.answered("a", time_ns)
        return [each - begin for each in self.times]


def test_readings_are_sent_again_at_growing_intervals() -> None:
    sent = Sent().wait(1, 20.0)
    assert sent[0] == pytest.approx(MIN_PAUSE, abs=0.11)
    intervals = [after - before for before, after in pairwise(sent)]
    for shorter, longer in pairwise(intervals):
        assert longer == pytest.approx(min(2.0 * shorter, MAX_PAUSE), abs=0.21)
    assert intervals[-1] == pytest.approx(MAX_PAUSE, abs=0.11)


def test_nothing_is_sent_twice_to_a_controller_that_is_quick() -> None:
    sent = Sent()
    assert [sent.wait(time_ns, MIN_PAUSE - 0.1) for time_ns in range(1, 100)] == [[]] * 99


def test_a_controller_that_thinks_for_long_is_left_in_peace_after_its_first_answers() -> None:
    sent = Sent()
    counts = [len(sent.wait(time_ns, 3.0)) for time_ns in range(1, 8)]
    assert counts[0] > 0
    assert counts[2:] == [0] * 5


def test_one_that_is_quick_again_gets_what_it_lost_at_once() -> None:
    sent = Sent()
    sent.wait(1, 10.0)
    for time_ns in range(2, 5):  # between two looks
        sent.repetition.answered("a", time_ns)
    assert sent.wait(100, 2.0)[0] == pytest.approx(MIN_PAUSE, abs=0.11)
