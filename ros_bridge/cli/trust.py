"""Whether a world may start what lies beside it: the controllers and the physics plug-in of its project.

They are programs, and run as whoever starts them; so are the Python plugins that a URDF file names. Trusted
are the worlds that come with odesim, the project that one stands in, one without folders for programs, and
what one has written or put in place oneself. What came from elsewhere has to be trusted once, for its project
folder: at a terminal it is asked for, elsewhere `--trust` says it. From elsewhere comes

- what lies in the folder of downloads (`XDG_DOWNLOAD_DIR`, else `~/Downloads`), or in the cache of odesim;
- a world file that a browser or `curl --xattr` has marked with its address (freedesktop.org's common extended
  attributes: `user.xdg.origin.url`);
- a project of another user: the world, the project's folder or one of the two folders with code belongs to
  somebody other than oneself and the administrator. Whoever is the administrator is not asked about owners:
  in a container all that is mounted has another one. Nor does it count who may write: on disks of other
  systems (vfat, the drives of Windows in WSL) that is everybody.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from ros_bridge.parameters.options import RunOptions
from ros_bridge.processes.plugin_host import folders_above
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import share_dir
from sim_core.scene.assets import Assets
from sim_core.scene.urdf.spawn import parse_argument

CODE = ("controllers", "plugins")
"""Folders of a project that hold programs."""
ORIGIN = "user.xdg.origin.url"
OPTION = "--trust"


def as_trusted(options: RunOptions, says_so: bool) -> RunOptions:
    """Options of a run, which starts nothing of a world, and no plugins of a URDF file, that is not trusted.

    Args:
        options: as they were asked for.
        says_so: the user has said that the world is trusted.

    Raises:
        ConfigError: the answer cannot be remembered.
    """
    if not may_start(options.world, says_so):
        options = replace(options, controllers=False, plugins=False)
    files = [parse_argument(text).file for text in options.urdf]
    left_out = [file for file in files if not _may_drive(file, says_so)]  # each is said
    if left_out:
        options = replace(options, driver_plugins=False)
    return options


def may_start(world: str | Path, says_so: bool) -> bool:
    """Whether a world may start its controllers and its plug-in; asks at a terminal, and remembers.

    Args:
        world: its file.
        says_so: the user has said that it may.

    Raises:
        ConfigError: the answer cannot be remembered.
    """
    path = Path(world).resolve()
    project = path.parent.parent
    if not any((project / name).is_dir() for name in CODE):
        return True
    return _is_trusted(path, project, says_so, "its controllers and its physics plug-in are")


def _may_drive(file: str, says_so: bool) -> bool:
    """Whether the plugins of a URDF file may drive its robot; asks likewise. Its project is its package."""
    path = Path(file).resolve()
    try:
        if b"<plugin" not in path.read_bytes():
            return True
    except OSError:
        return True  # it is said when it is read
    return _is_trusted(path, Path(folders_above(path)[-1]), says_so, "its Python plugins are")


def _is_trusted(path: Path, project: Path, says_so: bool, what: str) -> bool:
    """Whether what a file starts may be; `what` is left out otherwise."""
    if _is_known(project):
        return True
    why = from_elsewhere(path, project)
    if not why or str(project) in _remembered():
        return True
    if says_so or _agrees(project, why):
        _remember(project)
        return True
    line = f"{path}: {what} left out: {why}; {OPTION} trusts {project}"
    print(line, file=sys.stderr, flush=True)
    return False


def from_elsewhere(world: Path, project: Path) -> str:
    """Why what a project holds may be somebody else's; empty: nothing says so."""
    cache = Assets.for_world(None).cache.resolve()
    for folder, what in ((_downloads(), "downloads"), (cache, "odesim's cache")):
        if project.is_relative_to(folder):
            return f"it lies in {folder}, among {what}"
    try:
        origin = os.getxattr(world, ORIGIN).decode(errors="backslashreplace")
        return f"it came from {origin[:100]}"
    except OSError:  # no mark, or a file system that knows none
        pass
    for each in (world, project, *(project / name for name in CODE)):
        if why := whose(each, os.getuid()):
            return f"{each} {why}"
    return ""


def trusted_file() -> Path:
    """Where it is remembered: a project folder on each line."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "odesim" / "trusted"


def _is_known(project: Path) -> bool:
    """Whether it is odesim's own, or the one that we stand in."""
    return project.is_relative_to(share_dir().resolve()) or Path.cwd().is_relative_to(project)


def whose(path: Path, user: int) -> str:
    """Whether somebody other than a user may have put something there; empty: nobody."""
    try:
        found = path.stat()
    except OSError:
        return ""  # it holds nothing
    if user and found.st_uid not in (0, user):
        return "belongs to another user"
    return ""


def _downloads() -> Path:
    """The folder that browsers save to: the user's own words in `user-dirs.dirs`, where there are such."""
    home = Path.home()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    try:
        lines = (config / "user-dirs.dirs").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    start = "XDG_DOWNLOAD_DIR="
    said = [line.removeprefix(start).strip().strip('"') for line in lines if line.startswith(start)]
    chosen = said[-1].replace("$HOME", str(home)) if said else ""
    chosen = os.environ.get("XDG_DOWNLOAD_DIR") or chosen
    folder = Path(chosen) if chosen and Path(chosen) != home else home / "Downloads"
    return folder.resolve()


def _agrees(project: Path, why: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{project}: {why}. Its controllers and plug-ins would run as you.", file=sys.stderr)
    print("Trust it from now on? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _remembered() -> list[str]:
    try:
        return trusted_file().read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []


def _remember(project: Path) -> None:
    file, line = trusted_file(), os.fsencode(project) + b"\n"
    if len(line.splitlines()) > 1:
        return  # a folder with such a name is asked about each time
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as stream:
            stream.write(line)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}") from None
