"""Files that requests name by URI."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from sim_core.base.errors import Code, CommandError


def local_path(uri: str) -> Path:
    """Return the file of a URI: `file:///…`, `package://PACKAGE/…`, or a path.

    Raises:
        CommandError: the URI is of another kind, or there is no such package.
    """
    parts = urlsplit(uri)
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise CommandError(
                f'found "{uri}", expected a file of this machine: file:///PATH', Code.NOT_FOUND
            )
        return Path(unquote(parts.path))
    if parts.scheme == "package":
        from ament_index_python.packages import get_package_share_path

        try:
            return Path(get_package_share_path(parts.netloc)) / unquote(parts.path).lstrip("/")
        except (LookupError, OSError, ValueError):  # PackageNotFoundError is a KeyError
            raise CommandError(f'no package "{parts.netloc}", named by "{uri}"', Code.NOT_FOUND) from None
    if len(parts.scheme) > 1:
        raise CommandError(f'found "{uri}", expected file:, package: or a path', Code.NOT_FOUND)
    return Path(uri)


def uri_of(path: Path) -> str:
    """Return the URI `file:///…` of a path."""
    return path.resolve().as_uri()


def existing(path: Path, uri: str) -> Path:
    """Return the path if the file exists.

    Raises:
        CommandError: it does not.
    """
    try:
        if path.is_file():
            return path
    except (OSError, ValueError):
        pass
    raise CommandError(f'no file "{uri}"', Code.NOT_FOUND)
