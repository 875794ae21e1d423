"""What comes in on topics: commands, and answers in lock-step."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation

from ros_bridge.interface.wiring import Wiring
from ros_bridge.topics.conversions import time_of, type_name
from ros_bridge.topics.names import on_graph
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
LOOKS = 10
"""Topics of several types up to which each is looked at by itself: to ask for all that are takes as long."""
REST = 150.0
"""Times as long as a look at all of them took, until the next one: a look takes 0.2 to 30 ms."""
LONGEST_REST = 2.0
"""s of wall time after which the next look comes in any case."""


class Listening(Follower):
    """Subscribes to what a session's world listens to, and carries out what comes, between two steps.

    A participant of DDS takes one type of message per topic, and tools such as `ros2 bag record` leave out a
    topic that has two. So a topic that understands several has one at a time: that which publishers bring.

    Attributes:
        acts: the lock-step, which says who is waited for next.
    """

    def __init__(
        self,
        node: Any,
        session: Session,
        wiring: Wiring,
        outcomes: OutcomeLog,
        answered: Callable[[str, int], None],
    ) -> None:
        """Subscribe.

        Args:
            node: subscribes.
            session: what comes is carried out between two of its steps.
            wiring: the topics of its world; it follows the session before us.
            outcomes: told what came of them.
            answered: told robot and sim time of each answer in lock-step.
        """
        self._node, self._session, self._wiring = node, session, wiring
        self._outcomes, self._answered = outcomes, answered
        self.acts = session.lockstep
        self._subscribed: dict[str, tuple[Any, Any]] = {}
        self._of_several_types: list[str] = []
        self._next_look = 0.0
        self._changing: dict[str, type] = {}
        self._subscribe_all()

    def before_step(self, now_ns: int) -> None:
        """Carry out what the controllers in lock-step have answered."""
        for _, held in self._session.lockstep.take_commands(now_ns):
            if held is not None:
                self._submit(*held)

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """Listen to what the robots of now listen to."""
        if self._wiring.inputs is not self._wanted:
            self._subscribe_all()

    def world_loaded(self, is_trusted: bool) -> None:
        """Listen to what another world listens to."""
        self._subscribe_all()

    def adopt_types(self) -> bool:
        """Take the type that publishers bring, where one of another type is there and none of ours.

        For the thread of the session, some fifty times a second of wall time.

        Returns:
            Whether there are such topics.
        """
        for name, kind in list(self._changing.items()):
            self._end_change(name, kind)
        start = time.monotonic()
        if self._of_several_types and start >= self._next_look:
            for name in self._perhaps_of_others():
                self._follow_publishers(name)
            end = time.monotonic()
            self._next_look = end + min(REST * (end - start), LONGEST_REST)
        return bool(self._of_several_types)

    def _perhaps_of_others(self) -> list[str]:
        """The topics that may have publishers of another type."""
        if len(self._of_several_types) <= LOOKS:
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
            return  # all of them are heard
        brought = {info.topic_type for info in node.get_publishers_info_by_topic(topic)}
        item = self._wanted[name]
        others = [each for each in item.types if type_name(each) in brought]
        if others and kind not in others:
            self._begin_change(name, others[0])

    def _begin_change(self, name: str, kind: type) -> None:
        """Leave a topic, to take it as another type when the thread of ROS has let go of it."""
        self._node.destroy_subscription(self._subscribed.pop(name)[1])
        self._changing[name] = kind

    def _end_change(self, name: str, kind: type) -> None:
        if name in self._wanted:
            try:
                self._subscribe(self._wanted[name], kind)
            except RCLError:  # the one before is in use still
                return
        del self._changing[name]

    def _subscribe_all(self) -> None:
        """Subscribe to what is new, and leave what is gone."""
        self._wanted = wanted = self._wiring.inputs
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
            on_graph(self._node, name),
            lambda message: put(partial(receive, name, message)),
            profile(item.qos),
        )
        self._subscribed[name] = (kind, made)

    def _receive(self, topic: str, message: Any) -> None:
        item = self._wiring.inputs.get(topic)
        if item is not None:  # or it came while its robot went
            self._submit(topic, item.command(message))

    def _receive_answer(self, topic: str, message: Any) -> None:
        item, lockstep = self._wiring.inputs.get(topic), self._session.lockstep
        robots = [robot for robot in item.robots if robot in lockstep] if item is not None else []
        if item is None or not robots:
            self._receive(topic, message)
            return
        stamp_ns, now_ns = time_of(message.header.stamp), self._session.sim.time_ns
        held = (topic, item.command(message))
        controller = message.header.frame_id
        keeps: Any = held  # with the first of a fleet that is waited for
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
