from collections.abc import Callable
from pathlib import Path

import pytest

from sim_core.base.config import SimulationConfig
from sim_core.scene import Scene, parse_scene
from sim_core.scene.robot_files import add_robot_file
from sim_core.scene.robot_settings import with_device_settings
from sim_core.session.simulation import Simulation

FLOOR = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 2 }
Solid { name "floor" boundingObject Plane { size 40 40 } }
"""


@pytest.fixture
def floor() -> Scene:
    return parse_scene(FLOOR)


@pytest.fixture
def spawned(tmp_path: Path) -> Callable[..., Simulation]:
    """A world with a floor and the robot of a URDF text; `place` is what stands behind the file's name."""

    def make(text: str, place: str = "", world: str = FLOOR) -> Simulation:
        file = tmp_path / "robot.urdf"
        file.write_text(text)
        scene = parse_scene(world)
        add_robot_file(scene, f"{file}{place}")
        return Simulation(scene, with_device_settings(SimulationConfig(), scene))

    return make
