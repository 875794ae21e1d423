"""Locations of the files that are installed with odesim: worlds, parameter files, launch files."""

from __future__ import annotations

import os
import sys
from functools import cache
from os.path import realpath
from pathlib import Path

from sim_core.base.errors import ConfigError, hint

PACKAGE = "odesim"
WRITTEN_ENDINGS = (".wbt", ".x3d", ".wrl")
"""Endings of world files that can be written too."""
WORLD_ENDINGS = (*WRITTEN_ENDINGS, ".sdf", ".world")
"""Endings of world files; those of Gazebo can only be read."""
CODE = Path(__file__).parents[2]
"""Folder of the packages `sim_core`, `ros_bridge` and `webots_api`."""


def share_dir() -> Path:
    """Return the folder with `worlds/`, `config/`, `launch/`, `protos/` and `include/`.

    It is the source tree if the code runs from there, else `share/odesim` of the prefix in which colcon or
    pip installed the code.
    """
    if is_source_tree():
        return CODE
    places = (prefix / "share" / PACKAGE for prefix in (*CODE.parents, Path(sys.prefix)))
    return next((place for place in places if (place / "worlds").is_dir()), CODE)


def home_dir() -> Path:
    """Return the home folder of the user; the root folder if there is none, as for a user without a name."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def cache_dir() -> Path:
    """Return the folder of odesim's cache, such as downloads."""
    return Path(os.environ.get("XDG_CACHE_HOME") or home_dir() / ".cache") / PACKAGE


def is_source_tree() -> bool:
    """Return True if the code runs from the source tree, False if it is installed."""
    return (CODE / "package.xml").is_file() and (CODE / "worlds").is_dir()


def shipped_worlds() -> dict[str, Path]:
    """Return the world files of odesim by name; `devices/lidar` for one in a subfolder."""
    folder = share_dir() / "worlds"
    files = sorted(worlds_below(folder), key=lambda path: (len(path.parts), path))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in files}


@cache
def shipped_protos() -> frozenset[str]:
    """Return the PROTO files of odesim, with links resolved."""
    return frozenset(map(realpath, (share_dir() / "protos").rglob("*.proto")))


def worlds_below(folder: Path) -> list[Path]:
    """Return the world files of a folder and its subfolders, sorted."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in WORLD_ENDINGS)


def find_world(world: str | Path) -> Path:
    """Return the file of a world.

    Args:
        world: a path, or the name of a world of odesim, with or without the prefix `worlds/` and its ending.

    Returns:
        A path, absolute for a world of odesim; a path without a file is returned too, and reading it reports
        the error.

    Raises:
        ConfigError: there is no file or world of that name.
    """
    path, name = Path(world), os.fspath(world)
    if name and os.path.exists(path):  # unlike Path.exists false for names that are too long
        return path
    worlds = shipped_worlds()
    name = name.removesuffix(path.suffix) if path.suffix in WORLD_ENDINGS else name
    found = worlds.get(name.removeprefix("worlds/"))
    if found and path.suffix in ("", found.suffix):
        return found
    if path.suffix or (os.path.isdir(path.parent) and len(path.parts) > 1):
        return path
    raise ConfigError(
        f'no world "{world}", expected a file or a name that odesim list shows{hint(str(world), worlds)}'
    )
