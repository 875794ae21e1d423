"""The messages of Webots' protocol as a table, from which codec and reference page are made.

A message consists of the number of its device (`tag` 0 is the robot and its supervisor), a number of its own,
and fields. Numbers are used again for other devices and in the other direction. Fields that depend on others,
or on the client's version, are written as `count × (…)` or `[…]`; such a message is read and packed by the
module that uses it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ros_bridge.webots_protocol.layout import FieldLayout


@dataclass(frozen=True)
class Message:
    """One message.

    Attributes:
        device: node type of the device, `Robot`, or `Supervisor`; both of these have tag 0.
        number: first byte.
        name: of the message; for devices the command that it is converted to.
        fields: in the syntax of `FieldLayout`; irregular ones contain `×` or `[`.
    """

    device: str
    number: int
    name: str
    fields: str = ""

    @cached_property
    def layout(self) -> FieldLayout:
        """Layout of the fields; empty if code reads and packs them."""
        is_flat = not set("×[") & set(self.fields)
        return FieldLayout(self.fields if is_flat else "")


SENSORS = (
    "Accelerometer", "Altimeter", "Camera", "Compass", "Connector", "DistanceSensor", "GPS", "Gyro",
    "InertialUnit", "Lidar", "LightSensor", "Microphone", "PositionSensor", "Radar", "RangeFinder",
    "Receiver", "TouchSensor", "VacuumGripper",
)  # fmt: skip
MOTORS = ("LinearMotor", "RotationalMotor")
_ABOUT = "node:i32 type:u32 tag:i32 parent:u32 is_proto:u8 is_inside:u8 type_name:z def:z"
_FIELD = "field:i32 type:i32 is_inside:u8 count:i32 actual_node:i32 actual_field:i32 name:z"
_SOUND = "name:z16 volume:f64 pitch:f64 balance:f64 side:u16 loop:u8"
_POINTS = "count:i16 [count × x:i32] [count × y:i32]"

FROM_CONTROLLER: tuple[Message, ...] = (
    *(Message(each, 1, "enable", "period:u16") for each in SENSORS),
    *(
        message
        for each in MOTORS
        for message in (
            Message(each, 1, "set_webots_position", "position:f64"),
            Message(each, 2, "set_webots_velocity", "velocity:f64"),
            Message(each, 3, "set_available_effort", "effort:f64"),
            Message(each, 4, "set_webots_effort", "effort:f64"),
            Message(each, 5, "feedback", "period:u16"),
            Message(each, 6, "set_acceleration", "acceleration:f64"),
            Message(each, 7, "set_control_pid", "p:f64 i:f64 d:f64"),
            Message(each, 8, "neighbour", "type:u16"),
        )
    ),
    Message("Brake", 2, "set_damping", "constant:f64"),
    Message("Brake", 4, "neighbour", "type:u16"),
    Message("PositionSensor", 2, "neighbour", "type:u16"),
    Message("LED", 1, "set", "value:i32"),
    Message("Pen", 1, "write"),
    Message("Pen", 2, "write_not"),
    Message("Pen", 4, "set_ink", "colour:3u8 density:f64"),
    Message("Connector", 2, "lock"),
    Message("Connector", 3, "unlock"),
    Message("VacuumGripper", 2, "turn_on"),
    Message("VacuumGripper", 3, "turn_off"),
    Message("Emitter", 0, "send", "channel:i32 range:f64 data:bytes"),
    Message("Emitter", 1, "set_channel", "channel:i32"),
    Message("Emitter", 2, "set_range", "range:f64"),
    Message("Receiver", 2, "set_channel", "channel:i32"),
    Message("Camera", 4, "set_fov", "fov:f64"),
    Message("Camera", 5, "set_focal_distance", "distance:f64"),
    Message("Camera", 6, "set_exposure", "exposure:f64"),
    Message("Camera", 10, "recognition", "period:u16"),
    Message("Camera", 11, "segmentation", "is_on:u8"),
    Message("RangeFinder", 4, "set_fov", "fov:f64"),
    Message("Lidar", 16, "set_frequency", "frequency:f64"),
    Message("Lidar", 17, "cloud_on"),
    Message("Lidar", 18, "cloud_off"),
    Message("Display", 16, "set_color", "color:i32"),
    Message("Display", 17, "set_alpha", "alpha:u8"),
    Message("Display", 18, "set_opacity", "opacity:u8"),
    Message("Display", 19, "set_font", "size:u32 smooth:u8 name:z16"),
    Message("Display", 20, "attach_camera", "camera:u16"),
    Message("Display", 21, "detach_camera"),
    Message("Display", 32, "draw_pixel", _POINTS),
    Message("Display", 33, "draw_line", _POINTS),
    Message("Display", 34, "draw_text", f"{_POINTS} text:z"),
    Message("Display", 35, "rectangle", f"{_POINTS} fill:u8"),
    Message("Display", 36, "oval", f"{_POINTS} fill:u8"),
    Message("Display", 37, "polygon", f"{_POINTS} fill:u8"),
    Message("Display", 64, "image_copy", "image:i32 x:i16 y:i16 width:i16 height:i16"),
    Message("Display", 65, "image_paste", "image:i32 x:i16 y:i16 blend:u8"),
    Message("Display", 66, "image_save", "image:i32"),
    Message("Display", 67, "image_new", "image:i32 width:i16 height:i16 format:u8 [pixels]"),
    Message("Display", 68, "image_delete", "image:i32"),
    Message("Display", 69, "image_all"),
    Message("Speaker", 1, "play", f"count:i32 count × ({_SOUND}), data:bytes for each sound known"),
    Message("Speaker", 2, "stop", "count:u16 count × (name:z16)"),
    Message("Speaker", 3, "engine", "name:z16"),
    Message("Speaker", 4, "language", "name:z16"),
    Message("Speaker", 5, "speak", "text:z16 volume:f64"),
    Message("Robot", 30, "console", "stream:u8 text:z32"),
    Message("Robot", 31, "battery", "period:u16"),
    Message("Robot", 32, "remote_on"),
    Message("Robot", 33, "remote_off"),
    Message("Robot", 34, "keyboard", "period:u16"),
    Message("Robot", 35, "joystick", "period:u16"),
    Message("Robot", 36, "mouse", "period:u16"),
    Message("Robot", 37, "custom", "data:z16"),
    Message("Robot", 38, "leave"),
    Message("Robot", 39, "mouse_position", "is_on:u8"),
    Message("Robot", 40, "pin", "is_on:u8"),
    Message("Robot", 41, "joystick_force", "level:u16"),
    Message("Robot", 42, "joystick_duration", "seconds:f64"),
    Message("Robot", 43, "joystick_centring", "gain:f64"),
    Message("Robot", 44, "joystick_resistance", "gain:f64"),
    Message("Robot", 45, "joystick_axis", "axis:u32"),
    Message("Robot", 46, "urdf", "prefix:z16"),
    Message("Robot", 80, "wait_for_input", "events:i32 timeout:i32"),
    Message("Robot", 81, "window", "text:bytes"),
    Message("Supervisor", 50, "export_image", "quality:u8 file:z"),
    Message("Supervisor", 51, "world_load", "file:z"),
    Message("Supervisor", 52, "world_reload"),
    Message(
        "Supervisor", 53, "label", "id:u16 x:f64 y:f64 size:f64 color:u32 text:z font:z"
    ),
    Message("Supervisor", 54, "quit", "status:i32"),
    Message("Supervisor", 55, "reset"),
    Message("Supervisor", 56, "set_mode", "mode:i32"),
    Message("Supervisor", 57, "reset_physics"),
    Message(
        "Supervisor", 58, "movie_start",
        "width:i32 height:i32 codec:u8 quality:u8 acceleration:u8 caption:u8 file:z",
    ),
    Message("Supervisor", 59, "movie_stop"),
    Message("Supervisor", 60, "animation_start", "file:z"),
    Message("Supervisor", 61, "animation_stop"),
    Message("Supervisor", 62, "field_set", "node:i32 field:i32 type:u32 place:i32 [value]"),
    Message("Supervisor", 63, "field_remove", "node:i32 field:i32 place:i32"),
    Message("Supervisor", 64, "field_by_place", "node:i32 [level:i32] place:u32 base:u8"),
    Message("Supervisor", 65, "field_count", "node:i32 base:u8"),
    Message("Supervisor", 66, "set_velocity", "node:i32 velocity:6f64"),
    Message("Supervisor", 67, "node_reset_physics", "node:i32"),
    Message("Supervisor", 68, "restart_controller", "node:i32"),
    Message("Supervisor", 69, "set_visibility", "node:i32 viewer:i32 is_visible:u8"),
    Message("Supervisor", 70, "move_viewpoint", "node:i32"),
    Message("Supervisor", 71, "add_force", "node:i32 force:3f64 relative:u8"),
    Message("Supervisor", 72, "add_force_at", "node:i32 force:3f64 offset:3f64 relative:u8"),
    Message("Supervisor", 73, "add_torque", "node:i32 torque:3f64 relative:u8"),
    Message("Supervisor", 74, "save_state", "node:i32 name:z"),
    Message("Supervisor", 75, "load_state", "node:i32 name:z"),
    Message("Supervisor", 76, "set_joint_position", "node:i32 position:f64 axis:u32"),
    Message("Supervisor", 77, "node_text", "node:i32"),
    Message("Supervisor", 78, "proto", "node:i32 level:i32"),
    Message("Supervisor", 82, "world_save", "is_named:u8 [file:z if named]"),
    Message("Supervisor", 83, "node_by_id", "node:i32"),
    Message("Supervisor", 84, "node_by_def", "name:z proto:i32"),
    Message("Supervisor", 85, "node_by_tag", "tag:i32"),
    Message("Supervisor", 86, "node_selected"),
    Message("Supervisor", 87, "field_by_name", "node:i32 [level:i32] name:z base:u8"),
    Message("Supervisor", 88, "field_get", "node:i32 [level:i32] field:i32 is_inside:u8 [place:u32 of MF]"),
    Message("Supervisor", 89, "field_insert", "node:i32 field:i32 place:i32 [value]"),
    Message("Supervisor", 90, "position", "node:i32"),
    Message("Supervisor", 91, "orientation", "node:i32"),
    Message("Supervisor", 92, "pose", "from_node:i32 node:i32"),
    Message("Supervisor", 93, "centre_of_mass", "node:i32"),
    Message("Supervisor", 94, "contacts", "node:i32 descendants:u8"),
    Message("Supervisor", 95, "static_balance", "node:i32"),
    Message("Supervisor", 96, "velocity", "node:i32"),
    Message("Supervisor", 97, "node_remove", "node:i32"),
    Message("Supervisor", 98, "headset"),
    Message("Supervisor", 99, "headset_position"),
    Message("Supervisor", 100, "headset_orientation"),
    Message("Supervisor", 101, "track_field", "node:i32 field:i32 is_inside:u8 is_on:u8 [period:i32 if on]"),
    Message("Supervisor", 102, "track_pose", "from_node:i32 node:i32 is_on:u8 [period:i32 if on]"),
    Message(
        "Supervisor", 103, "track_contacts", "node:i32 descendants:u8 is_on:u8 [period:i32 if on]"
    ),
)  # fmt: skip

TO_CONTROLLER: tuple[Message, ...] = (
    Message("Robot", 2, "quit"),
    Message("Robot", 3, "joystick_configure", "axes:i32 buttons:i32 povs:i32 model:z"),
    Message("Robot", 4, "time", "seconds:f64"),
    Message("Robot", 5, "battery", "energy:f64"),
    Message("Robot", 6, "keys", "count:u8 count × (key:i32)"),
    Message(
        "Robot", 7, "joystick",
        "pressed:i32 pressed × (button:i32) axes:i32 axes × (value:i32) povs:i32 povs × (value:i32)"
    ),
    Message("Robot", 8, "mouse", "left:u8 middle:u8 right:u8 u:f64 v:f64 x:f64 y:f64 z:f64"),
    Message("Robot", 10, "mode", "mode:i32"),
    Message("Robot", 11, "custom", "data:z"),
    Message("Robot", 12, "supervisor", "is_supervisor:u8"),
    Message("Robot", 15, "new_devices", "count:u16 count × (type:u16 name:z model:z)"),
    Message("Robot", 46, "urdf", "text:z"),
    Message("Robot", 80, "input", "event:i32"),
    Message("Robot", 81, "window", "text:bytes"),
    Message("Supervisor", 16, "animation_start", "is_done:u8"),
    Message("Supervisor", 17, "animation_stop", "is_done:u8"),
    Message("Supervisor", 18, "movie", "status:u8"),
    Message("Supervisor", 19, "bodies_made_anew"),
    Message("Supervisor", 20, "count_changed", "node:i32 field:z count:i32"),
    Message("Supervisor", 64, "field_by_place", _FIELD),
    Message("Supervisor", 65, "field_count", "count:i32"),
    Message("Supervisor", 77, "node_text", "text:z"),
    Message("Supervisor", 78, "proto", "level:i32 is_derived:u8 fields:i32 name:z"),
    Message("Supervisor", 82, "world_save", "is_done:u8"),
    Message("Supervisor", 83, "node_by_id", _ABOUT),
    Message(
        "Supervisor", 84, "node_by_def", "node:u32 type:u32 tag:i32 parent:u32 is_proto:u8 type_name:z"
    ),
    Message("Supervisor", 85, "node_by_tag", _ABOUT),
    Message("Supervisor", 86, "node_selected", _ABOUT),
    Message("Supervisor", 87, "field_by_name", _FIELD),
    Message("Supervisor", 88, "field_get", "type:i32 [node:i32 level:i32 field:i32 value]"),
    Message("Supervisor", 89, "field_insert", "node:i32"),
    Message("Supervisor", 90, "position", "position:3f64"),
    Message("Supervisor", 91, "orientation", "rows:9f64"),
    Message("Supervisor", 92, "pose", "from_node:i32 node:i32 rows:16f64"),
    Message("Supervisor", 93, "centre_of_mass", "position:3f64"),
    Message(
        "Supervisor", 94, "contacts", "node:i32 descendants:u8 count:i32 count × (position:3f64 node:i32)"
    ),
    Message("Supervisor", 95, "static_balance", "is_stable:u8"),
    Message("Supervisor", 96, "velocity", "velocity:6f64"),
    Message("Supervisor", 97, "node_remove", "node:u32"),
    Message("Supervisor", 98, "headset", "is_used:u8"),
    Message("Supervisor", 99, "headset_position", "position:3f64"),
    Message("Supervisor", 100, "headset_orientation", "rows:9f64"),
    Message("Accelerometer", 51, "reading", "values:3f64"),
    Message("Compass", 52, "reading", "values:3f64"),
    Message("Gyro", 53, "reading", "values:3f64"),
    Message("Altimeter", 1, "reading", "height:f64"),
    Message("InertialUnit", 54, "reading", "quaternion:4f64"),
    Message("GPS", 2, "reading", "position:3f64 speed:f64 velocity:3f64"),
    Message("LightSensor", 55, "reading", "value:f64"),
    Message("TouchSensor", 40, "reading", "value:f64"),
    Message("TouchSensor", 41, "force", "values:3f64"),
    Message("DistanceSensor", 50, "reading", "value:f64"),
    Message("PositionSensor", 1, "reading", "position:f64"),
    Message("PositionSensor", 2, "neighbour", "tag:u16"),
    Message("Radar", 1, "reading", "count:i32 count × (distance:f64 power:f64 speed:f64 azimuth:f64)"),
    Message("Microphone", 1, "reading", "samples:bytes"),
    Message("Connector", 1, "reading", "presence:i16"),
    Message("VacuumGripper", 1, "reading", "presence:u8"),
    Message(
        "Receiver", 1, "reading", "channel:i32 direction:3f64 strength:f64 data:bytes"
    ),
    *(
        message
        for each in MOTORS
        for message in (
            Message(each, 5, "reading", "effort:f64"),
            Message(each, 8, "neighbour", "tag:u16"),
        )
    ),
    Message("Brake", 4, "neighbour", "tag:u16"),
    *(Message(each, 8, "file", "size:i32 path:z") for each in ("Camera", "RangeFinder", "Lidar")),
    Message("Camera", 13, "segmentation_file", "size:i32 path:z"),
    Message(
        "Camera", 12, "objects",
        "count:i32 count × (node:i32 position:3f64 rotation:4f64 size:2f64 place:2i32 pixels:2i32 "
        "count:i32 count × (colour:3f64) model:z)",
    ),
    Message("Display", 66, "image", "image:i32 width:i32 height:i32 [pixels]"),
    Message("Speaker", 6, "sound_over", "name:z"),
    Message("Speaker", 7, "speech_over"),
)  # fmt: skip
"""Messages about what happens; the first answer, `configure`, is described where it is packed."""

OLD_FIELD = FieldLayout("field:i32 type:i32 is_inside:u8 count:i32 name:z")
"""Layout of a field for clients before R2025a."""
OLD_SINGLE_FIELD = FieldLayout("field:i32 type:i32 is_inside:u8 name:z")
"""Layout of a field with a single value for clients of R2022b."""

_BY_NUMBER: dict[str, dict[int, Message]] = {}
_BY_NAME: dict[tuple[str, str], Message] = {}
for _message in FROM_CONTROLLER:
    _BY_NUMBER.setdefault(_message.device, {})[_message.number] = _message
for _message in TO_CONTROLLER:
    _BY_NAME[_message.device, _message.name] = _message


def from_controller(device: str) -> dict[int, Message]:
    """Return the messages from a controller to a device, by number."""
    return _BY_NUMBER.get(device, {})


def pack(device: str, name: str, *values: object) -> bytes:
    """Return number and fields of a message to a controller."""
    message = _BY_NAME[device, name]
    return bytes((message.number,)) + message.layout.pack(*values)


def number_of(device: str, name: str) -> int:
    """Return the number of a message to a controller."""
    return _BY_NAME[device, name].number


def reference() -> str:
    """Return the table for the documentation."""
    lines = ["| device | number | from a controller | to a controller | fields |", "|---|---|---|---|---|"]
    for table, columns in ((FROM_CONTROLLER, "{0} | "), (TO_CONTROLLER, " | {0}")):
        for each in table:
            name = columns.format(f"`{each.name}`")
            fields = f"`{each.fields}`" if each.fields else ""
            lines.append(f"| {each.device} | {each.number} | {name} | {fields} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
