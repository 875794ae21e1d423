"""State of one controller: its requests, and what it was sent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ros_bridge.controller_api.describe import describe_device, devices_of, is_supervisor
from ros_bridge.controller_api.readings import encoder
from ros_bridge.controller_api.report_timer import ReportTimer
from ros_bridge.topics.outcomes import OutcomeLog
from sim_core.base.errors import CommandError
from sim_core.base.ids import NodeId
from sim_core.base.outcome import DONE, Done, Outcome, outcome_of
from sim_core.base.shown import shown
from sim_core.devices import Device, Sensor
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.inertial.gps import Gps
from sim_core.devices.motors.motor import Motor
from sim_core.devices.radio.emitter import Emitter
from sim_core.devices.radio.receiver import Receiver
from sim_core.scene import Node
from sim_core.session.controller_commands import Enable, MeasureEffort, RunMotion, SetMotion
from sim_core.session.pipeline import Action, Command
from sim_core.session.robot import Robot
from sim_core.session.robot_commands import DeviceCommand
from sim_core.session.session import Session
from sim_core.session.world_commands import SetField
from webots_api.controller.user_input import DEVICES

MILLISECOND = 1_000_000


class Client:
    """Requests of a controller, and what it was sent.

    Attributes:
        robot: robot that it controls.
        name: the robot's name.
        folder: its working directory, for relative file names.
        synchronized: whether the simulation waits for it.
        is_supervisor: whether it has the rights of a supervisor, as reported at the end of its last step.
        is_stepping: whether it waits in `step`; False: it computes.
        is_held: whether it waits for an answer that must follow the requests of others.
        is_over: whether it will be requested to end at its next step.
        until_ns: sim time of the end of its step.
        late_ms: delay of the end of its last step.
        inputs: kinds of input that it is sent.
        uses_window: whether it is sent texts of its robot's window.
        send_to_window: function that sends a text to the window.
        number_of: returns the controllers' number of a node.
        window_texts: texts of the window since the last answer.
    """

    def __init__(self, session: Session, robot: Robot, folder: Path) -> None:
        self._session, self._sim = session, session.sim
        self.robot, self.name, self.folder = robot, robot.name, folder
        self.synchronized = robot.synchronized
        self.is_supervisor = is_supervisor(robot)
        self.is_stepping = self.is_over = self.is_held = False
        self.until_ns, self.late_ms = session.sim.time_ns, 0
        self.inputs: set[str] = set()
        self.uses_window = False
        self.send_to_window: Callable[[str], object] = str
        self.number_of: Callable[[NodeId], int] = int
        self.window_texts: list[str] = []
        self.devices: list[Device | Node] = devices_of(robot)
        self._seen = robot.devices
        self._emitters = _emitters(self.devices)
        self._waiting: list[list[Any]] = []
        self._enabled: dict[int, tuple[Sensor, Callable[[Any], Any]]] = {}
        self._sent: dict[int, Any] = {}
        self._packets: dict[int, list[Any]] = {}
        self._was_reset = False
        self._listeners: dict[int, Callable[[Any], None]] = {}
        self._clouds: set[int] = set()
        self._feedback: dict[int, ReportTimer] = {}
        self._located: set[int] = set()
        self._positions: dict[int, ReportTimer] = {}
        self._battery: ReportTimer | None = None
        self._custom: str | None = self._custom_data()
        self._robot_fields: tuple[Any, ...] = ()
        self._lines: list[str] = []
        self._outcomes = OutcomeLog(lambda line: self._lines.append(shown(line)))

    # ---- steps

    def begin_step(self, milliseconds: int, commands: list[list[Any]]) -> None:
        """Begin a step of the controller."""
        self.store_commands(commands)
        now = self._sim.time_ns
        step_ns = self._sim.step_ns
        length = max(0, milliseconds) * MILLISECOND
        length = -(-length // step_ns) * step_ns
        wanted = self.until_ns + length
        self.until_ns = wanted if self.synchronized else max(wanted, now)
        self.late_ms = max(0, self.until_ns - wanted) // MILLISECOND
        self.is_stepping = True

    def store_commands(self, commands: list[list[Any]]) -> None:
        """Store commands for the next step.

        Raises:
            ValueError: they are not valid commands.
        """
        for command in commands:
            if not (isinstance(command, list) and len(command) >= 2 and type(command[0]) is int):
                raise ValueError(f"{command!r} is not a command")
        self._waiting += commands

    def carry_out(self, tag: int | None = None, name: str | None = None) -> None:
        """Execute the stored commands, or only those for a device or of a name; only between two steps."""
        waiting = self._waiting
        if not waiting:
            return
        self._waiting = []
        for command in waiting:
            if tag not in (None, command[0]) or name not in (None, command[1]):
                self._waiting.append(command)
                continue
            outcome = outcome_of(self._carry_out, command[0], command[1], command[2:])
            if outcome is not DONE:
                self._outcomes.log(self._about(command[0]), outcome)

    def select_input(self, present: Mapping[str, Any]) -> dict[str, Any]:
        """Return the input that it has enabled, by kind."""
        return {kind: present[kind] for kind in self.inputs}

    def answer(self, present: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer at the end of a step, above all the readings; `present`: input by kind."""
        self.is_stepping = False
        new = self.new_devices()
        answer: dict[str, Any] = {
            "time": self._sim.time,
            "late": self.late_ms,
            "readings": list(self._readings()),
        }
        if self._was_reset:
            answer["reset"] = True
            self._was_reset = False
        if new:
            answer["devices"] = new
        if self._positions and (positions := list(self._measured_positions())):
            answer["positions"] = positions
        if queued := [[tag, device.queued_bytes] for tag, device in self._emitters if device.is_sending]:
            answer["queued"] = queued
        if self.inputs:
            answer |= self.select_input(present)
        if self._lines:
            answer["lines"] = self.take_lines()
        if self.window_texts:
            answer["window"] = self.window_texts
            self.window_texts = []
        fields = self.robot.node.fields
        robot_fields = fields.get("supervisor"), fields.get("customData")
        if robot_fields != self._robot_fields:
            self._robot_fields = robot_fields
            if (is_now := is_supervisor(self.robot)) != self.is_supervisor:
                self.is_supervisor = answer["supervisor"] = is_now
            if (custom := self._custom_data()) != self._custom:
                self._custom = answer["custom"] = custom
        if self._battery is not None:
            battery = self.robot.battery
            is_empty = battery is not None and battery.is_empty
            if self._battery.is_due(self._sim.time_ns) or is_empty:  # an empty battery is reported at once
                self._battery.value = -1.0 if battery is None else battery.energy
            answer["battery"] = self._battery.value
        return answer

    def add_line(self, line: str) -> None:
        """Add a line that the controller prints, to its next answer."""
        self._lines.append(line)

    def take_lines(self) -> list[str]:
        """Return the lines that were not sent yet."""
        lines, self._lines = self._lines, []
        return lines

    def release(self) -> None:
        """Release everything kept for the controller, which has gone or must end."""
        for tag in list(self._enabled):
            self._disable(tag)

    def time_is_zero(self, before_ns: int) -> None:
        """Adapt to a reset: the remaining time of the present step stays the same."""
        self.until_ns = max(0, self.until_ns - before_ns)
        self._was_reset = True
        self._sent.clear()
        for packets in self._packets.values():
            packets.clear()
        self._located.clear()
        battery = [self._battery] if self._battery else []
        for timer in (*self._feedback.values(), *self._positions.values(), *battery):
            timer.start_ns = 0

    def device(self, tag: int) -> Device:
        """Return a device by its number.

        Raises:
            CommandError: there is none, or it is not simulated.
        """
        found = self.devices[tag] if 0 <= tag < len(self.devices) else None
        if not isinstance(found, Device):
            what = f'"{found["name"]}", a {found.type_name}' if found is not None else f"number {tag}"
            raise CommandError(f"{self.name}: device {what} is not simulated")
        return found

    def new_devices(self) -> list[dict[str, Any]]:
        """Return devices added to the robot since the last answer; removed devices keep their numbers."""
        if self.robot.devices is self._seen:  # the table is replaced when devices change
            return []
        self._seen = self.robot.devices
        known = set(self.devices)
        come = [each for each in devices_of(self.robot) if each not in known]
        if not come:
            return []
        self.devices += come
        self._emitters = _emitters(self.devices)
        return [describe_device(self.robot, each, self.devices) for each in come]

    # ---- helpers

    def _readings(self) -> Iterator[list[Any]]:
        now = self._sim.time_ns
        for tag, (sensor, encode) in self._enabled.items():
            if tag in self._packets:
                packets = self._packets[tag]
                if packets or tag not in self._sent:
                    yield [tag, list(packets)]
                    self._sent[tag] = True
                    packets.clear()
                continue
            reading = sensor.reading
            if reading is not None and reading is not self._sent.get(tag):
                self._sent[tag] = reading
                encoded = encode(reading)
                if isinstance(sensor, Gps) and tag not in self._located:
                    self._located.add(tag)
                    if not self._sim.physics.is_dynamic(sensor.spec.id):
                        encoded[3:] = [math.nan] * 4  # computed in Webots from two readings
                yield [tag, encoded]
        for tag, timer in self._feedback.items():
            if timer.is_due(now):
                yield [tag, _measured(self.devices[tag])]

    def _measured_positions(self) -> Iterator[list[Any]]:
        """Yield positions of motors; a Servo has no separate position sensor."""
        for tag, timer in self._positions.items():
            if timer.is_due(self._sim.time_ns):
                yield [tag, self.devices[tag].position]  # type: ignore[union-attr] # a motor

    def _carry_out(self, tag: int, name: str, values: list[Any]) -> Outcome:
        if tag < 0:
            return self._execute_robot_command(name, values)
        device = self.device(tag)
        if name == "enable":
            return self._enable(tag, device, int(values[0]))
        if name == "disable":
            self._disable(tag)
            return self.submit(Enable(self.name, device.name, 0))
        if name == "cloud":
            (self._clouds.add if values[0] else self._clouds.discard)(tag)
            if tag in self._enabled:
                self._send_readings(tag, self._enabled[tag][0])
            return DONE
        if name == "feedback":
            return self._give_feedback(tag, device, int(values[0]))
        if name == "position" and isinstance(device, Motor):
            self._positions.pop(tag, None)
            if values[0] > 0:
                self._positions[tag] = ReportTimer(self._period(values[0]), self._sim.time_ns)
            return DONE
        spec = device.commands.get(name)
        if spec is None:
            known = ", ".join(device.commands) or "none"
            raise CommandError(f'found command "{name}", expected one of {known}')
        arguments = spec.bind(tuple(values), {})
        for each in spec.files:
            arguments[each] = str(self.folder / arguments[each])
        command = Command(self.name, (DeviceCommand(self.name, device.name, name, arguments),))
        pipeline = self._session.pipeline
        return pipeline.submit(command) if spec.is_journaled else pipeline.replay(command)

    def submit(self, action: Action) -> Outcome:
        """Submit an action of the controller."""
        return self._session.pipeline.submit(Command(self.name, (action,)))

    def _execute_robot_command(self, name: str, values: list[Any]) -> Outcome:
        """Execute a command to the robot itself."""
        if name == "custom":
            self._custom = str(values[0])
            if self.robot.node.has_field("customData"):
                node = self._sim.supervisor.lasting(self.robot.node)
                return self.submit(SetField(node, "customData", self._custom))
        elif name in DEVICES:
            change = self.inputs.add if values[0] else self.inputs.discard
            change(DEVICES[name])
        elif name == "window":
            self.uses_window = True
            for text in values:
                self.send_to_window(str(text))
        elif name == "battery":
            self._battery = ReportTimer(self._period(values[0]), self._sim.time_ns) if values[0] > 0 else None
        elif name == "motion":
            return self.submit(self._motion(*values))
        else:
            raise CommandError(f'found command "{name}"')
        return DONE

    def _motion(self, number: int, what: str, value: Any = None) -> Action:
        """Return the action for a command to an opened motion."""
        if what in ("play", "stop"):
            return RunMotion(self.name, number, what == "play")
        if what == "time":
            return SetMotion(self.name, number, time=value / 1e3)
        if what in ("loop", "reverse"):
            return SetMotion(self.name, number, **{what: bool(value)})
        raise CommandError(f'found "{what}" for a motion')

    def _enable(self, tag: int, device: Device, milliseconds: int) -> Outcome:
        self._disable(tag)
        before = device.reading if isinstance(device, Sensor) else None
        outcome = self.submit(Enable(self.name, device.name, self._period(milliseconds)))
        if isinstance(device, Sensor) and isinstance(outcome, Done):
            self._send_readings(tag, device)
            self._sent.pop(tag, None)
            if before is not None:
                self._sent[tag] = before
            if isinstance(device, Receiver):
                self._collect_packets(tag, device)
        return outcome

    def _send_readings(self, tag: int, sensor: Sensor) -> None:
        """Send readings of a sensor from now on."""
        self._enabled[tag] = sensor, encoder(sensor, tag in self._clouds, self.number_of)

    def _disable(self, tag: int) -> None:
        """Stop sending readings of a sensor."""
        enabled = self._enabled.pop(tag, None)
        listener = self._listeners.pop(tag, None)
        if enabled is None or listener is None:
            return
        del self._packets[tag]
        enabled[0].remove_listener(listener)

    def _collect_packets(self, tag: int, receiver: Receiver) -> None:
        """Collect all packets until the next answer, which moves them to the controller's own queue."""
        packets: list[Any] = []
        encode = encoder(receiver)

        def hear(reading: Any) -> None:
            packets.extend(encode(reading))

        receiver.add_listener(hear)
        self._packets[tag], self._listeners[tag] = packets, hear

    def _give_feedback(self, tag: int, device: Device, milliseconds: int) -> Outcome:
        """Send a motor's effort, or the turns of two wheels, periodically; 0: stop."""
        if not isinstance(device, (Motor, DifferentialWheels)):
            raise CommandError(f"{device.name} is not a motor")
        if milliseconds <= 0:
            self._feedback.pop(tag, None)
            return DONE
        self._feedback[tag] = ReportTimer(self._period(milliseconds), self._sim.time_ns)
        if isinstance(device, Motor):
            return self.submit(MeasureEffort(self.name, device.name))
        return DONE

    def _period(self, milliseconds: float) -> int:
        """Return a period in ns, rounded up to whole steps."""
        step_ns = self._sim.step_ns
        return max(1, -(-int(milliseconds * MILLISECOND) // step_ns)) * step_ns

    def _custom_data(self) -> str | None:
        node = self.robot.node
        return str(node["customData"]) if node.has_field("customData") else None

    def _about(self, tag: int) -> str:
        """Return the prefix of messages about a device."""
        if not 0 <= tag < len(self.devices):
            return self.name
        device = self.devices[tag]
        return f"{self.name}/{device.name if isinstance(device, Device) else device['name']}"


def _emitters(devices: list[Device | Node]) -> list[tuple[int, Emitter]]:
    return [(tag, each) for tag, each in enumerate(devices) if isinstance(each, Emitter)]


def _measured(device: Device | Node) -> Any:
    """Return the effort of a motor, or the encoder counts of two wheels."""
    if isinstance(device, DifferentialWheels):
        device.update_encoders()
        return [device.left_encoder, device.right_encoder]
    return device.effort  # type: ignore[union-attr] # a motor
