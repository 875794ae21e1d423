"""Every error that odesim raises on purpose.

    OdesimError
    ├── SceneError            one problem in a scene file, at file:line:column
    │   └── Mistake           one that a run goes on with; `odesim check` counts it as an error
    ├── SceneErrors           all problems of one file
    ├── ConfigError           a parameter or a parameter file is wrong
    ├── DeviceError           a device cannot be simulated as written, or there is no such device
    ├── CommandError          a command to a device is refused (not finite, wrong length)
    ├── MissingPackageError   a Python package is not installed
    ├── RecordingError        a recording cannot be written, read or repeated
    ├── SnapshotError         a snapshot cannot be kept as a file, or a file cannot be opened
    └── PhysicsError          the physics cannot be built or stepped
        └── StateNotFiniteError   a step made a state that is not finite

The text of each is one line of at most `LONGEST` characters (`SceneErrors`: one for each problem), made to be
shown to the user as it is.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from enum import IntEnum

from sim_core.base.shown import shown


def hint(name: str, known: Iterable[str]) -> str:
    """` (did you mean "Robot"?)` for a misspelt name, to be put behind a message; empty if none is near."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f' (did you mean "{near[0]}"?)' if near else ""


LONGEST = 900
"""Characters of a message; what it quotes may be of any length."""


def _abridged(text: str) -> str:
    """Of a long text the beginning, which names the place, and the end, which says what was expected."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"


def _joined(text: str) -> str:
    """Its lines as one."""
    if text.splitlines() == [text]:
        return text
    return "; ".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def in_one_line(error: BaseException) -> str:
    """Why something was refused; of what was not raised on purpose its kind too, as `KeyError: 'x'`.

    What steers a terminal is told as its escape, and so is half a character, as JSON may bring it: no log and
    no message takes it. What is not ours is cut: some libraries quote a whole file.
    """
    text = shown(_joined(str(error)))
    if isinstance(error, OdesimError):
        return text
    return f"{type(error).__name__}: {_abridged(text)}" if text else type(error).__name__


class OdesimError(Exception):
    """Base of all errors raised on purpose; `str()` is what the user reads, also where it quotes lines."""

    def __init__(self, text: str = "") -> None:
        super().__init__(_abridged(shown(_joined(text))))


class SceneError(OdesimError):
    """One problem in a scene file.

    Attributes:
        file, line, column: the place, lines and columns counted from 1 (0: the file as a whole).
        found: what stands there.
        expected: what should stand there.
        hint: a suggestion such as `did you mean "Robot"?`, or empty.
    """

    def __init__(
        self, file: str, line: int, column: int, found: str, expected: str = "", hint: str = ""
    ) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.found = found
        self.expected = expected
        self.hint = hint
        place = f"{file}:{line}:{column}" if line else file
        text = f"{place}: {found}"
        if expected:
            text += f", expected {expected}"
        if hint:
            text += f" ({hint})"
        super().__init__(text)


class Mistake(SceneError):
    """A mistake in a scene file that a run goes on with, as Webots does; `check` counts it as an error.

    Attributes:
        used: what the run does about it, such as `using 1`.
    """

    def __init__(
        self, file: str, line: int, column: int, found: str, used: str, expected: str = "", hint: str = ""
    ) -> None:
        super().__init__(file, line, column, f"{found}, {used}", expected, hint)
        self.used = used

    @property
    def key(self) -> tuple[str, str]:
        """What it is about: its place, and what is done."""
        return f"{self.file}:{self.line}:{self.column}", self.used

    @classmethod
    def of(cls, error: SceneError, used: str) -> Mistake:
        """An error as a mistake."""
        return cls(error.file, error.line, error.column, error.found, used, error.expected, error.hint)


LEFT_OUT = "left out"
"""What is done about something that cannot be had."""
MOST_OF_A_KIND = 10
"""Mistakes of which each has its own line; the others are counted."""


def bounded(mistakes: Iterable[Mistake]) -> list[Mistake]:
    """Mistakes once for each place, and of each kind a bounded number: the last one counts the others.

    Two are of one kind if their texts begin with the same word, such as `Box.size`.
    """
    kinds: dict[str, dict[str, Mistake]] = {}
    for each in mistakes:
        kinds.setdefault(each.found.split(maxsplit=1)[0], {}).setdefault(str(each), each)
    result = []
    for kind, found in kinds.items():
        result += [*found.values()][:MOST_OF_A_KIND]
        if (more := len(found) - MOST_OF_A_KIND) > 0:
            last = result[-1]
            text = f"{kind}: {more} more like this one"
            result.append(Mistake(last.file, last.line, last.column, text, last.used))
    return result


class SceneErrors(OdesimError):
    """All problems found in one file, in file order."""

    def __init__(self, problems: Sequence[SceneError]) -> None:
        self.problems = tuple(problems)
        Exception.__init__(self, "\n".join(str(problem) for problem in self.problems))


class ConfigError(OdesimError):
    """A parameter, or a file of parameters, is wrong."""


class DeviceError(OdesimError):
    """A device cannot be simulated as its node is written, or there is no such robot or device."""


class Code(IntEnum):
    """Kinds of refusals, by the numbers of simulation_interfaces/msg/Result."""

    FEATURE_UNSUPPORTED = 0
    OK = 1
    NOT_FOUND = 2
    INCORRECT_STATE = 3
    OPERATION_FAILED = 4


class CommandError(OdesimError):
    """A command is refused and changes nothing.

    Attributes:
        code: of `Code`, or one that a service has of its own.
    """

    code: int = Code.OPERATION_FAILED

    def __init__(self, text: str, code: int = Code.OPERATION_FAILED) -> None:
        self.code = int(code)
        super().__init__(text)


class RecordingError(OdesimError):
    """A recording cannot be written, cannot be read, or cannot be repeated."""


class SnapshotError(OdesimError):
    """A snapshot cannot be kept as a file, or a file is no snapshot that can be opened here."""


class MissingPackageError(OdesimError, ImportError):
    """A Python package is not installed; the text says what brings it."""


class PhysicsError(OdesimError):
    """The physics cannot be built from the scene, or cannot be stepped."""


class StateNotFiniteError(PhysicsError):
    """A step led to a state that is not finite; the last good state has been kept.

    Attributes:
        solid: path of the solid whose state is not finite.
        time_ns: sim time of the state that was kept, in nanoseconds.
    """

    def __init__(self, solid: str, time_ns: int) -> None:
        self.solid = solid
        self.time_ns = time_ns
        super().__init__(
            f"{solid}: position or velocity is not finite after the step from {time_ns / 1e9:.6f} s; "
            f"the simulation stopped and keeps the last good state"
        )
