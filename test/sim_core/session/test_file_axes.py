"""Worlds in other axes: the simulation is in ENU, and fields have the values of the file, to the last bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_edits import hashes

from sim_core.base.errors import OdesimError
from sim_core.base.geometry import Pose
from sim_core.devices.light import light_kernel
from sim_core.devices.light.lights import Lights
from sim_core.scene import load_scene
from sim_core.scene.robot_files import add_robot_files
from sim_core.session.simulation import Simulation

NUE = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Converts north, up, east to east, north, up."""
WORLD = """#VRML_SIM {version} utf8
WorldInfo {{ basicTimeStep 8 coordinateSystem "NUE" }}
DEF BALL Solid {{ translation 0.1 5 0.3 rotation 0 1 0 0.7 linearVelocity 1 0 0
  boundingObject Sphere {{ radius 0.1 }} physics Physics {{ density -1 mass 2 }} }}
DEF SHELF Solid {{ name "shelf" translation 0 1 -2 rotation 0 1 0 1.5707963267948966 children [
  DEF CUP Solid {{ name "cup" translation 0.25 0.5 0 }} ] }}
DEF SUN DirectionalLight {{ direction 0.25 -1 0.5 }}
DEF LAMP PointLight {{ location 1 2 3 }}
DEF ROBOT Robot {{ translation 1 0 2 children [ GPS {{ }} LightSensor {{ }} ] }}
"""


@pytest.fixture(params=["R2021b", "R2025a"])
def sim(request: pytest.FixtureRequest, tmp_path: Path) -> Simulation:
    return Simulation(load_scene(written(tmp_path, WORLD.format(version=request.param))))


def written(folder: Path, text: str) -> Path:
    file = folder / "nue.wbt"
    file.write_text(text)
    return file


def test_fields_have_the_values_of_the_file(sim: Simulation) -> None:
    supervisor = sim.supervisor
    assert supervisor.get("BALL", "translation") == (0.1, 5.0, 0.3)
    assert supervisor.get("BALL", "rotation") == (0.0, 1.0, 0.0, 0.7)
    assert supervisor.get("BALL", "linearVelocity") == (1.0, 0.0, 0.0)
    assert supervisor.pose("BALL").position == (0.3, 0.1, 5.0)
    assert supervisor.velocity("BALL")[0] == (0.0, 1.0, 0.0)
    assert supervisor.pose("CUP").position == pytest.approx(NUE @ (0.0, 1.5, -2.25), abs=1e-15)


def test_bodies_fall_along_y(sim: Simulation) -> None:
    sim.run(0.4)
    x, y, z = sim.supervisor.get("BALL", "translation")
    assert (x, z) == pytest.approx((0.5, 0.3), abs=1e-6)
    assert y == pytest.approx(5.0 - 9.81 * 0.4**2 / 2.0, abs=0.02)
    assert sim.supervisor.get("BALL", "linearVelocity")[1] == pytest.approx(-9.81 * 0.4, abs=1e-6)


def test_a_set_pose_is_read_back_and_applied(sim: Simulation) -> None:
    supervisor = sim.supervisor
    supervisor.set("BALL", "translation", (1.0, 2.0, 3.0))
    supervisor.set("BALL", "linearVelocity", (4.0, 5.0, 6.0))
    supervisor.set("CUP", "translation", (0.0, 0.5, 0.25))
    assert supervisor.get("BALL", "translation") == pytest.approx((1.0, 2.0, 3.0), abs=1e-15)
    assert supervisor.get("BALL", "linearVelocity") == (4.0, 5.0, 6.0)
    assert supervisor.pose("BALL").position == pytest.approx((3.0, 1.0, 2.0), abs=1e-15)
    assert supervisor.velocity("BALL")[0] == (6.0, 4.0, 5.0)
    assert supervisor.pose("CUP").position == pytest.approx(NUE @ (0.25, 1.5, -2.0), abs=1e-15)


