"""Names on ROS: of the topics of every world; of robots and devices, as letters, digits and underscores."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sim_core.base.errors import ConfigError

CLOCK, TF, TF_STATIC = "/clock", "/tf", "/tf_static"
RESTARTS = f"{CLOCK}/restarts"
"""Each time that sim time has gone back to its start, that time: for those who need no more of the clock."""
STATUS, MARKERS = "/odesim/status", "/odesim/markers"
SCENE, SURROUNDINGS, POSES = "/odesim/scene", "/odesim/scene/surroundings", "/odesim/scene/poses"
"""The world as viewers show it: its parts with textures, the light round them, where they are."""
DIAGNOSTICS = "/diagnostics"
"""Where diagnostic_aggregator and its like look; what is on `STATUS` is here too."""
OF_ALL = (CLOCK, RESTARTS, TF, TF_STATIC, DIAGNOSTICS)
"""Topics that every node of ROS looks for at this place, whatever its namespace."""
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9]+")


def in_space(namespace: str, name: str) -> str:
    """A topic of the robot that has this namespace; `/` or empty: none."""
    space = namespace.strip("/")
    return f"/{space}/{name}" if space else f"/{name}"


def on_graph(node: Any, topic: str) -> str:
    """The name by which a node makes publishers and subscriptions of a topic: in its own namespace.

    `RESTARTS` is beside the node's /clock, wherever a rule has put that.
    """
    if topic == RESTARTS:
        return f"{node.resolve_topic_name(CLOCK)}{RESTARTS.removeprefix(CLOCK)}"
    return topic if topic in OF_ALL else topic.removeprefix("/")


def ros_name(name: str) -> str:
    """A name made a legal part of a topic: `left wheel` is `left_wheel`, `8ball` is `n8ball`.

    Whatever is no letter or digit becomes one underscore; none is left at the ends, because a leading one
    would hide the topic. (Names of topics: https://design.ros2.org/articles/topic_and_service_names.html)

    Raises:
        ConfigError: no letter or digit is left.
    """
    legal = legal_name(name)
    if not legal:
        raise ConfigError(f'found the name "{name}", expected a name with a letter or a digit')
    return legal


def robot_name(name: str) -> str:
    """The same of a robot's name, in which slashes part namespaces: `fleet/e-puck` is `fleet/e_puck`.

    Raises:
        ConfigError: no letter or digit is left.
    """
    return "/".join(ros_name(part) for part in name.split("/") if legal_name(part)) or ros_name(name)


class Place(NamedTuple):
    """Where on ROS a simulation is."""

    namespace: str = ""
    """Of its node: `/lab`; empty: none. All of its topics but those `OF_ALL` are below it."""
    rules: tuple[str, ...] = ()
    """By which topics `OF_ALL` are elsewhere: `/clock:=/lab/clock`."""

    space_of: Callable[[str], str] = robot_name
    """The namespace of a robot in that of the simulation, empty: none, by the robot's name."""

    def of_robot(self, name: str) -> str:
        """The namespace of a robot, with that of the simulation."""
        return f"{self.namespace}/{self.space_of(name)}".rstrip("/") or "/"


NOWHERE = Place()
"""No namespace."""


def place_of(namespace: str, ros_args: Sequence[str], space_of: Callable[[str], str] = robot_name) -> Place:
    """The place of a simulation by its node's namespace (`/` for none) and what it got for ROS."""
    rules = tuple(word for word in ros_args if word.split(":=")[0] in OF_ALL)
    return Place(namespace.rstrip("/"), rules, space_of)


def legal_name(name: str, default: str = "") -> str:
    """The same without the error: a name without a letter or a digit is `default`."""
    legal = _NOT_ALLOWED.sub("_", name).strip("_")
    if not legal:
        return default
    return f"n{legal}" if legal[0].isdigit() else legal


def ros_names(
    places: Mapping[str, str], what: str, ros_name: Callable[[str], str] = ros_name
) -> dict[str, str]:
    """ROS name of each name.

    Args:
        places: where they stand, by the names as they are in the world file.
        what: whose names they are, for the error.
        ros_name: how one becomes a ROS name.

    Raises:
        ConfigError: two names become one, or nothing is left of one.
    """
    legal: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, where in places.items():
        try:
            legal[name] = ros_name(name)
        except ConfigError as error:
            raise ConfigError(f"{where}: {what}: {error}") from None
        first = taken.setdefault(legal[name], name)
        if first != name:
            raise ConfigError(
                f'{where}: {what}: the names "{first}" and "{name}" both become "{legal[name]}" on ROS, '
                f"expected names that stay different (the first is at {places[first]})"
            )
    return legal
