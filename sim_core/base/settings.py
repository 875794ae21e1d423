"""Declaration of settings: type, default and limits, given once with the dataclass field.

    speed: float = setting(1.0, "simulated seconds per second", low=0.0, above=True)

Parameter files, sweeps, ROS parameters, options and documents use the rule made from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar

from sim_core.base.errors import ConfigError, hint

HIGHEST = 2**63 - 1
"""Largest whole number of a ROS parameter."""
_RULE = "rule"
Default = TypeVar("Default")
_TYPES: dict[str, type] = {"float": float, "int": int, "bool": bool, "str": str, "tuple[str, ...]": list}
"""Types by the text of a field's annotation (`from __future__ import annotations`), without ` | None`."""
_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "a text", list: "names"}


class Rule(NamedTuple):
    """Type, default and limits of a setting."""

    type: type
    """float (an int is accepted), int, bool, str, or list (of strings)."""
    default: Any
    """None: not set, as in the world file or at the enclosing level."""
    about: str
    """Meaning in one line; it continues after the unit."""
    low: float = -math.inf
    """Lowest value; excluded if `above` is True."""
    above: bool = False
    choices: tuple[str, ...] = ()
    high: float = math.inf
    """Highest value."""
    endings: tuple[str, ...] = ()
    """Allowed endings of a file name."""
    form: tuple[str, str] = ("", "")
    """Regular expression that a text must match, and its description."""
    unit: str = ""
    values: Mapping[str, Any] | None = None
    """Values of the choices in the dataclass, if they are not the texts."""

    @property
    def description(self) -> str:
        """Unit and meaning in one line."""
        return f"{self.unit} {self.about}".strip()

    def check(self, value: Any, where: str) -> Any:
        """Return the value in the setting's type.

        Raises:
            ConfigError: it has another type or exceeds a limit.
        """
        if isinstance(value, Real) and not isinstance(value, bool):
            if self.type is float:
                value = float(value)
            elif self.type is int and isinstance(value, Integral):
                value = int(value)
        if self.type is list and isinstance(value, tuple):
            value = list(value)
        fits = isinstance(value, self.type) and (self.type is not int or not isinstance(value, bool))
        if fits and self.type is list:
            fits = all(isinstance(item, str) for item in value)
        if fits and self.type is int:
            fits = abs(value) <= HIGHEST
        if fits and self.type in (float, int):
            fits = math.isfinite(value) and (value > self.low if self.above else value >= self.low)
            fits = fits and value <= self.high
        if fits and self.choices:
            fits = value in self.choices
        if fits and self.endings:
            fits = value.lower().endswith(self.endings)
        if fits and self.form[0]:
            fits = re.fullmatch(self.form[0], value) is not None
        if not fits:
            shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
            raise ConfigError(
                f"{where}: found {shown}, expected {self.expected()}{hint(str(value), self.choices)}"
            )
        return value

    def convert(self, value: Any, where: str) -> Any:
        """Return the value for the dataclass from that of a file or a sweep.

        Raises:
            ConfigError: as `check`.
        """
        checked = self.check(value, where)
        if self.values is not None:
            return self.values[checked]
        return tuple(checked) if self.type is list else checked

    def expected(self) -> str:
        """Return a description of the allowed values."""
        if self.choices:
            return " or ".join([", ".join(self.choices[:-1]), self.choices[-1]])
        if self.endings:
            return f"a file that ends in {' or '.join(self.endings)}"
        if self.form[1]:
            return self.form[1]
        kind = _WORDS[self.type]
        if self.low == -math.inf:
            return kind
        if self.high < math.inf:
            low = f"above {self.low:g} and up" if self.above else f"from {self.low:g}"
            return f"{kind} {low} to {self.high:g}"
        return f"{kind} {f'above {self.low:g}' if self.above else f'of {self.low:g} or more'}"


def setting(
    default: Default,
    about: str,
    unit: str = "",
    low: float = -math.inf,
    high: float = math.inf,
    *,
    above: bool = False,
    choices: Iterable[str] = (),
    endings: tuple[str, ...] = (),
    form: tuple[str, str] = ("", ""),
) -> Default:
    """Declare a dataclass field as a setting, as `dataclasses.field`; its type is that of the annotation.

    The other arguments are fields of `Rule`; `choices` may map texts to values.
    """
    values = choices if isinstance(choices, Mapping) else None
    rule = Rule(str, default, about, low, above, tuple(choices), high, endings, form, unit, values)
    return field(default=default, metadata={_RULE: rule})


def rules_of(config: type) -> Mapping[str, Rule]:
    """Return the rules of a dataclass's settings, by field name."""
    found: dict[str, Rule] = {}
    for item in fields(config):
        if _RULE in item.metadata:
            rule: Rule = item.metadata[_RULE]
            kind = str if rule.choices else _TYPES[str(item.type).removesuffix(" | None")]
            found[item.name] = rule._replace(type=kind)
    return found


def check_settings(config: Any, before: str = "") -> None:
    """Check that the values of a dataclass obey their rules.

    Args:
        config: an instance; None values are not checked.
        before: prefix of names in messages.

    Raises:
        ConfigError: a value does not.
    """
    for name, rule in rules_of(type(config)).items():
        value = getattr(config, name)
        if value is not None and rule.values is None:
            rule.check(value, before + name)
