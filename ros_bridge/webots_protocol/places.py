"""Where clients look for a simulation: the folders and names of Webots' local sockets.

/tmp/webots/USER/NUMBER/ipc/NAME/extern     a controller that somebody starts
/tmp/webots/USER/NUMBER/ipc/NAME/intern     one that the simulation starts
/tmp/webots-NUMBER/ipc/NAME/extern          as libController until R2023a looks for it
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
"""libController looks at no variable."""
FIRST_NUMBER = 1234
"""Of an instance, as that of Webots' port."""
MOST_INSTANCES = 1000
LOCK = "odesim.lock"
_LONGEST = 91
_LONGEST_R2023B = 70
_SHORTEST = 4


def user() -> str:
    """The user's name, as libController has it."""
    return os.environ.get("USER") or os.environ.get("USERNAME") or "default"


def encoded(name: str) -> str:
    """A robot's name in paths: by bytes in percent, as of RFC 3986."""
    return quote(name, safe="-_~.")


def names_of(name: str, folder: Path) -> list[str]:
    """The folders in which clients look for a robot: long names are cut to a part of their SHA-1.

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
    """The folders of one simulation, which nobody else may enter.

    Attributes:
        number: by which clients name it.
        path: its folder.
        early_path: where clients until R2023a look.
    """

    def __init__(self, number: int | None) -> None:
        """Take a number.

        Args:
            number: to have; None: the first one that is free from 1234 on.

        Raises:
            ConfigError: it is another one's, or there is no place.
        """
        above = TEMPORARY / "webots" / user()
        try:
            self._make(above, number)
        except OSError as error:
            raise ConfigError(f"{above}: found {error.strerror}, expected a place for sockets") from None

    def _make(self, above: Path, number: int | None) -> None:
        _make_private(above)
        numbers = [number] if number is not None else range(FIRST_NUMBER, FIRST_NUMBER + MOST_INSTANCES)
        self._lock: IO[str] | None = None
        for each in numbers:
            self.number, self.path = each, above / str(each)
            self.early_path = TEMPORARY / f"webots-{each}"
            self._lock = _taken(self.path)
            if self._lock is not None:
                break
        if self._lock is None:
            raise ConfigError(f"{self.path}: found a simulation that runs there, expected another number")
        for folder in (self.path / "ipc", self.early_path):
            if folder.is_symlink() or folder.exists():
                _check_private(folder)
                shutil.rmtree(folder, ignore_errors=True)
        (self.path / "ipc").mkdir(mode=0o700)
        with suppress(OSError):  # clients of today do without
            (self.early_path / "ipc").mkdir(mode=0o700, parents=True)
            self.early_path.chmod(0o700)

    def sockets(self, robot: str) -> list[Path]:
        """Where clients look for a robot; the folders are made.

        A name that is no name of a file has no place.

        Raises:
            OSError: there is no room for them.
        """
        if robot in ("", ".", ".."):
            return []
        folder = self.path / "ipc"
        kinds = ("extern", "intern")
        places = [folder / name / kind for name in names_of(robot, folder) for kind in kinds]
        if "/" not in robot:  # as it is, for clients until R2023a
            places += [folder / robot / kind for kind in kinds]
            places += [self.early_path / "ipc" / robot / "extern"] * (self.early_path / "ipc").is_dir()
        places = list(dict.fromkeys(places))
        for path in places:
            path.parent.mkdir(mode=0o700, exist_ok=True)
        return places

    def forget(self, robot: str) -> None:
        """Take the folders of a robot away."""
        for path in self.sockets(robot):
            shutil.rmtree(path.parent, ignore_errors=True)

    def close(self) -> None:
        """Take all folders away."""
        shutil.rmtree(self.early_path, ignore_errors=True)
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()


def _make_private(folder: Path) -> None:
    """The folder of this user's instances, and the one of all users above it."""
    with suppress(FileExistsError):
        folder.parent.mkdir(mode=0o777)
        folder.parent.chmod(0o1777)  # as the folder of temporary files: others have theirs beside ours
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    _check_private(folder)


def _check_private(folder: Path) -> None:
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise ConfigError(f"{folder}: found something of another user, expected a folder of this user alone")
    if found.st_mode & 0o077:
        folder.chmod(0o700)


def _taken(folder: Path) -> IO[str] | None:
    """The lock of an instance's folder, which is made; None: it is that of a simulation that runs."""
    if not folder.exists():
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    elif not (folder / LOCK).exists():  # Webots' own
        return None
    _check_private(folder)
    lock = (folder / LOCK).open("w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock
