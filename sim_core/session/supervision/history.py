"""The changes that have been made to a running world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sim_core.scene import write_scene
from sim_core.session.supervision.changes import Change, Step
from sim_core.session.supervision.following import SceneFollower

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation


class History:
    """The changes of the scene since it was loaded; the physics follows each that is made or taken back.

    Attributes:
        done: the changes, the oldest first.
    """

    def __init__(self, sim: Simulation, tell: Callable[[], None]) -> None:
        """`tell` is called after each change; whatever it raises refuses the change."""
        self.done: list[Change] = []
        self._sim, self._tell = sim, tell

    def make(self, changes: Sequence[Change], then: Callable[[], None] | None = None) -> None:
        """Make changes, and what belongs to them, before anybody is told.

        Raises:
            OdesimError: the world cannot be simulated with them, or is not to be; it is as before.
        """
        before, follower = list(self.done), SceneFollower(self._sim)
        try:
            follower.follow(self._become([*before, *changes]))
            if then is not None:
                then()
            self._tell()
        except Exception:
            follower.follow(self._become(before))
            self._tell()  # again: some may have heard of the changes already
            raise

    def go_to(self, changes: list[Change]) -> None:
        """Make and take back changes until these, and no others, have been made."""
        if changes != self.done:
            SceneFollower(self._sim).follow(self._become(changes))
            self._tell()

    def scene_at(self, changes: list[Change]) -> str:
        """The scene as text after these changes and no others; the scene is as before afterwards."""
        now = list(self.done)
        self._become(changes)
        try:
            return write_scene(self._sim.scene)
        finally:
            self._become(now)

    def forget(self) -> None:
        """Another scene has been loaded."""
        self.done.clear()

    def _become(self, wanted: list[Change]) -> list[Step]:
        """Take back and make changes of the scene until `done` is `wanted`; what was done, in order."""
        common = 0
        while common < min(len(wanted), len(self.done)) and wanted[common] is self.done[common]:
            common += 1
        steps: list[Step] = []
        while len(self.done) > common:
            change = self.done.pop()
            change.undo()
            steps.append(Step(change, was_made=False))
        for change in wanted[common:]:
            change.do()
            self.done.append(change)
            steps.append(Step(change, was_made=True))
        return steps
