"""Still pictures of a world as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim_core.base.atomic_file import atomic_file
from sim_core.base.errors import ConfigError
from sim_core.recording.recorded_simulation import RecordedSimulation
from sim_core.recording.targets import checked_target
from sim_core.recording.viewpoint import WorldView

ENDINGS = (".png", ".jpg", ".jpeg")


def export_image(
    sim: RecordedSimulation,
    file: str | Path,
    width: int = 0,
    height: int = 0,
    camera: str = "",
    quality: int = 90,
    look: str = "",
) -> Path:
    """Write a picture of the present world.

    Args:
        sim: the simulation; nothing in it changes.
        file: .png or .jpg.
        width, height: pixels; 0 each: those of the camera, or 1280 × 720.
        camera: `ROBOT/DEVICE` to look through; empty: the Viewpoint.
        quality: 1 to 100, of .jpg.
        look: see `WorldView`.

    Raises:
        ConfigError: an argument is not possible, or pictures cannot be drawn here.
        DeviceError: there is no such camera.
    """
    from PIL import Image

    path = checked_target(file, ENDINGS)
    if not 1 <= quality <= 100:
        raise ConfigError(f"quality: found {quality}, expected 1 to 100")
    picture = WorldView(sim, width, height, camera, look).picture()
    how: Any = {} if path.suffix.lower() == ".png" else {"quality": quality}
    try:
        with atomic_file(path) as part:
            Image.fromarray(picture).save(part, **how)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror or error}") from None
    return path
