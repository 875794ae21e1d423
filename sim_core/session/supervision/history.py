"""The changes that have been made to a running world, which follows each that is made or taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sim_core.base.ids import NodeId
from sim_core.base.turns import KEEP, Turn, after, back
from sim_core.engines.capabilities import Editing, NamedState
from sim_core.model.changes import ALL, Edits, edits
from sim_core.model.dynamics.difference import difference
from sim_core.model.robots import instances_in
from sim_core.model.routes import Route, route
from sim_core.scene import Node, Scene
from sim_core.scene.axes import assign_axes, world_axes
from sim_core.session.simulated_world import SimulatedWorld
from sim_core.session.supervision.changes import (
    Change,
    FieldChange,
    ParameterChange,
    RootChange,
    all_changed,
    without,
)
from sim_core.session.supervision.kept_view import KeptView

KEPT_AT_RESET = ("controllerArgs", "customData", "description", "supervisor")
"""Fields that say nothing of the start: a reset leaves them as they were set, as in Webots."""


class History:
    """The changes of the scene since it was loaded.

    What came and has gone again is forgotten: only who holds changes of then, as a snapshot does, keeps it.

    Attributes:
        done: the changes, the oldest first.
    """

    def __init__(self, world: SimulatedWorld, tell: Callable[[], None]) -> None:
        """`tell` is called after each change; whatever it raises refuses the change."""
        self.done: list[Change] = []
        self._world, self._tell = world, tell

    def make(self, changes: Sequence[Change], then: Callable[[], None] | None = None) -> None:
        """Make changes, and what belongs to them, before anybody is told.

        Raises:
            OdesimError: the world cannot be simulated with them, or is not to be; it is as before.
        """
        follower, known, view = _Follower(self._world), len(self.done), KeptView(self._world)
        try:
            self._do(changes)
            follower.follow([], changes)
            if then is not None:
                then()
            self._keep(view)
            self._tell()
        except Exception:
            follower.follow(self._take_back(known), [])
            self._tell()  # again: some may have heard of the changes already
            raise
        self._world.let_go()
        for node in [node for change in changes if isinstance(change, RootChange) for node in change.gone]:
            self.done = without(self.done, node)

    def note(self, changes: Sequence[Change]) -> None:
        """Make changes that the physics has followed already."""
        view = KeptView(self._world)
        self._do(changes)
        changed = edits(all_changed(changes))
        self._world.model.take_edits(changed)
        self._world.tell_robots(changed)
        self._keep(view)

    def take_back_all(self) -> bool:
        """The world goes back to its start, which then is as if no change had been made but of notes.

        Returns:
            Whether one was made.
        """
        gone, notes = list[Change](), dict[tuple[Node, str, type], FieldChange | ParameterChange]()
        for each in self._take_back(0):
            if isinstance(each, (FieldChange, ParameterChange)) and each.field in KEPT_AT_RESET:
                notes.setdefault((each.node, each.field, type(each)), each)
            else:
                gone.append(each)
        for note in list(notes.values())[::-1]:
            if self._world.scene.holds(note.node):
                self._do([note.again()])
        if gone:
            _Follower(self._world).follow_before_reset(gone)
            self._tell()
            self._world.let_go()
        return bool(gone)

    def go_to(self, changes: list[Change]) -> None:
        """Make and take back changes until these, and no others, have been made."""
        gone, come = self._become(changes)
        if gone or come:
            _Follower(self._world).follow(gone, come)
            self._tell()
            self._world.let_go()

    @contextmanager
    def scene_at(self, changes: list[Change]) -> Iterator[Scene]:
        """The scene after these changes and no others; it is as before afterwards."""
        now = list(self.done)
        self._become(changes)
        try:
            yield self._world.scene
        finally:
            self._become(now)

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

    def _keep(self, view: KeptView) -> None:
        """Let the Viewpoint say that it is where it is."""
        if changes := view.changes():
            self._do(changes)
            self._world.model.take_edits(edits(all_changed(changes)))

    def _take_back(self, count: int) -> list[Change]:
        """Take back the changes of the scene beyond the first ones; those that were, the last one first."""
        gone = self.done[count:][::-1]
        del self.done[count:]
        for change in gone:
            change.undo()
        return gone


class _Follower:
    """Lets a simulation be as its scene is, and back if that is refused, at the least cost.

    What the physics can change in place, it does; else it is built anew, and goes on as it was; before the
    first step it begins as the scene says. Where the world has other axes than before, the numbers of its
    file stay, and what they say is turned, as in Webots.
    """

    def __init__(self, world: SimulatedWorld) -> None:
        self._world = world
        self._editing = world.physics.can.editing  # without it what moves stays as at the start
        self._former: NamedState | None = None
        """The state before the first change that may have to be taken back, or that needs a rebuild."""
        self._before: tuple[Turn, dict[NodeId, Turn]] | None = None
        """The axes of the world and of its solids, if they are others now."""

    def follow(self, undone: Sequence[Change], made: Sequence[Change]) -> None:
        """Changes of the scene were taken back, and others made.

        Raises:
            OdesimError: the world cannot be simulated so. Take back what was made, and follow that too.
        """
        world = self._world
        changed = edits(all_changed([*undone, *made]))
        if world_axes(world.scene) != world.scene.axes:
            self._before = self._before or (world.scene.axes.world, _own_axes(world.scene))
            robots = edits((robot.node, "") for robot in instances_in(world.scene.walk()))
            changed = Edits((*changed, *robots, *ALL))
        assign_axes(world.scene)
        world.model.take_edits(changed)
        if self._editing is not None:
            self._change(self._editing)
        world.follow(changed)

    def _change(self, editing: Editing) -> bool:
        """Let the engine be what the model is now; whether it was changed in place."""
        change = difference(editing.dynamics, self._world.model.dynamics())
        if self._world.physics.elapsed_ns == 0:
            if self._before is not None or not editing.apply(change):
                editing.begin(change.model)
                return False
            return True
        if self._former is None:
            if change.gone:
                self._former = editing.named_state()
            if self._before is None and editing.apply(change):
                return True
            self._former = self._former or editing.named_state()
        editing.rebuild(self._turned(self._former), change)
        return False

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
