"""Nodes of the world for supervisors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .connection import connection, print_error
from .constants import NODE_NUMBERS, node_number
from .field import Field, plain
from .proto import Proto


class ContactPoint:
    """A contact point between two solids."""

    def __init__(self, point: list[float], node_id: int) -> None:
        self.point = point
        self.node_id = node_id

    def getPoint(self) -> list[float]:
        return self.point

    def getNodeId(self) -> int:
        return self.node_id


GONE = {"id": -1, "def": "", "type": "", "base": ""}
"""Description of a removed node."""


class Node:
    """A node of the world."""

    def __init__(self, id: int, inside: bool = False) -> None:
        """`inside`: whether the node is in the body of a PROTO."""
        self.id, self.is_inside = id, inside

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def _ask(self, what: str, *arguments: Any) -> Any:
        return connection().call(what, self.id, *arguments)

    # ---- what it is

    @property
    def _description(self) -> dict[str, Any]:
        """Current description of the node; prints an error if it was removed."""
        return self._ask("node") or GONE

    def getId(self) -> int:
        """Return the id; -1: the node was removed, or is in the body of a PROTO."""
        if self.is_inside:
            print_error("Error: Node.getId() called for a node in the body of a PROTO")
            return -1
        return int(self._description["id"])

    def getDef(self) -> str:
        return str(self._description["def"])

    def getType(self) -> int:
        return node_number(self._description["base"])

    def getTypeName(self) -> str:
        """Return the name of its PROTO, or of its type if it is no instance."""
        return str(self._description["type"])

    getName = getTypeName
    """Name of `getTypeName` before Webots 6.3."""

    def getBaseTypeName(self) -> str:
        return str(self._description["base"])

    def isProto(self) -> bool:
        description = self._description
        return bool(description["type"] != description["base"])

    def getParentNode(self) -> Node | None:
        return make_node(self._ask("node_parent"))

    def getProto(self) -> Proto | None:
        """Return the PROTO of which the node is an instance."""
        body = self._ask("proto")
        return None if body is None else Proto(self, body, 0)

    def getFromProtoDef(self, DEF: str) -> Node | None:
        return make_node(self._ask("node_from_proto_def", DEF), inside=True)

    def remove(self) -> None:
        self._ask("node_remove")

    def exportString(self) -> str:
        return str(self._ask("node_text") or "")

    # ---- fields

    def _field(self, name: str, proto: bool) -> Field | None:
        body = (self._ask("proto") or 0) if proto else 0
        type_name = self._ask("field_type", name, body)
        return None if type_name is None else Field(self, name, type_name, body)

    def getField(self, fieldName: str) -> Field | None:
        """Return a field; None, without an error message, if there is no such field."""
        return self._field(fieldName, False)

    def getBaseNodeField(self, fieldName: str) -> Field | None:
        """Return a field of the node made by the PROTO, or of the node itself."""
        return self._field(fieldName, True)

    def getProtoField(self, fieldName: str) -> Field | None:
        """Return a field as `getBaseNodeField`, for an instance of a PROTO; None for other nodes."""
        return self.getBaseNodeField(fieldName) if self.isProto() else None

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
        return self.getPose()[3:12:4]

    def getOrientation(self) -> list[float]:
        """Return the 3 × 3 rotation matrix, row by row."""
        pose = self.getPose()
        return [*pose[0:3], *pose[4:7], *pose[8:11]]

    def getPose(self, fromNode: Node | None = None) -> list[float]:
        """Return the 4 × 4 matrix, row by row, in the world or in another node's frame."""
        return list(self._ask("node_pose", None if fromNode is None else fromNode.id) or [math.nan] * 16)

    def enablePoseTracking(self, samplingPeriod: int, fromNode: Node | None = None) -> None:
        """Do nothing: values are always current."""

    def disablePoseTracking(self, fromNode: Node | None = None) -> None:
        """Do nothing."""

    def getVelocity(self) -> list[float]:
        """Return the linear (m/s) and angular (rad/s) velocity, world axes."""
        return list(self._ask("node_velocity") or [math.nan] * 6)

    def setVelocity(self, velocity: Sequence[float]) -> None:
        if self._good("setVelocity", velocity, 6):
            self._ask("node_set_velocity", plain(velocity))

    def addForce(self, force: Sequence[float], relative: bool) -> None:
        if self._good("addForce", force, 3):
            self._ask("node_add_force", plain(force), None, bool(relative))

    def addForceWithOffset(self, force: Sequence[float], offset: Sequence[float], relative: bool) -> None:
        if self._good("addForceWithOffset", force, 3) and self._good("addForceWithOffset", offset, 3):
            self._ask("node_add_force", plain(force), plain(offset), bool(relative))

    def addTorque(self, torque: Sequence[float], relative: bool) -> None:
        if self._good("addTorque", torque, 3):
            self._ask("node_add_torque", plain(torque), bool(relative))

    def _good(self, method: str, values: Sequence[float], count: int) -> bool:
        if len(values) != count:
            print_error(f"Error: Node.{method}() called with {len(values)} numbers, expected {count}")
            return False
        if any(math.isnan(each) for each in values):
            print_error(f"Error: Node.{method}() called with a NaN value")
            return False
        return True

    def resetPhysics(self) -> None:
        self._ask("node_reset_physics")

    def getCenterOfMass(self) -> list[float]:
        return list(self._ask("node_centre_of_mass") or [math.nan] * 3)

    def getContactPoints(self, includeDescendants: bool = False) -> list[ContactPoint]:
        """Return the contact points of the last step, world axes; empty in the step of the first call."""
        found = self._ask("node_contacts", bool(includeDescendants)) or ()
        return [ContactPoint(each[:3], each[3]) for each in found]

    def enableContactPointsTracking(self, samplingPeriod: int, includeDescendants: bool = False) -> None:
        self._ask("node_contacts", bool(includeDescendants))

    def disableContactPointsTracking(self, includeDescendants: bool = False) -> None:
        """Do nothing."""

    enableContactPointTracking = enableContactPointsTracking
    disableContactPointTracking = disableContactPointsTracking

    def getNumberOfContactPoints(self, includeDescendants: bool = False) -> int:
        return len(self.getContactPoints(includeDescendants))

    def getContactPoint(self, index: int) -> list[float]:
        points = self.getContactPoints()
        return points[index].point if 0 <= index < len(points) else [math.nan] * 3

    def getStaticBalance(self) -> bool:
        """Return whether the node was in static balance in the last step; see `getContactPoints`."""
        return bool(self._ask("node_static_balance"))

    def setJointPosition(self, position: float, index: int = 1) -> None:
        self._ask("node_set_joint_position", float(position), int(index))

    def saveState(self, stateName: str) -> None:
        self._ask("node_save_state", str(stateName))

    def loadState(self, stateName: str) -> None:
        self._ask("node_load_state", str(stateName))

    def restartController(self) -> None:
        self._ask("node_restart_controller")

    def moveViewpoint(self) -> None:
        """Move the Viewpoint so that it shows the whole node; views in browsers do not change."""
        self._ask("node_move_viewpoint")

    def setVisibility(self, fromNode: Node, visible: bool) -> None:
        """Show or hide the node and its descendants for a Camera, Lidar, RangeFinder or the Viewpoint."""
        self._ask("node_set_visibility", fromNode.id, bool(visible))

    DEF = property(getDef)
    type = property(getType)
    type_name = property(getTypeName)
    base_type_name = property(getBaseTypeName)
    number_of_fields = property(getNumberOfFields)
    number_of_base_node_fields = property(getNumberOfBaseNodeFields)
    position = property(getPosition)
    orientation = property(getOrientation)
    parent_node = property(getParentNode)


for _name, _number in NODE_NUMBERS.items():
    setattr(Node, _name, _number)


def make_node(description: Any, inside: bool = False) -> Node | None:
    """Return a node from the simulation's description; None: there is none."""
    return None if description is None else Node(description["id"], inside)