def test_imported_nodes_use_the_axes_of_the_world(sim: Simulation) -> None:
    text = 'Solid { name "new" translation 1 2 3 children PointLight { location 0 1 0 } }'
    (solid,) = sim.supervisor.import_text(text)
    assert sim.supervisor.get(solid, "translation") == (1.0, 2.0, 3.0)
    assert sim.supervisor.pose(solid).position == (3.0, 1.0, 2.0)
    (below,) = sim.supervisor.import_text('Solid { name "below" translation 0 1 0 }', into=solid)
    assert sim.supervisor.pose(below).position == (3.0, 1.0, 3.0)


def test_lights_use_the_axes_of_the_file(sim: Simulation) -> None:
    lights = sim.media.of(Lights)
    lights.update_positions()
    nodes = {
        light.path.removeprefix("DEF "): row[light_kernel.X : light_kernel.DZ + 1]
        for light, row in zip(lights.specs, lights.table, strict=True)
    }
    sun = np.array((0.25, -1.0, 0.5))
    np.testing.assert_allclose(nodes["SUN"][3:], NUE @ sun / np.linalg.norm(sun), atol=1e-15)
    np.testing.assert_array_equal(nodes["LAMP"][:3], (3.0, 1.0, 2.0))


def test_a_saved_world_is_as_it_was_read_but_for_what_has_moved(sim: Simulation, tmp_path: Path) -> None:
    saved = sim.supervisor.save(tmp_path / "saved.wbt")
    first = saved.read_text()
    assert 'coordinateSystem "NUE"' in first and first.startswith(sim.scene.header.raw)
    assert "translation 0.1 5 0.3" in first and "direction 0.25 -1 0.5" in first
    sim.run(0.1)
    sim.supervisor.import_text('Solid { name "new" translation 1 2 3 }')
    again = Simulation(load_scene(sim.supervisor.save(saved)))
    for name in ("BALL", "CUP", "ROBOT"):
        expected, found = sim.supervisor.pose(name), again.supervisor.pose(name)
        assert found.position == pytest.approx(expected.position, abs=1e-12)
        assert found.rotation == pytest.approx(expected.rotation, abs=1e-12)
    for sim_now in (sim, again):
        sim_now.run(0.1)
    assert again.supervisor.pose("BALL").position == pytest.approx(
        sim.supervisor.pose("BALL").position, abs=1e-6
    )


def test_right_angles_have_no_noise(tmp_path: Path) -> None:
    world = '#VRML_SIM R2025a utf8\nWorldInfo { coordinateSystem "NUE" } DEF A Solid { }'
    sim = Simulation(load_scene(written(tmp_path, world)))
    assert sim.supervisor.pose("A") == Pose(rotation=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0))


def test_a_robot_from_urdf_is_placed_in_enu(tmp_path: Path) -> None:
    urdf = tmp_path / "car.urdf"
    urdf.write_text(
        '<robot name="car"><link name="base_link"><collision><geometry><cylinder radius="0.1" length="0.4"/>'
        "</geometry></collision></link></robot>"
    )
    poses = []
    for system in ("ENU", "NUE"):
        world = f'#VRML_SIM R2025a utf8\nWorldInfo {{ coordinateSystem "{system}" }}'
        scene = load_scene(written(tmp_path, world))
        add_robot_files(scene, [f"{urdf}@1,2,,0.3"])
        sim = Simulation(scene)
        poses.append(sim.supervisor.pose(sim.robot("car").node))
    assert poses[1].position == pytest.approx(poses[0].position, abs=1e-15)
    assert poses[1].rotation == pytest.approx(poses[0].rotation, abs=1e-15)


