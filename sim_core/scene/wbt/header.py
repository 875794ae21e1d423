"""First line of a world file: `#VRML_SIM R2025a utf8`, in older files `#VRML_SIM V6.0 utf8`.

A world that was read from X3D has `#X3D V3.3 utf8` as text: it has the axes of that format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from sim_core.base.errors import SceneError, SceneErrors

CURRENT = "R2025a"
X3D = "X3D"
"""Version of worlds with the rules of X3D; it counts as older than all of Webots."""
_HEADER = re.compile(
    r"#[ \t]*VRML_SIM[ \t]+(?P<version>[RV][0-9][\w.-]*)(?:[ \t]+[^\r\n]*?)?[ \t]+utf8(?![^\s,])"
)
_RELEASE = re.compile(r"R([0-9]{4})([a-z]?)")


@dataclass(frozen=True)
class Header:
    """Version of the format as written, and the whole header line."""

    version: str = CURRENT
    raw: str = f"#VRML_SIM {CURRENT} utf8"

    def is_before(self, version: str) -> bool:
        """Return whether the file is older than a version such as `R2022a` or `V8.0`; every V is before
        every R."""
        return _key(self.version) < _key(version)


X3D_HEADER = Header(X3D, "#X3D V3.3 utf8")


def parse_header(text: str, file: str) -> tuple[Header, int]:
    """Return the header and the offset after its line.

    Raises:
        SceneErrors: the text does not start with such a header.
    """
    line = text[:200].splitlines()[0] if text.strip() else ""
    if line.rstrip() == X3D_HEADER.raw:
        return X3D_HEADER, len(line)
    match = _HEADER.match(line)
    if match is None:
        found = f"header {line[:60]!r}" if line.strip() else "no header"
        robot = "<robot" in text[:2000]
        hint = "a robot's file is put into a world: odesim run urdf/floor --urdf FILE" if robot else ""
        expected = f'a first line like "#VRML_SIM {CURRENT} utf8"'
        raise SceneErrors([SceneError(file, 1, 1, found, expected, hint)])
    return Header(match["version"], line.rstrip()), len(line)


def parse_proto_header(text: str, file: str, referrer: Header) -> tuple[Header, int]:
    """Return the header of a PROTO file; if it is missing, the version is that of `referrer` and `raw` is
    empty.

    In a world the header is required.

    Args:
        text: text of the file.
        file: its name, for messages.
        referrer: header of the first file that names the PROTO.
    """
    try:
        return parse_header(text, file)
    except SceneErrors:
        return Header(referrer.version, raw=""), 0


@cache
def _key(version: str) -> tuple[int, ...]:
    release = _RELEASE.match(version)
    if release:
        return (1, int(release[1]), ord(release[2] or "a"))
    return (0, *(int(part) for part in re.findall(r"[0-9]+", version)))
