"""What comes in on topics: commands, and answers in lock-step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ros_bridge.processes.lockstep import LockStep, Verdict
from ros_bridge.topics.commands import CommandGate
from ros_bridge.topics.conversions import time_of
from ros_bridge.topics.names import on_graph
from ros_bridge.topics.qos import profile
from ros_bridge.topics.records import Subscription
from sim_core.base.clock import to_seconds


class Listening:
    """Subscribes to what a world listens to, and carries out what comes, between two steps."""

    def __init__(
        self,
        node: Any,
        put: Callable[[Callable[[], Any]], None],
        gate: CommandGate,
        lockstep: LockStep,
        time_ns: Callable[[], int],
        note: Callable[[str, Any], None],
        answered: Callable[[str, int], None],
    ) -> None:
        """Nothing is listened to yet.

        Args:
            node: subscribes.
            put: has something done between two steps; called in the thread of ROS.
            gate: carries commands out.
            lockstep: who is in lock-step.
            time_ns: sim time.
            note: told topic and message of each command before it is carried out.
            answered: told robot and sim time of each answer in lock-step.
        """
        self._lockstep = lockstep
        self._node, self._put, self._gate = node, put, gate
        self._time_ns, self._note, self._answered = time_ns, note, answered
        self._subscribed: dict[str, tuple[Any, Any]] = {}
        self._inputs: dict[str, Subscription] = {}
        self._answers: dict[str, Subscription] = {}

    def become(self, subscriptions: list[Subscription]) -> None:
        """Subscribe to what is new, and leave what is gone."""
        wanted = self._inputs = {item.name: item for item in subscriptions}
        self._answers = {item.robot: item for item in subscriptions if item.answers_lockstep}
        for name, (kind, made) in list(self._subscribed.items()):
            if name not in wanted or wanted[name].message_type is not kind:
                self._node.destroy_subscription(made)
                del self._subscribed[name]
        for item in subscriptions:
            if item.name not in self._subscribed:
                self._subscribe(item)

    def answer_topic(self, robot: str) -> str:
        """On which topic a robot's controllers answer."""
        return self._answers[robot].name

    def apply_answers(self, now_ns: int) -> None:
        """Carry out what the controllers in lock-step have answered."""
        for robot, message in self._lockstep.take(now_ns):
            self._receive(self._answers[robot].name, message)

    def _subscribe(self, item: Subscription) -> None:
        name, put = item.name, self._put
        receive = self._receive_answer if item.answers_lockstep else self._receive
        made = self._node.create_subscription(
            item.message_type,
            on_graph(name),
            lambda message: put(partial(receive, name, message)),
            profile(item.qos),
        )
        self._subscribed[name] = (item.message_type, made)

    def _receive(self, topic: str, message: Any) -> None:
        if topic not in self._inputs:  # it came while its robot went
            return
        self._note(topic, message)
        self._gate.apply(topic, partial(self._inputs[topic].apply, message))

    def _receive_answer(self, topic: str, message: Any) -> None:
        if topic not in self._inputs:
            return
        robot = self._inputs[topic].robot
        if robot not in self._lockstep:
            self._receive(topic, message)
            return
        stamp_ns, now_ns = time_of(message.header.stamp), self._time_ns()
        verdict = self._lockstep.receive(robot, message.header.frame_id, stamp_ns, now_ns, message)
        if verdict is Verdict.ANSWER:
            self._answered(robot, stamp_ns)
        elif verdict is Verdict.COMMAND:
            self._receive(topic, message)
        elif verdict is Verdict.FUTURE:
            stamp, now = to_seconds(stamp_ns), to_seconds(now_ns)
            self._gate.refuse(topic, f"found the stamp {stamp:g} s, expected {now:g} s (now) or before")
