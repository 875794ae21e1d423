"""PROTO files: node types defined by an interface and a body (Webots reference, PROTO).

    #VRML_SIM R2025a utf8
    # tags: deprecated
    EXTERNPROTO "Leg.proto"
    PROTO Chair [
      field SFColor{1 0 0, 0 0 1} color 1 0 0
      field MFNode slot []
    ]
    { Solid { children IS slot } }

Reading a file gives its `NodeType`, so that instances are parsed like other nodes; `expansion.py` then
replaces them by the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.shipped import shipped_protos
from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType, NodeType
from sim_core.scene.proto.proto_interface import InterfaceReader, ParseDefault
from sim_core.scene.scene import ExternProto
from sim_core.scene.wbt.cursor import Cursor, TooManyProblemsError
from sim_core.scene.wbt.header import Header
from sim_core.scene.wbt.lexer import Lines, Token, tokenize

JAVASCRIPT, LUA = "javascript", "lua"
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"|#[^\r\n]*|[\[\]{}]', re.DOTALL)
_PROTO = re.compile(r"^[ \t,]*PROTO[\s,]+", re.MULTILINE)
_TAGS = re.compile(r"^#[ \t]*tags[ \t]*:(.*)$", re.MULTILINE)
_KEY = re.compile(r"(license(?: url)?|tags|keywords|documentation url|template language)[ \t]*:", re.I)
_LANGUAGE = re.compile(r"^#[ \t]*template language[ \t]*:[ \t]*(\w+)", re.MULTILINE)
OPENINGS = {JAVASCRIPT: "%<", LUA: "%{"}
_STATEMENTS = {JAVASCRIPT: re.compile(r"%<.*?>%", re.DOTALL), LUA: re.compile(r"%\{.*?\}%", re.DOTALL)}


@dataclass
class ProtoDefinition:
    """One PROTO, read from its file.

    Attributes:
        name: the name after the word PROTO.
        file: path of its file.
        fields: the interface, by name.
        unconnected: names of fields that the body need not use.
        tags: words of the `# tags:` line.
        language: of the template statements in the body; None: it has none.
        text: text of the whole file. body: offset of the `{` of the body in it.
        node_type: type of unexpanded instances; set once the base type is known.
        default_defs: nodes with DEF names in defaults, by field and DEF name.
        base: name of the node at the root of the body.
    """

    name: str
    file: str
    header: Header
    extern_protos: list[ExternProto]
    fields: dict[str, FieldType]
    unconnected: frozenset[str]
    tags: frozenset[str]
    language: str | None
    text: str
    body: int
    base: str
    place: tuple[int, int]
    node_type: NodeType = field(init=False)
    default_defs: dict[str, dict[str, Node]] = field(default_factory=dict, init=False, repr=False)
    scope: Any = field(default=None, init=False, repr=False)
    """The `ProtoScope` of its body."""

    def set_base(self, base: NodeType) -> None:
        """Set the base type, whose classes the PROTO gets, so that an instance is allowed where the base
        is."""
        classes = base.classes | {self.name}
        bases = (base.name,) if base.proto is None else base.bases
        self.node_type = NodeType(self.name, bases, self.fields, classes, proto=self)
        for name, declared in self.fields.items():
            default = declared.default if isinstance(declared.default, list) else [declared.default]
            below = (each for top in default if isinstance(top, Node) for each in top.walk())
            defs = {each.def_name: each for each in below if each.def_name}
            if defs:
                self.default_defs[name] = defs

    @cached_property
    def tokens(self) -> tuple[list[Token], Lines, list[SceneError]]:
        """Tokens of a body without statements, its lines and its problems."""
        lines = Lines(self.text)
        tokens, problems = tokenize(self.text, self.file, lines, self.body)
        return tokens, lines, problems

    @property
    def is_shipped(self) -> bool:
        """True if it is a PROTO of odesim."""
        return self.file in shipped_protos()

    def remarks(self) -> Iterator[tuple[str, str]]:
        """Yield warnings for places where the PROTO is named: what was found and what is expected."""
        if not self.header.raw:
            version = self.header.version
            found = f"{self.file}: PROTO without a header, read as one of {version}"
            yield found, f'a first line like "#VRML_SIM {version} utf8"'
        if "deprecated" in self.tags:
            yield f"PROTO {self.name} is deprecated", "a newer one"

    def unused(self) -> list[SceneError]:
        """Return a warning for each field that the body does not use (Webots reference, IS statements)."""
        if "indirectFieldAccess" in self.tags:
            return []
        found = 'field "{}" of PROTO {} is not used in its body'
        return [
            SceneError(self.file, *self.place, found.format(name, self.name), "IS, or unconnectedField")
            for name in self.fields
            if name not in self.unconnected and not self.is_used(name)
        ]

    def is_used(self, name: str) -> bool:
        """Return whether the body uses an interface field, by IS or in a template."""
        body = self.text[self.body :]
        return bool(re.search(rf"\bIS[\s,]+{re.escape(name)}\b|\bfields\b\W+{re.escape(name)}\b", body))


class ProtoHead(NamedTuple):
    """Head of a PROTO file, above its interface.

    Attributes:
        comments: its lines without the header, the `#` and the lines of keys such as `license:`.
        keys: the other lines, such as `documentation url`, by their keys in small letters.
        base: name of the node at the root of the body.
    """

    comments: tuple[str, ...]
    keys: dict[str, str]
    base: str

    def words(self, key: str) -> tuple[str, ...]:
        """Return the parts of a key's line, separated by commas."""
        return tuple(filter(None, (each.strip() for each in self.keys.get(key, "").split(","))))


