from collections.abc import Callable

import pytest

from sim_core.base.config import SimulationConfig
from sim_core.scene import Scene
from sim_core.scene.robot_settings import with_device_settings
from sim_core.scene.sdf.reader import parse_sdf
from sim_core.session.simulation import Simulation

HEAD = '<sdf version="1.9"><world name="w"><physics><max_step_size>0.002</max_step_size></physics>'


@pytest.fixture
def read() -> Callable[..., Scene]:
    """The scene of a world that holds models."""

    def make(inside: str, head: str = HEAD) -> Scene:
        return parse_sdf(f"{head}{inside}</world></sdf>")

    return make


@pytest.fixture
def simulated(read: Callable[..., Scene]) -> Callable[..., Simulation]:
    """Its simulation."""

    def make(inside: str, head: str = HEAD) -> Simulation:
        scene = read(inside, head)
        return Simulation(scene, with_device_settings(SimulationConfig(), scene))

    return make
