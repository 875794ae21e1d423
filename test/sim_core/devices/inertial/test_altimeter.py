from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import DeviceError
from sim_core.devices.inertial.altimeter import air_pressure


def world(fields: str = "", info: str = "", translation: str = "1 2 5") -> str:
    return (
        f"WorldInfo {{ basicTimeStep 5 {info} }} "
        f'Robot {{ name "r" translation {translation} rotation 1 0 0 0.5 children [ '
        f"Altimeter {{ translation 0 0 2 {fields} }} ] }}"
    )


def test_it_is_the_height_of_the_device_above_zero_of_the_reference(rig: Callable[..., Any]) -> None:
    height = 5.0 + 2.0 * math.cos(0.5)
    for info, reference in (("", 0.0), ("gpsReference 7 8 100", 100.0)):
        made = rig(world(info=info))
        made.step()
        assert made["altimeter"].value == pytest.approx(height + reference, abs=1e-12)
    made = rig(world(info='gpsCoordinateSystem "WGS84" gpsReference 46.5 6.6 372'))
    made.step()
    assert made["altimeter"].value == pytest.approx(height + 372.0, abs=1e-12)


def test_a_fall_is_measured_as_it_happens(rig: Callable[..., Any]) -> None:
    made = rig(
        world()
        .replace("children [", "physics Physics { } boundingObject Sphere { radius 0.1 } children [", 1)
        .replace("rotation 1 0 0 0.5", "")
        .replace("translation 0 0 2 ", "")
    )
    made.step(200)
    assert made["altimeter"].value == pytest.approx(5.0 - 9.81 / 2.0, abs=9.81 * 0.005)


def test_noise_has_the_accuracy_as_deviation_and_returns_after_a_reset(rig: Callable[..., Any]) -> None:
    made = rig(world("accuracy 0.3"))

    def record() -> list[float]:
        values = []
        for _ in range(4000):
            made.step()
            values.append(made["altimeter"].value)
        return values

    values = record()
    error = np.array(values) - 5.0 - 2.0 * math.cos(0.5)
    assert abs(error.mean()) < 4 * 0.3 / math.sqrt(4000)
    assert error.std() == pytest.approx(0.3, rel=4 / math.sqrt(8000))
    made.reset()
    assert made["altimeter"].reading is None
    assert record() == values


def test_resolution_takes_the_nearest_multiple(rig: Callable[..., Any]) -> None:
    made = rig(world("resolution 0.5", translation="0 0 4.26").replace("rotation 1 0 0 0.5", ""))
    made.step()
    assert made["altimeter"].value == 6.5


@pytest.mark.parametrize(("field", "value"), [("accuracy", "-1"), ("resolution", "0"), ("resolution", "-2")])
def test_bad_fields_are_refused_by_name(rig: Callable[..., Any], field: str, value: str) -> None:
    with pytest.raises(DeviceError, match=rf"w\.wbt:.*Altimeter\.{field}"):
        rig(world(f"{field} {value}"))


@pytest.mark.parametrize(
    ("geopotential", "pressure"), [(0.0, 101325.0), (1000.0, 89874.6), (5000.0, 54019.9), (11000.0, 22632.1)]
)
def test_the_air_is_that_of_the_standard_atmosphere(geopotential: float, pressure: float) -> None:
    """The values are those of the table of ICAO, whose heights H are geopotential: h = R·H/(R - H)."""
    earth = 6356766.0
    height = earth * geopotential / (earth - geopotential)
    assert air_pressure(height) == pytest.approx(pressure, abs=0.5)
