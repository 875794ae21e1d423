"""Python values against field types."""

from typing import Any

import numpy as np
import pytest

from sim_core.scene.node_types import FieldType
from sim_core.scene.values import FIELD_TYPES, checked, describe


def field(kind: str, **more: Any) -> FieldType:
    return FieldType("f", kind, None, **more)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("SFFloat", 1, 1.0),
        ("SFFloat", np.float64(1.5), 1.5),
        ("SFInt32", 3.0, 3),
        ("SFInt32", np.int64(-7), -7),
        ("SFVec3f", np.array([1, 2, 3]), (1.0, 2.0, 3.0)),
        ("SFRotation", [0, 0, 1, 2], (0.0, 0.0, 1.0, 2.0)),
        ("MFVec2f", np.zeros((2, 2)), [(0.0, 0.0), (0.0, 0.0)]),
        ("MFString", ("a", "b"), ["a", "b"]),
        ("SFBool", True, True),
        ("SFNode", None, None),
    ],
)
def test_values_become_plain_python(kind: str, value: Any, expected: Any) -> None:
    result = checked(field(kind), value)
    assert result == expected and type(result) is type(expected)
    if isinstance(result, tuple):
        assert all(type(each) is float for each in result)


@pytest.mark.parametrize("value", [object(), [[1]], {"a": 1}, 10**400, b"x", {1, 2, 3}])
@pytest.mark.parametrize("kind", sorted(FIELD_TYPES))
def test_nonsense_is_a_value_error_for_every_type(kind: str, value: Any) -> None:
    with pytest.raises(ValueError):
        checked(field(kind), value)


def test_older_types_and_allowed_values() -> None:
    gravity = field("SFFloat", also=("SFVec3f",))
    assert checked(gravity, (0, -9.81, 0)) == (0.0, -9.81, 0.0)
    with pytest.raises(ValueError, match=r'^one of "a", "b"$'):
        checked(field("SFString", allowed=("a", "b")), "c")


def test_every_type_has_words() -> None:
    assert all(kind in describe(kind) for kind in FIELD_TYPES)
