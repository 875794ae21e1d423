"""Messages of supervisors, converted to requests of `controller_api.supervise`, and their answers."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ros_bridge.webots_protocol.known_fields import KnownFields
from ros_bridge.webots_protocol.known_nodes import MISSING, ROBOT_TAG, KnownNodes, Query, answer
from ros_bridge.webots_protocol.layout import PacketReader
from ros_bridge.webots_protocol.messages import pack
from ros_bridge.webots_protocol.requests import Call, WireDevice, nothing
from ros_bridge.webots_protocol.versions import Version

_READY, _RECORDING, _SAVING, _FAILED = range(4)
"""States of a movie."""


class SupervisorMessages:
    """The supervisor's part of one connection.

    Args:
        version: of the client.
        query: sends a query to the simulation.
        devices: of the robot, by their numbers on the wire; more may be added.

    Attributes:
        nodes, fields: that the client knows.
    """

    def __init__(self, version: Version, query: Query, devices: dict[int, WireDevice]) -> None:
        self._query = query
        self.nodes = KnownNodes(version, query, devices)
        self.fields = KnownFields(version, query, self.nodes)
        self._tracked: dict[tuple[Any, ...], tuple[int, Call]] = {}
        self._is_saving_movie = False

    # ---- incoming

    def read_message(self, name: str, values: list[Any], packet: PacketReader) -> Call | None:
        """Return the request in a message; None: it only changes what is sent from now on.

        Args:
            name: of the message.
            values: its fields, if they are regular.
            packet: contains them if not.

        Raises:
            PacketError: it is not valid.
        """
        if (irregular := _IRREGULAR.get(name)) is not None:
            return irregular(self, packet)
        return _QUESTIONS[name](self, *values)

    def _read_world_save(self, packet: PacketReader) -> Call:
        file = packet.text() if packet.number("u8") else None
        return Call("world_save", (file,), lambda found: answer("world_save", found is True))

    # ---- sent periodically

    def _read_track_field(self, packet: PacketReader) -> None:
        node, field, is_inside, is_on = packet.take(struct.Struct("<iiBB"))
        self._track(packet, is_on, self.fields.value_request(node, MISSING, field, bool(is_inside), None))

    def _read_track_pose(self, packet: PacketReader) -> None:
        other, node, is_on = packet.take(struct.Struct("<iiB"))
        self._track(packet, is_on, self.pose_request(other, node))

    def _read_track_contacts(self, packet: PacketReader) -> None:
        node, descendants, is_on = packet.take(struct.Struct("<iBB"))
        self._track(packet, is_on, self.contacts(node, descendants))

    def _track(self, packet: PacketReader, is_on: int, call: Call) -> None:
        key = (call.name, *call.arguments)
        if is_on:
            self._tracked[key] = (max(1, packet.number("i32")), call)
        else:
            self._tracked.pop(key, None)

    def tracked(self, before_ns: int, now_ns: int) -> bytes:
        """Return the values sent periodically, at the first step after each multiple of their periods."""
        return b"".join(
            call.pack(self._query(call.name, *call.arguments))
            for period, call in self._tracked.values()
            if now_ns // (period * 1_000_000) != before_ns // (period * 1_000_000)
        )

    # ---- nodes

    def pose_request(self, other: int, node: int) -> Call:
        """Return the request for a node's pose in another node's frame."""

        def pack_found(found: Any) -> bytes:
            return b"" if found is None else answer("pose", other, node, found)

        return Call("node_pose", (node, other or None), pack_found)

    def contacts(self, node: int, descendants: int) -> Call:
        """Return the request for a solid's contacts."""

        def pack_found(found: Any) -> bytes:
            points = found or []
            head = ROBOT_TAG + pack("Supervisor", "contacts")
            head += struct.pack("<iBi", node, descendants, len(points))
            return head + b"".join(struct.pack("<3di", *each) for each in points)

        return Call("node_contacts", (node, bool(descendants)), pack_found)

    def change_messages(self) -> bytes:
        """Return messages about changes of nodes and fields that the client knows."""
        return self.nodes.change_messages() + self.fields.change_messages()

    def _mode_answer(self) -> bytes:
        mode = self._query("get_mode")
        return b"" if mode is None else ROBOT_TAG + pack("Robot", "mode", mode)

    # ---- recordings

    def _movie_started(self, found: Any) -> bytes:
        has_failed = self._query("movie_failed")
        return answer("movie", _FAILED if has_failed else _RECORDING)

    def _movie_stopped(self, found: Any) -> bytes:
        self._is_saving_movie = True
        return self.movie()

    def movie(self) -> bytes:
        """Return the state of a movie being saved; empty: there is none."""
        if not self._is_saving_movie:
            return b""
        self._is_saving_movie = not self._query("movie_is_ready")
        if self._is_saving_movie:
            return answer("movie", _SAVING)
        return answer("movie", _FAILED if self._query("movie_failed") else _READY)


def _done(name: str) -> Callable[[Any], bytes]:
    """Return a function that answers whether something was done."""
    return lambda found: answer(name, bool(found))


def _numbers(name: str) -> Callable[[Any], bytes]:
    """Return a function that answers with numbers; if refused with nothing, which the client reads as NaN."""
    return lambda found: b"" if found is None else answer(name, found)


def _proto_answer(found: Any) -> bytes:
    if found is None:
        return answer("proto", MISSING, 0, 0, "")
    return answer("proto", found["level"], found["derived"], found["fields"], found["type"])


