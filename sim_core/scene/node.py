"""Scene nodes: typed fields over plain Python values, with DEF and USE.

Values: SFBool bool, SFInt32 int, SFFloat float, SFString str, SFVec2f, SFVec3f, SFColor and SFRotation
tuples of floats (a rotation is x, y, z, angle as written), SFNode `Node` or None, and MF types lists of
those. Do not change a list in place: assign a new one, so that it is checked and parents stay correct.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple
from weakref import ref

from sim_core.base.errors import SceneError
from sim_core.base.ids import NodeId
from sim_core.base.turns import NO_TURN, Turn
from sim_core.scene.node_types import FieldType, NodeType, all_node_types, did_you_mean, node_type
from sim_core.scene.values import checked

if TYPE_CHECKING:
    from sim_core.scene.proto.expansion import ProtoInstance


class Source(NamedTuple):
    """Place of a node in a file, counted from 1; line 0: created without a file. As text
    `file:line:column`."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NO_SOURCE = Source("<created>", 0, 0)


class NodeAxes(NamedTuple):
    """Rotations from the axes of a file, in which a node is expressed, to those of the model.

    Attributes:
        above: of the frame that contains the node.
        own: of the node's own frame, which contains its children if it is a Pose; of a geometry that had
            another axis in old files, to the current geometry.
        world: of the world.
        is_old: the node has the axes of files before R2022a.
        is_v6: it has the axes of files before Webots 7.3, which state no version.
    """

    above: Turn = NO_TURN
    own: Turn = NO_TURN
    world: Turn = NO_TURN
    is_old: bool = False
    is_v6: bool = False


CURRENT_AXES = NodeAxes()
UNSET: Any = object()
"""Stands for the value of a field that the file does not set."""
_NO_RESETS: Mapping[str, tuple[Any, Any]] = MappingProxyType({})
_numbers = count(1)


class Typed:
    """Base class of objects with a node type and a place in a file.

    Attributes:
        node_type: its schema entry.
        source: place in the file.
    """

    __slots__ = ()
    node_type: NodeType
    source: Source

    @property
    def type_name(self) -> str:
        """Name of the node type, such as `Robot`."""
        return self.node_type.name

    @property
    def where(self) -> str:
        """`file:line:column`."""
        return str(self.source)

    def is_a(self, type_name: str) -> bool:
        """Return whether the node is of this type or derives from it, such as `Solid`, `Device`, `Motor`."""
        return type_name in self.node_type.classes


