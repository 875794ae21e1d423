"""The picture of a camera, beside the scene."""

from __future__ import annotations

import numpy as np
from sensor_msgs.msg import Image

from ros_bridge.viewer.panel import NOTHING, Room, offer
from ros_bridge.viewer.pictures import enlarged, picture_of
from ros_bridge.viewer.polled_topic import PolledTopic

SHOWN_PERIOD = 0.1
"""Seconds of wall time between two pictures; only the latest is shown."""
LEAST_WIDTH = 320
"""Pixels; smaller pictures are enlarged."""


class PicturePanel:
    """Any topic of sensor_msgs/Image; nobody listens to it before it is chosen."""

    def __init__(self, room: Room) -> None:
        self._room = room
        gui = room.server.gui
        self._dropdown = gui.add_dropdown("Picture", (NOTHING,))
        room.when(self._dropdown, lambda event: self._choose(event.target.value))
        self._note = gui.add_markdown("Choose a topic with pictures.")
        blank = np.full((3, 4, 3), 255, np.uint8)
        self._image = gui.add_image(blank, format="jpeg", jpeg_quality=80, visible=False)
        self._topic: PolledTopic | None = None
        self._next = 0.0

    def refresh(self, now: float) -> None:
        """Show the latest picture."""
        offer(self._dropdown, self._room.names_of_type("sensor_msgs/msg/Image"))
        if self._topic is None or now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        for message in self._topic.take():
            picture = picture_of(message)
            if picture is None:
                self._say(f"{message.encoding}, {message.width} × {message.height}: cannot be shown")
            else:
                self._image.image = enlarged(picture, LEAST_WIDTH)
                self._image.visible = True
                self._say(f"{message.width} × {message.height}, {message.encoding}")

    def _choose(self, name: str) -> None:
        if self._topic is not None:
            if self._topic.name == name:
                return
            self._topic.close()
            self._topic = None
        self._image.visible = False
        self._say("Choose a topic with pictures.")
        if name != NOTHING:
            self._topic = PolledTopic(self._room.watch, Image, name)
            self._say("No picture yet.")

    def _say(self, text: str) -> None:
        if self._note.content != text:
            self._note.content = text
