"""Files that requests name by URI."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from ros_bridge.control.simulation_interfaces.host import Code, Refusal


def local_path(uri: str) -> Path:
    """The file of a URI: `file:///…`, `package://PACKAGE/…`, or a path.

    Raises:
        Refusal: another kind of URI, or no such package.
    """
    parts = urlsplit(uri)
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise Refusal(Code.NOT_FOUND, f'found "{uri}", expected a file of this machine: file:///PATH')
        return Path(unquote(parts.path))
    if parts.scheme == "package":
        from ament_index_python.packages import get_package_share_path

        try:
            return Path(get_package_share_path(parts.netloc)) / unquote(parts.path).lstrip("/")
        except (LookupError, OSError, ValueError):  # PackageNotFoundError is a KeyError
            raise Refusal(Code.NOT_FOUND, f'no package "{parts.netloc}", named by "{uri}"') from None
    if len(parts.scheme) > 1:
        raise Refusal(Code.NOT_FOUND, f'found "{uri}", expected file:, package: or a path')
    return Path(uri)


def uri_of(path: Path) -> str:
    """`file:///…`"""
    return path.resolve().as_uri()


def existing(path: Path, uri: str) -> Path:
    """The path, if it is a file that is there.

    Raises:
        Refusal: it is not.
    """
    try:
        if path.is_file():
            return path
    except (OSError, ValueError):
        pass
    raise Refusal(Code.NOT_FOUND, f'no file "{uri}"')
