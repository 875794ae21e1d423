"""All errors that odesim raises on purpose.

    OdesimError
    ├── SceneError            one problem in a scene file, at file:line:column
    │   └── Mistake           a problem that a run continues with; `odesim check` counts it as an error
    ├── SceneErrors           all problems of one file
    ├── ConfigError           a parameter or a parameter file is wrong
    ├── DeviceError           a device cannot be simulated as written, or there is no such device
    ├── CommandError          a command to a device is refused (not finite, wrong length)
    ├── MissingPackageError   a Python package is not installed
    ├── RecordingError        a recording cannot be written, read or repeated
    ├── SnapshotError         a snapshot cannot be saved as a file, or a file cannot be opened
    └── PhysicsError          the physics cannot be built or stepped
        └── StateNotFiniteError   a step made a state that is not finite

The text of each is one line of at most `LONGEST` characters (`SceneErrors`: one line per problem), ready to
be shown to the user.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from enum import IntEnum

from sim_core.base.shown import shown


def hint(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean "Robot"?)` for a misspelt name, to append to a message; "" if none is
    similar."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f' (did you mean "{near[0]}"?)' if near else ""


LONGEST = 900
"""Maximum number of characters of a message; quoted text may be of any length."""


def _abridged(text: str) -> str:
    """Shorten a long text to its beginning, which has the place, and its end, which has the expected
    value."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"


def _joined(text: str) -> str:
    """Join the lines of a text."""
    if text.splitlines() == [text]:
        return text
    return "; ".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def in_one_line(error: BaseException) -> str:
    """Return the text of an error in one line; other errors than OdesimError with their type, as `KeyError:
    'x'`.

    Terminal control characters and unpaired surrogates (which JSON may contain) are written as escapes,
    because no log or message can hold them. Texts of other libraries are shortened, because some quote a
    whole file.
    """
    text = shown(_joined(str(error)))
    if isinstance(error, OdesimError):
        return text
    return f"{type(error).__name__}: {_abridged(text)}" if text else type(error).__name__


class OdesimError(Exception):
    """Base of all errors raised on purpose; `str()` is the message for the user."""

    def __init__(self, text: str = "") -> None:
        super().__init__(_abridged(shown(_joined(text))))


class SceneError(OdesimError):
    """One problem in a scene file.

    Attributes:
        file, line, column: the place; lines and columns are counted from 1 (0: the whole file).
        found: what is there.
        expected: what should be there.
        hint: a suggestion such as `did you mean "Robot"?`, or "".
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
    """Mistake in a scene file with which a run continues, as in Webots; `check` counts it as an error.

    Attributes:
        used: what is done instead, such as `using 1`.
    """

    def __init__(
        self, file: str, line: int, column: int, found: str, used: str, expected: str = "", hint: str = ""
    ) -> None:
        super().__init__(file, line, column, f"{found}, {used}", expected, hint)
        self.used = used

    @property
    def key(self) -> tuple[str, str]:
        """Place of the mistake, and what is done instead."""
        return f"{self.file}:{self.line}:{self.column}", self.used

    @classmethod
    def from_error(cls, error: SceneError, used: str) -> Mistake:
        """Return an error as a mistake."""
        return cls(error.file, error.line, error.column, error.found, used, error.expected, error.hint)


LEFT_OUT = "left out"
"""What is done about something that cannot be used."""
MAX_PER_KIND = 10
"""Number of mistakes of a kind that have a line of their own; the others are counted."""


def bounded(mistakes: Iterable[Mistake]) -> list[Mistake]:
    """Return mistakes without duplicates, and of each kind a limited number, followed by the number of
    others.

    Two are of one kind if their texts begin with the same word, such as `Box.size`.
    """
    kinds: dict[str, dict[str, Mistake]] = {}
    for each in mistakes:
        kinds.setdefault(each.found.split(maxsplit=1)[0], {}).setdefault(str(each), each)
    result = []
    for kind, found in kinds.items():
        result += [*found.values()][:MAX_PER_KIND]
        if (more := len(found) - MAX_PER_KIND) > 0:
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
    """A parameter or a parameter file is wrong."""


class DeviceError(OdesimError):
    """A device cannot be simulated as its node is written, or no such robot or device exists."""


class Code(IntEnum):
    """Error codes, with the numbers of simulation_interfaces/msg/Result."""

    FEATURE_UNSUPPORTED = 0
    OK = 1
    NOT_FOUND = 2
    INCORRECT_STATE = 3
    OPERATION_FAILED = 4


class CommandError(OdesimError):
    """A command was refused and changed nothing.

    Attributes:
        code: one of `Code`, or a service's own code.
    """

    code: int = Code.OPERATION_FAILED

    def __init__(self, text: str, code: int = Code.OPERATION_FAILED) -> None:
        self.code = int(code)
        super().__init__(text)


class RecordingError(OdesimError):
    """A recording cannot be written, read or repeated."""


class SnapshotError(OdesimError):
    """A snapshot cannot be saved as a file, or a file is not a snapshot that can be opened here."""


class MissingPackageError(OdesimError, ImportError):
    """A Python package is not installed; the text says how to install it."""


class PhysicsError(OdesimError):
    """The physics cannot be built from the scene, or cannot be stepped."""


class StateNotFiniteError(PhysicsError):
    """A step led to a state that is not finite; the last finite state is kept.

    Attributes:
        solid: path of the solid whose state is not finite.
        time_ns: sim time of that last state, in nanoseconds.
    """

    def __init__(self, solid: str, time_ns: int) -> None:
        self.solid = solid
        self.time_ns = time_ns
        super().__init__(
            f"{solid}: position or velocity is not finite after the step from {time_ns / 1e9:.6f} s; "
            f"the simulation stopped and keeps the last good state"
        )
