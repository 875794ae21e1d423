"""Commands of controllers to devices, by the type of the device's node."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sim_core.base.errors import CommandError

Command = Callable[..., str | None]


class MotorTarget:
    """Webots' rule of what a motor does: a position and a velocity, each of which stays until set again.

    A finite position is gone to at the velocity's magnitude; with an infinite one of either sign it turns at
    the velocity. Until a position is set it stays where it is. A torque counts until the next position.
    """

    def __init__(self, motor: Any) -> None:
        self._motor = motor
        self._position: float | None = None
        self._velocity: float = motor.max_velocity
        self._is_torque = False

    def position(self, position: float) -> str | None:
        """Go there, or, infinite, turn at the velocity."""
        self._position = float(position)
        self._is_torque = False
        return self._apply()

    def velocity(self, velocity: float) -> str | None:
        """The velocity, or the speed on the way."""
        motor = self._motor
        message = None
        if abs(velocity) > motor.max_velocity:
            message = f"velocity {velocity:g} is past the limit {motor.max_velocity:g}, clamped"
        self._velocity = max(-motor.max_velocity, min(motor.max_velocity, float(velocity)))
        return message if self._is_torque else self._apply() or message

    def effort(self, effort: float) -> str | None:
        """A torque or force until the next position."""
        message: str | None = self._motor.set_effort(effort)
        self._is_torque = True
        return message

    def _apply(self) -> str | None:
        motor = self._motor
        message: str | None
        if self._position is None:
            message = None
        elif math.isinf(self._position):
            message = motor.set_velocity(self._velocity)
        else:
            message = motor.set_position(self._position, abs(self._velocity))
        return message


def motor_commands(motor: Any) -> dict[str, Command]:
    """The commands of one motor."""
    target = MotorTarget(motor)
    return {
        "position": target.position,
        "velocity": target.velocity,
        "effort": target.effort,
        "available": motor.set_available_effort,
        "acceleration": motor.set_acceleration,
        "pid": motor.set_control_pid,
    }


def display_commands(display: Any, folder: Path, picture_of: Callable[[int], Any]) -> dict[str, Command]:
    """The commands of one display; images have numbers that the controller chooses."""
    canvas = display.canvas
    images: dict[int, Any] = {}

    def image(number: int) -> Any:
        found = images.get(number)
        if found is None:
            raise CommandError(f"no image {number}, it was deleted or could not be made")
        return found

    def new(number: int, data: bytes, width: int, height: int, form: str) -> None:
        images[number] = canvas.image_new(data, width, height, form)

    def load(number: int, file: str) -> None:
        images[number] = canvas.image_load(folder / file)

    def copy(number: int, x: int, y: int, width: int, height: int) -> None:
        images[number] = canvas.image_copy(x, y, width, height)

    def paste(number: int, x: int, y: int, blend: bool) -> None:
        canvas.image_paste(image(number), x, y, blend)

    def save(number: int | None, file: str) -> None:
        canvas.image_save(folder / file, None if number is None else image(number))

    def attach(tag: int | None) -> None:
        if tag is None:
            display.detach_camera()
        else:
            display.attach_camera(picture_of(tag).name)

    drawing = (
        "set_color set_alpha set_opacity set_font draw_pixel draw_line draw_rectangle fill_rectangle "
        "draw_oval fill_oval draw_polygon fill_polygon draw_text"
    )
    return {
        **{name: getattr(canvas, name) for name in drawing.split()},
        "image_new": new,
        "image_load": load,
        "image_copy": copy,
        "image_paste": paste,
        "image_save": save,
        "image_delete": lambda number: images.pop(number, None) and None,
        "attach": attach,
    }


def simple_commands(device: Any) -> dict[str, Command]:
    """The commands of devices whose methods are called as they are."""
    kind = device.node.type_name
    if kind == "LED":
        return {"set": device.set}
    if kind == "Pen":
        return {"write": device.write, "ink": lambda color, density: device.set_ink(_colour(color), density)}
    if kind == "Brake":
        return {"damping": device.set_damping}
    if kind == "Emitter":
        return {
            "send": lambda data: None if device.send(data) else "a packet found no room in the buffer",
            "channel": device.set_channel,
            "range": device.set_range,
        }
    if kind == "Receiver":
        return {"channel": device.set_channel}
    if kind == "Speaker":
        return {"play": device.play, "stop": device.stop}
    if kind == "Connector":
        return {"lock": device.lock, "unlock": device.unlock}
    if kind == "VacuumGripper":
        return {"on": device.turn_on, "off": device.turn_off}
    if kind == "Camera":
        return {
            "fov": device.set_fov,
            "exposure": device.set_exposure,
            "focal_distance": device.set_focal_distance,
        }
    if kind == "Lidar":
        return {"frequency": device.set_frequency}
    if kind == "DifferentialWheels":
        return {
            "speed": device.set_speed,
            "encoders": device.set_encoders,
        }
    return {}


def _colour(number: int) -> tuple[float, float, float]:
    return (number >> 16 & 255) / 255.0, (number >> 8 & 255) / 255.0, (number & 255) / 255.0
