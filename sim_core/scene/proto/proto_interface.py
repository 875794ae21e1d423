"""Parts of a PROTO file above its body: EXTERNPROTO lines, its name, the fields of its interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sim_core.scene.node_types import FieldType, NodeType, all_node_types, did_you_mean
from sim_core.scene.scene import ExternProto
from sim_core.scene.values import FIELD_TYPES, one_of
from sim_core.scene.wbt.cursor import Cursor
from sim_core.scene.wbt.field_values import FAILED, read_value
from sim_core.scene.wbt.lexer import END, STRING, WORD, Token, unquoted

FIELD_WORDS = ("field", "unconnectedField", "deprecatedField", "hiddenField", "vrmlField", "w3dField")
"""Words that begin a declaration; the last two are old names that Webots' own files use."""
ParseDefault = Callable[[Cursor, FieldType], object]
"""Reader of a default of type SFNode or MFNode at the cursor."""


class InterfaceReader:
    """Reads the parts of a PROTO file above its body.

    Attributes:
        fields: the interface, by name.
        unconnected: names of fields that the body need not use.
    """

    def __init__(self, cursor: Cursor, parse_nodes: ParseDefault, extern_protos: list[ExternProto]) -> None:
        self.cursor = cursor
        self.parse_nodes = parse_nodes
        self.extern_protos = extern_protos
        self.fields: dict[str, FieldType] = {}
        self.unconnected: set[str] = set()

    def head(self) -> Token | None:
        """Read EXTERNPROTO lines, PROTO and its name; return the token of the name."""
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
        ):  # names of old nodes, such as Extrusion, may be used again
            cursor.error(name, f'a PROTO named "{name.text}"', "a name that no node of Webots has")
        if cursor.token.kind != "[":
            cursor.unexpected('"[" and the fields of the PROTO')
            return None
        cursor.open_bracket()
        return name

    def interface(self) -> None:
        """Read all declarations up to the `]`."""
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
        """Read a declaration such as `field SFColor{1 0 0} name 1 0 0`."""
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
        self.fields[name.text] = replace(made, default=default, hidden=word.text == "hiddenField")
        if word.text != "field":
            self.unconnected.add(name.text)

    def restriction(self, single: str) -> list[object]:
        """Read `{ value, value }` after the type: return the values, or for nodes the names of their
        types."""
        cursor = self.cursor
        cursor.open_bracket()
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
        cursor.close_bracket()
        return found

    def default(self, declared: FieldType) -> object:
        """Read the value after the name."""
        value = read_value(self.cursor, holder_of(declared), declared, declared.type)
        if value is FAILED:
            return declared.default
        for each in value if isinstance(value, list) else [value]:
            if declared.allowed and each not in declared.allowed:
                before = self.cursor.tokens[self.cursor.at - 1]
                self.cursor.error(before, f'default {each} of "{declared.name}"', one_of(declared))
        return value

    def skip_declaration(self) -> None:
        """Move to the next declaration."""
        cursor = self.cursor
        while cursor.token.text not in FIELD_WORDS and cursor.token.kind not in ("]", END):
            if cursor.token.kind in ("{", "["):
                cursor.skip_block()
            else:
                cursor.next()


def holder_of(field: FieldType) -> NodeType:
    """Return a node type with this field alone, which represents the interface while its default is read."""
    return NodeType("PROTO", (), {field.name: field}, frozenset())


def read_extern_proto(cursor: Cursor) -> ExternProto | None:
    """Read `EXTERNPROTO "url"` or `IMPORTABLE EXTERNPROTO "url"`; return None after reporting an error."""
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
    return ExternProto(url, importable, *cursor.line_and_column(first))
