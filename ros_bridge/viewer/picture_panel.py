"""Panel with a camera's picture, and the conversion of sensor_msgs/Image to pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sensor_msgs.msg import Image

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.topic_picture_panel import Shown, TopicPicturePanel

LEAST_WIDTH = 320
"""Pixels; smaller pictures are enlarged."""


def picture_panel(context: ViewerContext) -> TopicPicturePanel:
    """Make a panel for topics of sensor_msgs/Image."""
    prompt = "Choose an image topic."
    return TopicPicturePanel(context, "Picture", Image, prompt, _shown, format="jpeg", jpeg_quality=80)


def _shown(message: Any) -> Shown:
    picture, size = pixels_of(message), f"{message.width} × {message.height}"
    if picture is None:
        return None, f"{message.encoding}, {size}: cannot be shown"
    return enlarged(picture, LEAST_WIDTH), f"{size}, {message.encoding}"


BYTES_PER_PIXEL = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1, "8UC1": 1, "8UC3": 3}
ORDER = {"bgr8": (2, 1, 0), "bgra8": (2, 1, 0), "8UC3": (2, 1, 0)}


def pixels_of(message: Any) -> np.ndarray | None:
    """Return red, green, blue, shape (height, width, 3), uint8; None if encoding or size is not supported.

    Depths (32FC1 in m, 16UC1, mono16) range from white (near) to black (far); infinity and NaN are black.
    """
    height, width = message.height, message.width
    if height == 0 or width == 0:
        return None
    data = np.frombuffer(message.data, np.uint8)
    if len(data) < height * message.step:
        return None
    rows = data[: height * message.step].reshape(height, message.step)
    channels = BYTES_PER_PIXEL.get(message.encoding)
    if channels is not None:
        if message.step < width * channels:
            return None
        pixels = rows[:, : width * channels].reshape(height, width, channels)
        if channels == 1:
            return np.repeat(pixels, 3, axis=2)
        return np.ascontiguousarray(pixels[:, :, ORDER.get(message.encoding, (0, 1, 2))])
    kind = {"32FC1": "f4", "16UC1": "u2", "mono16": "u2"}.get(message.encoding)
    if kind is None or message.step < width * int(kind[1]):
        return None
    dtype = np.dtype((">" if message.is_bigendian else "<") + kind)
    depth = np.ascontiguousarray(rows[:, : width * dtype.itemsize]).view(dtype).astype(float)
    if message.encoding == "mono16":
        grey = depth / 257.0
    else:
        grey = _depth_to_grey(depth)
    return np.repeat(np.rint(grey).astype(np.uint8)[:, :, None], 3, axis=2)


def enlarged(picture: np.ndarray, width: int) -> np.ndarray:
    """Enlarge a picture by a whole factor, so that it is at least `width` pixels wide."""
    factor = -(-width // picture.shape[1])
    return picture if factor <= 1 else picture.repeat(factor, axis=0).repeat(factor, axis=1)


def _depth_to_grey(depth: np.ndarray) -> np.ndarray:
    seen = np.isfinite(depth) & (depth > 0.0)
    if not seen.any():
        return np.zeros_like(depth)
    low, high = float(depth[seen].min()), float(depth[seen].max())
    span = (high - low) or 1.0
    return np.where(seen, 255.0 - 225.0 * (np.where(seen, depth, low) - low) / span, 0.0)
