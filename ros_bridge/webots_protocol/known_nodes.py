"""The nodes that a supervisor has received, as libController stores them.

It stores nodes by number and DEF, and never requests them again: changes of them, by anyone, are sent with
the next answer.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ros_bridge.webots_protocol.layout import text
from ros_bridge.webots_protocol.messages import pack
from ros_bridge.webots_protocol.requests import Call, WireDevice
from ros_bridge.webots_protocol.versions import Version

ROBOT_TAG = bytes(2)
MISSING = -1

Query = Callable[..., Any]
"""Sends a query that is answered at once; None: it was refused."""


def answer(name: str, *values: Any) -> bytes:
    """Return a message to a supervisor, with its tag."""
    return ROBOT_TAG + pack("Supervisor", name, *values)


class KnownNodes:
    """The nodes known to one client.

    Args:
        version: of the client.
        query: sends a query to the simulation.
        devices: of the robot, by their numbers on the wire; more may be added.
    """

    def __init__(self, version: Version, query: Query, devices: dict[int, WireDevice]) -> None:
        self._version, self._query, self._devices = version, query, devices
        self._defs: dict[int, str] = {}
        self._bodies: dict[int, int | None] = {}

    def introduce(self, node: int) -> bytes:
        """Return the first message: the supervisor's own node."""
        about = self.about(node)
        if about is None:
            return b""
        number, _, _, parent, is_proto, is_inside, type_name, def_name = about
        head = struct.pack("<HBIIBB", 0, 0, number, parent, is_proto, is_inside)
        return head + text(type_name) + text(def_name)

    def about(self, node: int) -> tuple[Any, ...] | None:
        """Return a node as the fields of `node_by_id`; the client knows it from now on."""
        node_info = self._query("node_about", node)
        if node_info is None:
            return None
        self._defs[node] = node_info["def"]
        self._bodies[node] = node_info["body"]
        index = node_info["device"]
        tag = next((each.tag for each in self._devices.values() if each.index == index), MISSING)
        kind = self._version.node_number(node_info["base"])
        flags = (node_info["body"] is not None, node_info["is_inside"])
        return (node, kind, tag, node_info["parent"], *flags, node_info["type"], node_info["def"])

    def node_value(self, node_info: dict[str, Any] | None) -> bytes:
        """Return a node as the value of a field."""
        about = None if node_info is None else self.about(node_info["id"])
        if about is None:
            return bytes(4)
        *numbers, _, type_name, def_name = about
        return struct.pack("<IIiIB", *numbers) + text(type_name) + text(def_name)

    def pack_node(self, name: str, found: Any) -> bytes:
        """Return the answer to a request for a node."""
        about = None if found is None else self.about(found["id"])
        if about is None and name == "node_by_id":
            return b""
        return answer(name, *(about or (0, 0, MISSING, 0, 0, 0, "", "")))

    def by_def(self, name: str, proto: int) -> Call:
        """Return the request for a node by its DEF, in the world or in the body of a PROTO."""

        def pack_found(found: Any) -> bytes:
            about = None if found is None else self.about(found["id"])
            number, kind, tag, parent, is_proto, _, type_name, _ = about or (0, 0, MISSING, 0, 0, 0, "", "")
            return answer("node_by_def", number, kind, tag, parent, is_proto, type_name)

        if proto > 0:
            return Call("node_from_proto_def", (proto, name), pack_found)
        return Call("node_from_def", (name,), pack_found)

    def by_tag(self, tag: int) -> Call:
        """Return the request for the node of a device."""
        device = self._devices.get(tag)
        index = MISSING if device is None else device.index
        return Call("node_from_device", (index,), lambda found: self.pack_node("node_by_tag", found))

    def change_messages(self) -> bytes:
        """Return messages about nodes removed or with another DEF; first, whether bodies were rebuilt."""
        messages, is_rebuilt = b"", False
        for node, def_name in list(self._defs.items()):
            about = self._query("node_about", node)
            if about is None:
                messages += answer("node_remove", node)
                del self._defs[node], self._bodies[node]
                continue
            if about["body"] != self._bodies[node]:
                self._bodies[node] = about["body"]
                is_rebuilt = True
            if about["def"] != def_name:
                messages += self.pack_node("node_by_id", about)
        return answer("bodies_made_anew") + messages if is_rebuilt else messages
