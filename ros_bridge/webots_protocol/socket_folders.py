"""Folders and names of Webots' local sockets, where clients look for a simulation.

/tmp/webots/USER/NUMBER/ipc/NAME/extern     a controller started by a user
/tmp/webots/USER/NUMBER/ipc/NAME/intern     a controller started by the simulation
/tmp/webots-NUMBER/ipc/NAME/extern          where libController until R2023a looks
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO
from urllib.parse import quote

from sim_core.base.errors import ConfigError

TEMPORARY = Path("/tmp")
"""libController does not use environment variables."""
FIRST_NUMBER = 1234
"""First instance number, equal to Webots' default port."""
MAX_INSTANCES = 1000
LOCK = "odesim.lock"
_LONGEST = 91
_LONGEST_R2023B = 70
_SHORTEST = 4


def user() -> str:
    """Return the user's name as determined by libController."""
    return os.environ.get("USER") or os.environ.get("USERNAME") or "default"


def encoded(name: str) -> str:
    """Encode a robot's name for paths, with percent encoding of bytes (RFC 3986)."""
    return quote(name, safe="-_~.")


def names_of(name: str, folder: Path) -> list[str]:
    """Return the folders in which clients look for a robot: long names are replaced by a part of their SHA-1.

    Args:
        name: of the robot.
        folder: of all robots.
    """
    plain = encoded(name)
    digest = hashlib.sha1(plain.encode(), usedforsecurity=False).hexdigest()
    room = max(_SHORTEST, _LONGEST - len(str(folder)) - len("//extern")) // 2 * 2
    names = [plain if len(plain) <= room else digest[:room]]
    names.append(plain if len(plain) <= _LONGEST_R2023B else digest)
    return list(dict.fromkeys(names))


class Instance:
    """The folders of one simulation, which nobody else can access.

    Attributes:
        number: by which clients select it.
        path: its folder.
        early_path: where clients until R2023a look.
    """

    def __init__(self, number: int | None) -> None:
        """Reserve a number.

        Args:
            number: the number; None: the first free one from 1234 on.

        Raises:
            ConfigError: it is in use, or the folders cannot be created.
        """
        above = TEMPORARY / "webots" / user()
        try:
            self._make(above, number)
        except OSError as error:
            raise ConfigError(f"{above}: found {error.strerror}, expected a folder for sockets") from None

    def _make(self, above: Path, number: int | None) -> None:
        _make_private(above)
        numbers = [number] if number is not None else range(FIRST_NUMBER, FIRST_NUMBER + MAX_INSTANCES)
        self._lock: IO[str] | None = None
        for each in numbers:
            self.number, self.path = each, above / str(each)
            self.early_path = TEMPORARY / f"webots-{each}"
            self._lock = _taken(self.path)
            if self._lock is not None:
                break
        if self._lock is None:
            raise ConfigError(f"{self.path}: found a running simulation, expected another number")
        for folder in (self.path / "ipc", self.early_path):
            if folder.is_symlink() or folder.exists():
                _check_private(folder)
                shutil.rmtree(folder, ignore_errors=True)
        (self.path / "ipc").mkdir(mode=0o700)
        with suppress(OSError):  # current clients do not need it
            (self.early_path / "ipc").mkdir(mode=0o700, parents=True)
            self.early_path.chmod(0o700)

    def sockets(self, robot: str) -> list[Path]:
        """Create the folders in which clients look for a robot, and return the socket paths.

        A name that cannot be a file name has no folder.

        Raises:
            OSError: they cannot be created.

        """
        if robot in ("", ".", ".."):
            return []
        folder = self.path / "ipc"
        kinds = ("extern", "intern")
        places = [folder / name / kind for name in names_of(robot, folder) for kind in kinds]
        if "/" not in robot:  # unencoded, for clients until R2023a
            places += [folder / robot / kind for kind in kinds]
            places += [self.early_path / "ipc" / robot / "extern"] * (self.early_path / "ipc").is_dir()
        places = list(dict.fromkeys(places))
        for path in places:
            path.parent.mkdir(mode=0o700, exist_ok=True)
        return places

    def remove_folders(self, robot: str) -> None:
        """Remove the folders of a robot."""
        for path in self.sockets(robot):
            shutil.rmtree(path.parent, ignore_errors=True)

    def close(self) -> None:
        """Remove all folders."""
        shutil.rmtree(self.early_path, ignore_errors=True)
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()


def _make_private(folder: Path) -> None:
    """Create the folder of this user's instances, and the common one above it."""
    with suppress(FileExistsError):
        folder.parent.mkdir(mode=0o777)
        folder.parent.chmod(0o1777)  # like the folder of temporary files, so that other users can add theirs
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    _check_private(folder)


def _check_private(folder: Path) -> None:
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise ConfigError(f"{folder}: found something of another user, expected a folder of this user only")
    if found.st_mode & 0o077:
        folder.chmod(0o700)


def _taken(folder: Path) -> IO[str] | None:
    """Create and lock an instance's folder; return the lock, None: a running simulation has it."""
    if not folder.exists():
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    elif not (folder / LOCK).exists():  # an instance of Webots itself
        return None
    _check_private(folder)
    lock = (folder / LOCK).open("w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock
