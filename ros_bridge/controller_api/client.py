"""One controller: what it has asked for, and what it is told."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ros_bridge.controller_api.describe import devices_of
from ros_bridge.controller_api.readings import encode
from sim_core.base.errors import CommandError, OdesimError
from sim_core.devices import Device, Sensor
from sim_core.devices.commands import File
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.motors.motor import Motor
from sim_core.devices.radio.receiver import Receiver
from sim_core.scene import Node
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

MILLISECOND = 1_000_000
NEVER = 1 << 62


class Client:
    """What a controller has asked for, and what it was told; a replay has it without the controller.

    Attributes:
        robot: which it drives.
        name: the robot's name.
        folder: where it runs: file names are relative to it.
        synchronized: the simulation waits for it.
        is_stepping: it waits in `step`; False: it computes.
        until_ns: sim time of the end of its step.
        late_ms: how much later than asked for its last step ended.
        uses_keyboard, uses_window: it wants to hear of keys, of its robot's window.
        send_to_window: takes a text for the window.
        heard_from_window: what the window has said since the last answer.
    """

    def __init__(self, sim: Simulation, robot: Robot, folder: Path) -> None:
        self.robot, self.folder = robot, folder
        self.name = robot.name
        self.synchronized = robot.synchronized
        self.is_stepping = False
        self.until_ns = sim.time_ns
        self.late_ms = 0
        self.uses_keyboard = self.uses_window = False
        self.send_to_window: Callable[[str], object] = str  # in a replay nobody is there
        self.heard_from_window: list[str] = []
        self._sim = sim
        self.devices: list[Device | Node] = devices_of(robot)
        self._waiting: list[list[Any]] = []
        self._enabled: dict[int, Sensor] = {}
        self._told: dict[int, Any] = {}
        self._packets: dict[int, list[Any]] = {}
        self._listeners: dict[int, Callable[[Any], None]] = {}
        self._clouds: set[int] = set()
        self._feedback: dict[int, _Timer] = {}
        self._battery: _Timer | None = None
        self._custom: str | None = self._custom_data()
        self.players: list[Any] = []
        for device in robot.devices.values():
            device.new_controller()

    # ---- steps

    def step(self, milliseconds: int, commands: list[list[Any]]) -> None:
        """The controller has asked to go on for so long."""
        self.keep(commands)
        now = self._sim.time_ns
        step_ns = self._sim.step_ns
        length = max(0, milliseconds) * MILLISECOND
        length = -(-length // step_ns) * step_ns
        wanted = self.until_ns + length
        self.until_ns = wanted if self.synchronized else max(wanted, now)
        self.late_ms = max(0, self.until_ns - wanted) // MILLISECOND
        self.is_stepping = True

    def keep(self, commands: list[list[Any]]) -> None:
        """Keep commands for the next step.

        Raises:
            ValueError: they are no commands.
        """
        for command in commands:
            if not (isinstance(command, list) and len(command) >= 2 and type(command[0]) is int):
                raise ValueError(f"{command!r} is no command")
        self._waiting += commands

    @property
    def waiting(self) -> list[list[Any]]:
        """Commands that are kept for the next step."""
        return self._waiting

    def with_names(self, command: list[Any]) -> list[Any]:
        """A command with the name of the device in the place of its number, for who reads a recording."""
        tag, *rest = command
        found = self.devices[tag] if 0 <= tag < len(self.devices) else None
        return [found.name if isinstance(found, Device) else tag, *rest]

    def with_numbers(self, command: list[Any]) -> list[Any]:
        """The other way round."""
        names = list(self.robot.devices)
        name, *rest = command
        return [names.index(name) if isinstance(name, str) else name, *rest]

    def carry_out(self, gate: Callable[[str, Callable[[], str | None]], None]) -> None:
        """Carry out what was kept; between two steps only."""
        waiting, self._waiting = self._waiting, []
        for tag, name, *values in waiting:
            gate(self._topic(tag), partial(self._checked, tag, name, values))

    def answer(self, keys: list[int]) -> dict[str, Any]:
        """The step has ended: what the controller is told, above all what was measured."""
        self.is_stepping = False
        told: dict[str, Any] = {
            "time": self._sim.time,
            "late": self.late_ms,
            "readings": list(self._readings()),
        }
        if self.uses_keyboard:
            told["keys"] = keys
        if self.heard_from_window:
            told["window"] = self.heard_from_window
            self.heard_from_window = []
        custom = self._custom_data()
        if custom != self._custom:
            self._custom = told["custom"] = custom
        if self._battery is not None and self.robot.battery is not None:
            if self._battery.is_due(self._sim.time_ns):
                self._battery.value = self.robot.battery.energy
            told["battery"] = self._battery.value
        return told

    def end(self) -> None:
        """The controller is gone, or shall go: its sensors are as they were."""
        for tag in list(self._enabled):
            self._disable(tag)
        for player in self.players:
            player.stop()
        self.players.clear()

    def time_is_zero(self, before_ns: int) -> None:
        """The simulation was reset at a time: the present step ends as much later as it would have."""
        self.until_ns = max(0, self.until_ns - before_ns)
        self._told.clear()
        for timer in (*self._feedback.values(), *([self._battery] if self._battery else [])):
            timer.start_ns = 0

    def device(self, tag: int) -> Device:
        """A device by its number.

        Raises:
            CommandError: there is none, or it is not simulated.
        """
        found = self.devices[tag] if 0 <= tag < len(self.devices) else None
        if not isinstance(found, Device):
            what = f'"{found["name"]}", a {found.type_name}' if found is not None else f"number {tag}"
            raise CommandError(f"{self.name}: device {what} is not simulated")
        return found

    # ---- within

    def _readings(self) -> Iterator[list[Any]]:
        now = self._sim.time_ns
        for tag, sensor in self._enabled.items():
            packets = self._packets.get(tag)
            if packets is not None:
                if packets or tag not in self._told:
                    yield [tag, list(packets)]
                    self._told[tag] = True
                    packets.clear()
                continue
            reading = sensor.reading
            if reading is not None and reading is not self._told.get(tag):
                self._told[tag] = reading
                yield [tag, encode(sensor, reading, tag in self._clouds)]
        for tag, timer in self._feedback.items():
            if timer.is_due(now):
                yield [tag, _measured(self.devices[tag])]

    def _checked(self, tag: int, name: str, values: list[Any]) -> str | None:
        """Carry out one command; whatever is wrong with it, it is refused alone."""
        try:
            return self._carry_out(tag, name, values)
        except OdesimError:
            raise
        except Exception as error:
            raise CommandError(f"{name}: {error}") from None

    def _carry_out(self, tag: int, name: str, values: list[Any]) -> str | None:
        if tag < 0:
            return self._own(name, values)
        device = self.device(tag)
        if name == "enable":
            self._enable(tag, device, int(values[0]))
        elif name == "disable":
            self._disable(tag)
        elif name == "cloud":
            (self._clouds.add if values[0] else self._clouds.discard)(tag)
        elif name == "feedback":
            self._give_feedback(tag, device, int(values[0]))
        else:
            return self._command(device, name, values)
        return None

    def _command(self, device: Device, name: str, values: list[Any]) -> str | None:
        """One of the commands that the device declares."""
        spec = device.commands.get(name)
        if spec is None:
            known = ", ".join(device.commands) or "none"
            raise CommandError(f'found command "{name}", expected one of {known}')
        arguments = spec.bound(tuple(values), {})
        for each, kind in spec.arguments.items():
            if isinstance(kind, File):
                arguments[each] = str(self.folder / arguments[each])
        answer = spec.enter(device, arguments)
        if answer is False:
            return f"{name}: the device did not take it"
        return answer if isinstance(answer, str) else None

    def _own(self, name: str, values: list[Any]) -> str | None:
        """A command to the robot itself."""
        if name == "custom":
            self._custom = str(values[0])
            if self.robot.node.has_field("customData"):
                self._sim.supervisor.set(self.robot.node, "customData", self._custom)
        elif name == "keyboard":
            self.uses_keyboard = bool(values[0])
        elif name == "window":
            self.uses_window = True
            for text in values:
                self.send_to_window(str(text))
        elif name == "battery":
            self._battery = _Timer(self._period(values[0]), self._sim.time_ns) if values[0] > 0 else None
        elif name == "motion":
            number, what, *rest = values
            player = self.players[number]
            if what in ("play", "stop"):
                getattr(player, what)()
            elif what == "time":
                player.set_time(rest[0] / 1e3)
            elif what in ("loop", "reverse"):
                setattr(player, what, bool(rest[0]))
        else:
            raise CommandError(f'found command "{name}"')
        return None

    def _enable(self, tag: int, device: Device, milliseconds: int) -> None:
        if not isinstance(device, Sensor):
            raise CommandError(f"{device.name} is no sensor")
        self._disable(tag)
        device.is_held = True
        self._enabled[tag] = device
        self._told.pop(tag, None)
        if device.reading is not None:
            self._told[tag] = device.reading  # it is of before
        if isinstance(device, Receiver):
            self._listen(tag, device)
        self._sim.set_sampling_period(device, self._period(milliseconds) / 1e9)

    def _disable(self, tag: int) -> None:
        sensor = self._enabled.pop(tag, None)
        if sensor is None:
            return
        sensor.is_held = False
        listener = self._listeners.pop(tag, None)
        if listener is not None:
            del self._packets[tag]
            if listener in sensor.listeners:
                sensor.listeners.remove(listener)

    def _listen(self, tag: int, receiver: Receiver) -> None:
        """Keep all packets until the next answer; the controller's own queue has them then."""
        packets: list[Any] = []

        def hear(reading: Any) -> None:
            packets.extend(encode(receiver, reading))

        receiver.keeps_packets = False
        receiver.listeners.append(hear)
        self._packets[tag], self._listeners[tag] = packets, hear

    def _give_feedback(self, tag: int, device: Device, milliseconds: int) -> None:
        """Tell what a motor needs, or how far two wheels have turned, by a period; 0: no longer."""
        if not isinstance(device, (Motor, DifferentialWheels)):
            raise CommandError(f"{device.name} is no motor")
        if milliseconds <= 0:
            self._feedback.pop(tag, None)
            return
        if isinstance(device, Motor):
            device.enable_feedback()
        self._feedback[tag] = _Timer(self._period(milliseconds), self._sim.time_ns)

    def _period(self, milliseconds: float) -> int:
        """In ns, as the next whole number of steps."""
        step_ns = self._sim.step_ns
        return max(1, -(-int(milliseconds * MILLISECOND) // step_ns)) * step_ns

    def _custom_data(self) -> str | None:
        node = self.robot.node
        return str(node["customData"]) if node.has_field("customData") else None

    def _topic(self, tag: int) -> str:
        """What messages about a device begin with."""
        if not 0 <= tag < len(self.devices):
            return self.name
        device = self.devices[tag]
        return f"{self.name}/{device.name if isinstance(device, Device) else device['name']}"


def _measured(device: Device | Node) -> Any:
    """The effort of a motor; of two wheels what their encoders have counted."""
    if isinstance(device, DifferentialWheels):
        device.count()
        return [device.left_encoder, device.right_encoder]
    return device.effort  # type: ignore[union-attr] # a motor


class _Timer:
    """Due at the multiples of a period after its start, once for each."""

    def __init__(self, period_ns: int, start_ns: int) -> None:
        self._period_ns, self.start_ns = period_ns, start_ns
        self._last = 0
        self.value = math.nan

    def is_due(self, now_ns: int) -> bool:
        count = (now_ns - self.start_ns) // self._period_ns
        if count == self._last or count <= 0:
            return False
        self._last = count
        return True
