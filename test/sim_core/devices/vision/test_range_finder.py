"""RangeFinder: depths of known walls, limits, noise, resolution, refusals."""

import math
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from pictures import Studio, needs_gl, white

from sim_core.base.errors import DeviceError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }"
WALL = white("Box { size 1 20 20 }", "2.5 0 0")


EYES = (
    "maxRange 5 fieldOfView 1.4 width 50 height 40",
    'maxRange 9 fieldOfView 1.5 width 51 height 31 projection "cylindrical"',
    "maxRange 1.9",
    "maxRange 5 minRange 2.1",
    "maxRange 5",
    "maxRange 4 width 150 height 150 noise 0.01",
    "maxRange 4 width 150 height 150 noise 0.01 resolution 0.125",
    "maxRange 4 resolution 0.3",
)
"""Fields of the range finders that are there."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    eyes = {f"EYE{number}": fields for number, fields in enumerate(EYES)}
    with closing(Studio(tmp_path_factory.mktemp("studio"), eyes, "RangeFinder")) as made:
        yield made


def finder(studio: Studio, fields: str, nodes: str = WALL) -> Any:
    """Return a RangeFinder with these fields, after one picture of the nodes."""
    (device,) = studio.show(nodes, {f"EYE{EYES.index(fields)}": ""})
    return device


@needs_gl
def test_a_wall_ahead_has_one_depth_in_all_pixels(studio: Studio) -> None:
    device = finder(studio, "maxRange 5 fieldOfView 1.4 width 50 height 40")
    assert device.value.shape == (40, 50) and device.value.dtype == np.float32
    assert device.value == pytest.approx(2.0, abs=1e-5)
    points = device.points_of(device.reading)
    assert points.shape == (40, 50, 3)
    # The corner pixel looks to the upper left.
    edge = 2.0 * math.tan(0.7) * (1 - 1 / 50)
    assert points[0, 0] == pytest.approx([2.0, edge, edge * 39 / 49], abs=1e-4)


@needs_gl
def test_seen_round_the_distance_counts(studio: Studio) -> None:
    device = finder(studio, 'maxRange 9 fieldOfView 1.5 width 51 height 31 projection "cylindrical"')
    assert device.value[15, 25] == pytest.approx(2.0, abs=1e-4)
    azimuth = 1.5 / 51 * 25
    assert device.value[15, 0] == pytest.approx(2.0 / math.cos(azimuth), abs=1e-3)


@needs_gl
def test_beyond_the_limits_is_infinite_as_rep_117_says(studio: Studio) -> None:
    assert (finder(studio, "maxRange 1.9").value == np.inf).all()
    assert (finder(studio, "maxRange 5 minRange 2.1").value == -np.inf).all()
    assert (finder(studio, "maxRange 5", "").value == np.inf).all()


@needs_gl
def test_noise_is_a_part_of_the_longest_range_and_resolution_rounds(studio: Studio) -> None:
    value = finder(studio, "maxRange 4 width 150 height 150 noise 0.01").value
    assert value.mean() == pytest.approx(2.0, abs=4 * 0.04 / 150)
    assert value.std() == pytest.approx(0.04, rel=0.02)
    steps = finder(studio, "maxRange 4 width 150 height 150 noise 0.01 resolution 0.125").value / 0.125
    assert (steps == np.rint(steps)).all()
    assert (finder(studio, "maxRange 4 resolution 0.3").value == np.float32(0.3) * 7).all()


@needs_gl
def test_glass_is_seen_but_not_what_is_wholly_transparent(studio: Studio) -> None:
    look = "appearance PBRAppearance {{ transparency {} }} geometry Box {{ size 0.1 9 9 }}"
    glass = "Solid {{ translation 1.05 0 0 children Shape {{ " + look + " }} }}"
    assert finder(studio, "maxRange 5", WALL + glass.format(0.9)).value == pytest.approx(1.0, abs=1e-4)
    assert finder(studio, "maxRange 5", WALL + glass.format(1)).value == pytest.approx(2.0, abs=1e-4)


@pytest.mark.parametrize(
    ("fields", "field", "expected"),
    [
        ("width 0", "width", "1 to 8192"),
        ("minRange -1", "minRange", "at least 0"),
        ("minRange 2", "maxRange", "at least 2"),
        ("near 2", "maxRange", "more than near"),
        ("noise -0.1", "noise", "from 0 to 1e+100"),
        ("resolution 0", "resolution", "above 0, or -1"),
        ("fieldOfView 4", "fieldOfView", "below π"),
    ],
)
def test_fields_that_are_not_possible_are_refused(fields: str, field: str, expected: str) -> None:
    with pytest.raises(DeviceError) as refused:
        Simulation(parse_scene(f"{HEAD} Robot {{ children [ RangeFinder {{ {fields} }} ] }}", "w.wbt"))
    assert f"RangeFinder.{field}: found" in str(refused.value) and expected in str(refused.value)
