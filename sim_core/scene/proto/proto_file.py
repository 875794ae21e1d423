"""PROTO files: node types that others define, by an interface and a body (Webots reference, PROTO).

    #VRML_SIM R2025a utf8
    # tags: deprecated
    EXTERNPROTO "Leg.proto"
    PROTO Chair [
      field SFColor{1 0 0, 0 0 1} color 1 0 0
      field MFNode slot []
    ]
    { Solid { children IS slot } }

Reading one gives its `NodeType`, so that instances are parsed as any node is; `expansion.py` puts the body in
their place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.shipped import shipped_protos
from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType, NodeType, all_node_types, did_you_mean
from sim_core.scene.scene import ExternProto
from sim_core.scene.values import FIELD_TYPES, one_of
from sim_core.scene.wbt.cursor import Cursor, GiveUpError
from sim_core.scene.wbt.field_values import FAILED, read_value
from sim_core.scene.wbt.header import Header
from sim_core.scene.wbt.lexer import END, STRING, WORD, Lines, Token, tokenize, unquoted

FIELD_WORDS = ("field", "unconnectedField", "deprecatedField", "hiddenField", "vrmlField", "w3dField")
"""Words that begin a declaration; the last two are old names that files of Webots' own use."""
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
        name: as after the word PROTO.
        file: the file it stands in.
        fields: the interface, by name.
        unconnected: names of fields that nothing needs to use.
        tags: words of the `# tags:` line.
        language: of the template statements in the body; None: it has none.
        text: of the whole file. body: offset of the `{` of the body in it.
        node_type: what instances are parsed as; set once the base type is known.
        default_defs: the nodes that a default gives a name by DEF, by field and by that name.
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
    tokens: Any = field(default=None, init=False, repr=False)
    """Of the body, its lines and its problems, once it has been cut into tokens."""
    scope: Any = field(default=None, init=False, repr=False)
    """The names that its body knows."""

    def settle(self, base: NodeType) -> None:
        """Take the classes of the base type, so that an instance may stand where one of those may."""
        classes = base.classes | {self.name}
        bases = (base.name,) if base.proto is None else base.bases
        self.node_type = NodeType(self.name, bases, self.fields, classes, proto=self)
        for name, declared in self.fields.items():
            default = declared.default if isinstance(declared.default, list) else [declared.default]
            below = (each for top in default if isinstance(top, Node) for each in top.walk())
            defs = {each.def_name: each for each in below if each.def_name}
            if defs:
                self.default_defs[name] = defs

    @property
    def is_shipped(self) -> bool:
        """Whether it comes with odesim."""
        return self.file in shipped_protos()

    def unused(self) -> list[SceneError]:
        """A line for each field that the body does not use (Webots reference, IS statements)."""
        if "indirectFieldAccess" in self.tags:
            return []
        found = 'field "{}" of PROTO {} is not used in its body'
        return [
            SceneError(self.file, *self.place, found.format(name, self.name), "IS, or unconnectedField")
            for name in self.fields
            if name not in self.unconnected and not self.is_used(name)
        ]

    def is_used(self, name: str) -> bool:
        """Whether the body mentions an interface field, by IS or in a template."""
        body = self.text[self.body :]
        return bool(re.search(rf"\bIS[\s,]+{re.escape(name)}\b|\bfields\b\W+{re.escape(name)}\b", body))


class ProtoHead(NamedTuple):
    """What a PROTO file says of itself above its interface.

    Attributes:
        comments: its lines without the header, the `#` and what stands before `license:` and other keys.
        keys: the other lines, such as `documentation url`, by their keys in small letters.
        base: name of the node at the root of the body.
    """

    comments: tuple[str, ...]
    keys: dict[str, str]
    base: str

    def words(self, key: str) -> tuple[str, ...]:
        """The parts of a key's line between commas."""
        return tuple(filter(None, (each.strip() for each in self.keys.get(key, "").split(","))))


def read_head(text: str, file: str) -> ProtoHead:
    """The head of a PROTO file, whose interface and body are not read.

    Raises:
        SceneError: there is no PROTO in it.
    """
    end = _end_of_interface(text, file, 0)
    above = text[: _PROTO.search(text).start()]  # type: ignore[union-attr]
    comments, keys = [], {}
    for line in above.splitlines():
        said = line.strip().removeprefix("#").strip()
        key = _KEY.match(said)
        if key is not None:
            keys[key[1].lower()] = said[key.end() :].strip()
        elif line.startswith("#") and not said.startswith(("VRML_SIM", "VRML_OBJ")):
            comments.append(said)
    return ProtoHead(tuple(comments), keys, _base_of(text, end, above)[1])


