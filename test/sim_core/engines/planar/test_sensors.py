"""Rays in the plane, compared with geometry by hand and with the ray caster in space."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.swarm import BODY, RADIUS, robot_text, wall_text, world_text
from sim_core.base.config import DeviceConfig, RobotConfig, SimulationConfig
from sim_core.devices.ranging.distance_sensor import DistanceSensor
from sim_core.scene import parse_scene
from sim_core.sensing.raycast.ray_scene import RayScene
from sim_core.sensing.rays import Rays
from sim_core.session.simulation import Simulation

Build = Callable[..., Simulation]

TABLE = "lookupTable [ 0 0 0, 5 5 0 ]"


def sensor(name: str, yaw: float = 0.0, more: str = TABLE, z: float = 0.06) -> str:
    return f'DistanceSensor {{ name "{name}" translation 0.05 0 {z} rotation 0 0 1 {yaw} {more} }}'


def test_distances_to_a_wall_a_post_and_a_robot_are_exact(build: Build) -> None:
    post = 'Solid { name "post" translation 0 2 0.2 boundingObject Cylinder { radius 0.3 height 0.4 } }'
    sensors = [sensor("front"), sensor("side", math.pi / 2), sensor("back", math.pi), sensor("slant", 0.3)]
    sim = build(
        robot_text("r", more=" ".join(sensors)),
        robot_text("other", -1.5),
        wall_text("w", 2, 0, "0.2 9 0.4"),
        post,
    )
    sim.step()
    robot = sim.robot("r")
    assert robot["front"].value == pytest.approx(1.9 - 0.05, abs=1e-12)
    assert robot["slant"].value == pytest.approx((1.9 - 0.05) / math.cos(0.3), abs=1e-12)
    assert robot["side"].value == pytest.approx(2.0 - math.sqrt(0.3**2 - 0.05**2), abs=1e-12)
    assert robot["back"].value == pytest.approx(1.55 - BODY, abs=1e-12)
    assert robot["back"].reading.rays == (robot["back"].reading.distance,)


def test_what_is_above_or_below_the_sensor_is_not_seen(build: Build) -> None:
    low = 'Solid { name "low" translation 1 0 0.05 boundingObject Box { size 0.1 1 0.1 } }'
    high = 'Solid { name "high" translation 2 0 0.9 boundingObject Box { size 0.1 1 1 } }'
    sim = build(robot_text("r", more=sensor("over", z=0.2) + sensor("under", z=0.02)), low, high)
    sim.step()
    assert sim.robot("r")["over"].value == 5.0
    assert sim.robot("r")["under"].value == pytest.approx(0.95 - 0.05)


SHAPES = (
    "Box { size 0.4 0.3 0.6 }",
    "Cylinder { radius 0.2 height 0.6 }",
    "Sphere { radius 0.3 }",
    "Capsule { radius 0.2 height 0.4 }",
)


def field(seed: int, own: str) -> str:
    """Return robots among upright shapes, at any angle about the vertical, and boxes on an edge."""
    rng = np.random.default_rng(seed)
    places = [(x, y) for x in range(-4, 5) for y in range(-4, 5)]
    nodes = []
    for k, (x, y) in enumerate(places):
        at = f"{x + rng.uniform(-0.1, 0.1):.6f} {y + rng.uniform(-0.1, 0.1):.6f}"
        if k % 3 == 0:
            nodes.append(robot_text(f"r{k}", *map(float, at.split()), rng.uniform(-3.0, 3.0), own))
        elif k % 7 == 0:
            nodes.append(
                f'Solid {{ name "o{k}" translation {at} 0.2 rotation 1 0 0 0.6 boundingObject {SHAPES[0]} }}'
            )
        else:
            turn = f"rotation 0 0 1 {rng.uniform(-3.0, 3.0):.4f}"
            nodes.append(
                f'Solid {{ name "o{k}" translation {at} 0.2 {turn} boundingObject {SHAPES[k % 4]} }}'
            )
    return world_text(*nodes)


@pytest.mark.parametrize("seed", range(3))
def test_rays_along_the_plane_equal_those_in_space(seed: int) -> None:
    """Distances within 1e-9 m of the ray caster in space, and the value of a scalar DistanceSensor."""
    own = " ".join(sensor(f"ds{k}", k * 0.8 + 0.1) for k in range(8))
    steps = "lookupTable [ 0 1 0, 1 2 0, 1 5 0, 3 9 0 ]"
    own += sensor("laser", more=f'type "laser" numberOfRays 5 {steps}')
    sim = Simulation(parse_scene(field(seed, own)), SimulationConfig(physics="fast2d"))
    rng = np.random.default_rng(seed)
    for robot in sim.robots.values():
        robot.drive.set_wheel_speeds(*rng.uniform(-10.0, 10.0, 2))
    sim.step(20)
    space = RayScene(sim.physics)
    met = 0
    for robot in sim.robots.values():
        for device in robot.sensors():
            assert device in sim.world.rolled.distance_sensors.sensors
            batch = space.batch()
            device.prepare(batch)
            batch.cast()
            expected = DistanceSensor.sample(device, sim.time_ns)
            assert device.reading.time_ns == sim.time_ns
            assert device.value == pytest.approx(expected.value, abs=1e-8)
            assert device.reading.distance == pytest.approx(expected.distance, abs=1e-9)
            assert device.reading.rays == pytest.approx(expected.rays, abs=1e-9)
            met += expected.rays[0] < math.inf
    assert met > 100


@pytest.mark.parametrize(("angle", "comes_back"), [(0.38, True), (0.40, False)])
def test_a_sonar_measures_nothing_beyond_an_eighth_of_pi_from_the_normal(
    build: Build, angle: float, comes_back: bool
) -> None:
    sonar = sensor("sonar", angle, 'type "sonar" ' + TABLE)
    sim = build(robot_text("r", more=sonar), wall_text("w", 2, 0, "0.2 9 0.4"))
    sim.step()
    assert sim.robot("r")["sonar"].value == pytest.approx(1.85 / math.cos(angle) if comes_back else 5.0)


def test_infra_red_depends_on_colours_and_visible_shapes(build: Build) -> None:
    grey = "appearance PBRAppearance { baseColor 0.5 0.5 0.5 roughness 1 metalness 0 }"
    shape = f"Shape {{ {grey} geometry Box {{ size 0.1 9 1 }} }}"
    wall = f'Solid {{ name "w" translation 1.05 0 0 children {shape} }}'
    eye = sensor("ir", more='type "infra-red" redColorSensitivity 0.5 ' + TABLE)
    sim = build(robot_text("r", more=eye), wall)
    sim.step()
    distance, factor = 0.95, 0.2 + 0.8 * 0.5 * 0.5
    assert sim.robot("r")["ir"].value == pytest.approx(distance + (distance / factor - distance) * 0.5)


def test_a_fan_of_rays_is_laid_flat_and_weighted(build: Build) -> None:
    fan = sensor("fan", more=f"numberOfRays 4 aperture 0.6 gaussianWidth 1 {TABLE}")
    sim = build(robot_text("r", more=fan), wall_text("w", 2, 0, "0.2 9 0.4"))
    sim.step()
    device = sim.robot("r")["fan"]
    directions = device.directions
    level = np.hypot(directions[:, 0], directions[:, 1])
    rays = 1.85 * level / directions[:, 0]
    assert device.reading.rays == pytest.approx(rays)
    assert device.reading.distance == pytest.approx(float(np.dot(device.weights, rays)))


def test_noise_resolution_and_periods_are_those_of_single_sensors(build: Build) -> None:
    """A value depends on the seed and the simulation time alone: read at once, later, or by a listener."""
    noisy = sensor("ds", more="resolution 0.01 lookupTable [ 0 0 0.2, 5 5 0.2 ]")
    period = {"r": RobotConfig(devices={"ds": DeviceConfig(sampling_period=0.064)})}
    sims = [
        build(robot_text("r", more=noisy), wall_text("w", 2, 0, "0.2 9 0.4"), robots=period) for _ in range(2)
    ]
    heard = []
    sims[0].robot("r")["ds"].add_listener(heard.append)
    device = sims[1].robot("r")["ds"]
    assert device.reading is None and device.value is None
    values = []
    for _ in range(10):
        for sim in sims:
            sim.step()
        if device.reading is not None and (not values or values[-1] != device.reading):
            values.append(device.reading)
    assert [reading.time_ns for reading in heard] == [64_000_000 * k for k in range(1, 6)]
    assert values == heard
    output = 1.85
    normals = [device._noise.normals(reading.time_ns)[0] for reading in heard]
    expected = [0.01 * math.floor(output * (1.0 + 0.2 * normal) / 0.01 + 0.5) for normal in normals]
    assert [reading.value for reading in heard] == pytest.approx(expected)
    sims[1].reset()
    assert device.reading is None


def test_sensors_that_point_down_are_cast_in_space(build: Build) -> None:
    place = "translation 0 0.05 0.06 rotation 0 1 0 1.5707963267948966"
    down = f'DistanceSensor {{ name "down" {place} {TABLE} }}'
    sim = build(robot_text("r", more=down))
    sim.step()
    assert sim.robot("r")["down"] not in sim.world.rolled.distance_sensors.sensors
    assert sim.robot("r")["down"].value == pytest.approx(RADIUS + 0.06)


def test_rays_asked_for_one_device_at_a_time(build: Build) -> None:
    """The use of a lidar: a ring of rays from a device of a robot, through the batch."""
    sim = build(
        robot_text("r", more=sensor("ds")), wall_text("w", 2, 0, "0.2 9 0.4"), robot_text("other", -1.5)
    )
    sim.step()
    device = sim.robot("r")["ds"]
    angles = np.linspace(-3.0, 3.0, 361)
    directions = np.stack([np.cos(angles), np.sin(angles), np.zeros(361)], axis=1)
    origins = np.zeros_like(directions)
    rays = sim.world.ray_caster().batch()
    robot = sim.robot("r")
    asked = Rays(device.frame, origins, directions, 4.0, robot.node.id, carrier=device.spec.id)
    mine = rays.add_rays(asked)
    loose = rays.add_rays(Rays(robot.frame, origins, directions, 4.0, robot.node.id))
    rays.cast()
    space = RayScene(sim.physics).new_batch()
    space.add_rays(asked)
    space.cast()
    assert (mine, loose) == (slice(0, 361), slice(361, 722))
    np.testing.assert_allclose(rays.distances[mine], space.distances, atol=1e-9)
    np.testing.assert_allclose(rays.normals[mine], space.normals, atol=1e-9)
    hit = int(np.argmin(rays.distances[mine]))
    assert rays.record(hit).node == space.record(hit).node
    own = sim.world.ray_caster().new_batch()
    for x in (0.5, 1.0):  # a separate batch, used repeatedly
        own.clear()
        own.add_rays(Rays(None, np.array([[x, 0.0, 0.1]]), np.array([[1.0, 0.0, 0.0]]), 9.0, None))
        own.cast()
        assert own.distances.tolist() == pytest.approx([1.9 - x])
        assert sim.physics.model.solid(own.solid(0)).name == "w" and own.robot_hit(0) is None