Irregular = Callable[..., Call | None]
_IRREGULAR: dict[str, Irregular] = {
    "field_by_name": lambda own, packet: own.fields.by_name(packet),
    "field_by_place": lambda own, packet: own.fields.by_place(packet),
    "field_get": lambda own, packet: own.fields.get(packet),
    "field_set": lambda own, packet: own.fields.set_request(packet),
    "field_insert": lambda own, packet: own.fields.insert(packet),
    "world_save": SupervisorMessages._read_world_save,
    "track_field": SupervisorMessages._read_track_field,
    "track_pose": SupervisorMessages._read_track_pose,
    "track_contacts": SupervisorMessages._read_track_contacts,
}
"""Messages whose fields depend on others, by name."""

_QUESTIONS: dict[str, Callable[..., Call]] = {
    "export_image": lambda own, quality, file: Call("export_image", (file, quality), nothing),
    "world_load": lambda own, file: Call("world_load", (file,), nothing),
    "world_reload": lambda own: Call("world_load", (None,), nothing),
    "label": lambda own, number, x, y, size, color, shown, font: Call(
        "label", (number, shown, x, y, size, color & 0xFFFFFF, (color >> 24) / 255.0, font), nothing
    ),
    "quit": lambda own, status: Call("quit", (status,), nothing),
    "reset": lambda own: Call("reset", (), nothing),
    "set_mode": lambda own, mode: Call(
        "set_mode", (mode,), lambda found: own._mode_answer()
    ),
    "reset_physics": lambda own: Call("reset_physics", (), nothing),
    "movie_start": lambda own, width, height, codec, quality, acceleration, caption, file: Call(
        "movie_start", (file, [width, height], quality, float(acceleration)), own._movie_started
    ),
    "movie_stop": lambda own: Call("movie_stop", (), own._movie_stopped),
    "animation_start": lambda own, file: Call("animation_start", (file,), _done("animation_start")),
    "animation_stop": lambda own: Call("animation_stop", (), _done("animation_stop")),
    "field_remove": lambda own, node, field, at: Call("field_remove_at", (node, field, at), nothing),
    "field_count": lambda own, node, base: Call(
        "field_names", (node, bool(base)), lambda found: answer("field_count", len(found or ()))
    ),
    "set_velocity": lambda own, node, velocity: Call("node_set_velocity", (node, velocity), nothing),
    "node_reset_physics": lambda own, node: Call("node_reset_physics", (node,), nothing),
    "restart_controller": lambda own, node: Call("node_restart_controller", (node,), nothing),
    "set_visibility": lambda own, node, viewer, is_visible: Call(
        "node_set_visibility", (node, viewer, bool(is_visible)), nothing
    ),
    "move_viewpoint": lambda own, node: Call("node_move_viewpoint", (node,), nothing),
    "add_force": lambda own, node, force, relative: Call(
        "node_add_force", (node, force, None, bool(relative)), nothing
    ),
    "add_force_at": lambda own, node, force, offset, relative: Call(
        "node_add_force", (node, force, offset, bool(relative)), nothing
    ),
    "add_torque": lambda own, node, torque, relative: Call(
        "node_add_torque", (node, torque, bool(relative)), nothing
    ),
    "save_state": lambda own, node, name: Call("node_save_state", (node, name), nothing),
    "load_state": lambda own, node, name: Call("node_load_state", (node, name), nothing),
    "set_joint_position": lambda own, node, position, axis: Call(
        "node_set_joint_position", (node, position, axis), nothing
    ),
    "node_text": lambda own, node: Call(
        "node_text", (node,), lambda found: answer("node_text", found or "")
    ),
    "proto": lambda own, node, level: Call("proto_about", (node, level + 1), _proto_answer),
    "node_by_id": lambda own, node: Call(
        "node_from_id", (node,), lambda found: own.nodes.pack_node("node_by_id", found)
    ),
    "node_by_def": lambda own, name, proto: own.nodes.by_def(name, proto),
    "node_by_tag": lambda own, tag: own.nodes.by_tag(tag),
    "node_selected": lambda own: Call(
        "node_root", (), lambda found: own.nodes.pack_node("node_selected", None)
    ),
    "position": lambda own, node: Call(
        "node_pose", (node, None),
        lambda found: b"" if found is None else answer("position", found[3:12:4]),
    ),
    "orientation": lambda own, node: Call(
        "node_pose", (node, None),
        lambda found: b"" if found is None
        else answer("orientation", [*found[0:3], *found[4:7], *found[8:11]]),
    ),
    "pose": lambda own, other, node: own.pose(other, node),
    "centre_of_mass": lambda own, node: Call(
        "node_centre_of_mass", (node,), _numbers("centre_of_mass")
    ),
    "contacts": lambda own, node, descendants: own.contacts(node, descendants),
    "static_balance": lambda own, node: Call(
        "node_static_balance", (node,), _done("static_balance")
    ),
    "velocity": lambda own, node: Call("node_velocity", (node,), _numbers("velocity")),
    "node_remove": lambda own, node: Call("node_remove", (node,), nothing),
    "headset": lambda own: Call("node_root", (), lambda found: answer("headset", 0)),
    "headset_position": lambda own: Call(
        "node_root", (), lambda found: answer("headset_position", [0.0] * 3)
    ),
    "headset_orientation": lambda own: Call(
        "node_root", (), lambda found: answer("headset_orientation", [1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0])
    ),
}  # fmt: skip
"""Requests for messages, by name."""
