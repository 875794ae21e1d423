"""Single values other than nodes, read from tokens."""

from __future__ import annotations

import math
from typing import Any

from sim_core.scene.values import COMPONENTS, INT32_MAX, INT32_MIN
from sim_core.scene.wbt.lexer import NUMBER, STRING, WORD, Numbers, Token, unquoted


class LiteralError(Exception):
    """A token does not match the type; never leaves this package.

    Attributes:
        index: index among the given tokens.
        reason: expected value, if more specific than the type's description.
    """

    def __init__(self, index: int, reason: str = "") -> None:
        self.index = index
        self.reason = reason
        super().__init__(reason)


def token_count(type_name: str) -> int:
    """Return the number of tokens of a single value."""
    return COMPONENTS.get(type_name, 1)


def literal(type_name: str, tokens: list[Token]) -> Any:
    """Return the value of an SF type other than SFNode.

    Raises:
        LiteralError: the tokens do not match the type.
    """
    if type_name in COMPONENTS:
        return tuple([_real(token, index) for index, token in enumerate(tokens)])
    token = tokens[0]
    if type_name == "SFFloat":
        return _real(token, 0)
    if type_name == "SFInt32":
        return _integer(token)
    if type_name == "SFString" and token.kind == STRING:
        return unquoted(token.text)
    if type_name == "SFBool" and token.kind == WORD and token.text in ("TRUE", "FALSE"):
        return token.text == "TRUE"
    raise LiteralError(0)


def numbers(type_name: str, many: Numbers) -> list[Any] | None:
    """Return the values of a list of an SF type, all at once.

    None: the type has no numbers, or a number is invalid, which `literal` then reports.
    """
    count = token_count(type_name)
    if type_name == "SFInt32":
        whole = many.whole
        fits = whole is not None and INT32_MIN <= min(whole) <= max(whole) <= INT32_MAX
        return list(whole) if whole is not None and fits else None
    if type_name != "SFFloat" and type_name not in COMPONENTS:
        return None
    found = many.floats
    if len(found) % count or not all(map(math.isfinite, found)):
        return None
    return list(zip(*[iter(found)] * count, strict=True)) if type_name in COMPONENTS else list(found)


def _real(token: Token, index: int) -> float:
    if token.kind != NUMBER:
        raise LiteralError(index)
    try:
        value = float(token.text)
    except ValueError:
        raise LiteralError(index, "a decimal number") from None
    if not math.isfinite(value):
        raise LiteralError(index, "a number that a double can hold")
    return value


def _integer(token: Token) -> int:
    if token.kind != NUMBER:
        raise LiteralError(0)
    text = token.text.lower()
    if len(text) > 40:
        raise LiteralError(0, "a whole number of 32 bits")
    try:
        value = int(text, 16 if "0x" in text else 10)
    except ValueError:
        raise LiteralError(0, "a whole number") from None
    if not INT32_MIN <= value <= INT32_MAX:
        raise LiteralError(0, "a whole number of 32 bits")
    return value
