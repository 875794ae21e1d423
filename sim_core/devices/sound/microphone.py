"""Microphone: records what speakers play."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_core.base.arrays import Float32Array
from sim_core.base.clock import NANOSECONDS
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Channel, Errors, declare
from sim_core.devices.field_checks import cone_of, number_at_least
from sim_core.devices.sensor import Reading, Sensor
from sim_core.devices.sound.sound_medium import SoundMedium
from sim_core.model.device_spec import DeviceSpec

SAMPLE_RATE = 44100
"""Samples per second, at the whole multiples of its inverse in sim time."""
HEARING_THRESHOLD = 20e-6
"""Reference of sound pressure levels, Pa."""


@dataclass(frozen=True, slots=True)
class MicrophoneReading(Reading):
    """The sound of one sampling period.

    Attributes:
        value: (n,) float32, V, `SAMPLE_RATE` per second, the last one at the time of the reading or less than
            a sample before. The blocks of successive readings join without a gap.
        level: sound pressure level of the block in dB re 20 µPa; 0 for silence and all levels below.
    """

    value: Float32Array
    level: float


class Microphone(Sensor):
    """Sound pressure at the device, as a voltage: p·10^(`sensitivity`/20), sensitivity in dB re 1 V/Pa.

    Speakers outside the cone of `aperture` around the device's x axis are not recorded; -1: all directions
    are. `sound_medium.py` computes the pressure. There is no noise, and no limit of the voltage.

    Attributes:
        cone: cosine of half the aperture.
        frame: the frame of the device.
    """

    channels = declare(
        value=Channel("V", ("n",), "float32"),
        level=Channel("dB re 20 µPa", errors=Errors.IF_NAMED),
    )

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.cone = cone_of(spec)
        self._gain = 10.0 ** (number_at_least(spec, "sensitivity", -300.0, 300.0) / 20.0)
        self._medium = context.media.of(SoundMedium)

    def on_added(self) -> None:
        """Register with the sound medium."""
        self._medium.before_change.append(self.catch_up)

    def sample(self, time_ns: int) -> MicrophoneReading:
        """Return the sound of the last sampling period."""
        first = (time_ns - self.span_ns(time_ns)) * SAMPLE_RATE // NANOSECONDS + 1
        end = time_ns * SAMPLE_RATE // NANOSECONDS + 1
        times = np.arange(first, end) / SAMPLE_RATE
        pressure = self._medium.pressure(self.frame, self.cone, times, time_ns / NANOSECONDS)
        square = float(pressure @ pressure) / max(len(pressure), 1)
        floor = HEARING_THRESHOLD**2
        level = 10.0 * math.log10(max(square, floor) / floor)
        samples = (pressure * self._gain).astype(np.float32)
        samples.flags.writeable = False
        return MicrophoneReading(time_ns, samples, level)
