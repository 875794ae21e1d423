"""URLs of meshes and pictures in URDF files: `package://`, `file://`, or a path from the file."""

from __future__ import annotations

import os
from os.path import isdir, isfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

PACKAGE = "package://"
_MOST_LEVELS = 20


def local_url(url: str, file: str) -> str:
    """The path of a URL's file; a package that is nowhere leaves the URL as it is.

    A package is looked for in the folders above the URDF file, then in ROS_PACKAGE_PATH and
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
    """The folder of a package: one from `start` upwards, or beside one of these; else of the environment."""
    if not name or name in (".", ".."):
        return None
    for folder in (start, *start.parents)[:_MOST_LEVELS]:
        if folder.name == name:
            return folder
        if isfile(folder / name / "package.xml"):
            return folder / name
    places = [Path(each) / name for each in _paths("ROS_PACKAGE_PATH")]
    places += [Path(each) / "share" / name for each in _paths("AMENT_PREFIX_PATH")]
    return next((place for place in places if isdir(place)), None)


def _paths(variable: str) -> list[str]:
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]
