"""The changes that have been made to a running world, which follows each that is made or taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sim_core.base.ids import NodeId
from sim_core.base.turns import KEEP, Turn, after, back
from sim_core.engines.capabilities import Editing, NamedState
from sim_core.model.changes import ALL, Edits, edits
from sim_core.model.dynamics.difference import Turns, difference
from sim_core.model.robots import instances_in
from sim_core.model.routes import Route, route
from sim_core.model.surroundings import viewpoint_node, viewpoint_of
from sim_core.recording.follow import followed_pose, viewpoint_field_pose
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
from sim_core.session.supervision.present import fields_of_view

KEPT_AT_RESET = ("controllerArgs", "customData", "description", "supervisor")
"""Fields that say nothing of the start: a reset leaves them as they were set, as in Webots."""


@dataclass(eq=False)
class _Before:
    """What was before changes, as far as it must be known to go on from it, or to go back.

    Attributes:
        state: of the engine, before the first change that it cannot make, or not take back, in place.
        axes: of the world and of its solids, if they are others now.
    """

    state: NamedState | None = None
    axes: tuple[Turn, dict[NodeId, Turn]] | None = None

    def turns(self, scene: Scene) -> Turns | None:
        """What takes the axes of before to those of now; None: they are the same."""
        if self.axes is None:
            return None
        world, own = self.axes
        turns = {solid: after(now, back(own.get(solid, KEEP))) for solid, now in _own_axes(scene).items()}
        return Turns(after(scene.axes.world, back(world)), turns)


class _KeptView:
    """Where the Viewpoint is, before changes of the scene.

    Where the solid started counts when following begins, and what the scene says later of its start does not,
    as in Webots: a supervisor that puts the solid elsewhere takes the Viewpoint along, before the first step
    too.
    """

    def __init__(self, world: SimulatedWorld) -> None:
        self._world = world
        self._node = viewpoint_node(world.scene)
        self._view = viewpoint_of(world.scene, self._node)
        self._pose = followed_pose(world.physics, self._view)

    def changes(self) -> list[FieldChange]:
        """What the Viewpoint has to say after the changes, to be where it was, or where the solid has taken
        it meanwhile."""
        node, scene = self._node, self._world.scene
        if node is None or node is not viewpoint_node(scene):
            return []
        was, view, physics = self._view, viewpoint_of(scene, node), self._world.physics
        if (view.follow, view.how, view.start) == (was.follow, was.how, was.start):
            return []
        pose = followed_pose(physics, was) if view.follow == was.follow else self._pose
        stated = viewpoint_field_pose(physics, view, pose)
        return [FieldChange(node, field, value) for field, value in fields_of_view(node, stated).items()]


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
        self._editing = world.physics.can.editing  # without it what moves stays as at the start

    def make(self, changes: Sequence[Change], then: Callable[[], None] | None = None) -> None:
        """Make changes, and what belongs to them, before anybody is told.

        Raises:
            OdesimError: the world cannot be simulated with them, or is not to be; it is as before.
        """
        before, known, view = _Before(), len(self.done), _KeptView(self._world)
        try:
            self._do(changes)
            self._follow([], changes, before)
            if then is not None:
                then()
            self._keep(view)
            self._tell()
        except Exception:
            self._follow(self._take_back(known), [], before)
            self._tell()  # again: some may have heard of the changes already
            raise
        self._world.commit_edits()
        for node in [node for change in changes if isinstance(change, RootChange) for node in change.gone]:
            self.done = without(self.done, node)

    def note(self, changes: Sequence[Change]) -> None:
        """Make changes that the physics has followed already."""
        view = _KeptView(self._world)
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
            self._follow_before_reset(gone)
            self._tell()
            self._world.commit_edits()
        return bool(gone)

    def go_to(self, changes: list[Change]) -> None:
        """Make and take back changes until these, and no others, have been made."""
        gone, come = self._become(changes)
        if gone or come:
            self._follow(gone, come, _Before())
            self._tell()
            self._world.commit_edits()

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

    def _keep(self, view: _KeptView) -> None:
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

    def _follow(self, undone: Sequence[Change], made: Sequence[Change], before: _Before) -> None:
        """Changes of the scene were taken back, and others made: let the simulation be as its scene is.

        What the engine can change in place, it does; else it is built anew, and goes on as it was; before the
        first step it begins as the scene says. Where the world has other axes than before, the numbers of its
        file stay, and what they say is turned, as in Webots.

        Raises:
            OdesimError: the world cannot be simulated so. Take back what was made, and follow that too.
        """
        world = self._world
        changed = edits(all_changed([*undone, *made]))
        if world_axes(world.scene) != world.scene.axes:
            before.axes = before.axes or (world.scene.axes.world, _own_axes(world.scene))
            robots = edits((robot.node, "") for robot in instances_in(world.scene.walk()))
            changed = Edits((*changed, *robots, *ALL))
        assign_axes(world.scene)
        world.model.take_edits(changed)
        if self._editing is not None:
            self._change(self._editing, before)
        world.follow(changed)

    def _change(self, editing: Editing, before: _Before) -> None:
        """Let the engine be what the model is now."""
        change = difference(editing.dynamics, self._world.model.dynamics())
        if self._world.physics.elapsed_ns == 0:
            if before.axes is not None or not editing.apply(change):
                editing.rebuild(change)
            return
        if before.state is None:
            if change.gone:
                before.state = editing.named_state()
            if before.axes is None and editing.apply(change):
                return
            before.state = before.state or editing.named_state()
        editing.rebuild(change._replace(turns=before.turns(self._world.scene)), before.state)

    def _follow_before_reset(self, undone: Sequence[Change]) -> None:
        """All changes of the scene were taken back, and a reset comes, which reads poses and velocities."""
        changed = all_changed(undone)
        if self._editing is not None and all(route(*each) is not Route.SCENE for each in changed):
            self._world.model.take_edits(edits(changed))
            self._world.tell_robots(edits(changed))
        else:
            self._follow(undone, [], _Before())


def _own_axes(scene: Scene) -> dict[NodeId, Turn]:
    """What takes the axes of each solid's own frame, as its file has them, to those of the model."""
    return {node.id: node.axes.own for node in scene.walk() if node.is_a("Solid")}
