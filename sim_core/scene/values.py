"""Field types of VRML97 and the check of Python values against them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from typing import Any

from sim_core.scene.node_types import FieldType

COMPONENTS = {"SFVec2f": 2, "SFVec3f": 3, "SFColor": 3, "SFRotation": 4}
"""Number of floats of tuple types."""

SINGLE_TYPES = ("SFBool", "SFInt32", "SFFloat", "SFString", "SFNode", *COMPONENTS)
FIELD_TYPES = frozenset(SINGLE_TYPES) | {"MF" + name[2:] for name in SINGLE_TYPES}

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1

DESCRIPTIONS = {
    "SFBool": "TRUE or FALSE",
    "SFInt32": "a whole number",
    "SFFloat": "a number",
    "SFString": 'a string in "quotes"',
    "SFVec2f": "2 numbers",
    "SFVec3f": "3 numbers",
    "SFColor": "3 numbers (red green blue)",
    "SFRotation": "4 numbers (axis x y z, angle)",
    "SFNode": "a node or NULL",
}


def describe(type_name: str) -> str:
    """Return a description of a field type, for messages."""
    words = DESCRIPTIONS["SF" + type_name[2:]]
    return f"{words} ({type_name})" if type_name.startswith("SF") else f"[ ] with {words} each ({type_name})"


def checked(field: FieldType, value: Any) -> Any:
    """Return the value in the form of `Node`: ints become floats, sequences become tuples or lists.

    Raises:
        ValueError: the value is not of the field's type (or of a type it also takes) or not an allowed one;
            the text states what was expected.
    """
    for type_name in (field.type, *field.also):
        try:
            result = _typed(type_name, value)
        except (TypeError, ValueError, OverflowError):
            continue
        if field.allowed:
            items = result if isinstance(result, list) else [result]
            if any(item not in field.allowed for item in items):
                raise ValueError(one_of(field))
        return result
    raise ValueError(describe(field.type))


def one_of(field: FieldType) -> str:
    """Return a description of the allowed values of a field."""
    return "one of " + ", ".join(
        f'"{each}"' if isinstance(each, str) else str(each) for each in field.allowed
    )


def _typed(type_name: str, value: Any) -> Any:
    if isinstance(value, (bytes, Mapping, Set)):
        raise TypeError
    if type_name.startswith("MF"):
        if isinstance(value, str):
            raise TypeError
        result = [_typed("SF" + type_name[2:], item) for item in value]
        if type_name == "MFNode" and None in result:
            raise ValueError
        return result
    if type_name in COMPONENTS:
        components = tuple(_finite(item) for item in value)
        if len(components) != COMPONENTS[type_name]:
            raise ValueError
        return components
    if type_name == "SFFloat":
        return _finite(value)
    if type_name == "SFInt32":
        if isinstance(value, bool) or int(value) != value or not INT32_MIN <= value <= INT32_MAX:
            raise ValueError
        return int(value)
    if type_name in ("SFBool", "SFString"):
        if not isinstance(value, bool if type_name == "SFBool" else str):
            raise TypeError
        if isinstance(value, str) and not value.isascii():
            # raises an error for a lone surrogate, which neither files nor messages can contain
            value.encode()
        return value
    if value is not None and not hasattr(value, "node_type"):
        raise TypeError
    return value


def _finite(value: Any) -> float:
    if isinstance(value, (str, bytes, bool)):
        raise TypeError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number
