"""Plain data (see `state.py`) as JSON and arrays, and back, equal in all bits.

JSON holds what it can hold; all else is an object with one key that says what it is: `list`, `deque`, `set`,
`frozenset`, `dict` (of pairs), `bytes` (base 64), `array` and `scalar` (by their number among the arrays,
which are kept beside), or the number of a record in the table of records. JSON's lists are tuples.

Reading makes nothing but records of odesim's own, and sets their fields without running any code of theirs:
who opens a file of a stranger runs nothing that came with it. Each field must hold what it is declared to.
"""

from __future__ import annotations

import base64
import dataclasses
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import SnapshotError
from sim_core.base.field_types import field_checks

OWN = "sim_core."
"""Modules whose records are written and read."""
_CONTAINERS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "list": list, "deque": deque, "set": set, "frozenset": frozenset, "dict": dict,
}  # fmt: skip


@dataclass
class Plain:
    """Values written as plain data.

    Attributes:
        records: module, name and fields of each kind of record.
        arrays: those that the values hold.
    """

    records: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    arrays: list[NDArray[Any]] = field(default_factory=list)
    _numbers: dict[type, int] = field(default_factory=dict, repr=False)
    _found: list[tuple[type, tuple[str, ...]]] = field(default_factory=list, repr=False)

    def written(self, value: Any, where: str) -> Any:
        """A value as what JSON can hold.

        Args:
            value: plain data.
            where: names it in errors.

        Raises:
            SnapshotError: part of it is no plain data.
        """
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        if kind is tuple:
            return [self.written(each, where) for each in value]
        if kind is bytes:
            return {"bytes": base64.b64encode(value).decode()}
        if kind in (list, deque):
            return {kind.__name__: [self.written(each, where) for each in value]}
        if kind in (set, frozenset):
            return {kind.__name__: [self.written(each, where) for each in sorted(value)]}
        if kind is dict:
            pairs = [[self.written(key, where), self.written(each, where)] for key, each in value.items()]
            return {"dict": pairs}
        if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            self.arrays.append(np.asarray(value))
            number = len(self.arrays) - 1
            if isinstance(value, np.generic):
                return {"scalar": number}
            return {"array": [number, value.flags.writeable]}
        names = _fields_of(kind)
        if names is None or not kind.__module__.startswith(OWN):
            found = f"{kind.__module__}.{kind.__qualname__}"
            raise SnapshotError(f"{where}: found a {found}, which has no form as data")
        held = (value.name,) if isinstance(value, Enum) else tuple(getattr(value, name) for name in names)
        return {str(self._number(kind, names)): [self.written(each, where) for each in held]}

    def read(self, written: Any) -> Any:
        """The value that was written.

        Raises:
            SnapshotError: it names a record that is not there, or has other fields here.
            KeyError, IndexError, TypeError, ValueError: nothing that `written` writes, or a field of a record
                holds something else than is declared.
        """
        if isinstance(written, list):
            return tuple([self.read(each) for each in written])
        if not isinstance(written, dict):
            return written
        ((what, held),) = written.items()
        if what in _CONTAINERS:
            return _CONTAINERS[what](self.read(held))
        if what == "bytes":
            return base64.b64decode(held, validate=True)
        if what == "scalar":
            return self.arrays[held][()]
        if what == "array":
            array = self.arrays[held[0]].copy()
            array.flags.writeable = held[1]
            return array
        kind, names = self._kinds[int(what)]
        values = self.read(held)
        if issubclass(kind, Enum):
            return kind[values[0]]
        if len(values) != len(names):
            raise ValueError(f"a {kind.__name__} of {len(values)} values")
        _check_fields(kind, zip(names, values, strict=True))
        if issubclass(kind, tuple):
            return tuple.__new__(kind, values)
        record = object.__new__(kind)
        for name, value in zip(names, values, strict=True):
            object.__setattr__(record, name, value)
        return record

    @property
    def _kinds(self) -> list[tuple[type, tuple[str, ...]]]:
        """The classes of the records."""
        if len(self._found) != len(self.records):
            self._found = [(_loaded(*record), record[2]) for record in self.records]
        return self._found

    def _number(self, kind: type, names: tuple[str, ...]) -> int:
        number = self._numbers.get(kind)
        if number is None:
            number = self._numbers[kind] = len(self.records)
            self.records.append((kind.__module__, kind.__qualname__, names))
        return number


def _check_fields(kind: Any, values: Iterable[tuple[str, Any]]) -> None:
    """Refuse fields that hold something else than is declared.

    Raises:
        ValueError: one does.
    """
    checks = field_checks(kind)
    for name, value in values:
        fits, declared = checks[name]
        if not fits(value):
            raise ValueError(f"{kind.__name__}.{name}: found {repr(value)[:60]}, expected {declared}")


def _fields_of(kind: Any) -> tuple[str, ...] | None:
    """Names of the fields of a record; None: it is none."""
    if issubclass(kind, Enum):
        return ("name",)
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", None)
    if dataclasses.is_dataclass(kind):
        return tuple(each.name for each in dataclasses.fields(kind))
    return None


def _loaded(module: str, name: str, fields: Iterable[str]) -> type:
    """The class of a record, by its name.

    Raises:
        SnapshotError: there is none of that name in odesim, or it has other fields.
    """
    found: Any = None
    if module.startswith(OWN):
        with suppress(ImportError):
            found = vars(import_module(module)).get(name)
    if not isinstance(found, type) or (names := _fields_of(found)) is None:
        raise SnapshotError(f"found the record {module}.{name}, which is not known here")
    if names != tuple(fields):
        raise SnapshotError(f"found a {name} of {', '.join(fields)}, expected {', '.join(names)}")
    return found
