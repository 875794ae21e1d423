"""Radar: the radar equation, its limits, cells and noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import DeviceError


def target(name: str, x: float, y: float, section: float = 1.0, fields: str = "") -> str:
    return (
        f'DEF {name} Solid {{ name "{name}" translation {x} {y} 0 radarCrossSection {section} '
        f"boundingObject Sphere {{ radius 0.1 }} {fields} }} "
    )


def world(radar: str, others: str, robot: str = "") -> str:
    return (
        "WorldInfo { basicTimeStep 5 gravity 0 defaultDamping NULL } "
        f'Robot {{ name "r" {robot} children [ Radar {{ {radar} }} ] }} {others}'
    )


def moving(vx: float, vy: float = 0.0) -> str:
    return f"physics Physics {{ }} linearVelocity {vx} {vy} 0"


@pytest.fixture
def seen(rig: Callable[..., Any]) -> Callable[..., Any]:
    """Return the targets after one step."""

    def run(radar: str, others: str, robot: str = "") -> Any:
        made = rig(world(radar, others, robot))
        made.step()
        return made["radar"].value

    return run


def test_the_received_power_follows_the_radar_equation(seen: Callable[..., Any]) -> None:
    found = seen(
        "frequency 10 transmittedPower 30 antennaGain 20 minDetectableSignal -200 maxRange 100",
        target("a", 20, 0, 2.5) + target("b", 40, 0, 2.5) + target("none", 30, 0, 0),
    )
    wavelength = 299_792_458.0 / 10e9
    near = 1.0 * 100.0**2 * wavelength**2 * 2.5 / ((4 * math.pi) ** 3 * 20.0**4)
    assert [one.distance for one in found] == pytest.approx([20.0, 40.0])
    assert found[0].received_power == pytest.approx(10 * math.log10(near / 1e-3))
    assert found[0].received_power - found[1].received_power == pytest.approx(40 * math.log10(2.0))


def test_powers_beyond_all_numbers_are_infinite_or_none(seen: Callable[..., Any]) -> None:
    assert seen("frequency 1e-300 maxRange 100", target("a", 20, 0))[0].received_power == math.inf
    assert seen("maxRange 1e308 rangeNoise 1e307", target("a", 20, 0) * 1) == ()


def test_weak_echoes_are_not_detected(seen: Callable[..., Any]) -> None:
    power = seen("minDetectableSignal -200", target("a", 20, 0))[0].received_power
    assert len(seen(f"minDetectableSignal {power - 0.1}", target("a", 20, 0))) == 1
    assert len(seen(f"minDetectableSignal {power + 0.1}", target("a", 20, 0))) == 0


def test_azimuth_is_counter_clockwise_in_the_devices_axes(seen: Callable[..., Any]) -> None:
    found = seen(
        "horizontalFieldOfView 3 minDetectableSignal -200 rotation 0 0 1 0.3",
        target("left", 8 * math.cos(0.8), 8 * math.sin(0.8))
        + target("right", 9 * math.cos(0.1), 9 * math.sin(0.1)),
    )
    assert [one.azimuth for one in found] == pytest.approx([0.5, -0.2])


def test_the_field_of_view_counts_parts_of_a_solid(seen: Callable[..., Any]) -> None:
    """A ball of radius 0.1 at 10 m spans ±0.01 rad."""
    for azimuth, count in ((0.49, 1), (0.508, 1), (0.512, 0)):
        found = seen(
            "horizontalFieldOfView 1 minDetectableSignal -200",
            target("a", 10 * math.cos(azimuth), 10 * math.sin(azimuth)),
        )
        assert len(found) == count
        if found:
            assert found[0].azimuth == pytest.approx(min(azimuth, 0.5))


@pytest.mark.parametrize(
    ("away", "distance"), [(4.85, None), (4.95, 5.0), (5.5, 5.5), (20.05, 20.0), (20.15, None)]
)
def test_a_part_must_be_between_the_ranges(
    seen: Callable[..., Any], away: float, distance: float | None
) -> None:
    found = seen("minRange 5 maxRange 20 minDetectableSignal -200", target("a", away, 0))
    assert [one.distance for one in found] == ([] if distance is None else [pytest.approx(distance)])


def test_the_speed_is_relative_and_along_the_line_of_sight(seen: Callable[..., Any]) -> None:
    found = seen(
        "minDetectableSignal -200 horizontalFieldOfView 2",
        target("away", 20, 0, 1, moving(3))
        + target("across", 15, 0, 1, moving(0, 2))
        + target("diagonal", 10, 10),
        robot="physics Physics { } boundingObject Sphere { radius 0.1 } linearVelocity 1 0 0",
    )
    assert [one.speed for one in found] == pytest.approx([2.0, -1.0, -math.sqrt(0.5)], abs=0.01)


def test_speed_limits(seen: Callable[..., Any]) -> None:
    others = "".join(
        target(f"t{v + 3}", 10 + 3 * i, 0, 1, moving(v)) for i, v in enumerate((-3, -1, 0, 1, 3))
    )
    base = "minDetectableSignal -200 "
    speeds = lambda fields: [round(one.speed) for one in seen(base + fields, others)]  # noqa: E731
    assert speeds("") == [-3, -1, 0, 1, 3]
    assert speeds("minRadialSpeed 0.5 maxRadialSpeed 2") == [1]
    assert speeds("minRadialSpeed -2 maxRadialSpeed 0.5") == [-1, 0]
    assert speeds("minAbsoluteRadialSpeed 2") == [-3, 3]


def test_targets_in_one_cell_become_one_weighted_with_their_powers(seen: Callable[..., Any]) -> None:
    others = target("a", 10, 0, 4) + target("b", 10.5, 0.5, 1) + target("c", 20, 0, 1)
    base = "minDetectableSignal -200 "
    apart = seen(base, others)
    assert len(apart) == 3
    merged = seen(base + "cellDistance 1", others)
    watts = [10 ** (one.received_power / 10) for one in apart[:2]]
    assert len(merged) == 2 and merged[1] == apart[2]
    assert merged[0].received_power == pytest.approx(10 * math.log10(sum(watts)))
    for name in ("distance", "azimuth", "speed"):
        values = [getattr(one, name) for one in apart[:2]]
        assert getattr(merged[0], name) == pytest.approx(np.average(values, weights=watts))
    fast = others.replace("boundingObject", "physics Physics { } linearVelocity 5 0 0 boundingObject", 1)
    assert len(seen(base + "cellDistance 1 cellSpeed 2", fast)) == 3
    assert len(seen(base + "cellDistance 1 cellSpeed 9", fast)) == 2


def test_solids_before_a_target_hide_it_if_asked_for(
    rig: Callable[..., Any], seen: Callable[..., Any]
) -> None:
    wall = 'Solid { name "wall" translation 5 0 0 boundingObject Box { size 0.1 1 1 } } '
    behind = 'Solid { name "behind" translation 25 0 0 boundingObject Box { size 0.1 9 9 } } '
    own = 'Solid { name "own" translation 1 0 0 boundingObject Sphere { radius 0.2 } }'
    others = target("hidden", 20, 0) + target("free", 20, 4) + behind
    base = "minDetectableSignal -200 "
    assert len(seen(base, wall + others)) == 2
    assert len(seen(base + "occlusion TRUE", others)) == 2
    (free,) = seen(base + "occlusion TRUE", wall + others)
    assert free.azimuth == pytest.approx(math.atan2(4, 20))
    made = rig(world(base + "occlusion TRUE", others).replace("children [", f"children [ {own}", 1))
    made.step()
    assert len(made["radar"].value) == 2


def test_its_own_robot_is_no_target(seen: Callable[..., Any]) -> None:
    assert not seen(
        "minRange 0 minDetectableSignal -200", "", "radarCrossSection 5 boundingObject Sphere { radius 2 }"
    )


def test_noise(rig: Callable[..., Any]) -> None:
    made = rig(
        world(
            "minDetectableSignal -200 rangeNoise 0.5 speedNoise 0.2 angularNoise 0.03",
            target("a", 20, 2) + target("b", 30, 0),
        )
    )

    def record(count: int) -> list[Any]:
        rows = []
        for _ in range(count):
            made.step()
            rows.append(made["radar"].value)
        return rows

    rows = record(2000)
    first = np.array([(row[0].distance, row[0].speed, row[0].azimuth) for row in rows])
    second = np.array([row[1].distance for row in rows])
    middle = [math.hypot(20, 2), 0.0, math.atan2(2, 20)]
    sigma = np.array([0.5, 0.2, 0.03])
    assert (np.abs(first.mean(axis=0) - middle) < 4 * sigma / math.sqrt(2000)).all()
    assert first.std(axis=0) == pytest.approx(sigma, rel=4 / math.sqrt(4000))
    assert abs(np.corrcoef(first[:, 0], second)[0, 1]) < 0.1
    made.reset()
    assert record(50) == rows[:50]


BAD = {
    "minRange": "-1",
    "maxRange": "0.5",
    "horizontalFieldOfView": "7",
    "verticalFieldOfView": "3.2",
    "minAbsoluteRadialSpeed": "-1",
    "maxRadialSpeed": "-1",
    "cellDistance": "-1",
    "cellSpeed": "-1",
    "rangeNoise": "-1",
    "speedNoise": "-1",
    "angularNoise": "-1",
    "frequency": "0",
}


@pytest.mark.parametrize("field", BAD)
def test_bad_fields_are_refused_by_name(rig: Callable[..., Any], field: str) -> None:
    with pytest.raises(DeviceError, match=rf"w\.wbt:.*Radar\.{field}"):
        rig(world(f"{field} {BAD[field]}", ""))
