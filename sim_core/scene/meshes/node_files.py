"""The files that nodes name: meshes and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.scene.assets import Assets, NotFoundError
from sim_core.scene.node import Node, Source

FILE_NODES = ("Mesh", "CadShape")


class FileReference(NamedTuple):
    """A file as a node names it.

    Attributes:
        what: the type of the node and its field.
        url: as it is written.
        bases: the files that a relative URL counts from, in order.
        source: where the node stands.
    """

    what: str
    url: str
    bases: tuple[str, ...]
    source: Source

    def find(self, assets: Assets | None = None) -> Path:
        """Where the file is.

        Args:
            assets: where to look; None: as the environment says, and never in the network.

        Raises:
            SceneError: it is nowhere; lists where it was looked for.
        """
        try:
            return find_file(self.url, self.bases, assets)
        except NotFoundError as error:
            where = f"; looked for at {', '.join(error.looked)}" if error.looked else ""
            raise SceneError(*self.source, f'{self.what} "{self.url}": {error}{where}') from None


def file_of(node: Node, field: str = "url") -> FileReference:
    """The file that a field of one URL names, or of some the first.

    A relative URL counts from the file that the node stands in. A node of a PROTO may have it from the file
    of the instance: that is asked next.
    """
    urls: str | list[str] = node[field]
    url = urls if isinstance(urls, str) else urls[0]
    return FileReference(f"{node.type_name}.{field}", url, places(node), node.source)


def places(node: Node) -> tuple[str, ...]:
    """The files that a relative URL of a node counts from, in order."""
    return tuple(dict.fromkeys(each.source.file for each in (node, *node.ancestors())))


def find_file(url: str, bases: Iterable[str], assets: Assets | None = None) -> Path:
    """The file of a URL that may count from several files; after them from the common worlds of Webots.

    Raises:
        NotFoundError: it is nowhere.
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
            return assets.find(url, file)
        except NotFoundError as error:
            reason = reason or str(error)
            looked += [place for place in error.looked if place not in looked]
    raise NotFoundError(reason, looked)
