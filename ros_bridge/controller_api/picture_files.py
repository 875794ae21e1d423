"""Pictures of cameras and range finders as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ros_bridge.controller_api.readings import bgra
from sim_core.base.errors import CommandError


def save_picture(device: Any, what: str, path: Path, quality: int) -> None:
    """Write a device's last picture as .png or .jpg; of a range finder grey, white at maxRange.

    Raises:
        CommandError: there is none yet, or it cannot be written.
    """
    reading = device.reading
    if reading is None:
        raise CommandError(f"{device.robot_name}/{device.name}: there is no picture yet")
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise CommandError(f'{path}: found a name that ends in "{path.suffix}", expected .png or .jpg')
    if what == "segmentation":
        pixels = reading.segmentation
        if pixels is None:
            raise CommandError(f"{device.robot_name}/{device.name}: there is no segmentation")
    else:
        pixels = reading.value
    if pixels.dtype == np.uint8:
        picture = Image.fromarray(np.ascontiguousarray(bgra(pixels)[:, :, 2::-1]))
    else:
        part = np.nan_to_num(pixels / device.max_range, nan=1.0, posinf=1.0, neginf=0.0)
        picture = Image.fromarray((255.0 * np.clip(part, 0.0, 1.0)).astype(np.uint8))
    try:
        picture.save(path, quality=max(1, min(100, quality)))
    except OSError as error:
        raise CommandError(f"{path}: cannot be written: {error.strerror or error}") from None
