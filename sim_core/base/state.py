"""State as plain data: all of an object that changes with time, without its structure.

A state contains numbers, texts, enums, arrays, and tuples, lists, dicts and records of these; never a node, a
device or a function. So it can be copied, compared and written without the object it belongs to. Records
(frozen dataclasses, named tuples) and the arrays in them are never modified, and copies share them.
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
"""Types whose values are shared by copies; record types are added when they are first copied."""


@dataclass(eq=False)
class State:
    """Base of states: dataclasses whose fields change with time."""

    def copy(self) -> Self:
        """Return an independent copy: lists, arrays and inner states are copied too."""
        new = object.__new__(type(self))
        new.__dict__ = values = vars(self).copy()
        if not _shared.issuperset(map(type, values.values())):
            for name, value in values.items():
                if type(value) not in _shared:
                    values[name] = _copied(value)
        return new

    def update_start(self, now: State, before: State) -> None:
        """Set plain numbers that equal those of `before` to those of `now`: two start states."""
        own, then = vars(self), vars(before)
        for name, value in vars(now).items():
            if type(value) in (float, tuple) and own[name] == then[name]:
                own[name] = value


@dataclass(eq=False)
class StateOfNodes(State):
    """Records by node id and name; subclasses declare the record type.

    Ids are valid in one process; files have the numbers of nodes in the scene.
    """

    records: dict[tuple[NodeId, str], Any] = field(default_factory=dict)

    def renamed(self, name: Callable[[NodeId], NodeId | None]) -> Self:
        """Return the same state with other node ids; `name` returns None for nodes that do not exist."""
        named = ((name(node), what, record) for (node, what), record in self.records.items())
        return replace(self, records={(node, what): each for node, what, each in named if node is not None})


def with_nodes_renamed(
    states: Mapping[str, State], name: Callable[[NodeId], NodeId | None]
) -> dict[str, State]:
    """Return states with other node ids, see `StateOfNodes.renamed`."""
    return {
        key: state.renamed(name) if isinstance(state, StateOfNodes) else state
        for key, state in states.items()
    }


def _copied(value: Any) -> Any:
    """Return the value to use in a copy."""
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
    """Base of objects with a state.

    Attributes:
        state: all that changes with time; may be replaced between two steps.
    """

    state: State = State()

    def parts(self) -> tuple[Stateful, ...]:
        """Return inner objects that have a state of their own."""
        return ()

    def restored(self) -> None:
        """Update derived data after the states of all objects have been replaced."""


class Resettable(Stateful):
    """Base of objects that a reset of the simulation returns to their start."""

    def reset(self) -> None:
        """Return to the state at the start of the simulation, after the engine has been reset."""
        raise NotImplementedError


def all_of(owner: Stateful, name: str) -> list[tuple[str, Stateful]]:
    """Return an object and all its parts that have a state, each with a name that is the same in every
    process."""
    found = [(name, owner)]
    for number, part in enumerate(owner.parts()):
        found += all_of(part, f"{name}.{number}")
    return found


def not_plain(value: Any, where: str = "state") -> str | None:
    """Return the place and type of a value that is not plain data; None: all is plain."""
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
