"""Permission to run code that comes with a file: decides whether a file may start programs.

Programs are the controllers and the physics plug-in of a world's project, the Python plugins and xacro
expressions of a URDF file, and the modules that the spec of a sweep names. They run with the rights of the
user who starts them.

Trusted are the files of odesim, those of the project that contains the working directory, worlds without
program folders, and files of the user. Files from elsewhere must be trusted once, by their project folder.
From elsewhere are

- files in the download folder (`XDG_DOWNLOAD_DIR`, else `~/Downloads`), or in odesim's cache;
- a file that a browser or `curl --xattr` has marked with its address (freedesktop.org's common extended
  attributes: `user.xdg.origin.url`);
- a project of another user: the file, the project's folder or one of the two folders with code belongs to
  somebody other than the user and the administrator. For the administrator owners do not count: in a
  container everything that is mounted has another one. Nor does it count who may write: on disks of other
  systems (vfat, the drives of Windows in WSL) that is everybody.

Starting a program requires a `Permission`, which only this module creates, for the file that is actually
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
"""Values of WorldInfo.physics without a physics plug-in."""
OPTION = "--trust"
MARKS = (b"<plugin", b"xacro:", b"$(", b"${")
"""Text in a URDF file that indicates programs: a plugin of odesim, or xacro."""
XACRO = (b"xacro:", b"$(", b"${")
"""The same for an SDF file, whose plugins belong to Gazebo and never run."""
SDF = b"<sdf"
PROGRAMS = "its controllers and its physics plug-in are"
URDF = "its Python plugins are"
EXPRESSIONS = "its xacro expressions are"
_NOWHERE = Path("/dev/null")
_trusted_now: set[Path] = set()
"""Projects that the user has trusted in this process, even if the file cannot be written."""
_printed: set[str] = set()


class AnswerFile(NamedTuple):
    """A file of projects, one per line, for which the user has given a permanent answer.

    Attributes:
        name: of the file below `~/.config/odesim`; deleting a line withdraws the answer.
    """

    name: str

    @property
    def file(self) -> Path:
        """Path of the file; it need not exist."""
        home = os.environ.get("XDG_CONFIG_HOME") or home_dir() / ".config"
        return Path(home) / "odesim" / self.name

    def has(self, project: Path) -> bool:
        """Return whether the answer was given for a project."""
        try:
            lines = self.file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        except OSError:
            return False
        return str(project) in lines

    def add_project(self, project: Path) -> None:
        """Store the answer for a project; if its name has line breaks, it is not stored and asked again.

        Raises:
            ConfigError: the file cannot be written.
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


TRUSTED = AnswerFile("trusted")
"""The projects that the user has trusted."""


class Permission(NamedTuple):
    """Permission to start programs of a file's project."""

    file: Path


class TrustIssue(NamedTuple):
    """Reason why a file may not start programs.

    Attributes:
        file: the file with the programs.
        project: the folder that would have to be trusted.
        why: the reason.
        what: what is left out, with its verb.
    """

    file: Path
    project: Path
    why: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}: {self.what} left out: {self.why}; {OPTION} trusts {self.project}"


DecideTrust = Callable[[Sequence[TrustIssue]], None]
"""Raises ConfigError if issues remain, perhaps after the user was asked; see `require_trust`."""


def trust_issues_of_world(world: str | Path, snapshot: str = "") -> list[TrustIssue]:
    """Return the reasons why a world may not start its controllers and its plug-in; empty: it may.

    Args:
        world: its file.
        snapshot: the snapshot file that contains its text; "": none.
    """
    file = _resolved(world)
    projects = [folder for folder in projects_of(file) if any((folder / name).is_dir() for name in CODE)]
    issues = _trust_issues(file, projects, PROGRAMS)
    if snapshot and projects:
        other = _resolved(snapshot)
        inside = [folder for folder in projects if other.is_relative_to(folder)]
        issues += [
            each for each in _trust_issues(other, inside or [other.parent], PROGRAMS) if each not in issues
        ]
    return issues


def permission_of_world(world: str | Path, snapshot: str = "") -> Permission | None:
    """Return the permission to start the programs of a world; None: the reason has been printed."""
    return _permission(world, trust_issues_of_world(world, snapshot))


def trust_issues_of_urdf(file: str | Path) -> list[TrustIssue]:
    """Return the reasons why a URDF or SDF file may not run its plugins and xacro; empty: it may, or has
    none.

    Its project is its package.
    """
    path = _resolved(file)
    text = _content(path)
    marks, what = (XACRO, EXPRESSIONS) if SDF in text else (MARKS, URDF)
    if not any(mark in text for mark in marks):
        return []
    return _trust_issues(path, [Path(folders_above(path)[-1])], what)


