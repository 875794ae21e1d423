"""`/R/rgbd/…`: colour and depth of the same pixels at the same time, from a Camera and a RangeFinder.

The topics have the names and contents used by `depth_image_proc`. Both devices must be at the same pose on
one solid, planar and without lens distortion; sizes and angles may differ: the depth of each pixel of the
colour picture is that of the nearest pixel of the depth picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import PointCloud2

from ros_bridge.devices.cameras import image_topic, info_topic
from ros_bridge.devices.point_clouds import fill_cloud, fill_cloud_constants
from ros_bridge.topics.frames import OPTICAL_SUFFIX
from ros_bridge.topics.records import Publication
from sim_core.base.clock import common_period
from sim_core.devices.vision.camera import Camera
from sim_core.devices.vision.range_finder import RangeFinder
from sim_core.sensing.picture_view import PictureView, pixel_directions
from sim_core.session.robot import Robot

SAME_PLACE = 1e-6
"""Tolerance, m, and for the components of rotations."""


class RgbdReading(NamedTuple):
    """Two readings of the same time.

    Attributes:
        time_ns: sim time.
        colour: (height, width, 4) blue, green, red, alpha; (height, width) for a grey-scale camera.
        depth: (height, width) m, along the optical axis, for the pixels of the colour picture; NaN outside
            the range finder's picture, ±inf where it measures nothing.
        view: of the colour picture, at that time.
        rays: (height, width, 3) point at depth 1 m on each pixel's ray, in optical axes.
    """

    time_ns: int
    colour: NDArray[np.uint8]
    depth: NDArray[np.float32]
    view: PictureView
    rays: NDArray[np.float64]


class RgbdPair:
    """A Camera and a RangeFinder as one sensor: it has a reading when both have one of the same time.

    Attributes:
        camera, finder: the devices.
        reading: the last one; None before the first.
        demand, period_ns, is_powered, add_listener, remove_listener: as for a `Sensor`.
    """

    uses_rays = False

    def __init__(self, camera: Camera, finder: RangeFinder) -> None:
        self.camera, self.finder = camera, finder
        self.period_ns = common_period((camera.period_ns, finder.period_ns), camera.world.clock.step_ns)
        self.demand: Callable[[], bool] | None = None
        self._listeners: list[Callable[[Any], None]] = []
        self.reading: RgbdReading | None = None
        self._taken: tuple[Any, Any] = (None, None)
        self._fit(camera.view)
        camera.synchronise_with(finder)
        for sensor in (camera, finder):
            sensor.add_listener(self._note_reading)

    @property
    def is_powered(self) -> bool:
        """Whether both are powered."""
        return self.camera.is_powered and self.finder.is_powered

    def add_listener(self, listener: Callable[[Any], None]) -> None:
        """Call a function with each new reading."""
        self._listeners = [*self._listeners, listener]

    def remove_listener(self, listener: Callable[[Any], None]) -> None:
        """Stop calling a function; ignore one that was not added."""
        self._listeners = [each for each in self._listeners if each != listener]

    def update(self, time_ns: int) -> None:
        """Do nothing: the devices themselves are sampled."""

    def _note_reading(self, _: Any) -> None:
        if self.demand is None or not self.demand():
            return
        both = (self.camera.reading, self.finder.reading)
        if None in both or both[0].time_ns != both[1].time_ns or both == self._taken:
            return
        self._taken = both
        if both[0].view.horizontal != self._horizontal:  # after a zoom
            self._fit(both[0].view)
        depth = self._registered(both[1].value)
        self.reading = RgbdReading(both[0].time_ns, both[0].value, depth, both[0].view, self._rays)
        for listener in self._listeners:
            listener(self.reading)

    def _fit(self, view: PictureView) -> None:
        """Compute which pixels look in the same direction."""
        self._horizontal = view.horizontal
        ahead, left, up = np.moveaxis(pixel_directions(view), 2, 0)
        self._rays = np.stack([-left, -up, ahead], axis=2)
        self._pixels = nearest_pixels(view, self.finder.view)

    def _registered(self, depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the depth picture resampled to the camera's pixels."""
        if self._pixels is None:
            return depth
        padded = np.append(depth.ravel(), np.float32(np.nan))  # read by index -1, outside the picture
        return padded[self._pixels]


