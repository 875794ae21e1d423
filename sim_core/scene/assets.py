"""Search for the files that a world names: PROTO definitions, meshes, textures, sounds.

A URL is looked up in this order:

1. a relative path from the file that names it, an absolute path as it stands;
2. `webots://…` and Webots' own https addresses in the local copy of the Webots tree (`WEBOTS_HOME`);
3. any https address in the cache folder; with `download` it is fetched and stored there.

A PROTO that is not found there, or is not declared, is searched for by the name of its file: in the folder
`protos` beside the world's folder, in `ODESIM_PROTO_PATH`, among odesim's own, in the Webots tree.

Downloads use https only, with limits on size and time; see `download.py`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from os.path import isfile, normpath  # unlike Path.is_file, returns false for names that are too long
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sim_core.base.shipped import cache_dir, share_dir
from sim_core.scene.download import DownloadError, download

PROTO_ENDING = ".proto"
WEBOTS_SCHEME = "webots://"
_WEBOTS_PAGE = re.compile(r"https://raw\.githubusercontent\.com/cyberbotics/webots/[^/]+/(.+)")
MOST_FILES = 200_000
"""Maximum number of files of a folder tree that are examined when a PROTO is searched for by its name."""


class NotFoundError(Exception):
    """A file is not found; never leaves this package.

    Attributes:
        looked: paths and URLs that were searched.
    """

    def __init__(self, reason: str, looked: list[str]) -> None:
        super().__init__(reason)
        self.looked = looked


@dataclass(frozen=True)
class Assets:
    """Places to search for files.

    Attributes:
        project: the folder that holds the world's folder.
        proto_path: folders with PROTO files, before odesim's own.
        webots_home: a copy of the Webots tree, or None.
        cache: folder of downloaded files.
        may_download: True: missing files may be downloaded.
        silent: hosts that could not be reached; each is tried only once.
    """

    project: Path | None = None
    proto_path: tuple[Path, ...] = ()
    webots_home: Path | None = None
    cache: Path = Path()
    may_download: bool = False
    silent: set[str] = field(default_factory=set, compare=False)

    @classmethod
    def for_world(cls, world: str | Path | None, may_download: bool = False) -> Assets:
        """Return the search places given by the environment: ODESIM_PROTO_PATH, WEBOTS_HOME,
        XDG_CACHE_HOME."""
        home = os.environ.get("WEBOTS_HOME")
        folders = os.environ.get("ODESIM_PROTO_PATH", "").split(os.pathsep)
        return cls(
            project=Path(os.path.realpath(world)).parent.parent if world is not None else None,
            proto_path=tuple(Path(folder) for folder in folders if folder),
            webots_home=Path(home) if home else None,
            cache=cache_dir(),
            may_download=may_download,
        )

    def find_file(self, url: str, base: Path | None) -> Path:
        """Return the file of a URL.

        Args:
            url: as it is written in the file.
            base: file that contains the URL.

        Raises:
            NotFoundError: the file is not found, or the URL is not allowed.
        """
        if "\0" in url or not url.strip():
            raise NotFoundError("no URL", [])
        if url.startswith("webots://"):
            return self._of_webots(url.removeprefix(WEBOTS_SCHEME), [])
        if "://" in url:
            return self._of_web(url)
        path = Path(url.replace("\\", "/"))
        with suppress(RuntimeError):  # expanduser: there is no such user
            path = path.expanduser()
        if not path.is_absolute():
            path = (base.parent if base is not None else Path()) / path
        if isfile(path):
            return path
        if isfile(normal := normpath(path)):  # as in a URL, ".." may follow a folder that does not exist
            return Path(normal)
        raise NotFoundError("no such file", [str(path)])

    def find_proto(self, name: str) -> Path:
        """Return the file of the PROTO with this name.

        Raises:
            NotFoundError: there is no such file in any folder with PROTO files.
        """
        looked = []
        for folder in self.proto_folders():
            looked.append(str(folder))
            found = _protos_below(folder).get(name)
            if found is not None:
                return found
        raise NotFoundError("no such PROTO", looked)

    def proto_folders(self) -> Iterator[Path]:
        """Yield the folders that are searched by name, in order."""
        yield from self.own_proto_folders()
        if self.webots_home is not None:
            yield self.webots_home / "projects"

    def own_proto_folders(self) -> Iterator[Path]:
        """Yield the folders that are searched by name, in order, without the Webots tree."""
        if self.project is not None:
            yield self.project / "protos"
        yield from self.proto_path
        yield share_dir() / "protos"

    def _of_webots(self, path: str, looked: list[str]) -> Path:
        """Return a file of the Webots tree."""
        path = unquote(path)
        if ".." in path.split("/"):
            raise NotFoundError('".." in the URL of a file of Webots, which may not leave its tree', [])
        if self.webots_home is not None:
            file = self.webots_home / path
            if isfile(file):
                return file
            looked = [*looked, str(file)]
        else:
            looked = [*looked, "no copy of the Webots tree (WEBOTS_HOME is not set)"]
        raise NotFoundError("not in the Webots tree", looked)

    def _of_web(self, url: str) -> Path:
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise NotFoundError(f"no URL: {error}", []) from None
        if parts.scheme != "https":
            raise NotFoundError(f"a URL of scheme {parts.scheme}:, expected https:", [])
        if ".." in unquote(parts.path).split("/"):
            raise NotFoundError('".." in a URL', [])
        looked: list[str] = []
        page = _WEBOTS_PAGE.fullmatch(url)
        if page is not None:
            try:
                return self._of_webots(page[1], looked)
            except NotFoundError as error:
                looked = error.looked
        kept = self.cache / hashlib.sha256(url.encode()).hexdigest()[:16] / Path(unquote(parts.path)).name
        if isfile(kept):
            return kept
        looked.append(str(kept))
        if not self.may_download:
            raise NotFoundError("not on this machine; --download allows downloads", looked)
        if parts.netloc in self.silent:
            raise NotFoundError(f"{parts.netloc} did not answer", [*looked, url])
        try:
            download(url, kept)
        except DownloadError as error:
            if not error.has_answered:
                self.silent.add(parts.netloc)
            raise NotFoundError(str(error), [*looked, url]) from None
        return kept


@cache
def _protos_below(folder: Path) -> dict[str, Path]:
    """Return all PROTO files of a folder tree by PROTO name; of several, the first by path."""
    found: dict[str, Path] = {}
    count = 0
    for place, folders, files in os.walk(folder):
        folders.sort()
        count += len(files)
        if count > MOST_FILES:
            break
        for file in sorted(files):
            if file.endswith(PROTO_ENDING):
                found.setdefault(file.removesuffix(PROTO_ENDING), Path(place, file))
    return found
