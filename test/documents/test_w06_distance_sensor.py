"""W6: the DistanceSensor of the book: noise within limits, the mean of several rays, the colours that
infra-red sees, the spot of a laser."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import needs_gl
from PIL import Image

from sim_core.scene.loader import load_scene
from sim_core.session.simulation import Simulation

TABLE = "lookupTable [ 0 1000 0, 0.1 1000 0.1, 0.2 400 0.1, 0.3 50 0.1, 0.37 30 0 ]"
METRES = "lookupTable [ 0 0 0, 50 50 0 ]"


def simulation(folder: Path, nodes: str, version: str = "V6.0") -> Simulation:
    file = folder / "book.wbt"
    header = f"#VRML_SIM {version} utf8\nWorldInfo {{ basicTimeStep 32 }}\n"
    file.write_text(header + nodes, encoding="utf-8")
    return Simulation(load_scene(file))


def robot(sensor: str, more: str = "") -> str:
    """A robot whose sensor looks along x, in old files and in those of today."""
    return f'Robot {{ name "r" children [ DistanceSensor {{ name "ds" {sensor} }} {more} ] }}\n'


def wall(distance: float, seen: str = "", felt: str = "") -> str:
    """A wall at x, with the looks of what is seen of it and of its bounding object."""
    box = "geometry Box { size 0.2 4 4 }"
    bounding = f"Shape {{ {felt} {box} }}" if felt else "Box { size 0.2 4 4 }"
    return (
        f'Solid {{ name "wall" translation {distance + 0.1} 0 0 children [ Shape {{ {seen} {box} }} ] '
        f"boundingObject {bounding} }}\n"
    )


def material(red: float) -> str:
    return f"appearance Appearance {{ material Material {{ diffuseColor {red} 0.5 0.5 }} }}"


def measure(folder: Path, nodes: str, version: str = "V6.0") -> Any:
    sim = simulation(folder, nodes, version)
    sensor = sim.robot("r")["ds"]
    sim.step()
    return sensor.reading


def test_the_noise_of_the_table_stays_within_ten_percent(tmp_path: Path) -> None:
    """At 0.1 m the sensor gives 1000 with a noise of at most 10 %."""
    sim = simulation(tmp_path, wall(0.1) + robot(f'type "sonar" {TABLE}'))
    sensor, values = sim.robot("r")["ds"], []
    for _ in range(1500):
        sim.step()
        values.append(sensor.reading.value)
    assert min(values) >= 900.0 and max(values) <= 1100.0
    assert min(values) < 920.0 and max(values) > 1080.0
    assert np.mean(values) == pytest.approx(1000.0, abs=4.0)


@pytest.mark.parametrize("count", [1, 4, 7])
@pytest.mark.parametrize("kind", ["sonar", "infra-red"])
def test_several_rays_give_the_weighted_mean(tmp_path: Path, kind: str, count: int) -> None:
    """wᵢ = exp(-(tᵢ/(a·g))²)/Σ, with t the angle to the axis, a the aperture, g the Gaussian width."""
    a, g = 0.8, 0.5
    fields = f'type "{kind}" {METRES} numberOfRays {count} aperture {a} gaussianWidth {g}'
    sim = simulation(tmp_path, wall(1.0) + robot(fields))
    sensor = sim.robot("r")["ds"]
    sim.step()
    angles = [math.acos(x) for x in sensor.directions[:, 0]]
    weights = [math.exp(-((t / (a * g)) ** 2)) for t in angles]
    mean = sum(w / math.cos(t) for w, t in zip(weights, angles, strict=True)) / sum(weights)
    assert sensor.reading.value == pytest.approx(mean)
    assert len(angles) == count and (count == 1 or mean > 1.0)


def test_infra_red_sees_the_colour_of_the_bounding_object(tmp_path: Path) -> None:
    """Not what is seen of the solid; factor 0.2 + 0.8·red, by which the distance is divided."""
    sensor = robot(f'type "infra-red" {METRES}')
    old = measure(tmp_path, wall(1.0, material(1.0), material(0.25)) + sensor)
    assert old.value == pytest.approx(1.0 / (0.2 + 0.8 * 0.25))
    new = measure(tmp_path, wall(1.0, material(1.0), material(0.25)) + sensor, "R2025a")
    assert new.value == pytest.approx(1.0)
    plain = measure(tmp_path, wall(1.0, material(0.25)) + sensor)  # a bounding object without a colour
    assert plain.value == pytest.approx(1.0 / (0.2 + 0.8 * 0.25))
    for kind in ("sonar", "laser"):
        blind = measure(tmp_path, wall(1.0, material(0.0), material(0.0)) + robot(f'type "{kind}" {METRES}'))
        assert blind.value == pytest.approx(1.0)


FLOORS = {
    "V6.0": (
        'Solid {{ name "floor" children [ Shape {{ {look} geometry IndexedFaceSet {{ coord Coordinate {{ '
        "point [ -1 0 1, 1 0 1, 1 0 -1, -1 0 -1 ] }} coordIndex [ 0, 1, 2, 3, -1 ] }} }} ] "
        "boundingObject Plane {{ size 2 2 }} }}\n"
        'Robot {{ name "r" translation {x} 0.1 {y} children [ DistanceSensor {{ name "ds" type "infra-red" '
        "rotation 0 0 1 -1.5707963267948966 {table} }} {more} ] }}"
    ),
    "R2025a": (
        'Solid {{ name "floor" children [ Shape {{ {look} geometry Plane {{ size 2 2 }} }} ] }}\n'
        'Robot {{ name "r" translation {x} {y} 0.1 children [ DistanceSensor {{ name "ds" type "infra-red" '
        "rotation 0 1 0 1.5707963267948966 {table} }} {more} ] }}"
    ),
}


@pytest.mark.parametrize("version", FLOORS)
def test_a_picture_on_the_floor_is_seen_point_by_point(tmp_path: Path, version: str) -> None:
    """A black line on white, as robots that follow lines need it: it is at its place, and no mean colour."""
    pixels = np.full((64, 64, 3), 255, np.uint8)
    pixels[:, 24:40] = 0  # a quarter of the width, in the middle
    Image.fromarray(pixels).save(tmp_path / "line.png")
    look = 'appearance Appearance { texture ImageTexture { url "line.png" } }'
    found = {}
    for x in (-0.9, -0.3, -0.2, 0.0, 0.2, 0.3, 0.9):
        nodes = FLOORS[version].format(look=look, x=x, y=0.3, table=METRES, more="")
        found[x] = measure(tmp_path, nodes, version).value
    on_line = {-0.2, 0.0, 0.2}
    assert found == {x: pytest.approx(0.5 if x in on_line else 0.1) for x in found}


@pytest.mark.parametrize(
    "shape",
    [
        ("Box { size 0.2 4 4 }", 1.1),
        ("Cylinder { radius 1 height 4 }", 2.0),
        ("Sphere { radius 1 }", 2.0),
        ("Cone { bottomRadius 1 height 8 }", 2.0 - 0.5),
    ],
)
def test_a_picture_lies_on_solids_as_it_is_drawn(tmp_path: Path, shape: tuple[str, float]) -> None:
    """Seen from -x: a Box has the whole picture there; round ones have it once round, from +y over -x."""
    geometry, distance = shape
    pixels = np.zeros((80, 80, 3), np.uint8)
    pixels[:, :20, 0] = 255  # the first quarter
    Image.fromarray(pixels).save(tmp_path / "quarter.png")
    look = 'appearance Appearance { texture ImageTexture { url "quarter.png" } }'
    answers = []
    for side in (1.0, -1.0):  # to its left and to its right
        sensor = f'DistanceSensor {{ name "ds" type "infra-red" {METRES} translation 0 {side * 0.1} 0 }}'
        if geometry.startswith("Box"):
            sensor = sensor.replace(f"0 {side * 0.1} 0", f"0 {side * 1.5} 0")
        nodes = (
            f'Solid {{ name "thing" translation {distance} 0 0 '
            f"children [ Shape {{ {look} geometry {geometry} }} ] }}"
            f'Robot {{ name "r" children [ {sensor} ] }}'
        )
        reading = measure(tmp_path, nodes, "R2025a")
        answers.append(reading.value / reading.rays[0])
    assert answers == pytest.approx([1.0, 5.0])


@pytest.mark.parametrize("version", FLOORS)
def test_ink_under_the_beam_counts(tmp_path: Path, version: str) -> None:
    """A pen at the sensor's place draws in black while it stands and when the robot has gone on."""
    pen = 'Pen { name "pen" inkColor 0 0 0 inkDensity 1 leadSize 0.02 write TRUE }'
    nodes = FLOORS[version].format(look=material(1.0), x=0, y=0, table=METRES, more=pen)
    sim = simulation(tmp_path, nodes.replace("Robot", "DEF R Robot"), version)
    sensor = sim.robot("r")["ds"]
    sim.step()
    assert sensor.reading.value == pytest.approx(0.5)  # a spot, at once
    robot_node = sim.scene.find_def("R")
    assert robot_node is not None
    x, y, z = robot_node["translation"]
    for shift in (0.1, 0.2, 0.3):
        sim.supervisor.set("R", "translation", (x + shift, y, z))
        sim.step()
    for shift, value in ((0.15, 0.5), (0.35, 0.1), (0.25, 0.5)):
        sim.robot("r")["pen"].write(False)
        sim.supervisor.set("R", "translation", (x + shift, y, z))
        sim.step()
        assert sensor.reading.value == pytest.approx(value)


