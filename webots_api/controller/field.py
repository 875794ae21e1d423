"""Fields of nodes for supervisors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .connection import connection, print_error
from .constants import FIELDS

if TYPE_CHECKING:
    from .node import Node

LENGTHS = {"Vec2f": 2, "Vec3f": 3, "Rotation": 4, "Color": 3}


Accessors = tuple[Callable[..., Any], ...]
"""The methods getSF, setSF, getMF, setMF and insertMF of a type."""


def _scalar(kind: str, cast: Callable[[Any], Any], missing: Any) -> Accessors:
    """Return the accessors of a type with one value; `missing`: returned by `getSF` for other field types."""

    def get_single(self: Field) -> Any:
        found = self._single(kind)
        return missing if found is None else cast(found)

    def set_single(self: Field, value: Any) -> None:
        self._set_single(kind, cast(value))

    def get_one(self: Field, index: int) -> Any:
        return self._one(kind, index)

    def set_one(self: Field, index: int, value: Any) -> None:
        self._put("set", kind, index, cast(value), 1)

    def insert(self: Field, index: int, value: Any) -> None:
        self._put("insert", kind, index, cast(value), 0)

    return get_single, set_single, get_one, set_one, insert


def _vector(kind: str) -> Accessors:
    """Return the accessors of a type with several numbers."""

    def get_single(self: Field) -> Any:
        return self._single(kind)

    def set_single(self: Field, values: Sequence[float]) -> None:
        self._set_single(kind, values)

    def get_one(self: Field, index: int) -> Any:
        return self._one(kind, index)

    def set_one(self: Field, index: int, values: Sequence[float]) -> None:
        self._put("set", kind, index, values, 1)

    def insert(self: Field, index: int, values: Sequence[float]) -> None:
        self._put("insert", kind, index, values, 0)

    return get_single, set_single, get_one, set_one, insert


class Field:
    """A field of a node."""

    SF_BOOL = FIELDS["SFBool"]
    SF_INT32 = FIELDS["SFInt32"]
    SF_FLOAT = FIELDS["SFFloat"]
    SF_VEC2F = FIELDS["SFVec2f"]
    SF_VEC3F = FIELDS["SFVec3f"]
    SF_ROTATION = FIELDS["SFRotation"]
    SF_COLOR = FIELDS["SFColor"]
    SF_STRING = FIELDS["SFString"]
    SF_NODE = FIELDS["SFNode"]
    MF = 0x10
    MF_BOOL = FIELDS["MFBool"]
    MF_INT32 = FIELDS["MFInt32"]
    MF_FLOAT = FIELDS["MFFloat"]
    MF_VEC2F = FIELDS["MFVec2f"]
    MF_VEC3F = FIELDS["MFVec3f"]
    MF_ROTATION = FIELDS["MFRotation"]
    MF_COLOR = FIELDS["MFColor"]
    MF_STRING = FIELDS["MFString"]
    MF_NODE = FIELDS["MFNode"]

    def __init__(self, node: Node, name: str, type_name: str, body: int = 0) -> None:
        """`body`: number of the PROTO body that contains the field's node, if any."""
        self._node, self._name, self._type, self._body = node, name, type_name, body

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Field) and self._place == other._place

    def __hash__(self) -> int:
        return hash(self._place)

    @property
    def _place(self) -> tuple[Any, ...]:
        return (self._node.id, self._name, self._body)

    def getName(self) -> str:
        return self._name

    def getType(self) -> int:
        """Return the number of the type; 0: the node was removed, or regenerated with other fields."""
        return FIELDS.get(self.getTypeName(), 0)

    def getTypeName(self) -> str:
        """Return the name of the type; empty: see `getType`."""
        return str(self._ask("field_type") or "")

    def getCount(self) -> int:
        """Return the number of values of a multiple field; -1 for single fields and removed nodes."""
        found = self._get() if self._type.startswith("MF") else None
        return -1 if found is None else len(found)

    def getActualField(self) -> Field | None:
        """Return the field in the scene tree that provides the value, which may be this one; None: none."""
        return make_field(self._ask("field_actual"))

    def enableSFTracking(self, samplingPeriod: int) -> None:
        """Do nothing: values are always current."""

    def disableSFTracking(self) -> None:
        """Do nothing."""

    # ---- the whole value

    def _ask(self, what: str, *arguments: Any) -> Any:
        return connection().call(what, self._node.id, self._name, self._body, *arguments)

    def _made(self, description: Any) -> Node | None:
        """Return a node in the field."""
        return _node(description, self._body > 0 or self._node.is_inside)

    def _get(self) -> Any:
        return self._ask("field_get")

    @property
    def value(self) -> Any:
        """Current value, of any type."""
        found = self._get()
        if self._type == "SFNode":
            return self._made(found)
        return [self._made(each) for each in found or ()] if self._type == "MFNode" else found

    @value.setter
    def value(self, value: Any) -> None:
        if self._type.endswith("Node"):
            print_error("Error: Field.value cannot be set for a field of nodes: import and remove them")
            return
        self._ask("field_set", plain(value))

    # ---- single values

    def _single(self, kind: str) -> Any:
        if not self._fits("SF" + kind, f"getSF{kind}"):
            return None
        return self._get()

    def _set_single(self, kind: str, value: Any) -> None:
        if self._fits("SF" + kind, f"setSF{kind}") and _is_good(f"setSF{kind}", kind, value):
            self._ask("field_set", plain(value))

    def _fits(self, type_name: str, method: str) -> bool:
        if self._type == type_name:
            return True
        print_error(f"Error: Field.{method}() called for '{self._name}', which is of type {self._type}")
        return False

    def getSFNode(self) -> Node | None:
        return self._made(self._single("Node"))

    # ---- one of several values

    def _one(self, kind: str, index: int) -> Any:
        method = f"getMF{kind}"
        if not self._fits("MF" + kind, method):
            return None
        values = self._get() or []
        at = _place(method, index, len(values))
        return None if at is None else values[at]

    def _put(self, method: str, kind: str, index: int, value: Any, replaced: int) -> None:
        """Set or insert a value at an index; `replaced`: number of replaced values, 1 or 0."""
        method = f"{method}MF{kind}"
        if self._fits("MF" + kind, method) and _is_good(method, kind, value):
            values = self._get() or []
            at = _place(method, index, len(values) + 1 - replaced)
            if at is not None:
                self._ask("field_set", [*values[:at], plain(value), *values[at + replaced :]])

    def getMFNode(self, index: int) -> Node | None:
        return self._made(self._one("Node", index))

    def removeMF(self, index: int) -> None:
        if not self._type.startswith("MF"):
            print_error(f"Error: Field.removeMF() called for '{self._name}', which is of type {self._type}")
            return
        values = self._get() or []
        at = _place("removeMF", index, len(values))
        if at is None:
            return
        if self._type == "MFNode":
            connection().call("node_remove", values[at]["id"])
        else:
            self._ask("field_set", [*values[:at], *values[at + 1 :]])

    def removeSF(self) -> None:
        node = self.getSFNode()
        if node is not None:
            node.remove()

    # ---- nodes that come

    def importMFNodeFromString(self, position: int, nodeString: str) -> None:
        """Import a node; position 0: before the first, -1: after the last."""
        if self._fits("MFNode", "importMFNodeFromString"):
            count = self.getCount()
            at = position if position >= 0 else count + 1 + position
            if not 0 <= at <= count:
                print_error(f"Error: Field.importMFNodeFromString() called with position {position}, "
                         f"expected {-count - 1} to {count}")  # fmt: skip
                return
            self._ask("field_import", str(nodeString), at)

    def importSFNodeFromString(self, nodeString: str) -> None:
        if self._fits("SFNode", "importSFNodeFromString"):
            self._ask("field_import", str(nodeString), -1)

    def importMFNode(self, position: int, filename: str) -> None:
        if self._fits("MFNode", "importMFNode"):
            at = position if position >= 0 else self.getCount() + 1 + position
            self._ask("field_import_file", str(filename), at)

    def importSFNode(self, filename: str) -> None:
        if self._fits("SFNode", "importSFNode"):
            self._ask("field_import_file", str(filename), -1)

    # ---- the accessors of each type, which differ by its name

    getSFBool, setSFBool, getMFBool, setMFBool, insertMFBool = _scalar("Bool", bool, False)
    getSFInt32, setSFInt32, getMFInt32, setMFInt32, insertMFInt32 = _scalar("Int32", int, 0)
    getSFFloat, setSFFloat, getMFFloat, setMFFloat, insertMFFloat = _scalar("Float", float, 0.0)
    getSFString, setSFString, getMFString, setMFString, insertMFString = _scalar("String", str, "")
    getSFVec2f, setSFVec2f, getMFVec2f, setMFVec2f, insertMFVec2f = _vector("Vec2f")
    getSFVec3f, setSFVec3f, getMFVec3f, setMFVec3f, insertMFVec3f = _vector("Vec3f")
    getSFRotation, setSFRotation, getMFRotation, setMFRotation, insertMFRotation = _vector("Rotation")
    getSFColor, setSFColor, getMFColor, setMFColor, insertMFColor = _vector("Color")

    name = property(getName)
    type = property(getType)
    type_name = property(getTypeName)
    count = property(getCount)


