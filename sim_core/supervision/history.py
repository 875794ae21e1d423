"""The changes that have been made to a running world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sim_core.errors import OdesimError
from sim_core.physics import PhysicsWorld
from sim_core.physics.rebuilding import Kept
from sim_core.supervision.changes import Change

if TYPE_CHECKING:
    from sim_core.simulation import Simulation


class History:
    """The changes of the scene since it was loaded; the physics follows each that is made or taken back.

    Attributes:
        done: the changes, the oldest first.
    """

    def __init__(self, sim: Simulation, tell: Callable[[], None]) -> None:
        """`tell` is called after each change; an OdesimError from it refuses the change."""
        self.done: list[Change] = []
        self._sim, self._tell = sim, tell

    def make(self, changes: Sequence[Change]) -> None:
        """Make changes.

        Raises:
            OdesimError: the world cannot be simulated with them, or is not to be; it is as before.
        """
        before, kept = list(self.done), self._keep(changes)
        try:
            self._become([*before, *changes], kept)
        except OdesimError:
            self._become(before, kept)  # tells again: some may have heard of the changes already
            raise

    def go_to(self, changes: list[Change]) -> None:
        """Make and take back changes until these, and no others, have been made."""
        if changes != self.done:
            self._become(changes, self._keep([*self.done, *changes]))

    def forget(self) -> None:
        """Another scene has been loaded."""
        self.done.clear()

    def _keep(self, changes: Sequence[Change]) -> Kept | None:
        """The state that the physics will go on from, if one of these changes makes it be built anew."""
        physics = self._sim.physics
        if isinstance(physics, PhysicsWorld) and any(change.rebuilds for change in changes):
            return physics.keep()
        return None

    def _become(self, wanted: list[Change], kept: Kept | None) -> None:
        common = 0
        while common < min(len(wanted), len(self.done)) and wanted[common] is self.done[common]:
            common += 1
        rebuilds = False
        while len(self.done) > common:
            change = self.done.pop()
            change.undo()
            rebuilds |= change.rebuilds
        for change in wanted[common:]:
            change.do()
            self.done.append(change)
            rebuilds |= change.rebuilds
        if rebuilds:
            self._sim.rebuild(kept)
        else:
            self._sim.look_again()
        self._tell()
