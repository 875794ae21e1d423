"""Builds simulations of small worlds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.swarm import world_text
from sim_core.base.config import SimulationConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation


@pytest.fixture
def build() -> Callable[..., Simulation]:
    """Return a function that makes the simulation of a world given by its nodes."""

    def make(*nodes: str, step: float = 32.0, physics: str = "fast2d", **config: object) -> Simulation:
        scene = parse_scene(world_text(*nodes, step=step), "test.wbt")
        return Simulation(scene, SimulationConfig(physics=physics, **config))  # type: ignore[arg-type]

    return make
