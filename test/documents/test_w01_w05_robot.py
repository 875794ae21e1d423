"""W1 and W5, the book on Webots: controllers, their arguments, batteries, and how fast a world runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from controller_runs import write_controllers
from processes import ODESIM, ReadProcess

from ros_bridge.parameters.parameter_file import world_values
from sim_core.scene import load_scene

ENERGY, MOTOR, PROCESSOR = 20.0, 4.0, 1.5
WORLD = f"""#VRML_SIM V6.0 utf8
WorldInfo {{ runRealTime FALSE }}
DifferentialWheels {{ name "robot" translation 0 0.05 0
  controller "kin" controllerArgs "kin 5 5"
  battery [ {ENERGY} 100 2 ] cpuConsumption {PROCESSOR} motorConsumption {MOTOR}
  boundingObject Box {{ size 0.1 0.08 0.1 }} }}
DifferentialWheels {{ name "lost" translation 1 0.05 0 controller "simple" }}
DifferentialWheels {{ name "other" translation 2 0.05 0 controller "written_in_java" }}
"""
KIN = """import sys
from controller import DifferentialWheels
robot = DifferentialWheels()
print("arguments", *sys.argv[1:], len(sys.argv) - 1)
robot.batterySensorEnable(32)
robot.setSpeed(5, 5)
while robot.step(32) != -1:
    print("battery", robot.getTime(), robot.batterySensorGetValue())
"""


def test_a_robot_drives_until_its_battery_is_empty_and_void_runs_elsewhere(tmp_path: Path) -> None:
    """It lasts 20 J/(4 W + 1.5 W) = 3.64 s, and its controller ends with it, also in the mode fast."""
    write_controllers(tmp_path, {"kin": KIN})
    source = tmp_path / "controllers" / "written_in_java" / "written_in_java.java"
    source.parent.mkdir()
    source.write_text("public class written_in_java { }")
    world = tmp_path / "worlds" / "book.wbt"
    world.parent.mkdir()
    world.write_text(WORLD)
    run = ReadProcess(*ODESIM, "run", world, "--duration", "8", "--ros-args", "-p", "lockstep_timeout:=60.0")
    assert run.wait() == 1, run.lines
    assert "could not be started" in run.lines[-1]
    for robot in ("lost", "other"):
        (line,) = run.says(f" {robot}: ")
        assert line.endswith('; using "void" instead')
    assert run.says("arguments kin 5 5 3")
    assert run.says("3 robots, step 32 ms, fast")
    assert run.says("robot: the battery is empty at 3.648 s; its devices are off; its controller was ended")
    told = [tuple(map(float, line.split("battery ")[1].split())) for line in run.says("robot: battery ")]
    for time, energy in told:
        assert energy == pytest.approx(max(0.0, ENERGY - (MOTOR + PROCESSOR) * time), abs=1e-9)
    assert 3.3 < told[-1][0] <= 3.648
    assert run.says("end at 8.000 s")


@pytest.mark.parametrize(("says", "values"), [("TRUE", []), ("FALSE", [(("mode",), "fast")])])
def test_a_scene_says_itself_whether_it_keeps_to_real_time(
    says: str, values: list[tuple[tuple[str, ...], str]], tmp_path: Path
) -> None:
    """`runRealTime` of a WorldInfo, and of the World of the thesis (M)."""
    for name, text in (
        ("a.wbt", f"#VRML_SIM V6.0 utf8\nWorldInfo {{ runRealTime {says} }}"),
        ("a.x3d", f'<X3D><Scene><World runRealTime="{says}"/></Scene></X3D>'),
    ):
        file = tmp_path / name
        file.write_text(text)
        assert [value[:2] for value in world_values(load_scene(file))] == values
