"""What works where pip has brought all it can: no ROS, and perhaps no PyODE; and what is said of the rest."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sim_core
from ros_bridge.cli.world_info import as_json, describe_world
from ros_bridge.node.run_without_ros import NodeWithoutRos
from ros_bridge.parameters.options import RunOptions
from sim_core.base.errors import ConfigError, MissingPackageError, OdesimError
from sim_core.base.missing_packages import ROS, missing_package
from sim_core.base.shipped import find_world

ROOT = Path(__file__).resolve().parents[1]
# A module that is None in sys.modules cannot be imported, as if it were not there.
WITHOUT = """
import pkgutil, sys
from sim_core.base.missing_packages import is_ros
ros = filter(is_ros, (module.name for module in pkgutil.iter_modules()))
sys.modules |= {name: None for name in [*ros, *MORE]}
from ros_bridge.cli.__main__ import main
for words in COMMANDS:
    print("==", words[0], flush=True)
    print("code", main(words), flush=True)
"""


def odesim(folder: Path, *commands: list[str], without: tuple[str, ...] = ()) -> dict[str, str]:
    """What each command says, by its name; they run in one process without ROS, in a folder not ours."""
    program = f"MORE = {without!r}\nCOMMANDS = {commands!r}\n{WITHOUT}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    said = re.split(r"^== (\w+)\n", done.stdout, flags=re.MULTILINE)
    return dict(zip(said[1::2], said[2::2], strict=True))


def test_what_needs_no_ros_works_without_and_the_rest_says_in_a_line_what_brings_it(tmp_path: Path) -> None:
    said = odesim(
        tmp_path,
        ["list"],
        ["check", "worlds/wall_follower.wbt"],
        ["info", "wall_follower"],
        ["convert", "wall_follower", "made.x3d"],
        ["bag", "info", "."],
        ["animate", "wall_avoiders", "run.html", "--duration", "1"],
        ["run", "wall_follower", "--mode", "fast", "--duration", "1", "--viewer-port", "0"],
        ["topic", "list"],
    )
    assert "Wall follower" in said["list"] and said["list"].endswith("code 0\n")
    assert "1 good file, 0 broken" in said["check"]
    assert re.search(r"ds_front +DistanceSensor", said["info"])
    assert "ROS 2 is not installed here: topics cannot be shown" in said["info"]
    assert (tmp_path / "made.x3d").is_file()
    assert "found no .mcap or .db3 file" in said["bag"]
    assert said["topic"] == f"{ROS}\ncode 2\n"
    assert re.search(r"viewer: http://127\.0\.0\.1:\d+ in a browser", said["run"])
    assert "end at 1.000 s" in said["run"] and said["run"].endswith("code 0\n")
    (line,) = (line for line in said["animate"].splitlines() if "ROS 2" in line)
    assert "there are no topics" in line
    assert "end at 1.000 s, after 200 steps" in said["animate"] and said["animate"].endswith("code 0\n")
    assert (tmp_path / "run.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("option", "value"),
    [("record", "bag"), ("wait_extern", True), ("controller_port", 0), ("ros_args", ["-r"])],
)
def test_a_run_without_ros_refuses_what_needs_it(option: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"--{option.replace('_', '-')}: needs ROS 2"):
        NodeWithoutRos(RunOptions("w.wbt", **{option: value}))  # type: ignore[arg-type]


BROKEN = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Solid { translation 1 2 }
"""


def test_looking_at_worlds_needs_no_pyode_and_a_line_says_what_brings_it_to_the_rest(tmp_path: Path) -> None:
    (tmp_path / "broken.wbt").write_text(BROKEN, encoding="utf-8")
    said = odesim(
        tmp_path,
        ["list"],
        ["check", "wall_follower", "broken.wbt"],
        ["info", "office", "--json"],
        ["convert", "wall_follower", "made.x3d"],
        ["shot", "wall_follower", "made.png", "--time", "1"],
        without=("ode", "odesim_ode"),
    )
    assert said["list"].endswith("code 0\n") and (tmp_path / "made.x3d").is_file()
    assert "PyODE is not installed here: the physics has not been built" in said["check"]
    assert "broken.wbt:3:" in said["check"] and "1 good file, 1 broken" in said["check"]
    told, known = json.loads(said["info"].rpartition("code 0")[0]), describe_world(find_world("office"))
    assert told == json.loads(as_json(known)) | dict.fromkeys(("topics", "services", "actions"))
    line, code = said["shot"].splitlines()
    assert "PyODE" in line and "apt install python3-pyode" in line and code == "code 2"


def test_the_packages_named_are_those_of_the_requirements() -> None:
    required = re.findall(r"^(ros-[\w\[\]-]+)", (ROOT / "requirements/ros.txt").read_text(), re.MULTILINE)
    assert all(name in ROS for name in required)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("quickjs", "the Python package quickjs is not installed: pip install quickjs-ng"),
        ("PIL.Image", "the Python package PIL is not installed: pip install pillow"),
        ("sensor_msgs.msg", ROS),
    ],
)
def test_a_missing_package_is_named_with_what_brings_it(name: str, line: str) -> None:
    error = missing_package(ModuleNotFoundError(name=name))
    assert isinstance(error, MissingPackageError) and isinstance(error, OdesimError)
    assert isinstance(error, ImportError) and str(error) == line


def test_a_missing_part_of_ours_is_a_fault_of_ours() -> None:
    assert missing_package(ModuleNotFoundError(name="sim_core.nothing")) is None


def test_a_world_of_ours_is_found_by_its_name_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    worlds = [sim_core.load_world(name) for name in ("wall_follower", "worlds/wall_follower.wbt")]
    assert [list(sim.robots) for sim in worlds] == [list(worlds[0].robots)] * 2