ParseDefault = Callable[[Cursor, FieldType], object]


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
        text: of the file.
        start: offset behind its header.
        header: of the file.
        file: name of the file for messages.
        expected_name: the name of the file, which must be that of the PROTO.
        parse_nodes: reads a default of type SFNode or MFNode at the cursor.
        extern_protos: takes the EXTERNPROTO lines, before the first default is read.

    Raises:
        SceneErrors: with every problem found above the body.
    """
    try:
        interface_end = _end_of_interface(text, file, start)
    except SceneError as error:
        raise SceneErrors([error]) from None
    lines = Lines(text)
    tokens, problems = tokenize(text[:interface_end], file, lines, start)
    reader = _Reader(Cursor(tokens, file, lines), parse_nodes, extern_protos)
    try:
        name_token = reader.head()
        reader.interface()
    except GiveUpError:
        name_token = None
    problems += reader.cursor.problems
    if name_token is not None and name_token.text != expected_name:
        place = reader.cursor.place(name_token)
        expected = f'"{expected_name}", as the file is named'
        problems.append(SceneError(file, *place, f'PROTO "{name_token.text}"', expected))
    if problems or name_token is None:
        raise SceneErrors(problems or [SceneError(file, 1, 1, "no PROTO", "PROTO and a name")])
    comments = text[: name_token.offset]
    tags = _TAGS.search(comments)
    language, base = _base_of(text, interface_end, comments)
    place = lines.place(name_token.offset)
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
    """Offset behind the `]` of the interface: what follows may hold template statements, no tokens."""
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
    place = Lines(text).place(proto.start())
    raise SceneError(file, *place, "a PROTO whose interface does not end", '"[", fields and "]"')


def _base_of(text: str, start: int, comments: str) -> tuple[str | None, str]:
    """Language of the template, and the name of the root node of the body: the first word before a `{`."""
    body = text[start:]
    stated = _LANGUAGE.search(comments)
    language = stated[1].lower() if stated else None
    if language not in (JAVASCRIPT, LUA):
        language = LUA if "%{" in body else JAVASCRIPT if "%<" in body else None
    elif OPENINGS[language] not in body:
        language = None
    other = r'"(?:[^"\\]|\\.)*+"|#[^\r\n]*'  # in one pass: a comment may hold half a statement
    statement = f"{_STATEMENTS[language].pattern}|" if language else ""
    bare = re.sub(statement + other, " ", body, flags=re.DOTALL)
    opened = bare.find("{") + 1
    root = re.match(r"\s*(?:DEF\s+\S+\s+)?([^\s{}\[\]\"]+)\s*\{", bare[opened:])
    return language, root[1] if root and opened else ""


class _Reader:
    """Reads what stands above the body."""

    def __init__(self, cursor: Cursor, parse_nodes: ParseDefault, extern_protos: list[ExternProto]) -> None:
        self.cursor = cursor
        self.parse_nodes = parse_nodes
        self.extern_protos = extern_protos
        self.fields: dict[str, FieldType] = {}
        self.unconnected: set[str] = set()

    def head(self) -> Token | None:
        """EXTERNPROTO lines, PROTO and its name; returns the token of the name."""
        cursor = self.cursor
        while cursor.token.text in ("EXTERNPROTO", "IMPORTABLE") and cursor.token.kind == WORD:
            extern = read_extern_proto(cursor)
            if extern is not None:
                self.extern_protos.append(extern)
            elif cursor.token.text != "PROTO":
                cursor.skip_value()
        if cursor.token.text != "PROTO":
            cursor.unexpected("PROTO or EXTERNPROTO")
            return None
        cursor.next()
        if cursor.token.kind != WORD:
            cursor.unexpected("the name of the PROTO")
            return None
        name = cursor.next()
        known = all_node_types().get(name.text)
        if (
            known is not None and not known.deprecated
        ):  # names of old nodes, such as Extrusion, are free again
            cursor.error(name, f'a PROTO named "{name.text}"', "a name that no node of Webots has")
        if cursor.token.kind != "[":
            cursor.unexpected('"[" and the fields of the PROTO')
            return None
        cursor.open()
        return name

    def interface(self) -> None:
        """All declarations up to the `]`."""
        cursor = self.cursor
        while cursor.token.kind not in ("]", END):
            if cursor.token.text in FIELD_WORDS:
                self.declaration()
            else:
                hint = did_you_mean(cursor.token.text, FIELD_WORDS)
                cursor.unexpected('"field", "unconnectedField" or "]"', hint)
                cursor.next()
                self.skip_declaration()

    def declaration(self) -> None:
        """`field SFColor{1 0 0} name 1 0 0`."""
        cursor = self.cursor
        word = cursor.next()
        kind = cursor.token
        if kind.text not in FIELD_TYPES:
            cursor.unexpected("a field type such as SFFloat", did_you_mean(kind.text, FIELD_TYPES))
            self.skip_declaration()
            return
        cursor.next()
        single = "SF" + kind.text[2:]
        restriction = self.restriction(single) if cursor.token.kind == "{" else []
        name = cursor.token
        if name.kind != WORD:
            cursor.unexpected("the name of the field")
            self.skip_declaration()
            return
        cursor.next()
        if name.text in self.fields:
            cursor.error(name, f'field "{name.text}" once more', "each field once")
        is_node = single == "SFNode"
        made = FieldType(
            name.text,
            kind.text,
            [] if kind.text.startswith("MF") else None,
            allowed=() if is_node else tuple(restriction),
            nodes=tuple(str(each) for each in restriction) if is_node else (),
            exact=is_node,
        )
        default = self.parse_nodes(cursor, made) if is_node else self.default(made)
        self.fields[name.text] = FieldType(
            made.name,
            made.type,
            default,
            made.allowed,
            made.nodes,
            hidden=word.text == "hiddenField",
            exact=is_node,
        )
        if word.text != "field":
            self.unconnected.add(name.text)

    def restriction(self, single: str) -> list[object]:
        """`{ value, value }` behind the type: the values, or for nodes the names of their types."""
        cursor = self.cursor
        cursor.open()
        found: list[object] = []
        of = FieldType("restriction", single, None)
        while cursor.token.kind not in ("}", END):
            if single == "SFNode":
                if cursor.token.kind != WORD:
                    cursor.unexpected("the name of a node type")
                    cursor.skip_value()
                    continue
                found.append(cursor.next().text)
                if cursor.token.kind == "{":
                    cursor.skip_block()
            else:
                value = read_value(cursor, holder_of(of), of, single)
                if value is not FAILED:
                    found.append(value)
        cursor.close()
        return found

    def default(self, declared: FieldType) -> object:
        """The value behind the name."""
        value = read_value(self.cursor, holder_of(declared), declared, declared.type)
        if value is FAILED:
            return declared.default
        for each in value if isinstance(value, list) else [value]:
            if declared.allowed and each not in declared.allowed:
                before = self.cursor.tokens[self.cursor.at - 1]
                self.cursor.error(before, f'default {each} of "{declared.name}"', one_of(declared))
        return value

    def skip_declaration(self) -> None:
        """On to the next declaration."""
        cursor = self.cursor
        while cursor.token.text not in FIELD_WORDS and cursor.token.kind not in ("]", END):
            if cursor.token.kind in ("{", "["):
                cursor.skip_block()
            else:
                cursor.next()


def holder_of(field: FieldType) -> NodeType:
    """What stands for the interface while the default of a field is read."""
    return NodeType("PROTO", (), {field.name: field}, frozenset())


def read_extern_proto(cursor: Cursor) -> ExternProto | None:
    """`EXTERNPROTO "url"` or `IMPORTABLE EXTERNPROTO "url"`; None after reporting what is wrong."""
    first = cursor.next()
    importable = first.text == "IMPORTABLE"
    if importable:
        if cursor.token.text != "EXTERNPROTO":
            cursor.unexpected("EXTERNPROTO after IMPORTABLE")
            return None
        cursor.next()
    if cursor.token.kind != STRING:
        cursor.unexpected('the URL of a .proto file in "quotes"')
        return None
    url = unquoted(cursor.next().text)
    return ExternProto(url, importable, *cursor.place(first))
