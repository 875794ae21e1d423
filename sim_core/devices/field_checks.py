"""Checks of device fields; each error names the place, the field, what was found and what was expected."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim_core.base.errors import DeviceError
from sim_core.model.device_spec import NodeSpec

DISABLED = -1.0
MIN_RESOLUTION = 1e-100
"""Resolution below which rounding has no effect on any number of a reading."""
MAX_DEVIATION = 1e100
"""Largest standard deviation whose sums and squares are still finite."""
ALL_WHOLE_FROM = 2.0**52
"""All floating point numbers beyond this are whole."""
ALL_DIRECTIONS = -2.0
"""Stands for "all directions": less than the cosine of any angle, also after rounding."""


def field_error(spec: NodeSpec, field: str, found: object, expected: str) -> DeviceError:
    """Return the error for a field with a value that the device cannot have."""
    return DeviceError(f"{spec.where}: {spec.type_name}.{field}: found {found}, expected {expected}")


def number_at_least(spec: NodeSpec, field: str, low: float, high: float = math.inf) -> float:
    """Return the value of a number field that must lie in [low, high].

    Raises:
        DeviceError: it does not, or is not finite.
    """
    value: float = spec[field]
    if not (math.isfinite(value) and low <= value <= high):
        limits = f"a number of at least {low:g}" if high == math.inf else f"a number from {low:g} to {high:g}"
        raise field_error(spec, field, value, limits)
    return value


def finite_number(spec: NodeSpec, field: str) -> float:
    """Return the value of a number field that must be finite.

    Raises:
        DeviceError: it is not finite.
    """
    value: float = spec[field]
    if not math.isfinite(value):
        raise field_error(spec, field, value, "a finite number")
    return value


def numbers_or_none(spec: NodeSpec, field: str, count: int) -> tuple[float, ...] | None:
    """Return the values of a field that must have `count` numbers or be empty; None if it is empty.

    Raises:
        DeviceError: another number of values, or one is not finite.
    """
    values = tuple(spec[field])
    if not values:
        return None
    if len(values) != count or not all(map(math.isfinite, values)):
        raise field_error(spec, field, values, f"{count} finite numbers, or none")
    return values


def positive_number(spec: NodeSpec, field: str) -> float:
    """Return the value of a number field that must be above 0.

    Raises:
        DeviceError: it is not, or is not finite.
    """
    value: float = spec[field]
    if not (math.isfinite(value) and value > 0.0):
        raise field_error(spec, field, value, "a number above 0")
    return value


def count_at_least(spec: NodeSpec, field: str, low: int) -> int:
    """Return the value of an integer field that must be at least `low`.

    Raises:
        DeviceError: it is less.
    """
    value: int = spec[field]
    if value < low:
        raise field_error(spec, field, value, f"{low} or more")
    return value


def number_or_off(spec: NodeSpec, field: str, off: float = DISABLED, without: str = "none") -> float:
    """Return a number of at least 0; `off`, called `without` in messages, if the field is -1.

    Raises:
        DeviceError: it is something else, or not finite.
    """
    value: float = spec[field]
    if value == DISABLED:
        return off
    if not 0.0 <= value < math.inf:
        raise field_error(spec, field, value, f"a number of at least 0, or -1 for {without}")
    return value


def one_of(spec: NodeSpec, field: str, names: Iterable[str]) -> str:
    """Return the value of a text field that must be one of these names, in lower case; case is ignored.

    Raises:
        DeviceError: it is another.
    """
    name: str = spec[field].lower()
    if name not in names:
        *others, last = (f'"{each}"' for each in names)
        raise field_error(spec, field, f'"{spec[field]}"', f"{', '.join(others)} or {last}")
    return name


def cone_of(spec: NodeSpec) -> float:
    """Return the cosine of half the `aperture`, the cone around the device's x axis; `ALL_DIRECTIONS` for -1.

    Raises:
        DeviceError: the aperture is neither -1 nor above 0 and at most 2π.
    """
    aperture: float = spec["aperture"]
    if aperture == DISABLED:
        return ALL_DIRECTIONS
    if not 0.0 < aperture <= 2.0 * math.pi:
        raise field_error(
            spec, "aperture", aperture, "an angle above 0 and up to 2π rad, or -1 for all around"
        )
    return math.cos(aperture / 2.0)


def noise_of(spec: NodeSpec, unit: float = 1.0) -> float:
    """Return the standard deviation given by the field `noise`, in multiples of a unit.

    Raises:
        DeviceError: the field is negative or too large.
    """
    return unit * number_at_least(spec, "noise", 0.0, MAX_DEVIATION / max(unit, 1.0))


def resolution_of(spec: NodeSpec, field: str = "resolution") -> float | None:
    """Return the smallest change that a sensor can measure; None if the field is -1.

    Raises:
        DeviceError: neither -1 nor above 0.
    """
    value: float = spec[field]
    if value == DISABLED:
        return None
    if not (math.isfinite(value) and value > 0.0):
        raise field_error(spec, field, value, "a number above 0, or -1 for none")
    return value if value > MIN_RESOLUTION else None


def rounded(value: float, resolution: float | None) -> float:
    """Return the multiple of the resolution nearest to a value (halves go up); None: the value itself."""
    if resolution is None or not math.isfinite(value):
        return value
    steps = value / resolution
    return resolution * math.floor(steps + 0.5) if abs(steps) < ALL_WHOLE_FROM else value


def total_deviation(deviation: float, resolution: float | None) -> float:
    """Return the standard deviation of a value with noise that is then rounded.

    Rounding to steps of r adds an error that is about uniform in ±r/2, of variance r²/12.
    """
    if resolution is None:
        return deviation
    # `**` would raise OverflowError at 1e200
    return math.sqrt(deviation * deviation + resolution * resolution / 12.0)
