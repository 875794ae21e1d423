"""The operator's command line: one command per line of input."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ros_bridge.operator.sensors import TABLES
from ros_bridge.operator.station import Station
from sim_core.base.errors import CommandError, hint

HELP = f"""\
all                            record all sensors, in a new folder
select SENSOR ...              record these: {", ".join(TABLES)}
end                            end the recording
ping                           does the link live?
set ACTUATOR VALUE             set point: steering in rad, accelerator and brake from 0 to 1
pid ACTUATOR SETTING VALUE     kp, ki, kd, se_min, se_max, y_min, y_max
mode manual|automatic          who makes the set points
speed VALUE                    m/s, in the mode automatic
stop, release                  urgent stop, and its end
help, exit"""


class Console:
    """Carries out lines.

    Attributes:
        ended: `exit` came.
    """

    def __init__(self, station: Station, folder: Path) -> None:
        self.ended = False
        self._station = station
        self._folder = folder
        self._commands: dict[str, tuple[tuple[int, int], Callable[..., str]]] = {
            "all": ((0, 0), lambda: self._record(*TABLES)),
            "select": ((0, len(TABLES)), self._record),
            "end": ((0, 0), lambda: station.end_recording() or "nothing is recorded"),
            "ping": ((0, 0), lambda: station.link.state(time.monotonic())),
            "set": ((2, 2), self._set),
            "pid": ((3, 3), self._pid),
            "mode": ((1, 1), self._mode),
            "speed": ((1, 1), self._speed),
            "stop": ((0, 0), lambda: self._stop(True)),
            "release": ((0, 0), lambda: self._stop(False)),
            "help": ((0, 0), lambda: HELP),
            "exit": ((0, 0), self._exit),
        }

    def run(self, line: str) -> str:
        """Carry out one line; returns what to say, empty for an empty line.

        Raises:
            OdesimError: the line is refused; nothing has changed.
        """
        words = line.split()
        if not words:
            return ""
        name, arguments = words[0], words[1:]
        if name not in self._commands:
            known = list(self._commands)
            raise CommandError(f'found "{name}", expected one of {", ".join(known)}{hint(name, known)}')
        (least, most), command = self._commands[name]
        if not least <= len(arguments) <= most:
            expected = f"{least}" if least == most else f"{least} to {most}"
            raise CommandError(
                f"{name}: found {len(arguments)} words after it, expected {expected}; see help"
            )
        return command(*arguments)

    def _record(self, *sensors: str) -> str:
        return f"recording into {self._station.record(sensors, self._folder)}"

    def _set(self, actuator: str, value: str) -> str:
        self._station.set_point(actuator, number(value))
        return f"{actuator}: set point {number(value):g} applied"

    def _pid(self, actuator: str, setting: str, value: str) -> str:
        self._station.set_pid(actuator, setting, number(value))
        return f"{actuator}.{setting} is {number(value):g}"

    def _mode(self, mode: str) -> str:
        self._station.set_mode(mode)
        return f"mode {mode}"

    def _speed(self, speed: str) -> str:
        self._station.set_cruise_speed(number(speed))
        return f"speed {number(speed):g} m/s"

    def _stop(self, on: bool) -> str:
        self._station.urgent_stop(on)
        return ("urgent stop sent" if on else "release sent") + self._doubt()

    def _doubt(self) -> str:
        """What to add to "sent" when it may not arrive."""
        now, link = time.monotonic(), self._station.link
        return "" if link.is_alive(now) else f", but {link.state(now)}"

    def _exit(self) -> str:
        self.ended = True
        return ""


def number(text: str) -> float:
    """A number.

    Raises:
        CommandError: it is none.
    """
    try:
        return float(text)
    except ValueError:
        raise CommandError(f'found "{text}", expected a number') from None
