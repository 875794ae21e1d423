"""Microphone as blocks of samples and as sound level."""

from __future__ import annotations

from array import array
from functools import partial
from typing import Any

from std_msgs.msg import Float32MultiArray, Float64, MultiArrayDimension

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_data
from ros_bridge.topics.records import Publication
from sim_core.devices.sound.microphone import SAMPLE_RATE


def fill_samples(message: Any, reading: Any) -> None:
    """Fill a one-dimensional Float32MultiArray with the samples of a period, V."""
    message.data = array("f", reading.value.tobytes())
    dimension = message.layout.dim[0]
    dimension.size = dimension.stride = len(reading.value)


def _fill_layout(message: Any) -> None:
    """Fill the label of the dimension."""
    message.layout.dim = [MultiArrayDimension(label=f"samples at {SAMPLE_RATE} Hz")]


class MicrophoneBridge(DeviceBridge):
    """`/R/d` and `/R/d/level`, the sound pressure level in dB re 20 µPa."""

    readings = (
        Publication("", Float32MultiArray, fill_samples, _fill_layout),
        Publication("level", Float64, partial(fill_data, "level")),
    )


BRIDGE = MicrophoneBridge
