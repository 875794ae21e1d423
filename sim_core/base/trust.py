"""The gate of everything that runs code which a file brings: may this file start programs?

Programs are the controllers and the physics plug-in of a world's project, the Python plugins and the xacro
expressions of a URDF file, and the modules that the spec of a sweep names. They run as whoever starts them.

Trusted are the files that come with odesim, those of the project that the user stands in, worlds without
folders for programs, and what the user has written or put in place. What came from elsewhere has to be
trusted once, for its project folder. From elsewhere comes

- what lies in the folder of downloads (`XDG_DOWNLOAD_DIR`, else `~/Downloads`), or in the cache of odesim;
- a file that a browser or `curl --xattr` has marked with its address (freedesktop.org's common extended
  attributes: `user.xdg.origin.url`);
- a project of another user: the file, the project's folder or one of the two folders with code belongs to
  somebody other than the user and the administrator. For the administrator owners do not count: in a
  container everything that is mounted has another one. Nor does it count who may write: on disks of other
  systems (vfat, the drives of Windows in WSL) that is everybody.

Whoever starts a program needs a `Permission`, which this module alone makes, for the file that is really
read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sim_core.base.errors import ConfigError
from sim_core.base.shipped import cache_dir, home_dir, share_dir

CODE = ("controllers", "plugins")
"""Folders of a project that hold programs."""
ORIGIN = "user.xdg.origin.url"
MANIFEST = "package.xml"
NO_PLUGIN = ("", "<none>")
"""What WorldInfo.physics says where there is no physics plug-in."""
OPTION = "--trust"
MARKS = (b"<plugin", b"xacro:", b"$(", b"${")
"""What stands in a URDF file that brings programs: a plugin of its own, or xacro."""
XACRO = (b"xacro:", b"$(", b"${")
"""What of these stands in an SDF file, whose plugins are Gazebo's and never run."""
SDF = b"<sdf"
PROGRAMS = "its controllers and its physics plug-in are"
URDF = "its Python plugins are"
EXPRESSIONS = "its xacro expressions are"
_NOWHERE = Path("/dev/null")
_trusted_now: set[Path] = set()
"""Projects that the user has trusted in this process; they need not be writable in the file."""
_said: set[str] = set()


class Remembered(NamedTuple):
    """Projects for which the user has given an answer that holds from then on, one on each line of a file.

    Attributes:
        name: of the file below `~/.config/odesim`; a line that is deleted is forgotten.
    """

    name: str

    @property
    def file(self) -> Path:
        """Return the file; it need not exist."""
        home = os.environ.get("XDG_CONFIG_HOME") or home_dir() / ".config"
        return Path(home) / "odesim" / self.name

    def has(self, project: Path) -> bool:
        """Return whether the answer was given for a project."""
        try:
            lines = self.file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        except OSError:
            return False
        return str(project) in lines

    def add(self, project: Path) -> None:
        """Remember the answer for a project; one whose name has line breaks is asked about each time.

        Raises:
            ConfigError: it cannot be remembered.
        """
        file, line = self.file, os.fsencode(project) + b"\n"
        if len(line.splitlines()) > 1:
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("ab") as stream:
                stream.write(line)
        except OSError as error:
            raise ConfigError(f"{file}: cannot be written: {error.strerror}") from None


TRUSTED = Remembered("trusted")
"""The projects that the user has trusted."""


class Permission(NamedTuple):
    """Leave to start programs of a file's project."""

    file: Path


class Doubt(NamedTuple):
    """Why a file may not start programs.

    Attributes:
        file: that asks for them.
        project: the folder that would be trusted.
        why: the reason.
        what: is left out, with its verb.
    """

    file: Path
    project: Path
    why: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}: {self.what} left out: {self.why}; {OPTION} trusts {self.project}"


Settle = Callable[[Sequence[Doubt]], None]
"""Raises ConfigError where doubts remain, perhaps after the user was asked; see `demand`."""


def doubts_about_world(world: str | Path, snapshot: str = "") -> list[Doubt]:
    """Return why a world may not start its controllers and its plug-in; empty: it may.

    Args:
        world: its file.
        snapshot: the file that holds its text in place of that; empty: none does.
    """
    file = _resolved(world)
    projects = [folder for folder in projects_of(file) if any((folder / name).is_dir() for name in CODE)]
    doubts = _doubts(file, projects, PROGRAMS)
    if snapshot and projects:
        other = _resolved(snapshot)
        inside = [folder for folder in projects if other.is_relative_to(folder)]
        doubts += [each for each in _doubts(other, inside or [other.parent], PROGRAMS) if each not in doubts]
    return doubts


def permission_of_world(world: str | Path, snapshot: str = "") -> Permission | None:
    """Return leave to start the programs of a world; None: it is said why there is none."""
    return _permission(world, doubts_about_world(world, snapshot))


