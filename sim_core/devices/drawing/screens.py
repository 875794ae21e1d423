"""The picture of a camera behind the drawing on a display."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sim_core.base.arrays import Pixels
from sim_core.base.errors import CommandError, hint
from sim_core.base.ids import NodeId
from sim_core.base.state import State, Stateful
from sim_core.devices.drawing.canvas import Canvas
from sim_core.devices.media import Media, Medium
from sim_core.devices.sensor import Sensor

TIME_RANGE = 1 << 64
"""Larger than all times in ns; combines a canvas's number of changes and a picture's time in one number."""


class Cameras(Medium):
    """All cameras, for displays that show their pictures."""

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self._cameras: dict[NodeId, dict[str, Sensor]] = {}
        self._screens: list[CameraScreen] = []

    def add_camera(self, camera: Sensor) -> None:
        """Add a camera."""
        self._cameras.setdefault(camera.spec.robot.id, {})[camera.name] = camera

    def add_screen(self, screen: CameraScreen) -> None:
        """Add the screen of a display."""
        self._screens.append(screen)

    def remove_devices(self) -> None:
        """Remove all cameras and screens."""
        self._cameras.clear()
        self._screens.clear()

    def is_shown(self, camera: Sensor) -> bool:
        """Return True if a display shows the pictures of a camera."""
        return any(screen.camera is camera for screen in self._screens)

    def catch_up(self) -> None:
        """Make all postponed pictures now, before something that the cameras may see changes."""
        for cameras in self._cameras.values():
            for camera in cameras.values():
                camera.catch_up()

    def find_camera(self, robot: NodeId, name: str) -> Sensor:
        """Return a camera of a robot.

        Raises:
            CommandError: the robot has no camera of that name.
        """
        known = self._cameras.get(robot, {})
        if name not in known:
            there = ", ".join(f'"{each}"' for each in known) or "a robot with cameras"
            raise CommandError(f'found no camera "{name}", expected {there}{hint(name, known)}')
        return known[name]


@dataclass(eq=False)
class ScreenState(State):
    """Name of the attached camera; None: no camera."""

    camera: str | None = None


class CameraScreen(Stateful):
    """Picture on a display: the drawing over the last picture of a camera.

    With alpha a of the drawing: shown = a·drawing + (1 - a)·picture, scaled to the display's size; opaque.
    Without a camera it is the canvas itself.

    Attributes:
        camera: the attached camera; None: no camera.
    """

    state: ScreenState

    def __init__(self, canvas: Canvas, cameras: Cameras, robot: NodeId) -> None:
        self._canvas = canvas
        self._cameras, self._robot = cameras, robot
        self.camera: Sensor | None = None
        self.state = ScreenState()

    def parts(self) -> tuple[Stateful, ...]:
        """Return the canvas."""
        return (self._canvas,)

    def restored(self) -> None:
        """Attach the camera named in the restored state."""
        name = self.state.camera
        self.camera = None if name is None else self._cameras.find_camera(self._robot, name)

    @property
    def changes(self) -> int:
        """Number that differs whenever the picture has changed."""
        reading = self.camera.reading if self.camera is not None else None
        return self._canvas.changes * TIME_RANGE + (reading.time_ns + 1 if reading is not None else 0)

    @property
    def pixels(self) -> Pixels:
        """The shown picture, (height, width, 4) red, green, blue, alpha."""
        drawn = self._canvas.pixels
        reading = self.camera.reading if self.camera is not None else None
        if reading is None:
            return drawn
        alpha = drawn[..., 3:].astype(np.float32) / 255.0
        behind = _scaled_picture(reading.value, self._canvas.width, self._canvas.height)
        shown = np.full_like(drawn, 255)
        shown[..., :3] = np.rint(alpha * drawn[..., :3] + (1.0 - alpha) * behind)
        return shown

    def attach(self, name: str) -> None:
        """Show the pictures of a camera of the robot behind the drawing; opaque black becomes transparent.

        Raises:
            CommandError: the robot has no such camera.
        """
        camera = self._cameras.find_camera(self._robot, name)
        self.detach()
        self.camera, self.state.camera = camera, name
        self._canvas.make_transparent()

    def detach(self) -> None:
        """Show the drawing alone; pixels that were not drawn since the camera was attached stay
        transparent."""
        if self.camera is not None:
            self.camera = self.state.camera = None
            self._canvas.note_change()


def _scaled_picture(picture: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Scale a camera's picture to a size; (height, width, 3) red, green, blue."""
    colours = np.repeat(picture[..., None], 3, axis=2) if picture.ndim == 2 else picture[..., 2::-1]
    if colours.shape[:2] == (height, width):
        return colours
    image = Image.fromarray(np.ascontiguousarray(colours))
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR))
