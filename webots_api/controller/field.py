"""Fields of nodes, for supervisors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .connection import complain, connection
from .constants import FIELDS

if TYPE_CHECKING:
    from .node import Node

LENGTHS = {"Vec2f": 2, "Vec3f": 3, "Rotation": 4, "Color": 3}


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

    def __init__(self, node: Node, name: str, type_name: str, proto: bool) -> None:
        self._node, self._name, self._type, self._proto = node, name, type_name, proto

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Field) and self._place == other._place

    def __hash__(self) -> int:
        return hash(self._place)

    @property
    def _place(self) -> tuple[Any, ...]:
        return (self._node.id, self._name, self._proto)

    def getName(self) -> str:
        return self._name

    def getType(self) -> int:
        return FIELDS[self._type]

    def getTypeName(self) -> str:
        return self._type

    def getCount(self) -> int:
        """How many values a field of several has; -1 for others."""
        return len(self._get() or ()) if self._type.startswith("MF") else -1

    def getActualField(self) -> Field | None:
        """The field in the scene tree that this one has its value from, itself if it is one; None: none."""
        return field_told(self._ask("field_actual"))

    def enableSFTracking(self, samplingPeriod: int) -> None:
        """Nothing to do: what is asked for is always of now."""

    def disableSFTracking(self) -> None:
        """Nothing to do."""

    # ---- the whole value

    def _ask(self, what: str, *arguments: Any) -> Any:
        return connection().call(what, self._node.id, self._name, self._proto, *arguments)

    def _get(self) -> Any:
        return self._ask("field_get")

    @property
    def value(self) -> Any:
        """The value of now, of any type."""
        found = self._get()
        if self._type == "SFNode":
            return _node(found)
        return [_node(each) for each in found or ()] if self._type == "MFNode" else found

    @value.setter
    def value(self, value: Any) -> None:
        if self._type.endswith("Node"):
            complain("Error: Field.value cannot be set for a field of nodes: import and remove them")
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
        complain(f"Error: Field.{method}() called for '{self._name}', which is of type {self._type}")
        return False

    def getSFBool(self) -> bool:
        return bool(self._single("Bool"))

    def getSFInt32(self) -> int:
        return int(self._single("Int32") or 0)

    def getSFFloat(self) -> float:
        found = self._single("Float")
        return math.nan if found is None else float(found)

    def getSFVec2f(self) -> Any:
        return self._single("Vec2f")

    def getSFVec3f(self) -> Any:
        return self._single("Vec3f")

    def getSFRotation(self) -> Any:
        return self._single("Rotation")

    def getSFColor(self) -> Any:
        return self._single("Color")

    def getSFString(self) -> str:
        return str(self._single("String") or "")

    def getSFNode(self) -> Node | None:
        return _node(self._single("Node"))

    def setSFBool(self, value: bool) -> None:
        self._set_single("Bool", bool(value))

    def setSFInt32(self, value: int) -> None:
        self._set_single("Int32", int(value))

    def setSFFloat(self, value: float) -> None:
        self._set_single("Float", float(value))

    def setSFVec2f(self, values: Sequence[float]) -> None:
        self._set_single("Vec2f", values)

    def setSFVec3f(self, values: Sequence[float]) -> None:
        self._set_single("Vec3f", values)

    def setSFRotation(self, values: Sequence[float]) -> None:
        self._set_single("Rotation", values)

    def setSFColor(self, values: Sequence[float]) -> None:
        self._set_single("Color", values)

    def setSFString(self, value: str) -> None:
        self._set_single("String", str(value))

    # ---- one of several values

    def _one(self, kind: str, index: int) -> Any:
        method = f"getMF{kind}"
        if not self._fits("MF" + kind, method):
            return None
        values = self._get() or []
        at = _place(method, index, len(values))
        return None if at is None else values[at]

    def _set_one(self, kind: str, index: int, value: Any) -> None:
        method = f"setMF{kind}"
        if self._fits("MF" + kind, method) and _is_good(method, kind, value):
            values = self._get() or []
            at = _place(method, index, len(values))
            if at is not None:
                self._ask("field_set", [*values[:at], plain(value), *values[at + 1 :]])

    def _insert(self, kind: str, index: int, value: Any) -> None:
        method = f"insertMF{kind}"
        if self._fits("MF" + kind, method) and _is_good(method, kind, value):
            values = self._get() or []
            at = _place(method, index, len(values) + 1)
            if at is not None:
                self._ask("field_set", [*values[:at], plain(value), *values[at:]])

    def getMFBool(self, index: int) -> Any:
        return self._one("Bool", index)

    def getMFInt32(self, index: int) -> Any:
        return self._one("Int32", index)

    def getMFFloat(self, index: int) -> Any:
        return self._one("Float", index)

    def getMFVec2f(self, index: int) -> Any:
        return self._one("Vec2f", index)

    def getMFVec3f(self, index: int) -> Any:
        return self._one("Vec3f", index)

    def getMFRotation(self, index: int) -> Any:
        return self._one("Rotation", index)

    def getMFColor(self, index: int) -> Any:
        return self._one("Color", index)

    def getMFString(self, index: int) -> Any:
        return self._one("String", index)

    def getMFNode(self, index: int) -> Node | None:
        return _node(self._one("Node", index))

    def setMFBool(self, index: int, value: bool) -> None:
        self._set_one("Bool", index, bool(value))

    def setMFInt32(self, index: int, value: int) -> None:
        self._set_one("Int32", index, int(value))

    def setMFFloat(self, index: int, value: float) -> None:
        self._set_one("Float", index, float(value))

    def setMFVec2f(self, index: int, values: Sequence[float]) -> None:
        self._set_one("Vec2f", index, values)

    def setMFVec3f(self, index: int, values: Sequence[float]) -> None:
        self._set_one("Vec3f", index, values)

    def setMFRotation(self, index: int, values: Sequence[float]) -> None:
        self._set_one("Rotation", index, values)

    def setMFColor(self, index: int, values: Sequence[float]) -> None:
        self._set_one("Color", index, values)

    def setMFString(self, index: int, value: str) -> None:
        self._set_one("String", index, str(value))

    def insertMFBool(self, index: int, value: bool) -> None:
        self._insert("Bool", index, bool(value))

    def insertMFInt32(self, index: int, value: int) -> None:
        self._insert("Int32", index, int(value))

    def insertMFFloat(self, index: int, value: float) -> None:
        self._insert("Float", index, float(value))

    def insertMFVec2f(self, index: int, values: Sequence[float]) -> None:
        self._insert("Vec2f", index, values)

    def insertMFVec3f(self, index: int, values: Sequence[float]) -> None:
        self._insert("Vec3f", index, values)

    def insertMFRotation(self, index: int, values: Sequence[float]) -> None:
        self._insert("Rotation", index, values)

    def insertMFColor(self, index: int, values: Sequence[float]) -> None:
        self._insert("Color", index, values)

    def insertMFString(self, index: int, value: str) -> None:
        self._insert("String", index, str(value))

    def removeMF(self, index: int) -> None:
        if not self._type.startswith("MF"):
            complain(f"Error: Field.removeMF() called for '{self._name}', which is of type {self._type}")
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
        """Bring in a node; position 0 is the first, -1 behind the last."""
        if self._fits("MFNode", "importMFNodeFromString"):
            count = self.getCount()
            at = position if position >= 0 else count + 1 + position
            if not 0 <= at <= count:
                complain(f"Error: Field.importMFNodeFromString() called with position {position}, "
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

    name = property(getName)
    type = property(getType)
    type_name = property(getTypeName)
    count = property(getCount)


def plain(value: Any) -> Any:
    """A value as lists and numbers, also if it comes from numpy."""
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    return [plain(each) for each in value]


def _is_good(method: str, kind: str, value: Any) -> bool:
    """Whether it has the right length and no NaN; says what is wrong, as Webots does."""
    wanted = LENGTHS.get(kind)
    if wanted is not None and len(value) != wanted:
        complain(f"Error: Field.{method}() called with {len(value)} numbers, expected {wanted}")
        return False
    numbers = value if wanted is not None else [value] if kind == "Float" else []
    if any(math.isnan(number) for number in numbers):
        complain(f"Error: Field.{method}() called with a NaN value")
        return False
    return True


def _place(method: str, index: int, count: int) -> int | None:
    """An index from the end as one from the start; says if it is out of range."""
    at = index if index >= 0 else count + index
    if 0 <= at < count:
        return at
    complain(f"Error: Field.{method}() called with an out-of-bound index: {index} (expected {-count} "
             f"to {count - 1})")  # fmt: skip
    return None


def field_told(told: Any) -> Field | None:
    """The field that the simulation tells of; None: there is none."""
    node = None if told is None else _node(told["node"])
    return None if node is None else Field(node, told["name"], told["type"], False)


def _node(told: Any) -> Node | None:
    from .node import make_node  # here, for nodes have fields

    return make_node(told)
