"""Mesh and picture files that nodes name."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.scene.assets import Assets, NotFoundError
from sim_core.scene.node import Node, Source

FILE_NODES = ("Mesh", "CadShape")
_SIDES = ("front", "back", "left", "right", "top", "bottom")
SKY, IRRADIANCE = (tuple(side + ending for side in _SIDES) for ending in ("Url", "IrradianceUrl"))
"""Fields of a Background, each with a side of a cube."""
_log = logging.getLogger(__name__)


class FileReference(NamedTuple):
    """A file named by a node.

    Attributes:
        what: type of the node and its field.
        url: the URL as written.
        bases: files to which a relative URL may refer, in order.
        source: place of the node.
    """

    what: str
    url: str
    bases: tuple[str, ...]
    source: Source

    def find_file(self, assets: Assets | None = None) -> Path:
        """Return the path of the file.

        Args:
            assets: search places; None: from the environment, without downloads.

        Raises:
            SceneError: the file is not found; lists the places searched.
        """
        try:
            return find_file(self.url, self.bases, assets)
        except NotFoundError as error:
            where = f"; looked for at {', '.join(error.looked)}" if error.looked else ""
            raise SceneError(*self.source, f'{self.what} "{self.url}": {error}{where}') from None

    def log_unusable(self, error: SceneError, consequence: str) -> None:
        """Log once that the file cannot be used; that it is missing was reported when the scene was read."""
        with suppress(SceneError):
            self.find_file()
            _warn(f"{error}, {consequence}")


def file_of(node: Node, field: str = "url") -> FileReference:
    """Return the file that a field names; of several URLs, the first.

    A relative URL refers to the file that contains the node; for the root of a PROTO's body, which has its
    place in the file of the instance, to that of the body, unless a parameter gives it. A node of a PROTO may
    get it from the file of the instance, which is tried next.
    """
    urls: str | list[str] = node[field]
    url = urls if isinstance(urls, str) else urls[0]
    bases = places(node)
    if node.proto is not None and field not in node.proto.connected:
        bases = (*(level.file for level in node.proto.levels()), *bases)
    return FileReference(f"{node.type_name}.{field}", url, bases, node.source)


def places(node: Node) -> tuple[str, ...]:
    """Return the files to which a relative URL of a node may refer, in order."""
    return tuple(dict.fromkeys(each.source.file for each in (node, *node.ancestors())))


def find_file(url: str, bases: Iterable[str], assets: Assets | None = None) -> Path:
    """Return the file of a URL that may refer to several files, and finally to the common worlds of
    Webots.

    Raises:
        NotFoundError: the file is not found.
    """
    assets = assets or Assets.for_world(None)
    relative = "://" not in url and not Path(url).is_absolute()
    files = [Path(base) for base in bases]
    if relative and assets.webots_home is not None:
        files.append(assets.webots_home / "projects" / "default" / "worlds" / "any.wbt")
    looked: list[str] = []
    reason = ""
    for file in files if relative else files[:1]:
        try:
            return assets.find_file(url, file)
        except NotFoundError as error:
            reason = reason or str(error)
            looked += [place for place in error.looked if place not in looked]
    raise NotFoundError(reason, looked)


@cache
def _warn(message: str) -> None:
    _log.warning("%s", message)
