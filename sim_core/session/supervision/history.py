"""History of edits of a running world: makes and undoes changes and updates the world accordingly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sim_core.base.ids import NodeId
from sim_core.base.turns import NO_TURN, Turn, composed, inverse
from sim_core.engines.capabilities import Editing, NamedState
from sim_core.model.changes import ALL, Edits, edits
from sim_core.model.dynamics.difference import AxisTurns, difference
from sim_core.model.field_routes import FieldRoute, route_of
from sim_core.model.robots import instances_in
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
from sim_core.session.supervision.present_state import fields_of_view

KEPT_AT_RESET = ("controllerArgs", "customData", "description", "supervisor")
"""Fields that a reset leaves as they were set, as in Webots: they do not affect the start."""


@dataclass(eq=False)
class _StateBefore:
    """State before changes, as far as it is needed to continue from it or to restore it.

    Attributes:
        state: of the engine, before the first change that it cannot make or undo in place.
        axes: of the world and its solids, if they have changed.
    """

    state: NamedState | None = None
    axes: tuple[Turn, dict[NodeId, Turn]] | None = None

    def turns(self, scene: Scene) -> AxisTurns | None:
        """Return the rotations from the axes before to the present ones; None if they are equal."""
        if self.axes is None:
            return None
        world, own = self.axes
        turns = {
            solid: composed(now, inverse(own.get(solid, NO_TURN))) for solid, now in _own_axes(scene).items()
        }
        return AxisTurns(composed(scene.axes.world, inverse(world)), turns)


class _KeptView:
    """The Viewpoint's pose before changes of the scene, so that it can be kept.

    A Viewpoint that follows a solid uses the solid's pose at the beginning of following, and not later
    changes of its start pose in the scene, as in Webots: a supervisor that moves the solid moves the
    Viewpoint too, also before the first step.
    """

    def __init__(self, world: SimulatedWorld) -> None:
        self._world = world
        self._node = viewpoint_node(world.scene)
        self._view = viewpoint_of(world.scene, self._node)
        self._pose = followed_pose(world.physics, self._view)

    def changes(self) -> list[FieldChange]:
        """Return the changes that keep the Viewpoint where it was, or where the followed solid has moved it
        meanwhile."""
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
    """Changes of the scene since it was loaded.

    A node that was added and removed again is dropped, unless an older list of changes (a snapshot) refers to
    it.

    Attributes:
        done: the changes, oldest first.
    """

    def __init__(self, world: SimulatedWorld, notify: Callable[[], None]) -> None:
        """Create an empty history; `notify` is called after each change and refuses it by raising an
        error."""
        self.done: list[Change] = []
        self._world, self._notify = world, notify
        self._editing = world.physics.can.editing  # None: dynamics cannot be edited

    def make(self, changes: Sequence[Change], then: Callable[[], None] | None = None) -> None:
        """Make changes, call `then`, and notify observers.

        Raises:
            OdesimError: the world cannot be simulated with them, or an observer refuses; the world is
                restored.
        """
        before, known, view = _StateBefore(), len(self.done), _KeptView(self._world)
        try:
            self._make(changes)
            self._update_world([], changes, before)
            if then is not None:
                then()
            self._keep_view(view)
            self._notify()
        except Exception:
            self._update_world(self._undo(known), [], before)
            self._notify()  # again, because some observers may have been notified of the changes
            raise
        self._world.commit_edits()
        for node in [node for change in changes if isinstance(change, RootChange) for node in change.removed]:
            self.done = without(self.done, node)

    def note(self, changes: Sequence[Change]) -> None:
        """Record changes that the physics has applied already."""
        view = _KeptView(self._world)
        self._make(changes)
        changed = edits(all_changed(changes))
        self._world.model.apply_edits(changed)
        self._world.apply_to_robots(changed)
        self._keep_view(view)

    def undo_all(self) -> bool:
        """Undo all changes before a reset, except of fields that a reset leaves as they were set.

        Returns:
            True if a change was undone.
        """
        removed, notes = list[Change](), dict[tuple[Node, str, type], FieldChange | ParameterChange]()
        for each in self._undo(0):
            if isinstance(each, (FieldChange, ParameterChange)) and each.field in KEPT_AT_RESET:
                notes.setdefault((each.node, each.field, type(each)), each)
            else:
                removed.append(each)
        for note in list(notes.values())[::-1]:
            if self._world.scene.holds(note.node):
                self._make([note.repeated()])
        if removed:
            self._update_before_reset(removed)
            self._notify()
            self._world.commit_edits()
        return bool(removed)

    def go_to(self, changes: list[Change]) -> None:
        """Make and undo changes until exactly these have been made."""
        removed, added = self._set_done(changes)
        if removed or added:
            self._update_world(removed, added, _StateBefore())
            self._notify()
            self._world.commit_edits()

    @contextmanager
    def scene_at(self, changes: list[Change]) -> Iterator[Scene]:
        """Return the scene after exactly these changes; afterwards it is restored."""
        now = list(self.done)
        self._set_done(changes)
        try:
            yield self._world.scene
        finally:
            self._set_done(now)

    def _set_done(self, wanted: list[Change]) -> tuple[list[Change], list[Change]]:
        """Change the scene until `done` is `wanted`; return the undone and the made changes."""
        common = 0
        while common < min(len(wanted), len(self.done)) and wanted[common] is self.done[common]:
            common += 1
        removed, added = self._undo(common), wanted[common:]
        self._make(added)
        return removed, added

    def _make(self, changes: Sequence[Change]) -> None:
        """Make changes of the scene."""
        for change in changes:
            change.do()
            self.done.append(change)

    def _keep_view(self, view: _KeptView) -> None:
        """Write the Viewpoint's pose so that it stays where it is."""
        if changes := view.changes():
            self._make(changes)
            self._world.model.apply_edits(edits(all_changed(changes)))

    def _undo(self, count: int) -> list[Change]:
        """Undo all changes but the first `count`; return them, the last one first."""
        removed = self.done[count:][::-1]
        del self.done[count:]
        for change in removed:
            change.undo()
        return removed

    def _update_world(self, undone: Sequence[Change], made: Sequence[Change], before: _StateBefore) -> None:
        """Update the world after changes of the scene were undone and made.

        The engine applies what it can in place; otherwise it is rebuilt and continues from its state, or,
        before the first step, starts from the scene. If the axes of the world have changed, the numbers of
        the file are kept and their meaning is rotated, as in Webots.

        Raises:
            OdesimError: the world cannot be simulated so. Undo the changes and call this again.
        """
        world = self._world
        changed = edits(all_changed([*undone, *made]))
        if world_axes(world.scene) != world.scene.axes:
            before.axes = before.axes or (world.scene.axes.world, _own_axes(world.scene))
            robots = edits((robot.node, "") for robot in instances_in(world.scene.walk()))
            changed = Edits((*changed, *robots, *ALL))
        assign_axes(world.scene)
        world.model.apply_edits(changed)
        if self._editing is not None:
            self._update_engine(self._editing, before)
        world.apply_edits(changed)

    def _update_engine(self, editing: Editing, before: _StateBefore) -> None:
        """Update the engine from the model."""
        change = difference(editing.dynamics, self._world.model.dynamics())
        if self._world.physics.clock.elapsed_ns == 0:
            if before.axes is not None or not editing.apply(change):
                editing.rebuild(change)
            return
        if before.state is None:
            if change.removed:
                before.state = editing.named_state()
            if before.axes is None and editing.apply(change):
                return
            before.state = before.state or editing.named_state()
        editing.rebuild(change._replace(turns=before.turns(self._world.scene)), before.state)

    def _update_before_reset(self, undone: Sequence[Change]) -> None:
        """Update the world after all changes were undone, before a reset, which reads poses and velocities
        again."""
        changed = all_changed(undone)
        if self._editing is not None and all(route_of(*each) is not FieldRoute.SCENE for each in changed):
            self._world.model.apply_edits(edits(changed))
            self._world.apply_to_robots(edits(changed))
        else:
            self._update_world(undone, [], _StateBefore())


def _own_axes(scene: Scene) -> dict[NodeId, Turn]:
    """Return the rotation from the axes of each solid's own frame in its file to those of the model."""
    return {node.id: node.axes.own for node in scene.walk() if node.is_a("Solid")}
