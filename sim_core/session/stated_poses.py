"""The words in which poses were set: a supervisor reads an unnormalised axis back as it wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sim_core.base.ids import NodeId
from sim_core.base.state import Stateful, StateOfNodes


class Stated(NamedTuple):
    """The value that a field of a pose was set to, when, and what it made: metres, or a matrix."""

    value: tuple[float, ...]
    elapsed_ns: int
    made: tuple[float, ...]


@dataclass(eq=False)
class StatedPosesState(StateOfNodes):
    """By node and field."""

    records: dict[tuple[NodeId, str], Stated] = field(default_factory=dict)


class StatedPoses(Stateful):
    """Those of all solids."""

    state: StatedPosesState

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """All is where the scene says."""
        self.state = StatedPosesState()

    def note(self, node: NodeId, name: str, stated: Stated) -> None:
        """A field was set."""
        self.state.records[node, name] = stated

    def find(self, node: NodeId, name: str) -> Stated | None:
        """How a field was set last; None: it was not."""
        return self.state.records.get((node, name))
