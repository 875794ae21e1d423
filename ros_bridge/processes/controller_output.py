"""What a controller prints, line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

from sim_core.base.shown import StyledText, shown, shown_with_colours

_BEGINS = ("Traceback (most recent call last):", "Exception in thread ", "Exception ignored in: ")
_LINKS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_BY_SIGNAL = ("KeyboardInterrupt", "ExternalShutdownException", "rcl_shutdown already called")
"""In the last lines of tracebacks: rclpy ends ROS by itself when a signal comes, and does not like to be told
again."""
_INTERRUPTED = "/rclpy/"
"""In the innermost frame: what rclpy raises then says that its context has gone, or that it was cut off."""
LONGEST_LINE = 65536
"""Bytes after which a line that does not end is taken for one."""
_WITHOUT_FRAMES = "KeyboardInterrupt"
"""All that Python says of a signal that came when its last frame was left."""


class ControllerOutput:
    """Puts the output of one controller together to lines.

    Args:
        robot_name: goes before each line.
        log: gets the lines.

    Attributes:
        is_asked_to_end: by a signal. A traceback that says no more than that, of a controller that does not
            catch it, is left out from then on.
    """

    def __init__(self, robot_name: str, log: Callable[[str], object]) -> None:
        self.is_asked_to_end = False
        self._prefix = f"{robot_name}: "
        self._log = log
        self._rest = b""
        self._held: list[str] = []

    def forward(self, stream: IO[bytes]) -> bool:
        """Log what can be read now; False: there will be no more."""
        data = stream.read(65536)
        if data is None:
            return True
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._rest and (not data or len(self._rest) > LONGEST_LINE):
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            self._take(line.decode(errors="replace").rstrip())
        if not data:
            self._release()
        return bool(data)

    def _take(self, line: str) -> None:
        if self._held:
            if self._goes_on(line):
                self._held.append(line)
                return
            self._release()
        if self.is_asked_to_end and line.startswith(_BEGINS):
            self._held.append(line)
        elif self.is_asked_to_end and line == _WITHOUT_FRAMES:
            return
        else:
            self._say(line)

    def _say(self, line: str) -> None:
        """Log a line: its colours stay, and nothing else that steers a terminal."""
        self._log(StyledText(shown(self._prefix) + shown_with_colours(line)))

    def _goes_on(self, line: str) -> bool:
        """Whether a line belongs to the traceback that is held: to its frames, or to what it led to."""
        last = self._held[-1]
        if last.startswith((" ", *_BEGINS)):  # frames, and after them the exception
            return True
        if line.startswith(_BEGINS):
            return not last or last in _LINKS
        return not line or line in _LINKS

    def _release(self) -> None:
        """Log what is held, unless it says no more than that a signal has come."""
        held, self._held = self._held, []
        innermost, is_of_its_own = "", False
        for line in held:
            if line.startswith("  File "):
                innermost = line
            elif line and not line.startswith((" ", *_BEGINS)) and line not in _LINKS:  # an exception
                is_by_signal = _INTERRUPTED in innermost or any(word in line for word in _BY_SIGNAL)
                is_of_its_own = is_of_its_own or not is_by_signal
        for line in held if is_of_its_own else ():
            self._say(line)
