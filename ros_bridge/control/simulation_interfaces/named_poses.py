"""GetNamedPoses, GetNamedPoseBounds: Pose nodes with a DEF name and no solid in them."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Vector3

from ros_bridge.control.simulation_interfaces.entities import Entities
from ros_bridge.control.simulation_interfaces.filters import BOX, EMPTY, tags_match
from ros_bridge.topics.conversions import fill_pose
from sim_core.base.errors import Code, CommandError, hint
from sim_core.devices.vision.object_bounds import ObjectBounds
from sim_core.model.frames import pose_of
from sim_core.model.shapes import visible_shapes_of
from sim_core.scene import Node


class NamedPoses:
    """Each method answers the service of its name."""

    def __init__(self, entities: Entities, messages: Any) -> None:
        self._entities, self._messages = entities, messages

    def get_named_poses(self, request: Any, response: Any) -> None:
        """All of them, with their poses in the world; the tag of each is its type."""
        poses = []
        for name, node in self._all().items():
            tags = [node.type_name]
            if tags_match(request.tags, tags):
                pose = self._messages.NamedPose()
                pose.name, pose.tags = name, tags
                fill_pose(pose.pose, self._entities.sim.physics.frame(node).pose())
                poses.append(pose)
        response.poses = poses

    def get_named_pose_bounds(self, request: Any, response: Any) -> None:
        """The box round the shapes that mark the place, in its frame; no bounds where there are none."""
        poses = self._all()
        node = poses.get(request.name)
        if node is None:
            raise CommandError(f'no named pose "{request.name}"{hint(request.name, poses)}', Code.NOT_FOUND)
        frame = self._entities.sim.physics.frame
        own = pose_of(node)
        shapes = [
            shape._replace(solid=node, offset=own.inverse() * shape.offset)
            for shape in visible_shapes_of(node)
        ]
        response.bounds.type = BOX if shapes else EMPTY
        if shapes:
            box = ObjectBounds(node, frame, shapes, ()).box(frame(node).pose())
            low, high = (Vector3(x=float(x), y=float(y), z=float(z)) for x, y, z in box)
            response.bounds.points = [high, low]

    def _all(self) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for node in self._entities.sim.scene.walk():
            if not node.def_name or node.use_name or not node.is_a("Pose") or node.is_a("Solid"):
                continue
            above = node.ancestors()
            if not any(each.is_a("Solid") for each in (*node.walk(), *above)):
                found.setdefault(node.def_name, node)
        return found
