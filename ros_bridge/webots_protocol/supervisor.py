"""What supervisors ask and tell, as questions of `controller_api.supervise`, and their answers.

libController keeps what it has been told: nodes by number and DEF, fields with the count of their values.
What changes of it, by whomever, is told with the next answer.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ros_bridge.webots_protocol.layout import Layout, PacketError, PacketReader, text
from ros_bridge.webots_protocol.messages import OLD_FIELD, pack
from ros_bridge.webots_protocol.requests import Call, WireDevice
from ros_bridge.webots_protocol.versions import Version
from webots_api.controller.constants import FIELDS

ROBOT_TAG = bytes(2)
NOBODY = -1
_TYPES = {number: name for name, number in FIELDS.items()}
_VALUES = {
    "Bool": Layout("value:u8"),
    "Int32": Layout("value:i32"),
    "Float": Layout("value:f64"),
    "Vec2f": Layout("value:2f64"),
    "Vec3f": Layout("value:3f64"),
    "Rotation": Layout("value:4f64"),
    "Color": Layout("value:3f64"),
    "String": Layout("value:z"),
    "Node": Layout("value:z"),
}
"""Of one value of a field, by its type without SF or MF; a node comes as text."""
_FIELD_PLACE = Layout("node:u32 level:i32 field:u32 is_inside:u8")
_OLD_FIELD_PLACE = Layout("node:u32 field:u32 is_inside:u8")
_READY, _RECORDING, _SAVING, _FAILED = range(4)
"""States of a movie."""

Peek = Callable[..., Any]
"""Asks a question that changes nothing, at once; None: it was refused."""


def answer(name: str, *values: Any) -> bytes:
    """A message of a supervisor with its tag."""
    return ROBOT_TAG + pack("Supervisor", name, *values)


def nothing(found: Any) -> bytes:
    """No message."""
    return b""


class SupervisorMessages:
    """The supervisor's part of one connection.

    Args:
        version: of the client.
        peek: asks the simulation.
        devices: those of the robot, by their numbers on the wire; more may come.
    """

    def __init__(self, version: Version, peek: Peek, devices: dict[int, WireDevice]) -> None:
        self._version, self._peek, self._devices = version, peek, devices
        self._defs: dict[int, str] = {}
        self._bodies: dict[int, int | None] = {}
        self._counts: dict[tuple[int, str], int] = {}
        self._types: dict[tuple[int, int, int, bool], str] = {}
        self._tracked: dict[tuple[Any, ...], tuple[int, Call]] = {}
        self._is_saving_movie = False

    # ---- what comes

    def read(self, name: str, values: list[Any], packet: PacketReader) -> Call | None:
        """The question that a message is; None: it only says what to tell from now on.

        Args:
            name: of the message.
            values: its fields, as far as they are regular.
            packet: where the others stand.

        Raises:
            PacketError: it is not understood.
        """
        if (irregular := _IRREGULAR.get(name)) is not None:
            return irregular(self, packet, *values)
        return _QUESTIONS[name](self, *values)

    def _field_by(self, name: str, node: int, level: int, which: str | int, base: int) -> Call:
        """A field by its name or its place."""

        def told(found: Any) -> bytes:
            if found is None:
                missing = (NOBODY, 0, 0, NOBODY)
                return self._field_told(name, *missing, NOBODY, NOBODY, "")
            is_inside = bool(base) or level >= 0
            self._types[node, level, found["place"], is_inside] = found["type"]
            if level < 0 and found["count"] >= 0:
                self._counts[node, found["name"]] = found["count"]
            actual = found["actual"] or (NOBODY, NOBODY)
            fixed = (found["place"], FIELDS[found["type"]], is_inside, found["count"])
            return self._field_told(name, *fixed, *actual, found["name"])

        return Call("field_about", (node, level, which, bool(base)), told)

    def _field_told(self, name: str, *values: Any) -> bytes:
        if self._version.has_levels:
            return answer(name, *values)
        number = pack("Supervisor", name, *values)[:1]
        return ROBOT_TAG + number + OLD_FIELD.pack(*values[:4], values[6])

    def _read_field_by_name(self, packet: PacketReader) -> Call:
        node, level = self._node_and_level(packet)
        which = packet.text()
        return self._field_by("field_by_name", node, level, which, packet.number("u8"))

    def _read_field_by_place(self, packet: PacketReader) -> Call:
        node, level = self._node_and_level(packet)
        which = packet.number("u32")
        return self._field_by("field_by_place", node, level, which, packet.number("u8"))

    def _node_and_level(self, packet: PacketReader) -> tuple[int, int]:
        """Older clients know no levels of PROTO."""
        node = packet.number("u32")
        return node, packet.number("i32") if self._version.has_levels else NOBODY

    def _read_field_get(self, packet: PacketReader) -> Call:
        """A value has a place only in a field of several, which the client has been told."""
        if self._version.has_levels:
            node, level, field, is_inside = _FIELD_PLACE.read(packet)
        else:
            node, field, is_inside = _OLD_FIELD_PLACE.read(packet)
            level = NOBODY
        kind = self._type(node, level, field, bool(is_inside))
        at = packet.number("u32") if kind.startswith("MF") else None
        return self._get(node, level, field, bool(is_inside), at)

    def _type(self, node: int, level: int, field: int, is_inside: bool) -> str:
        kind = self._types.get((node, level, field, is_inside))
        if kind is None:
            raise PacketError(f"found field {field} of node {node}, which the client has not asked for")
        return kind

    def _get(self, node: int, level: int, field: int, is_inside: bool, at: int | None) -> Call:
        def told(found: Any) -> bytes:
            head = ROBOT_TAG + pack("Supervisor", "field_get")
            if found is None:
                return head + struct.pack("<i", 0)
            place = (node, level, field) if self._version.has_levels else (node, field)
            head += struct.pack(f"<{1 + len(place)}i", FIELDS[found["type"]], *place)
            kind = found["type"][2:]
            if kind == "Node":
                return head + self._node_value(found["value"])
            return head + _VALUES[kind].pack(found["value"])

        return Call("field_value", (node, level, field, is_inside, at), told)

    def _node_value(self, told: dict[str, Any] | None) -> bytes:
        about = None if told is None else self._about(told["id"])
        if about is None:
            return bytes(4)
        *numbers, _, type_name, def_name = about
        return struct.pack("<IIiIB", *numbers) + text(type_name) + text(def_name)

    def _read_field_set(self, packet: PacketReader) -> Call:
        node, field, number, at = packet.take(struct.Struct("<IIIi"))
        kind = _TYPES.get(number, "")
        if kind != self._type(node, NOBODY, field, False) or kind.endswith("Node"):
            raise PacketError(f"found a value of type {number} for field {field} of node {node}")
        value = _plain(kind, _VALUES[kind[2:]].read(packet)[0])
        return Call("field_set_at", (node, field, at if kind.startswith("MF") else None, value), nothing)

    def _read_field_insert(self, packet: PacketReader) -> Call:
        node, field, at = packet.take(struct.Struct("<IIi"))
        kind = self._type(node, NOBODY, field, False)
        value = _plain(kind, _VALUES[kind[2:]].read(packet)[0])

        def told(found: Any) -> bytes:
            if kind != "SFNode":
                return b""
            now = self._peek("field_value", node, NOBODY, field, False, None)
            made = None if now is None else now["value"]
            return answer("field_insert", NOBODY if made is None else made["id"])

        return Call("field_insert_at", (node, field, at, value), told)

    def _read_world_save(self, packet: PacketReader, is_named: int) -> Call:
        file = packet.text() if is_named else None
        return Call("world_save", (file,), lambda found: answer("world_save", found is True))

    # ---- what is told by periods

    def _read_track_field(self, packet: PacketReader) -> None:
        node, field, is_inside, is_on = packet.take(struct.Struct("<iiBB"))
        self._track(packet, is_on, self._get(node, NOBODY, field, bool(is_inside), None))

    def _read_track_pose(self, packet: PacketReader) -> None:
        other, node, is_on = packet.take(struct.Struct("<iiB"))
        self._track(packet, is_on, self.pose(other, node))

    def _read_track_contacts(self, packet: PacketReader) -> None:
        node, descendants, is_on = packet.take(struct.Struct("<IBB"))
        self._track(packet, is_on, self.contacts(node, descendants))

    def _track(self, packet: PacketReader, is_on: int, call: Call) -> None:
        key = (call.name, *call.arguments)
        if is_on:
            self._tracked[key] = (max(1, packet.number("i32")), call)
        else:
            self._tracked.pop(key, None)

    def tracked(self, before_ns: int, now_ns: int) -> bytes:
        """The values that are told by a period, at the first step behind each of its multiples."""
        return b"".join(
            call.pack(self._peek(call.name, *call.arguments))
            for period, call in self._tracked.values()
            if now_ns // (period * 1_000_000) != before_ns // (period * 1_000_000)
        )

    # ---- nodes

    def introduce(self, node: int) -> bytes:
        """The message of the start: the supervisor's own node."""
        about = self._about(node)
        if about is None:
            return b""
        number, _, _, parent, is_proto, is_inside, type_name, def_name = about
        head = struct.pack("<HBIIBB", 0, 0, number, parent, is_proto, is_inside)
        return head + text(type_name) + text(def_name)

    def _about(self, node: int) -> tuple[Any, ...] | None:
        """What a node is, as the fields of `node_by_id`; it is known to the client from now on."""
        told = self._peek("node_about", node)
        if told is None:
            return None
        self._defs[node] = told["def"]
        self._bodies[node] = told["body"]
        index = told["device"]
        tag = next((each.tag for each in self._devices.values() if each.index == index), NOBODY)
        kind = self._version.node_number(told["base"])
        flags = (told["body"] is not None, told["is_inside"])
        return (node, kind, tag, told["parent"], *flags, told["type"], told["def"])

    def _index(self, tag: int) -> int:
        """The number of a device in the simulation."""
        device = self._devices.get(tag)
        return NOBODY if device is None else device.index

    def _node_told(self, name: str, found: Any) -> bytes:
        about = None if found is None else self._about(found["id"])
        if about is None and name == "node_by_id":
            return b""
        return answer(name, *(about or (0, 0, NOBODY, 0, 0, 0, "", "")))

    def _node_by_def(self, name: str, proto: int) -> Call:
        def told(found: Any) -> bytes:
            about = None if found is None else self._about(found["id"])
            number, kind, tag, parent, is_proto, _, type_name, _ = about or (0, 0, NOBODY, 0, 0, 0, "", "")
            return answer("node_by_def", number, kind, tag, parent, is_proto, type_name)

        if proto > 0:
            return Call("node_from_proto_def", (proto, name), told)
        return Call("node_from_def", (name,), told)

    def pose(self, other: int, node: int) -> Call:
        """Where a node is, in another one's frame."""

        def told(found: Any) -> bytes:
            return b"" if found is None else answer("pose", other, node, found)

        return Call("node_pose", (node, other or None), told)

    def contacts(self, node: int, descendants: int) -> Call:
        """What a solid touches."""

        def told(found: Any) -> bytes:
            points = found or []
            head = ROBOT_TAG + pack("Supervisor", "contacts")
            head += struct.pack("<iBi", node, descendants, len(points))
            return head + b"".join(struct.pack("<3di", *each) for each in points)

        return Call("node_contacts", (node, bool(descendants)), told)

    # ---- what has changed

    def changes(self) -> bytes:
        """Nodes that went or have another DEF, bodies that were made anew, other counts of fields."""
        told = b""
        anew = False
        for node, def_name in list(self._defs.items()):
            about = self._peek("node_about", node)
            if about is None:
                told += answer("node_remove", node)
                del self._defs[node], self._bodies[node]
            elif about["def"] != def_name:
                told += self._node_told("node_by_id", about)
            elif about["body"] != self._bodies[node]:
                self._bodies[node] = about["body"]
                anew = True
        for (node, name), count in list(self._counts.items()):
            about = self._peek("field_about", node, NOBODY, name, False)
            if about is None:
                del self._counts[node, name]
            elif about["count"] != count:
                self._counts[node, name] = about["count"]
                told += answer("count_changed", node, name, about["count"])
        return answer("bodies_made_anew") + told if anew else told

    # ---- recordings

    def _movie_started(self, found: Any) -> bytes:
        has_failed = self._peek("movie_failed")
        return answer("movie", _FAILED if has_failed else _RECORDING)

    def _movie_stopped(self, found: Any) -> bytes:
        self._is_saving_movie = True
        return self.movie()

    def movie(self) -> bytes:
        """How far a movie is that is being saved; nothing: there is none."""
        if not self._is_saving_movie:
            return b""
        self._is_saving_movie = not self._peek("movie_is_ready")
        if self._is_saving_movie:
            return answer("movie", _SAVING)
        return answer("movie", _FAILED if self._peek("movie_failed") else _READY)


