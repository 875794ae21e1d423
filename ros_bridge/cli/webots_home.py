"""`odesim webots-home`: creates a folder that replaces an installation of Webots (WEBOTS_HOME).

Programs that start Webots, such as the launch files of webots_ros2, find an executable `webots` in it, which
runs odesim; see `webots.py`. Controllers find the installed libController in it.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from ros_bridge.controller_api.libcontroller import VERSION_FILE, LibController, find_libcontroller
from ros_bridge.webots_protocol.versions import SERVED
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import CODE

MADE_BY = "# Made by `odesim webots-home`."
SCRIPT = """\
#!/bin/sh
{made_by}
export PYTHONPATH={code}"${{PYTHONPATH:+:$PYTHONPATH}}"
exec {python} -m ros_bridge.cli.webots "$@"
"""
PROJECTS = Path("projects")
"""Webots' own PROTO files and worlds."""


def make_webots_home(folder: Path) -> LibController | None:
    """Create the folder, or update one that this function has created.

    libController, and Webots' own PROTO files if WEBOTS_HOME has them, are links.

    Returns:
        The libController that controllers find in it; None if none is installed.

    Raises:
        ConfigError: the folder contains something else, or cannot be written.
    """
    program = folder / "webots"
    projects = Path(os.environ.get("WEBOTS_HOME") or "", PROJECTS).resolve()
    found = find_libcontroller()
    try:
        if folder.exists() and any(folder.iterdir()) and not _is_ours(program):
            raise ConfigError(f"{folder}: found other files in it, expected a new folder")
        for part in ("resources", "lib/controller", "include"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / VERSION_FILE).write_text(f"{next(iter(SERVED))}\n", encoding="utf-8")
        words = {"code": shlex.quote(str(CODE)), "python": shlex.quote(sys.executable)}
        program.write_text(SCRIPT.format(made_by=MADE_BY, **words), encoding="utf-8")
        program.chmod(0o755)
        links = {PROJECTS: projects} if os.environ.get("WEBOTS_HOME") and projects.is_dir() else {}
        for place, target in (links | _links(found)).items():
            _link(folder / place, target.resolve())
    except OSError as error:
        raise ConfigError(f"{folder}: found {error}, expected a place for a folder") from None
    return found


def _is_ours(program: Path) -> bool:
    try:
        return program.read_bytes().startswith(f"#!/bin/sh\n{MADE_BY}".encode())
    except OSError:
        return False


def _links(found: LibController | None) -> dict[Path, Path]:
    """Return the links to libController at the places where controllers search in WEBOTS_HOME."""
    if found is None:
        return {}
    folder = Path("lib/controller")
    links = {folder / library.name: library for library in sorted(found.folder.glob("lib*.so"))}
    links[Path("include/controller")] = found.include
    if found.python is not None:
        links[folder / "python"] = found.python
    return links


def _link(place: Path, target: Path) -> None:
    """Create a link, unless the place is its target."""
    if place.resolve() == target and place.exists():
        return
    place.unlink(missing_ok=True)
    place.symlink_to(target)
