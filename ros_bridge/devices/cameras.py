"""Common parts of the messages of cameras and range finders: images, camera models, optical frame."""

from __future__ import annotations

import sys
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image

from ros_bridge.topics.frames import OPTICAL, OPTICAL_SUFFIX
from ros_bridge.topics.records import Publication
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import Vec3, rotate_back
from sim_core.sensing.picture_view import PictureView

PLUMB_BOB = "plumb_bob"
JPEG_QUALITY = 90
PIXEL_BYTES = {"mono8": 1, "bgra8": 4, "32FC1": 4}
"""Bytes per pixel, by encoding."""


def image_topic(name: str, view: PictureView, encoding: str, field: str = "value") -> Publication:
    """Return a topic of pictures in the optical frame, whose pixels are in a field of the readings."""

    def fill_constants(message: Any) -> None:
        message.width, message.height, message.encoding = view.width, view.height, encoding
        message.step = PIXEL_BYTES[encoding] * view.width
        message.is_bigendian = int(sys.byteorder == "big")
        message.data = array("B", bytes(message.step * view.height))

    def fill(message: Any, reading: Any) -> None:
        fill_image(message, getattr(reading, field))

    return Publication(name, Image, fill, fill_constants, frame_id=OPTICAL_SUFFIX)


def fill_image(message: Any, pixels: NDArray[Any]) -> None:
    """Write the pixels to an Image whose layout is filled."""
    np.frombuffer(message.data, pixels.dtype).reshape(pixels.shape)[...] = pixels


def info_topic(name: str, camera: Any, zooms: bool) -> Publication:
    """Return a topic of the camera's model; if it zooms, with the model of each picture."""

    def fill(message: Any, reading: Any) -> None:
        if zooms:
            camera_info(message, reading.view)

    return Publication(
        name, CameraInfo, fill, lambda message: camera_info(message, camera.view), frame_id=OPTICAL_SUFFIX
    )


def camera_info(message: Any, view: PictureView) -> None:
    """Fill a CameraInfo with the pinhole model of a planar picture.

    The centre of the pixel in column u and row v, both from 0, is at (u, v), as in OpenCV: so the centre of
    the picture is at ((width - 1)/2, (height - 1)/2). Cylindrical and spherical pictures have no such model:
    K, R and P are 0. Lens distortion is in D; if its centre is not that of the picture, no model of ROS
    applies: `distortion_model` is empty then.
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
            # Plumb bob is centred on the optical axis; no model has another centre.
            message.distortion_model, message.d = "", []
        else:
            part = focal / view.width  # lens coefficients are per width, those of plumb bob per focal length
            (k1, k2), (p1, p2) = view.lens.radial, view.lens.tangential
            message.d = [k1 * part**2, k2 * part**4, p1 * part, p2 * part, 0.0]
    message.k = [focal, 0.0, u, 0.0, focal, v, 0.0, 0.0, 1.0]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.p = [focal, 0.0, u, 0.0, 0.0, focal, v, 0.0, 0.0, 0.0, 1.0, 0.0]


def to_optical(vector: Vec3) -> Vec3:
    """Convert from axes of a device (x ahead, y left, z up) to optical axes (x right, y down, z ahead)."""
    return rotate_back(OPTICAL.rotation, vector)


def encoded(pixels: NDArray[np.uint8], form: str) -> bytes:
    """Encode a picture as JPEG or PNG.

    Args:
        pixels: (height, width, 4) blue, green, red, alpha, or (height, width) grey.
        form: "jpeg" or "png".

    Raises:
        ConfigError: the format is not supported.
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
