"""The operator's side of the ute's topics: files, link, set points, PID settings, urgent stop."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool

from ros_bridge.controllers.ute_law import MODES, SETTINGS, check_set_point
from ros_bridge.operator.files import RecordingFiles
from ros_bridge.operator.heartbeat import Heartbeat
from ros_bridge.operator.sensors import ALARMS, TABLES
from ros_bridge.topics.conversions import time_of
from sim_core.base.errors import CommandError, hint

ANSWER_LIMIT = 3.0
"""Seconds of wall time to wait for the pilot to set a parameter."""
TRIES = 3
"""Tries: DDS may lose the first answer of a service to a client that it has just discovered."""
DEEP = QoSProfile(depth=1000)
"""Deep queue, so that nothing is lost while a file is written."""


class Station:
    """Functions of an operator. All methods except callbacks are called in one thread, not that of ROS.

    Attributes:
        heartbeat: state of the link.
        recording: files being written, or None.
        binary: whether the next ones are binary.
    """

    def __init__(self, node: Any, robot: str = "ute", *, binary: bool = False) -> None:
        self._node = node
        self._robot = robot
        self.heartbeat = Heartbeat(node, robot)
        self.recording: RecordingFiles | None = None
        self.binary = binary
        self._lock = threading.Lock()
        self._subscriptions: list[Any] = []
        self._set_points = node.create_publisher(JointState, f"{robot}/set_points", 10)
        self._answers: dict[str, str] = {}
        self._answered = threading.Condition()
        self._number = 0
        self._sender = f"{node.get_name()} {uuid4().hex[:8]}"
        node.create_subscription(DiagnosticStatus, f"{robot}/set_points_answer", self._take_answer, DEEP)
        self._stop = node.create_publisher(Bool, f"{robot}/urgent_stop", 1)
        self._parameters = node.create_client(SetParameters, f"{robot}/pilot/set_parameters")

    # ---- files

    def record(self, sensors: Iterable[str], parent: Path) -> Path:
        """Stop the running recording, and start one of these sensors in a new folder.

        Raises:
            CommandError: no sensor is given, or the ute does not have it; nothing changes.
            ConfigError: the folder cannot be written.
        """
        names = list(dict.fromkeys(sensors))
        if not names:
            raise CommandError(f"found no sensor, expected some of {', '.join(TABLES)}")
        for name in names:
            if name not in TABLES:
                raise CommandError(
                    f'found "{name}", expected some of {", ".join(TABLES)}{hint(name, TABLES)}'
                )
        self.end_recording()
        tables = [(name, TABLES[name]) for name in names]
        recording = RecordingFiles(parent, self._robot, tables, binary=self.binary)
        with self._lock:
            self.recording = recording
        for name in names:
            for topic, kind in TABLES[name].topics.items():
                receive = partial(self._receive, name, topic)
                made = self._node.create_subscription(kind, f"{self._robot}/{topic}", receive, DEEP)
                self._subscriptions.append(made)
        return recording.folder

    def end_recording(self) -> str | None:
        """Close the files; return a line about their contents, None if there are none."""
        with self._lock:
            recording, self.recording = self.recording, None
        for each in self._subscriptions:
            self._node.destroy_subscription(each)
        self._subscriptions.clear()
        return recording.close() if recording is not None else None

    def flush(self) -> None:
        """Flush the files to the operating system."""
        with self._lock:
            if self.recording is not None:
                self.recording.flush()

    def compass_alarm(self) -> str:
        """Return the alarm of the compass that is being recorded; empty: none."""
        with self._lock:
            file = self.recording.files.get("compass") if self.recording is not None else None
            return ALARMS[file.latest[-1]] if file is not None and file.latest else ""

    def _receive(self, name: str, topic: str, message: Any) -> None:
        with self._lock:
            if self.recording is not None and name in self.recording.files:
                self.recording.files[name].receive(topic, time_of(message.header.stamp), message)

    # ---- commands

    def set_point(self, actuator: str, value: float) -> None:
        """Apply a set point: steering in rad, accelerator or brake from 0 to 1.

        Raises:
            CommandError: an unknown actuator or a value beyond its limits (nothing is sent), the pilot
                refuses it, with the reason, or does not answer.
        """
        check_set_point(actuator, value)
        self._number += 1
        message = JointState(name=[actuator], position=[value])
        message.header.frame_id = word = f"{self._sender} {self._number}"
        end = time.monotonic() + ANSWER_LIMIT
        with self._answered:
            while time.monotonic() < end:
                # DDS may lose messages of nodes just discovered; applying it twice is harmless
                self._set_points.publish(message)
                if self._answered.wait_for(lambda: word in self._answers, ANSWER_LIMIT / TRIES):
                    refused = self._answers.pop(word)
                    if refused:
                        raise CommandError(refused)
                    return
        raise CommandError(f"found no answer from /{self._robot}/pilot within {ANSWER_LIMIT:g} s")

    def _take_answer(self, message: DiagnosticStatus) -> None:
        if message.name.startswith(self._sender):  # else for another operator
            with self._answered:
                self._answers[message.name] = message.message
                self._answered.notify()

    def set_pid(self, actuator: str, setting: str, value: float) -> None:
        """Change a PID setting.

        Raises:
            CommandError: refused here or by the pilot, with the reason; or the pilot does not answer.
        """
        if actuator not in SETTINGS:
            raise CommandError(
                f'found "{actuator}", expected one of {", ".join(SETTINGS)}{hint(actuator, SETTINGS)}'
            )
        SETTINGS[actuator].changed(setting, value)  # checks what is invalid in any state of the pilot
        self._set_parameter(f"{actuator}.{setting}", value)

    def set_mode(self, mode: str) -> None:
        """Switch between `manual` and `automatic`.

        Raises:
            CommandError: there is no such mode, or the pilot refuses or does not answer.
        """
        if mode not in MODES:
            raise CommandError(f'found "{mode}", expected {" or ".join(MODES)}{hint(mode, MODES)}')
        self._set_parameter("mode", mode)

    def set_clutch(self, closed: bool) -> None:
        """Connect the motor to the steering, or disconnect it.

        Raises:
            CommandError: the pilot does not answer.
        """
        self._set_parameter("clutch", closed)

    def set_cruise_speed(self, speed: float) -> None:
        """Set the speed of the mode `automatic`, m/s.

        Raises:
            CommandError: not a number, or the pilot refuses or does not answer.
        """
        if not math.isfinite(speed):
            raise CommandError(f"found {speed} m/s, expected a number")
        self._set_parameter("cruise_speed", speed)

    def urgent_stop(self, on: bool = True) -> None:
        """Stop the ute at once, or release it."""
        self._stop.publish(Bool(data=on))

    def _set_parameter(self, name: str, value: Any) -> None:
        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        end = time.monotonic() + ANSWER_LIMIT
        while time.monotonic() < end:
            if not self._parameters.wait_for_service(max(0.0, end - time.monotonic())):
                break
            answered = threading.Event()
            future = self._parameters.call_async(request)
            future.add_done_callback(lambda _, done=answered: done.set())
            if answered.wait(ANSWER_LIMIT / TRIES):
                result = future.result().results[0]
                if not result.successful:
                    raise CommandError(result.reason)
                return
        raise CommandError(f"found no answer from /{self._robot}/pilot within {ANSWER_LIMIT:g} s")
