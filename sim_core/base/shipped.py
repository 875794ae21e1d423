"""Where the files that come with odesim are: worlds, parameter files, launch files."""

from __future__ import annotations

import os
import sys
from functools import cache
from os.path import realpath
from pathlib import Path

from sim_core.base.errors import ConfigError, hint

PACKAGE = "odesim"
WRITTEN_ENDINGS = (".wbt", ".x3d", ".wrl")
"""Files of these endings are worlds, which can be written too."""
WORLD_ENDINGS = (*WRITTEN_ENDINGS, ".sdf", ".world")
"""Likewise; those of Gazebo are read only."""
CODE = Path(__file__).parents[2]
"""Folder of the packages `sim_core`, `ros_bridge` and `webots_api`."""


def share_dir() -> Path:
    """The folder with `worlds/`, `config/`, `launch/`, `protos/` and `include/`.

    The source tree if the code runs from there, else `share/odesim` of the prefix that colcon or pip has
    installed the code in.
    """
    if is_source_tree():
        return CODE
    places = (prefix / "share" / PACKAGE for prefix in (*CODE.parents, Path(sys.prefix)))
    return next((place for place in places if (place / "worlds").is_dir()), CODE)


def home_dir() -> Path:
    """The folder of the user; the top one if there is none, as in a container whose user is a mere number."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def cache_dir() -> Path:
    """The folder of what odesim keeps for itself, such as what it has downloaded."""
    return Path(os.environ.get("XDG_CACHE_HOME") or home_dir() / ".cache") / PACKAGE


def is_source_tree() -> bool:
    """True if the code runs from the source tree, False if it is installed."""
    return (CODE / "package.xml").is_file() and (CODE / "worlds").is_dir()


def shipped_worlds() -> dict[str, Path]:
    """World files that come with odesim, by name; `devices/lidar` for one in a folder."""
    folder = share_dir() / "worlds"
    files = sorted(worlds_below(folder), key=lambda path: (len(path.parts), path))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in files}


@cache
def shipped_protos() -> frozenset[str]:
    """PROTO files that come with odesim, without links on the way to them."""
    return frozenset(map(realpath, (share_dir() / "protos").rglob("*.proto")))


def worlds_below(folder: Path) -> list[Path]:
    """The world files of a folder and of those in it, sorted."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in WORLD_ENDINGS)


def find_world(world: str | Path) -> Path:
    """The file of a world.

    Args:
        world: a path; or the name of a world that comes with odesim, with or without `worlds/` before it and
            its ending behind.

    Returns:
        A path, absolute for a shipped world; one that names no file is returned too, for the reader to
        report.

    Raises:
        ConfigError: no file, and no shipped world has that name.
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
