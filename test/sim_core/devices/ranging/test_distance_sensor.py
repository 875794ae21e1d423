"""DistanceSensor: distances by type, rays, table and surroundings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_core.base.config import SimulationConfig
from sim_core.base.errors import DeviceError
from sim_core.devices.ranging.ray_pattern import ray_directions, ray_weights
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

TABLE = "lookupTable [ 0 0 0, 5 5 0 ]"


def world(sensor: str, around: str, robot: str = "") -> str:
    children = f'[ DistanceSensor {{ name "ds" {sensor} }} {robot} ]'
    return f'WorldInfo {{ basicTimeStep 10 }} Robot {{ name "r" children {children} }} {around}'


def wall(x: float, yaw: float = 0.0, look: str = "") -> str:
    """Return a wall with its near face at x, both visible and a bounding object."""
    box = "Box { size 0.2 40 40 }"
    middle = f"{x + 0.1 * math.cos(yaw)} {0.1 * math.sin(yaw)} 0"
    return (
        f'Solid {{ name "wall" translation {middle} rotation 0 0 1 {yaw} boundingObject {box} '
        f"children [ Shape {{ {look} geometry {box} }} ] }}"
    )


def appearance(red: float) -> str:
    return f"appearance Appearance {{ material Material {{ diffuseColor {red} 0 0 }} }}"


def read(rig, text: str):
    each = rig(text)
    each.step()
    return each["ds"].reading


@pytest.mark.parametrize("kind", ["generic", "sonar", "laser", "infra-red"])
def test_one_ray_measures_the_distance_along_x(rig, kind: str) -> None:
    reading = read(rig, world(f'{TABLE} type "{kind}"', wall(2.0, look=appearance(1.0))))
    assert reading.distance == pytest.approx(2.0, abs=1e-12)
    assert reading.value == pytest.approx(2.0, abs=1e-12)
    assert reading.rays == pytest.approx((2.0,))
    assert reading.time_ns == 10_000_000


@pytest.mark.parametrize("kind", ["generic", "sonar", "laser", "infra-red"])
def test_nothing_in_range_gives_the_last_value_of_the_table(rig, kind: str) -> None:
    reading = read(rig, world(f'lookupTable [ 0 1000 0, 1 200 0, 1.5 7 0 ] type "{kind}"', wall(2.0)))
    assert (reading.distance, reading.value, reading.rays) == (1.5, 7.0, (math.inf,))


@pytest.mark.parametrize("rays", [2, 4, 9, 13])
def test_generic_is_the_weighted_mean_of_all_rays(rig, rays: int) -> None:
    fields = f"{TABLE} numberOfRays {rays} aperture 0.6 gaussianWidth 0.7"
    reading = read(rig, world(fields, wall(2.0)))
    directions = ray_directions(rays, 0.6)
    expected = 2.0 / directions[:, 0]
    assert reading.rays == pytest.approx(expected.tolist(), abs=1e-12)
    assert reading.distance == pytest.approx(float(expected @ ray_weights(directions, 0.6, 0.7)), abs=1e-12)


def test_a_ray_that_meets_nothing_counts_with_the_range(rig) -> None:
    around = "Solid { translation 2 10 0 boundingObject Box { size 0.2 20 20 } }"  # its edge is at y = 0
    reading = read(rig, world(f"{TABLE} numberOfRays 2 aperture 0.6", around))
    left = 1.9 / math.cos(0.3)
    assert sorted(reading.rays) == pytest.approx([left, math.inf])
    assert reading.distance == pytest.approx((left + 5.0) / 2.0)


def test_sonar_takes_the_nearest_ray_that_comes_back(rig) -> None:
    cut = math.pi / 8
    fields = f'{TABLE} type "sonar"'
    assert read(rig, world(fields, wall(2.0, cut - 0.01))).distance == pytest.approx(2.0)
    lost = read(rig, world(fields, wall(2.0, cut + 0.01)))
    assert lost.distance == 5.0 and lost.rays[0] == pytest.approx(2.0)
    # Two rays at ±0.5 rad: the left one meets a wall at 0.5 rad and is lost, the right one a box head-on.
    near = 'Solid { name "near" translation 1.1 20 0 boundingObject Box { size 0.2 40 40 } }'
    place = f"translation {3 * math.cos(0.5)} {-3 * math.sin(0.5)} 0 rotation 0 0 1 -0.5"
    far = f'Solid {{ name "far" {place} boundingObject Box {{ size 0.2 1 1 }} }}'
    reading = read(rig, world(f"{fields} numberOfRays 2 aperture 1", near + far))
    assert sorted(reading.rays) == pytest.approx([1.0 / math.cos(0.5), 2.9])
    assert reading.distance == pytest.approx(2.9)


def test_laser_has_one_ray_and_its_aperture_is_a_spot(rig) -> None:
    reading = read(rig, world(f'{TABLE} type "laser" numberOfRays 5 aperture 0.3', wall(2.0)))
    assert reading.rays == pytest.approx((2.0,))


GLASS = {
    "PBRAppearance": "PBRAppearance {{ transparency {0} }}",
    "Material": "Appearance {{ material Material {{ transparency {0} }} }}",
}


@pytest.mark.parametrize(("kind", "passes"), [("laser", True), ("generic", False), ("sonar", False)])
@pytest.mark.parametrize("look", GLASS)
@pytest.mark.parametrize("engine", ["ode", "fast2d"])
def test_a_laser_alone_passes_bounding_objects_that_are_wholly_transparent(
    kind: str, passes: bool, look: str, engine: str
) -> None:
    """As in Webots since R2022a; but not objects that are partly transparent or without an appearance."""
    sensor = f'type "{kind}" {TABLE} translation 0 0 0.1'
    for transparency, is_passed in ((1.0, passes), (0.99, False), (None, False)):
        appearance = "" if transparency is None else f"appearance {GLASS[look].format(transparency)}"
        glass = f"""Solid {{ name "glass" translation 1 0 0 children DEF G Shape {{
          {appearance} geometry Box {{ size 0.1 4 4 }} }} boundingObject USE G }}"""
        wheels = "".join(
            f"""HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}
              device RotationalMotor {{ name "m{y}" }}
              endPoint Solid {{ translation 0 {y} 0 boundingObject Sphere {{ radius 0.05 }} }} }}"""
            for y in (0.1, -0.1)
        )
        text = "#VRML_SIM R2025a utf8\n" + world(sensor, wall(2.0) + glass, wheels)
        sim = Simulation(parse_scene(text), SimulationConfig(physics=engine, sampling_period=0.0))
        sim.step()
        assert sim.robot("r")["ds"].value == pytest.approx(2.0 if is_passed else 0.95, abs=1e-9)


def test_a_laser_follows_the_transparency_of_a_bounding_object(rig) -> None:
    glass = """DEF GLASS Solid { name "glass" translation 1 0 0 boundingObject Shape {
      appearance PBRAppearance { } geometry Box { size 0.1 4 4 } } }"""
    each = rig(world(f'{TABLE} type "laser"', wall(2.0) + glass))
    looks = each.sim.supervisor.find("GLASS")["boundingObject"]["appearance"]
    for transparency, distance in ((0.0, 0.95), (1.0, 2.0), (0.5, 0.95), (1.0, 2.0)):
        each.sim.supervisor.set(looks, "transparency", transparency)
        each.step(2)
        assert each["ds"].reading.distance == pytest.approx(distance, abs=1e-9)


@pytest.mark.parametrize(("red", "sensitivity"), [(1.0, 1.0), (0.25, 1.0), (0.0, 0.5), (0.5, 0.0)])
def test_infrared_is_scaled_by_what_it_meets(rig, red: float, sensitivity: float) -> None:
    fields = f'lookupTable [ 0 0 0, 99 99 0 ] type "infra-red" redColorSensitivity {sensitivity}'
    reading = read(rig, world(fields, wall(2.0, look=appearance(red))))
    factor = 0.2 + 0.8 * red
    assert reading.distance == pytest.approx(2.0 + (2.0 / factor - 2.0) * sensitivity)


def test_infrared_factor_is_the_weighted_mean_and_misses_count_as_one(rig) -> None:
    box = f"Shape {{ {appearance(0.5)} geometry Box {{ size 0.2 20 20 }} }}"
    around = f"Pose {{ translation 2 10 0 children [ {box} ] }}"
    reading = read(rig, world(f'{TABLE} type "infra-red" numberOfRays 2 aperture 0.6', around))
    mean = (1.9 / math.cos(0.3) + 5.0) / 2.0
    assert reading.distance == pytest.approx(mean / ((0.6 + 1.0) / 2.0))


def test_only_infrared_sees_the_own_robot_and_only_shapes(rig) -> None:
    own = (
        'Solid { name "own" translation 1 0 0 boundingObject Box { size 0.2 1 1 } '
        f"children [ Shape {{ {appearance(1.0)} geometry Box {{ size 0.4 1 1 }} }} ] }}"
    )
    distances = {
        kind: read(rig, world(f'{TABLE} type "{kind}"', wall(3.0), own)).distance
        for kind in ("generic", "infra-red")
    }
    assert distances == {"generic": pytest.approx(3.0), "infra-red": pytest.approx(0.8)}
    text = world(f'{TABLE} type "generic"', wall(3.0), own).replace('name "r"', 'name "r" selfCollision TRUE')
    assert read(rig, text).distance == pytest.approx(0.9)


def test_the_sensor_looks_where_it_points(rig) -> None:
    fields = f"{TABLE} translation 0.5 0 0 rotation 0 0 1 1.5707963267948966"
    around = "Solid { translation 0.5 3 0 boundingObject Sphere { radius 1 } }"
    assert read(rig, world(fields, around)).distance == pytest.approx(2.0, abs=1e-12)


def test_noise_has_the_deviation_of_the_table_then_comes_resolution(rig) -> None:
    each = rig(world("lookupTable [ 0 0 0.1, 4 400 0.1 ]", wall(2.0)))
    values = []
    for _ in range(2000):
        each.step()
        assert each["ds"].reading.distance == pytest.approx(2.0)
        values.append(each["ds"].value)
    assert np.mean(values) == pytest.approx(200.0, abs=4 * 20 / math.sqrt(2000))
    assert np.std(values) == pytest.approx(20.0, rel=4 / math.sqrt(4000))
    coarse = read(rig, world("lookupTable [ 0 0 0.1, 4 400 0.1 ] resolution 25", wall(2.0)))
    assert coarse.value % 25 == 0


def test_an_empty_table_gives_nought(rig) -> None:
    reading = read(rig, world("lookupTable [ ]", wall(2.0)))
    assert (reading.value, reading.distance, reading.rays) == (0.0, math.inf, (math.inf,))


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ("numberOfRays 0", "numberOfRays: found 0, expected 1 or more"),
        ("aperture -1", "aperture: found -1.0, expected a number from 0 to 6.28319"),
        ("gaussianWidth 0", "gaussianWidth: found 0.0, expected a number above 0"),
        ("resolution 0", "resolution: found 0.0, expected a number above 0, or -1 for none"),
        ("redColorSensitivity -1", "redColorSensitivity: found -1.0, expected a number of at least 0"),
        ("lookupTable [ -1 0 0 ]", "lookupTable: found a last input of -1, expected a range above 0 m"),
    ],
)
def test_bad_fields_are_refused_by_name(rig, fields: str, complaint: str) -> None:
    with pytest.raises(DeviceError) as error:
        rig(world(fields, ""))
    assert str(error.value).startswith("w.wbt:2:")
    assert str(error.value).endswith(f": DistanceSensor.{complaint}")
