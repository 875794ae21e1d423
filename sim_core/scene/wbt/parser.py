"""Parser from tokens to node trees, which reports all problems of a file. Node types come from the schema.

After an error the parser continues where the next field or node is recognized for certain, so that one error
gives one message. Open nodes and open lists of nodes are on an explicit stack, not on Python's.

It reads the whole grammar of VRML97. The methods above `parse_file` handle names that are not in the schema,
PROTO lines, IS and USE; derived classes for other kinds of file override them:
worlds with PROTO nodes in `proto/proto_parser.py`, scenery in `x3d/x3d_loader.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.limits import limit_text
from sim_core.scene.limits import MAX_COPIED_NODES, MAX_DEPTH, extent
from sim_core.scene.node import Node, Source
from sim_core.scene.node_types import FieldType, NodeType, did_you_mean
from sim_core.scene.values import one_of
from sim_core.scene.wbt.cursor import Cursor, TooManyProblemsError, shown
from sim_core.scene.wbt.field_values import ANY, FAILED, KEYWORDS, read_value, report_wrong, type_written
from sim_core.scene.wbt.lexer import END, ROUTE, WORD, Token
from sim_core.scene.wbt.shared import Shared

DEFINITIONS = ("PROTO", "EXTERNPROTO", "IMPORTABLE")


class _OpenList(NamedTuple):
    """A list of nodes whose `[` is open."""

    node: Node
    field: FieldType
    values: list[Node]


class Parser:
    """Parser of one file.

    Attributes:
        types: known node types by name.
        roots: root nodes read so far.
        depth: number of levels above the nodes that are read.
        open: open nodes and lists of nodes, outermost first. open_nodes: the nodes among them.
        defs: the last node of each DEF name.
        warns_of_old: warn of old node types; files of odesim use them intentionally.
    """

    def __init__(self, cursor: Cursor, types: Mapping[str, NodeType], shared: Shared) -> None:
        self.cursor = cursor
        self.types = types
        self.shared = shared
        self.roots: list[Node] = []
        self.depth = 0
        self.open: list[Node | _OpenList] = []
        self.open_nodes: list[Node] = []
        self.defs: dict[str, Node] = {}
        self.copied = 0
        self.warns_of_old = True

    def type_of(self, head: Token) -> NodeType | None:
        """Return the type named before a `{`; an unknown one is reported."""
        found = self.types.get(head.text)
        if found is not None and not found.abstract:
            return found
        concrete = [each for each in self.types.values() if not each.abstract]
        if found is not None:
            names = ", ".join(each.name for each in concrete if each.is_a(found.name))
            self.cursor.error(head, f"{found.name} is a class of nodes", f"one of {names}")
        else:
            hint = did_you_mean(head.text, (each.name for each in concrete))
            expected = "a node type or a PROTO declared by EXTERNPROTO"
            self.mistake(head, f'unknown node "{head.text}"', expected, hint)
        return None

    def without_type(
        self, first: Token, head: Token, field: FieldType | None, name: str | None
    ) -> Node | None:
        """Return the replacement of a node of unknown type, which has been skipped."""
        self.cursor.lost_defs.add(name or "")
        return None

    def definition(self, token: Token) -> None:
        """Handle PROTO or EXTERNPROTO."""
        self.cursor.error(token, token.text, "nodes only")
        self.cursor.skip_definition()

    def other_element(self, node: Node) -> bool:
        """Read an element of a node that is neither a field nor a statement; return False if there is
        none."""
        return False

    def is_value(self, node: Node, field: FieldType) -> Any:
        """Return the value of `IS name`, or FAILED after reporting an error."""
        self.cursor.unexpected("a value: IS has a meaning inside a PROTO only")
        self.cursor.skip_value()
        return FAILED

    def used(self, first: Token, token: Token, field: FieldType | None) -> Node | None:
        """Return a copy of the last node above that was named X, for `USE X`."""
        cursor, name = self.cursor, token.text
        original = self.defs.get(name)
        if original is None and any(node.def_name == name for node in self.open_nodes):
            self.mistake(token, f"USE {name} within DEF {name} itself", "a node that is complete")
            return None
        if name in cursor.lost_defs or original is None:
            if name not in cursor.lost_defs:
                hint = did_you_mean(name, self.defs)
                self.mistake(token, f"USE of {name}", "a name given by a DEF above", hint)
            return None
        size, height = extent(original)
        self.copied += size
        if self.copied > MAX_COPIED_NODES:
            cursor.error(first, f"more than {MAX_COPIED_NODES} nodes made by USE", "a smaller scene")
            raise TooManyProblemsError
        if self.is_too_deep(height):
            cursor.error(first, f"nodes nested more than {MAX_DEPTH} deep by USE {name}", "a flatter scene")
            return None
        if not self.check_class(first, original.node_type, field):
            return None
        node = original.copy(follows=True)
        node.use_name, node.def_name = name, None
        node.source = self.source(first)
        return node

    def complete(self, node: Node) -> None:
        """Called when all fields of a node have been read."""

    def add_root(self, node: Node) -> None:
        """Called when a node at the root of the file is complete."""
        self.roots.append(node)

    def parse_file(self) -> None:
        """Read all roots, and the statements among them."""
        cursor = self.cursor
        lost = False
        while cursor.token.kind != END:
            if self.is_node_start():
                node = self.begin_node(None)
                self.finish_open()
                if node is not None:
                    self.add_root(node)
                lost = False
            elif not self.statement():
                if not lost:
                    cursor.unexpected("a node")
                lost = True
                cursor.skip_anything()

    def finish_open(self) -> None:
        """Read until no node or list is open; each pass reads one field of a node, one node of a list, or
        an end."""
        while self.open:
            innermost = self.open[-1]
            if isinstance(innermost, _OpenList):
                self.element(innermost)
            else:
                self.body(innermost)

    def statement(self) -> bool:
        """Read PROTO, EXTERNPROTO or ROUTE; return False if something else is at the cursor."""
        token = self.cursor.token
        if token.kind == ROUTE:
            self.warn_once(token, "ROUTE is not read", "")
            self.cursor.next()
        elif token.kind == WORD and token.text in DEFINITIONS and not self.cursor.follows("{"):
            self.definition(token)
        else:
            return False
        return True

    def is_node_start(self) -> bool:
        """Return whether a node begins here: DEF, USE, or a word before `{`."""
        token = self.cursor.token
        if token.kind != WORD:
            return False
        return self.cursor.follows("{") or token.text in ("DEF", "USE") or self.lacks_brace(token)

    def lacks_brace(self, token: Token) -> bool:
        """Return whether a word is a node type whose `{` is missing, because the file has too few."""
        return token.text in self.types and self.cursor.unclosed < 0 and not self.cursor.follows("{")

    def begin_node(self, field: FieldType | None) -> Node | None:
        """Begin the node at the cursor; its fields are read by later passes.

        Returns:
            The node, or None after reporting that it could not be read.
        """
        cursor = self.cursor
        first = cursor.token
        name = None
        if first.text in ("DEF", "USE") and not cursor.follows("{"):
            cursor.next()
            if first.text == "USE":
                if cursor.token.kind != WORD:
                    cursor.unexpected("a name after USE")
                    return None
                return self.used(first, cursor.next(), field)
            if cursor.token.kind != WORD or cursor.follows("{"):
                cursor.unexpected("a name and a node after DEF")
            else:
                name = cursor.next().text
            if cursor.token.kind != WORD or not (cursor.follows("{") or self.lacks_brace(cursor.token)):
                cursor.unexpected("a node after DEF")
                cursor.lost_defs.add(name or "")
                return None
        head = cursor.next()
        node_type = self.type_of(head)
        if node_type is not None and self.is_too_deep(1):
            cursor.error(head, f"nodes nested more than {MAX_DEPTH} deep", "a flatter scene")
            node_type = None
        if node_type is None or not self.check_class(first, node_type, field):
            cursor.skip_block()
            return self.without_type(first, head, field, name)
        if node_type.deprecated and self.warns_of_old:
            self.warn(head, f"{node_type.name} is an old node", node_type.deprecated)
        self.count(1, head)
        node = Node(node_type, self.source(first), name)
        cursor.open_node(head)
        self.open.append(node)
        self.open_nodes.append(node)
        return node

    def body(self, node: Node) -> None:
        """Read one field of a node, or the end of the node."""
        cursor = self.cursor
        token = cursor.token
        fields = node.node_type.fields
        if token.kind in ("}", END):
            self.end_node(node)
        elif token.kind == WORD and token.text in fields:
            cursor.next()
            self.field(node, fields[token.text], token)
        elif self.statement() or self.other_element(node):
            return
        elif self.belongs_outside(token):
            self.end_node(node)
        elif token.kind == WORD and not self.is_node_start() and token.text not in KEYWORDS:
            found, expected = f'unknown field "{token.text}"', f"a field of {node.type_name}"
            self.mistake(token, found, expected, did_you_mean(token.text, fields), f" of {node.type_name}")
            cursor.next()
            if cursor.token.kind != WORD or cursor.token.text not in fields:
                cursor.skip_value()
        else:
            cursor.unexpected(f'a field of {node.type_name} or "}}"')
            cursor.skip_anything()

    def end_node(self, node: Node) -> None:
        """End a node: from here on USE can name it."""
        self.cursor.close_bracket()
        self.open.pop()
        self.complete(node)
        self.open_nodes.pop()
        if node.def_name:
            self.defs[node.def_name] = node
            self.cursor.lost_defs.discard(node.def_name)

    def element(self, open_list: _OpenList) -> None:
        """Read one node of a list, or the end of the list."""
        cursor = self.cursor
        token = cursor.token
        node, field, values = open_list
        a_field = token.kind == WORD and token.text in node.node_type.fields and not self.is_node_start()
        if token.kind in ("]", "}", END) or a_field:
            cursor.close_bracket()
            self.open.pop()
        elif not self.statement():
            child = self.one_node(node, field, in_list=True)
            if isinstance(child, Node):
                values.append(child)

    def belongs_outside(self, token: Token) -> bool:
        """Return whether a token that is no field of the innermost node shows that its `}` is missing."""
        if token.kind == "]":
            return any(bracket.kind == "[" for bracket in self.cursor.brackets)
        if token.kind != WORD or self.cursor.unclosed <= 0:
            return False
        return self.is_node_start() or any(node.has_field(token.text) for node in self.open_nodes[:-1])

    def field(self, node: Node, field: FieldType, name: Token) -> None:
        """Read the value after a field name and set it in the node if it is valid."""
        cursor = self.cursor
        first = cursor.token
        if first.kind == WORD and first.text == "IS":
            value = self.is_value(node, field)
            if value is not FAILED:
                self.check_allowed(first, node, field, value)
                node.fields[field.name] = value
            return
        if field.name in node.fields:
            found = f'field "{field.name}" of {node.type_name} once more: the last value counts'
            self.warn(name, found, "each field once")
        if field.deprecated:
            self.warn(name, f"{node.type_name}.{field.name} is an old field", "")
        type_name = type_written(cursor, field)
        if type_name != field.type and field.type != ANY:
            found = f"{node.type_name}.{field.name} is written as {type_name}, an old form"
            self.warn(name, found, field.type)
        if type_name == "MFNode" and cursor.open_list():
            opened = _OpenList(node, field, [])
            node.fields[field.name] = opened.values
            self.open.append(opened)
            return
        if type_name.endswith("Node"):
            value = self.one_node(node, field)
        else:
            value = read_value(cursor, node.node_type, field, type_name)
        if value is FAILED or not self.check_allowed(first, node, field, value):
            return
        if type_name == "MFNode":
            value = [] if value is None else [value]
        node.fields[field.name] = value

    def one_node(self, node: Node, field: FieldType, in_list: bool = False) -> Any:
        """Read the node or NULL at the cursor; return FAILED after reporting something else."""
        if self.is_node_start():
            child = self.begin_node(field)
            if child is None:
                return FAILED
            child.parent, child.parent_field = node, field.name
            return child
        if self.cursor.token.text == "NULL" and not in_list:
            self.cursor.next()
            return None
        return report_wrong(self.cursor, node.node_type, field, in_list)

    def nodes_of(self, holder: Node, field: FieldType) -> Any:
        """Read the value of a field of type SFNode or MFNode at the cursor, with all descendants."""
        cursor = self.cursor
        self.open_nodes.append(holder)
        if field.type == "MFNode" and cursor.token.kind == "[":
            cursor.open_bracket()
            holder.fields[field.name] = []
            self.open.append(_OpenList(holder, field, holder.fields[field.name]))
        else:
            value = self.one_node(holder, field)
            if value is not FAILED:
                values = [] if value is None else [value]
                holder.fields[field.name] = values if field.type == "MFNode" else value
        self.finish_open()
        self.open_nodes.pop()
        return holder[field.name]

    def source(self, token: Token) -> Source:
        """Return the place of a token."""
        return Source(self.cursor.file, *self.cursor.line_and_column(token))

    def count(self, nodes: int, at: Token) -> None:
        """Count nodes that are read or copied; raise TooManyProblemsError if there are too many."""
        self.shared.nodes_left -= nodes
        if self.shared.nodes_left < 0:
            self.cursor.error(at, "too many nodes", limit_text("scene_nodes"))
            raise TooManyProblemsError

    def is_too_deep(self, height: int) -> bool:
        """Return whether a tree with this number of levels is too deep in the innermost open node."""
        return self.depth + len(self.open_nodes) + height > MAX_DEPTH

    def mistake(self, at: Token, found: str, expected: str, hint: str = "", more: str = "") -> None:
        """Report an error that Webots only warns of; if the load is lenient, as a warning, once."""
        if self.shared.is_lenient:
            mistake = Mistake(*self.source(at), f"{found}{more}", "skipped", expected)
            if mistake.found not in self.shared.reported:
                self.shared.reported.add(mistake.found)
                self.shared.warnings.append(mistake)
        else:
            self.cursor.error(at, found, expected, hint)

    def check_class(self, at: Token, node_type: NodeType, field: FieldType | None) -> bool:
        """Report a node whose class the field cannot hold; return False if it must be left out."""
        if field is not None and not field.holds(node_type):
            expected = "a " + " or ".join(field.nodes) if field.nodes else f"no {node_type.name}"
            self.mistake(at, f"{node_type.name} in {self.open_nodes[-1].type_name}.{field.name}", expected)
            return not self.shared.is_lenient
        return True

    def check_allowed(self, first: Token, node: Node, field: FieldType, value: Any) -> bool:
        """Report a value that is not among the allowed ones of the field; return True if it is allowed."""
        values = value if isinstance(value, list) else [value]
        if not field.allowed or all(each in field.allowed for each in values):
            return True
        found = shown(first) if first.text != "IS" else str(value)
        self.mistake(first, f"{node.type_name}.{field.name} {found}", one_of(field))
        return False

    def warn(self, token: Token, found: str, expected: str) -> None:
        """Add a warning about something old that is still read."""
        self.shared.warnings.append(SceneError(*self.source(token), found, expected))

    def warn_once(self, token: Token, found: str, expected: str) -> None:
        """Add a warning that is given only once."""
        if found not in self.shared.reported:
            self.shared.reported.add(found)
            self.warn(token, found, expected)
