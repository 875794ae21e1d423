"""A Viewpoint that follows a solid goes on from where it is when the scene changes."""

from __future__ import annotations

from sim_core.model.surroundings import viewpoint_node, viewpoint_of
from sim_core.recording.follow import followed_pose, stated_view
from sim_core.session.simulated_world import SimulatedWorld
from sim_core.session.supervision.changes import FieldChange
from sim_core.session.supervision.present import fields_of_view


class KeptView:
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
        stated = stated_view(physics, view, pose)
        return [FieldChange(node, field, value) for field, value in fields_of_view(node, stated).items()]
