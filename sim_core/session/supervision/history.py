"""The changes that have been made to a running world, which follows each that is made or taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sim_core.base.ids import NodeId
from sim_core.base.turns import KEEP, Turn, after, back
from sim_core.engines.capabilities import NamedState
from sim_core.model.changes import ALL, Edits, edits
from sim_core.model.dynamics.difference import difference
from sim_core.model.robots import instances_in
from sim_core.model.routes import Route, route
from sim_core.scene import Node, Scene
from sim_core.scene.axes import assign_axes, world_axes
from sim_core.session.supervision.changes import BodyChange, Change, RootChange, all_changed, without

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation


class History:
    """The changes of the scene since it was loaded.

    What came and has gone again is forgotten: only who holds changes of then, as a snapshot does, keeps it.

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
        follower, known = _Follower(self._sim), len(self.done)
        try:
            self._do(changes)
            follower.follow([], changes)
            if then is not None:
                then()
            self._tell()
        except Exception:
            follower.follow(self._take_back(known), [])
            self._tell()  # again: some may have heard of the changes already
            raise
        self._sim.world.let_go()
        for node in [node for change in changes if isinstance(change, RootChange) for node in change.gone]:
            self.done = without(self.done, node)

    def note(self, changes: Sequence[Change]) -> None:
        """Make changes that the physics has followed already."""
        self._do(changes)
        changed = edits(all_changed(changes))
        self._sim.world.model.take_edits(changed)
        self._sim.world.tell_robots(changed)

    def take_back_all(self) -> None:
        """The world goes back to its start, which then is as if no change had been made."""
        gone = self._take_back(0)
        if gone:
            _Follower(self._sim).follow_before_reset(gone)
            self._tell()
            self._sim.world.let_go()

    def go_to(self, changes: list[Change]) -> None:
        """Make and take back changes until these, and no others, have been made."""
        gone, come = self._become(changes)
        if gone or come:
            _Follower(self._sim).follow(gone, come)
            self._tell()
            self._sim.world.let_go()

    @contextmanager
    def scene_at(self, changes: list[Change]) -> Iterator[Scene]:
        """The scene after these changes and no others; it is as before afterwards."""
        now = list(self.done)
        self._become(changes)
        try:
            yield self._sim.scene
        finally:
            self._become(now)

    def forget(self) -> None:
        """Another scene has been loaded."""
        self.done.clear()

    def _become(self, wanted: list[Change]) -> tuple[list[Change], list[Change]]:
        """Change the scene until `done` is `wanted`; what was taken back for that, and what was made."""
        common = 0
        while common < min(len(wanted), len(self.done)) and wanted[common] is self.done[common]:
            common += 1
        gone, come = self._take_back(common), wanted[common:]
        self._do(come)
        return gone, come

    def _do(self, changes: Sequence[Change]) -> None:
        """Make changes of the scene."""
        for change in changes:
            change.do()
            self.done.append(change)

    def _take_back(self, count: int) -> list[Change]:
        """Take back the changes of the scene beyond the first ones; those that were, the last one first."""
        gone = self.done[count:][::-1]
        del self.done[count:]
        for change in gone:
            change.undo()
        return gone


class _Follower:
    """Lets a simulation be as its scene is, and back if that is refused, at the least cost.

    Whole trees that come to the end of the scene's root, or go from it, are taken in and let go by
    themselves; what the physics can change in place, it does; else it is built anew, and goes on as it was;
    before anything has moved it begins as the scene says. Where the world has other axes than before, the
    numbers of its file stay, and what they say is turned, as in Webots.
    """

    def __init__(self, sim: Simulation) -> None:
        self._world = sim.world
        self._editing = sim.physics.can.editing  # without it what moves stays as at the start
        self._former: NamedState | None = None
        """The state before the first change that may have to be taken back, or that needs a rebuild."""
        self._before: tuple[Turn, dict[NodeId, Turn]] | None = None
        """The axes of the world and of its solids, if they are others now."""

    def follow(self, undone: Sequence[Change], made: Sequence[Change]) -> None:
        """Changes of the scene were taken back, and others made.

        Raises:
            OdesimError: the world cannot be simulated so. Take back what was made, and follow that too.
        """
        world, editing = self._world, self._editing
        changed = edits(all_changed([*undone, *made]))
        if world_axes(world.scene) != world.scene.axes:
            self._before = self._before or (world.scene.axes.world, _own_axes(world.scene))
            changed = Edits(
                (*changed, *edits((robot.node, "") for robot in instances_in(world.scene.walk())))
            )
        assign_axes(world.scene)
        trees = _trees(world.scene, undone, made) if self._before is None else None
        come, gone = trees or ([], [])
        new, lost = ([node for root in roots for node in root.walk()] for roots in (come, gone))
        if trees is not None:
            world.model.exchange(come, new, {node.id for node in lost})
        else:
            world.model.take_edits(changed)
        if editing is None:  # the shapes that collide are as at the start
            world.look_again(changed)
            return
        world.unsettled = editing
        change = difference(editing.dynamics, world.model.dynamics())
        if self._former is None:
            if change.gone:
                self._former = editing.named_state()
            if self._before is None and editing.apply(change):
                if trees is not None:
                    roots = edits((root, "") for root in (*come, *gone))
                    world.exchange(instances_in(new), instances_in(lost), roots)
                else:
                    world.follow(changed)
                return
            self._former = self._former or editing.named_state()
        renewed = {each.node.id for each in made if isinstance(each, BodyChange)}
        editing.rebuild(self._turned(self._former), change, renewed)
        world.follow(Edits((*changed, *ALL)))

    def _turned(self, former: NamedState) -> NamedState:
        """A state in the axes of now."""
        scene = self._world.scene
        if self._before is None:
            return former
        world, before = self._before
        own = {solid: after(now, back(before.get(solid, KEEP))) for solid, now in _own_axes(scene).items()}
        return former.turned(after(scene.axes.world, back(world)), own)

    def follow_before_reset(self, undone: Sequence[Change]) -> None:
        """All changes of the scene were taken back, and a reset comes, which reads poses and velocities."""
        changed = all_changed(undone)
        if self._editing is not None and all(route(*each) is not Route.SCENE for each in changed):
            self._world.model.take_edits(edits(changed))
            self._world.tell_robots(edits(changed))
        else:
            self.follow(undone, [])


def _own_axes(scene: Scene) -> dict[NodeId, Turn]:
    """What takes the axes of each solid's own frame, as its file has them, to those of the model."""
    return {node.id: node.axes.own for node in scene.walk() if node.is_a("Solid")}


def _trees(
    scene: Scene, undone: Sequence[Change], made: Sequence[Change]
) -> tuple[list[Node], list[Node]] | None:
    """The trees that stand at the end of the root since, and those that went; None: it was another change."""
    if len(undone) + len(made) != 1:
        return None
    change = (*undone, *made)[0]
    if not isinstance(change, RootChange) or (change.come and change.gone):
        return None
    come, gone = (change.come, change.gone) if made else (change.gone, change.come)
    is_at_end = scene.nodes[len(scene.nodes) - len(come) :] == come
    return (come, gone) if is_at_end else None
