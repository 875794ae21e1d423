"""Missing PROTO files: messages about them, and which of them could be downloaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sim_core.base.errors import Mistake, SceneErrors
from sim_core.scene.assets import Assets, NotFoundError
from sim_core.scene.files import read_text
from sim_core.scene.node import Source
from sim_core.scene.scene import ExternProto

HOW_TO_GET = (
    "give --download, or set WEBOTS_HOME to a copy of Webots; "
    "in Python download=True, or lenient=True to go on without it"
)
_EXTERN = re.compile(r'^[ \t]*EXTERNPROTO[ \t]+"([^"\n]+)"', re.MULTILINE)


class MissingProto(NamedTuple):
    """A PROTO whose file is missing.

    Attributes:
        source: place where it is first named.
        reason: message of the search; empty: none.
        is_declared: an EXTERNPROTO line states its URL.
    """

    source: Source
    reason: str
    is_declared: bool


def missing_proto_warnings(missing: Mapping[str, MissingProto], has_asked: bool) -> list[Mistake]:
    """Return one message for all missing PROTO, with the ways to get them.

    Args:
        missing: missing PROTO by name.
        has_asked: True: a download has been tried.
    """
    if not missing:
        return []
    first, declared = next(iter(missing.values())), [each for each in missing.values() if each.is_declared]
    if len(missing) == 1:
        found, used = f"PROTO {next(iter(missing))} is missing", "its node is empty"
    else:
        found, used = f"{len(missing)} PROTO ({', '.join(missing)}) are missing", "their nodes are empty"
    if has_asked and declared:
        how = declared[0].reason
    else:
        ways = ["--download fetches what EXTERNPROTO lines name, once"] if declared else []
        how = "; ".join([*ways, "WEBOTS_HOME names a copy of Webots", "--strict refuses"])
    return [Mistake(*first.source, found, used, hint=how)]


def missing_declared_protos(world: Path, assets: Assets) -> list[str]:
    """Return the PROTO names that a world, or PROTO files of it, declare by https and that are not on this
    machine.

    Only EXTERNPROTO lines are read, which is quick; a file that cannot be read declares nothing.
    """
    names: dict[str, None] = {}
    waiting, read = [world], {world}
    while waiting:
        referrer = waiting.pop()
        try:
            text = read_text(referrer, "a file")
        except SceneErrors:
            continue
        for url in _EXTERN.findall(text):
            file = _find(ExternProto(url), referrer, assets)
            if file is None:
                if url.startswith("https://"):
                    names[ExternProto(url).name] = None
            elif file not in read:
                read.add(file)
                waiting.append(file)
    return list(names)


def _find(extern: ExternProto, referrer: Path, assets: Assets) -> Path | None:
    try:
        return assets.find_file(extern.url, referrer)
    except NotFoundError:
        pass
    try:
        return assets.find_proto(extern.name)
    except NotFoundError:
        return None
