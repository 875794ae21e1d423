"""Lidar: exact distances, documented angles, noise, limits, and a rotating head."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transforms3d.axangles import axangle2mat

from sim_core.base.errors import CommandError, DeviceError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

_spec = importlib.util.spec_from_file_location(
    "exact_geometry", Path(__file__).with_name("exact_geometry.py")
)
assert _spec is not None and _spec.loader is not None
exact = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(exact)

MAX_RANGE = 12.0
FLAT = "numberOfLayers 1 verticalFieldOfView 0"


def lidar_world(fields: str, others: str = "", robot: str = "") -> str:
    return (
        "WorldInfo { basicTimeStep 5 } "
        f'{others} Robot {{ name "r" {robot} children [ Lidar {{ {fields} }} ] }}'
    )


def simulation(text: str, seed: int = 0) -> Simulation:
    from sim_core.base.config import SimulationConfig

    return Simulation(parse_scene("#VRML_SIM R2025a utf8\n" + text, "w.wbt"), SimulationConfig(seed=seed))


def shape(geometry: str) -> str:
    return f"children [ Shape {{ geometry {geometry} }} ]"


def objects(count: int, rng: np.random.Generator) -> list[tuple[str, np.ndarray, np.ndarray, Any]]:
    """Return random shapes around the origin: text, position, rotation, and exact distances."""
    made = []
    for index in range(count):
        angle, away = rng.uniform(-math.pi, math.pi), rng.uniform(2.0, 10.0)
        position = np.array([away * math.cos(angle), away * math.sin(angle), rng.uniform(-0.2, 0.2)])
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        turn = rng.uniform(-math.pi, math.pi)
        a, b, c = rng.uniform(0.2, 0.8, 3).tolist()
        geometry, distances = [
            (f"Box {{ size {a!r} {b!r} {c!r} }}", lambda o, d, s=(a, b, c): exact.box(o, d, s)),
            (f"Sphere {{ radius {a!r} }}", lambda o, d, r=a: exact.sphere(o, d, r)),
            (
                f"Cylinder {{ radius {a!r} height {b!r} }}",
                lambda o, d, r=a, h=b: exact.cylinder(o, d, r, h),
            ),
            (f"Capsule {{ radius {a!r} height {b!r} }}", lambda o, d, r=a, h=b: exact.capsule(o, d, r, h)),
            (f"Plane {{ size {a!r} {b!r} }}", lambda o, d, s=(a, b): exact.plane(o, d, s)),
        ][index % 5]
        x, y, z = position.tolist()
        p, q, r = axis.tolist()
        text = (
            f'Solid {{ name "o{index}" translation {x!r} {y!r} {z!r} rotation {p!r} {q!r} {r!r} {turn!r} '
            f"{shape(geometry)} }}"
        )
        made.append((text, position, axangle2mat(axis, turn), distances))
    return made


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("rays", "layers"), [(361, 1), (181, 7)])
def test_a_lidar_among_50_objects_is_within_1_mm_of_exact_geometry(seed: int, rays: int, layers: int) -> None:
    things = objects(50, np.random.default_rng(seed))
    others = "\n".join(text for text, *_ in things)
    fields = (
        f"horizontalResolution {rays} numberOfLayers {layers} fieldOfView 4.71238898038469 "
        f"verticalFieldOfView 0.3 maxRange {MAX_RANGE} translation 0.1 -0.2 0.05 rotation 0 0 1 0.4"
    )
    sim = simulation(lidar_world(fields, others, "rotation 1 1 0 0.05"))
    sim.step()
    reading = sim.robot("r")["lidar"].reading
    robot, device = axangle2mat([math.sqrt(0.5), math.sqrt(0.5), 0.0], 0.05), axangle2mat([0, 0, 1], 0.4)
    theta = np.tile(4.71238898038469 * ((np.arange(rays) + 0.5) / rays - 0.5), layers)
    phi = np.repeat(np.linspace(0.15, -0.15, layers) if layers > 1 else [0.0], rays)
    local = np.stack([np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)], axis=1)
    directions = local @ (robot @ device).T
    origin = robot @ [0.1, -0.2, 0.05]
    expected = np.full(rays * layers, np.inf)
    for _, position, rotation, distances in things:
        o = np.tile((origin - position) @ rotation, (rays * layers, 1))
        expected = np.minimum(expected, distances(o, directions @ rotation))
    expected[expected > MAX_RANGE] = np.inf
    found = reading.value.ravel()
    assert 0.3 < np.isfinite(expected).mean() < 1.0
    assert (np.isfinite(found) == np.isfinite(expected)).all()
    met = np.isfinite(expected)
    assert np.abs(found[met] - expected[met]).max() < 1e-9 < 1e-3
    points = reading.points.reshape(-1, 3)
    assert np.allclose(points[met], found[met, None] * local[met], atol=1e-12)
    assert np.isnan(points[~met]).all()


@pytest.fixture
def lidar(rig: Callable[..., Any]) -> Callable[..., Any]:
    """Return a lidar of a robot at the origin after one step."""

    def make(fields: str, others: str = "") -> Any:
        made = rig(lidar_world(fields, others))
        made.step()
        return made["lidar"]

    return make


def test_rays_go_from_right_to_left_and_layers_from_top_to_bottom(lidar: Callable[..., Any]) -> None:
    device = lidar("horizontalResolution 5 fieldOfView 2 numberOfLayers 3 verticalFieldOfView 0.6")
    assert device.azimuths == pytest.approx([-0.8, -0.4, 0.0, 0.4, 0.8])  # middles of five columns
    assert np.arcsin(device.directions[:, 0, 2]) == pytest.approx([0.3, 0.0, -0.3])
    assert device.directions[1, 4] == pytest.approx([math.cos(0.8), math.sin(0.8), 0.0])


def test_a_full_circle_has_no_direction_twice(lidar: Callable[..., Any]) -> None:
    device = lidar(f"horizontalResolution 8 fieldOfView 6.283185307179586 {FLAT}")
    assert np.diff(device.azimuths) == pytest.approx([math.pi / 4] * 7)
    assert device.azimuths[-1] == pytest.approx(math.pi)


def test_the_tilt_raises_the_x_axis(lidar: Callable[..., Any]) -> None:
    device = lidar(f"horizontalResolution 3 fieldOfView 4.71238898038469 tiltAngle 0.3 {FLAT}")
    right, ahead, left = device.directions[0]
    assert ahead == pytest.approx([math.cos(0.3), 0.0, math.sin(0.3)])
    assert right == pytest.approx([0.0, -1.0, 0.0])
    assert left == pytest.approx([0.0, 1.0, 0.0])


def test_a_planar_projection_steps_equally_on_a_plane(lidar: Callable[..., Any]) -> None:
    wall = f'Solid {{ name "wall" translation 2.5 0 0 {shape("Box { size 1 50 50 }")} }}'
    device = lidar(
        'horizontalResolution 5 fieldOfView 2 numberOfLayers 3 verticalFieldOfView 0.6 projection "planar" '
        "maxRange 9",
        wall,
    )
    assert device.azimuths is None
    ahead = device.directions / device.directions[..., :1]
    assert ahead[0, :, 1] == pytest.approx(math.tan(1.0) * np.array([-0.8, -0.4, 0.0, 0.4, 0.8]))
    assert ahead[:, 0, 2] == pytest.approx([math.tan(0.3), 0.0, -math.tan(0.3)])
    assert device.reading.points[..., 0] == pytest.approx(np.full((3, 5), 2.0))
    old = lidar(
        "horizontalResolution 5 fieldOfView 2 numberOfLayers 3 verticalFieldOfView 0.6 spherical FALSE"
    )
    assert (old.directions == device.directions).all()


def ahead_at(distance: float) -> str:
    """Return a wall with its face at this distance ahead."""
    return f'Solid {{ name "w" translation {distance + 0.05} 0 0 {shape("Box { size 0.1 2 2 }")} }}'


@pytest.mark.parametrize(
    ("distance", "value"), [(0.5, -math.inf), (0.99, -math.inf), (1.01, 1.01), (3.99, 3.99), (4.01, math.inf)]
)
def test_what_is_out_of_range_is_infinite(lidar: Callable[..., Any], distance: float, value: float) -> None:
    device = lidar(f"horizontalResolution 1 {FLAT} minRange 1 maxRange 4", ahead_at(distance))
    assert device.value[0, 0] == pytest.approx(value)


def test_what_is_nearer_than_near_is_not_there(lidar: Callable[..., Any]) -> None:
    device = lidar(f"horizontalResolution 1 {FLAT} near 1 minRange 2 maxRange 4", ahead_at(0.5) + ahead_at(3))
    assert device.value[0, 0] == pytest.approx(3.0)


def test_the_device_does_not_see_itself_but_the_robot(rig: Callable[..., Any]) -> None:
    text = (
        'Robot { name "r" children [ Lidar { horizontalResolution 2 fieldOfView 6.28 maxRange 9 '
        f"{FLAT} children [ Pose {{ translation 0 -0.5 0 {shape('Box { size 0.1 0.1 0.1 }')} }} ] }} "
        f"Pose {{ translation 0 0.5 0 {shape('Box { size 0.1 0.1 0.1 }')} }} ] }}"
    )
    made = rig(text)
    made.step()
    right, left = made["lidar"].value[0]
    assert right == math.inf
    assert left == pytest.approx(0.45, abs=0.01)


def test_noise_is_relative_to_max_range_and_resolution_comes_after() -> None:
    text = lidar_world(
        f"horizontalResolution 1000 fieldOfView 1 {FLAT} noise 0.01 maxRange 5",
        f"Solid {{ translation 3.5 0 0 {shape('Box { size 1 9 9 }')} }}",
    )
    sim = simulation(text, seed=3)
    errors = []
    for _ in range(20):
        sim.step()
        device = sim.robot("r")["lidar"]
        errors.append(device.value[0] - 3.0 / np.cos(device.azimuths))
    error = np.concatenate(errors)
    assert abs(error.mean()) < 4 * 0.05 / math.sqrt(len(error))
    assert error.std() == pytest.approx(0.05, rel=4 / math.sqrt(2 * len(error)))
    assert abs(np.corrcoef(errors[0], errors[1])[0, 1]) < 0.13
    again = simulation(text, seed=3)
    again.step(20)
    assert (again.robot("r")["lidar"].value == device.value).all()
    again.reset()
    again.step(20)
    assert (again.robot("r")["lidar"].value == device.value).all()
    rounded = simulation(text.replace("noise", "resolution 0.25 noise"), seed=3)
    rounded.step(20)
    assert (rounded.robot("r")["lidar"].value == 0.25 * np.floor(device.value / 0.25 + 0.5)).all()


def test_readings_cannot_be_changed(lidar: Callable[..., Any]) -> None:
    for fields in ("", 'type "rotating"'):
        reading = lidar(fields).reading
        for array in (reading.value, reading.directions, reading.points):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 1.0


BAD = {
    "type": '"spinning"',
    "horizontalResolution": "0",
    "numberOfLayers": "-1",
    "fieldOfView": "7",
    "verticalFieldOfView": "-0.1",
    "tiltAngle": "2",
    "near": "-1",
    "minRange": "0.001",
    "maxRange": "0.001",
    "noise": "-0.1",
    "resolution": "0",
    "projection": '"round"',
    "defaultFrequency": "30",
    "minFrequency": "0",
    "maxFrequency": "0.5",
}


@pytest.mark.parametrize("field", BAD)
def test_bad_fields_are_refused_by_name(rig: Callable[..., Any], field: str) -> None:
    kind = "" if field == "type" else 'type "rotating" '
    with pytest.raises(Exception, match=rf"w\.wbt:.*Lidar\.{field}") as refused:
        rig(lidar_world(f"{kind}{field} {BAD[field]}"))
    assert isinstance(refused.value, DeviceError) or field in ("type", "projection")


def test_a_planar_lidar_sees_less_than_half_a_circle(rig: Callable[..., Any]) -> None:
    with pytest.raises(DeviceError, match="less than π"):
        rig(lidar_world('projection "planar" fieldOfView 3.2'))


ROTATING = f'type "rotating" horizontalResolution 360 {FLAT} defaultFrequency 10 maxRange 20'
ROOM = "\n".join(
    f'Solid {{ name "w{i}" translation {x} {y} 0 {shape("Box { size 0.2 14 3 }")} rotation 0 0 1 {angle} }}'
    for i, (x, y, angle) in enumerate([(4, 0, 0), (-6, 0, 0), (0, 3, math.pi / 2), (0, -5, math.pi / 2)])
)


def room_distance(angle: np.ndarray) -> np.ndarray:
    """Return the distance from the origin to the walls of ROOM."""
    c, s = np.cos(angle), np.sin(angle)
    with np.errstate(divide="ignore"):
        to_x = np.where(c > 0, 3.9 / c, -5.9 / c)
        to_y = np.where(s > 0, 2.9 / s, -4.9 / s)
    to_x[c == 0] = to_y[s == 0] = np.inf
    return np.minimum(to_x, to_y)


def test_a_rotating_head_passes_the_circle_once_per_period() -> None:
    sim = simulation(lidar_world(ROTATING, ROOM))
    device = sim.robot("r")["lidar"]
    complete: list[Any] = []
    device.add_listener(complete.append)
    exact_scan = room_distance(2 * math.pi * np.arange(360) / 360)
    for step in range(1, 20):  # 18 columns in a step of 5 ms
        sim.step()
        known = ~np.isnan(device.value[0])
        assert known.sum() == 18 * step and known[: 18 * step].all()
        assert np.allclose(device.value[0, known], exact_scan[known], atol=1e-9)
    assert not complete
    sim.step()
    assert [reading.time_ns for reading in complete] == [100_000_000]
    assert np.allclose(complete[0].value[0], exact_scan, atol=1e-9)
    sim.run(1.0)
    assert len(complete) == 11


def test_a_complete_scan_holds_one_revolution_and_nothing_later() -> None:
    """At 7 Hz a revolution takes 28.57 steps: the step in which it ends measures part of the next one."""
    text = lidar_world(ROTATING.replace("Frequency 10", "Frequency 7"), ROOM)
    sim = simulation(text)
    device = sim.robot("r")["lidar"]
    complete: list[Any] = []
    device.add_listener(complete.append)
    sim.run(0.145)
    assert len(complete) == 1 and not np.isnan(complete[0].value).any()
    assert complete[0].time_ns == 145_000_000
    sim.run(1.0)  # nothing moves: each later scan is the same
    assert len(complete) == math.floor(1.145 * 7)
    assert all(np.array_equal(reading.value, complete[0].value) for reading in complete)


def test_the_frequency_is_set_while_it_turns_and_reset_brings_the_first_back() -> None:
    sim = simulation(lidar_world(ROTATING, ROOM))
    device = sim.robot("r")["lidar"]
    complete: list[Any] = []
    device.add_listener(lambda reading: complete.append(reading.time_ns / 1e9))
    sim.run(0.15)
    device.set_frequency(5)
    sim.run(0.5)
    assert complete == pytest.approx([0.1, 0.25, 0.45, 0.65])
    for bad in (0.5, 26.0, math.nan, "x"):
        with pytest.raises(CommandError, match=r"r\.lidar\.frequency"):
            device.set_frequency(bad)
    assert device.frequency == 5
    sim.reset()
    assert device.frequency == 10 and device.reading is None
    complete.clear()
    sim.run(0.3)
    assert complete == pytest.approx([0.1, 0.2, 0.3])


def test_a_fixed_head_has_no_frequency(lidar: Callable[..., Any]) -> None:
    with pytest.raises(CommandError, match='expected "rotating"'):
        lidar("").set_frequency(10)


def test_columns_that_nobody_wanted_are_unknown() -> None:
    sim = simulation(lidar_world(ROTATING, ROOM))
    device = sim.robot("r")["lidar"]
    sim.run(0.1)
    device.enabled = False
    sim.run(0.15)  # one and a half revolutions
    device.enabled = True
    sim.step()
    assert (~np.isnan(device.value[0])).nonzero()[0].tolist() == list(range(180, 198))


def test_a_slow_sampling_period_measures_larger_sectors() -> None:
    sim = simulation(lidar_world(ROTATING, ROOM))
    device = sim.robot("r")["lidar"]
    sim.set_sampling_period(device, 0.1)
    sim.run(0.1)
    assert np.allclose(device.value[0], room_distance(2 * math.pi * np.arange(360) / 360), atol=1e-9)
    sim.set_sampling_period(device, 0.25)
    sim.run(0.25)
    assert not np.isnan(device.value).any()


def test_a_tilted_rotating_head_scans_a_cone(lidar: Callable[..., Any]) -> None:
    device = lidar(ROTATING + " tiltAngle 0.2")
    assert device.directions[0, :, 2] == pytest.approx([math.sin(0.2)] * 360)


HEAD = (
    'rotatingHead Solid { name "head" translation 0.5 0 0 '
    "children [ Shape { geometry Box { size 0.1 0.1 1 } } ] boundingObject Box { size 0.1 0.1 1 } }"
)


def test_the_node_in_rotating_head_turns_with_it_and_is_not_seen() -> None:
    sim = simulation(lidar_world(f"{ROTATING} translation 0 0 1 {HEAD}", ROOM))
    device = sim.robot("r")["lidar"]
    frame = sim.physics.frame(sim.robot("r").nodes["lidar"]["rotatingHead"].id)

    def yaw() -> float:
        rotation = frame.pose().rotation
        return math.atan2(rotation[3], rotation[0]) % (2 * math.pi)

    assert frame.pose().position == pytest.approx((0.5, 0.0, 1.0))
    sim.run(0.015)
    assert yaw() == pytest.approx(0.15 * 2 * math.pi)
    sim.run(0.085)
    assert device.value[0] == pytest.approx(room_distance(2 * math.pi * np.arange(360) / 360))
    device.set_frequency(5.0)
    sim.run(0.05)
    assert yaw() == pytest.approx(0.25 * 2 * math.pi)
    sim.reset()
    assert yaw() == 0.0
    sim.run(0.025)
    assert yaw() == pytest.approx(0.25 * 2 * math.pi)
    assert frame.pose().position == pytest.approx((0.5, 0.0, 1.0))


def test_a_fixed_lidar_may_have_a_head() -> None:
    sim = simulation(lidar_world(f"horizontalResolution 1 {FLAT} maxRange 9 translation 0 0 1 {HEAD}", ROOM))
    device = sim.robot("r")["lidar"]
    sim.run(0.1)
    frame = sim.physics.frame(sim.robot("r").nodes["lidar"]["rotatingHead"].id)
    assert frame.pose().position == pytest.approx((0.5, 0.0, 1.0))
    assert device.value[0, 0] == pytest.approx(3.9)
