"""GetEntities and all that is about entities that are there."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3

from ros_bridge.control.host import Host
from ros_bridge.control.simulation_interfaces import filters
from ros_bridge.control.simulation_interfaces.entities import Entities, outermost_solids
from ros_bridge.control.simulation_interfaces.messages import flag
from ros_bridge.control.simulation_interfaces.poses import in_world, pose_from, reference, vector_from
from ros_bridge.topics.conversions import fill_pose, fill_time, fill_vector
from ros_bridge.topics.frames import WORLD
from sim_core.base.errors import Code, CommandError
from sim_core.devices.vision.object_bounds import ObjectBounds, Objects
from sim_core.scene import Node
from sim_core.session.pipeline import Wish
from sim_core.session.world_commands import Place, SetVelocity

OBJECT, ROBOT, HUMAN, DYNAMIC, STATIC = 0, 1, 2, 4, 5
"""Of EntityCategory."""
CATEGORIES = (OBJECT, ROBOT, HUMAN, DYNAMIC, STATIC)
INVALID_POSE = 101


class EntityServices:
    """Each method answers the service of its name."""

    def __init__(self, host: Host, entities: Entities, messages: Any) -> None:
        self._host, self._entities, self._messages = host, entities, messages

    def get_entities(self, request: Any, response: Any) -> None:
        """Names of those that the filters let through."""
        response.entities = list(self._chosen(request.filters))

    def get_entities_states(self, request: Any, response: Any) -> None:
        """Names and states."""
        chosen = self._chosen(request.filters)
        response.entities = list(chosen)
        response.states = [self._state(node) for node in chosen.values()]

    def get_entity_info(self, request: Any, response: Any) -> None:
        """Category, description, tags."""
        response.info = self._info(self._entities.node(request.entity))

    def set_entity_info(self, request: Any, response: Any) -> None:
        """Other ones, until another world is loaded."""
        node = self._entities.node(request.entity)
        category = int(request.info.category.category)
        if category not in CATEGORIES:
            raise CommandError(f"found category {category}, expected one of {_listed(CATEGORIES)}")
        self._entities.info[node] = request.info

    def get_entity_bounds(self, request: Any, response: Any) -> None:
        """The box round an entity, in its own frame: first the upper corner, then the lower."""
        node = self._entities.node(request.entity)
        bounds = self._bounds()[node]
        low, high = bounds.box(bounds.frame.pose())
        response.bounds.type = filters.BOX
        response.bounds.points = [_vector(high), _vector(low)]

    def get_entity_state(self, request: Any, response: Any) -> None:
        """Where it is and how it moves, in the world."""
        response.state = self._state(self._entities.node(request.entity))

    def set_entity_state(self, request: Any, response: Any) -> None:
        """Put it somewhere, let it move; the acceleration follows from the forces and is not set."""
        node = self._entities.node(request.entity)
        state, sim = request.state, self._entities.sim
        frame = reference(self._entities, state.header.frame_id, INVALID_POSE)
        pose = frame.pose * pose_from(state.pose, INVALID_POSE) if flag(request, "set_pose") else None
        linear = vector_from(state.twist.linear, "velocity", Code.OPERATION_FAILED)
        angular = vector_from(state.twist.angular, "angular velocity", Code.OPERATION_FAILED)
        moves, sets_twist = self._moves(node), flag(request, "set_twist")
        if sets_twist and not moves and any((*linear, *angular)):
            raise CommandError(f'"{request.entity}" cannot move, expected no velocity')
        pushes = (state.acceleration.linear, state.acceleration.angular)
        push = [number for each in pushes for number in (each.x, each.y, each.z)]
        if flag(request, "set_acceleration") and not moves and any(push):
            raise CommandError(f'"{request.entity}" cannot move, expected no acceleration')
        name = sim.supervisor.lasting(node)
        wishes: list[Wish] = []
        if pose is not None:
            wishes.append(Place(name, pose.position, pose.rotation))
        if sets_twist and moves:
            at = (pose or sim.supervisor.pose(node)).position
            wishes.append(SetVelocity(name, *in_world(frame, at, linear, angular)))
        self._host.must(*wishes)

    def delete_entity(self, request: Any, response: Any) -> None:
        """Take it out of the world."""
        self._entities.remove(self._entities.node(request.entity))

    # ---- within

    def _chosen(self, wanted: Any) -> dict[str, Node]:
        pattern = filters.name_filter(wanted.filter)
        categories = [int(each.category) for each in wanted.categories]
        region = filters.Region(wanted.bounds)
        chosen = {}
        bounds = self._bounds() if region.kind != filters.EMPTY else {}
        for name, node in self._entities.all().items():
            if not pattern.search(name):
                continue
            if categories or wanted.tags.tags:
                info = self._info(node)
                if categories and int(info.category.category) not in categories:
                    continue
                if not filters.tags_match(wanted.tags, info.tags):
                    continue
            if bounds and not region.meets(_corners(bounds[node])):
                continue
            chosen[name] = node
        return chosen

    def _info(self, node: Node) -> Any:
        """What was set, or what follows from the node: its tags are its type, its PROTO and its model."""
        found = self._entities.info.get(node)
        if found is not None:
            return found
        info = self._messages.EntityInfo()
        info.category.category = (
            ROBOT if node.is_a("Robot") else DYNAMIC if node["physics"] is not None else STATIC
        )
        proto = node.proto.node_type.name if node.proto is not None else ""
        info.description = node["description"]
        info.tags = list(dict.fromkeys(tag for tag in (node.type_name, proto, node["model"]) if tag))
        return info

    def _moves(self, node: Node) -> bool:
        return self._entities.sim.physics.is_dynamic(node)

    def _state(self, node: Node) -> Any:
        state = self._messages.EntityState()
        frame = self._entities.sim.physics.frame(node)
        state.header.frame_id = WORLD
        fill_time(state.header.stamp, self._entities.sim.time_ns)
        fill_pose(state.pose, frame.pose())
        fill_vector(state.twist.linear, frame.linear_velocity())
        fill_vector(state.twist.angular, frame.angular_velocity())
        return state

    def _bounds(self) -> dict[Node, ObjectBounds]:
        sim = self._entities.sim
        outermost = list(outermost_solids(sim.scene.nodes))
        found = Objects(sim.scene, sim.physics.frame, lambda node: any(node is each for each in outermost))
        return {each.solid: each for each in found.bounds}


def _corners(bounds: ObjectBounds) -> Any:
    """Of the box of GetEntityBounds, in the world."""
    pose = bounds.frame.pose()
    return np.array([pose.apply(tuple(corner)) for corner in filters.corners(*bounds.box(pose))])


def _vector(values: Any) -> Any:
    return Vector3(x=float(values[0]), y=float(values[1]), z=float(values[2]))


def _listed(values: Any) -> str:
    return ", ".join(str(value) for value in values)
