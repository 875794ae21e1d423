"""Display: pictures to show and a camera behind them as inputs, the displayed picture as output."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from sensor_msgs.msg import Image
from std_msgs.msg import String

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.records import Publication, Subscription
from sim_core.base.errors import CommandError
from sim_core.session.pipeline import Action

FORMATS = {"rgb8": "RGB", "bgr8": "BGR", "rgba8": "RGBA", "bgra8": "BGRA", "mono8": "L"}
"""Supported encodings, with their names in `Canvas.image_new`."""
CHANNELS = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1}


def fill_image(message: Any, reading: Any) -> None:
    """Fill an Image with the displayed picture."""
    data = array("B")
    data.frombytes(reading.value.tobytes())
    message.data = data


class DisplayBridge(DeviceBridge):
    """`/R/d/image` and `/R/d/attach_camera` in, `/R/d/image_color` out."""

    def outputs(self) -> list[Publication]:
        """Return the topic of the picture, published when it has changed, and once per second."""
        return [Publication("image_color", Image, fill_image, self._fill_constants)]

    def inputs(self) -> list[Subscription]:
        """Return the topics for a picture (shown from the top left corner, not larger than the display) and
        for the name of a camera whose pictures are shown behind it."""
        return [Subscription("image", Image, self._show), Subscription("attach_camera", String, self._attach)]

    def _attach(self, message: Any) -> tuple[Action, ...]:
        name = message.data
        return (
            self.device_command("attach_camera", name=name) if name else self.device_command("detach_camera")
        )

    def _fill_constants(self, message: Any) -> None:
        canvas = self.device.canvas
        message.width, message.height = canvas.width, canvas.height
        message.encoding, message.step, message.is_bigendian = "rgba8", 4 * canvas.width, 0

    def _show(self, message: Any) -> tuple[Action, ...]:
        canvas = self.device.canvas
        form = FORMATS.get(message.encoding)
        if form is None:
            raise CommandError(
                f'found the encoding "{message.encoding}", expected one of {", ".join(FORMATS)}'
            )
        width, height, step = message.width, message.height, message.step
        if not (1 <= width <= canvas.width and 1 <= height <= canvas.height):
            found = f"found a picture of {width} × {height} pixels"
            raise CommandError(f"{found}, expected at most {canvas.width} × {canvas.height}")
        row = width * CHANNELS[message.encoding]
        if step < row or len(message.data) != step * height:
            found = f"found {len(message.data)} bytes in rows of {step}"
            raise CommandError(f"{found}, expected {height} rows of {row} bytes or more ({message.encoding})")
        rows = np.frombuffer(message.data, np.uint8).reshape(height, step)[:, :row]
        return self.device_command("show", data=rows.tobytes(), width=width, height=height, format=form)


BRIDGE = DisplayBridge