def read_head(text: str, file: str) -> ProtoHead:
    """Read the head of a PROTO file without its interface and body.

    Raises:
        SceneError: the file contains no PROTO.
    """
    end = _end_of_interface(text, file, 0)
    above = text[: _PROTO.search(text).start()]  # type: ignore[union-attr]
    comments, keys = [], {}
    for line in above.splitlines():
        content = line.strip().removeprefix("#").strip()
        key = _KEY.match(content)
        if key is not None:
            keys[key[1].lower()] = content[key.end() :].strip()
        elif line.startswith("#") and not content.startswith(("VRML_SIM", "VRML_OBJ")):
            comments.append(content)
    return ProtoHead(tuple(comments), keys, _base_of(text, end, above)[1])


def read_proto(
    text: str,
    start: int,
    header: Header,
    file: str,
    expected_name: str,
    parse_nodes: ParseDefault,
    extern_protos: list[ExternProto],
) -> ProtoDefinition:
    """Read a PROTO file up to its body.

    Args:
        text: text of the file.
        start: offset after the header.
        header: header of the file.
        file: name of the file for messages.
        expected_name: the name of the file, which must be that of the PROTO.
        parse_nodes: reads a default of type SFNode or MFNode at the cursor.
        extern_protos: receives the EXTERNPROTO lines, before the first default is read.

    Raises:
        SceneErrors: all problems found above the body.
    """
    try:
        interface_end = _end_of_interface(text, file, start)
    except SceneError as error:
        raise SceneErrors([error]) from None
    lines = Lines(text)
    tokens, problems = tokenize(text[:interface_end], file, lines, start)
    reader = InterfaceReader(Cursor(tokens, file, lines), parse_nodes, extern_protos)
    try:
        name_token = reader.head()
        reader.interface()
    except TooManyProblemsError:
        name_token = None
    problems += reader.cursor.problems
    if name_token is not None and name_token.text != expected_name:
        place = reader.cursor.line_and_column(name_token)
        expected = f'"{expected_name}", as the file is named'
        problems.append(SceneError(file, *place, f'PROTO "{name_token.text}"', expected))
    if problems or name_token is None:
        raise SceneErrors(problems or [SceneError(file, 1, 1, "no PROTO", "PROTO and a name")])
    comments = text[: name_token.offset]
    tags = _TAGS.search(comments)
    language, base = _base_of(text, interface_end, comments)
    place = lines.line_and_column(name_token.offset)
    if not base:
        raise SceneErrors([SceneError(file, *place, f"PROTO {name_token.text} without a node", "one in { }")])
    return ProtoDefinition(
        name=name_token.text,
        file=file,
        header=header,
        extern_protos=extern_protos,
        fields=reader.fields,
        unconnected=frozenset(reader.unconnected),
        tags=frozenset(re.split(r"[,\s]+", tags[1].strip())) if tags else frozenset(),
        language=language,
        text=text,
        body=interface_end,
        base=base,
        place=place,
    )


def _end_of_interface(text: str, file: str, start: int) -> int:
    """Return the offset after the `]` of the interface: the body may contain template statements, no
    tokens."""
    proto = _PROTO.search(text, start)
    if proto is None:
        raise SceneError(file, 1, 1, "a file without PROTO", "one definition: PROTO Name [ fields ] { node }")
    depth = 0
    for match in _BRACKETS.finditer(text, proto.end()):
        bracket = match.group()
        if bracket in ("[", "{"):
            depth += 1
        elif bracket in ("]", "}"):
            depth -= 1
            if depth == 0 and bracket == "]":
                return match.end()
    place = Lines(text).line_and_column(proto.start())
    raise SceneError(file, *place, "a PROTO whose interface does not end", '"[", fields and "]"')


def _base_of(text: str, start: int, comments: str) -> tuple[str | None, str]:
    """Return the language of the template, and the name of the root node of the body: the first word
    before a `{`."""
    body = text[start:]
    stated = _LANGUAGE.search(comments)
    language = stated[1].lower() if stated else None
    if language not in (JAVASCRIPT, LUA):
        language = LUA if "%{" in body else JAVASCRIPT if "%<" in body else None
    elif OPENINGS[language] not in body:
        language = None
    other = r'"(?:[^"\\]|\\.)*+"|#[^\r\n]*'  # in one pass: a comment may contain half a statement
    statement = f"{_STATEMENTS[language].pattern}|" if language else ""
    bare = re.sub(statement + other, " ", body, flags=re.DOTALL)
    opened = bare.find("{") + 1
    root = re.match(r"\s*(?:DEF\s+\S+\s+)?([^\s{}\[\]\"]+)\s*\{", bare[opened:])
    return language, root[1] if root and opened else ""
