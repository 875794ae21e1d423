"""The lookup table against its documented rules."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.base.errors import DeviceError
from sim_core.devices.field_checks import rounded
from sim_core.devices.lookup_table import LookupTable
from sim_core.model.device_spec import node_spec
from sim_core.scene import Node, parse_scene
from sim_core.scene.axes import assign_axes


def table(*rows: tuple[float, float, float]) -> LookupTable:
    return LookupTable(node_spec(Node.create("DistanceSensor", lookupTable=list(rows))))


def test_output_and_noise_are_linear_between_rows() -> None:
    example = table((0, 1000, 0), (0.1, 1000, 0.1), (0.2, 400, 0.1), (0.3, 50, 0.1), (0.37, 30, 0))
    assert example.lookup(0.05) == pytest.approx((1000, 0.05))
    assert example.lookup(0.1) == pytest.approx((1000, 0.1))
    assert example.lookup(0.15) == pytest.approx((700, 0.1))
    assert example.lookup(0.335) == pytest.approx((40, 0.05))
    assert example.has_noise and example.last_input == 0.37


def test_ends_hold_beyond_the_table() -> None:
    example = table((1, 10, 0.1), (2, 20, 0.2))
    assert example.lookup(-5) == (10, 0.1)
    assert example.lookup(7) == (20, 0.2)
    assert example.lookup(math.inf) == (20, 0.2)


def test_the_answer_is_the_output_with_relative_noise() -> None:
    example = table((0, 100, 0.1))
    assert example.answer(0, 0.0) == 100
    assert example.answer(0, 1.0) == pytest.approx(110)
    assert example.answer(0, -2.0) == pytest.approx(80)


def test_an_empty_table_answers_its_input() -> None:
    example = table()
    assert example.is_empty and not example.has_noise
    assert example.answer(3.25, 5.0) == 3.25


def test_equal_inputs_are_a_jump() -> None:
    example = table((0, 0, 0), (1, 0, 0), (1, 5, 0), (2, 5, 0))
    assert [example.answer(value) for value in (0.999999, 1.0, 1.5)] == [0.0, 5.0, 5.0]


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_a_rising_table_keeps_order_and_bounds(a: float, b: float) -> None:
    example = table((-1, -4, 0), (0, 0, 0), (1, 9, 0))
    low, high = sorted((a, b))
    assert -4 <= example.answer(low) <= example.answer(high) <= 9


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (
            "0 0 0, 2 1 0, 1 2 0",
            "lookupTable[2]: found input 1, expected inputs in increasing order (the one before is 2)",
        ),
        ("0 0 0, 2 1 -0.5", "lookupTable[1]: found noise -0.5, expected a relative deviation of 0 or more"),
    ],
)
def test_bad_tables_are_refused_by_place_and_name(rows: str, found: str) -> None:
    text = f"#VRML_SIM R2025a utf8\nRobot {{ children [\n  Gyro {{ lookupTable [ {rows} ] }} ] }}"
    gyro = next(node for node in parse_scene(text, "w.wbt").walk() if node.type_name == "Gyro")
    with pytest.raises(DeviceError) as error:
        LookupTable(node_spec(gyro))
    assert str(error.value) == f"w.wbt:3:3: Gyro.{found}"


def test_rounding_takes_the_nearest_multiple() -> None:
    assert rounded(1.26, 0.5) == 1.5
    assert rounded(-1.26, 0.5) == -1.5
    assert rounded(0.25, 0.5) == 0.5
    assert rounded(1.26, None) == 1.26
    assert rounded(1e300, 1e-50) == 1e300 and rounded(-1e308, 1e-99) == -1e308
    assert math.isnan(rounded(math.nan, 0.5)) and rounded(math.inf, 0.5) == math.inf


def test_noise_of_webots_6_has_a_limit_and_that_of_today_has_none() -> None:
    """The table of Webots' manual: 1000 with a noise of 10 % gives 900 to 1100."""
    sensor = "DistanceSensor { lookupTable [ 0 1000 0, 0.1 1000 0.1, 0.2 400 0.1, 0.3 50 0.1, 0.37 30 0 ] }"
    answers = {}
    for version in ("V6.0", "R2025a"):
        scene = parse_scene(f"#VRML_SIM {version} utf8\n{sensor}", "w.wbt")
        assign_axes(scene)
        example = LookupTable(node_spec(scene.nodes[0]))
        noise = example.noise(seed=5)
        assert noise is not None
        answers[version] = [example.answer(0.1, normal) for normal in noise.normals(0, 20_000)]
        assert example.lookup(0.2)[0] == 400
    limited, free = answers["V6.0"], answers["R2025a"]
    assert (min(limited), max(limited)) == pytest.approx((900.0, 1100.0))
    assert min(free) < 700.0 and max(free) > 1300.0
