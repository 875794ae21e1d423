"""InertialUnit: orientation of the device in the world."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim_core.base.geometry import (
    ZERO,
    Mat3,
    Quaternion,
    Vec3,
    axis_angle_from_rotation,
    multiply,
    norm,
    quaternion_from_rotation,
    rotation_from_axis_angle,
    rotation_from_quaternion,
    rotation_from_roll_pitch_yaw,
)
from sim_core.base.turns import inverse, turned_rotation
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import WORLD_AXES, Channel, Errors, declare
from sim_core.devices.field_checks import noise_of, resolution_of, rounded, total_deviation
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class OrientationReading(Reading):
    """Orientation of the device in the world.

    Attributes:
        value: roll, pitch, yaw in rad, NaN on a disabled axis.
        quaternion: (x, y, z, w) of the same rotation.
        deviation: standard deviation of the rotation about each of the device's axes, rad.
    """

    value: Vec3
    quaternion: Quaternion
    deviation: Vec3 = ZERO

    def rotated(self, turn: Vec3) -> OrientationReading:
        """Return the reading after a small rotation: `turn` is its rotation vector in rad, in the device's
        axes."""
        wrong = rotation_from_axis_angle((*turn, norm(turn)))
        rotation = multiply(rotation_from_quaternion(self.quaternion), wrong)
        quaternion = quaternion_from_rotation(rotation)
        roll, pitch, yaw = (
            math.nan if math.isnan(old) else new
            for old, new in zip(self.value, _angles(*quaternion), strict=True)
        )
        return OrientationReading(self.time_ns, (roll, pitch, yaw), quaternion, self.deviation)


class InertialUnit(Sensor):
    """Roll, pitch and yaw of R = Rz(yaw)·Ry(pitch)·Rx(roll), the rotation of the device in an ENU world.

    Yaw is 0 where the device's x axis points east and grows counter-clockwise; pitch is positive nose down.

    - `noise`: the rotation is followed by three small ones, about the device's own axes, with angles of
      standard deviation noise·π (as Webots does; its manual says π/2).
    - `xAxis` is roll, `yAxis` yaw, `zAxis` pitch. The angle of a disabled one is NaN, and the axis of the
      rotation in the quaternion has its x, z or y component set to 0.
    - `resolution` rounds the components of the quaternion, from which the angles are computed.
    """

    channels = declare(
        value=Channel("rad", (3,), frame=WORLD_AXES, low=-math.pi, high=math.pi, errors=Errors.ROTATED),
        quaternion=Channel("", (4,), frame=WORLD_AXES, low=-1.0, high=1.0, errors=Errors.REFUSED),
    )

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self._deviation = noise_of(spec, math.pi)
        self._noise = Noise(context.seed) if self._deviation else None
        self._resolution = resolution_of(spec)
        # A quaternion that is off by δ is a rotation that is off by 2δ.
        step = None if self._resolution is None else 2.0 * self._resolution
        self._total_deviation = (total_deviation(self._deviation, step),) * 3
        # in the order of the world's axes x, y, z: roll, pitch, yaw
        self._kept = (spec["xAxis"], spec["zAxis"], spec["yAxis"])

    def sample(self, time_ns: int) -> OrientationReading:
        """Measure the orientation."""
        rotation = self.frame.pose().rotation
        if self._noise:
            roll, pitch, yaw = (self._deviation * normal for normal in self._noise.normals(time_ns, 3))
            rotation = multiply(rotation, rotation_from_roll_pitch_yaw(roll, pitch, yaw))
        kept = self._kept
        if not all(kept):
            rotation = self._without_axes(rotation)
        x, y, z, w = _signed(quaternion_from_rotation(rotation))
        step = self._resolution
        if step is not None:
            x, y, z, w = rounded(x, step), rounded(y, step), rounded(z, step), rounded(w, step)
        roll, pitch, yaw = _angles(x, y, z, w)
        angles = (
            roll if kept[0] else math.nan,
            pitch if kept[1] else math.nan,
            yaw if kept[2] else math.nan,
        )
        return OrientationReading(time_ns, angles, (x, y, z, w), self._total_deviation)

    def _without_axes(self, rotation: Mat3) -> Mat3:
        """Remove the disabled components of the rotation's axis, in the axes of the world's file."""
        world, own = self.spec.axes.world, self.spec.axes.own
        x, y, z, angle = axis_angle_from_rotation(turned_rotation(inverse(world), rotation, inverse(own)))
        kept = self._kept
        left = (x if kept[0] else 0.0, y if kept[1] else 0.0, z if kept[2] else 0.0, angle)
        return turned_rotation(world, rotation_from_axis_angle(left), own)


def _signed(quaternion: Quaternion) -> Quaternion:
    """Return the quaternion of a rotation with the sign that Webots chooses: w ≥ 0 if the trace of the
    matrix,
    4·w² − 1, is 0 or more, else the largest of x, y and z is positive.
    """
    x, y, z, w = quaternion
    if 4.0 * w * w < 1.0 and max(x, y, z) < -min(x, y, z):
        return (-x, -y, -z, -w)
    return quaternion


def _angles(x: float, y: float, z: float, w: float) -> Vec3:
    """Return roll, pitch and yaw of a quaternion, whose length need not be 1."""
    scale = x * x + y * y + z * z + w * w
    if scale == 0.0:
        return (math.nan, math.nan, math.nan)
    roll = math.atan2(2.0 * (w * x + y * z), w * w - x * x - y * y + z * z)
    pitch = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - x * z) / scale)))
    yaw = math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)
    return (roll, pitch, yaw)
