"""Speaker: names of sound files come in."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Bool, String

from ros_bridge.devices.base import DeviceBridge, Input, Output


class SpeakerBridge(DeviceBridge):
    """`/R/d/play`, `/R/d/loop`: a file; `/R/d/stop`: a file, or empty for all; `/R/d/volume`, `/R/d/pitch`.

    Out: `/R/d/playing`, whether anything is.
    """

    def inputs(self) -> list[Input]:
        """What to play, and factors of all that is played."""
        return [
            *self.takes({"play": "play", "volume": "set_volume", "pitch": "set_pitch"}),
            Input("loop", String, lambda message: self.tell("play", sound=message.data, loop=True)),
            Input("stop", String, lambda message: self.tell("stop", sound=message.data)),
        ]

    def outputs(self) -> list[Output]:
        """With the robot's state."""
        return [Output("playing", Bool, self._fill_playing, sampled=False)]

    def _fill_playing(self, message: Any, time_ns: int) -> None:
        message.data = self.device.is_playing()


BRIDGE = SpeakerBridge
