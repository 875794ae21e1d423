"""Values of fields, except nodes: read from tokens, or reported and skipped."""

from __future__ import annotations

from typing import Any

from sim_core.scene.node_types import FieldType, NodeType, did_you_mean
from sim_core.scene.values import describe
from sim_core.scene.wbt.cursor import Cursor, shown
from sim_core.scene.wbt.lexer import BAD, END, NUMBER, STRING, WORD, Numbers, Token
from sim_core.scene.wbt.literals import LiteralError, literal, numbers, token_count

KEYWORDS = ("TRUE", "FALSE", "NULL")
ANY = "any"
"""Type of an unknown field: its value is classified by its tokens. Values other than nodes are kept as
text."""
_PLAIN = "numbers, strings, TRUE or FALSE"

FAILED: Any = object()
"""Stands for a value that could not be read; the reason has been reported."""


def type_written(cursor: Cursor, field: FieldType) -> str:
    """Return the field's type, or the older one in which the value is written, recognized by the number of
    tokens."""
    first = cursor.token
    if field.type == ANY:
        return _unknown_type(cursor)
    numbers = 0
    while numbers < 5 and cursor.tokens[cursor.at + numbers].kind == NUMBER:
        numbers += 1
    for type_name in (field.type, *field.also):
        if numbers and token_count(type_name) == numbers:
            return type_name
        if (type_name.endswith("String") and first.kind == STRING) or (
            type_name.endswith("Bool") and first.text in ("TRUE", "FALSE")
        ):
            return type_name
    return field.type


def read_value(cursor: Cursor, holder: NodeType, field: FieldType, type_name: str) -> Any:
    """Read a value of any type except SFNode and MFNode in a node of a type; return FAILED after reporting
    an error."""
    if type_name == ANY:
        return _text(cursor, holder, field)
    if type_name.startswith("SF"):
        return _single(cursor, holder, field, type_name)
    single_type = "SF" + type_name[2:]
    if not cursor.open_list(whole=True):
        value = _single(cursor, holder, field, single_type)
        return FAILED if value is FAILED else [value]
    values = _numbers(cursor, single_type)
    if values is not None:
        cursor.close_bracket()
        return values
    values = []
    failed = False
    while (token := cursor.token).kind not in ("]", "}", END):
        if token.kind == WORD and token.text in holder.fields:
            break
        value = _single(cursor, holder, field, single_type, in_list=True)
        failed = failed or value is FAILED
        values.append(value)
        while failed and cursor.token.kind in (NUMBER, STRING, BAD, "{", "["):
            cursor.skip_value()
    cursor.close_bracket()
    return FAILED if failed else values


def report_wrong(cursor: Cursor, holder: NodeType, field: FieldType, in_list: bool, reason: str = "") -> Any:
    """Report the current token as wrong for a field and skip it; return FAILED."""
    token = cursor.token
    expected = reason or describe(field.type)
    if in_list and token.kind in ("]", "}"):
        cursor.error(token, f"{holder.name}.{field.name} ends within a value", expected)
    else:
        hint = did_you_mean(token.text, KEYWORDS) if token.kind == WORD else ""
        cursor.error(token, f"{shown(token)} for {holder.name}.{field.name}", expected, hint)
    if not (token.kind == WORD and token.text in holder.fields):
        cursor.skip_value()
        while cursor.token.kind in (NUMBER, BAD):
            cursor.next()
    return FAILED


def _numbers(cursor: Cursor, single_type: str) -> list[Any] | None:
    """Return a list of many numbers of the type; None: it is another list, whose tokens are single from
    here on."""
    many = cursor.token
    if not isinstance(many, Numbers):
        return None
    values = numbers(single_type, many)
    if values is None:
        cursor.split()
    else:
        cursor.next()
    return values


def _single(
    cursor: Cursor, holder: NodeType, field: FieldType, single_type: str, in_list: bool = False
) -> Any:
    count = token_count(single_type)
    try:
        value = literal(single_type, cursor.tokens[cursor.at : cursor.at + count])
    except LiteralError as error:
        cursor.at = min(cursor.at + error.index, len(cursor.tokens) - 1)
        return report_wrong(cursor, holder, field, in_list, error.reason)
    cursor.at += count
    return value


def _unknown_type(cursor: Cursor) -> str:
    """Classify an unknown value: SFNode, MFNode or ANY."""
    at = cursor.at + (cursor.token.kind == "[")
    first = cursor.tokens[at]
    if first.kind not in (WORD, "]") or first.text in ("TRUE", "FALSE"):
        return ANY
    return "SFNode" if at == cursor.at else "MFNode"


def _text(cursor: Cursor, holder: NodeType, field: FieldType) -> Any:
    """Return numbers, strings and flags as written, or FAILED; without brackets one string or flag, or
    numbers."""
    if not cursor.open_list():
        if not _is_plain(cursor.token):
            return report_wrong(cursor, holder, field, False, _PLAIN)
        found = [cursor.next()]
        while found[0].kind == cursor.token.kind == NUMBER:
            found.append(cursor.next())
    else:
        found = []
        while (token := cursor.token).kind not in ("]", "}", WORD, END) or _is_plain(token):
            if _is_plain(token):
                found.append(cursor.next())
            else:
                report_wrong(cursor, holder, field, True, _PLAIN)
        cursor.close_bracket()
    return " ".join(token.text for token in found)


def _is_plain(token: Token) -> bool:
    return token.kind in (NUMBER, STRING) or token.text in ("TRUE", "FALSE")
