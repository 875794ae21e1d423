"""Snapshots: a run that is repeated from one is the same run, to the last bit, in every shipped world."""

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.config import SimulationConfig
from sim_core.base.errors import PhysicsError
from sim_core.devices.motors.motor import Motor
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation, load_world

WORLDS = Path(__file__).resolve().parents[3] / "worlds"
ALL = sorted([*WORLDS.glob("*.wbt"), *(WORLDS / "devices").glob("*.wbt")])
SECONDS = {"swarm": 0.4, "camera": 0.6}
"""Of worlds whose steps or pictures take long; others run for a second each time."""


def told(value: Any) -> str:
    """A reading as text, arrays in full."""
    if isinstance(value, np.ndarray):
        return value.tobytes().hex()
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return repr([told(getattr(value, name)) for name in fields])
    if isinstance(value, (tuple, list)):
        return repr([told(each) for each in value])
    return repr(value) if not hasattr(value, "node_type") else value.path()


def state_of(sim: Simulation) -> str:
    """All readings, and where all solids are."""
    words = [str(sim.time_ns)]
    for node in sim.scene.walk():
        if node.is_a("Solid"):
            frame = sim.physics.frame(node)
            words.append(repr((frame.pose(), frame.linear_velocity(), frame.angular_velocity())))
    for robot in sim.robots.values():
        words += [f"{name} {told(sensor.reading)}" for name, sensor in robot.devices.items()
                  if hasattr(sensor, "reading")]  # fmt: skip
        words.append(repr(robot.battery.energy) if robot.battery is not None else "")
    return "\n".join(words)


def run(sim: Simulation, seconds: float, start: float = 0.0) -> str:
    """A run in which all motors swing; a hash of it."""
    digest = hashlib.sha256()
    steps = math.ceil(seconds * 1e9 / sim.step_ns)
    for step in range(steps):
        if step % 50 == 0:
            speed = 1.5 * math.sin(1.0 + start + 0.02 * step)
            for robot in sim.robots.values():
                for device in robot.devices.values():
                    if isinstance(device, Motor):
                        device.set_velocity(max(-1.0, min(1.0, speed)) * min(device.max_velocity, 5.0))
                if robot.drive is not None and not robot.motors():
                    robot.drive.set_twist(0.05, 0.3 * speed)
        sim.step()
        if step % 10 == 0:
            digest.update(state_of(sim).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("world", ALL, ids=lambda path: path.stem)
def test_a_run_from_a_snapshot_is_the_same_again(world: Path) -> None:
    seconds = SECONDS.get(world.stem, 1.0)
    sim = load_world(world, seed=3)
    run(sim, seconds)
    snapshot = sim.snapshot()
    before = state_of(sim)
    first = run(sim, seconds, 1.0)
    assert state_of(sim) != before
    sim.restore(snapshot)
    assert state_of(sim) == before
    assert run(sim, seconds, 1.0) == first
    sim.reset()
    sim.step(3)
    sim.restore(snapshot)  # everything in ODE has been built anew since
    assert state_of(sim) == before
    assert run(sim, seconds, 1.0) == first


def test_the_fast_2d_mode_has_snapshots_too() -> None:
    sim = load_world(WORLDS / "fast2d.wbt", SimulationConfig(physics="fast2d"))
    run(sim, 0.5)
    snapshot = sim.snapshot()
    first = run(sim, 0.5, 1.0)
    sim.restore(snapshot)
    assert run(sim, 0.5, 1.0) == first


def test_making_a_snapshot_changes_nothing() -> None:
    one, other = (load_world(WORLDS / "wall_avoiders.wbt") for _ in range(2))
    for _ in range(5):
        one.snapshot()
        run(one, 0.5)
        run(other, 0.5)
        assert state_of(one) == state_of(other)


def test_changes_of_a_supervisor_are_part_of_it() -> None:
    sim = Simulation(
        parse_scene(
            "#VRML_SIM R2025a utf8\nWorldInfo { } Solid { boundingObject Plane { } } DEF A Solid "
            "{ translation 0 0 2 boundingObject Sphere { radius 0.5 } physics DEF P Physics { } }",
            "w.wbt",
        )
    )
    early = sim.snapshot()
    sim.step(10)
    sim.supervisor.set("P", "density", 500.0)
    sim.supervisor.import_text("DEF B Solid { translation 3 0 2 boundingObject Box { } physics Physics { } }")
    sim.step(10)
    late = sim.snapshot()
    there = state_of(sim)
    sim.step(20)
    sim.restore(early)
    assert (
        sim.time_ns == 0 and sim.supervisor.find("B") is None and sim.supervisor.get("P", "density") == 1000.0
    )
    sim.restore(late)
    assert state_of(sim) == there and sim.supervisor.get("P", "density") == 500.0


def test_a_snapshot_of_another_world_is_refused() -> None:
    one, other = (load_world(WORLDS / "wall_avoiders.wbt") for _ in range(2))
    with pytest.raises(PhysicsError, match="another world"):
        one.restore(other.snapshot())
    refused: list[str] = []

    def task(_: int) -> None:
        for ask in (one.snapshot, lambda: one.restore(snapshot)):
            try:
                ask()
            except PhysicsError as error:
                refused.append(str(error))

    snapshot = one.snapshot()
    one.every(0.0, task)
    one.step()
    assert len(refused) == 2 and "during a step" in refused[0]
