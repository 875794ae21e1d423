"""Which type of node a name in a file stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim_core.scene.node_types import NodeType, did_you_mean
from sim_core.scene.proto.instances import proto_type
from sim_core.scene.wbt.lexer import Token

if TYPE_CHECKING:
    from sim_core.scene.wbt.parser import Parser


def known_type(parser: Parser, head: Token) -> NodeType | None:
    """The type named before a `{`; an unknown one is reported."""
    found = parser.types.get(head.text)
    if found is None or parser.scope.declares(head.text):
        proto = proto_type(parser, head)
        if proto is not None or parser.missing is head:
            return proto
    if found is not None and not found.abstract:
        return found
    concrete = [each for each in parser.types.values() if not each.abstract]
    if found is not None:
        names = ", ".join(each.name for each in concrete if each.is_a(found.name))
        parser.cursor.error(head, f"{found.name} is a class of nodes", f"one of {names}")
    else:
        hint = did_you_mean(head.text, (each.name for each in concrete))
        parser.cursor.error(
            head, f'unknown node "{head.text}"', "a node type or a PROTO declared by EXTERNPROTO", hint
        )
    return None
