"""Each topic and each frame of a world has a name of its own, and those of ros_gz_bridge where it has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSet, Sequence
from dataclasses import replace
from typing import TypeVar

from ros_bridge.parameters.bridge_file import BridgedTopic, names_on_ros, not_here
from ros_bridge.topics.frames import RobotFrames
from ros_bridge.topics.records import Publication, Subscription, Topic
from sim_core.base.errors import ConfigError

LONGEST_TOPIC = 247
"""Characters: of 255 that DDS allows ROS takes some (rmw/validate_full_topic_name.h)."""
LONGEST_NAMES = LONGEST_TOPIC - 40
"""Characters of a robot and its device: the rest is for what topics have behind and between them."""
OTHERWISE = "expected one: robots.{}.layout, namespace, frame_prefix or a device's topic set another"
AnyTopic = TypeVar("AnyTopic", bound=Topic)


def say_once(lines: Iterable[str], say: Callable[[str], object], told: MutableSet[str]) -> None:
    """Say those lines that have not been told, which then have."""
    for line in lines:
        if line not in told:
            told.add(line)
            say(line)


def bridge(
    publications: list[Publication], subscriptions: list[Subscription], bridged: Sequence[BridgedTopic]
) -> Iterator[str]:
    """Give topics the names that a file of ros_gz_bridge has for them; a line for each that is not there."""
    names = names_on_ros(bridged)
    publications[:] = _called(publications, names)
    subscriptions[:] = _called(subscriptions, names)
    return not_here(bridged, {each.name for each in (*publications, *subscriptions)})


def _called(topics: Iterable[AnyTopic], names: Mapping[str, str]) -> list[AnyTopic]:
    return [replace(each, name=names.get(each.name, each.name)) for each in topics]


def check_frames(frames: Mapping[str, RobotFrames]) -> None:
    """Refuse a world in which two robots have a frame of one name.

    Raises:
        ConfigError: there are such.
    """
    owners: dict[str, str] = {}
    for robot, own in frames.items():
        for frame in (own.odom, *(part.name for part in own.parts)):
            first = owners.setdefault(frame, robot)
            if first != robot:
                found = f'frame {frame}: found both for robot "{first}" and for "{robot}"'
                raise ConfigError(f"{found}, {OTHERWISE.format(robot)}")


def check_topic_names(topics: Iterable[Topic]) -> None:
    """Refuse topics of which two have one name.

    Raises:
        ConfigError: there are such, or a long one.
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
