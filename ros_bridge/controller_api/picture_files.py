"""Save pictures of cameras and range finders to files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ros_bridge.controller_api.readings import bgra
from sim_core.base.errors import CommandError
from sim_core.devices.vision.range_finder import RangeFinder


def save_picture(device: Any, what: str, path: Path, quality: int) -> None:
    """Write a device's last picture as .png or .jpg; of a range finder grey, white at maxRange, or .hdr in m.

    Raises:
        CommandError: there is no picture yet, or it cannot be written.
    """
    reading = device.reading
    if reading is None:
        raise CommandError(f"{device.robot_name}/{device.name}: there is no picture yet")
    endings = (".png", ".jpg", ".jpeg", *((".hdr",) if isinstance(device, RangeFinder) else ()))
    if path.suffix.lower() not in endings:
        expected = " or ".join(ending for ending in endings if ending != ".jpeg")
        raise CommandError(f'{path}: found a name that ends in "{path.suffix}", expected {expected}')
    if what == "segmentation":
        pixels = reading.segmentation
        if pixels is None:
            raise CommandError(f"{device.robot_name}/{device.name}: there is no segmentation")
    else:
        pixels = reading.value
    if path.suffix.lower() == ".hdr":
        _write(path, lambda: path.write_bytes(radiance(pixels, device.max_range)))
        return
    if pixels.dtype == np.uint8:
        picture = Image.fromarray(np.ascontiguousarray(bgra(pixels)[:, :, 2::-1]))
    else:
        part = np.nan_to_num(pixels / device.max_range, nan=1.0, posinf=1.0, neginf=0.0)
        picture = Image.fromarray((255.0 * np.clip(part, 0.0, 1.0)).astype(np.uint8))
    _write(path, lambda: picture.save(path, quality=max(1, min(100, quality))))


def radiance(depths: NDArray[np.float32], farthest: float) -> bytes:
    """Encode depths in m as grey Radiance picture (RGBE), precision 1/128; inf becomes `farthest`, -inf 0."""
    levels = np.nan_to_num(depths.astype(float), nan=farthest, posinf=farthest, neginf=0.0)
    mantissa, exponent = np.frexp(np.maximum(levels, 0.0))
    pixels = np.zeros((*levels.shape, 4), np.uint8)
    pixels[..., :3] = (256.0 * mantissa)[..., None]
    pixels[..., 3] = np.where(levels > 0.0, exponent + 128, 0)
    height, width = levels.shape
    return f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n".encode() + pixels.tobytes()


def _write(path: Path, write: Callable[[], object]) -> None:
    try:
        write()
    except OSError as error:
        raise CommandError(f"{path}: cannot be written: {error.strerror or error}") from None
