"""Read and check poses and velocities of messages, in the frames that a request names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ros_bridge.control.simulation_interfaces.entities import Entities
from ros_bridge.topics.frames import WORLD
from sim_core.base.errors import CommandError
from sim_core.base.geometry import ZERO, Pose, Vec3, add, cross, rotate, rotation_from_quaternion, subtract

MAX_COORDINATE = 1e9
"""m"""
NEAR_ONE = 0.01
"""Largest deviation of a quaternion's length from 1, for values in single precision."""


class Reference(NamedTuple):
    """A frame of reference with its motion: m/s of its origin and rad/s, in world axes."""

    pose: Pose = Pose()
    linear: Vec3 = ZERO
    angular: Vec3 = ZERO


def reference(entities: Entities, frame_id: str, invalid: int) -> Reference:
    """Return the frame of a header: the world, or an entity.

    Args:
        entities: present entities.
        frame_id: empty or `world`; else the name of an entity, with or without `/base_link`.
        invalid: error code for an unknown frame.

    Raises:
        CommandError: there is no such frame.
    """
    name = frame_id.strip("/")
    if name in ("", WORLD):
        return Reference()
    known = entities.all()
    entity = known.get(name) or known.get(name.removesuffix("/base_link"))
    if entity is None:
        raise CommandError(f'no frame "{frame_id}", expected {WORLD} or an entity', invalid)
    frame = entities.sim.physics.frame(entity.id)
    return Reference(frame.pose(), frame.linear_velocity(), frame.angular_velocity())


def pose_from(message: Any, invalid: int) -> Pose:
    """Convert a geometry_msgs/Pose.

    Raises:
        CommandError: it is not finite, too far away, or its quaternion is not a rotation.
    """
    position, turn = message.position, message.orientation
    numbers = (position.x, position.y, position.z, turn.x, turn.y, turn.z, turn.w)
    if not all(map(math.isfinite, numbers)):
        raise CommandError(f"found the pose {_listed(numbers)}, expected finite numbers", invalid)
    if max(map(abs, numbers[:3])) > MAX_COORDINATE:
        raise CommandError(
            f"found the position {_listed(numbers[:3])}, expected at most {MAX_COORDINATE:g} m on an axis",
            invalid,
        )
    length = math.hypot(*numbers[3:])
    if abs(length - 1.0) > NEAR_ONE:
        raise CommandError(
            f"found the quaternion {_listed(numbers[3:])} of length {length:g}, expected length 1", invalid
        )
    x, y, z, w = (number / length for number in numbers[3:])
    return Pose((numbers[0], numbers[1], numbers[2]), rotation_from_quaternion((x, y, z, w)))


def vector_from(message: Any, what: str, code: int) -> Vec3:
    """Convert a geometry_msgs/Vector3.

    Raises:
        CommandError: it is not finite.
    """
    numbers = (message.x, message.y, message.z)
    if not all(map(math.isfinite, numbers)):
        raise CommandError(f"found the {what} {_listed(numbers)}, expected finite numbers", code)
    return numbers


def in_world(frame: Reference, at: Vec3, linear: Vec3, angular: Vec3) -> tuple[Vec3, Vec3]:
    """Return the velocity in the world of a motion relative to a frame: v = v_F + ω_F × (p − p_F) + R v'.

    Args:
        frame: F.
        at: p, in the world.
        linear, angular: v' and ω', in the axes of F.
    """
    turn = frame.pose.rotation
    carried = add(frame.linear, cross(frame.angular, subtract(at, frame.pose.position)))
    return add(carried, rotate(turn, linear)), add(frame.angular, rotate(turn, angular))


def _listed(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:g}" for number in numbers)
