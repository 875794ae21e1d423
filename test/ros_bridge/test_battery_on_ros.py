"""A battery that runs dry in a running simulation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "tired" battery [ 1 1 1 ] cpuConsumption 2 synchronization FALSE
  controller "command_player" controllerArgs [ "0 motor/velocity 1.0" ]
  children HingeJoint { device RotationalMotor { name "motor" } endPoint Solid { } } }
"""


def test_the_end_is_said_and_the_controller_is_ended(simulate: Callable[..., Any], tmp_path: Path) -> None:
    world = tmp_path / "worlds" / "tired.wbt"
    world.parent.mkdir()
    world.write_text(WORLD, encoding="utf-8")
    simulation = simulate(world, mode="realtime", duration=1.5)
    assert simulation.wait(40.0) == 0
    (line,) = simulation.says("tired: the battery is empty at 0.5 s")
    assert "its devices are off; its controller was ended" in line
    assert not simulation.says('controller "command_player" ended')