def trust_issues_of_sdf(world: str | Path) -> list[TrustIssue]:
    """Return the reasons why a world may not run its xacro; empty: it may, or is not an SDF file with
    xacro."""
    return trust_issues_of_urdf(world) if SDF in _content(_resolved(world)) else []


def permission_of_urdf(file: str | Path) -> Permission | None:
    """Return the permission to run the plugins of a URDF file; None: the reason has been printed."""
    return _permission(file, trust_issues_of_urdf(file))


def trust_issues_of_modules(file: str | Path) -> list[TrustIssue]:
    """Return the reasons why a Python file or sweep spec may not run modules beside it; empty: it may."""
    path = _resolved(file)
    return _trust_issues(path, [path.parent], "the modules beside it are")


def trust_issues_of_folder(folder: str | Path) -> list[TrustIssue]:
    """Return why the controllers in a folder may not run; empty: they may."""
    path = _resolved(folder)
    return _trust_issues(path, [path], "its controllers are")


def require_trust(issues: Iterable[TrustIssue]) -> None:
    """Raise an error if there are issues.

    Raises:
        ConfigError: with the first issue.
    """
    for each in issues:
        what = each.what.rpartition(" ")[0]
        raise ConfigError(f"{each.file}: {what} would run: {each.why}; {OPTION} trusts {each.project}")


def trust(project: Path) -> None:
    """Trust a project from now on.

    Raises:
        ConfigError: the answer cannot be stored.
    """
    _trusted_now.add(project)
    TRUSTED.add_project(project)


def projects_of(world: Path) -> list[Path]:
    """Return the folders that may hold a world's programs: above its own, and beside `worlds` further up."""
    folder = world.resolve().parent
    return [folder.parent, *(above.parent for above in folder.parents if above.name == "worlds")]


def folders_above(file: Path) -> list[str]:
    """Return the folders above a URDF file in which its modules are searched.

    The last one is that of the package, with a `package.xml`; without a package the second folder.
    """
    above = list(file.resolve().parents)
    last = next((k for k, folder in enumerate(above) if (folder / MANIFEST).is_file()), 1)
    return [str(folder) for folder in above[: last + 1]]


def from_elsewhere(file: Path, project: Path) -> str:
    """Return why a project or file may come from somebody else; "" if nothing indicates that."""
    for folder, what in ((_downloads(), "downloads"), (cache_dir().resolve(), "odesim's cache")):
        if file.is_relative_to(folder) or project.is_relative_to(folder):
            return f"it lies in {folder}, among {what}"
    try:
        origin = os.getxattr(file, ORIGIN).decode(errors="backslashreplace")
        return f"it came from {origin[:100]}"
    except (OSError, ValueError):  # no mark, or a file system that knows none
        pass
    for each in (file, project, *(project / name for name in CODE)):
        if why := why_foreign(each, os.getuid()):
            return f"{each} {why}"
    return ""


def why_foreign(path: Path, user: int) -> str:
    """Return why somebody other than the user may have written a path; "" if nothing indicates that."""
    try:
        found = path.stat()
    except OSError:
        return ""  # it does not exist
    if user and found.st_uid not in (0, user):
        return "belongs to another user"
    return ""


def _content(path: Path) -> bytes:
    """Return the bytes of a file; none if it cannot be read, which is reported when it is opened."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""


def _permission(file: str | Path, issues: Sequence[TrustIssue]) -> Permission | None:
    """Return the permission if there are no issues; otherwise print each issue once."""
    for line in map(str, issues):
        if line not in _printed:
            _printed.add(line)
            print(line, file=sys.stderr, flush=True)
    return None if issues else Permission(Path(file))


def _trust_issues(file: Path, projects: Sequence[Path], what: str) -> list[TrustIssue]:
    return [
        TrustIssue(file, project, why, what)
        for project in dict.fromkeys(projects)
        if not _is_known(project) and (why := from_elsewhere(file, project)) and not is_trusted(project)
    ]


def _is_known(project: Path) -> bool:
    """Return whether a project is odesim's own or contains the working directory; the download folder is no
    project."""
    stands_in = Path.cwd().is_relative_to(project) and not _downloads().is_relative_to(project)
    return stands_in or project.is_relative_to(share_dir().resolve())


def is_trusted(project: Path) -> bool:
    """Return whether the user has trusted a project."""
    return project in _trusted_now or TRUSTED.has(project)


def _resolved(file: str | Path) -> Path:
    try:
        return Path(file).resolve()
    except (OSError, ValueError, RuntimeError):  # a NUL in its name, or a loop of links
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
    values = [line.removeprefix(start).strip().strip('"') for line in lines if line.startswith(start)]
    chosen = values[-1].replace("$HOME", str(home)) if values else ""
    chosen = os.environ.get("XDG_DOWNLOAD_DIR") or chosen
    folder = Path(chosen) if chosen and Path(chosen) != home else home / "Downloads"
    return folder.resolve()
