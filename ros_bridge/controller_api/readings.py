"""Encode readings for controllers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ros_bridge.controller_api.file_axes import in_file_axes
from sim_core.base.geometry import Pose, axis_angle_from_rotation
from sim_core.base.ids import NodeId
from sim_core.devices import Sensor
from sim_core.devices.ranging.lidar import Lidar
from sim_core.devices.vision.camera import Camera, CameraReading
from sim_core.scene.node import CURRENT_AXES
from webots_api.controller.robot import CLASSES


def encoder(
    sensor: Sensor, cloud: bool = False, number_of: Callable[[NodeId], int] = int
) -> Callable[[Any], Any]:
    """Return the function that makes numbers, texts and bytes of a sensor's reading.

    Args:
        sensor: the sensor.
        cloud: whether to include the points of a lidar.
        number_of: returns the controllers' number of a node.
    """
    kind = sensor.spec.type_name
    encode: Callable[[Any], Any]
    if kind == "Lidar":
        encode = partial(_scan, sensor, cloud)
    elif kind == "Camera":
        encode = partial(_picture, sensor, number_of)
    else:
        encode = _SPECIAL.get(kind) or (_plain if kind in CLASSES else partial(_declared, sensor))

    def encoded(reading: Any) -> Any:
        if sensor.spec.axes != CURRENT_AXES:
            reading = in_file_axes(sensor, reading)
        return encode(reading)

    return encoded


def _plain(reading: Any) -> Any:
    value = reading.value
    if isinstance(value, (tuple, list)):
        return [float(each) for each in value]
    return float(value)


def _declared(sensor: Sensor, reading: Any) -> dict[str, Any]:
    """Return the channels of a sensor that has no class in `controller`: numbers, or flat lists of them."""
    encoded = {
        name: np.ravel(getattr(reading, name)).tolist()
        for name, channel in sensor.channels.items()
        if channel.dtype != "object"
    }
    return {name: values if sensor.channels[name].shape else values[0] for name, values in encoded.items()}


def _bytes(values: Any) -> memoryview:
    """Return the bytes of an array, without a copy if it is contiguous."""
    return np.ascontiguousarray(values).reshape(-1).data.cast("B") if np.size(values) else memoryview(b"")


def _float32(values: Any) -> memoryview:
    return _bytes(np.asarray(values, np.float32))


def _depths(reading: Any) -> memoryview:
    """Return depths in which values out of range on either side are infinite."""
    return _float32(np.where(np.isneginf(reading.value), np.inf, reading.value))


def _scan(sensor: Sensor, cloud: bool, reading: Any) -> dict[str, Any]:
    """Return ranges from left to right, as azimuths decrease, with the direction ahead in the middle.

    Readings of a rotating head begin ahead.
    """
    assert isinstance(sensor, Lidar)
    shift = sensor.resolution // 2 if sensor.is_rotating else 0
    ranges = np.roll(reading.value[:, ::-1], shift, axis=1)
    ranges = np.where(np.isneginf(ranges) | np.isnan(ranges), np.inf, ranges)
    encoded: dict[str, Any] = {"ranges": _float32(ranges)}
    if cloud:
        directions = np.roll(reading.directions[:, ::-1], shift, axis=1)
        with np.errstate(invalid="ignore"):
            points = np.where(directions == 0.0, 0.0, directions * ranges[:, :, None])
        encoded["points"] = _float32(points)
    return encoded


def bgra(pixels: Any) -> Any:
    """Return (height, width, 4) of a colour or grey picture."""
    if pixels.ndim == 2:
        grey = np.repeat(pixels[:, :, None], 4, axis=2)
        grey[:, :, 3] = 255
        return grey
    return pixels


def _picture(sensor: Sensor, number_of: Callable[[NodeId], int], reading: CameraReading) -> dict[str, Any]:
    assert isinstance(sensor, Camera)
    encoded: dict[str, Any] = {"image": _bytes(bgra(reading.value))}
    if reading.segmentation is not None:
        encoded["segmentation"] = _bytes(reading.segmentation)
    encoded["objects"] = [
        {**_object(each, sensor), "id": number_of(solid)}
        for each in reading.objects
        if (solid := sensor.solid_of(each)) is not None
    ]
    return encoded


def _object(seen: Any, camera: Camera) -> dict[str, Any]:
    left, top, right, bottom = seen.image
    width, height = camera.width, camera.height
    pose: Pose = seen.pose
    return {
        "position": list(seen.position),
        "orientation": list(axis_angle_from_rotation(pose.rotation)),
        "size": [seen.size[0], seen.size[1]],  # along x and y, as in Webots
        "position_on_image": [int((left + right) / 2.0 * width), int((top + bottom) / 2.0 * height)],
        "size_on_image": [round((right - left) * width), round((bottom - top) * height)],
        "colors": [part for color in seen.colors for part in color],
        "model": seen.model,
    }


_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "GPS": lambda reading: [*reading.value, reading.speed, *reading.speed_vector],
    "InertialUnit": lambda reading: [*reading.value, *reading.quaternion],
    "Radar": lambda reading: [list(each) for each in reading.value],
    "Receiver": lambda reading: [
        [each.data, each.signal_strength, list(each.emitter_direction)] for each in reading.value
    ],
    "Connector": lambda reading: [reading.value, reading.is_locked],
    "VacuumGripper": lambda reading: bool(reading.value),
    "RangeFinder": _depths,
    "Microphone": lambda reading: [_float32(reading.value), reading.level],
}
