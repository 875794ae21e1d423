"""Checks of values against declared field types."""

from __future__ import annotations

import dataclasses
import pkgutil
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

import sim_core
from sim_core.base.field_types import field_checks, fits
from sim_core.base.state import State

Bound = TypeVar("Bound", bound=int)
FITS: list[tuple[Any, list[Any], list[Any]]] = [
    (int, [0, -3, np.int64(1)], [True, 0.5, "1", None, np.bool_(True)]),
    (float, [0, 0.5, float("nan"), np.float32(1)], [True, "1", None, 1j]),
    (bool, [True, np.bool_(False)], [0, 1, None]),
    (str, ["", "a"], [b"", 1, None]),
    (int | None, [1, None], ["", 0.5]),
    (Literal["a", 1], ["a", 1], ["b", True, 1.0]),
    (tuple[int, str], [(1, "a")], [(1,), (1, "a", 2), ["1", "a"], ("a", 1)]),
    (tuple[int, ...], [(), (1, 2)], [(1, "a"), [1], 1]),
    (list[float], [[], [1, 0.5]], [(1.0,), [None], 1.0]),
    (deque[int], [deque(), deque([1])], [[1], deque(["a"])]),
    (set[str], [set(), {"a"}], [frozenset(), {1}]),
    (dict[str, tuple[int, int]], [{}, {"a": (1, 2)}], [{"a": 1}, {1: (1, 2)}, []]),
    (Mapping[int, str], [{1: "a"}], [{"a": 1}]),
    (Sequence[int], [[1], (1,)], [1, [None]]),
    (NDArray[np.float64], [np.zeros(2), np.zeros((1, 0))], [np.zeros(2, int), np.float64(1), [0.0]]),
    (NDArray[np.uint8], [np.zeros(2, np.uint8)], [np.zeros(2, np.int8), np.zeros(2)]),
    (NDArray[Any], [np.zeros(2, bool)], [[1]]),
    (Bound, [1], ["a"]),
    (Any, [None, print], []),
    (None, [None], [0, False]),
]


@pytest.mark.parametrize("number", range(len(FITS)))
def test_values_are_accepted_or_rejected(number: int) -> None:
    hint, well, badly = FITS[number]
    check = fits(hint)
    assert [value for value in well if not check(value)] == []
    assert [value for value in badly if check(value)] == []


class Pair(NamedTuple):
    first: int
    second: str = ""


def test_records_are_checked_field_by_field() -> None:
    checks = field_checks(Pair)
    assert {name: declared for name, (_, declared) in checks.items()} == {"first": "int", "second": "str"}
    assert checks["first"][0](1) and not checks["first"][0]("a")


def subclasses(kind: type) -> Iterator[type]:
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def test_every_state_declares_the_types_of_its_fields() -> None:
    """A type that exists for type checkers only would be found when a snapshot is opened."""
    for module in pkgutil.walk_packages(sim_core.__path__, "sim_core."):
        if not module.name.endswith((".worker", ".process", ".__main__")):
            import_module(module.name)
    states = [kind for kind in subclasses(State) if kind.__module__.startswith("sim_core.")]
    assert len(states) > 40
    for kind in states:
        assert {field.name for field in dataclasses.fields(kind)} <= field_checks(kind).keys()
