"""Webots' own library libController, if installed: controllers are compiled against it and load it.

odesim does not contain it. It is searched in this order:

1. `WEBOTS_HOME`: an installation of Webots, or a folder made by `odesim webots-home`;
2. the ROS package `webots_ros2_driver`, in the prefixes of `AMENT_PREFIX_PATH`;
3. the folder made by `odesim get libcontroller`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sim_core.base.shipped import home_dir

LIBRARY = Path("lib/controller/libController.so")
"""Path below a folder that serves as WEBOTS_HOME."""
VERSION_FILE = Path("resources/version.txt")
ROS_PACKAGE = "webots_ros2_driver"
VERSION = re.compile(r"R20\d\d[a-d]")
WHERE_FROM = (
    "set WEBOTS_HOME to an installation of Webots, install and source webots_ros2_driver, "
    "or run `odesim get libcontroller`"
)
"""What a user without the library can do."""


class LibController(NamedTuple):
    """An installed libController.

    Attributes:
        home: folder that controllers get as WEBOTS_HOME; the library is LIBRARY below it.
        version: such as R2025a; empty: unknown.
        include: folder with `c/webots/robot.h` and `cpp/webots/Robot.hpp`.
        python: folder with the package `controller`; None: there is none that this Python can load.
    """

    home: Path
    version: str
    include: Path
    python: Path | None

    @property
    def folder(self) -> Path:
        """Folder of its libraries."""
        return (self.home / LIBRARY).parent


def fetched_home() -> Path:
    """Return the folder that `odesim get libcontroller` makes."""
    data = os.environ.get("XDG_DATA_HOME") or home_dir() / ".local" / "share"
    return Path(data) / "odesim" / "libcontroller"


def find_libcontroller() -> LibController | None:
    """Return the libController for controllers; None: none is installed."""
    for home, include in _places():
        if (home / LIBRARY).is_file():
            return LibController(home, version_of(home), include, _python(home))
    return None


def version_of(home: Path) -> str:
    """Return the version of the library in a folder that serves as WEBOTS_HOME; empty: unknown.

    The library itself contains it since R2023b; before, the file `resources/version.txt`.

    """
    library = re.search(VERSION.pattern.encode(), (home / LIBRARY).read_bytes())
    if library:
        return library[0].decode()
    try:
        found = VERSION.search((home / VERSION_FILE).read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    return found[0] if found else ""


def _places() -> Iterator[tuple[Path, Path]]:
    """Yield the folders to search, with those of their headers."""
    webots = os.environ.get("WEBOTS_HOME")
    if webots:
        yield Path(webots), Path(webots, "include/controller")
    for prefix in filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
        if Path(prefix, "share", ROS_PACKAGE).is_dir():
            yield Path(prefix), Path(prefix, "include/webots")
    yield fetched_home(), fetched_home() / "include/controller"


def _python(home: Path) -> Path | None:
    """Return the folder of the package `controller`: next to the library, or where ROS installs packages."""
    folders = [home / "lib/controller/python", *sorted(home.glob("lib*/python3*/*-packages"))]
    return next((each for each in folders if (each / "controller/wb.py").is_file()), None)
