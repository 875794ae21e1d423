"""Microphone as blocks of samples and as a level."""

from __future__ import annotations

from array import array
from typing import Any

from std_msgs.msg import Float32MultiArray, Float64, MultiArrayDimension

from ros_bridge.devices.base import DeviceBridge, Output
from sim_core.devices.sound.microphone import SAMPLE_RATE


def fill_samples(message: Any, reading: Any) -> None:
    """Fill a Float32MultiArray of one dimension with the samples of a period, V."""
    message.data = array("f", reading.value.tobytes())
    dimension = message.layout.dim[0]
    dimension.size = dimension.stride = len(reading.value)


def fill_level(message: Any, reading: Any) -> None:
    """Fill a Float64 with the sound pressure level in dB re 20 µPa."""
    message.data = reading.level


def _fill_layout(message: Any) -> None:
    """Say what the one dimension is."""
    message.layout.dim = [MultiArrayDimension(label=f"samples at {SAMPLE_RATE} Hz")]


class MicrophoneBridge(DeviceBridge):
    """`/R/d` and `/R/d/level`."""

    def outputs(self) -> list[Output]:
        """One of each per reading."""
        return [
            Output("", Float32MultiArray, fill_samples, _fill_layout),
            Output("level", Float64, fill_level),
        ]


BRIDGE = MicrophoneBridge