def _plain(kind: str, value: Any) -> Any:
    """A value as a field takes it."""
    if kind.endswith("Bool"):
        return bool(value)
    return list(value) if isinstance(value, tuple) else value


def _done(name: str) -> Callable[[Any], bytes]:
    """Answers whether something was done."""
    return lambda found: answer(name, bool(found))


def _numbers(name: str) -> Callable[[Any], bytes]:
    """Answers with numbers; refused: with nothing, which is NaN to the client."""
    return lambda found: b"" if found is None else answer(name, found)


def _proto_told(found: Any) -> bytes:
    if found is None:
        return answer("proto", NOBODY, 0, 0, "")
    return answer("proto", found["level"], found["derived"], found["fields"], found["type"])


Irregular = Callable[..., Call | None]
_IRREGULAR: dict[str, Irregular] = {
    "field_by_name": SupervisorMessages._read_field_by_name,
    "field_by_place": SupervisorMessages._read_field_by_place,
    "field_get": SupervisorMessages._read_field_get,
    "field_set": SupervisorMessages._read_field_set,
    "field_insert": SupervisorMessages._read_field_insert,
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
        "set_mode", (mode,), lambda found: ROBOT_TAG + pack("Robot", "mode", own._peek("get_mode"))
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
    "proto": lambda own, node, level: Call("proto_about", (node, level + 1), _proto_told),
    "node_by_id": lambda own, node: Call(
        "node_from_id", (node,), lambda found: own._node_told("node_by_id", found)
    ),
    "node_by_def": SupervisorMessages._node_by_def,
    "node_by_tag": lambda own, tag: Call(
        "node_from_device", (own._index(tag),), lambda found: own._node_told("node_by_tag", found)
    ),
    "node_selected": lambda own: Call(
        "node_root", (), lambda found: own._node_told("node_selected", None)
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
"""The questions that messages are, by name."""
