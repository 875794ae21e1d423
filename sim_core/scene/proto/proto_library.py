"""PROTO definitions of one load, and the PROTO names that each file may use."""

from __future__ import annotations

from collections.abc import Callable
from os.path import realpath
from pathlib import Path

from sim_core.base.errors import SceneErrors
from sim_core.scene.assets import Assets, NotFoundError
from sim_core.scene.files import read_text
from sim_core.scene.node_types import FieldType, all_node_types
from sim_core.scene.proto.proto_file import ProtoDefinition, read_proto
from sim_core.scene.scene import ExternProto
from sim_core.scene.wbt.cursor import Cursor
from sim_core.scene.wbt.header import Header, parse_proto_header

ParseNodes = Callable[[Cursor, FieldType, "ProtoScope"], object]


class BrokenProtoError(Exception):
    """A PROTO cannot be used; never leaves this package.

    Attributes:
        problems: problems in its file; empty if they have been reported already.
    """

    def __init__(self, text: str, problems: SceneErrors | None = None) -> None:
        super().__init__(text)
        self.problems = problems


class ProtoLibrary:
    """PROTO definitions by file; each file is read once.

    Attributes:
        assets: search places for files.
    """

    def __init__(self, assets: Assets, parse_nodes: ParseNodes) -> None:
        self.assets = assets
        self._parse_nodes = parse_nodes
        self._definitions: dict[Path, ProtoDefinition] = {}
        self._broken: set[Path] = set()
        self._loading: list[Path] = []

    def headers(self) -> dict[str, Header]:
        """Return the headers of the files that were read, by file."""
        return {each.file: each.header for each in self._definitions.values()}

    def definition(self, path: Path, referrer: Header) -> ProtoDefinition:
        """Return the PROTO of a file, with its base type.

        `referrer` is the header of the file that names it: a PROTO file without a header gets that version.

        Raises:
            BrokenProtoError: the file is not a PROTO file, or its base is missing.
        """
        path = Path(realpath(path))
        found = self._definitions.get(path)
        if found is not None:
            return found
        if path in self._loading:
            names = " > ".join(each.stem for each in [*self._loading[self._loading.index(path) :], path])
            raise BrokenProtoError(f"a PROTO that holds itself: {names}")
        if path in self._broken:
            raise BrokenProtoError(f"{path} is broken")
        self._loading.append(path)
        try:
            found = self._read(path, referrer)
        except SceneErrors as error:
            self._broken.add(path)
            raise BrokenProtoError(f"{path} is broken", error) from None
        except BrokenProtoError:
            self._broken.add(path)
            raise
        finally:
            self._loading.pop()
        self._definitions[path] = found
        return found

    def _read(self, path: Path, referrer: Header) -> ProtoDefinition:
        text = read_text(path, "a PROTO file (.proto)")
        header, start = parse_proto_header(text, str(path), referrer)
        scope = ProtoScope(self, path, [], header)

        def parse_nodes(cursor: Cursor, field: FieldType) -> object:
            return self._parse_nodes(cursor, field, scope)

        # The declarations are above the fields, so they are known when a default needs them.
        found = read_proto(text, start, header, str(path), path.stem, parse_nodes, scope.externs)
        base = all_node_types().get(found.base)
        if base is None:
            inner = scope.find_proto(found.base)
            if inner is None:
                raise BrokenProtoError(f'{path}: unknown node "{found.base}" at the root of the PROTO')
            base = inner.node_type
        found.set_base(base)
        found.scope = scope
        return found


class ProtoScope:
    """PROTO names that a file may use.

    Attributes:
        file: path of the file, None for text without a file.
        externs: its EXTERNPROTO lines; extended while the file is read.
        header: header of the file.
        undeclared: names that were found without a declaration.
        declared_only: undeclared names are errors, except in text of versions without declarations.
        elsewhere: replacement file of each PROTO that is not at its URL, by name.
    """

    def __init__(
        self, library: ProtoLibrary, file: Path | None, externs: list[ExternProto], header: Header
    ) -> None:
        self.library = library
        self.file = file
        self.externs = externs
        self.header = header
        self.undeclared: set[str] = set()
        self.declared_only = False
        self.elsewhere: dict[str, Path] = {}
        self._found: dict[str, ProtoDefinition] = {}

    def declares(self, name: str) -> bool:
        """Return whether an EXTERNPROTO line names the PROTO."""
        return any(extern.name == name for extern in self.externs)

    def declares_file(self, name: str) -> bool:
        """Return whether an EXTERNPROTO line names its file by a path; a file may replace one named by a
        URL."""
        return name not in self.elsewhere and any(
            extern.name == name and "://" not in extern.url for extern in self.externs
        )

    def find_proto(self, name: str) -> ProtoDefinition | None:
        """Return the PROTO of a name; None if it is neither declared nor found by its name.

        Raises:
            NotFoundError: it is declared, and its file is not found.
            BrokenProtoError: its file cannot be used.
        """
        found = self._found.get(name)
        if found is None:
            path = self._path(name)
            if path is None:
                return None
            found = self._found[name] = self.library.definition(path, self.header)
        return found

    def _path(self, name: str) -> Path | None:
        assets = self.library.assets
        for extern in self.externs:
            if extern.name == name:
                try:
                    return assets.find_file(extern.url, self.file)
                except NotFoundError as error:
                    return self._find_replacement(name, error)
        try:
            found = assets.find_proto(name)
        except NotFoundError:
            return None
        self.undeclared.add(name)
        return found

    def _find_replacement(self, name: str, error: NotFoundError) -> Path:
        """Return the file, found by name, of a declared PROTO that is not at its URL."""
        try:
            found = self.library.assets.find_proto(name)
        except NotFoundError as other:
            raise NotFoundError(str(error), error.looked + other.looked) from None
        self.elsewhere[name] = found
        return found
