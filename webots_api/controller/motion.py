"""Motion files, played by the simulation."""

from __future__ import annotations

from .connection import connection, print_error


class Motion:
    """A motion file; relative paths start at the folder of the controller."""

    def __init__(self, fileName: str) -> None:
        answer = connection().call("motion_open", fileName) or {}
        self._number: int | None = answer.get("number")
        self._duration = int(answer.get("duration", 0))
        self._loop = self._reverse = False
        if self._number is None:
            print_error(f"Error: Motion: the file {fileName!r} cannot be used")

    def isValid(self) -> bool:
        return self._number is not None

    def play(self) -> None:
        self._say("play")

    def stop(self) -> None:
        self._say("stop")

    def setLoop(self, loop: bool) -> None:
        self._loop = bool(loop)
        self._say("loop", self._loop)

    def setReverse(self, reverse: bool) -> None:
        self._reverse = bool(reverse)
        self._say("reverse", self._reverse)

    def isOver(self) -> bool:
        return self._number is None or bool(connection().call("motion_is_over", self._number))

    def getDuration(self) -> int:
        """Return the duration in ms."""
        return self._duration

    def getTime(self) -> int:
        """Return the time from the start of the motion in ms."""
        return int(connection().call("motion_time", self._number) or 0) if self._number is not None else 0

    def setTime(self, time: int) -> None:
        self._say("time", int(time))

    def _say(self, name: str, *arguments: object) -> None:
        if self._number is not None:
            connection().command(-1, "motion", self._number, name, *arguments)

    valid = property(isValid)
    over = property(isOver)
    duration = property(getDuration)
    time = property(getTime, setTime)
    loop = property(lambda self: self._loop, setLoop)
    reverse = property(lambda self: self._reverse, setReverse)
