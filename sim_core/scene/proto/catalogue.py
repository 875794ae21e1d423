"""The PROTO nodes that can be added to a world: those of its project, and those that come with odesim."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.scene.assets import PROTO_ENDING, Assets, NotFoundError
from sim_core.scene.files import read_text
from sim_core.scene.node_types import NodeType, all_node_types
from sim_core.scene.proto.proto_file import ProtoHead, read_head

NOT_OFFERED = {"hidden", "deprecated"}
"""Tags of what new worlds should not use by itself."""
ICONS = "icons"
DEEPEST = 20
"""PROTO nodes whose bodies are each the next one."""


class Offer(NamedTuple):
    """A PROTO that can be added.

    Attributes:
        folder: in which of the folders below `protos` it is, as `objects/chairs`; empty: in none.
        base: the node of Webots that it is in the end.
        icon: a picture of it; None: there is none.
        is_own: it is one of the world's project.
    """

    name: str
    file: Path
    folder: str
    head: ProtoHead
    base: NodeType
    icon: Path | None
    is_own: bool


def offers(assets: Assets) -> list[Offer]:
    """All of them by name, the project's first; a file that cannot be read is passed over."""
    found: dict[str, Offer] = {}
    for folder in assets.own_proto_folders():
        is_own = assets.project is not None and folder == assets.project / "protos"
        for file in sorted(folder.rglob(f"*{PROTO_ENDING}")):
            head, base = _head(file), None
            if head is not None and file.stem not in found and not NOT_OFFERED & {*head.words("tags")}:
                base = _base(head, assets)
            if head is not None and base is not None:
                picture = folder / ICONS / f"{file.stem}.png"
                icon = picture if picture.is_file() else None
                place = file.parent.relative_to(folder).as_posix().strip(".")
                found[file.stem] = Offer(file.stem, file, place, head, base, icon, is_own)
    return list(found.values())


def _head(file: Path) -> ProtoHead | None:
    try:
        return _read(file, file.stat().st_mtime_ns)
    except OSError:
        return None


@cache
def _read(file: Path, changed_ns: int) -> ProtoHead | None:
    """Anew only if the file is another than before."""
    try:
        return read_head(read_text(file, "a PROTO file (.proto)"), str(file))
    except (SceneError, SceneErrors):
        return None


def _base(head: ProtoHead, assets: Assets) -> NodeType | None:
    """The node that a PROTO is in the end; None: there is none."""
    for _ in range(DEEPEST):
        found = all_node_types().get(head.base)
        if found is not None:
            return found
        file = _file_of(head.base, assets)
        below = None if file is None else _head(file)
        if below is None:
            return None
        head = below
    return None


def _file_of(name: str, assets: Assets) -> Path | None:
    try:
        return assets.find_proto(name)
    except NotFoundError:
        return None