def plain(value: Any) -> Any:
    """Return a value, which may come from numpy, as lists and numbers."""
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    return [plain(each) for each in value]


def _is_good(method: str, kind: str, value: Any) -> bool:
    """Return whether a value has the right length and no NaN; print an error, as Webots does."""
    wanted = LENGTHS.get(kind)
    if wanted is not None and len(value) != wanted:
        print_error(f"Error: Field.{method}() called with {len(value)} numbers, expected {wanted}")
        return False
    numbers = value if wanted is not None else [value] if kind == "Float" else []
    if any(math.isnan(number) for number in numbers):
        print_error(f"Error: Field.{method}() called with a NaN value")
        return False
    return True


def _place(method: str, index: int, count: int) -> int | None:
    """Return an index counted from the start; print an error if it is out of range."""
    at = index if index >= 0 else count + index
    if 0 <= at < count:
        return at
    print_error(f"Error: Field.{method}() called with an out-of-bound index: {index} (expected {-count} "
             f"to {count - 1})")  # fmt: skip
    return None


def make_field(description: Any) -> Field | None:
    """Return a field from the simulation's description; None: there is none."""
    node = None if description is None else _node(description["node"])
    return None if node is None else Field(node, description["name"], description["type"])


def _node(description: Any, inside: bool = False) -> Node | None:
    from .node import make_node  # here to avoid a circular import

    return make_node(description, inside)
