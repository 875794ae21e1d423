"""Catalogue of the PROTO nodes that can be added to a world: those of its project and those of odesim."""

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
"""Tags of PROTO nodes that new worlds should not use."""
ICONS = "icons"
DEEPEST = 20
"""Longest chain of PROTO nodes of which each is the body of the one before."""


class AvailableProto(NamedTuple):
    """A PROTO that can be added to a world.

    Attributes:
        folder: its folder below `protos`, such as `objects/chairs`; empty: none.
        base: the Webots node at the end of its chain of base types.
        icon: picture file; None: there is none.
        is_own: True for a PROTO of the world's project.
    """

    name: str
    file: Path
    folder: str
    head: ProtoHead
    base: NodeType
    icon: Path | None
    is_own: bool


def available_protos(assets: Assets) -> list[AvailableProto]:
    """Return all offers by name, the project's first; files that cannot be read are skipped."""
    found: dict[str, AvailableProto] = {}
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
                found[file.stem] = AvailableProto(file.stem, file, place, head, base, icon, is_own)
    return list(found.values())


def _head(file: Path) -> ProtoHead | None:
    try:
        return _read(file, file.stat().st_mtime_ns)
    except OSError:
        return None


@cache
def _read(file: Path, changed_ns: int) -> ProtoHead | None:
    """Read the head of a PROTO file; cached until the file changes."""
    try:
        return read_head(read_text(file, "a PROTO file (.proto)"), str(file))
    except (SceneError, SceneErrors):
        return None


def _base(head: ProtoHead, assets: Assets) -> NodeType | None:
    """Return the Webots node at the end of the chain of base types; None: there is none."""
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
