"""Supported versions of libController, and detection of a client's version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LATER_NODES = ("POSE", "VACUUM_GRIPPER")
"""Node types added after R2023a, which shifted the numbers of later ones."""
_OLD_NAMES = {"Pose": "TRANSFORM"}
_VERSION = re.compile(rb"R20\d\d[a-d]")
_PLANAR = b"planar camera"
"""Text of the library since R2023a; before, the text is about spherical cameras."""
_ADDRESS = b"WEBOTS_CONTROLLER_URL"
"""Variable used by the library since R2022b."""
LONGEST_SEARCH = 64 << 20
"""Bytes of a file that are searched for a version."""


@dataclass(frozen=True)
class Version:
    """Differences between versions.

    Attributes:
        name: as written by Webots.
        is_early: before R2023b: other node numbers, order at the start and folder of the socket.
        has_levels: fields are requested by levels of a PROTO, and sent with the origin of their values.
        uploads_sounds: messages with sounds contain their data.
        says_spherical: sends "spherical" where later versions send "planar".
        counts_several: a field is sent with its count only if it can have several values (MF).
    """

    name: str
    is_early: bool = False
    has_levels: bool = True
    uploads_sounds: bool = True
    has_spherical: bool = False
    counts_several: bool = False

    def node_number(self, type_name: str) -> int:
        """Return the number of a node type; 0: it has none."""
        from webots_api.controller.constants import node_number

        if not self.is_early:
            return node_number(type_name)
        numbers = _old_numbers()
        name = _OLD_NAMES.get(type_name) or next(
            (each for each in numbers if each.replace("_", "") == type_name.upper()), "NO_NODE"
        )
        return numbers[name]


R2025A = Version("R2025a")
R2024A = Version("R2024a", has_levels=False)
R2023B = Version("R2023b", has_levels=False, uploads_sounds=False)
R2023A = Version("R2023a", is_early=True, has_levels=False, uploads_sounds=False)
R2022B = Version(
    "R2022b", is_early=True, has_levels=False, uploads_sounds=False, has_spherical=True, counts_several=True
)
SERVED = {each.name: each for each in (R2025A, R2024A, R2023B, R2023A, R2022B)}


@cache
def _old_numbers() -> dict[str, int]:
    """Return the numbers of node types before R2023b."""
    from webots_api.controller.constants import NODES

    return {name: number for number, name in enumerate(each for each in NODES if each not in LATER_NODES)}


def version_of(process: int) -> Version | str:
    """Return the version of the libController that a local process has loaded, or why it is not supported."""
    try:
        lines = Path(f"/proc/{process}/maps").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        return f"cannot read what process {process} has loaded ({error.strerror})"
    files = dict.fromkeys(line.split(maxsplit=5)[5] for line in lines if line.count("/") > 1)
    known = [each for each in files if "ontroller" in Path(each).name]
    for file in [*known, *(each for each in list(files)[:1] if each not in known)]:
        found = _in_file(file)
        if found is not None:
            return found
    return f"process {process} has no known libController"


def _in_file(file: str) -> Version | str | None:
    """Return the version of a library; None: it is another one. Those until R2023a do not contain theirs."""
    try:
        with open(file, "rb") as library:
            data = library.read(LONGEST_SEARCH)
    except OSError:
        return None
    if b"wb_robot_step" not in data:
        return None
    named = {each.decode() for each in _VERSION.findall(data)}
    if served := sorted(named & set(SERVED)):
        return SERVED[served[-1]]
    if named or _ADDRESS not in data:
        return f"{file} is of version {', '.join(sorted(named)) or 'R2022a or older'}"
    return R2023A if _PLANAR in data else R2022B
