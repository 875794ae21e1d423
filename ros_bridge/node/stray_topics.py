"""What others do in the ROS domain that goes wrong: a second simulation, and topics below a robot's name that
look like the simulation's and are none, such as `/bot/cmdvel`."""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ros_bridge.interface.interface import WorldTopics
from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.names import OF_ALL

GRACE = 5.0
"""Seconds of wall time in which the other side of a topic may come."""
SHARE = 0.005
"""Part of the wall time that looking may take."""
NEAR = 0.75
"""How alike (0 to 1) two names must be where a controller may just have a topic of its own."""


class StrayTopics:
    """Looks for topics with publishers and no subscriber, or the other way round.

    A topic that has both is none of our business, nor is one that a controller of the robot itself has,
    unless one of the simulation's with the same type is called nearly so.

    In the place of all nodes, where robots without a namespace are, topics are anybody's.

    Args:
        node: of the simulation.
        warn: gets one line for each such topic, once.
        spaces: gives the namespaces of the robots of the world now.
    """

    def __init__(
        self, node: Any, warn: Callable[[str], Any], spaces: Callable[[], Mapping[str, str]]
    ) -> None:
        self._node, self._warn, self._spaces = node, warn, spaces
        self._space = node.get_namespace().rstrip("/")
        self._topics: WorldTopics | None = None
        self._heard: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self._alone: dict[str, float] = {}
        self._said: set[str] = set()
        self._next = 0.0

    def check(self, now: float, topics: WorldTopics, robots: Iterable[str]) -> None:
        """See what there is.

        Args:
            now: s of wall time.
            topics: of the world.
            robots: names of the robots, as in the world's file.
        """
        if now < self._next:
            return
        started = time.monotonic()
        if topics is not self._topics:
            self._topics = topics
            self._heard = {self._full(i.name): type_name(i.message_type) for i in topics.subscriptions}
            self._told = {self._full(i.name): type_name(i.message_type) for i in topics.publications}
        of_robots = self._spaces()
        spaces = [of_robots[robot] for robot in robots]
        prefixes = tuple(f"{self._space}/{space}/" for space in spaces if space)
        for name, kinds in self._node.get_topic_names_and_types():
            known = name in self._heard or name in self._told or name in self._said
            if not known and name.startswith(prefixes) and "/_" not in name:
                prefix = max((each for each in prefixes if name.startswith(each)), key=len)
                self._judge(now, name, kinds, prefix)
        self._next = now + (time.monotonic() - started) / SHARE

    def _full(self, name: str) -> str:
        return name if name in OF_ALL else f"{self._space}{name}"

    def _judge(self, now: float, name: str, kinds: list[str], prefix: str) -> None:
        talks, listens = self._node.count_publishers(name), self._node.count_subscribers(name)
        if bool(talks) == bool(listens):
            self._alone.pop(name, None)
            return
        if now - self._alone.setdefault(name, now) < GRACE:
            return
        self._said.add(name)
        ask = self._node.get_publishers_info_by_topic if talks else self._node.get_subscriptions_info_by_topic
        users = [info for info in ask(name) if info.node_name != self._node.get_name()]
        offered = self._heard if talks else self._told
        rests = {each.removeprefix(prefix): each for each in offered if each.startswith(prefix)}
        own = all(f"{info.node_namespace}/".startswith(prefix) for info in users)  # or nobody is left
        if own:
            rests = {rest: each for rest, each in rests.items() if offered[each] in kinds}
        near = difflib.get_close_matches(name.removeprefix(prefix), rests, 1, NEAR if own else 0.6)
        if own and not near:
            return
        who = " and ".join(sorted({info.node_name for info in users})) or "a controller"
        did = (
            f"published by {who}, but nobody listens" if talks else f"{who} listens, but nobody publishes it"
        )
        meant = f' (did you mean "{rests[near[0]]}"?)' if near else ""
        self._warn(f"{name}: {did}, expected a topic that odesim info shows{meant}")


CLOCK = "/clock"


class DomainWatch:
    """Looks for a second clock: that of another simulation, which would obey the same topics and services.

    Args:
        node: of the simulation, which publishes one.
        warn: gets one line each time a second clock appears.
    """

    def __init__(self, node: Any, warn: Callable[[str], Any]) -> None:
        self._node, self._warn = node, warn
        self._shared = False

    def check(self) -> None:
        """See who publishes the time."""
        shared = self._node.count_publishers(CLOCK) > 1
        if shared and not self._shared:
            domain = os.environ.get("ROS_DOMAIN_ID") or "0"
            self._warn(
                f"{CLOCK}: found another publisher in ROS domain {domain}, expected this simulation alone; "
                "another ROS_DOMAIN_ID keeps two simulations apart"
            )
        self._shared = shared
