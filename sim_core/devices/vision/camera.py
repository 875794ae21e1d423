"""Camera: colour pictures and recognition of objects."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import Float32Array, Pixels
from sim_core.base.ids import NodeId
from sim_core.base.state import Stateful
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import RECORDS, Channel, Errors, declare
from sim_core.devices.commands import Number, command
from sim_core.devices.drawing.screens import Cameras
from sim_core.devices.field_checks import field_error, number_at_least, positive_number
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading, SensorState
from sim_core.devices.vision.camera_controls import CameraControls, Limits
from sim_core.devices.vision.camera_fields import (
    angle_of,
    fields_without_effect,
    lens_of,
    near_of,
    projection_of,
    size_of,
)
from sim_core.devices.vision.noise_mask import noise_mask_of
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.devices.vision.recognition import RecognizedObject, Recognizer, View
from sim_core.model.device_spec import DeviceSpec, NodeSpec
from sim_core.sensing.picture_view import FAST, FINE, Layers, PictureView, film

LUMINANCE = (0.114, 0.587, 0.299)
"""Weights of blue, green and red (ITU-R BT.601), for black and white pictures."""
BLUR_REST = 0.005
"""Fraction of a change of light that remains after `motionBlur` milliseconds."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraReading(Reading):
    """One picture; the arrays are read-only.

    Attributes:
        value: (height, width, 4) blue, green, red, alpha; (height, width) of a black and white camera. sRGB,
            rows from the top, columns from the left.
        segmentation: (height, width, 4) blue, green, red, alpha: the first of recognitionColors of the
            visible object, black elsewhere; None unless `Recognition.segmentation` is TRUE.
        objects: recognized objects; empty without a Recognition node.
        view: angle of view and settings of the picture.
    """

    value: Pixels
    segmentation: Pixels | None = None
    objects: tuple[RecognizedObject, ...] = ()
    view: PictureView | None = None


@dataclass(eq=False)
class CameraState(SensorState):
    """State of a camera: elapsed time and light of its last picture with motion blur."""

    blurred: tuple[int, Float32Array] | None = None