def test_a_shape_stays_where_it_is_when_its_size_changes(tmp_path: Path) -> None:
    """Its axes were different: a cylinder was along y."""
    shape = "translation 1 2 3 children DEF S Shape { geometry DEF C Cylinder { radius 0.1 height 2 } }"
    for version in ("R2021b", "R2025a"):
        sim = Simulation(load_scene(written(tmp_path, WORLD.format(version=version) + f"Pose {{ {shape} }}")))
        (before,) = sim.physics.model.visible.records
        sim.supervisor.set("C", "radius", 0.2)
        (after,) = sim.physics.model.visible.records
        assert (after.offset, after.scale) == (before.offset, before.scale)
        assert after.geometry == replace(before.geometry, radius=0.2)


@pytest.mark.parametrize("version", ["R2021b", "R2025a"])
def test_changed_axes_equal_those_of_a_loaded_file(tmp_path: Path, version: str) -> None:
    """The numbers of the file are kept; a reset restores the former axes."""
    files = []
    for system in ("ENU", "NUE"):
        files.append(tmp_path / f"{system}.wbt")
        files[-1].write_text(WORLD.format(version=version).replace("NUE", system))
    enu, nue = (hashes(Simulation(load_scene(file))) for file in files)
    assert enu != nue
    sim = Simulation(load_scene(files[0]))
    sim.supervisor.set(sim.scene.world_info, "coordinateSystem", "NUE")
    assert hashes(sim) == nue
    sim.reset()
    assert hashes(sim) == enu


def test_motion_continues_in_other_axes(tmp_path: Path) -> None:
    """In the file's terms everything is where it was, and falls in another direction; nothing jumps."""
    faller = """DEF FALLER Robot { name "faller" translation 5 6 7 rotation 0.6 0 0.8 1 controller "<none>"
      children [ Accelerometer { } GPS { } ] boundingObject Sphere { radius 0.1 } physics Physics { } }"""
    text = WORLD.format(version="R2025a").replace("NUE", "ENU") + faller
    sim = Simulation(load_scene(written(tmp_path, text)))
    sim.run(0.08)
    names = [(name, field) for name in ("BALL", "CUP", "FALLER") for field in ("translation", "rotation")]
    names += [(name, field) for name in ("BALL", "FALLER") for field in ("linearVelocity", "angularVelocity")]
    before, start = [sim.supervisor.get(*name) for name in names], sim.snapshot()
    east, north, up = sim.supervisor.pose("FALLER").position
    sim.supervisor.set(sim.scene.world_info, "coordinateSystem", "NUE")
    for name, was in zip(names, before, strict=True):
        assert sim.supervisor.get(*name) == pytest.approx(was, abs=1e-12), name
    assert sim.supervisor.pose("FALLER").position == (up, east, north)
    sim.step()
    robot = sim.robot("faller")
    sim.sample([robot["accelerometer"], robot["gps"]])
    assert robot["accelerometer"].value == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert sim.supervisor.get("FALLER", "linearVelocity") == pytest.approx(
        (0.0, -9.81 * 0.008, -9.81 * 0.08), abs=1e-9
    )
    sim.restore(start)
    assert [sim.supervisor.get(*name) for name in names] == before


def test_a_gps_reference_applies_at_once(tmp_path: Path) -> None:
    """Readers of positions and heights use it at once; an impossible place is refused."""
    text = WORLD.format(version="R2025a").replace("GPS { }", "GPS { } Altimeter { }")
    sim = Simulation(load_scene(written(tmp_path, text)))
    sensors = [sim.robot("robot")[name] for name in ("gps", "altimeter")]
    sim.supervisor.set(sim.scene.world_info, "gpsReference", (10.0, 20.0, 30.0))
    sim.sample(sensors)
    assert [sensor.value for sensor in sensors] == [pytest.approx((32.0, 11.0, 20.0)), 20.0]
    sim.reset()
    sim.sample(sensors)
    assert [sensor.value for sensor in sensors] == [pytest.approx((2.0, 1.0, 0.0)), 0.0]
    with pytest.raises(OdesimError, match="when the world is loaded"):
        sim.supervisor.set(sim.scene.world_info, "gpsCoordinateSystem", "WGS84")
