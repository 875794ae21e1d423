"""Rolling robots as arrays: with objects or instanced, on one thread or on two."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.swarm import robot_text, wall_text, world_text
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import OdesimError
from sim_core.base.geometry import Pose
from sim_core.devices.ranging import parallel
from sim_core.scene import Scene, parse_scene
from sim_core.scene.wbt.writer import write_scene
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

SENSORS = """
  DistanceSensor { name "front" translation 0.1 0.01 0.06 aperture 0 lookupTable [ 0 1000 0, 1.5 0 0 ] }
  DistanceSensor { name "beside" translation 0 0.1 0.06 rotation 0 0 1 1.2 numberOfRays 3 aperture 0.5
    resolution 0.01 lookupTable [ 0 0 0, 2 2 0 ] }
"""
PROTO = """#VRML_SIM R2025a utf8
PROTO Roller [
  field SFVec3f translation 0 0 0
  field SFRotation rotation 0 0 1 0
  field SFString name "robot"
  field SFFloat fast 40
  field MFNode more [ ]
]
{%s}
"""


@pytest.fixture(scope="module")
def extern(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the line that declares the PROTO of the robots here."""
    text = robot_text("", more=SENSORS + "Group { children IS more }")
    place = text[text.index("name") : text.index("controller")]
    text = text.replace(place, "name IS name translation IS translation rotation IS rotation ")
    text = text.replace("maxVelocity 1000", "maxVelocity IS fast acceleration 60")
    file = tmp_path_factory.mktemp("protos") / "Roller.proto"
    file.write_text(PROTO % text, "utf-8")
    return f'EXTERNPROTO "{file}"'