def nearest_pixels(camera: PictureView, finder: PictureView) -> NDArray[np.int64] | None:
    """Return, for each pixel of a planar picture, the index of the nearest pixel of another by direction.

    Returns:
        (height, width), -1 outside the other picture; None if both have the same pixels.
    """
    if (camera.width, camera.height, camera.horizontal) == (finder.width, finder.height, finder.horizontal):
        return None
    directions = pixel_directions(camera)
    focal = finder.width / (2.0 * math.tan(finder.horizontal / 2.0))
    columns = np.rint((finder.width - 1) / 2.0 - focal * directions[..., 1]).astype(np.int64)
    rows = np.rint((finder.height - 1) / 2.0 - focal * directions[..., 2]).astype(np.int64)
    inside = (columns >= 0) & (columns < finder.width) & (rows >= 0) & (rows < finder.height)
    return np.where(inside, rows * finder.width + columns, -1)


def find_pairs(robot: Robot) -> Iterator[RgbdPair]:
    """Yield each planar Camera of a robot with the first RangeFinder at its pose."""
    finders = [device for device in robot.devices.values() if isinstance(device, RangeFinder)]
    for camera in robot.devices.values():
        if not (isinstance(camera, Camera) and _is_pinhole(camera.view)):
            continue
        for finder in finders:
            if _is_pinhole(finder.view) and _are_at_one_place(camera, finder):
                yield pair_of(camera, finder)
                break


def rgbd_outputs(pair: RgbdPair) -> list[Publication]:
    """Return the topics below the composite's name; all are in the optical frame of the camera."""
    camera = pair.camera
    view, zooms = camera.view, camera.zoom is not None

    def cloud_constants(message: Any) -> None:
        fill_cloud_constants(message, ("x", "y", "z", "rgb"), is_dense=False)

    return [
        image_topic("rgb/image_rect_color", view, "mono8" if camera.is_grey else "bgra8", "colour"),
        info_topic("rgb/camera_info", camera, zooms),
        image_topic("depth_registered/image_rect", view, "32FC1", "depth"),
        info_topic("depth_registered/camera_info", camera, zooms),
        Publication(
            "depth_registered/points",
            PointCloud2,
            lambda message, reading: fill_cloud(message, points_of(reading)),
            cloud_constants,
            frame_id=OPTICAL_SUFFIX,
        ),
    ]


def points_of(reading: RgbdReading) -> NDArray[np.float32]:
    """Return (height, width, 4): x, y, z in m, optical axes, NaN without depth; and the colour.

    The colour is 0x00RRGGBB in the bits of a float, as PCL and RViz read a field `rgb`.
    """
    depth = np.where(np.isfinite(reading.depth), reading.depth, np.nan)
    found = np.empty((*depth.shape, 4), np.float32)
    found[..., :3] = depth[..., None] * reading.rays
    colour = reading.colour if reading.colour.ndim == 3 else np.repeat(reading.colour[..., None], 3, axis=2)
    blue, green, red = (colour[..., index].astype(np.uint32) for index in range(3))
    found[..., 3] = (red << 16 | green << 8 | blue).view(np.float32)
    return found


def pair_of(camera: Camera, finder: RangeFinder) -> RgbdPair:
    """Return the two as one sensor, reusing it when the topics of a world are rebuilt."""
    for listener in camera.listeners:
        owner = getattr(listener, "__self__", None)
        if isinstance(owner, RgbdPair) and owner.finder is finder:
            return owner
    return RgbdPair(camera, finder)


def _is_pinhole(view: PictureView) -> bool:
    return view.projection == "planar" and view.lens is None


def _are_at_one_place(camera: Camera, finder: RangeFinder) -> bool:
    if camera.spec.solid != finder.spec.solid:
        return False
    here, there = camera.frame.pose(), finder.frame.pose()
    return bool(
        np.allclose(here.position, there.position, rtol=0.0, atol=SAME_PLACE)
        and np.allclose(here.rotation, there.rotation, rtol=0.0, atol=SAME_PLACE)
    )
