"""What the parser does at USE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim_core.scene.limits import MAX_COPIED_NODES, MAX_DEPTH, extent
from sim_core.scene.node import Node, Source
from sim_core.scene.node_types import FieldType, did_you_mean
from sim_core.scene.wbt.cursor import GiveUpError
from sim_core.scene.wbt.lexer import WORD

if TYPE_CHECKING:
    from sim_core.scene.wbt.parser import Parser


def use(parser: Parser, field: FieldType | None) -> Node | None:
    """`USE X`: a copy of the last node above that was named X."""
    cursor = parser.cursor
    first = cursor.next()
    if cursor.token.kind != WORD:
        cursor.unexpected("a name after USE")
        return None
    token = cursor.next()
    name = token.text
    original = parser.defs.get(name)
    if original is None and any(node.def_name == name for node in parser.open_nodes):
        cursor.error(token, f"USE {name} within DEF {name} itself", "a node that is complete")
        return None
    if name in cursor.lost_defs or original is None:
        if name not in cursor.lost_defs:
            hint = did_you_mean(name, parser.defs)
            cursor.error(token, f"USE of {name}", "a name given by a DEF above", hint)
        return None
    size, height = extent(original)
    parser.copied += size
    if parser.copied > MAX_COPIED_NODES:
        cursor.error(first, f"more than {MAX_COPIED_NODES} nodes made by USE", "a smaller scene")
        raise GiveUpError
    if parser.is_too_deep(height):
        cursor.error(first, f"nodes nested more than {MAX_DEPTH} deep by USE {name}", "a flatter scene")
        return None
    parser.check_class(first, original.node_type, field)
    node = original.copy(follows=True)
    node.use_name, node.def_name = name, None
    node.source = Source(cursor.file, *cursor.place(first))
    return node
