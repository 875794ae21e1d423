"""Detect likely mistakes in the ROS domain: a second simulation, and topics that resemble the simulation's.

An example of the latter is `/bot/cmdvel`.
"""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ros_bridge.interface.interface import WorldTopics
from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.names import OF_ALL, UNKNOWN_NODE

GRACE = 5.0
"""Seconds of wall time in which the other side of a topic may appear."""
SHARE = 0.005
"""Part of the wall time that the checks may take."""
MIN_SIMILARITY = 0.75
"""Similarity (0 to 1) of two names above which a controller's own topic is reported."""


class StrayTopics:
    """Finds topics that have publishers and no subscriber, or subscribers and no publisher.

    A topic that has both is not reported, nor is a topic that belongs to a controller of the robot itself,
    unless its name is similar to a topic of the simulation with the same type.

    In the root namespace, where robots without a namespace are, topics may belong to anybody.

    Args:
        node: of the simulation.
        warn: receives one line for each such topic, once.
        spaces: returns the namespaces of the present robots.
    """

    def __init__(
        self, node: Any, warn: Callable[[str], Any], spaces: Callable[[], Mapping[str, str]]
    ) -> None:
        self._node, self._warn, self._spaces = node, warn, spaces
        self._space = node.get_namespace().rstrip("/")
        self._topics: WorldTopics | None = None
        self._subscribed: dict[str, str] = {}
        self._published: dict[str, str] = {}
        self._alone: dict[str, float] = {}
        self._reported: set[str] = set()
        self._next = 0.0

    def check_topics(self, now: float, topics: WorldTopics, robots: Iterable[str]) -> None:
        """Check the topics that exist now.

        Args:
            now: s of wall time.
            topics: of the world.
            robots: names of the robots, as in the world file.
        """
        if now < self._next:
            return
        started = time.monotonic()
        for line in self._stray(now, topics, robots, GRACE):
            self._warn(line)
        self._next = now + (time.monotonic() - started) / SHARE

    def all_now(self, topics: WorldTopics, robots: Iterable[str]) -> list[str]:
        """Return a line for each such topic that exists now, however short, and was not reported before."""
        if not self._node.context.ok():
            return []
        return list(self._stray(time.monotonic(), topics, robots, 0.0))

    def _stray(self, now: float, topics: WorldTopics, robots: Iterable[str], grace: float) -> Iterator[str]:
        if topics is not self._topics:
            self._topics = topics
            self._subscribed = {self._full(i.name): type_name(i.message_type) for i in topics.subscriptions}
            self._published = {self._full(i.name): type_name(i.message_type) for i in topics.publications}
        of_robots = self._spaces()
        spaces = [of_robots[robot] for robot in robots]
        prefixes = tuple(f"{self._space}/{space}/" for space in spaces if space)
        for name, kinds in self._node.get_topic_names_and_types():
            known = name in self._subscribed or name in self._published or name in self._reported
            if not known and name.startswith(prefixes) and "/_" not in name:
                prefix = max((each for each in prefixes if name.startswith(each)), key=len)
                line = self._check_topic(now, name, kinds, prefix, grace)
                if line:
                    yield line

    def _full(self, name: str) -> str:
        return name if name in OF_ALL else f"{self._space}{name}"

    def _check_topic(self, now: float, name: str, kinds: list[str], prefix: str, grace: float) -> str:
        """Return a line about a topic that only one side uses; "": there is nothing to say of it."""
        talks, listens = self._node.count_publishers(name), self._node.count_subscribers(name)
        if bool(talks) == bool(listens):
            self._alone.pop(name, None)
            return ""
        if now - self._alone.setdefault(name, now) < grace:
            return ""
        ask = self._node.get_publishers_info_by_topic if talks else self._node.get_subscriptions_info_by_topic
        users = [info for info in ask(name) if info.node_name != self._node.get_name()]
        if any(info.node_name == UNKNOWN_NODE for info in users):
            return ""
        self._reported.add(name)
        offered = self._subscribed if talks else self._published
        rests = {each.removeprefix(prefix): each for each in offered if each.startswith(prefix)}
        own = all(f"{info.node_namespace}/".startswith(prefix) for info in users)  # true if all have gone
        if own:
            rests = {rest: each for rest, each in rests.items() if offered[each] in kinds}
        near = difflib.get_close_matches(name.removeprefix(prefix), rests, 1, MIN_SIMILARITY if own else 0.6)
        if own and not near:
            return ""
        who = " and ".join(sorted({info.node_name for info in users})) or "a controller"
        did = (
            f"published by {who}, but it has no subscriber"
            if talks
            else f"{who} subscribes to it, but it has no publisher"
        )
        meant = f' (did you mean "{rests[near[0]]}"?)' if near else ""
        return f"{name}: {did}; odesim info lists the topics of the simulation{meant}"


CLOCK = "/clock"


class DomainWatch:
    """Finds a second clock: that of another simulation, which would receive the same commands.

    Args:
        node: of the simulation, which publishes a clock.
        warn: receives one line each time a second clock appears.
    """

    def __init__(self, node: Any, warn: Callable[[str], Any]) -> None:
        self._node, self._warn = node, warn
        self._shared = False

    def check_publishers(self) -> None:
        """Check who publishes the time."""
        shared = self._node.count_publishers(CLOCK) > 1
        if shared and not self._shared:
            domain = os.environ.get("ROS_DOMAIN_ID") or "0"
            self._warn(
                f"{CLOCK}: found another publisher in ROS domain {domain}, expected this simulation only; "
                "use another ROS_DOMAIN_ID to separate two simulations"
            )
        self._shared = shared
