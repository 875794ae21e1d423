"""Mass properties against numerical integration, the parallel-axis theorem and known formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_core.base.geometry import Pose, is_possible_inertia, rotation_from_roll_pitch_yaw
from sim_core.model import mass


def sampled(inside, half: tuple[float, float, float], n: int = 120) -> tuple[float, np.ndarray]:
    """Volume and inertia per density of a solid, by the midpoint rule."""
    axes = [(np.arange(n) + 0.5) / n * 2 * h - h for h in half]
    x, y, z = np.meshgrid(*axes, indexing="ij")
    keep = inside(x, y, z)
    cell = 8 * half[0] * half[1] * half[2] / n**3
    x, y, z = x[keep], y[keep], z[keep]
    moments = [(y**2 + z**2).sum(), (x**2 + z**2).sum(), (x**2 + y**2).sum()]
    return keep.sum() * cell, np.array(moments) * cell


@pytest.mark.parametrize(
    ("made", "inside", "half"),
    [
        (mass.of_box(1.0, (1.0, 2.0, 3.0)), lambda x, y, z: abs(x) < 9, (0.5, 1.0, 1.5)),
        (mass.of_sphere(1.0, 0.7), lambda x, y, z: x * x + y * y + z * z < 0.49, (0.7, 0.7, 0.7)),
        (mass.of_cylinder(1.0, 0.5, 0.8), lambda x, y, z: x * x + y * y < 0.25, (0.5, 0.5, 0.4)),
        (
            mass.of_capsule(1.0, 0.5, 0.8),
            lambda x, y, z: x * x + y * y + np.maximum(abs(z) - 0.4, 0) ** 2 < 0.25,
            (0.5, 0.5, 0.9),
        ),
    ],
    ids=["box", "sphere", "cylinder", "capsule"],
)
def test_primitives(made, inside, half) -> None:
    volume, moments = sampled(inside, half)
    assert made.mass == pytest.approx(volume, rel=2e-3)
    assert (made.inertia[0], made.inertia[4], made.inertia[8]) == pytest.approx(moments, rel=4e-3)


def test_two_halves_make_the_whole() -> None:
    half = mass.of_box(500.0, (0.5, 1.0, 2.0))
    parts = [half.moved(Pose((x, 0.0, 0.0))) for x in (-0.25, 0.25)]
    whole = mass.of_box(500.0, (1.0, 1.0, 2.0))
    joined = mass.combined(parts)
    assert joined.mass == pytest.approx(whole.mass)
    assert joined.centre == pytest.approx((0, 0, 0), abs=1e-12)
    assert joined.inertia == pytest.approx(whole.inertia, abs=1e-9)


def test_parallel_axis_theorem() -> None:
    ball = mass.of_sphere(1000.0, 0.1)
    joined = mass.combined([ball.moved(Pose((0.0, 0.0, z))) for z in (-1.0, 1.0)])
    expected = 2 * (ball.inertia[0] + ball.mass * 1.0)
    assert joined.inertia[0] == pytest.approx(expected)
    assert joined.inertia[8] == pytest.approx(2 * ball.inertia[8])


def test_turning_a_body_turns_its_inertia() -> None:
    turn = Pose((0, 0, 0), rotation_from_roll_pitch_yaw(math.pi / 2, 0, 0))
    box = mass.of_box(1.0, (1.0, 2.0, 3.0)).moved(turn)
    assert box.inertia == pytest.approx(mass.of_box(1.0, (1.0, 3.0, 2.0)).inertia, abs=1e-12)
    assert np.linalg.eigvalsh(np.reshape(box.inertia, (3, 3))).sum() == pytest.approx(7.0 * 2 * 6 / 6)


@pytest.mark.parametrize(
    ("inertia", "possible"),
    [
        ((1, 0, 0, 0, 1, 0, 0, 0, 1), True),
        ((1, 2, 0, 2, 1, 0, 0, 0, 1), False),
        ((0, 0, 0, 0, 1, 0, 0, 0, 1), False),
        ((math.nan, 0, 0, 0, 1, 0, 0, 0, 1), False),
    ],
)
def test_possible_inertia(inertia, possible: bool) -> None:
    assert is_possible_inertia(inertia) is possible


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (1.0, 2.0, 3.0), (1e-6, 1.0, 2.0), (1e-30, 2e-30, 3e-30)])
def test_the_least_radius_of_gyration_is_no_more_than_that_and_no_less_than_two_thirds(size) -> None:
    turned = mass.of_box(500.0, size).moved(
        Pose((0.0, 0.0, 0.0), rotation_from_roll_pitch_yaw(0.3, 0.5, 0.7))
    )
    exact = math.sqrt((size[0] ** 2 + size[1] ** 2) / 12.0)
    assert exact * 2.0 / 3.0 <= turned.least_gyration * (1.0 + 1e-9) <= exact * (1.0 + 2e-9)
