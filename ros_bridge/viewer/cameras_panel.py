"""Panel with the pictures of all cameras side by side."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures
from PIL import ImageDraw
from sensor_msgs.msg import Image

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.picture_panel import pixels_of
from ros_bridge.viewer.polled_topic import PolledTopic

SHOWN_PERIOD = 0.2
MAX_CAMERAS = 12
"""Most cameras shown."""
TILE = (240, 180)
"""Size of a picture with its name, pixels."""
GROUND = (20, 24, 30)


class CamerasPanel:
    """All topics of sensor_msgs/Image while the checkbox is on; else there are no subscriptions."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._is_on = False
        box = context.server.gui.add_checkbox("Show all cameras", False)
        context.on_use(box, lambda event: self._switch(event.target.value))
        self._note = context.server.gui.add_markdown("")
        self._image = context.server.gui.add_image(
            np.zeros((3, 4, 3), np.uint8), format="jpeg", jpeg_quality=80, visible=False
        )
        self._topics: dict[str, PolledTopic] = {}
        self._pictures: dict[str, NDArray[np.uint8]] = {}
        self._next = 0.0

    def refresh(self, now: float) -> None:
        """Take new messages, show them five times a second."""
        if now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        every = self._context.names_of_type("sensor_msgs/msg/Image") if self._is_on else ()
        wanted = [name for name in every if not name.endswith("/image_raw")][:MAX_CAMERAS]
        is_new = False
        for name in self._topics.keys() - set(wanted):
            self._topics.pop(name).close()
            is_new |= self._pictures.pop(name, None) is not None
        for name in wanted:
            if name not in self._topics:
                self._topics[name] = PolledTopic(self._context.watch, Image, name)
            for message in self._topics[name].take():
                picture = pixels_of(message)
                if picture is not None:
                    self._pictures[name] = picture
                    is_new = True
        self._note.content = f"{len(self._pictures)} of {len(wanted)} cameras" if self._is_on else ""
        if is_new:
            self._image.visible = bool(self._pictures)
            if self._pictures:
                self._image.image = tile_pictures(self._pictures)

    def _switch(self, is_on: bool) -> None:
        self._is_on, self._next = is_on, 0.0
        self._image.visible = self._image.visible and is_on


def tile_pictures(pictures: dict[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return the pictures (height, width, 3) as square tiling, sorted by name, scaled in proportion."""
    across = math.ceil(math.sqrt(len(pictures)))
    down = math.ceil(len(pictures) / across)
    whole = Pictures.new("RGB", (across * TILE[0], down * TILE[1]), GROUND)
    draw = ImageDraw.Draw(whole)
    for number, (name, pixels) in enumerate(sorted(pictures.items())):
        left, top = number % across * TILE[0], number // across * TILE[1]
        height, width = pixels.shape[:2]
        factor = min((TILE[0] - 4) / width, (TILE[1] - 18) / height)
        size = max(1, round(width * factor)), max(1, round(height * factor))
        tile = Pictures.fromarray(pixels).resize(size, Pictures.Resampling.NEAREST if factor > 1.0 else None)
        whole.paste(tile, (left + (TILE[0] - size[0]) // 2, top + 16))
        draw.text((left + 4, top + 2), name, fill=(200, 208, 216))
    return np.asarray(whole)
