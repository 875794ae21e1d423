"""Speaker: names of sound files as inputs."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Bool, String

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.records import STATE, Publication, Subscription


class SpeakerBridge(DeviceBridge):
    """`/R/d/play`, `/R/d/loop`: a file; `/R/d/stop`: a file, or empty for all; `/R/d/volume`, `/R/d/pitch`.

    Output: `/R/d/playing`, whether a sound is playing.
    """

    def inputs(self) -> list[Subscription]:
        """Return the topics of sounds to play, and of factors for all sounds."""
        return [
            *self.command_topics({"play": "play", "volume": "set_volume", "pitch": "set_pitch"}),
            Subscription(
                "loop", String, lambda message: self.device_command("play", sound=message.data, loop=True)
            ),
            Subscription("stop", String, lambda message: self.device_command("stop", sound=message.data)),
        ]

    def outputs(self) -> list[Publication]:
        """Return the topic, published with the robot's state."""
        return [Publication("playing", Bool, self._fill_playing, period_ns=STATE)]

    def _fill_playing(self, message: Any, time_ns: int) -> None:
        message.data = self.device.is_playing()


BRIDGE = SpeakerBridge
