"""Limits of what a file may request: sizes are checked before anything of that size is created.

Each can be raised for a process and its children by the environment variable ODESIM_LIMITS, and never by a
    world: `ODESIM_LIMITS="lidar_rays=4000000 runs=5000000" odesim run …`.
"""

from __future__ import annotations

import os
from functools import lru_cache

from sim_core.base.errors import ConfigError, hint

VARIABLE = "ODESIM_LIMITS"
LIMITS = {
    "all_picture_pixels": 1 << 28,
    "bag_bytes": 512 << 20,
    "bag_file_bytes": 16 << 30,
    "camera_pixels": 1 << 24,
    "collision_triangles": 500_000,
    "display_pixels": 1 << 24,
    "distance_rays": 10_000,
    "grid_points": 4_000_000,
    "lidar_rays": 1_000_000,
    "mesh_bytes": 128 << 20,
    "mesh_parts": 50_000,
    "mesh_triangles": 2_000_000,
    "picture_bytes": 64 << 20,
    "picture_pixels": 1 << 25,
    "runs": 1_000_000,
    "scene_nodes": 150_000,
    "snapshot_bytes": 512 << 20,
    "snapshot_text": 64 << 20,
    "sound_frames": 60_000_000,
    "template_files": 10_000,
    "yaml_bytes": 16 << 20,
    "yaml_values": 200_000,
}
"""Limits by name; docs/security.md explains each."""


def limit(name: str) -> int:
    """Return a limit of this process.

    Raises:
        ConfigError: the variable is malformed.
    """
    return _raised(os.environ.get(VARIABLE, "")).get(name, LIMITS[name])


def limit_text(name: str) -> str:
    """Return the expected value for a message about a size, and how to raise the limit."""
    return f"at most {limit(name)} (for more: {VARIABLE}={name}=NUMBER)"


@lru_cache(maxsize=1)
def _raised(text: str) -> dict[str, int]:
    raised = {}
    for word in text.split():
        name, _, number = word.partition("=")
        if name not in LIMITS:
            known = f"one of {', '.join(LIMITS)}{hint(name, LIMITS)}"
            raise ConfigError(f"{VARIABLE}: found {name!r}, expected {known}")
        if not (number.isascii() and number.isdigit() and len(number) < 19 and int(number) > 0):
            raise ConfigError(f"{VARIABLE}: found {word!r}, expected {name}= a whole number above 0")
        raised[name] = int(number)
    return raised
