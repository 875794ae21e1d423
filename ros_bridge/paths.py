"""Where the files that come with odesim are: worlds, parameter files, launch files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sim_core.errors import ConfigError, hint

PACKAGE = "odesim"
WORLD_ENDINGS = (".wbt", ".x3d", ".wrl")
"""Files of these endings are worlds."""
CODE = Path(__file__).parents[1]
"""Folder of the packages `sim_core` and `ros_bridge`."""


def share_dir() -> Path:
    """The folder with `worlds/`, `config/`, `launch/` and `protos/`.

    The source tree if the code runs from there, else what the ament index says, else the prefix of the Python
    that runs (a pip installation without ROS is in no index).
    """
    if is_source_tree():
        return CODE
    return _indexed_share() or Path(sys.prefix) / "share" / PACKAGE


def is_source_tree() -> bool:
    """True if the code runs from the source tree, False if it is installed."""
    return (CODE / "package.xml").is_file() and (CODE / "worlds").is_dir()


def shipped_worlds() -> dict[str, Path]:
    """World files that come with odesim, by name; `devices/lidar` for one in a folder."""
    folder = share_dir() / "worlds"
    files = sorted(worlds_below(folder), key=lambda path: (len(path.parts), path))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in files}


def worlds_below(folder: Path) -> list[Path]:
    """The world files of a folder and of those in it, sorted."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in WORLD_ENDINGS)


def find_world(world: str) -> Path:
    """The file of a world.

    Args:
        world: a path; or the name of a world that comes with odesim, with or without its ending.

    Returns:
        A path, absolute for a shipped world; one that names no file is returned too, for the reader to
        report.

    Raises:
        ConfigError: no file, and no shipped world has that name.
    """
    path = Path(world)
    if world and os.path.exists(path):  # unlike Path.exists false for names that are too long
        return path
    worlds = shipped_worlds()
    found = worlds.get(world.removesuffix(path.suffix) if path.suffix in WORLD_ENDINGS else world)
    if found and path.suffix in ("", found.suffix):
        return found
    if path.suffix or (os.path.isdir(path.parent) and len(path.parts) > 1):
        return path
    raise ConfigError(
        f'no world "{world}", expected a file or a name that odesim list shows{hint(world, worlds)}'
    )


def _indexed_share() -> Path | None:
    """The share folder that the ament index knows."""
    try:
        from ament_index_python.packages import PackageNotFoundError, get_package_share_path
    except ImportError:
        return None
    try:
        return Path(get_package_share_path(PACKAGE))
    except (PackageNotFoundError, LookupError, OSError):  # the last two: AMENT_PREFIX_PATH is not set
        return None
