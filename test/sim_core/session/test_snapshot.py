"""Snapshots: a run repeated from one is the same, to the last bit, in every shipped world."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from swinging import SECONDS, run, state_of

from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import PhysicsError
from sim_core.base.state import State, not_plain
from sim_core.scene import parse_scene
from sim_core.scene.loader import scene_from_text
from sim_core.session.load_world import load_world
from sim_core.session.players.trajectory import Trajectory
from sim_core.session.players.trajectory_player import TrajectoryPlayer
from sim_core.session.simulation import Simulation

WORLDS = Path(__file__).resolve().parents[3] / "worlds"
ALL = sorted(path for folder in (WORLDS, WORLDS / "devices") for path in folder.glob("*.wbt"))
FEW = 12
"""Number of robots of the swarm that are used, of two hundred: each is a line of its file."""


def loaded(world: Path) -> Simulation:
    """Return a shipped world, with a small swarm."""
    lines = world.read_text(encoding="utf-8").splitlines(keepends=True)
    left_out = [line for line in lines if line.startswith("SwarmRobot {")][FEW:]
    text = "".join(line for line in lines if line not in left_out)
    return Simulation(scene_from_text(text, world), SimulationConfig(seed=3))


def unplain(sim: Simulation) -> list[str]:
    """Return the parts of a simulation's states, or of copies of them, that are not plain data."""
    states = [state for _, each in sim.stateful() for state in (each.state, each.state.copy())]
    return [found for state in states if (found := not_plain(state, type(state).__name__))]


@pytest.mark.parametrize("world", ALL, ids=lambda path: path.stem)
def test_a_run_from_a_snapshot_is_the_same_again(world: Path) -> None:
    seconds = SECONDS.get(world.stem, 1.0)
    sim = loaded(world)
    fresh = run(sim, seconds)
    assert unplain(sim) == []
    snapshot = sim.snapshot()
    before = state_of(sim)
    first = run(sim, seconds, 1.0)
    assert state_of(sim) != before
    sim.restore(snapshot)
    assert state_of(sim) == before
    assert run(sim, seconds, 1.0) == first
    sim.reset()
    sim.step(3)
    sim.restore(snapshot)  # all ODE objects have been rebuilt since
    assert state_of(sim) == before
    assert run(sim, seconds, 1.0) == first
    for _ in range(2):  # the first time all ODE objects are rebuilt, the second time they are not
        sim.reset()
    assert run(sim, seconds) == fresh


def test_the_fast_2d_mode_has_snapshots_too() -> None:
    sim = load_world(WORLDS / "fast2d.wbt", SimulationConfig(physics="fast2d"))
    run(sim, 0.5)
    snapshot = sim.snapshot()
    first = run(sim, 0.5, 1.0)
    sim.restore(snapshot)
    assert run(sim, 0.5, 1.0) == first


def test_a_snapshot_includes_commands_and_readings_in_transit() -> None:
    """Late commands and readings, and a trajectory: they arrive again, and continue."""
    late = DeviceConfig(faults=FaultConfig(latency=0.2, gaussian=0.01))
    names = ("motor_left", "ds_front")
    config = SimulationConfig(robots={"robot1": RobotConfig(devices=dict.fromkeys(names, late))})
    sim = load_world(WORLDS / "wall_avoiders.wbt", config)
    robot = sim.robot("robot1")
    motor = robot["motor_right"]
    path = Trajectory((1_000_000_000, 3_000_000_000), np.array([[1.0], [-1.0]]))
    player = TrajectoryPlayer(path, [motor], sim.playback)
    player.play(sim.time_ns)
    sim.step(10)
    robot["motor_left"].set_velocity(1.5)
    sim.step()
    assert unplain(sim) == []
    snapshot = sim.snapshot()
    ends = []
    for _ in range(2):
        sim.run(4.0)
        assert not player.is_playing
        ends.append(state_of(sim))
        sim.restore(snapshot)
        assert player.is_playing
    assert ends[0] == ends[1]


def test_a_sensor_has_the_period_of_the_snapshot_again() -> None:
    sim = load_world(WORLDS / "wall_avoiders.wbt")
    sensor = sim.robot("robot1")["ds_front"]
    before = sensor.period_ns
    sim.step(3)
    snapshot = sim.snapshot()
    first = run(sim, 1.0)
    sim.set_sampling_period(sensor, 3 * before / 1e9)
    sim.step(5)
    sim.restore(snapshot)
    assert sensor.period_ns == before and run(sim, 1.0) == first


def test_a_copy_of_a_state_is_independent() -> None:
    @dataclass(eq=False)
    class Outer(State):
        inner: State
        lists: list[State]
        array: np.ndarray

    outer = Outer(State(), [State()], np.zeros(2))
    copy = outer.copy()
    assert copy.inner is not outer.inner and copy.lists[0] is not outer.lists[0]
    copy.array[0] = 1.0
    assert outer.array.tolist() == [0.0, 0.0]
    for wrong in (scene := parse_scene("#VRML_SIM R2025a utf8\n", "w.wbt"), print, object()):
        assert "Outer.lists.[0]" in str(not_plain(Outer(State(), [wrong], np.zeros(1)), "Outer"))
    assert "array of objects" in str(not_plain(Outer(State(), [], np.array([scene])), "Outer"))


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
