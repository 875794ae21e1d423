"""Controllers with Webots' own library: how they are started, and real ones where it is installed."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from processes import ODESIM, finished

from ros_bridge.controller_api.java import PACKAGE
from ros_bridge.controller_api.libcontroller import LibController, find_libcontroller
from ros_bridge.processes.controller_plans import Plan, WebotsHome, environment, from_source

LIBRARY = find_libcontroller()
real = pytest.mark.skipif(LIBRARY is None, reason="libController of Webots is not installed")
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Robot { name "my robot" translation 1 2 3 controller "mine" children [ GPS { name "gps" } ] }
"""
PROGRAM = """
#include <stdio.h>
#include <webots/gps.h>
#include <webots/robot.h>
int main(void) {
  wb_robot_init();
  WbDeviceTag gps = wb_robot_get_device("gps");
  wb_gps_enable(gps, 16);
  for (int i = 0; i < 3 && wb_robot_step(16) != -1; i++) {
    const double *at = wb_gps_get_values(gps);
    printf("%g at %g %g %g\\n", wb_robot_get_time(), at[0], at[1], at[2]);
  }
  while (wb_robot_step(16) != -1);
  printf("over\\n");
  wb_robot_cleanup();
  return 0;
}
"""
SCRIPT = """
from controller import Robot
robot = Robot()
gps = robot.getDevice("gps")
gps.enable(16)
for _ in range(3):
    robot.step(16)
    print("%g at %g %g %g" % (robot.getTime(), *gps.getValues()[0:3]))
print("over" if not hasattr(robot, "_connection") else "our own")
"""
JAVA = """
import com.cyberbotics.webots.controller.GPS;
import com.cyberbotics.webots.controller.Robot;
public class mine {
  public static void main(String[] words) {
    Robot robot = new Robot();
    GPS gps = robot.getGPS("gps");
    gps.enable(16);
    for (int i = 0; i < 3 && robot.step(16) != -1; i++) {
      double[] at = gps.getValues();
      System.out.printf("%.3f at %.0f %.0f %.0f%n", robot.getTime(), at[0], at[1], at[2]);
    }
    while (robot.step(16) != -1);
    System.out.println("over");
  }
}
"""
EXPECTED = ["0.016 at 1 2 3", "0.032 at 1 2 3", "0.048 at 1 2 3", "over"]


def test_a_controller_on_the_library_finds_it_and_the_simulation(tmp_path: Path) -> None:
    library = LibController(tmp_path / "home", "R2025a", tmp_path / "include", tmp_path / "python")
    webots = WebotsHome(tmp_path / "1234", library, is_preferred=False)
    program = Plan("r", "mine", ["./mine"], tmp_path, uses_api=True, on_libcontroller=True)
    found = environment(program, Path("/socket"), webots=webots)
    assert found["WEBOTS_INSTANCE_PATH"] == f"{tmp_path}/1234/"
    assert (found["WEBOTS_HOME"], found["WEBOTS_ROBOT_NAME"]) == (str(tmp_path / "home"), "r")
    assert found["LD_LIBRARY_PATH"].split(os.pathsep)[0] == str(library.folder)
    assert str(tmp_path / "python") in found["PYTHONPATH"].split(os.pathsep)
    assert "ODESIM_CONTROLLER_URL" not in found
    own = environment(Plan("r", "mine", ["./mine"], tmp_path), Path("/socket"), webots=webots)
    assert "WEBOTS_INSTANCE_PATH" not in own


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("mine", b"\x7fELF libController.so", ["needs libController", "odesim get libcontroller"]),
        ("mine.java", JAVA.encode(), ["mine.java", "Controller.jar", "WEBOTS_HOME", "void"]),
    ],
)
def test_without_the_library_a_controller_that_needs_it_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, content: bytes, expected: list[str]
) -> None:
    """One line says what to do; the robot has no controller."""
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    world = _world(tmp_path)
    program = tmp_path / "controllers" / "mine" / file
    program.parent.mkdir(parents=True)
    program.write_bytes(content)
    program.chmod(0o755)
    run = finished(*ODESIM, "run", world, "--mode", "fast", "--duration", "0.05", "--no-viewer")
    (line,) = (line for line in (run.stdout + run.stderr).splitlines() if expected[0] in line)
    assert all(each in line for each in expected)


def test_without_the_library_a_program_is_built_from_the_source_beside_it(tmp_path: Path) -> None:
    """Projects may contain a program for another machine among their sources."""
    source = tmp_path / "mine.c"
    source.write_text(PROGRAM, encoding="utf-8")
    program = Plan("r", "mine", [str(tmp_path / "mine"), "word"], tmp_path, True, on_libcontroller=True)
    built = from_source(program)
    assert (built.command, built.on_libcontroller, built.uses_api) == ([str(source), "word"], False, True)
    source.unlink()
    assert from_source(program) is program


@real
@pytest.mark.parametrize("kind", ["program", "source", "python", "java"])
def test_a_real_controller_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    assert LIBRARY is not None
    world = _world(tmp_path)
    options = ["--mode", "fast", "--duration", "0.1", "--no-viewer"]
    folder = tmp_path / "controllers" / "mine"
    folder.mkdir(parents=True)
    if kind == "python":
        if LIBRARY.python is None:
            pytest.skip("libController without its Python package")
        (folder / "mine.py").write_text(SCRIPT, encoding="utf-8")
        options.append("--libcontroller")
    elif kind == "source":
        (folder / "mine.c").write_text(PROGRAM, encoding="utf-8")
        options.append("--libcontroller")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    elif kind == "java":
        if not (LIBRARY.folder / PACKAGE).is_file() or shutil.which("javac") is None:
            pytest.skip("no javac, or libController without its package for Java")
        (folder / "mine.java").write_text(JAVA, encoding="utf-8")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    else:
        source = tmp_path / "mine.c"
        source.write_text(PROGRAM, encoding="utf-8")
        where = [f"-I{LIBRARY.include}/c", f"-L{LIBRARY.folder}"]
        subprocess.run(["gcc", source, "-o", folder / "mine", *where, "-lController", "-lm"], check=True)
    assert _said(world, *options) == EXPECTED
    if kind == "java":  # the compiled class alone, then in a jar file
        (classes,) = (tmp_path / "odesim/controllers").glob("*/mine.class")
        (folder / "mine.java").unlink()
        shutil.copy(classes, folder)
        assert _said(world, *options) == EXPECTED
        with zipfile.ZipFile(folder / "mine.jar", "w") as jar:
            jar.write(folder / "mine.class", "mine.class")
        (folder / "mine.class").unlink()
        assert _said(world, *options) == EXPECTED


def _said(world: Path, *options: str) -> list[str]:
    """Return what the controller printed in a run."""
    run = finished(*ODESIM, "run", world, *options)
    said = [line.partition("my robot: ")[2] for line in run.stderr.splitlines() if "my robot: " in line]
    return [line for line in said if not line.startswith("controller")]


def _world(folder: Path) -> Path:
    (folder / "worlds").mkdir()
    world = folder / "worlds" / "w.wbt"
    world.write_text(WORLD, encoding="utf-8")
    return world
