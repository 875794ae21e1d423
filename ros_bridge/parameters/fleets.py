"""Fleets: groups of robots with common topics, as defined in parameter files.

fleet:
  swarm:                      # its topics are below /swarm
    robots: ["robot*"]        # names, or patterns of them; without it all robots
    single_topics: false      # true: each robot has its own topics too
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ros_bridge.parameters.parameter_file import Value
from sim_core.base.errors import ConfigError, hint
from sim_core.base.settings import rules_of, setting

PREFIX = "fleet"
"""First part of the names of their parameters, followed by the fleet's name."""
_NAME = re.compile(r"[A-Za-z]\w*(/[A-Za-z]\w*)*")


@dataclass(frozen=True)
class Fleet:
    """A group of robots with common topics.

    Attributes:
        name: namespace of its topics.
    """

    name: str
    robots: tuple[str, ...] = setting(("*",), "names of robots, or patterns such as robot*")
    single_topics: bool = setting(False, "whether each robot has its own topics too")

    def has(self, robot: str) -> bool:
        """Return whether a robot of this name is a member."""
        return any(fnmatchcase(robot, pattern) for pattern in self.robots)


RULES = rules_of(Fleet)
"""Rules of the parameters of a fleet."""


def fleets_of(
    values: Iterable[Value], robots: Collection[str], copies: Collection[str] = ()
) -> tuple[Fleet, ...]:
    """Return the fleets that parameters define, in order.

    Args:
        values: those whose names begin with `PREFIX`; a later one replaces an earlier one.
        robots: names of the robots of the world that are objects.
        copies: names of those held as arrays, which have only topics of fleets.

    Raises:
        ConfigError: a fleet's name or a parameter is invalid; a fleet has no robots; a robot is in two
            fleets, or in none although it must be in one.
    """
    found: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    for path, value, where in values:
        if len(path) < 3:
            raise ConfigError(f"{where}: found no parameter, expected fleet: <name>: robots: [<robots>]")
        name = "/".join(path[1:-1])
        if not _NAME.fullmatch(name):
            raise ConfigError(f'{where}: found the fleet "{name}", expected a namespace such as swarm')
        rule = RULES.get(path[-1])
        if rule is None:
            expected = f"{', '.join(RULES)}{hint(path[-1], RULES)}"
            raise ConfigError(f'{where}: found no parameter "{path[-1]}" of a fleet, expected {expected}')
        found.setdefault(name, {})[path[-1]] = rule.convert(value, where)
        places[name] = where
    fleets = []
    owners: dict[str, str] = {}
    for name, own in found.items():
        fleet = Fleet(name, **own)
        members = [robot for robot in (*robots, *copies) if fleet.has(robot)]
        if fleet.single_topics and any(map(fleet.has, copies)):
            raise ConfigError(
                f"{places[name]}: found single_topics: true for robots held as arrays (instanced: true), "
                "expected single_topics: false, or instanced: false"
            )
        if not members:
            known = ", ".join(list(robots)[:5]) or "none"
            raise ConfigError(f"{places[name]}: found no robot of these names, there are {known}")
        for robot in members:
            if owners.setdefault(robot, name) != name:
                both = f'"{robot}" in the fleets {owners[robot]} and {name}'
                raise ConfigError(f"{places[name]}: found {both}, expected it in one")
        fleets.append(fleet)
    alone = [robot for robot in copies if robot not in owners]
    if alone:
        raise ConfigError(
            f'instanced: found "{alone[0]}" in no fleet{_and_more(alone)}, expected all robots that are held '
            "as arrays in fleets, because they have no topics of their own"
        )
    return tuple(fleets)


def _and_more(names: Collection[str]) -> str:
    return f", and {len(names) - 1} more" if len(names) > 1 else ""
