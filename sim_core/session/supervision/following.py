"""Lets a simulation follow changes of its scene, at the least cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim_core.engines.ode import PhysicsWorld
from sim_core.engines.ode.rebuilding import Kept
from sim_core.scene import Node
from sim_core.scene.axes import settle_axes
from sim_core.session.supervision.changes import RootChange, Step

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation


class SceneFollower:
    """Follows the changes of one request, and back if it is refused.

    Whole trees that come to the end of the scene's root, or go from it, are taken in and let go by
    themselves, whatever else is there; for all other changes of shapes, masses or joints the physics is built
    anew.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._kept: Kept | None = None
        self._gone: Kept | None = None

    def follow(self, steps: list[Step]) -> None:
        """Let the simulation be as the scene is after these steps.

        Raises:
            OdesimError: it cannot be simulated. Take the steps back, and follow those steps too.
        """
        sim = self._sim
        physics = sim.physics
        settle_axes(sim.scene)
        if not any(step.change.rebuilds for step in steps) or not isinstance(physics, PhysicsWorld):
            sim.look_again()
            return
        if self._kept is None and len(steps) == 1 and _has_trees(steps[0]):
            come, gone = _trees(steps[0])
            if gone and self._gone is None:
                self._gone = physics.keep_of(gone)
            if sim.exchange(come, gone):
                return
        if self._kept is None:
            self._kept = physics.keep()
            if self._gone is not None:
                self._kept.add(self._gone)
        sim.rebuild(self._kept)


def _has_trees(step: Step) -> bool:
    """Whether a step lets whole trees come to the end of the root, or go."""
    change = step.change
    if not isinstance(change, RootChange):
        return False
    return not (change.come and change.gone) and (bool(_trees(step)[1]) or change.is_at_end)


def _trees(step: Step) -> tuple[list[Node], list[Node]]:
    """The nodes that come, and those that go."""
    change = step.change
    assert isinstance(change, RootChange)
    return (change.come, change.gone) if step.was_made else (change.gone, change.come)
