"""Overlay: fields of view of cameras, range finders, lidars and radars."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ros_bridge.overlays.primitives import Overlay, Primitives, chain, in_world, joined, outline, spokes
from sim_core.base.arrays import FloatArray
from sim_core.devices.base import Device
from sim_core.devices.ranging.lidar import Lidar
from sim_core.devices.ranging.radar import Radar
from sim_core.devices.vision.camera import Camera
from sim_core.devices.vision.range_finder import RangeFinder
from sim_core.engines.world_view import Frame
from sim_core.sensing.picture_view import PictureView
from sim_core.session.simulation import Simulation

COLOURS = {
    "Camera": (1.0, 0.0, 1.0),
    "RangeFinder": (1.0, 1.0, 0.0),
    "Lidar": (0.0, 1.0, 1.0),
    "Radar": (0.0, 0.0, 1.0),
}
OPEN_END = 1.0
"""Length of the drawn view of a camera without `far`, m."""
STEPS = 32
"""Straight pieces of a round border."""


class _Frustum(NamedTuple):
    kind: str
    frame: Frame
    lines: FloatArray
    """(2·n, 3) m, axes of the device."""


class Frustums(Overlay):
    """Borders of pictures at their nearest and farthest, with the edges between; the same for lidars."""

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        devices = [device for robot in sim.robots.values() for device in robot.devices.values()]
        self._views = {device: view for device in devices if (view := _frustum(device)) is not None}
        self._zooming = [device for device in self._views if isinstance(device, Camera) and device.zoom]

    def primitives(self) -> Iterator[Primitives]:
        """Yield the borders at their present poses."""
        parts: dict[str, list[FloatArray]] = {}
        for device in self._zooming:
            found = _frustum(device)
            if found is not None:
                self._views[device] = found
        for kind, frame, lines in self._views.values():
            parts.setdefault(kind, []).append(in_world(frame.pose(), lines))
        for kind, lines_of_kind in parts.items():
            yield Primitives(kind, joined(lines_of_kind), COLOURS[kind])


def _frustum(device: Device) -> _Frustum | None:
    if isinstance(device, Camera):
        view = device.view
        far = view.far if math.isfinite(view.far) else max(OPEN_END, 2.0 * view.near)
        return _Frustum("Camera", device.frame, picture_lines(view, view.near, far))
    if isinstance(device, RangeFinder):
        near, far = max(device.min_range, device.view.near), device.max_range
        return _Frustum("RangeFinder", device.frame, picture_lines(device.view, near, far))
    if isinstance(device, Lidar):
        return _Frustum(
            "Lidar", device.frame, scan_lines(device.directions, device.min_range, device.max_range)
        )
    if isinstance(device, Radar):
        azimuths, elevations = np.meshgrid(*(_steps(angle) for angle in (device.horizontal, device.vertical)))
        directions = _directions(azimuths, elevations[::-1])
        return _Frustum("Radar", device.frame, scan_lines(directions, device.min_range, device.max_range))
    return None


def picture_lines(view: PictureView, near: float, far: float) -> FloatArray:
    """Return the border of a picture at two depths, through the corners of its outermost pixels.

    Depths are measured as in the picture: along the x axis if it is planar, else from the eye.

    Returns:
        (2·n, 3) ends of lines, m, axes of the device.
    """
    half = view.horizontal / 2.0
    if view.projection == "planar":
        y = math.tan(half)
        z = y * view.height / view.width
        corners = np.array([(1.0, y, z), (1.0, -y, z), (1.0, -y, -z), (1.0, y, -z)])
        return joined(
            [outline(corners * near), outline(corners * far), spokes(corners * near, corners * far)]
        )
    rise = half * view.height / view.width
    azimuths, rises = np.meshgrid(_steps(view.horizontal), np.linspace(rise, -rise, STEPS + 1))
    if view.projection == "cylindrical":
        rises = np.arctan(rises)
    return scan_lines(_directions(azimuths, rises), near, far)


def scan_lines(directions: FloatArray, near: float, far: float) -> FloatArray:
    """Return the border of a scan at two distances, with edges between at its corners.

    Args:
        directions: (layers, n, 3) unit vectors.
        near, far: m.

    Returns:
        (2·n, 3) ends of lines, m.
    """
    rows, columns = (_some(count) for count in directions.shape[:2])
    sides = [directions[0, columns], directions[-1, columns], directions[rows, 0], directions[rows, -1]]
    corners = directions[[0, 0, -1, -1], [0, -1, 0, -1]]
    borders = [chain(side * distance) for distance in (near, far) if distance > 0.0 for side in sides]
    return joined([*borders, spokes(corners * near, corners * far)])


def _directions(azimuths: FloatArray, elevations: FloatArray) -> FloatArray:
    level = np.cos(elevations)
    return np.stack((level * np.cos(azimuths), level * np.sin(azimuths), np.sin(elevations)), axis=-1)


def _steps(angle: float) -> FloatArray:
    return np.linspace(-angle / 2.0, angle / 2.0, STEPS + 1)


def _some(count: int) -> list[int]:
    """Return at most STEPS + 1 numbers from 0 to count - 1, including the first and the last."""
    return sorted({round(number) for number in np.linspace(0, count - 1, min(count, STEPS + 1)).tolist()})


OVERLAY = Frustums