class Node(Typed):
    """One node of a scene.

    Attributes:
        id: unique number of the node, for modules that do not handle nodes.
        def_name: name given by DEF, or None.
        use_name: X if the node was written `USE X`; it is then a full copy of X with its own parent.
        original: node whose changes this one takes over, for copies made by USE and IS; or None.
        parent, parent_field: node and field that contain it; None for roots.
        proto: its PROTO instance before expansion (`expansion.ProtoInstance`), or None.
        is_public: a node of a PROTO body that was given from outside, by a parameter.
        axes: axes of its fields, set by `scene.axes.assign_axes` for the scene that contains it.
        written: for fields with an invalid value: the value in the file and the one used (`resets.py`).
        arrangement: replaced by a new object whenever a node is added or removed in any scene
            that is in use; for caches of what was read from a tree.
    """

    arrangement: ClassVar[object] = object()
    __slots__ = (
        "__weakref__",
        "_followers",
        "axes",
        "def_name",
        "fields",
        "id",
        "is_public",
        "node_type",
        "original",
        "parent",
        "parent_field",
        "proto",
        "source",
        "use_name",
        "written",
    )

    def __init__(self, node_type: NodeType, source: Source = NO_SOURCE, def_name: str | None = None) -> None:
        self.id = NodeId(next(_numbers))
        self.node_type = node_type
        self.source = source
        self.def_name = def_name
        self.use_name: str | None = None
        self.parent: Node | None = None
        self.parent_field: str | None = None
        self.fields: dict[str, Any] = {}
        self.proto: ProtoInstance | None = None
        self.is_public = False
        self.axes = CURRENT_AXES
        self.original: Node | None = None
        self.written = _NO_RESETS
        self._followers: list[ref[Node]] | tuple[()] = ()

    @classmethod
    def create(cls, type_name: str, **fields: Any) -> Node:
        """Return a new node without parent; fields that are not given have their defaults.

        Raises:
            SceneError: there is no such node type or field, or a value is wrong.
        """
        found = node_type(type_name)
        if found is None or found.abstract:
            hint = did_you_mean(type_name, all_node_types())
            raise SceneError(*NO_SOURCE, f'unknown node "{type_name}"', "the name of a node type", hint)
        node = cls(found)
        for name, value in fields.items():
            node[name] = value
        return node

    def __getitem__(self, field: str) -> Any:
        """Return the explicit or the default value of a field.

        Raises:
            SceneError: the node type has no such field.
        """
        if field in self.fields:
            return self.fields[field]
        default = (self.node_type.fields.get(field) or self._field_type(field)).default
        return list(default) if isinstance(default, list) else default

    def __setitem__(self, field: str, value: Any) -> None:
        """Set a field; nodes in the value get this node as their parent.

        Raises:
            SceneError: no such field, or the value is not of its type.
        """
        field_type = self._field_type(field)
        try:
            value = checked(field_type, value)
        except ValueError as error:
            raise self._error(f"{self.type_name}.{field} cannot be {_short(value)}", str(error)) from None
        new = _nodes_in(value)
        for node in new:
            self._check_child(field_type, node, len([each for each in new if each is node]))
        gone = _nodes_in(self.fields.get(field))
        for node in gone:
            node.parent = node.parent_field = None
        for node in new:
            node.parent, node.parent_field = self, field
        self.fields[field] = value
        if new or gone:
            Node.arrangement = object()

    def is_set(self, field: str) -> bool:
        """Return whether the field is set, in the file or by assignment, even if equal to its default."""
        return field in self.fields

    def override_value(self, field: str, value: Any) -> None:
        """Replace the value of the file by another; the file's value is still the one that is saved."""
        kept = self.written[field][0] if field in self.written else self.fields.get(field, UNSET)
        self.written = {**self.written, field: (kept, value)}
        self.fields[field] = value

    def saved_fields(self) -> dict[str, Any]:
        """Return the fields to save: those that are set; those that were reset, with the values of the
        file."""
        if not self.written:
            return self.fields
        fields = dict(self.fields)
        for field, (kept, taken) in self.written.items():
            if field in fields and fields[field] == taken:
                fields[field] = kept
        return {field: value for field, value in fields.items() if value is not UNSET}

    def unset(self, field: str) -> None:
        """Reset the field to its default."""
        if gone := _nodes_in(self.fields.pop(field, None)):
            Node.arrangement = object()
        for node in gone:
            node.parent = node.parent_field = None

    def has_field(self, field: str) -> bool:
        """Return whether the node type has such a field."""
        return field in self.node_type.fields

    def child_nodes(self) -> list[Node]:
        """Return the direct child nodes, in the order in which the fields were set."""
        found: list[Node] = []
        for value in self.fields.values():  # most values are neither a list nor a node
            kind = type(value)
            if kind is list:
                if value and isinstance(value[0], Node):
                    found += value
            elif kind is Node:
                found.append(value)
        return found

    def walk(self) -> Iterator[Node]:
        """Yield the node and all its descendants, each before its children."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if below := node.child_nodes():
                below.reverse()
                stack += below

    def ancestors(self) -> Iterator[Node]:
        """Yield parent, grandparent and so on up to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def path(self) -> str:
        """Return a name for messages: `DEF ROBOT1`, `Robot "e1" > DistanceSensor "ds0"`; groups are
        omitted."""
        parts = [self._label()]
        if not self.def_name:
            for node in self.ancestors():
                if node.def_name or node.is_a("Solid"):
                    parts.append(node._label())
                if node.def_name:
                    break
        return " > ".join(reversed(parts))

    def copy(self, follows: bool = False) -> Node:
        """Return a deep copy without parent; DEF and USE names are kept.

        Args:
            follows: True: each node of the copy takes over the changes of its original, and the parameters of
                PROTO nodes in it are shared; False: these are copied, too.
        """
        result = self._bare_copy()
        made = {self: result}
        pending = [(self, result)]
        while pending:
            original, duplicate = pending.pop()
            if original.proto is not None and not follows:
                given = [child for child in original.proto.own_nodes() if child.parent is original]
                pending += [(child, child._copy_in(duplicate, made)) for child in given]
            for name, value in original.fields.items():
                copies = [child._copy_in(duplicate, made) for child in _nodes_in(value)]
                pending += zip(_nodes_in(value), copies, strict=True)
                if isinstance(value, Node):
                    duplicate.fields[name] = copies[0]
                elif copies:
                    duplicate.fields[name] = copies
                else:
                    duplicate.fields[name] = list(value) if isinstance(value, list) else value
        for original, duplicate in made.items():
            if original.proto is not None:
                duplicate.proto = original.proto.copied(made)
            if follows:
                duplicate._follow(original)
            elif original.original in made:
                duplicate._follow(made[original.original])
        return result

    def linked_nodes(self) -> list[Node]:
        """Return the original of this node and all its copies by USE or IS, which must change together."""
        first = self.original or self
        return [first, *(node for each in first._followers if (node := each()) is not None)]

    def equals(self, other: Node) -> bool:
        """Return whether two trees have the same types, DEF and USE names, and values in the same fields."""
        pending = [(self, other)]
        while pending:
            a, b = pending.pop()
            if (a.node_type.name, a.def_name, a.use_name) != (b.node_type.name, b.def_name, b.use_name):
                return False
            if a.fields.keys() != b.fields.keys():
                return False
            for name, value in a.fields.items():
                mine, others = _nodes_in(value), _nodes_in(b.fields[name])
                if len(mine) != len(others) or (not mine and value != b.fields[name]):
                    return False
                pending.extend(zip(mine, others, strict=True))
        return True

    def __repr__(self) -> str:
        return f"<Node {self.path()} at {self.where}>"

    def _copy_in(self, parent: Node, made: dict[Node, Node]) -> Node:
        """Return a copy, without fields, in the copy of its parent."""
        copy = made[self] = self._bare_copy()
        copy.parent, copy.parent_field = parent, self.parent_field
        return copy

    def _bare_copy(self) -> Node:
        result = Node(self.node_type, self.source, self.def_name)
        result.use_name = self.use_name
        result.axes = self.axes
        result.written = self.written
        return result

    def _follow(self, node: Node) -> None:
        first = self.original = node.original or node
        if isinstance(first._followers, tuple):
            first._followers = []
        first._followers.append(ref(self))

    def _label(self) -> str:
        if self.def_name:
            return f"DEF {self.def_name}"
        name = self.fields.get("name") if "name" in self.node_type.fields else None
        if name is None and "name" in self.node_type.fields:
            name = self.node_type.fields["name"].default
        return f'{self.type_name} "{name}"' if name else self.type_name

    def _field_type(self, field: str) -> FieldType:
        found = self.node_type.fields.get(field)
        if found is None:
            raise self._error(
                f'{self.type_name} has no field "{field}"', hint=did_you_mean(field, self.node_type.fields)
            )
        return found

    def _check_child(self, field: FieldType, node: Node, times: int) -> None:
        """Raise SceneError if a node has a parent already or its class is not allowed in the field."""
        if not field.holds(node.node_type):
            found = f"{self.type_name}.{field.name} cannot hold a {node.type_name}"
            raise self._error(found, "a " + " or ".join(field.nodes) if field.nodes else "another node")
        held_elsewhere = node.parent is not None and (
            node.parent is not self or node.parent_field != field.name
        )
        if held_elsewhere or times > 1:
            raise self._error(f"{node.path()} is already held by a node", "a copy of it")
        if node is self or any(ancestor is node for ancestor in self.ancestors()):
            raise self._error(f"{node.path()} cannot hold itself", "another node")

    def _error(self, found: str, expected: str = "", hint: str = "") -> SceneError:
        return SceneError(*self.source, found, expected, hint)


def _nodes_in(value: Any) -> list[Node]:
    """Return the nodes in a field's value."""
    if isinstance(value, Node):
        return [value]
    if isinstance(value, list) and value and isinstance(value[0], Node):
        return value
    return []


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