def test_the_picture_of_a_display_counts(tmp_path: Path) -> None:
    look = "appearance Appearance { material Material { diffuseColor 1 1 1 } texture ImageTexture { } }"
    display = (
        'Display { name "display" width 10 height 10 translation 1 0 0 children [ '
        f"Shape {{ {look} geometry Box {{ size 0.2 1 1 }} }} ] }}"
    )
    sim = simulation(tmp_path, robot(f'type "infra-red" {METRES}', display), "R2025a")
    shown, sensor = sim.robot("r")["display"], sim.robot("r")["ds"]
    for red, value in ((255, 0.9), (51, 0.9 / (0.2 + 0.8 * 0.2))):
        shown.canvas.set_color(red << 16)
        shown.canvas.fill_rectangle(0, 0, 10, 10)
        sim.step()
        assert sensor.reading.value == pytest.approx(value)


@needs_gl
@pytest.mark.parametrize("version", ["V6.0", "R2025a"])
def test_a_camera_sees_the_red_spot_of_a_laser(tmp_path: Path, version: str) -> None:
    """A spot of radius 0.05 m on a wall 1 m ahead: 2·0.05/(2·tan 0.25)·200 px across, in the dark too."""
    turn = "rotation 0 1 0 -1.5707963267948966" if version == "V6.0" else ""
    camera = f'Camera {{ name "camera" {turn} width 200 height 200 fieldOfView 0.5 }}'
    sensor = robot(f'type "laser" aperture 0.05 {METRES}', camera)
    sim = simulation(tmp_path, wall(1.0, material(0.5)) + sensor, version)
    sim.step()
    sim.close()
    blue, green, red, _ = np.moveaxis(np.asarray(sim.robot("r")["camera"].reading.value, float), -1, 0)
    rows, columns = np.nonzero((red > 200.0) & (green < 50.0) & (blue < 50.0))
    across = 0.1 / (2.0 * math.tan(0.25)) * 200.0
    assert len(rows) == pytest.approx(math.pi * across**2 / 4.0, rel=0.05)
    assert (rows.mean(), columns.mean()) == pytest.approx((99.5, 99.5), abs=0.6)
