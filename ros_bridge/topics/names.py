"""Names on ROS: of the topics of every world; of robots and devices, as letters, digits and underscores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count
from types import MappingProxyType
from typing import Any, NamedTuple
from unicodedata import combining, normalize

CLOCK, TF, TF_STATIC = "/clock", "/tf", "/tf_static"
RESTARTS = f"{CLOCK}/restarts"
"""Each time that sim time has gone back to its start, that time: for those who need no more of the clock."""
STATUS, MARKERS = "/odesim/status", "/odesim/markers"
SCENE, SURROUNDINGS, POSES = "/odesim/scene", "/odesim/scene/surroundings", "/odesim/scene/poses"
"""The world as viewers show it: its parts with textures, the light round them, where they are."""
VIEWS = r"/odesim/(overlay|scene)(/|$)"
"""Part of the names of topics for windows alone, which recorders of all topics leave out: they cost time."""
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


@lru_cache(maxsize=4096)
def legal_name(name: str, default: str = "") -> str:
    """A name made a legal part of a topic: `left wheel` is `left_wheel`, `8ball` is `n8ball`, `é` is `e`.

    Letters lose their accents (Unicode's form NFKD); whatever is then no letter or digit of ASCII becomes one
    underscore. None is left at the ends, because a leading one would hide the topic. A name of which nothing
    is left is `default`. (Names of topics: https://design.ros2.org/articles/topic_and_service_names.html)
    """
    plain = "".join(each for each in normalize("NFKD", name) if not combining(each))
    legal = _NOT_ALLOWED.sub("_", plain).strip("_")
    if not legal:
        return default
    return f"n{legal}" if legal[0].isdigit() else legal


def legal_path(name: str) -> str:
    """The same of a robot's name, in which slashes part namespaces: `fleet/e-puck` is `fleet/e_puck`.

    If nothing is left behind the last slash, that slash is the end.
    """
    *spaces, last = name.split("/")
    return "".join(f"{each}/" for each in map(legal_name, spaces) if each) + legal_name(last)


def ros_names(kinds: Mapping[str, str], legal: Callable[[str], str] = legal_name) -> dict[str, str]:
    """ROS names of things in file order, all different: names that are legal stay as they are.

    What would be called as another gets `_2`, `_3` …; a name of which no letter or digit is left becomes the
    kind and a number: `robot1`, `gps2`.

    Args:
        kinds: what each is, `robot` or `gps`, by the names of the world file.
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
    """Namespaces of the robots of a world, which are given in file order."""
    return _robot_names(tuple(robots))


@lru_cache(maxsize=8)
def _robot_names(robots: tuple[str, ...]) -> Mapping[str, str]:
    return MappingProxyType(ros_names(dict.fromkeys(robots, "robot"), legal_path))


def kind_of(node_type: str) -> str:
    """What a device of a type is called: `distance_sensor`, `gps`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node_type).lower()


def named_line(what: str, ros_name: str, where: str) -> str:
    """What users are told of a name that ROS cannot have: `robot "é1" is "e1_2" on ROS (w.wbt:3:1)`."""
    return f'{what} is "{ros_name}" on ROS ({where})'


def renamed(names: Mapping[str, str], legal: Callable[[str], str] = legal_name) -> dict[str, str]:
    """Those of `ros_names` that one would not guess: their legal form is another, or there is none."""
    return {name: each for name, each in names.items() if legal(name) != each}


class SimulationAddress(NamedTuple):
    """Where on ROS a simulation is."""

    namespace: str = ""
    """Of its node: `/lab`; empty: none. All of its topics but those `OF_ALL` are below it."""
    rules: tuple[str, ...] = ()
    """By which topics `OF_ALL` are elsewhere: `/clock:=/lab/clock`."""

    space_of: Callable[[str], str] = legal_path
    """The namespace of a robot in that of the simulation, empty: none, by the robot's name."""

    def of_robot(self, name: str) -> str:
        """The namespace of a robot, with that of the simulation."""
        return f"{self.namespace}/{self.space_of(name)}".rstrip("/") or "/"


NOWHERE = SimulationAddress()
"""No namespace."""


def place_of(
    namespace: str, ros_args: Sequence[str], space_of: Callable[[str], str] = legal_path
) -> SimulationAddress:
    """The place of a simulation by its node's namespace (`/` for none) and what it got for ROS."""
    rules = tuple(word for word in ros_args if word.split(":=")[0] in OF_ALL)
    return SimulationAddress(namespace.rstrip("/"), rules, space_of)
