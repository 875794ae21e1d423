"""Checks of device fields; each error names the place, the field, what was found and what was expected."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim_core.base.errors import DeviceError
from sim_core.model.device_spec import NodeSpec

DISABLED = -1.0
FINEST = 1e-100
"""A resolution that no number of a reading can show: as good as none."""
LARGEST = 1e100
"""A deviation of which sums and squares are numbers yet."""
WHOLE = 2.0**52
"""Beyond this all numbers are whole."""
ALL_AROUND = -2.0
"""Cosine that that of every angle is above, whatever its rounding."""


def refuse(spec: NodeSpec, field: str, found: object, expected: str) -> DeviceError:
    """The error for a field whose value a device cannot have."""
    return DeviceError(f"{spec.where}: {spec.type_name}.{field}: found {found}, expected {expected}")


def number_at_least(spec: NodeSpec, field: str, low: float, high: float = math.inf) -> float:
    """The value of a number field that lies in [low, high].

    Raises:
        DeviceError: it does not, or is not finite.
    """
    value: float = spec[field]
    if not (math.isfinite(value) and low <= value <= high):
        limits = f"a number of at least {low:g}" if high == math.inf else f"a number from {low:g} to {high:g}"
        raise refuse(spec, field, value, limits)
    return value


def finite_number(spec: NodeSpec, field: str) -> float:
    """The value of a number field.

    Raises:
        DeviceError: it is not finite.
    """
    value: float = spec[field]
    if not math.isfinite(value):
        raise refuse(spec, field, value, "a finite number")
    return value


def numbers_or_none(spec: NodeSpec, field: str, count: int) -> tuple[float, ...] | None:
    """The values of a field of numbers that are `count`, or none at all.

    Raises:
        DeviceError: they are others in number, or one is not finite.
    """
    values = tuple(spec[field])
    if not values:
        return None
    if len(values) != count or not all(map(math.isfinite, values)):
        raise refuse(spec, field, values, f"{count} finite numbers, or none")
    return values


def positive_number(spec: NodeSpec, field: str) -> float:
    """The value of a number field that is above 0.

    Raises:
        DeviceError: it is not, or is not finite.
    """
    value: float = spec[field]
    if not (math.isfinite(value) and value > 0.0):
        raise refuse(spec, field, value, "a number above 0")
    return value


def count_at_least(spec: NodeSpec, field: str, low: int) -> int:
    """The value of an integer field that is at least `low`.

    Raises:
        DeviceError: it is less.
    """
    value: int = spec[field]
    if value < low:
        raise refuse(spec, field, value, f"{low} or more")
    return value


def number_or_off(spec: NodeSpec, field: str, off: float = DISABLED, without: str = "none") -> float:
    """The value of a number field that is at least 0; `off`, in words `without`, if the field is -1.

    Raises:
        DeviceError: it is something else, or not finite.
    """
    value: float = spec[field]
    if value == DISABLED:
        return off
    if not 0.0 <= value < math.inf:
        raise refuse(spec, field, value, f"a number of at least 0, or -1 for {without}")
    return value


def one_of(spec: NodeSpec, field: str, names: Iterable[str]) -> str:
    """A word of these, without regard to case.

    Raises:
        DeviceError: it is another.
    """
    name: str = spec[field].lower()
    if name not in names:
        *others, last = (f'"{each}"' for each in names)
        raise refuse(spec, field, f'"{spec[field]}"', f"{', '.join(others)} or {last}")
    return name


def cone_of(spec: NodeSpec) -> float:
    """Cosine of half the `aperture`, the cone round the device's x axis; `ALL_AROUND` if the field is -1.

    Raises:
        DeviceError: the aperture is neither -1 nor above 0 and at most 2π.
    """
    aperture: float = spec["aperture"]
    if aperture == DISABLED:
        return ALL_AROUND
    if not 0.0 < aperture <= 2.0 * math.pi:
        raise refuse(spec, "aperture", aperture, "an angle above 0 and up to 2π rad, or -1 for all around")
    return math.cos(aperture / 2.0)


def noise_of(spec: NodeSpec, unit: float = 1.0) -> float:
    """The standard deviation that `noise` stands for: so many times a unit.

    Raises:
        DeviceError: the field is negative, or no number could show it.
    """
    return unit * number_at_least(spec, "noise", 0.0, LARGEST / max(unit, 1.0))


def resolution_of(spec: NodeSpec, field: str = "resolution") -> float | None:
    """The smallest change a sensor can measure; None if the field is -1.

    Raises:
        DeviceError: neither -1 nor above 0.
    """
    value: float = spec[field]
    if value == DISABLED:
        return None
    if not (math.isfinite(value) and value > 0.0):
        raise refuse(spec, field, value, "a number above 0, or -1 for none")
    return value if value > FINEST else None


def rounded(value: float, resolution: float | None) -> float:
    """The multiple of the resolution nearest to a value (halves go up); None rounds nothing."""
    if resolution is None or not math.isfinite(value):
        return value
    steps = value / resolution
    return resolution * math.floor(steps + 0.5) if abs(steps) < WHOLE else value


def total_deviation(deviation: float, resolution: float | None) -> float:
    """Standard deviation of a value with noise that is then rounded.

    What rounding to steps of r changes is about uniform in ±r/2, of variance r²/12.
    """
    if resolution is None:
        return deviation
    return math.sqrt(deviation * deviation + resolution * resolution / 12.0)  # a power would raise at 1e200
