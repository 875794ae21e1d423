"""Output of a controller, line by line."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import IO

from sim_core.base.shown import StyledText, shown, shown_with_colours

_BEGINS = ("Traceback (most recent call last):", "Exception in thread ", "Exception ignored in: ")
_LINKS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_BY_SIGNAL = ("KeyboardInterrupt", "ExternalShutdownException", "rcl_shutdown already called")
"""Last lines of tracebacks caused by a signal: rclpy shuts ROS down itself when a signal arrives, and raises
at a second shutdown."""
_INTERRUPTED = "/rclpy/"
"""In the innermost frame: exceptions of rclpy then mean that its context is shut down or interrupted."""
LONGEST_LINE = 65536
"""Bytes after which an unfinished line is treated as complete."""
_WITHOUT_FRAMES = "KeyboardInterrupt"
"""All that Python prints when a signal arrives after its last frame was left."""


class ControllerOutput:
    """Assembles the output of one controller to lines.

    Args:
        robot_name: prefix of each line.
        log: receives the lines.

    Attributes:
        is_asked_to_end: whether it was sent a signal. From then on a traceback caused only by that signal is
            left out.
        last: the last line that was logged.
        has_ended: set at the end of the output.
    """

    def __init__(self, robot_name: str, log: Callable[[str], object]) -> None:
        self.is_asked_to_end = False
        self.last = ""
        self.has_ended = Event()
        self._prefix = f"{robot_name}: "
        self._log = log
        self._rest = b""
        self._held: list[str] = []

    def forward(self, stream: IO[bytes]) -> bool:
        """Log what can be read now; return False at the end of the stream."""
        data = stream.read(65536)
        if data is None:
            return True
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._rest and (not data or len(self._rest) > LONGEST_LINE):
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            self._add_line(line.decode(errors="replace").rstrip())
        if not data:
            self._release()
            self.has_ended.set()
        return bool(data)

    def _add_line(self, line: str) -> None:
        if self._held:
            if self._continues_traceback(line):
                self._held.append(line)
                return
            self._release()
        if self.is_asked_to_end and line.startswith(_BEGINS):
            self._held.append(line)
        elif self.is_asked_to_end and line == _WITHOUT_FRAMES:
            return
        else:
            self._log_line(line)

    def _log_line(self, line: str) -> None:
        """Log a line with its colours, but without other control sequences."""
        self.last = line if line.strip() else self.last
        self._log(StyledText(shown(self._prefix) + shown_with_colours(line)))

    def _continues_traceback(self, line: str) -> bool:
        """Return whether a line belongs to the traceback being collected, or to its consequences."""
        last = self._held[-1]
        if last.startswith((" ", *_BEGINS)):  # stack frames, followed by the exception
            return True
        if line.startswith(_BEGINS):
            return not last or last in _LINKS
        return not line or line in _LINKS

    def _release(self) -> None:
        """Log what was collected, unless it only reports that a signal arrived."""
        held, self._held = self._held, []
        innermost, is_of_its_own = "", False
        for line in held:
            if line.startswith("  File "):
                innermost = line
            elif line and not line.startswith((" ", *_BEGINS)) and line not in _LINKS:  # an exception
                is_by_signal = _INTERRUPTED in innermost or any(word in line for word in _BY_SIGNAL)
                is_of_its_own = is_of_its_own or not is_by_signal
        for line in held if is_of_its_own else ():
            self._log_line(line)
