"""Names on ROS: topics of every world; robots and devices, limited to letters, digits and underscores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count
from types import MappingProxyType
from typing import Any, NamedTuple
from unicodedata import combining, normalize

CLOCK, TF, STATIC = "/clock", "/tf", "_static"
TF_STATIC = f"{TF}{STATIC}"
"""`STATIC`: what a topic of constant transforms has behind the name of that of the moving ones."""
RESTARTS = f"{CLOCK}/restarts"
"""Publishes the time whenever sim time has jumped back to its start, for nodes that need no more of it."""
STATUS, MARKERS = "/odesim/status", "/odesim/markers"
KEYBOARD, MOUSE, JOYSTICK = "/odesim/keyboard", "/odesim/mouse", "/joy"
"""Input of the user for controllers."""
SCENE, SURROUNDINGS, POSES = "/odesim/scene", "/odesim/scene/surroundings", "/odesim/scene/poses"
"""The world for viewers: its parts with textures, the light around them, their poses."""
SCENE_CLOCK = f"{SCENE}/clock"
"""Sim time for viewers, in steps of wall time; a subscriber of `CLOCK` costs time in each step."""
VIEWS = r"/odesim/(overlay|scene)(/|$)"
"""Pattern of topics for viewers, which recorders of all topics leave out because they cost time."""
DIAGNOSTICS = "/diagnostics"
"""Topic read by diagnostic_aggregator and similar nodes; the content of `STATUS` is repeated here."""
OF_ALL = (CLOCK, RESTARTS, TF, TF_STATIC, DIAGNOSTICS)
"""Topics that all ROS nodes expect at this name, whatever their namespace."""
UNKNOWN_NODE = "_NODE_NAME_UNKNOWN_"
"""Name in the graph of a node that is about to come or go, while its topics are known."""
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9]+")


def in_namespace(namespace: str, name: str) -> str:
    """Return a topic name in a robot's namespace; `/` or empty: none."""
    space = namespace.strip("/")
    return f"/{space}/{name}" if space else f"/{name}"


def graph_name(node: Any, topic: str) -> str:
    """Return the name with which a node creates publishers and subscriptions: in its own namespace.

    `RESTARTS` is next to the node's /clock, wherever a remapping rule has put that.
    """
    if topic == RESTARTS:
        return f"{node.resolve_topic_name(CLOCK)}{RESTARTS.removeprefix(CLOCK)}"
    return topic if topic in OF_ALL else topic.removeprefix("/")


@lru_cache(maxsize=4096)
def legal_name(name: str, default: str = "") -> str:
    """Make a name legal as part of a topic: `left wheel` is `left_wheel`, `8ball` is `n8ball`, `é` is `e`.

    Letters lose their accents (Unicode's form NFKD); all other characters but letters and digits of ASCII
    become underscores. Underscores at the ends are removed, because a leading one would hide the topic. If
    nothing is left, the result is `default`. (Rules:
    https://design.ros2.org/articles/topic_and_service_names.html)
    """
    plain = "".join(each for each in normalize("NFKD", name) if not combining(each))
    legal = _NOT_ALLOWED.sub("_", plain).strip("_")
    if not legal:
        return default
    return f"n{legal}" if legal[0].isdigit() else legal


def legal_path(name: str) -> str:
    """Make a robot's name legal, in which slashes separate namespaces: `fleet/e-puck` is `fleet/e_puck`.

    If nothing is left after the last slash, the result ends with that slash.
    """
    *spaces, last = name.split("/")
    return "".join(f"{each}/" for each in map(legal_name, spaces) if each) + legal_name(last)


def ros_names(kinds: Mapping[str, str], legal: Callable[[str], str] = legal_name) -> dict[str, str]:
    """Return unique ROS names of things in file order; legal names are not changed.

    A duplicate gets `_2`, `_3` …; a name without letters and digits becomes the kind with a number: `robot1`,
    `gps2`.

    Args:
        kinds: kind of each, such as `robot` or `gps`, by its name in the world file.
        legal: makes a name legal.
    """
    found = {name: name for name in kinds if name and legal(name) == name}
    taken = set(found)
    left: dict[tuple[str, str], Iterator[str]] = {}
    for name, kind in kinds.items():
        if name not in found:
            base = legal(name)
            if not base or base.endswith("/"):
                wanted = left.setdefault((base, kind), map(f"{base}{kind}{{}}".format, count(1)))
            else:
                wanted = left.setdefault((base, ""), chain([base], map(f"{base}_{{}}".format, count(2))))
            found[name] = next(each for each in wanted if each not in taken)
            taken.add(found[name])
    return {name: found[name] for name in kinds}


def robot_names(robots: Iterable[str]) -> Mapping[str, str]:
    """Return the namespaces of a world's robots, which are given in file order."""
    return _robot_names(tuple(robots))


@lru_cache(maxsize=8)
def _robot_names(robots: tuple[str, ...]) -> Mapping[str, str]:
    return MappingProxyType(ros_names(dict.fromkeys(robots, "robot"), legal_path))


def kind_of(node_type: str) -> str:
    """Return the kind of a device, for names: `distance_sensor`, `gps`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node_type).lower()


def renamed_message(what: str, ros_name: str, where: str) -> str:
    """Return the message about a name that ROS does not allow: `robot "é1" is "e1_2" on ROS (w.wbt:3:1)`."""
    return f'{what} is "{ros_name}" on ROS ({where})'


def changed_names(names: Mapping[str, str], legal: Callable[[str], str] = legal_name) -> dict[str, str]:
    """Return those of `ros_names` that cannot be guessed: they differ from their legal form, or had none."""
    return {name: each for name, each in names.items() if legal(name) != each}


class SimulationAddress(NamedTuple):
    """Namespace and remapping of a simulation on ROS."""

    namespace: str = ""
    """Of its node: `/lab`; empty: none. All of its topics except `OF_ALL` are below it."""
    rules: tuple[str, ...] = ()
    """Remapping rules of topics in `OF_ALL`: `/clock:=/lab/clock`."""

    space_of: Callable[[str], str] = legal_path
    """Returns a robot's namespace below that of the simulation by the robot's name; empty: none."""

    def of_robot(self, name: str) -> str:
        """Return the full namespace of a robot."""
        return f"{self.namespace}/{self.space_of(name)}".rstrip("/") or "/"


NO_NAMESPACE = SimulationAddress()
"""A simulation without namespace."""


def simulation_address(
    namespace: str, ros_args: Sequence[str], space_of: Callable[[str], str] = legal_path
) -> SimulationAddress:
    """Return the address of a simulation from its node's namespace (`/`: none) and its ROS arguments."""
    rules = tuple(word for word in ros_args if word.split(":=")[0] in OF_ALL)
    return SimulationAddress(namespace.rstrip("/"), rules, space_of)
