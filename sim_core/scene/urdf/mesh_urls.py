"""URLs of meshes and pictures in URDF files: `package://`, `file://`, or a path relative to the file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from os.path import isdir, isfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

PACKAGE = "package://"
MANIFEST = "package.xml"
_MAX_LEVELS = 20
_MAX_NEIGHBOURS = 2000
_MANIFEST_LENGTH = 65536
"""Number of characters of a manifest within which its name is searched for."""
_COMMENT = re.compile(r"<!--(?:(?!-->).)*-->", re.DOTALL)
_NAME = re.compile(r"<name\b[^>]*>\s*([^<\s]+)\s*</name>")


def local_url(url: str, file: str) -> str:
    """Return the path of a URL's file; the URL of an unknown package is returned unchanged.

    A package is searched for in the folders above the URDF file, then in ROS_PACKAGE_PATH and
    AMENT_PREFIX_PATH.
    """
    if url.startswith(PACKAGE):
        name, _, inside = url.removeprefix(PACKAGE).partition("/")
        folder = package_folder(name, Path(file).resolve().parent)
        return str(folder / unquote(inside)) if folder is not None else url
    if url.startswith("file://"):
        return unquote(urlsplit(url).path)
    return url


def package_folder(name: str, start: Path) -> Path | None:
    """Return the folder of a package: from `start` upwards, or beside one of these; else of the
    environment.

    The name of a package is that in its `package.xml`; without such a file, that of its folder.
    """
    if not name or name in (".", ".."):
        return None
    for folder in (start, *start.parents)[:_MAX_LEVELS]:
        if _name_of(folder) == name:
            return folder
        if isfile(folder / name / MANIFEST) and _name_of(folder / name) == name:
            return folder / name
        inside = next((each for each in _packages_in(folder) if _name_of(each) == name), None)
        if inside is not None:
            return inside
    places = [Path(each) / name for each in _paths("ROS_PACKAGE_PATH")]
    places += [Path(each) / "share" / name for each in _paths("AMENT_PREFIX_PATH")]
    return next((place for place in places if isdir(place)), None)


def _packages_in(folder: Path) -> Iterator[Path]:
    """Yield the packages in a folder by name; in a very full folder only the first ones."""
    try:
        names = sorted(islice(os.listdir(folder), _MAX_NEIGHBOURS))
    except OSError:
        return
    yield from (folder / name for name in names if isfile(folder / name / MANIFEST))


def _name_of(folder: Path) -> str:
    """Return the package name of a folder."""
    file = folder / MANIFEST
    if not isfile(file):  # not a pipe or a device
        return folder.name
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            head = _COMMENT.sub("", opened.read(_MANIFEST_LENGTH))
    except OSError:
        return folder.name
    found = _NAME.search(head)
    return folder.name if found is None else found[1]


def _paths(variable: str) -> list[str]:
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]
