"""Ranges of numbers in fields, as defined by the schema, and the values that Webots uses for others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

NEAREST, ABSOLUTE = "nearest", "absolute"
KEYS = ("least", "above", "most", "below", "none", "zero", "reset")
"""Keys of a range in a field's entry of the schema."""


@dataclass(frozen=True, slots=True)
class Range:
    """Allowed values of a number, or of each number of a vector or of a list.

    Attributes:
        least, most: bounds that are allowed themselves. above, below: bounds that are not.
        none: a value outside the bounds that means "none".
        zero: False: a number, or a vector as a whole, must not be 0.
        reset: replacement for a value outside: a value, the nearest one, or the absolute value (of a number
            that is too large the nearest one).
    """

    least: float = -math.inf
    above: float = -math.inf
    most: float = math.inf
    below: float = math.inf
    none: float | None = None
    zero: bool = True
    reset: Any = NEAREST

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Range | None:
        """Return the range of a field's entry in the schema; None: it has none."""
        given = {key: entry[key] for key in KEYS if key in entry}
        return cls(**given) if given else None

    def allows(self, value: Any) -> bool:
        """Return whether a value, which is a number, a vector, or a list of one of them, is allowed."""
        if isinstance(value, list):
            return all(map(self.allows, value))
        numbers = value if isinstance(value, tuple) else (value,)
        return all(map(self._holds, numbers)) and (self.zero or any(numbers))

    def replacement(self, value: Any) -> Any:
        """Return the replacement of a value that is not allowed, of the same type."""
        if isinstance(value, list):
            return [each if self.allows(each) else self.replacement(each) for each in value]
        if self.reset not in (NEAREST, ABSOLUTE):
            kind = type(value[0] if isinstance(value, tuple) else value)
            return tuple(map(kind, self.reset)) if isinstance(value, tuple) else kind(self.reset)
        bring: Callable[[Any], Any] = self._nearest if self.reset == NEAREST else self._absolute
        return tuple(map(bring, value)) if isinstance(value, tuple) else bring(value)

    def words(self, is_whole: bool, is_single: bool) -> str:
        """Return a description of the allowed values, for messages."""
        many = not is_single
        noun = (
            ("whole numbers" if many else "a whole number") if is_whole else "numbers" if many else "a number"
        )
        if not self.zero:
            return "a vector that is not zero" if many else f"{noun} that is not 0"
        low = f"above {self.above:g}" if self.above > -math.inf else f"of {self.least:g} or more"
        if self.most < math.inf:
            text = f"from {self.least:g} to {self.most:g}"
            text = f"above {self.above:g} and up to {self.most:g}" if self.above > -math.inf else text
        else:
            text = low + (f" and below {self.below:g}" if self.below < math.inf else "")
        return f"{noun} {text}" + (f", or {self.none:g}" if self.none is not None else "")

    def _holds(self, number: float) -> bool:
        if number == self.none:
            return True
        return self.least <= number <= self.most and self.above < number < self.below

    def _nearest(self, number: Any) -> Any:
        kind = type(number)
        return number if self._holds(number) else kind(min(max(number, self.least), self.most))

    def _absolute(self, number: Any) -> Any:
        return self._nearest(abs(number))
