"""Settings of a Camera that commands change: field of view, focus and exposure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from sim_core.base.errors import CommandError
from sim_core.base.state import Resettable, State
from sim_core.devices.command_checks import check_finite
from sim_core.devices.field_checks import field_error, number_at_least
from sim_core.devices.vision.camera_fields import MIN_ANGLE, lens_of
from sim_core.model.device_spec import NodeSpec
from sim_core.sensing.picture_view import FocusModel, PictureView

MAX_PLANAR_ANGLE = math.nextafter(math.pi, 0.0)
"""Largest angle of view of a planar picture, rad."""


class Limits(NamedTuple):
    """Lowest and highest value of a setting."""

    low: float
    high: float

    def check(self, what: str, value: float, unit: str) -> float:
        """Return a value if it is a number within the limits.

        Raises:
            CommandError: it is not; names what was found and expected.
        """
        number = check_finite(what, value)
        if not self.low <= number <= self.high:
            limits = f"{self.low:g} to {self.high:g} {unit}"
            raise CommandError(f"{what}: found {number:g}, expected {limits}")
        return number


def zoom_of(spec: NodeSpec, projection: str) -> Limits | None:
    """Return the angles that a Zoom node allows, rad; None: it cannot zoom. Cameras of Webots 6 need no
    node.

    Angles below `MIN_ANGLE` become this.

    Raises:
        DeviceError: the projection cannot have such angles, or the lower limit is above the upper one.
    """
    zoom = spec["zoom"]
    if zoom is None:
        return Limits(MIN_ANGLE, MAX_PLANAR_ANGLE) if spec.axes.is_v6 else None
    most = 2.0 * math.pi + 1e-4
    low, high = number_at_least(zoom, "minFieldOfView", 0.0, most), zoom["maxFieldOfView"]
    if projection == "planar":
        if not low <= high < math.pi:
            raise field_error(zoom, "maxFieldOfView", high, "an angle of at least minFieldOfView and below π")
    elif not low <= high <= most:
        raise field_error(zoom, "maxFieldOfView", high, "an angle of at least minFieldOfView and at most 2π")
    return Limits(max(low, MIN_ANGLE), max(min(high, 2.0 * math.pi), MIN_ANGLE))


class Focus:
    """The focusing system of a camera.

    Attributes:
        limits: of the distance, m.
        length: `focalLength`, m.
        start: distance in focus in the file, m; 0: everything is sharp.
    """

    def __init__(self, spec: NodeSpec) -> None:
        """Read a Focus node.

        Raises:
            DeviceError: a length that is negative or not finite, or the lower limit is above the upper one.
        """
        self.length = number_at_least(spec, "focalLength", 0.0)
        low = number_at_least(spec, "minFocalDistance", 0.0)
        self.limits = Limits(low, number_at_least(spec, "maxFocalDistance", low))
        self.start = number_at_least(spec, "focalDistance", 0.0)

    def model(self, distance: float) -> FocusModel | None:
        """Return the focus model of the renderer for a distance in m; None: everything is sharp, as in
        Webots if a length is 0."""
        return FocusModel(distance, self.length) if distance > 0.0 and self.length > 0.0 else None


@dataclass(eq=False)
class CameraSettings(State):
    """State of a camera's settings.

    Attributes:
        view: view to render.
        focal_distance: distance in focus, m; 0: everything is sharp, or there is no Focus node.
    """

    view: PictureView
    focal_distance: float = 0.0


class CameraControls(Resettable):
    """Settings of one camera.

    Attributes:
        zoom: limits of the angle, rad; None: it cannot zoom.
        focus: focusing system; None: there is none.
    """

    state: CameraSettings

    def __init__(self, spec: NodeSpec, view: PictureView, what: str) -> None:
        """Read the settings from the file.

        Args:
            spec: record of the Camera.
            view: view to render, before any focus.
            what: name of the camera, for messages.

        Raises:
            DeviceError: a Zoom or Focus node with values that are not possible.
        """
        self._what = what
        self._read(spec, view)
        self.reset()

    def read_fields(self, spec: NodeSpec, layers: tuple[str, ...]) -> None:
        """Read the Zoom, Focus and Lens nodes again; settings made by a controller stay where possible."""
        before, lens = self.focus, lens_of(spec, self._first.projection)
        self._read(spec, replace(self._first, lens=lens, layers=layers))
        if self.focus is not None and (before is None or before.start != self.focus.start):
            self.state.focal_distance = self.focus.start
        view = self._with_focus(self.state.view, self.state.focal_distance)
        self.state.view = replace(view, lens=lens, layers=layers)

    def _read(self, spec: NodeSpec, view: PictureView) -> None:
        self.zoom = zoom_of(spec, view.projection)
        self.focus = Focus(spec["focus"]) if spec["focus"] is not None else None
        self._first = self._with_focus(view, self.focus.start if self.focus is not None else 0.0)

    def _with_focus(self, view: PictureView, distance: float) -> PictureView:
        if self.focus is None or view.projection != "planar":
            return view
        return replace(view, focus=self.focus.model(distance))

    @property
    def view(self) -> PictureView:
        """View to render, with the present settings."""
        return self.state.view

    def set_fov(self, angle: float) -> None:
        """Set the horizontal angle of view, see `Camera.set_fov`."""
        what = f"{self._what}.fov"
        if self.zoom is None:
            raise CommandError(f"{what}: found a camera without zoom, expected a Zoom node in its field zoom")
        value = self.zoom.check(what, angle, "rad")
        if value <= 0.0:
            raise CommandError(f"{what}: found {value:g}, expected an angle above 0")
        self.state.view = replace(self.view, horizontal=value)

    def set_exposure(self, exposure: float) -> None:
        """Set the factor of all light, see `Camera.set_exposure`."""
        value = check_finite(f"{self._what}.exposure", exposure)
        if value <= 0.0:
            raise CommandError(f"{self._what}.exposure: found {value:g}, expected a number above 0")
        self.state.view = replace(self.view, exposure=value)

    def set_focal_distance(self, distance: float) -> None:
        """Set the distance in focus, see `Camera.set_focal_distance`."""
        what = f"{self._what}.focal_distance"
        if self.focus is None:
            raise CommandError(
                f"{what}: found a camera without focus, expected a Focus node in its field focus"
            )
        self.state.focal_distance = value = self.focus.limits.check(what, distance, "m")
        self.state.view = self._with_focus(self.view, value)

    def reset(self) -> None:
        """Return to the settings of the file."""
        self.state = CameraSettings(self._first, self.focus.start if self.focus is not None else 0.0)
