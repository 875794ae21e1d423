"""What the messages of cameras and range finders have in common: images, camera models, the optical frame."""

from __future__ import annotations

import sys
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ros_bridge.topics.frames import OPTICAL
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import Vec3, rotate_back
from sim_core.sensing.picture_view import PictureView

PLUMB_BOB = "plumb_bob"
JPEG_QUALITY = 90


def image_constants(message: Any, view: PictureView, encoding: str, pixel_bytes: int) -> None:
    """Size and layout of a sensor_msgs/Image, with room for its data."""
    message.width, message.height, message.encoding = view.width, view.height, encoding
    message.step = pixel_bytes * view.width
    message.is_bigendian = int(sys.byteorder == "big")
    message.data = array("B", bytes(message.step * view.height))


def fill_image(message: Any, pixels: NDArray[Any]) -> None:
    """The pixels of an Image whose layout stands, written in place."""
    np.frombuffer(message.data, pixels.dtype).reshape(pixels.shape)[...] = pixels


def camera_info(message: Any, view: PictureView) -> None:
    """Fill a CameraInfo with the pinhole that makes a planar picture.

    The middle of the pixel in column u and row v, both from 0, is at (u, v), as in OpenCV: so the
    middle of the picture is at ((width - 1)/2, (height - 1)/2). Cylindrical and spherical pictures have
    no such model: K, R and P are 0. A lens is in D; one whose centre is not the middle of the picture is in
    no model that ROS has: then `distortion_model` is empty.
    """
    message.width, message.height = view.width, view.height
    if view.projection != "planar":
        message.distortion_model = view.projection
        return
    focal = view.width / (2.0 * float(np.tan(view.horizontal / 2.0)))
    u, v = (view.width - 1) / 2.0, (view.height - 1) / 2.0
    message.distortion_model = PLUMB_BOB
    message.d = [0.0] * 5
    if view.lens is not None:
        if view.lens.centre != (0.5, 0.5):
            # Plumb bob bends about the point straight ahead: there is no model for another one.
            message.distortion_model, message.d = "", []
        else:
            part = focal / view.width  # the lens counts in widths, plumb bob in focal lengths
            (k1, k2), (p1, p2) = view.lens.radial, view.lens.tangential
            message.d = [k1 * part**2, k2 * part**4, p1 * part, p2 * part, 0.0]
    message.k = [focal, 0.0, u, 0.0, focal, v, 0.0, 0.0, 1.0]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.p = [focal, 0.0, u, 0.0, 0.0, focal, v, 0.0, 0.0, 0.0, 1.0, 0.0]


def nothing_new(message: Any, reading: Any) -> None:
    """The camera model is the same for all pictures."""


def to_optical(vector: Vec3) -> Vec3:
    """From the axes of a device (x ahead, y left, z up) to the optical ones (x right, y down, z ahead)."""
    return rotate_back(OPTICAL.rotation, vector)


def encoded(pixels: NDArray[np.uint8], form: str) -> bytes:
    """A picture as JPEG or PNG.

    Args:
        pixels: (height, width, 4) blue, green, red, alpha, or (height, width) grey.
        form: "jpeg" or "png".

    Raises:
        ConfigError: no such format.
    """
    from io import BytesIO

    from PIL import Image as Pillow

    if form not in ("jpeg", "png"):
        raise ConfigError(f'found the picture format "{form}", expected "jpeg" or "png"')
    picture = Pillow.fromarray(pixels if pixels.ndim == 2 else np.ascontiguousarray(pixels[..., 2::-1]))
    out = BytesIO()
    if form == "jpeg":
        picture.save(out, "JPEG", quality=JPEG_QUALITY)
    else:
        picture.save(out, "PNG", compress_level=1)
    return out.getvalue()