def doubts_about_urdf(file: str | Path) -> list[Doubt]:
    """Return why a URDF or SDF file may not run its plugins and its xacro; empty: it may, or it has none.

    Its project is its package.
    """
    path = _resolved(file)
    text = _content(path)
    marks, what = (XACRO, EXPRESSIONS) if SDF in text else (MARKS, URDF)
    if not any(mark in text for mark in marks):
        return []
    return _doubts(path, [Path(folders_above(path)[-1])], what)


def doubts_about_sdf(world: str | Path) -> list[Doubt]:
    """Return why a world may not run its xacro; empty: it may, or it is no SDF that has some."""
    return doubts_about_urdf(world) if SDF in _content(_resolved(world)) else []


def permission_of_urdf(file: str | Path) -> Permission | None:
    """Return leave to run the plugins of a URDF file; None: it is said why there is none."""
    return _permission(file, doubts_about_urdf(file))


def doubts_about_modules(file: str | Path) -> list[Doubt]:
    """Return why a Python file, or the spec of a sweep, may not run modules beside it; empty: it may."""
    path = _resolved(file)
    return _doubts(path, [path.parent], "the modules beside it are")


def demand(doubts: Iterable[Doubt]) -> None:
    """Refuse to go on if there are doubts.

    Raises:
        ConfigError: says the first.
    """
    for each in doubts:
        what = each.what.rpartition(" ")[0]
        raise ConfigError(f"{each.file}: {what} would run: {each.why}; {OPTION} trusts {each.project}")


def trust(project: Path) -> None:
    """Trust a project from now on.

    Raises:
        ConfigError: it cannot be remembered.
    """
    _trusted_now.add(project)
    TRUSTED.add(project)


def projects_of(world: Path) -> list[Path]:
    """Return the folders that may hold a world's programs: above its own, and beside `worlds` further up."""
    folder = world.resolve().parent
    return [folder.parent, *(above.parent for above in folder.parents if above.name == "worlds")]


def folders_above(file: Path) -> list[str]:
    """Return the folders above a URDF file in which modules are looked for that are not installed.

    They end with that of the package, which has a `package.xml`; without one with the second.
    """
    above = list(file.resolve().parents)
    last = next((k for k, folder in enumerate(above) if (folder / MANIFEST).is_file()), 1)
    return [str(folder) for folder in above[: last + 1]]


def from_elsewhere(file: Path, project: Path) -> str:
    """Return why what a project holds, or the file that asks for it, may be somebody else's; empty: nothing
    says so."""
    for folder, what in ((_downloads(), "downloads"), (cache_dir().resolve(), "odesim's cache")):
        if file.is_relative_to(folder) or project.is_relative_to(folder):
            return f"it lies in {folder}, among {what}"
    try:
        origin = os.getxattr(file, ORIGIN).decode(errors="backslashreplace")
        return f"it came from {origin[:100]}"
    except (OSError, ValueError):  # no mark, or a file system that knows none
        pass
    for each in (file, project, *(project / name for name in CODE)):
        if why := whose(each, os.getuid()):
            return f"{each} {why}"
    return ""


def whose(path: Path, user: int) -> str:
    """Return what says that somebody other than a user may have put something there; empty: nothing."""
    try:
        found = path.stat()
    except OSError:
        return ""  # it holds nothing
    if user and found.st_uid not in (0, user):
        return "belongs to another user"
    return ""


def _content(path: Path) -> bytes:
    """The bytes of a file; none where it cannot be read, which is said when it is."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""


def _permission(file: str | Path, doubts: Sequence[Doubt]) -> Permission | None:
    """Each doubt is said once, in a line."""
    for line in map(str, doubts):
        if line not in _said:
            _said.add(line)
            print(line, file=sys.stderr, flush=True)
    return None if doubts else Permission(Path(file))


def _doubts(file: Path, projects: Sequence[Path], what: str) -> list[Doubt]:
    return [
        Doubt(file, project, why, what)
        for project in dict.fromkeys(projects)
        if not _is_known(project) and (why := from_elsewhere(file, project)) and not is_trusted(project)
    ]


def _is_known(project: Path) -> bool:
    """Whether it is odesim's own, or the one that the user stands in; downloads as a whole are no project."""
    stands_in = Path.cwd().is_relative_to(project) and not _downloads().is_relative_to(project)
    return stands_in or project.is_relative_to(share_dir().resolve())


def is_trusted(project: Path) -> bool:
    """Return whether the user has trusted a project."""
    return project in _trusted_now or TRUSTED.has(project)


def _resolved(file: str | Path) -> Path:
    try:
        return Path(file).resolve()
    except (OSError, ValueError, RuntimeError):  # a NUL in its name, a circle of links: there is none
        return _NOWHERE


def _downloads() -> Path:
    """Return the folder that browsers save to, as the user says in `user-dirs.dirs` or the environment."""
    home = home_dir()
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
