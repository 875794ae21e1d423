"""Tokens to node trees, with every problem of a file reported. Knows no node by name: the schema does.

After a mistake the parser goes on where the next field or node can be told for sure, so that one mistake
gives one message. Open nodes and open lists of nodes lie on a stack of their own, not on Python's.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from sim_core.base.errors import SceneError
from sim_core.scene.axes import world_axes
from sim_core.scene.limits import MAX_DEPTH, MAX_NODES, extent
from sim_core.scene.node import Node, Source
from sim_core.scene.node_types import FieldType, NodeType, all_node_types, did_you_mean
from sim_core.scene.proto.expansion import Binding, stand_in_type
from sim_core.scene.proto.instances import expand, is_value, read_hidden
from sim_core.scene.proto.proto_file import read_extern_proto
from sim_core.scene.proto.proto_library import ProtoScope
from sim_core.scene.values import one_of
from sim_core.scene.wbt.cursor import MAX_PROBLEMS, Cursor, GiveUpError, shown
from sim_core.scene.wbt.field_values import FAILED, KEYWORDS, read_value, report_wrong, type_written
from sim_core.scene.wbt.known_type import known_type
from sim_core.scene.wbt.lexer import END, WORD, Token
from sim_core.scene.wbt.use import use

if TYPE_CHECKING:
    from sim_core.scene.wbt.world_text import Load


class _OpenList(NamedTuple):
    """A list of nodes whose `[` is open."""

    node: Node
    field: FieldType
    values: list[Node]


class Parser:
    """Reads one file, or the body of a PROTO for one instance of it."""

    def __init__(self, cursor: Cursor, load: Load, scope: ProtoScope, interface: Node | None = None) -> None:
        self.cursor = cursor
        self.load = load
        self.scene = load.scene
        self.scope = scope
        self.interface = interface
        self.connected: dict[str, str] = {}
        self.bindings: dict[str, list[Binding]] = {}
        self.hidden: list[tuple[Node, Token, list[float]]] = []
        self.missing: Token | None = None
        self.depth = 0
        self.header = load.scene.header
        self.types = all_node_types()
        self.open: list[Node | _OpenList] = []
        self.open_nodes: list[Node] = []
        self.defs: dict[str, Node] = {}
        self.copied = 0

    def parse_file(self) -> None:
        """Read all roots and EXTERNPROTO lines into the scene."""
        cursor = self.cursor
        lost = False
        while (token := cursor.token).kind != END:
            if token.kind == WORD and token.text in ("EXTERNPROTO", "IMPORTABLE"):
                self.extern_proto()
            elif token.kind == WORD and token.text == "PROTO":
                cursor.error(
                    token, "a PROTO definition", "nodes only: a world declares PROTO nodes by EXTERNPROTO"
                )
                cursor.skip_definition()
            elif self.is_node_start():
                node = self.node(None)
                if node is not None:
                    self.scene.nodes.append(node)
                while self.open:
                    self.step(self.open[-1])
                if node is not None and node.type_name == "WorldInfo":
                    self.load.templates.axes = world_axes(self.scene).system
                lost = False
            else:
                if not lost:
                    cursor.unexpected("a node")
                lost = True
                cursor.skip_anything()

    def step(self, innermost: Node | _OpenList) -> None:
        """Read on in the innermost open thing: one field of a node, one node of a list, or its end."""
        if isinstance(innermost, _OpenList):
            self.element(innermost)
        else:
            self.body(innermost)

    def parse_body(self) -> Node | None:
        """The root node of the body of a PROTO."""
        cursor = self.cursor
        root = None
        with contextlib.suppress(GiveUpError):
            cursor.open()
            if not self.is_node_start():
                cursor.unexpected("the node of the PROTO")
                return None
            root = self.node(None)
            while self.open:
                self.step(self.open[-1])
            if cursor.token.kind != "}":
                cursor.unexpected('"}" behind the one node of the PROTO')
                return root
            cursor.close()
            if cursor.token.kind != END:
                cursor.unexpected("the end of the file: there is one PROTO in each")
        return root

    def default_nodes(self, field: FieldType) -> Any:
        """The value of a field of an interface that holds nodes."""
        holder = Node(NodeType("PROTO", (), {field.name: field}, frozenset()))
        cursor = self.cursor
        self.open_nodes.append(holder)
        if field.type == "MFNode" and cursor.token.kind == "[":
            cursor.open()
            holder.fields[field.name] = []
            self.open.append(_OpenList(holder, field, holder.fields[field.name]))
        else:
            value = self.one_node(holder, field)
            if value is not FAILED:
                values = [] if value is None else [value]
                holder.fields[field.name] = values if field.type == "MFNode" else value
        while self.open:
            self.step(self.open[-1])
        self.open_nodes.pop()
        return holder[field.name]

    def is_before(self, version: str) -> bool:
        """Whether the file is older than a version such as `R2022b`."""
        return self.header.is_before(version)

    def tell_once(self, token: Token, found: str, expected: str) -> None:
        """Warn of something that one line is enough for."""
        if found not in self.load.told:
            self.load.told.add(found)
            self.warn(token, found, expected)

    def complain(self, node: Node, found: str, expected: str) -> None:
        """Report a problem of a whole node."""
        self.take_problems([SceneError(*node.source, found, expected)])

    def take_problems(self, problems: list[SceneError]) -> None:
        """Problems of a PROTO body: the same ones come again with every instance, and are told once."""
        for problem in problems:
            self.load.problems.setdefault(str(problem), problem)
        if len(self.load.problems) >= MAX_PROBLEMS:
            raise GiveUpError

    def budget_for(self, node: Node, at: Token) -> None:
        """Count the nodes of a copied tree."""
        size, height = extent(node)
        self.load.budget.nodes -= size
        if self.load.budget.nodes < 0:
            self.cursor.error(at, f"more than {MAX_NODES} nodes", "a smaller scene")
            raise GiveUpError
        if self.is_too_deep(height):
            self.cursor.error(at, f"nodes nested more than {MAX_DEPTH} deep", "a flatter scene")
            raise GiveUpError

    def is_too_deep(self, height: int) -> bool:
        """Whether a tree with so many levels is too much in the innermost open node."""
        return self.depth + len(self.open_nodes) + height > MAX_DEPTH

    def extern_proto(self) -> None:
        """`EXTERNPROTO "url"` or `IMPORTABLE EXTERNPROTO "url"`."""
        extern = read_extern_proto(self.cursor)
        if extern is not None:
            self.scene.extern_protos.append(extern)
        elif not self.is_node_start():
            self.cursor.skip_value()

    def is_node_start(self) -> bool:
        """Whether a node begins here: DEF, USE, or a word before `{`."""
        token = self.cursor.token
        if token.kind != WORD:
            return False
        return self.cursor.follows("{") or token.text in ("DEF", "USE") or self.lacks_brace(token)

    def lacks_brace(self, token: Token) -> bool:
        """Whether a word is a node type whose `{` is missing: the file has too few."""
        return token.text in self.types and self.cursor.unclosed < 0 and not self.cursor.follows("{")

    def node(self, field: FieldType | None) -> Node | None:
        """Begin the node that starts here; its fields are read by further steps.

        Returns:
            The node, or None if it could not be read, which has then been reported.
        """
        cursor = self.cursor
        first = cursor.token
        name = None
        if first.text in ("DEF", "USE") and not cursor.follows("{"):
            if first.text == "USE":
                return use(self, field)
            cursor.next()
            if cursor.token.kind != WORD or cursor.follows("{"):
                cursor.unexpected("a name and a node after DEF")
            else:
                name = cursor.next().text
            if cursor.token.kind != WORD or not (cursor.follows("{") or self.lacks_brace(cursor.token)):
                cursor.unexpected("a node after DEF")
                cursor.lost_defs.add(name or "")
                return None
        head = cursor.next()
        node_type = known_type(self, head)
        if node_type is not None and self.is_too_deep(1):
            cursor.error(head, f"nodes nested more than {MAX_DEPTH} deep", "a flatter scene")
            node_type = None
        if node_type is None:
            cursor.skip_block()
            if self.missing is head and self.load.skip_missing:
                return self.stand_in(first, field, name)
            cursor.lost_defs.add(name or "")
            return None
        self.check_class(first, node_type, field)
        if node_type.deprecated:
            self.warn(head, f"{node_type.name} is an old node", node_type.deprecated)
        self.load.budget.nodes -= 1
        if self.load.budget.nodes < 0:
            cursor.error(head, f"more than {MAX_NODES} nodes", "a smaller scene")
            raise GiveUpError
        node = Node(node_type, Source(cursor.file, *cursor.place(first)), name)
        cursor.open_node(head)
        self.open.append(node)
        self.open_nodes.append(node)
        return node

    def stand_in(self, first: Token, field: FieldType | None, name: str | None) -> Node | None:
        """An empty node in the place of an instance of a PROTO that is nowhere, where one may stand."""
        group = stand_in_type()
        if field is not None and not field.holds(group):
            self.cursor.lost_defs.add(name or "")
            return None
        node = Node(group, Source(self.cursor.file, *self.cursor.place(first)), name)
        if name:
            self.defs[name] = node
        return node

    def finish(self, node: Node) -> None:
        """The end of a node: from here on USE can name it."""
        self.cursor.close()
        self.open.pop()
        if node.node_type.proto is not None:
            expand(self, node)
        self.open_nodes.pop()
        if node.def_name:
            self.defs[node.def_name] = node
            self.cursor.lost_defs.discard(node.def_name)

    def check_class(self, at: Token, node_type: NodeType, field: FieldType | None) -> None:
        """Report a node of a class that the field cannot hold."""
        if field is not None and not field.holds(node_type):
            owner = self.open_nodes[-1].type_name
            expected = "a " + " or ".join(field.nodes) if field.nodes else f"no {node_type.name}"
            self.cursor.error(at, f"{node_type.name} in {owner}.{field.name}", expected)

    def body(self, node: Node) -> None:
        """One field of a node, or the end of the node."""
        cursor = self.cursor
        token = cursor.token
        fields = node.node_type.fields
        if token.kind in ("}", END):
            self.finish(node)
        elif read_hidden(self, node):
            return
        elif token.kind == WORD and token.text in fields:
            cursor.next()
            self.field(node, fields[token.text], token)
        elif self.belongs_outside(token):
            self.finish(node)
        elif token.kind == WORD and not self.is_node_start() and token.text not in KEYWORDS:
            found, expected = f'unknown field "{token.text}"', f"a field of {node.type_name}"
            if self.load.skip_missing:
                self.tell_once(token, f"{found} of {node.type_name}, skipped", expected)
            else:
                cursor.error(token, found, expected, did_you_mean(token.text, fields))
            cursor.next()
            if cursor.token.kind != WORD or cursor.token.text not in fields:
                cursor.skip_value()
        else:
            cursor.unexpected(f'a field of {node.type_name} or "}}"')
            cursor.skip_anything()

    def element(self, open_list: _OpenList) -> None:
        """One node of a list, or the end of the list."""
        cursor = self.cursor
        token = cursor.token
        node, field, values = open_list
        a_field = token.kind == WORD and token.text in node.node_type.fields and not self.is_node_start()
        if token.kind in ("]", "}", END) or a_field:
            cursor.close()
            self.open.pop()
            return
        child = self.one_node(node, field, in_list=True)
        if isinstance(child, Node):
            values.append(child)

    def belongs_outside(self, token: Token) -> bool:
        """Whether a token that is no field of the innermost node shows that its `}` is missing."""
        if token.kind == "]":
            return any(bracket.kind == "[" for bracket in self.cursor.brackets)
        if token.kind != WORD or self.cursor.unclosed <= 0:
            return False
        return self.is_node_start() or any(node.has_field(token.text) for node in self.open_nodes[:-1])

    def field(self, node: Node, field: FieldType, name: Token) -> None:
        """The value behind a field name, set in the node if it is right."""
        cursor = self.cursor
        if cursor.token.kind == WORD and cursor.token.text == "IS":
            if self.interface is None:
                cursor.unexpected("a value: IS has a meaning inside a PROTO only")
                cursor.skip_value()
                return
            first = cursor.token
            value = is_value(self, node, field)
            if value is not FAILED:
                self.check_allowed(first, node, field, value)
                node.fields[field.name] = value
            return
        if field.name in node.fields:
            found = f'field "{field.name}" of {node.type_name} once more: the last value counts'
            self.warn(name, found, "each field once")
        if field.deprecated:
            self.warn(name, f"{node.type_name}.{field.name} is an old field", "")
        first = cursor.token
        type_name = type_written(cursor, field)
        if type_name != field.type:
            self.warn(
                name, f"{node.type_name}.{field.name} is written as {type_name}, an old form", field.type
            )
        if type_name == "MFNode" and cursor.open_list():
            opened = _OpenList(node, field, [])
            node.fields[field.name] = opened.values
            self.open.append(opened)
            return
        if type_name.endswith("Node"):
            value = self.one_node(node, field)
        else:
            value = read_value(cursor, node, field, type_name)
        if value is FAILED:
            return
        if not self.check_allowed(first, node, field, value):
            return
        if type_name == "MFNode":
            value = [] if value is None else [value]
        node.fields[field.name] = value

    def one_node(self, node: Node, field: FieldType, in_list: bool = False) -> Any:
        """The node or NULL that starts here, or FAILED after reporting what stands there instead."""
        if self.is_node_start():
            child = self.node(field)
            if child is None:
                return FAILED
            child.parent, child.parent_field = node, field.name
            return child
        if self.cursor.token.text == "NULL" and not in_list:
            self.cursor.next()
            return None
        return report_wrong(self.cursor, node, field, in_list)

    def check_allowed(self, first: Token, node: Node, field: FieldType, value: Any) -> bool:
        """Report a value that is not among the ones the field can take; True: it is."""
        values = value if isinstance(value, list) else [value]
        if field.allowed and any(each not in field.allowed for each in values):
            found = shown(first) if first.text != "IS" else str(value)
            self.cursor.error(first, f"{node.type_name}.{field.name} {found}", one_of(field))
            return False
        return True

    def warn(self, token: Token, found: str, expected: str) -> None:
        """Note something old that is read all the same."""
        self.scene.warnings.append(SceneError(self.cursor.file, *self.cursor.place(token), found, expected))
