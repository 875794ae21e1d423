"""`odesim shot`: a picture of a world as its Viewpoint sees it."""

from __future__ import annotations

import re
from pathlib import Path

from sim_core.errors import ConfigError
from sim_core.scene import load_scene
from sim_core.simulation import Simulation
from sim_core.viewpoint import viewpoint_picture

ENDINGS = (".png", ".jpg", ".jpeg")


def shoot(world: Path, target: str, size: str, seconds: float, download: bool, skip_missing: bool) -> None:
    """Load a world, let some time go by, and write what the Viewpoint sees; no controllers run.

    Args:
        world: the file.
        target: the picture to write; its ending says the format.
        size: WIDTHxHEIGHT in pixels.
        seconds: sim time until the picture.

    Raises:
        OdesimError: the world cannot be read, the picture not be drawn or not be written.
    """
    from PIL import Image

    goal = Path(target)
    if goal.suffix.lower() not in ENDINGS:
        raise ConfigError(f"{target}: found the ending {goal.suffix!r}, expected {' or '.join(ENDINGS)}")
    found = re.fullmatch(r"(\d+)x(\d+)", size)
    if found is None:
        raise ConfigError(f'--size: found "{size}", expected WIDTHxHEIGHT, as in 1280x720')
    if not 0.0 <= seconds < float("inf"):
        raise ConfigError(f"--time: found {seconds}, expected a number of at least 0")
    sim = Simulation(load_scene(world, download=download, skip_missing=skip_missing))
    try:
        sim.run(seconds)
        picture = viewpoint_picture(sim, int(found[1]), int(found[2]))
    finally:
        sim.close()
    try:
        Image.fromarray(picture).save(goal)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}") from None
