"""The small worlds, one for each device: there is one, it runs, and it runs the same again."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from sim_core import load_world
from sim_core.base.shipped import shipped_worlds
from sim_core.devices import DEVICES
from sim_core.session.simulation import Simulation

SECONDS = 2.0
FOLDER = "devices/"
WORLDS = {name: path for name, path in shipped_worlds().items() if name.startswith(FOLDER)}
MOTORS = {"motor": ("linear_motor", "rotational_motor")}
"""A module with several nodes has a world for each."""


MODULES = {node_type: module.rpartition(".")[2] for node_type, module in DEVICES.items()}


@pytest.mark.parametrize("module", sorted(set(MODULES.values())))
def test_every_device_has_a_world(module: str) -> None:
    for name in MOTORS.get(module, (module,)):
        assert FOLDER + name in WORLDS


@pytest.mark.parametrize("name", WORLDS)
def test_the_world_of_a_device_has_it(name: str) -> None:
    device = name.removeprefix(FOLDER)
    sim = load_world(WORLDS[name])
    types = {node.type_name for robot in sim.robots.values() for node in _nodes(robot)}
    modules = {MODULES[node_type] for node_type in types}
    assert device not in MODULES.values() or device in modules


@pytest.mark.parametrize("path", WORLDS.values(), ids=WORLDS)
def test_a_world_runs_its_sensors_read_and_a_reset_repeats_it(path: Path) -> None:
    sim = load_world(path)
    first = _run(sim)
    assert all(reading is not None for reading in first.values())
    sim.reset()
    assert {name: pickle.dumps(reading) for name, reading in _run(sim).items()} == {
        name: pickle.dumps(reading) for name, reading in first.items()
    }


def _nodes(robot: Any) -> Any:
    return robot.nodes.values()


def _run(sim: Simulation) -> dict[str, Any]:
    """The last reading of every sensor after a time that every one is sampled in."""
    sim.run(SECONDS)
    return {
        f"{robot.name}.{sensor.name}": sensor.reading
        for robot in sim.robots.values()
        for sensor in robot.sensors()
    }
