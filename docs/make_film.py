"""Films some of the worlds by `odesim movie` and joins the films to the animated picture of the README.

    python3 docs/make_film.py

The picture is WebP, which browsers play as they do a GIF, at a fifth of its size.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import av
from PIL import Image

HERE = Path(__file__).resolve().parent
SCENES = {"soccer": (7.0, 2.0), "warehouse": (14.0, 4.0), "ute": (20.0, 5.0), "maze": (18.0, 6.0)}
"""s of sim time, and how many of them go by in a second of the film."""
SIZE, FPS = "480x270", 8.0
QUALITY = 55
LARGEST = 2_000_000
"""Bytes of the picture."""


def film(world: str, seconds: float, speed: float, file: Path) -> list[Image.Image]:
    """The pictures of a world's film."""
    command = [sys.executable, "-m", "ros_bridge.cli", "movie", world, str(file), "--duration", str(seconds)]
    options = ["--size", SIZE, "--fps", str(FPS), "--speed", str(speed)]
    subprocess.run([*command, *options], cwd=HERE.parent, check=True)
    with av.open(str(file)) as container:
        return [frame.to_image() for frame in container.decode(video=0)]


def main() -> int:
    """Film, join, write docs/film.webp."""
    pictures: list[Image.Image] = []
    with tempfile.TemporaryDirectory() as folder:
        for world, (seconds, speed) in SCENES.items():
            pictures += film(world, seconds, speed, Path(folder) / f"{world}.mp4")
    target = HERE / "film.webp"
    first, *others = pictures
    first.save(
        target, save_all=True, append_images=others, duration=round(1000.0 / FPS), loop=0, quality=QUALITY
    )
    print(f"{target}: {len(pictures)} pictures, {target.stat().st_size} bytes")
    return 0 if target.stat().st_size < LARGEST else 1


if __name__ == "__main__":
    sys.exit(main())
