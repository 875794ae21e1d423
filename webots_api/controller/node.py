"""Nodes and fields of the world, for supervisors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .constants import FIELDS, NODE_NUMBERS, node_number
from .link import complain, link

LENGTHS = {"Vec2f": 2, "Vec3f": 3, "Rotation": 4, "Color": 3}


class ContactPoint:
    """Where a solid touches another."""

    def __init__(self, point: list[float], node_id: int) -> None:
        self.point = point
        self.node_id = node_id

    def getPoint(self) -> list[float]:
        return self.point

    def getNodeId(self) -> int:
        return self.node_id


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
        return isinstance(other, Field) and (self._node, self._name) == (other._node, other._name)

    def __hash__(self) -> int:
        return hash((self._node.id, self._name))

    def getName(self) -> str:
        return self._name

    def getType(self) -> int:
        return FIELDS[self._type]

    def getTypeName(self) -> str:
        return self._type

    def getCount(self) -> int:
        """How many values a field of several has; -1 for others."""
        return len(self._get() or ()) if self._type.startswith("MF") else -1

    def getActualField(self) -> Field:
        return self

    def enableSFTracking(self, samplingPeriod: int) -> None:
        """Nothing to do: what is asked for is always of now."""

    def disableSFTracking(self) -> None:
        """Nothing to do."""

    # ---- the whole value

    def _ask(self, what: str, *arguments: Any) -> Any:
        return link().call(what, self._node.id, self._name, self._proto, *arguments)

    def _get(self) -> Any:
        return self._ask("field_get")

    @property
    def value(self) -> Any:
        """The value of now, of any type."""
        found = self._get()
        if self._type == "SFNode":
            return make_node(found)
        return [make_node(each) for each in found or ()] if self._type == "MFNode" else found

    @value.setter
    def value(self, value: Any) -> None:
        if self._type.endswith("Node"):
            complain("Error: Field.value cannot be set for a field of nodes: import and remove them")
            return
        self._ask("field_set", _plain(value))

    # ---- single values

    def _single(self, kind: str) -> Any:
        if not self._fits("SF" + kind, f"getSF{kind}"):
            return None
        return self._get()

    def _set_single(self, kind: str, value: Any) -> None:
        if self._fits("SF" + kind, f"setSF{kind}") and _is_good(f"setSF{kind}", kind, value):
            self._ask("field_set", _plain(value))

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
        return make_node(self._single("Node"))

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
                self._ask("field_set", [*values[:at], _plain(value), *values[at + 1 :]])

    def _insert(self, kind: str, index: int, value: Any) -> None:
        method = f"insertMF{kind}"
        if self._fits("MF" + kind, method) and _is_good(method, kind, value):
            values = self._get() or []
            at = _place(method, index, len(values) + 1)
            if at is not None:
                self._ask("field_set", [*values[:at], _plain(value), *values[at:]])

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
        return make_node(self._one("Node", index))

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
            link().call("node_remove", values[at]["id"])
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


def _plain(value: Any) -> Any:
    """A value as lists and numbers, also if it comes from numpy."""
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain(each) for each in value]


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


class Node:
    """A node of the world."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.id: int = told["id"]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def _ask(self, what: str, *arguments: Any) -> Any:
        return link().call(what, self.id, *arguments)

    # ---- what it is

    def getId(self) -> int:
        return self.id

    def getDef(self) -> str:
        return str(self._told["def"])

    def getType(self) -> int:
        return node_number(self._told["base"])

    def getTypeName(self) -> str:
        """The name of its PROTO, if it is an instance of one."""
        return str(self._told["type"])

    def getBaseTypeName(self) -> str:
        return str(self._told["base"])

    def isProto(self) -> bool:
        return self._told["type"] != self._told["base"]

    def getParentNode(self) -> Node | None:
        return make_node(self._ask("node_parent"))

    def getFromProtoDef(self, DEF: str) -> Node | None:
        return make_node(self._ask("node_from_proto_def", DEF))

    def remove(self) -> None:
        self._ask("node_remove")

    def exportString(self) -> str:
        return str(self._ask("node_text") or "")

    # ---- fields

    def _field(self, name: str, proto: bool) -> Field | None:
        type_name = self._ask("field_type", name, proto)
        return None if type_name is None else Field(self, name, type_name, proto)

    def getField(self, fieldName: str) -> Field | None:
        """None, without a word, if there is no such field."""
        return self._field(fieldName, False)

    def getProtoField(self, fieldName: str) -> Field | None:
        """A field of the node that the PROTO makes."""
        return self._field(fieldName, True)

    def getBaseNodeField(self, fieldName: str) -> Field | None:
        return self._field(fieldName, True)

    def _names(self, proto: bool) -> list[str]:
        names: list[str] = self._ask("field_names", proto) or []
        return names

    def getNumberOfFields(self) -> int:
        return len(self._names(False))

    def getNumberOfBaseNodeFields(self) -> int:
        return len(self._names(True))

    getProtoNumberOfFields = getNumberOfBaseNodeFields

    def getFieldByIndex(self, index: int) -> Field | None:
        names = self._names(False)
        return self._field(names[index], False) if 0 <= index < len(names) else None

    def getBaseNodeFieldByIndex(self, index: int) -> Field | None:
        names = self._names(True)
        return self._field(names[index], True) if 0 <= index < len(names) else None

    getProtoFieldByIndex = getBaseNodeFieldByIndex

    # ---- where it is and how it moves

    def getPosition(self) -> list[float]:
        return list(self._ask("node_pose", None) or [math.nan] * 16)[3:12:4]

    def getOrientation(self) -> list[float]:
        """The 3 × 3 rotation matrix, row by row."""
        pose = self._ask("node_pose", None) or [math.nan] * 16
        return [*pose[0:3], *pose[4:7], *pose[8:11]]

    def getPose(self, fromNode: Node | None = None) -> list[float]:
        """The 4 × 4 matrix, row by row, in the world or in another node's frame."""
        return list(self._ask("node_pose", None if fromNode is None else fromNode.id) or [math.nan] * 16)

    def enablePoseTracking(self, samplingPeriod: int, fromNode: Node | None = None) -> None:
        """Nothing to do: what is asked for is always of now."""

    def disablePoseTracking(self, fromNode: Node | None = None) -> None:
        """Nothing to do."""

    def getVelocity(self) -> list[float]:
        """Linear, then angular, world axes."""
        return list(self._ask("node_velocity") or [math.nan] * 6)

    def setVelocity(self, velocity: Sequence[float]) -> None:
        if self._good("setVelocity", velocity, 6):
            self._ask("node_set_velocity", _plain(velocity))

    def addForce(self, force: Sequence[float], relative: bool) -> None:
        if self._good("addForce", force, 3):
            self._ask("node_add_force", _plain(force), None, bool(relative))

    def addForceWithOffset(self, force: Sequence[float], offset: Sequence[float], relative: bool) -> None:
        if self._good("addForceWithOffset", force, 3) and self._good("addForceWithOffset", offset, 3):
            self._ask("node_add_force", _plain(force), _plain(offset), bool(relative))

    def addTorque(self, torque: Sequence[float], relative: bool) -> None:
        if self._good("addTorque", torque, 3):
            self._ask("node_add_torque", _plain(torque), bool(relative))

    def _good(self, method: str, values: Sequence[float], count: int) -> bool:
        if len(values) != count:
            complain(f"Error: Node.{method}() called with {len(values)} numbers, expected {count}")
            return False
        if any(math.isnan(each) for each in values):
            complain(f"Error: Node.{method}() called with a NaN value")
            return False
        return True

    def resetPhysics(self) -> None:
        self._ask("node_reset_physics")

    def getCenterOfMass(self) -> list[float]:
        return list(self._ask("node_centre_of_mass") or [math.nan] * 3)

    def getContactPoints(self, includeDescendants: bool = False) -> list[ContactPoint]:
        """Those of the last step, world axes; none in the step in which they are asked for first."""
        found = self._ask("node_contacts", bool(includeDescendants)) or ()
        return [ContactPoint(each[:3], each[3]) for each in found]

    def enableContactPointsTracking(self, samplingPeriod: int, includeDescendants: bool = False) -> None:
        self._ask("node_contacts", bool(includeDescendants))

    def disableContactPointsTracking(self, includeDescendants: bool = False) -> None:
        """Nothing to do."""

    enableContactPointTracking = enableContactPointsTracking
    disableContactPointTracking = disableContactPointsTracking

    def getNumberOfContactPoints(self, includeDescendants: bool = False) -> int:
        return len(self.getContactPoints(includeDescendants))

    def getContactPoint(self, index: int) -> list[float]:
        points = self.getContactPoints()
        return points[index].point if 0 <= index < len(points) else [math.nan] * 3

    def getStaticBalance(self) -> bool:
        complain("Node.getStaticBalance(): not supported")
        return False

    def setJointPosition(self, position: float, index: int = 1) -> None:
        self._ask("node_set_joint_position", float(position), int(index))

    def saveState(self, stateName: str) -> None:
        self._ask("node_save_state", str(stateName))

    def loadState(self, stateName: str) -> None:
        self._ask("node_load_state", str(stateName))

    def restartController(self) -> None:
        self._ask("node_restart_controller")

    def moveViewpoint(self) -> None:
        """Nothing to do: who watches looks where he wants."""

    def setVisibility(self, fromNode: Node, visible: bool) -> None:
        complain("Node.setVisibility(): not supported, all cameras see it as before")

    DEF = property(getDef)
    type = property(getType)
    type_name = property(getTypeName)
    base_type_name = property(getBaseTypeName)
    number_of_fields = property(getNumberOfFields)
    position = property(getPosition)
    orientation = property(getOrientation)
    parent_node = property(getParentNode)


for _name, _number in NODE_NUMBERS.items():
    setattr(Node, _name, _number)


def make_node(told: Any) -> Node | None:
    """The node that the simulation tells of; None: there is none."""
    return None if told is None else Node(told)
