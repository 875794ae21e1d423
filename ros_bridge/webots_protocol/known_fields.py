"""Fields of nodes that a supervisor reads and sets, one value at a time."""

from __future__ import annotations

import struct
from typing import Any

from ros_bridge.webots_protocol.known_nodes import MISSING, ROBOT_TAG, KnownNodes, Query, answer
from ros_bridge.webots_protocol.layout import FieldLayout, PacketError, PacketReader
from ros_bridge.webots_protocol.messages import OLD_FIELD, OLD_SINGLE_FIELD, pack
from ros_bridge.webots_protocol.requests import Call, nothing
from ros_bridge.webots_protocol.versions import Version
from webots_api.controller.constants import FIELDS

_TYPES = {number: name for name, number in FIELDS.items()}
_VALUES = {
    "Bool": FieldLayout("value:u8"),
    "Int32": FieldLayout("value:i32"),
    "Float": FieldLayout("value:f64"),
    "Vec2f": FieldLayout("value:2f64"),
    "Vec3f": FieldLayout("value:3f64"),
    "Rotation": FieldLayout("value:4f64"),
    "Color": FieldLayout("value:3f64"),
    "String": FieldLayout("value:z"),
    "Node": FieldLayout("value:z"),
}
"""Layout of one value of a field, by its type without SF or MF; a node is sent as text."""
_FIELD_PLACE = FieldLayout("node:i32 level:i32 field:i32 is_inside:u8")
_OLD_FIELD_PLACE = FieldLayout("node:i32 field:i32 is_inside:u8")


class KnownFields:
    """The fields that one client has requested.

    Args:
        version: of the client.
        query: sends a query to the simulation.
        nodes: nodes known to the client.
    """

    def __init__(self, version: Version, query: Query, nodes: KnownNodes) -> None:
        self._version, self._query, self._nodes = version, query, nodes
        self._counts: dict[tuple[int, str], int] = {}
        self._types: dict[tuple[int, int, int, bool], str] = {}

    def by_name(self, packet: PacketReader) -> Call:
        """Return the request for a field by name."""
        node, level = self._node_and_level(packet)
        which = packet.text()
        return self._field_by("field_by_name", node, level, which, packet.number("u8"))

    def by_place(self, packet: PacketReader) -> Call:
        """Return the request for a field by index."""
        node, level = self._node_and_level(packet)
        which = packet.number("u32")
        return self._field_by("field_by_place", node, level, which, packet.number("u8"))

    def _field_by(self, name: str, node: int, level: int, which: str | int, base: int) -> Call:
        """Return the request for a field by name or index."""

        def pack_found(found: Any) -> bytes:
            if found is None:
                missing = (MISSING, 0, 0, MISSING)
                return self._field_answer(name, *missing, MISSING, MISSING, "")
            is_inside = bool(base) or level >= 0
            self._types[node, level, found["place"], is_inside] = found["type"]
            if level < 0 and found["count"] >= 0:
                self._counts[node, found["name"]] = found["count"]
            actual = found["actual"] or (MISSING, MISSING)
            fixed = (found["place"], FIELDS[found["type"]], is_inside, found["count"])
            return self._field_answer(name, *fixed, *actual, found["name"])

        return Call("field_about", (node, level, which, bool(base)), pack_found)

    def _field_answer(self, name: str, *values: Any) -> bytes:
        if self._version.has_levels:
            return answer(name, *values)
        head = ROBOT_TAG + pack("Supervisor", name, *values)[:1]
        field, kind, is_inside, count, _, _, called = values
        if self._version.counts_several and not _TYPES.get(kind, "").startswith("MF"):
            return head + OLD_SINGLE_FIELD.pack(field, kind, is_inside, called)
        return head + OLD_FIELD.pack(field, kind, is_inside, count, called)

    def _node_and_level(self, packet: PacketReader) -> tuple[int, int]:
        """Read node and level; older clients have no levels of PROTO."""
        node = packet.number("i32")
        return node, packet.number("i32") if self._version.has_levels else MISSING

    def get(self, packet: PacketReader) -> Call:
        """Return the request for a value, with an index only in a field of several, as announced before."""
        if self._version.has_levels:
            node, level, field, is_inside = _FIELD_PLACE.unpack(packet)
        else:
            node, field, is_inside = _OLD_FIELD_PLACE.unpack(packet)
            level = MISSING
        kind = self._type(node, level, field, bool(is_inside))
        at = packet.number("u32") if kind.startswith("MF") else None
        return self.value_request(node, level, field, bool(is_inside), at)

    def value_request(self, node: int, level: int, field: int, is_inside: bool, at: int | None) -> Call:
        """Return the request for the value of a field, or one of several."""

        def pack_found(found: Any) -> bytes:
            head = ROBOT_TAG + pack("Supervisor", "field_get")
            if found is None:
                return head + struct.pack("<i", 0)
            place = (node, level, field) if self._version.has_levels else (node, field)
            head += struct.pack(f"<{1 + len(place)}i", FIELDS[found["type"]], *place)
            kind = found["type"][2:]
            if kind == "Node":
                return head + self._nodes.node_value(found["value"])
            return head + _VALUES[kind].pack(found["value"])

        return Call("field_value", (node, level, field, is_inside, at), pack_found)

    def _type(self, node: int, level: int, field: int, is_inside: bool) -> str:
        kind = self._types.get((node, level, field, is_inside))
        if kind is None:
            raise PacketError(f"field {field} of node {node}, which the client has not requested before")
        return kind

    def set_request(self, packet: PacketReader) -> Call:
        """Return the request to set a value."""
        node, field, number, at = packet.take(struct.Struct("<iiIi"))
        kind = _TYPES.get(number, "")
        if kind != self._type(node, MISSING, field, False) or kind.endswith("Node"):
            raise PacketError(f"a value of type {number} for field {field} of node {node}")
        value = _plain(kind, _VALUES[kind[2:]].unpack(packet)[0])
        return Call("field_set_at", (node, field, at if kind.startswith("MF") else None, value), nothing)

    def insert(self, packet: PacketReader) -> Call:
        """Return the request to insert a value."""
        node, field, at = packet.take(struct.Struct("<iii"))
        kind = self._type(node, MISSING, field, False)
        value = _plain(kind, _VALUES[kind[2:]].unpack(packet)[0])

        def pack_found(found: Any) -> bytes:
            if kind != "SFNode":
                return b""
            now = self._query("field_value", node, MISSING, field, False, None)
            made = None if now is None else now["value"]
            return answer("field_insert", MISSING if made is None else made["id"])

        return Call("field_insert_at", (node, field, at, value), pack_found)

    def change_messages(self) -> bytes:
        """Return messages with changed counts, which clients do not request again."""
        messages = b""
        for (node, name), count in list(self._counts.items()):
            about = self._query("field_about", node, MISSING, name, False)
            if about is None:
                del self._counts[node, name]
            elif about["count"] != count:
                self._counts[node, name] = about["count"]
                messages += answer("count_changed", node, name, about["count"])
        return messages


def _plain(kind: str, value: Any) -> Any:
    """Convert a value to the type of a field."""
    if kind.endswith("Bool"):
        return bool(value)
    return list(value) if isinstance(value, tuple) else value
