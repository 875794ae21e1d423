"""Display: a screen on a robot on which commands draw."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim_core.base.arrays import Pixels
from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import CommandError
from sim_core.base.limits import limit, limit_text
from sim_core.base.state import Stateful
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Channel, Errors, declare
from sim_core.devices.commands import Bytes, File, Flag, Integer, Text, command, commands_of_part
from sim_core.devices.drawing.canvas import PIXELS, Canvas
from sim_core.devices.drawing.screens import Cameras, CameraScreen
from sim_core.devices.field_checks import field_error
from sim_core.devices.sensor import Reading, Sensor, SensorState
from sim_core.model.device_spec import DeviceSpec

MAX_SIDE = 16384
"""Largest width or height of a display, in pixels."""
REPEAT_NS = to_nanoseconds(1.0)
"""Sim time after which an unchanged picture is published again, for late subscribers."""


@dataclass(frozen=True, slots=True)
class DisplayReading(Reading):
    """Picture of a display.

    Attributes:
        value: (height, width, 4) red, green, blue, alpha.
    """

    value: Pixels


@dataclass(eq=False)
class DisplayState(SensorState):
    """State of a display.

    Attributes:
        images: stored images by number, (n, m, 4) red, green, blue, alpha.
        shown: number of changes of the picture at the last reading; -1: the next sample makes a reading.
        shown_ns: sim time of the last reading.
    """

    images: dict[int, Pixels] = field(default_factory=dict)
    shown: int = -1
    shown_ns: int = 0


class Display(Sensor):
    """A screen of `width` × `height` pixels, drawn on through `canvas` (Webots reference, Display).

    It is opaque black at the start and after a reset. Drawing takes effect at once; a reading is made, at the
    multiples of the sampling period, when the picture has changed or the last reading is a second old.
    Cameras see it on the first Shape with a texture in the first child. A camera's pictures can be shown
    behind the drawing. Images can be stored under numbers that the caller chooses. They stay at a reset,
    because a controller that continues still uses the numbers.

    Attributes:
        canvas: the drawing, with the drawing commands.
        screen: the picture that is shown.
    """

    state: DisplayState
    state_type = DisplayState
    commands = commands_of_part(Canvas.commands, lambda display: display.canvas)

    channels = declare(
        value=Channel("sRGB", ("height", "width", 4), "uint8", high=255.0, low=0.0, errors=Errors.REFUSED)
    )

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        """Make the device.

        Raises:
            DeviceError: a width or height that is not possible.
        """
        super().__init__(spec, context)
        for side in ("width", "height"):
            if not 1 <= spec[side] <= MAX_SIDE:
                raise field_error(spec, side, spec[side], f"a whole number from 1 to {MAX_SIDE}")
        if (pixels := spec["width"] * spec["height"]) > limit("display_pixels"):
            raise field_error(spec, "width", f"{pixels} pixels in all", limit_text("display_pixels"))
        self.canvas = Canvas(f"{self.robot_name}/{self.name}", spec["width"], spec["height"])
        self._cameras = cameras = context.media.of(Cameras)
        self.screen = CameraScreen(self.canvas, cameras, spec.robot.id)
        self.canvas.before_change = cameras.catch_up
        self._appearance_changes = context.media.appearance_changes

    def on_added(self) -> None:
        """Register the screen with the cameras and with the renderer."""
        self._cameras.add_screen(self.screen)
        self._appearance_changes.screens[self.spec.id] = self.screen

    def parts(self) -> tuple[Stateful, ...]:
        """Return the screen, which contains the canvas."""
        return (self.screen,)

    @property
    def images(self) -> dict[int, Pixels]:
        """Stored images by number, (n, m, 4) red, green, blue, alpha."""
        return self.state.images

    @command(
        meets_faults=False,
        number=Integer(),
        data=Bytes(),
        width=PIXELS,
        height=PIXELS,
        format=Text(optional=True),
    )
    def image_new(self, number: int, data: bytes, width: int, height: int, format: str = "BGRA") -> None:
        """Store an image made from bytes, see `Canvas.image_new`."""
        self.images[number] = self.canvas.image_new(data, width, height, format)

    @command(meets_faults=False, data=Bytes(), width=PIXELS, height=PIXELS, format=Text())
    def show(self, data: bytes, width: int, height: int, format: str) -> None:
        """Draw a picture in the top left corner, see `Canvas.image_new`."""
        self.canvas.image_paste(self.canvas.image_new(data, width, height, format))

    @command(meets_faults=False, number=Integer(), path=File())
    def image_load(self, number: int, path: str) -> None:
        """Store an image from a PNG or JPEG file."""
        self.images[number] = self.canvas.image_load(path)

    @command(meets_faults=False, number=Integer(), x=PIXELS, y=PIXELS, width=PIXELS, height=PIXELS)
    def image_copy(self, number: int, x: int, y: int, width: int, height: int) -> None:
        """Store a part of the drawing, cut off at the edges."""
        self.images[number] = self.canvas.image_copy(x, y, width, height)

    @command(meets_faults=False, number=Integer(), x=PIXELS, y=PIXELS, blend=Flag())
    def image_paste(self, number: int, x: int, y: int, blend: bool) -> None:
        """Draw a stored image with its top left corner at (x, y), see `Canvas.image_paste`.

        Raises:
            CommandError: no image has this number.
        """
        self.canvas.image_paste(self._image(number), x, y, blend)

    @command(meets_faults=False, is_journaled=False, number=Integer(), path=File())
    def image_save(self, number: int | None, path: str) -> None:
        """Write a stored image, or with None the drawing, as .png or .jpg."""
        self.canvas.image_save(path, None if number is None else self._image(number))

    @command(meets_faults=False, number=Integer())
    def image_delete(self, number: int) -> None:
        """Delete a stored image; no error if there is none of this number."""
        self.images.pop(number, None)

    @command(meets_faults=False, name=Text())
    def attach_camera(self, name: str) -> None:
        """Show the pictures of a camera of the same robot behind the drawing from now on.

        Raises:
            CommandError: the robot has no such camera.
        """
        self.screen.attach(name)

    @command(meets_faults=False)
    def detach_camera(self) -> None:
        """Show the drawing alone; pixels that were not drawn since the camera was attached stay
        transparent."""
        self.screen.detach()

    def restored(self) -> None:
        """Check the restored images.

        Raises:
            ValueError: an image has the wrong shape.
        """
        super().restored()
        for number, image in self.state.images.items():
            if image.ndim != 3 or image.shape[2] != 4:
                raise ValueError(f"{self.name}: image {number} of {image.shape}")

    def on_new_controller(self) -> None:
        """Delete the stored images of the previous controller."""
        self.images.clear()

    @property
    def is_cumulative(self) -> bool:
        """True: a reading depends on whether the picture has changed since the last one."""
        return True

    def is_wanted(self) -> bool:
        """Return True if a reading is wanted and the picture is new, a second old, or from before a clock
        restart."""
        if not super().is_wanted():
            self.state.shown = -1  # the next subscriber then receives the picture at once
            return False
        state = self.state
        is_recent = 0 <= self.world.clock.time_ns - state.shown_ns < REPEAT_NS
        return self.screen.changes != state.shown or not is_recent

    def sample(self, time_ns: int) -> DisplayReading:
        """Return the present picture."""
        self.state.shown, self.state.shown_ns = self.screen.changes, time_ns
        return DisplayReading(time_ns, self.screen.pixels)

    def reset(self) -> None:
        """Make the display black again, without a camera."""
        images = self.images
        super().reset()
        self.state.images = images
        self.screen.detach()
        self.canvas.reset_drawing()

    def _image(self, number: int) -> Pixels:
        found = self.images.get(number)
        if found is None:
            raise CommandError(f"no image {number}, it was deleted or could not be made")
        return found
