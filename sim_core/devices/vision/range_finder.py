"""RangeFinder: a camera that measures depth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sim_core.base.arrays import Float32Array, FloatArray
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Channel, declare
from sim_core.devices.field_checks import field_error, noise_of, number_at_least, resolution_of
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading
from sim_core.devices.vision.camera_fields import angle_of, lens_of, near_of, projection_of, size_of
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.model.device_spec import DeviceSpec, NodeSpec
from sim_core.sensing.picture_view import Layers, PictureView, pixel_directions


@dataclass(frozen=True, slots=True, eq=False)
class RangeFinderReading(Reading):
    """One depth picture; the array is read-only.

    Attributes:
        value: (height, width) m, along the x axis of the device; if the projection is not planar, from its
            origin. inf: beyond maxRange or nothing there; -inf: nearer than minRange (REP-117, REP-118). Rows
            from the top, columns from the left.
    """

    value: Float32Array


class RangeFinder(PictureSensor):
    """Depth pictures along the x axis, z up (Webots reference, RangeFinder).

    A measured depth is d + noise·maxRange·N(0, 1), rounded to a multiple of `resolution`. Then values beyond
    maxRange become inf, values below minRange -inf. Partly transparent surfaces are treated as opaque.

    Attributes:
        width, height: pixels.
        min_range, max_range: m.
    """

    channels = declare(value=Channel("m", ("height", "width"), "float32", low=0.0))

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.width, self.height = self.view.width, self.view.height
        self.min_range: float = spec["minRange"]
        self.max_range: float = spec["maxRange"]
        shape = (self.height, self.width)
        self.channels = declare(value=replace(self.channels["value"], shape=shape, high=self.max_range))
        self._noise_level = noise_of(spec, self.max_range)
        self._noise = Noise(context.seed) if self._noise_level else None
        self._rounding = resolution_of(spec)

    @property
    def is_plain(self) -> bool:
        """True if its readings are depths as they are drawn."""
        return self._noise is None and self._rounding is None

    def limit(self, measured: Float32Array) -> None:
        """Replace depths beyond the range by inf and -inf, see `RangeFinderReading`."""
        measured[measured > self.max_range] = np.inf
        measured[measured < self.min_range] = -np.inf

    @cached_property
    def rays(self) -> FloatArray:
        """The point at depth 1 m on each pixel's ray, (height, width, 3), device axes."""
        return pixel_directions(self.view)

    def points_of(self, reading: RangeFinderReading) -> FloatArray:
        """Return the points of a reading, (height, width, 3) m, device axes; NaN where there is no depth."""
        points: FloatArray = (
            np.where(np.isfinite(reading.value), reading.value, np.nan)[..., None] * self.rays
        )
        return points

    def sample(self, time_ns: int) -> RangeFinderReading:
        """Return one depth picture."""
        reading: RangeFinderReading = super().sample(time_ns)
        return reading

    def _make_view(self, spec: NodeSpec) -> PictureView:
        width, height = size_of(spec)
        projection = projection_of(spec)
        near = near_of(spec)
        low = number_at_least(spec, "minRange", 0.0)
        high = number_at_least(spec, "maxRange", low)
        if high <= near:
            raise field_error(spec, "maxRange", high, "more than near")
        angle = angle_of(spec, projection)
        lens = lens_of(spec, projection)
        return PictureView(width, height, angle, near, math.inf, projection, ("depth",), lens=lens)

    def _reading(self, time_ns: int, layers: Layers, seen: Any) -> RangeFinderReading:
        measured = layers["depth"].astype(np.float32)  # `astype` copies
        if self._noise is not None:
            noise = self._noise.normal_array(time_ns, measured.size).reshape(measured.shape)
            measured += (self._noise_level * noise).astype(np.float32)
        if self._rounding is not None:
            measured = np.float32(self._rounding) * np.floor(measured / np.float32(self._rounding) + 0.5)
        self.limit(measured)
        measured.flags.writeable = False
        return RangeFinderReading(time_ns, measured)
