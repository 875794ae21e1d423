"""Solids without Physics that keep a velocity, and robots in them."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path

import pytest

from sim_core.base.errors import PhysicsError
from sim_core.scene import parse_scene
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

H = 0.008
G = 9.81
PLATE = """DEF PLATE Solid {{ name "plate" {more} boundingObject Box {{ size 2 2 0.2 }} }}\n"""
BOX = """DEF BOX Solid { name "box" translation 0 0 0.2 boundingObject Box { size 0.2 0.2 0.2 }
  physics Physics { density -1 mass 1 } }\n"""


def simulation(text: str) -> Simulation:
    return Simulation(parse_scene(f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 8 }}\n{text}", "w.wbt"))


def place(sim: Simulation, name: str) -> tuple[float, float, float]:
    return sim.supervisor.pose(name).position


def test_it_moves_and_turns_at_the_velocity_of_its_file() -> None:
    sim = simulation(PLATE.format(more="linearVelocity 0.5 0 0.25 angularVelocity 0 0 2"))
    sim.step(100)
    t = 100 * H
    assert place(sim, "PLATE") == pytest.approx((0.5 * t, 0.0, 0.25 * t))
    assert sim.supervisor.pose("PLATE").rotation[:2] == pytest.approx((cos(2.0 * t), -sin(2.0 * t)))
    assert sim.supervisor.velocity("PLATE") == ((0.5, 0.0, 0.25), (0.0, 0.0, 2.0))
    sim.reset()
    assert place(sim, "PLATE") == (0.0, 0.0, 0.0)
    sim.step(100)
    assert place(sim, "PLATE") == pytest.approx((0.5 * t, 0.0, 0.25 * t))


def test_it_carries_what_stands_on_it() -> None:
    sim = simulation(PLATE.format(more="linearVelocity 0.5 0 0") + BOX)
    sim.run(1.0)
    assert sim.supervisor.velocity("BOX")[0] == pytest.approx((0.5, 0.0, 0.0), abs=1e-3)


def test_a_supervisor_starts_and_stops_it() -> None:
    sim = simulation(PLATE.format(more="") + BOX)
    sim.step(10)
    sim.supervisor.set_velocity("PLATE", (0.0, 1.0, 0.0))
    sim.step(25)
    assert place(sim, "PLATE") == pytest.approx((0.0, 0.2, 0.0))
    sim.supervisor.set("PLATE", "linearVelocity", (0.0, -1.0, 0.0))
    sim.step(25)
    assert place(sim, "PLATE") == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    sim.supervisor.reset_physics("PLATE")
    sim.step(25)
    assert place(sim, "PLATE") == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert sim.supervisor.velocity("PLATE") == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_a_velocity_set_before_the_first_step_is_the_initial_velocity() -> None:
    sim = simulation(PLATE.format(more=""))
    sim.supervisor.set("PLATE", "linearVelocity", (1.0, 0.0, 0.0))
    sim.step(25)
    sim.supervisor.set("PLATE", "linearVelocity", (0.0, 0.0, 0.0))
    sim.step(25)
    assert place(sim, "PLATE") == pytest.approx((0.2, 0.0, 0.0))


def test_it_keeps_its_velocity_in_a_snapshot_and_in_a_saved_world(tmp_path: Path) -> None:
    sim = simulation(PLATE.format(more="linearVelocity 0.5 0 0") + BOX)
    sim.step(20)
    then, saved = sim.snapshot(), load_world(sim.supervisor.save(tmp_path / "saved.wbt"))
    sim.step(30)
    after = place(sim, "PLATE"), place(sim, "BOX")
    sim.supervisor.set_velocity("PLATE", (0.0, 1.0, 0.0))
    sim.step(5)
    sim.restore(then)
    sim.step(30)
    assert (place(sim, "PLATE"), place(sim, "BOX")) == after
    saved.step(30)
    assert place(saved, "PLATE") == pytest.approx(after[0])


def test_it_keeps_its_velocity_when_something_is_added() -> None:
    sim = simulation(PLATE.format(more="linearVelocity 0.5 0 0"))
    sim.step(20)
    sim.supervisor.import_text('DEF NEW Solid { name "new" translation 0 5 0 linearVelocity 0 1 0 }')
    sim.step(20)
    assert place(sim, "PLATE") == pytest.approx((0.5 * 40 * H, 0.0, 0.0))
    assert place(sim, "NEW")[1] == pytest.approx(5.0 + 20 * H, abs=H + 1e-9)


def test_at_the_end_of_a_joint_it_moves_as_far_as_the_joint_allows() -> None:
    sim = simulation("""Robot { name "r" children SliderJoint { jointParameters JointParameters { axis 1 0 0 }
      endPoint DEF END Solid { name "end" linearVelocity -5 3 0 } } }""")
    sim.step(20)
    assert place(sim, "END") == pytest.approx((-5.0 * 20 * H, 0.0, 0.0))
    assert sim.supervisor.velocity("END")[0] == pytest.approx((-5.0, 0.0, 0.0))
    sim.supervisor.set_velocity("END", (1.0, 0.0, 0.0))
    sim.step(20)
    assert place(sim, "END") == pytest.approx((-4.0 * 20 * H, 0.0, 0.0))


def test_a_plane_cannot_be_set_in_motion() -> None:
    sim = simulation("DEF FLOOR Solid { boundingObject Plane { } }")
    with pytest.raises(PhysicsError, match="has a Plane, which cannot be moved"):
        sim.supervisor.set_velocity("FLOOR", (1.0, 0.0, 0.0))
    sim.step()


OUTER = """DEF OUTER Solid {{ name "outer" translation 0 0 1 rotation 0 0 1 {turn} {outer} children
  DEF INNER Solid {{ name "inner" translation 0.5 0 0 {more} boundingObject Sphere {{ }} }} }}\n"""


def angle(rotation: tuple[float, ...]) -> float:
    return rotation[3] % (2.0 * pi)


@pytest.mark.parametrize("outer", ["", "physics Physics { density -1 mass 1 } boundingObject Sphere { }"])
@pytest.mark.parametrize("by", ["file", "supervisor", "supervisor later"])
def test_a_nested_one_moves_at_its_own_velocity(by: str, outer: str) -> None:
    """In the frame of its parent, as in Webots: after 0.64 s it has turned by 0.64·√(0.5² + 1²)."""
    linear, angular = (0.25, 0.0, 0.0), (0.5, 0.0, 1.0)
    fields = "linearVelocity 0.25 0 0 angularVelocity 0.5 0 1"
    text = OUTER.format(turn=pi / 2, outer=outer, more=fields if by == "file" else "")
    sim = simulation(text)
    if by == "supervisor later":
        sim.step(10)
    if by != "file":
        sim.supervisor.set_velocity("INNER", linear, angular)
    sim.step(80)
    assert angle(sim.supervisor.get("INNER", "rotation")) == pytest.approx(0.716, abs=1e-3)
    assert sim.supervisor.get("INNER", "translation") == pytest.approx((0.5 + 0.25 * 0.64, 0.0, 0.0))
    assert sim.supervisor.get("INNER", "linearVelocity") == pytest.approx(linear, abs=1e-9)
    told, (above, _) = sim.supervisor.velocity("INNER"), sim.supervisor.velocity("OUTER")
    assert told[0] == pytest.approx((above[0], 0.25 + above[1], above[2]), abs=1e-9)
    assert told[1] == pytest.approx((0.0, 0.5, 1.0), abs=1e-9)
    sim.supervisor.set_velocity("INNER", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    sim.step(10)
    assert sim.supervisor.get("INNER", "translation") == pytest.approx((0.5 + 0.25 * 0.64, 0.0, 0.0))


def test_a_nested_one_moves_with_its_parent_and_carries_what_stands_on_it(tmp_path: Path) -> None:
    text = f"""DEF OUTER Solid {{ name "outer" linearVelocity 0 0.25 0 children
      {PLATE.format(more="linearVelocity 0.5 0 0")} }} {BOX}"""
    sim = simulation(text)
    sim.run(1.0)
    assert place(sim, "PLATE") == pytest.approx((0.5, 0.25, 0.0))
    assert sim.supervisor.velocity("PLATE")[0] == pytest.approx((0.5, 0.25, 0.0))
    assert sim.supervisor.velocity("BOX")[0] == pytest.approx((0.5, 0.25, 0.0), abs=1e-3)
    then, saved = sim.snapshot(), load_world(sim.supervisor.save(tmp_path / "saved.wbt"))
    sim.supervisor.import_text('DEF NEW Solid { name "new" translation 0 5 0 }')
    sim.step(30)
    assert place(sim, "PLATE") == pytest.approx((0.5 + 0.5 * 30 * H, 0.25 + 0.25 * 30 * H, 0.0))
    saved.step(30)
    assert place(saved, "PLATE") == pytest.approx(place(sim, "PLATE"))
    sim.supervisor.set("PLATE", "translation", (0.0, 0.0, 0.0))
    assert place(sim, "PLATE") == pytest.approx(place(sim, "OUTER"))
    sim.restore(then)
    assert place(sim, "PLATE") == pytest.approx((0.5, 0.25, 0.0))
    sim.reset()
    assert place(sim, "PLATE") == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("is_set", [False, True])
@pytest.mark.parametrize("around", ["{}", 'Solid {{ name "outer" children {} }}'])
def test_a_moving_one_is_measured_where_it_is(around: str, is_set: bool) -> None:
    """A wall that moves away from a distance sensor, at the velocity of its file or at one that is set."""
    wall = PLATE.format(more="translation 1.1 0 0" + (" linearVelocity 0.5 0 0" if not is_set else ""))
    sim = simulation(
        around.format(wall)
        + """Robot { name "r" controller "<none>" children
        DistanceSensor { lookupTable [ 0 0 0, 10 10 0 ] } }"""
    )
    sensor = sim.robots["r"].devices["distance sensor"]
    sim.step(1 if is_set else 0)
    if is_set:
        assert sensor.reading.distance == pytest.approx(0.1)
        sim.supervisor.set_velocity("PLATE", (0.5, 0.0, 0.0))
    sim.step(100)
    assert sensor.reading.distance == pytest.approx(0.1 + 0.5 * 100 * H)
