"""Subscriptions of the simulation: commands, and answers in lock-step."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation

from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.topics.conversions import time_of, type_name
from ros_bridge.topics.names import graph_name
from ros_bridge.topics.outcomes import OutcomeLog
from ros_bridge.topics.qos import profile
from ros_bridge.topics.records import Subscription
from sim_core.base.clock import to_seconds
from sim_core.base.errors import Code
from sim_core.base.outcome import Refused
from sim_core.session.lockstep import Verdict
from sim_core.session.pipeline import Command
from sim_core.session.robot import Robot
from sim_core.session.session import Follower, Session

RCLError: type[Exception] = rclpy_implementation.RCLError
CHECKED_AT_ONCE = 10
"""Most topics of several types that are queried one by one: querying all topics takes as long."""
PAUSE_FACTOR = 150.0
"""Time until the next query of all topics, in multiples of its duration, which is 0.2 to 30 ms."""
LONGEST_PAUSE = 2.0
"""Longest time between two queries, s of wall time."""


class CommandSubscriptions(Follower):
    """Subscribes to the topics of a session's world, and executes messages between two steps.

    A DDS participant accepts one message type per topic, and tools such as `ros2 bag record` leave out a
    topic with two types. So a topic that accepts several types has one at a time: that of its publishers.

    Attributes:
        acts: the lock-step, which determines who is waited for next.
    """

    def __init__(
        self,
        node: Any,
        session: Session,
        session_topics: SessionTopics,
        outcomes: OutcomeLog,
        answered: Callable[[str, int], None],
    ) -> None:
        """Subscribe to all topics.

        Args:
            node: subscribes.
            session: executes messages between two of its steps.
            wiring: the topics of its world; must follow the session before this object does.
            outcomes: receives the outcomes of commands.
            answered: called with robot and sim time of each answer in lock-step.
        """
        self._node, self._session, self._session_topics = node, session, session_topics
        self._outcomes, self._answered = outcomes, answered
        self.acts = session.lockstep
        self._subscribed: dict[str, tuple[Any, Any]] = {}
        self._of_several_types: list[str] = []
        self._next_check = 0.0
        self._changing: dict[str, type] = {}
        self._subscribe_all()

    def before_step(self, now_ns: int) -> None:
        """Execute the answers of controllers in lock-step."""
        for _, held in self._session.lockstep.take_commands(now_ns):
            if held is not None:
                self._submit(*held)

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """Subscribe to the topics of the current robots."""
        if self._session_topics.inputs is not self._wanted:
            self._subscribe_all()

    def world_loaded(self, is_trusted: bool) -> None:
        """Subscribe to the topics of another world."""
        self._subscribe_all()

    def adopt_types(self) -> bool:
        """Change the type of a topic to that of its publishers, if none of them has the present type.

        Call it in the session's thread, some fifty times a second of wall time.

        Returns:
            Whether there are topics of several types.
        """
        for name, kind in list(self._changing.items()):
            self._end_change(name, kind)
        start = time.monotonic()
        if self._of_several_types and start >= self._next_check:
            for name in self._maybe_other_types():
                self._follow_publishers(name)
            end = time.monotonic()
            self._next_check = end + min(PAUSE_FACTOR * (end - start), LONGEST_PAUSE)
        return bool(self._of_several_types)

    def _maybe_other_types(self) -> list[str]:
        """Return the topics that may have publishers of another type."""
        if len(self._of_several_types) <= CHECKED_AT_ONCE:
            return self._of_several_types
        found = dict(self._node.get_topic_names_and_types())
        subscribed = [name for name in self._of_several_types if name in self._subscribed]
        topics = [self._subscribed[name][1].topic_name for name in subscribed]
        return [name for name, topic in zip(subscribed, topics, strict=True) if len(found.get(topic, ())) > 1]

    def _follow_publishers(self, name: str) -> None:
        if name in self._changing:
            return
        node, (kind, made) = self._node, self._subscribed[name]
        topic = made.topic_name
        if node.count_publishers(topic) == made.get_publisher_count():
            return  # all publishers already match
        brought = {info.topic_type for info in node.get_publishers_info_by_topic(topic)}
        item = self._wanted[name]
        others = [each for each in item.types if type_name(each) in brought]
        if others and kind not in others:
            self._begin_change(name, others[0])

    def _begin_change(self, name: str, kind: type) -> None:
        """Unsubscribe from a topic, to subscribe with another type when the ROS thread has released it."""
        self._node.destroy_subscription(self._subscribed.pop(name)[1])
        self._changing[name] = kind

    def _end_change(self, name: str, kind: type) -> None:
        if name in self._wanted:
            try:
                self._subscribe(self._wanted[name], kind)
            except RCLError:  # the previous subscription is still in use
                return
        del self._changing[name]

    def _subscribe_all(self) -> None:
        """Subscribe to new topics, and unsubscribe from removed ones."""
        self._wanted = wanted = self._session_topics.inputs
        for name, (kind, made) in list(self._subscribed.items()):
            if name not in wanted:
                self._node.destroy_subscription(made)
                del self._subscribed[name]
            elif kind not in wanted[name].types:
                self._begin_change(name, wanted[name].message_type)
        for item in wanted.values():
            if item.name not in self._subscribed and item.name not in self._changing:
                self._subscribe(item, item.message_type)
        self._of_several_types = [name for name, item in wanted.items() if item.also]

    def _subscribe(self, item: Subscription, kind: type) -> None:
        name, put = item.name, self._session.inbox.put
        receive = self._receive_answer if item.answers_lockstep else self._receive
        made = self._node.create_subscription(
            kind,
            graph_name(self._node, name),
            lambda message: put(partial(receive, name, message)),
            profile(item.qos),
        )
        self._subscribed[name] = (kind, made)

    def _receive(self, topic: str, message: Any) -> None:
        item = self._session_topics.inputs.get(topic)
        if item is not None:  # None: it arrived while its robot was removed
            self._submit(topic, item.command(message))

    def _receive_answer(self, topic: str, message: Any) -> None:
        item, lockstep = self._session_topics.inputs.get(topic), self._session.lockstep
        robots = [robot for robot in item.robots if robot in lockstep] if item is not None else []
        if item is None or not robots:
            self._receive(topic, message)
            return
        stamp_ns, now_ns = time_of(message.header.stamp), self._session.sim.time_ns
        held = (topic, item.command(message))
        controller = message.header.frame_id
        keeps: Any = held  # stored with the first robot of a fleet that is waited for
        verdicts: list[Verdict] = []
        for robot in robots:
            verdict = lockstep.receive(robot, controller, stamp_ns, now_ns, keeps)
            if verdict is Verdict.ANSWER:
                keeps = None
                self._answered(robot, stamp_ns)
            if verdict not in verdicts:
                verdicts.append(verdict)
        if Verdict.ANSWER in verdicts:
            return
        if Verdict.COMMAND in verdicts:
            self._submit(*held)
        elif Verdict.FUTURE in verdicts:
            stamp, now = to_seconds(stamp_ns), to_seconds(now_ns)
            text = f"found the stamp {stamp:g} s, expected {now:g} s (now) or before"
            self._outcomes.log(topic, Refused(Code.INCORRECT_STATE, text))

    def _submit(self, topic: str, command: Command | Refused) -> None:
        self._outcomes.log(topic, self._session.pipeline.submit(command))
