"""Converts plain data (see `state.py`) to JSON and arrays and back, exactly to the last bit.

Values that JSON cannot hold are objects with one key for their type: `list`, `deque`, `set`, `frozenset`,
`dict` (list of pairs), `bytes` (base 64), `array` and `scalar` (index in the list of arrays, which are
stored separately), or the index of a record type in the table of records. JSON lists are tuples.

Reading creates only record types of odesim and sets their fields without running their code, so that opening
a file of unknown origin runs nothing from it. Each field must have its declared type.
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
"""Prefix of the modules whose records are written and read."""
_CONTAINERS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "list": list, "deque": deque, "set": set, "frozenset": frozenset, "dict": dict,
}  # fmt: skip


@dataclass
class PlainData:
    """Values written as plain data.

    Attributes:
        records: module, name and fields of each record type.
        arrays: the arrays of the values.
    """

    records: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    arrays: list[NDArray[Any]] = field(default_factory=list)
    _numbers: dict[type, int] = field(default_factory=dict, repr=False)
    _found: list[tuple[type, tuple[str, ...]]] = field(default_factory=list, repr=False)

    def written(self, value: Any, where: str) -> Any:
        """Return a value in the form that JSON can hold.

        Args:
            value: plain data.
            where: name of the value in error messages.

        Raises:
            SnapshotError: part of it is not plain data.
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
        """Return the value of a written form.

        Raises:
            SnapshotError: it names an unknown record type, or one with other fields.
            KeyError, IndexError, TypeError, ValueError: it was not made by `written`, or a field has not its
                declared type.
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
    """Check that fields have their declared types.

    Raises:
        ValueError: one has not.
    """
    checks = field_checks(kind)
    for name, value in values:
        fits, declared = checks[name]
        if not fits(value):
            raise ValueError(f"{kind.__name__}.{name}: found {repr(value)[:60]}, expected {declared}")


def _fields_of(kind: Any) -> tuple[str, ...] | None:
    """Return the names of a record's fields; None: it is not a record."""
    if issubclass(kind, Enum):
        return ("name",)
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", None)
    if dataclasses.is_dataclass(kind):
        return tuple(each.name for each in dataclasses.fields(kind))
    return None


def _loaded(module: str, name: str, fields: Iterable[str]) -> type:
    """Return the class of a record by name.

    Raises:
        SnapshotError: odesim has none of that name, or it has other fields.
    """
    found: Any = None
    if module.startswith(OWN):
        with suppress(ImportError):
            found = vars(import_module(module)).get(name)
    if not isinstance(found, type) or (names := _fields_of(found)) is None:
        raise SnapshotError(f"found the record {module}.{name}, which this version does not have")
    if names != tuple(fields):
        raise SnapshotError(f"found a {name} of {', '.join(fields)}, expected {', '.join(names)}")
    return found
