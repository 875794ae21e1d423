"""Parameters of a car, which the PROTO `Car` writes into the robot's customData."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

ENGINES = "CEPS"
"""Letters of the engine types by Webots' numbers."""
COMBUSTION, ELECTRIC, PARALLEL_HYBRID, POWER_SPLIT_HYBRID = range(4)
LEAST_GEARS = 2


@dataclass(frozen=True)
class CarParameters:
    """Parameters in the order of customData; lengths in m, torques in N·m, powers in W.

    Attributes:
        front_radius, rear_radius: radii of the wheels; -1: unknown.
        brake_coefficient: largest braking torque at each wheel, N·m.
        wheels_damping: damping of each wheel's joint, N·m·s/rad.
        engine: number of the engine type.
        torque_curve: a, b, c of the torque a + b·rpm + c·rpm² of a combustion engine.
        split_ratio: fraction of the combustion engine's power that charges the battery.
        gear_ratios: ratio of each gear, see `engine.gear_ratio`; the first, negative, is the reverse gear.
        sound: sound file of the engine, or "none".
    """

    wheelbase: float
    front_track: float
    rear_track: float
    front_radius: float
    rear_radius: float
    brake_coefficient: float
    wheels_damping: float
    engine: int
    max_torque: float
    max_power: float
    min_rpm: float
    max_rpm: float
    torque_curve: tuple[float, float, float]
    split_ratio: float
    split_rpm: float
    sound_rpm: float
    gear_ratios: tuple[float, ...]
    sound: str


def read_parameters(custom_data: str) -> CarParameters:
    """Return the parameters in a robot's customData.

    Raises:
        ValueError: they are not parameters of a car; the message gives the reason.
    """
    words = custom_data.split()
    try:
        if len(words) < 20:
            raise ValueError(f"found {len(words)} values, expected 20 and the ratios of the gears")
        if words[7] not in ENGINES:
            raise ValueError(f'found the engine "{words[7]}", expected one of {", ".join(ENGINES)}')
        head = _numbers(words[:7])
        engine = _numbers(words[8:18])
        gears = int(words[18])
        if gears < LEAST_GEARS:
            raise ValueError(f"found {gears} gears, expected {LEAST_GEARS} or more")
        ratios = _numbers(words[20 : 20 + gears])
        if len(ratios) < gears:
            raise ValueError(f"found {len(ratios)} ratios of gears, expected {gears}")
    except ValueError as error:
        raise ValueError(f"the robot's customData is not what the PROTO Car writes: {error}") from None
    kind, curve, sound = ENGINES.index(words[7]), tuple(engine[4:7]), " ".join(words[20 + gears :])
    values: Sequence[Any] = (*head, kind, *engine[:4], curve, *engine[7:], tuple(ratios), sound)
    return CarParameters(*values)


def _numbers(words: Sequence[str]) -> list[float]:
    return [float(word) for word in words]
