"""Unique names: checks of topics and frames of a world, and names set for ros_gz_bridge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSet, Sequence
from dataclasses import replace
from typing import TypeVar

from ros_bridge.parameters.bridge_file import BridgedTopic, missing_topics, names_on_ros
from ros_bridge.topics.frames import RobotFrames
from ros_bridge.topics.records import Publication, Subscription, Topic
from sim_core.base.errors import ConfigError

LONGEST_TOPIC = 247
"""Characters: ROS uses some of the 255 that DDS allows (rmw/validate_full_topic_name.h)."""
LONGEST_NAMES = LONGEST_TOPIC - 40
"""Characters of the names of a robot and its device: the rest is for the other parts of topic names."""
OTHERWISE = "expected one: robots.{}.layout, namespace, frame_prefix or a device's topic set another"
AnyTopic = TypeVar("AnyTopic", bound=Topic)


def warn_once(lines: Iterable[str], say: Callable[[str], object], warned: MutableSet[str]) -> None:
    """Send the lines that are not in `warned`, and add them to it."""
    for line in lines:
        if line not in warned:
            warned.add(line)
            say(line)


def bridge(
    publications: list[Publication], subscriptions: list[Subscription], bridged: Sequence[BridgedTopic]
) -> Iterator[str]:
    """Give topics the names set in a file of ros_gz_bridge; yield a line for each topic that is missing."""
    names = names_on_ros(bridged)
    publications[:] = _called(publications, names)
    subscriptions[:] = _called(subscriptions, names)
    return missing_topics(bridged, {each.name for each in (*publications, *subscriptions)})


def _called(topics: Iterable[AnyTopic], names: Mapping[str, str]) -> list[AnyTopic]:
    return [replace(each, name=names.get(each.name, each.name)) for each in topics]


def check_frames(frames: Mapping[str, RobotFrames]) -> None:
    """Refuse a world in which two robots have a frame of the same name in one tree.

    Raises:
        ConfigError: there are such frames.
    """
    owners: dict[tuple[str, str], str] = {}
    for robot, own in frames.items():
        for frame in (own.odom, *(part.name for part in own.parts)):
            first = owners.setdefault((own.topic, frame), robot)
            if first != robot:
                found = f'frame {frame}: found both for robot "{first}" and for "{robot}"'
                raise ConfigError(f"{found}, {OTHERWISE.format(robot)}")


def check_topic_names(topics: Iterable[Topic]) -> None:
    """Refuse topics of the same name.

    Raises:
        ConfigError: two topics have the same name, or a name is too long.
    """
    owners: dict[str, str] = {}
    for topic in topics:
        if len(topic.name) > LONGEST_TOPIC:
            found = f"topic {topic.name[:40]}…: found {len(topic.name)} characters"
            raise ConfigError(f"{found}, expected at most {LONGEST_TOPIC}")
        owner = " ".join(f'"{name}"' for name in (topic.robot, topic.device) if name) or "the world"
        first = owners.setdefault(topic.name, owner)
        if first is not owner:
            found = f"topic {topic.name}: found both for {first} and for {owner}"
            raise ConfigError(f"{found}, {OTHERWISE.format(topic.robot)}")
