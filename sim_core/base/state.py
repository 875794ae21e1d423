"""State as plain data: what of an object changes with time, apart from what it is made of.

A state holds numbers, texts, enums, arrays, and tuples, lists, dicts and records of these; never a node, a
device or a function. So it can be copied, compared and written down without knowing whose it is. Records
(frozen dataclasses, named tuples) and the arrays in them are never written to, and copies share them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Self

import numpy as np

from sim_core.base.ids import NodeId

_CONTAINERS = frozenset((deque, dict, set))
_shared = {int, float, bool, str, bytes, type(None), tuple, frozenset}
"""Types whose values copies share; those of records are added as they are met."""


@dataclass(eq=False)
class State:
    """Base of states: dataclasses whose fields are set as time goes on."""

    def copy(self) -> Self:
        """A state of its own, whose lists, arrays and inner states are not those of this one."""
        new = object.__new__(type(self))
        new.__dict__ = values = vars(self).copy()
        if not _shared.issuperset(map(type, values.values())):
            for name, value in values.items():
                if type(value) not in _shared:
                    values[name] = _own(value)
        return new

    def begin_as(self, now: State, before: State) -> None:
        """What is as it was `before` is as it is `now`: of two starts, as far as they are plain numbers."""
        own, then = vars(self), vars(before)
        for name, value in vars(now).items():
            if type(value) in (float, tuple) and own[name] == then[name]:
                own[name] = value


@dataclass(eq=False)
class StateOfNodes(State):
    """What is kept of nodes: records, by the id of the node and a name; subclasses say of which type.

    Ids are those of one process; in a file nodes have their numbers in the scene.
    """

    records: dict[tuple[NodeId, str], Any] = field(default_factory=dict)

    def renamed(self, name: Callable[[NodeId], NodeId | None]) -> Self:
        """The same of a scene whose nodes have other ids; None: the node is not in it."""
        named = ((name(node), what, record) for (node, what), record in self.records.items())
        return replace(self, records={(node, what): each for node, what, each in named if node is not None})


def with_nodes_renamed(
    states: Mapping[str, State], name: Callable[[NodeId], NodeId | None]
) -> dict[str, State]:
    """States in which nodes have other ids, see `StateOfNodes.renamed`."""
    return {
        key: state.renamed(name) if isinstance(state, StateOfNodes) else state
        for key, state in states.items()
    }


def _own(value: Any) -> Any:
    """What a copy has in place of a value."""
    kind = type(value)
    if kind in _CONTAINERS:
        return value.copy()
    if kind is list:
        return [each.copy() if isinstance(each, State) else each for each in value]
    if kind is np.ndarray:
        return value.copy() if value.flags.writeable else value
    if isinstance(value, State):
        return value.copy()
    _shared.add(kind)
    return value


class Stateful:
    """What has a state.

    Attributes:
        state: all that changes with time; another one may be put in its place between two steps.
    """

    state: State = State()

    def parts(self) -> tuple[Stateful, ...]:
        """Those within it that have a state of their own."""
        return ()

    def restored(self) -> None:
        """Another state was put in the place of this one's and of all others': work out what follows."""


def all_of(owner: Stateful, name: str) -> list[tuple[str, Stateful]]:
    """An object with a state and all its parts, each with a name: the same in every process."""
    found = [(name, owner)]
    for number, part in enumerate(owner.parts()):
        found += all_of(part, f"{name}.{number}")
    return found


def not_plain(value: Any, where: str = "state") -> str | None:
    """Where something is in a state that is no plain data, and what; None: there is nothing."""
    if value is None or isinstance(value, (bool, int, float, str, bytes, Enum, np.generic)):
        return None
    inside: list[tuple[str, Any]]
    if isinstance(value, np.ndarray):
        return f"{where}: an array of objects" if value.dtype.hasobject else None
    if hasattr(value, "_fields"):
        inside = list(zip(value._fields, value, strict=True))
    elif isinstance(value, (tuple, list, set, frozenset, deque)):
        inside = [(f"[{index}]", each) for index, each in enumerate(value)]
    elif isinstance(value, dict):
        inside = [(f"[{key!r}]", each) for key, each in value.items()]
        inside += [(f"key {key!r}", key) for key in value]
    elif hasattr(value, "__dataclass_fields__"):
        inside = [(name, getattr(value, name)) for name in value.__dataclass_fields__]
    else:
        return f"{where}: a {type(value).__module__}.{type(value).__qualname__}"
    return next((found for name, each in inside if (found := not_plain(each, f"{where}.{name}"))), None)
