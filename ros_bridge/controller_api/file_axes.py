"""Convert readings and vectors to the axes of the world's file, which controllers use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sim_core.base.geometry import (
    Mat3,
    Pose,
    Vec3,
    quaternion_from_rotation,
    roll_pitch_yaw,
    rotation_from_quaternion,
    three_numbers,
)
from sim_core.base.turns import NO_TURN, Turn, inverse, turned, turned_pose, turned_rotation
from sim_core.devices import Sensor
from sim_core.devices.channels import DEVICE_AXES, NONE
from sim_core.devices.inertial.inertial_unit import OrientationReading
from sim_core.devices.radio.receiver import ReceiverReading
from sim_core.scene import Node
from sim_core.scene.axes import NUE_TO_ENU, ROTATED_BY_WEBOTS, in_file
from sim_core.scene.node import NodeAxes


def in_file_axes(sensor: Sensor, reading: Any) -> Any:
    """Return a reading whose vectors and rotations are in the axes of the file.

    Args:
        sensor: its sensor, whose channels define the axes.
        reading: in the axes of the model.
    """
    axes = sensor.spec.axes
    own: Turn = inverse(axes.own) if axes.is_old and not _is_turned(axes, sensor.spec.type_name) else NO_TURN
    if isinstance(reading, OrientationReading):
        return _orientation(reading, axes.world, own)
    if isinstance(reading, ReceiverReading):
        packets = (
            replace(each, emitter_direction=turned(own, each.emitter_direction)) for each in reading.value
        )
        return replace(reading, value=tuple(packets))
    changes = {
        name: turned(own if channel.frame == DEVICE_AXES else inverse(axes.world), getattr(reading, name))
        for name, channel in sensor.channels.items()
        if channel.frame != NONE and channel.shape == (3,)
    }
    return replace(reading, **changes)


def pose_in_file(node: Node, pose: Pose) -> Pose:
    """Convert X_WB of a node's frame from ENU to the file's axes.

    The axes of old devices that Webots converts when loading are those of the current version.
    """
    if _is_turned(node.axes, node.type_name):
        return turned_pose(inverse(node.axes.world), pose, NO_TURN)
    return in_file(node, pose)


def _is_turned(axes: NodeAxes, type_name: str) -> bool:
    return axes.is_old and not axes.is_v6 and type_name in ROTATED_BY_WEBOTS


def from_file_axes(vector: Sequence[float], turn: Turn) -> Vec3:
    """Convert a vector of a controller from the axes of the file to those of the model.

    Raises:
        PhysicsError: there are not three numbers.

    """
    return turned(turn, three_numbers(vector))


def _orientation(reading: OrientationReading, world: Turn, own: Turn) -> OrientationReading:
    rotation = turned_rotation(inverse(world), rotation_from_quaternion(reading.quaternion), own)
    angles = _yaw_about_y(rotation) if world == NUE_TO_ENU else roll_pitch_yaw(rotation)
    roll, pitch, yaw = (
        math.nan if math.isnan(old) else new for old, new in zip(reading.value, angles, strict=True)
    )
    return replace(reading, value=(roll, pitch, yaw), quaternion=quaternion_from_rotation(rotation))


def _yaw_about_y(r: Mat3) -> Vec3:
    """Return roll, pitch and yaw of R = Ry(yaw)·Rz(pitch)·Rx(roll), as used in worlds with NUE axes."""
    return (math.atan2(-r[5], r[4]), math.asin(max(-1.0, min(1.0, r[3]))), math.atan2(-r[6], r[0]))