class Camera(PictureSensor):
    """Colour pictures along the x axis, z up (Webots reference, Camera).

    - Pixels are square: the vertical angle of a planar picture is 2·atan(tan(fieldOfView/2)·height/width).
    - Nothing nearer than `near` is visible, and if `far` is not 0, nothing farther than `far`.
    - `antiAliasing`: edges are smoothed, 4 samples per pixel.
    - `noiseMaskUrl`: a noise picture is laid over each picture, see `NoiseMask`; planar pictures only.
    - `noise`: 256·noise·N(0, 1) is added to each channel, also to that of a black and white picture, rounded,
      and clamped to 0 and 255.
    - `motionBlur`, ms: the light of a pixel completes 99.5 % of a change in this time.
    - `recognition`: the objects in view, see `recognition.py`; the picture is planar then.
    - `lens`: distorts a planar picture, see `LensModel`; recognized objects are given as without it.
    - `exposure`: a factor of all light, see `film`.
    - `zoom`: `set_fov` changes the angle within its limits; in files of Webots 6 without this node too.
    - `focus`: objects at other distances are blurred, see `FocusModel`; planar pictures only.

    Attributes:
        width, height: pixels.
        is_grey: black and white.
        has_recognition: readings contain objects.
    """

    channels = declare(
        value=Channel("sRGB", ("height", "width", 4), "uint8", low=0.0, high=255.0, errors=Errors.REFUSED),
        segmentation=Channel(
            "sRGB", ("height", "width", 4), "uint8", low=0.0, high=255.0, errors=Errors.REFUSED
        ),
        objects=RECORDS,
        view=Channel(dtype="object", errors=Errors.REFUSED),
    )

    live_fields = frozenset(("focus", "lens", "recognition", "zoom"))
    state: CameraState
    state_type = CameraState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.width, self.height = self.view.width, self.view.height
        self._mask, warnings = noise_mask_of(spec, self.view.projection, context.seed)
        self.warnings = [*fields_without_effect(spec), *warnings]
        self.is_grey = spec["type"] == "black and white"
        shape = (self.height, self.width) if self.is_grey else (self.height, self.width, 4)
        self.channels = declare(self.channels, value=replace(self.channels["value"], shape=shape))
        level = 256.0 * number_at_least(spec, "noise", 0.0, 1.0)
        self._noise_level = level
        self._noise = Noise(context.seed) if level else None
        recognition = spec["recognition"]
        self.has_recognition = recognition is not None
        self._recognizer: Recognizer | None = None
        self._cameras = context.media.of(Cameras)
        if recognition is not None:
            self._recognizer = context.media.of(Recognizer)
            self._objects_view = self._recognition_view(recognition)

    def on_added(self) -> None:
        """Register its view, and register with displays."""
        super().on_added()
        self._cameras.add_camera(self)

    def read_fields(self) -> None:
        """Read the live fields."""
        self._controls.read_fields(self.spec, self._layers(self.spec["recognition"]))
        if self._recognizer is not None:
            self._objects_view = self._recognition_view(self.spec["recognition"])

    def parts(self) -> tuple[Stateful, ...]:
        """Return the camera's settings."""
        return (self._controls,)

    @property
    def view(self) -> PictureView:
        """View to render, with the present settings."""
        return self._controls.view

    @property
    def has_segmentation(self) -> bool:
        """True if segmentation pictures are made now."""
        return "segmentation" in self.view.layers

    @property
    def fov(self) -> float:
        """Horizontal angle of view, rad."""
        return self.view.horizontal

    @property
    def zoom(self) -> Limits | None:
        """Limits of `set_fov`, rad; None: it cannot zoom."""
        return self._controls.zoom

    @property
    def exposure(self) -> float:
        """Factor of all light."""
        return self.view.exposure

    @property
    def focal_distance(self) -> float:
        """Distance in focus, m; 0: everything is sharp, or there is no Focus node."""
        return self._controls.state.focal_distance

    @property
    def focal_limits(self) -> Limits | None:
        """Limits of `set_focal_distance`, m; None: there is no Focus node."""
        return self._controls.focus.limits if self._controls.focus is not None else None

    @command(angle=Number("rad"))
    def set_fov(self, angle: float) -> None:
        """Set the horizontal angle of view of the next picture (zoom).

        Args:
            angle: rad, from minFieldOfView to maxFieldOfView of the Zoom node.

        Raises:
            CommandError: not such a number, or the camera has no zoom; nothing changes.
        """
        self.catch_up()
        self._controls.set_fov(angle)

    @command(exposure=Number())
    def set_exposure(self, exposure: float) -> None:
        """Set the factor of all light in the next picture.

        Raises:
            CommandError: not a number above 0; nothing changes.
        """
        self.catch_up()
        self._controls.set_exposure(exposure)

    @command(distance=Number("m"))
    def set_focal_distance(self, distance: float) -> None:
        """Set the distance in focus in the next picture.

        Args:
            distance: m along the axis, from minFocalDistance to maxFocalDistance of the Focus node; 0:
                everything is sharp.

        Raises:
            CommandError: not such a number, or the camera has no focus; nothing changes.
        """
        self.catch_up()
        self._controls.set_focal_distance(distance)

    @property
    def is_cumulative(self) -> bool:
        """True with motion blur, where each picture affects those after it."""
        return self._blur_ns > 0.0 or super().is_cumulative

    def is_wanted(self) -> bool:
        """Return True if a due sample should be made: a reading is wanted, or a display shows the camera."""
        if super().is_wanted():
            return True
        return self.can_sample and self._can_draw and self._cameras.is_shown(self)

    def sample(self, time_ns: int) -> CameraReading:
        """Return one picture."""
        reading: CameraReading = super().sample(time_ns)
        return reading

    def restored(self) -> None:
        """Check the size of the restored picture for motion blur.

        Raises:
            ValueError: it has another size.
        """
        super().restored()
        if self.state.blurred is not None and self.state.blurred[1].shape != (self.height, self.width, 3):
            raise ValueError(f"{self.name}: a picture of another size")

    def reset(self) -> None:
        """Discard the last picture, and reset the settings."""
        super().reset()
        self._controls.reset()

    def _make_view(self, spec: NodeSpec) -> PictureView:
        self._blur_ns = 1e6 * number_at_least(spec, "motionBlur", 0.0)
        width, height = size_of(spec)
        projection = projection_of(spec)
        near = near_of(spec)
        far = number_at_least(spec, "far", 0.0)
        if 0.0 < far <= near:
            raise field_error(spec, "far", far, "more than near, or 0 for no limit")
        occlusion = number_at_least(spec, "ambientOcclusionRadius", 0.0)
        view = PictureView(
            width,
            height,
            angle_of(spec, projection),
            near,
            far or math.inf,
            projection,
            self._layers(spec["recognition"]),
            spec["antiAliasing"],
            positive_number(spec, "exposure"),
            lens_of(spec, projection),
            look=FINE if occlusion > 0.0 else FAST,
            occlusion=occlusion,
        )
        self._controls = CameraControls(spec, view, f"{self.robot_name}.{self.name}")
        return self._controls.view

    def solid_of(self, seen: RecognizedObject) -> NodeId | None:
        """Return the present node of an object of a reading; None: it was removed.

        (Readings contain no ids of nodes, which have no meaning in another process.)
        """
        return self._recognizer.solid_of(seen) if self._recognizer is not None else None

    def _layers(self, recognition: NodeSpec | None) -> tuple[str, ...]:
        seen = "light" if self._blur_ns > 0.0 else "color"
        return (seen, "segmentation") if recognition is not None and recognition["segmentation"] else (seen,)

    def _recognition_view(self, recognition: NodeSpec) -> View:
        """Return the parameters of recognition."""
        max_range = positive_number(recognition, "maxRange")
        if max_range <= self.view.near:
            raise field_error(recognition, "maxRange", max_range, "more than near of the camera")
        most: int = recognition["maxObjects"]
        if most < -1:
            raise field_error(recognition, "maxObjects", most, "0 or more, or -1 for all")
        occlusion: int = recognition["occlusion"]
        if occlusion not in (0, 1, 2):
            raise field_error(recognition, "occlusion", occlusion, "0, 1 or 2")
        horizontal, projection = self.view.horizontal, self.view.projection
        # angle of a cylindrical picture from top to bottom, as its pixels are square
        rows = horizontal * self.height / self.width
        if projection == "planar":
            vertical = 2.0 * math.atan(math.tan(horizontal / 2.0) * self.height / self.width)
        else:
            vertical = min(rows if projection == "cylindrical" else horizontal, math.pi - 1e-9)
        return View(
            horizontal,
            vertical,
            self.view.near,
            max_range,
            None if most == -1 else most,
            occlusion,
            projection,
            rows,
        )

    def _measure_besides(self) -> tuple[PictureView, tuple[RecognizedObject, ...]]:
        if self._recognizer is None:
            return self.view, ()
        if self._objects_view.horizontal != self.view.horizontal:
            self._objects_view = self._recognition_view(self.spec["recognition"])
        return self.view, tuple(self._recognizer.recognize(self.frame, self._objects_view, self.spec.robot))

    def _reading(self, time_ns: int, layers: Layers, seen: Any) -> CameraReading:
        view, objects = seen
        drawn: NDArray[Any] = layers["light" if self._blur_ns > 0.0 else "color"]
        if self._blur_ns > 0.0:
            drawn = film(self._blur(time_ns + self.world.clock.epoch_ns, drawn[..., :3]), view.exposure)
        if self._mask is not None:
            drawn = self._mask.apply(time_ns, drawn)
        if self.is_grey:
            drawn = drawn[..., :3] @ np.array(LUMINANCE)
        if self._noise is not None:
            drawn = drawn if self.is_grey else drawn[..., :3]
            noise = self._noise.normal_array(time_ns, drawn.size).reshape(drawn.shape)
            drawn = np.clip(drawn + self._noise_level * noise, 0, 255)
        if self.is_grey:
            value = np.rint(drawn).astype(np.uint8)
        elif drawn.shape[2] == 3:
            value = np.full((self.height, self.width, 4), 255, np.uint8)
            value[..., :3] = np.rint(drawn)
        else:
            value = drawn.astype(np.uint8)  # `astype` always copies
        value.flags.writeable = False
        segmentation = None
        if "segmentation" in layers:
            segmentation = layers["segmentation"].astype(np.uint8)
            segmentation.flags.writeable = False
        return CameraReading(time_ns, value, segmentation, objects, view)

    def _blur(self, elapsed_ns: int, light: NDArray[Any]) -> Float32Array:
        """Mix this picture with those before it, in linear light."""
        mixed = light.astype(np.float32)
        if self.state.blurred is not None:
            before, old = self.state.blurred
            rest = BLUR_REST ** ((elapsed_ns - before) / self._blur_ns)
            mixed += np.float32(rest) * (old - mixed)
        self.state.blurred = (elapsed_ns, mixed)
        return mixed
