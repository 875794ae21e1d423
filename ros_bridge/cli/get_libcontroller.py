"""`odesim get libcontroller`: downloads Webots' own library for controllers from its official repository.

Only the parts for Linux that controllers need are extracted: libraries, headers and the Python packages.
Downloaded files must be identical to those of the tested release.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
import tarfile
import tempfile
import zlib
from pathlib import Path, PurePosixPath

from ros_bridge.controller_api.libcontroller import LIBRARY, VERSION, VERSION_FILE, fetched_home, version_of
from sim_core.base.errors import ConfigError
from sim_core.scene.download import DownloadError, download

URL = "https://github.com/cyberbotics/webots-libcontroller/archive/refs/tags/R2023a.tar.gz"
CONTENTS = "eed88a921a0d1eb61fbec64bc3595e3722aafd328649080439fa2905f4656b91"
"""SHA-256 of the extracted files, see `digest`; not of the archive, which GitHub may compress again."""
LICENCE = (
    "libController: copyright Cyberbotics Ltd., Apache License 2.0; https://github.com/cyberbotics/webots"
)
MOST_BYTES = 64 * 2**20
"""Maximum total size of the extracted files."""
_KEPT = (
    (
        re.compile(r"lib/(?:linux-gnu|controller)/((?:lib\w+\.so|python/.+\.py|java/\w+\.(?:jar|so)))"),
        "lib/controller/",
    ),
    (re.compile(r"include/(?:controller/)?((?:c|cpp)/.+\.(?:h|hpp))"), "include/controller/"),
    (re.compile(r"resources/(version\.txt)"), "resources/"),
)
"""Paths in the archives of webots-libcontroller and Webots, below the first folder, with their targets."""


def get_libcontroller(archive: str | None, url: str = URL, contents: str = CONTENTS) -> Path:
    """Install libController in the user's folder, replacing an existing one.

    Args:
        archive: an archive of Webots or of webots-libcontroller; None: download it from `url`.
        url: address of the archive.
        contents: expected digest of the extracted files.

    Returns:
        The folder, which controllers use as WEBOTS_HOME.

    Raises:
        ConfigError: there is no such archive, or it contains no library for this machine or unexpected files.
    """
    print(LICENCE, file=sys.stderr)
    home = fetched_home()
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as folder:
            file, made = Path(archive or Path(folder, "archive")), Path(folder, "libcontroller")
            if archive is None:
                download(url, file)
            _unpack(file, made)
            if not (made / LIBRARY).is_file():
                raise ConfigError(f"{archive or url}: found no lib/controller/libController.so, expected one")
            if archive is None and (found := digest(made)) != contents:
                raise ConfigError(f"{url}: found files with SHA-256 {found}, expected {contents}: not used")
            _write_version(made, archive or url)
            if home.exists():
                home.replace(Path(folder, "former"))
            made.replace(home)
    except DownloadError as error:
        raise ConfigError(f"{error}; an archive that you have is taken by --from FILE") from None
    except (OSError, tarfile.TarError, EOFError, zlib.error) as error:
        raise ConfigError(f"{archive or url}: found {error}, expected an archive, and place for it") from None
    return home


def digest(folder: Path) -> str:
    """Return the SHA-256 of the files in a folder: names, sizes and contents, sorted by name."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        whole.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode() + data)
    return whole.hexdigest()


def _unpack(archive: Path, folder: Path) -> None:
    """Extract the files; links in the archive are not followed."""
    total = 0
    with tarfile.open(archive) as files:
        for member in files:
            target = _target(member.name)
            data = files.extractfile(member) if target and member.isfile() else None
            if target is None or data is None:
                continue
            total += member.size
            if total > MOST_BYTES:
                raise ConfigError(
                    f"{archive}: found more than {MOST_BYTES // 2**20} MiB of libraries and headers"
                )
            path = folder / target
            path.parent.mkdir(parents=True, exist_ok=True)
            with data, path.open("wb") as file:
                shutil.copyfileobj(data, file)


def _target(name: str) -> str | None:
    """Return the target of a file of the archive, relative to the folder; None: it is left out."""
    parts = PurePosixPath(name).parts[1:]
    if ".." in parts:
        return None
    path = "/".join(parts)
    return next((into + found[1] for rule, into in _KEPT if (found := rule.fullmatch(path))), None)


def _write_version(folder: Path, source: str) -> None:
    """Write the version file if the archive has none; the name of the source contains the version."""
    file = folder / VERSION_FILE
    named = VERSION.search(source)
    if not version_of(folder) and named is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(named[0] + "\n", encoding="utf-8")
