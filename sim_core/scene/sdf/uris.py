"""Search for files that SDF names: `model://`, `package://`, `file://`, Fuel's addresses, relative paths.

Nothing is downloaded. A model is searched for in the folders of the environment, in the user's folder and in
Fuel's cache, in every folder `models` at and above the file, and among ROS packages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from os.path import expanduser, isdir, isfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sim_core.base.errors import SceneErrors
from sim_core.scene.files import read_text
from sim_core.scene.urdf.mesh_urls import package_folder
from sim_core.scene.x3d.xml_reader import read_xml

PATHS = (
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "SDF_PATH",
    "GAZEBO_MODEL_PATH",
    "GAZEBO_RESOURCE_PATH",
)
"""Environment variables that list folders."""
USER_MODELS = "~/.gazebo/models"
CACHES = ("~/.gz/fuel", "~/.ignition/fuel")
CONFIG, MODEL = "model.config", "model.sdf"
MODELS = "models"
_LEVELS = 12
"""Number of folders above a file that are searched."""
_NEIGHBOUR_LEVELS, _NEIGHBOURS = 5, 200
"""Number of these whose neighbour folders, such as another package's, are searched, and of neighbours."""
_SCHEMES = re.compile(r"(?:model|models|gazebo)://")
_FUEL = re.compile(r"https?://([^/]+)/[\d.]+/([^/]+)/models/([^/]+)(?:/(\d+|tip))?(?:/files)?(?:/(.*))?")


def find(uri: str, file: Path) -> Path | None:
    """Return the file or folder of a URI that a file names; None: it is not found."""
    uri = unquote(uri.strip())
    if not uri or "\0" in uri:
        return None
    if fuel := _FUEL.fullmatch(uri):
        host, owner, name, version, inside = fuel.groups(default="")
        return _in_fuel(host, owner, name, version, inside, file)
    if scheme := _SCHEMES.match(uri):
        return _below(uri[scheme.end() :].strip("/"), file)
    if uri.startswith("package://"):
        name, _, inside = uri.removeprefix("package://").partition("/")
        return _package(name, inside, file)
    if uri.startswith("file://"):
        uri = uri.removeprefix("file://")
    elif "://" in uri:
        return None
    path = Path(uri)
    if path.is_absolute():
        return _existing(path)
    return _existing(file.parent / path) or _below(uri, file)


def where_to_put(uri: str, file: Path) -> str:
    """Return the first path that is searched, for messages."""
    fuel, scheme = _FUEL.fullmatch(uri), _SCHEMES.match(uri)
    if fuel:
        host, owner, name = fuel[1], fuel[2], fuel[3]
        return str(Path(CACHES[0], host, owner.lower(), MODELS, name.lower(), "1"))
    if scheme:
        return str(Path(PATHS[0], unquote(uri[scheme.end() :])))
    return str(file.parent / urlsplit(uri).path.lstrip("/"))


def model_file(place: Path) -> Path | None:
    """Return the SDF file of a model; in a folder the one that its `model.config` names for the highest
    version."""
    if isfile(place):
        return place
    named = _named_in_config(place / CONFIG)
    for name in (*named, MODEL, f"{place.name}.sdf"):
        if isfile(place / name):
            return place / name
    return None


def name_in(uri: str) -> str:
    """Return the name of a model in its URI, in small letters with underscores: `ground_plane`."""
    fuel = _FUEL.fullmatch(unquote(uri.strip()))
    name = fuel[3] if fuel else unquote(uri.strip()).rstrip("/").rpartition("/")[2]
    return name.lower().replace(" ", "_")


def _named_in_config(config: Path) -> list[str]:
    """Return the files that a `model.config` names, that of the highest version first."""
    if not isfile(config):
        return []
    try:
        root = read_xml(read_text(config, "a model.config"), str(config), with_content=True)
    except SceneErrors:
        return []
    named = [item for _, item in root.children if item.name == "sdf" and item.content.strip()]
    versions = {item.content.strip(): _version(item.fields.get("version", "")) for item in named}
    return sorted(versions, key=lambda name: versions[name], reverse=True)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"\d+", text))


def _existing(path: Path) -> Path | None:
    """Return a path if it exists, even if it contains ".." after folders that do not exist."""
    try:
        return next((each for each in (path, Path(os.path.normpath(path))) if each.exists()), None)
    except OSError:
        return None


def _below(inside: str, file: Path) -> Path | None:
    """Return the path below one of the folders of models."""
    folder = str(Path(file).parent.absolute())
    for place in _folders(folder, *(os.environ.get(name, "") for name in (*PATHS, "HOME"))):
        if found := _existing(place / inside):
            return found
    name, _, rest = inside.partition("/")
    return _package(name, rest, file)


def _package(name: str, inside: str, file: Path) -> Path | None:
    folder = _package_folder(name, file.absolute().parent)
    return None if folder is None else _existing(folder / inside)


@lru_cache(maxsize=4096)
def _package_folder(name: str, start: Path) -> Path | None:
    return package_folder(name, start)


@lru_cache(maxsize=256)
def _folders(start: str, *environment: str) -> tuple[Path, ...]:
    """Return the folders with models for a file in a folder; depends on the environment."""
    named = [Path(each) for paths in environment[:-1] for each in paths.split(os.pathsep) if each]
    above = [Path(start), *Path(start).parents][:_LEVELS]
    local = [place for folder in above for place in (folder, folder / MODELS)]
    beside = [place for folder in above[:_NEIGHBOUR_LEVELS] for place in _neighbours(folder)]
    places = dict.fromkeys((*named, *local, *beside, Path(expanduser(USER_MODELS))))
    return tuple(place for place in places if isdir(place) and place != Path(place.root))


def _neighbours(folder: Path) -> Iterator[Path]:
    try:
        names = sorted(islice(os.listdir(folder), _NEIGHBOURS))
    except OSError:
        return
    yield from (folder / name / MODELS for name in names if isdir(folder / name / MODELS))


def _in_fuel(host: str, owner: str, name: str, version: str, inside: str, file: Path) -> Path | None:
    """Return a model of Fuel in its cache, of this or the newest version; else a local model of this name."""
    for cache in CACHES:
        folder = Path(expanduser(cache)) / host / owner.lower() / MODELS / name.lower()
        kept = sorted((each for each in _listed(folder) if each.isdecimal()), key=int, reverse=True)
        for each in [version] if version.isdecimal() else kept:
            if found := _existing(folder / each / inside):
                return found
    names = dict.fromkeys((name, name.lower(), name.lower().replace(" ", "_")))
    return next((found for each in names if (found := _below(str(Path(each, inside)), file))), None)


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
