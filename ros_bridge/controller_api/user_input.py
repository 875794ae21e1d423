"""Input of the user for controllers: pressed keys, mouse and joystick, received on topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sensor_msgs.msg import Joy
from std_msgs.msg import Int32MultiArray

from ros_bridge.topics import names
from sim_core.base.turns import Turn, inverse, turned
from webots_api.controller.user_input import JOYSTICK, KEYS, MOUSE

AXIS_RANGE = 32767
"""Largest value of a joystick's axis in Webots. `joy_node` scales axes to ±1, and reverses them."""
MOUSE_BUTTONS, MOUSE_AXES = 3, 5


class InputTopic(NamedTuple):
    """Topic of one kind of input.

    Attributes:
        name: of the topic.
        kind: its message type.
        read: converts a message to the value that controllers are sent.
    """

    name: str
    kind: Any
    read: Callable[[Any], Any]


def _keys(message: Any) -> list[int]:
    """Return the codes of the pressed keys, in Webots' numbering."""
    return [int(code) for code in message.data if code >= 0]


def _mouse(message: Any) -> list[float | None]:
    """Return three buttons (0 or 1), u and v in the picture, and x, y, z in the world (m); None: unknown."""
    buttons = [*message.buttons, 0, 0, 0][:MOUSE_BUTTONS]
    axes = [*message.axes, *[float("nan")] * MOUSE_AXES][:MOUSE_AXES]
    return [*(int(each != 0) for each in buttons), *(each if each == each else None for each in axes)]


def _joystick(message: Any) -> dict[str, Any]:
    """Return the indices of the pressed buttons and the values of the axes, in Webots' ranges."""
    limits = -AXIS_RANGE - 1, AXIS_RANGE
    axes = [
        min(max(round(-AXIS_RANGE * each), limits[0]), limits[1]) if each == each else 0
        for each in message.axes
    ]
    pressed = [index for index, is_pressed in enumerate(message.buttons) if is_pressed]
    return {"buttons": pressed, "axes": axes, "povs": [], "button_count": len(message.buttons)}


TOPICS = {
    KEYS: InputTopic(names.KEYBOARD, Int32MultiArray, _keys),
    MOUSE: InputTopic(names.MOUSE, Joy, _mouse),
    JOYSTICK: InputTopic(names.JOYSTICK, Joy, _joystick),
}


def input_in_file(kind: str, value: Any, world: Turn) -> Any:
    """Return the value of one kind of input with the point of a mouse in the axes of the world's file.

    Args:
        kind: `KEYS`, `MOUSE` or `JOYSTICK`.
        value: as in `NO_INPUT`, the point in ENU.
        world: turn from the axes of the file to ENU.
    """
    if kind != MOUSE or None in value[5:]:
        return value
    return [*value[:5], *turned(inverse(world), value[5:])]


def subscribe(
    node: Any, put: Callable[[Callable[[], Any]], None], kind: str, receive: Callable[[str, Any], object]
) -> Any:
    """Subscribe to one kind of input.

    Args:
        node: the node.
        put: executes a function in the thread of the simulation.
        kind: `KEYS`, `MOUSE` or `JOYSTICK`.
        receive: called with the kind and the value.
    """
    topic = TOPICS[kind]

    def take(message: Any) -> None:
        value = topic.read(message)
        put(lambda: receive(kind, value))

    return node.create_subscription(topic.kind, names.graph_name(node, topic.name), take, 10)
