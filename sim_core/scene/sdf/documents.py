"""SDF files as elements; included files are read once, and counted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.scene.files import read_text
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.sdf.builtin_models import BUILTIN
from sim_core.scene.sdf.file_kinds import is_urdf
from sim_core.scene.sdf.uris import find, model_file, name_in
from sim_core.scene.urdf.xacro_text import MADE, expand_xacro, find_xacro
from sim_core.scene.x3d.xml_reader import read_xml

PROGRAMS = (".erb", ".em", ".jinja", ".jinja2")
"""Endings of files that must be processed by a program first."""
MOST_INCLUDES = 20_000
DEEPEST = 24
EXPECTED = "an SDF file of Gazebo"
_LATEST = (1, 12)

Version = tuple[int, int]


@dataclass(frozen=True)
class Document:
    """One file: its root `<sdf>`, its version, and its path, to which relative URIs refer."""

    path: Path
    root: Tag
    version: Version


@dataclass
class Library:
    """Files from which a world is read.

    Attributes:
        warnings: receives a line for each part that is left out.
        read_ids: ids of the elements that were read, see `Tag`.
    """

    warnings: list[SceneError] = field(default_factory=list)
    read_ids: set[int] = field(default_factory=set)
    documents: dict[Path, Document] = field(default_factory=dict)
    _includes: int = 0

    def read_file(self, path: Path, arguments: Mapping[str, str] | None = None) -> Document:
        """Read a file.

        Raises:
            SceneErrors: it cannot be read, is not SDF, or must be processed by a program first.
        """
        if path in self.documents:
            return self.documents[path]
        if path.suffix.lower() in PROGRAMS:
            found = f"a template ({path.suffix})"
            raise SceneErrors([SceneError(str(path), 0, 0, found, "the SDF file that is made of it")])
        text, file = read_text(path, EXPECTED), str(path)
        if find_xacro(text, file, "") is not None:
            text, more = expand_xacro(path, arguments or {})
            self.warnings += more
            file += MADE
        return self._parsed(text, file, path)

    def parse(self, text: str, path: Path) -> Document:
        """Parse a text without xacro, as the contents of a file.

        Raises:
            SceneErrors: it is not SDF.
        """
        refused = find_xacro(text, str(path), "plain SDF")
        if refused is not None:
            raise SceneErrors([refused])
        return self._parsed(text, str(path), path)

    def built_in(self, name: str) -> Document:
        """Return one of the models of odesim itself, with a name in `BUILTIN`."""
        path = Path(f"<built-in {name}>")
        return self.documents.get(path) or self._parsed(BUILTIN[name], str(path), path)

    def _parsed(self, text: str, file: str, path: Path) -> Document:
        root = read_xml(text, file, with_content=True)
        if root.name not in ("sdf", "gazebo"):
            raise SceneErrors([SceneError(*root.source, f"<{root.name}>", '<sdf version="…"> as the root')])
        document = Document(path, Tag(root, self.read_ids), _version(root.fields.get("version", "")))
        self.documents[path] = document
        return document

    def urdf(self, uri: str, by: Document) -> Path | None:
        """Return the URDF file of an `<include>`; None: it is not a URDF file."""
        place = find(uri, by.path)
        path = model_file(place) if place is not None else None
        return path if path is not None and is_urdf(path) else None

    def include(self, uri: str, by: Document, above: tuple[Path, ...]) -> Document | None:
        """Return the document of an `<include>`; None: it is not found.

        Args:
            uri: URI as written.
            by: file that contains the include.
            above: files that are being read, the outermost first.

        Raises:
            SceneErrors: the file cannot be read, includes itself, or there are too many.
        """
        self._includes += 1
        place = find(uri, by.path)
        path = model_file(place) if place is not None else None
        if path is None:
            return self.built_in(name_in(uri)) if name_in(uri) in BUILTIN else None
        problem = ""
        if path in above:
            problem = f"{path} includes itself"
        elif len(above) >= DEEPEST:
            problem = f"files that include each other more than {DEEPEST} deep"
        elif self._includes > MOST_INCLUDES:
            problem = f"more than {MOST_INCLUDES} includes"
        if problem:
            raise SceneErrors([SceneError(str(by.path), 0, 0, problem, "fewer")])
        return self.read_file(path)


def _version(text: str) -> Version:
    """Return 1.6 as (1, 6); an unreadable version is taken as the latest."""
    match = re.match(r"\s*(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match is not None else _LATEST
