"""Ranges: what a number can be, and what is taken for one that cannot."""

from typing import Any

import pytest

from sim_core.scene.node_types import FieldType, all_node_types
from sim_core.scene.ranges import ABSOLUTE, Range
from sim_core.scene.values import checked

FIELDS = {
    f"{node_type.name}.{field.name}": field
    for node_type in all_node_types().values()
    for field in node_type.fields.values()
    if field.range is not None
}
NUMBERS = (-1e12, -20000.0, -400.0, -3.0, -1.0, -0.5, 0.0, 1e-7, 0.5, 1.0, 3.0, 400.0, 20000.0, 1e12)


def _values(field: FieldType) -> list[Any]:
    """Values of a field's type, possible ones and others."""
    kind = field.type.removeprefix("MF").removeprefix("SF")
    whole = [int(each) for each in NUMBERS if abs(each) < 1e9]
    single: list[Any] = {
        "Int32": whole,
        "Float": list(NUMBERS),
        "Vec2f": [(a, b) for a in NUMBERS for b in (0.0, a, 1.0)],
        "Vec3f": [(a, b, 0.0) for a in NUMBERS for b in (0.0, a, 1.0)],
        "Color": [(a, 0.5, a) for a in NUMBERS],
    }[kind]
    return [[each, each] for each in single] if field.type.startswith("MF") else single


@pytest.mark.parametrize("name", FIELDS)
def test_what_a_field_is_reset_to_is_possible_and_of_its_type(name: str) -> None:
    field = FIELDS[name]
    assert field.range is not None and field.range.allows(field.default)
    for value in _values(field):
        taken = value if field.range.allows(value) else field.range.replacement(value)
        assert field.range.allows(taken), value
        assert repr(checked(field, taken)) == repr(taken)
    assert field.range.words(False, True)


@pytest.mark.parametrize(
    ("range_", "value", "taken", "words"),
    [
        (Range(least=1, most=8), -4, 1, "a whole number from 1 to 8"),
        (Range(least=1, most=8), 9, 8, "a whole number from 1 to 8"),
        (Range(above=0, reset=3), 0, 3, "a whole number above 0"),
        (Range(above=0, none=-1, reset=-1), -2, -1, "a whole number above 0, or -1"),
        (Range(least=0, reset=ABSOLUTE), -5, 5, "a whole number of 0 or more"),
        (Range(least=0, most=4, reset=ABSOLUTE), -5, 4, "a whole number from 0 to 4"),
        (Range(zero=False, reset=1), 0, 1, "a whole number that is not 0"),
        (Range(above=0, below=9, reset=3), 9, 3, "a whole number above 0 and below 9"),
        (Range(above=0, most=9, reset=3), 10, 3, "a whole number above 0 and up to 9"),
    ],
)
def test_numbers(range_: Range, value: int, taken: int, words: str) -> None:
    assert not range_.allows(value)
    assert range_.replacement(value) == taken and range_.allows(taken)
    assert range_.words(True, True) == words


def test_vectors_and_lists() -> None:
    colour = Range(least=0, most=1)
    assert colour.replacement((-1.0, 0.5, 2.0)) == (0.0, 0.5, 1.0)
    assert colour.replacement([(0.5, 0.5, 0.5), (2.0, 0.0, 0.0)]) == [(0.5, 0.5, 0.5), (1.0, 0.0, 0.0)]
    axis = Range(zero=False, reset=[1, 0, 0])
    assert axis.allows((0.0, -1.0, 0.0)) and not axis.allows((0.0, 0.0, 0.0))
    assert axis.replacement((0.0, 0.0, 0.0)) == (1.0, 0.0, 0.0)
    assert axis.words(False, False) == "a vector that is not zero"
    friction = Range(least=0, none=-1, reset=1)
    assert friction.allows([-1.0, 0.0]) and friction.replacement([-1.0, -2.0, 5.0]) == [-1.0, 1.0, 5.0]
    assert Range.from_entry({"type": "SFFloat"}) is None
