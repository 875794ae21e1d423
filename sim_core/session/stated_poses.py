"""Values to which poses were set, so that a supervisor reads an unnormalised axis back as it wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sim_core.base.ids import NodeId
from sim_core.base.state import Stateful, StateOfNodes


class StatedPose(NamedTuple):
    """The value that a pose field was set to, the sim time then, and the result: metres, or a matrix."""

    value: tuple[float, ...]
    elapsed_ns: int
    made: tuple[float, ...]


@dataclass(eq=False)
class StatedPosesState(StateOfNodes):
    """Values by node and field."""

    records: dict[tuple[NodeId, str], StatedPose] = field(default_factory=dict)


class StatedPoses(Stateful):
    """Values to which pose fields of all solids were set."""

    state: StatedPosesState

    def __init__(self) -> None:
        self.remove_records()

    def remove_records(self) -> None:
        """Remove all records: each solid is where the scene says."""
        self.state = StatedPosesState()

    def note(self, node: NodeId, name: str, stated: StatedPose) -> None:
        """Store the value that a field was set to."""
        self.state.records[node, name] = stated

    def find_pose(self, node: NodeId, name: str) -> StatedPose | None:
        """Return how a field was last set; None if it was not."""
        return self.state.records.get((node, name))
