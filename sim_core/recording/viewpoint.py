"""Pictures of a world from its Viewpoint, or from a robot's camera."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from sim_core.base.arrays import Pixels
from sim_core.base.errors import ConfigError, DeviceError, hint
from sim_core.base.geometry import Pose
from sim_core.devices.media import Media
from sim_core.devices.vision.camera_fields import MIN_NEAR
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.devices.vision.pictures import PictureRequest, Pictures
from sim_core.model.surroundings import Viewpoint
from sim_core.recording.follow import viewpoint_pose
from sim_core.recording.label_pictures import Label, with_labels
from sim_core.recording.recorded_simulation import RecordedSimulation
from sim_core.sensing.picture_view import FAST, FINE, Layers, PictureView

MAX_SIDE = 8192

_numbers: WeakKeyDictionary[Media, dict[PictureView, int]] = WeakKeyDictionary()
"""Numbers of views by media, because adding a new view restarts the renderer."""


class WorldView:
    """A view of a world from one place, drawn at each request.

    `fieldOfView` is the angle of the longer side (Webots reference, Viewpoint).

    Args:
        sim: the simulation; nothing in it changes.
        width, height: pixels; 0 each: those of the camera, or 1280 × 720.
        camera: `ROBOT/DEVICE`, a Camera or RangeFinder to look through; empty: the Viewpoint.
        look: "fine" or "fast"; empty: fine from the Viewpoint, and the camera's own quality.

    Attributes:
        width, height: pixels.

    Raises:
        ConfigError: a size, look or Viewpoint that is not possible.
        DeviceError: no such robot, or no such camera.
    """

    def __init__(
        self, sim: RecordedSimulation, width: int = 0, height: int = 0, camera: str = "", look: str = ""
    ) -> None:
        if look not in ("", FAST, FINE):
            raise ConfigError(f'look: found "{look}", expected {FINE} or {FAST}')
        sensor = find_camera(sim, camera) if camera else None
        own = (1280, 720) if sensor is None else (sensor.view.width, sensor.view.height)
        self.width, self.height = width or own[0], height or own[1]
        for name, size in (("width", self.width), ("height", self.height)):
            if not 1 <= size <= MAX_SIDE:
                raise ConfigError(f"{name}: found {size}, expected a whole number from 1 to {MAX_SIDE}")
        self._time: Callable[[], int] = lambda: sim.time_ns
        self._labels: Callable[[], list[Label]] = list
        self._media = sim.media
        self._pictures = sim.media.of(Pictures)
        self._viewer = sensor.spec.id if sensor is not None else None
        if sensor is None:
            viewpoint = sim.physics.model.surroundings.viewpoint
            view = _viewpoint_view(viewpoint, self.width, self.height, look or FINE)
            self._view: Callable[[], PictureView] = lambda: view
            self._pose: Callable[[], Pose] = lambda: viewpoint_pose(sim.physics)
            self._labels = lambda: [label for _, label in sim.supervisor.labels.items()]
        else:
            self._view = lambda: replace(
                sensor.view,
                width=self.width,
                height=self.height,
                layers=("color",),
                smooth=True,
                look=look or sensor.view.look,
            )
            self._pose = sensor.frame.pose

    def picture(self) -> Pixels:
        """Return a picture of the present world: (height, width, 3) red, green, blue, sRGB.

        Raises:
            ConfigError: pictures cannot be drawn here.
        """
        taken: list[Pixels] = []
        why: list[str] = []
        before, self._pictures.warn = self._pictures.warn, why.append
        try:
            self.request(taken.append)
            self.wait()
        finally:
            self._pictures.warn = before
        if not taken:
            raise ConfigError(why[0] if why else "pictures cannot be drawn here")
        return taken[0]

    def sees_only_sky(self) -> bool:
        """Return True if no shape is in the picture; False also where pictures cannot be drawn."""
        seen: list[bool] = []

        def look(time_ns: int, layers: Layers) -> None:
            seen.append(bool(np.isfinite(layers["depth"]).any()))

        self.wait()
        view = replace(self._view(), layers=("depth",), look=FAST)
        number = self._pictures.add_view(view, self._media)
        self._pictures.request([PictureRequest(number, self._pose(), look, view, self._viewer)], self._time())
        self._pictures.wait_for(number)
        return seen == [False]

    def request(self, done: Callable[[Pixels], None]) -> None:
        """Request a picture of the present world; it is delivered at the end of a later step, or in
        `wait`.

        A pending picture is waited for first. If pictures cannot be drawn, `done` is never called.
        """

        labels = self._labels()

        def take(time_ns: int, layers: Layers) -> None:
            taken: Pixels = np.ascontiguousarray(layers["color"][..., 2::-1])
            done(with_labels(taken, labels) if labels else taken)

        self.wait()
        request = PictureRequest(self._number(), self._pose(), take, self._view(), self._viewer)
        self._pictures.request([request], self._time())

    def wait(self) -> None:
        """Wait for the pending picture."""
        self._pictures.wait_for(self._number())

    @property
    def works(self) -> bool:
        """False once it is known that no pictures can be drawn."""
        return self._pictures.can_draw

    def _number(self) -> int:
        """Return the view's number; the view is added if it is new, or after a return to a snapshot."""
        known = _numbers.setdefault(self._media, {})
        view = self._view()
        key = _without_settings(view)
        views, number = self._pictures.views, known.get(key, -1)
        if not 0 <= number < len(views) or _without_settings(views[number]) != key:
            number = known[key] = self._pictures.add_view(view, self._media)
        return number


def _without_settings(view: PictureView) -> PictureView:
    """Return the part of a view that stays while a camera zooms, focuses and changes its exposure."""
    return replace(view, horizontal=1.0, exposure=1.0, focus=None)


def find_camera(sim: RecordedSimulation, name: str) -> PictureSensor:
    """Return the camera or range finder `ROBOT/DEVICE`.

    Raises:
        DeviceError: there is none; names the closest.
    """
    known = {
        f"{robot.name}/{device.name}": device
        for robot in sim.robots.values()
        for device in robot.devices.values()
        if isinstance(device, PictureSensor)
    }
    if name not in known:
        there = ", ".join(known) or "no cameras"
        raise DeviceError(f'no camera "{name}", there are {there}{hint(name, known)}')
    return known[name]


def _viewpoint_view(viewpoint: Viewpoint, width: int, height: int, look: str) -> PictureView:
    angle, far = viewpoint.field_of_view, viewpoint.far
    if not 0.0 < angle < math.pi:
        where = ":".join(map(str, viewpoint.source))
        raise ConfigError(
            f"{where}: Viewpoint.fieldOfView: found {angle}, expected an angle above 0 and below π"
        )
    across = 2.0 * math.atan(math.tan(angle / 2.0) * min(1.0, width / height))
    near = max(viewpoint.near, MIN_NEAR)
    limit = far if far > near else math.inf
    return PictureView(
        width,
        height,
        across,
        near,
        limit,
        smooth=True,
        exposure=viewpoint.exposure,
        look=look,
        occlusion=viewpoint.occlusion,
    )
