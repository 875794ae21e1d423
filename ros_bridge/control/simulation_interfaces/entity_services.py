"""GetEntities, GetNamedPoses, and the other services about entities."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces import filters
from ros_bridge.control.simulation_interfaces.entities import Entities
from ros_bridge.control.simulation_interfaces.filters import BOX, EMPTY, tags_match
from ros_bridge.control.simulation_interfaces.messages import flag
from ros_bridge.control.simulation_interfaces.poses import in_world, pose_from, reference, vector_from
from ros_bridge.topics.conversions import fill_pose, fill_time, fill_vector
from ros_bridge.topics.frames import WORLD
from sim_core.base.errors import Code, CommandError, hint
from sim_core.base.ids import NodeId
from sim_core.devices.vision.object_bounds import ObjectBounds
from sim_core.model.entities import Entity
from sim_core.session.pipeline import Action
from sim_core.session.world_commands import Place, SetVelocity

OBJECT, ROBOT, HUMAN, DYNAMIC, STATIC = 0, 1, 2, 4, 5
"""Categories of EntityCategory."""
CATEGORIES = (OBJECT, ROBOT, HUMAN, DYNAMIC, STATIC)
INVALID_POSE = 101


class EntityServices:
    """Each method implements the service of its name."""

    def __init__(self, runner: Runner, entities: Entities, messages: Any) -> None:
        self._runner, self._entities, self._messages = runner, entities, messages

    def get_entities(self, request: Any, response: Any) -> None:
        """Return the names of entities that match the filters."""
        response.entities = list(self._chosen(request.filters))

    def get_entities_states(self, request: Any, response: Any) -> None:
        """Return names and states."""
        chosen = self._chosen(request.filters)
        response.entities = list(chosen)
        response.states = [self._state(entity) for entity in chosen.values()]

    def get_entity_info(self, request: Any, response: Any) -> None:
        """Return category, description, tags."""
        response.info = self._info(self._entities.entity(request.entity))

    def set_entity_info(self, request: Any, response: Any) -> None:
        """Set category, description, tags until another world is loaded."""
        entity = self._entities.entity(request.entity)
        category = int(request.info.category.category)
        if category not in CATEGORIES:
            raise CommandError(f"found category {category}, expected one of {_listed(CATEGORIES)}")
        self._entities.info[entity.id] = request.info

    def get_entity_bounds(self, request: Any, response: Any) -> None:
        """Return the bounding box of an entity in its own frame: first the upper corner, then the lower."""
        bounds = self._bounds()[self._entities.entity(request.entity).id]
        low, high = bounds.box(bounds.frame.pose())
        response.bounds.type = filters.BOX
        response.bounds.points = [_vector(high), _vector(low)]

    def get_entity_state(self, request: Any, response: Any) -> None:
        """Return pose and velocity in the world."""
        response.state = self._state(self._entities.entity(request.entity))

    def set_entity_state(self, request: Any, response: Any) -> None:
        """Set pose and velocity; an acceleration is refused, because it follows from the forces."""
        entity = self._entities.entity(request.entity)
        state, sim = request.state, self._entities.sim
        frame = reference(self._entities, state.header.frame_id, INVALID_POSE)
        pose = frame.pose * pose_from(state.pose, INVALID_POSE) if flag(request, "set_pose") else None
        linear = vector_from(state.twist.linear, "velocity", Code.OPERATION_FAILED)
        angular = vector_from(state.twist.angular, "angular velocity", Code.OPERATION_FAILED)
        moves, sets_twist = self._moves(entity), flag(request, "set_twist")
        if sets_twist and not moves and any((*linear, *angular)):
            raise CommandError(f'"{request.entity}" cannot move, expected no velocity')
        pushes = (state.acceleration.linear, state.acceleration.angular)
        push = [number for each in pushes for number in (each.x, each.y, each.z)]
        if flag(request, "set_acceleration") and any(push):
            found = f'found an acceleration of {_listed(push)} for "{request.entity}"'
            expected = "expected none: it follows from the forces"
            raise CommandError(f"{found}, {expected}", Code.FEATURE_UNSUPPORTED)
        name = self._entities.lasting_name(entity)
        actions: list[Action] = []
        if pose is not None:
            actions.append(Place(name, pose.position, pose.rotation))
        if sets_twist and moves:
            at = (pose or sim.physics.frame(entity.id).pose()).position
            actions.append(SetVelocity(name, *in_world(frame, at, linear, angular)))
        self._runner.execute(*actions)

    def delete_entity(self, request: Any, response: Any) -> None:
        """Remove an entity from the world."""
        self._entities.remove_entity(self._entities.entity(request.entity))

    # ---- helpers

    def _chosen(self, wanted: Any) -> dict[str, Entity]:
        entities = self._entities.all()
        named = filters.names_with(wanted.filter, tuple(entities))
        categories = [int(each.category) for each in wanted.categories]
        region = filters.BoundedRegion(wanted.bounds)
        chosen = {}
        bounds = self._bounds() if region.kind != filters.EMPTY else {}
        for name, entity in entities.items():
            if name not in named:
                continue
            if categories or wanted.tags.tags:
                info = self._info(entity)
                if categories and int(info.category.category) not in categories:
                    continue
                if not filters.tags_match(wanted.tags, info.tags):
                    continue
            if bounds and not region.meets(_corners(bounds[entity.id])):
                continue
            chosen[name] = entity
        return chosen

    def _info(self, entity: Entity) -> Any:
        """Return what was set, or else what the scene says."""
        found = self._entities.info.get(entity.id)
        if found is not None:
            return found
        info = self._messages.EntityInfo()
        info.category.category = ROBOT if entity.is_robot else DYNAMIC if entity.has_physics else STATIC
        info.description, info.tags = entity.description, list(entity.tags)
        return info

    def _moves(self, entity: Entity) -> bool:
        return self._entities.sim.physics.is_dynamic(entity.id)

    def _state(self, entity: Entity) -> Any:
        state = self._messages.EntityState()
        frame = self._entities.sim.physics.frame(entity.id)
        state.header.frame_id = WORLD
        fill_time(state.header.stamp, self._entities.sim.time_ns)
        fill_pose(state.pose, frame.pose())
        fill_vector(state.twist.linear, frame.linear_velocity())
        fill_vector(state.twist.angular, frame.angular_velocity())
        return state

    def _bounds(self) -> dict[NodeId, ObjectBounds]:
        sim = self._entities.sim
        outermost = {each.id for each in self._entities.all().values()}
        found = sim.physics.model.objects(lambda node: node.id in outermost)
        return {each.spec.id: ObjectBounds(each, sim.physics.frame) for each in found}


def _corners(bounds: ObjectBounds) -> Any:
    """Return the corners of the box of GetEntityBounds, in the world."""
    pose = bounds.frame.pose()
    return np.array([pose.apply(tuple(corner)) for corner in filters.corners(*bounds.box(pose))])


def _vector(values: Any) -> Any:
    return Vector3(x=float(values[0]), y=float(values[1]), z=float(values[2]))


def _listed(values: Any) -> str:
    return ", ".join(str(value) for value in values)


class NamedPoses:
    """Each method implements the service of its name."""

    def __init__(self, entities: Entities, messages: Any) -> None:
        self._entities, self._messages = entities, messages

    def get_named_poses(self, request: Any, response: Any) -> None:
        """Return all named poses in the world; the tag of each is its type."""
        poses = []
        for name, place in self._entities.places().items():
            tags = [place.kind]
            if tags_match(request.tags, tags):
                pose = self._messages.NamedPose()
                pose.name, pose.tags = name, tags
                fill_pose(pose.pose, self._entities.sim.physics.frame(place.id).pose())
                poses.append(pose)
        response.poses = poses

    def get_named_pose_bounds(self, request: Any, response: Any) -> None:
        """Return the bounding box of the shapes that mark the place, in its frame; none if there are none."""
        poses = self._entities.places()
        place = poses.get(request.name)
        if place is None:
            raise CommandError(f'no named pose "{request.name}"{hint(request.name, poses)}', Code.NOT_FOUND)
        own = self._entities.sim.physics.frame(place.id)
        response.bounds.type = BOX if place.marks.bounding else EMPTY
        if place.marks.bounding:
            box = ObjectBounds(place.marks, lambda _: own).box(own.pose())
            low, high = (Vector3(x=float(x), y=float(y), z=float(z)) for x, y, z in box)
            response.bounds.points = [high, low]