def world(extern: str, count: int = 40, more: str = "", first: str = "") -> str:
    """Return a world with robots so close to each other and to walls that they hit both; every seventh is
    faster."""
    rng = np.random.default_rng(3)
    nodes = [wall_text("w1", 1.5, 0.0, "0.1 6 0.3"), wall_text("w2", -1.0, 1.0, "0.4 0.1 0.3", 0.3)]
    for index in range(count):
        x, y = 0.4 * (index % 7) - 1.2, 0.4 * (index // 7) - 1.3
        place = f"translation {x:.2f} {y:.2f} 0.05 rotation 0 0 1 {rng.uniform(-3.0, 3.0):.4f}"
        own = "fast 60" if index % 7 == 0 else ""
        nodes.append(f'Roller {{ name "r{index}" {place} {own} {first if index == 0 else ""} {more} }}')
        if index == count // 2:  # a robot of another type among them
            nodes.append(robot_text("other", 0.1, 1.9, 0.3, SENSORS))
    return world_text(extern, *nodes)


def simulation(text: str, instanced: bool = False, **config: object) -> Simulation:
    scene = parse_scene(text, "test.wbt", instanced=instanced)
    return Simulation(scene, SimulationConfig(physics="fast2d", instanced=instanced, **config))  # type: ignore[arg-type]


def drive(sim: Simulation, steps: int, seed: int = 5) -> dict[str, list[bytes]]:
    """Drive, and return all values of each robot after each step, bit by bit."""
    rolled = sim.rolled
    assert rolled is not None
    rng = np.random.default_rng(seed)
    order = np.argsort(rolled.names)
    told: dict[str, list[bytes]] = {name: [] for name in rolled.names}
    for step in range(steps):
        if step % 10 == 0:  # some exceed the motors' limits
            speeds = rng.uniform(-20.0, 80.0, (len(order), 2))
            mixed = np.empty_like(speeds)
            mixed[order] = speeds
            rolled.set_wheel_speeds(mixed)
        sim.step()
        columns = [rolled.places, rolled.motions, rolled.odometry.state.poses]
        columns += [rolled.values(name)[:, None] for name in ("front", "beside")]
        for name, row in zip(rolled.names, np.hstack(columns), strict=True):
            told[name].append(row.tobytes())
    return told


def test_instanced_robots_equal_robots_with_objects(extern: str) -> None:
    written, instanced = (simulation(world(extern), each) for each in (False, True))
    assert len(written.robots) == 41 and list(instanced.robots) == ["r0", "r1", "other"]
    assert instanced.rolled is not None and written.rolled is not None
    assert list(instanced.rolled.names) == list(written.rolled.names) == list(written.robots)
    told = drive(written, 60)
    assert drive(instanced, 60) == told
    assert np.unique(instanced.rolled.values("front")).size > 10  # they do measure different distances
    pushed = np.array([np.frombuffer(rows[-1])[5] for rows in told.values()])
    assert np.isfinite(pushed).all()
    # the values of the arrays are those of the devices
    beside = written.rolled.values("beside")
    assert [robot["beside"].value for robot in written.robots.values()] == beside.tolist()


def test_threads_change_no_bit(extern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LEAST", 8)  # otherwise so few rows use one thread
    told = [drive(simulation(world(extern), True, threads=threads), 30) for threads in (1, 2, 3)]
    assert told[0] == told[1] == told[2]


def test_reset_and_snapshots_restore_to_the_last_bit(extern: str, tmp_path: Path) -> None:
    sim = simulation(world(extern), True)
    first = drive(sim, 20)
    snapshot = sim.snapshot()
    then = drive(sim, 20, seed=6)
    sim.restore(snapshot)
    assert drive(sim, 20, seed=6) == then
    sim.restore(snapshot)
    file = sim.snapshot().save(tmp_path / "run.odesim")
    again = Simulation.from_snapshot(file)
    assert again.rolled is not None and list(again.robots) == ["r0", "r1", "other"]
    assert drive(again, 20, seed=6) == then
    sim.reset()
    assert sim.rolled is not None and np.isnan(sim.rolled.values("front")).all()
    assert drive(sim, 20) == first


def test_a_reset_may_keep_the_clock(extern: str) -> None:
    sim = simulation(world(extern), True)
    first = drive(sim, 20)
    now_ns = sim.time_ns
    sim.reset(keep_clock=True)
    assert sim.time_ns == now_ns
    again = drive(sim, 20)
    poses = 5 * np.dtype(float).itemsize  # the sensors have noise, which goes by time
    assert {name: [row[:poses] for row in rows] for name, rows in again.items()} == {
        name: [row[:poses] for row in rows] for name, rows in first.items()
    }


def test_a_scene_is_written_with_all_robots(extern: str) -> None:
    scene = parse_scene(world(extern), "test.wbt", instanced=True)
    assert len(scene.folded) == 38
    again = parse_scene(write_scene(scene), "test.wbt")
    robots = [node for node in again.nodes if node.is_a("Robot")]
    plain = [node for node in parse_scene(world(extern), "test.wbt").nodes if node.is_a("Robot")]
    key = _place_of
    assert sorted(map(key, robots)) == sorted(map(key, plain))


def _place_of(robot: object) -> tuple[object, ...]:
    return tuple(robot[name] for name in ("name", "translation", "rotation"))  # type: ignore[index]


def test_robots_that_differ_have_objects(extern: str) -> None:
    def folded(*robots: str) -> int:
        scene: Scene = parse_scene(world_text(extern, *robots), "test.wbt", instanced=True)
        return len(scene.folded)

    plain = 'Roller { name "a" }'
    assert folded(plain, 'Roller { name "b" translation 1 2 0 rotation 0 0 -1 3 }') == 1
    assert folded(plain, 'DEF B Roller { name "b" }') == 0
    assert folded(plain, "Roller { translation 1 2 0 }") == 0
    assert folded(plain, 'Roller { name "b" translation 0 0 1 }') == 0
    assert folded(plain, 'Roller { name "b" rotation 1 0 0 0.1 }') == 0
    assert folded(plain, 'Roller { name "b" fast 41 }') == 0
    assert folded(plain, 'Roller { name "b" more [ Group { } ] }') == 0
    assert folded(plain, 'Group { children [ Roller { name "b" } ] }') == 0


def test_robots_that_cannot_be_arrays_are_refused_in_one_line(extern: str) -> None:
    text = world(extern, 4)
    scene = parse_scene(text, "test.wbt", instanced=True)
    with pytest.raises(
        OdesimError, match=r"2 robots held as arrays and physics ode, expected physics fast2d"
    ):
        Simulation(scene, SimulationConfig(physics="ode"))
    with pytest.raises(OdesimError, match=r'second robot named "r1"'):
        simulation(text.replace('"r2"', '"r1"'), True)
    with pytest.raises(OdesimError, match=r"r1/front: found a sampling period of 0.064 s, expected none"):
        simulation(text, True, sampling_period=0.064)
    rolled = simulation(text, True).rolled
    assert rolled is not None
    for wrong in (np.zeros((3, 2)), np.full((5, 2), np.nan)):
        with pytest.raises(OdesimError, match=r"wheel speeds: found .*, expected finite numbers of shape"):
            rolled.set_wheel_speeds(wrong)
    with pytest.raises(OdesimError, match=r'no distance sensor "fron" in the plane.*front'):
        rolled.values("fron")


def test_readings_are_of_the_world_before_an_edit(extern: str) -> None:
    seen = []
    for instanced in (False, True):
        sim = simulation(world(extern, 12), instanced)
        drive(sim, 3)
        rolled = sim.rolled
        assert rolled is not None
        sim.step()
        robot = sim.robots["r1"]
        beside = Pose((1.2, 1.5, 0.05), robot.frame.pose().rotation)
        sim.before_next_step(partial(sim.physics.move, robot.node.id, beside))
        sim.apply_edits()
        before = rolled.values("front").tobytes()
        assert before == rolled.values("front").tobytes()
        sim.step()
        assert before != rolled.values("front").tobytes()
        seen.append((before, drive(sim, 5)))
    assert seen[0] == seen[1]


def test_with_robots_as_arrays_only_fields_without_derived_data_change(extern: str) -> None:
    sim = simulation(world(extern, 12), True)
    supervisor, node = sim.supervisor, sim.robot("r1").node
    match = "cannot be changed while robots are held as arrays, expected instanced: false"
    for refused in (
        lambda: supervisor.set(node, "fast", 50.0),
        lambda: supervisor.set(node, "translation", (0.0, 0.0, 0.05)),
        lambda: supervisor.import_text("Solid { }"),
        lambda: supervisor.remove(node),
        lambda: supervisor.add_force(node, (1.0, 0.0, 0.0)),
    ):
        with pytest.raises(OdesimError, match=match):
            refused()
    supervisor.set("other", "customData", "x")
    sim.step()
    assert supervisor.get("other", "customData") == "x"
    with pytest.raises(OdesimError, match=r'robot "r2": found row 2 of Simulation.rolled'):
        sim.robot("r2")


def test_the_example_of_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "fast2d.md").read_text("utf-8")
    found = re.search(r"<!-- test: fast2d -->\n```python\n(.*?)```", text, re.DOTALL)
    assert found
    exec(found[1], {})
    assert capsys.readouterr().out.startswith("r1 [")


@pytest.mark.parametrize("version", ["V5.0", "V6.4.4", "V7.4.0", "R2019b", "R2021b", "R2025a"])
@pytest.mark.parametrize(("field", "is_flat"), [('fast2d "enki"', True), ('fast2d ""', False), ("", False)])
def test_the_field_of_old_worlds_chooses_the_mode(
    tmp_path: Path, version: str, field: str, is_flat: bool
) -> None:
    file = tmp_path / "w.wbt"
    file.write_text(f"#VRML_SIM {version} utf8\nWorldInfo {{ {field} }}\nDifferentialWheels {{ }}\n")
    sim = load_world(file)
    assert (sim.rolled is not None) == is_flat
    assert ("fast2d" in write_scene(sim.scene)) == bool(field)
