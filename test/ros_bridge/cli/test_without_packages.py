"""What needs no PyODE works without it, and a world runs where ROS 2 is not installed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hidden import ODE, ROS, hidden
from processes import ODESIM

from ros_bridge.cli.world_info import as_json, describe_world
from sim_core.base.shipped import find_world

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 120.0


def odesim(environment: dict[str, str], *words: object) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    done = subprocess.run(
        [*ODESIM, *map(str, words)], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("world", ["docking", "office"])
def test_info_tells_the_same_without_pyode(tmp_path: Path, world: str) -> None:
    code, said, errors = odesim(hidden(tmp_path, *ODE), "info", world, "--json")
    assert (code, errors) == (0, "")
    assert json.loads(said) == json.loads(as_json(describe_world(find_world(world))))


def test_check_finds_mistakes_without_pyode_and_ros(tmp_path: Path) -> None:
    world = tmp_path / "w.wbt"
    world.write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
        "Solid { boundingObject Box { size 1 1 1 } physics Physics { density -1 mass -1 } }\n"
    )
    code, said, errors = odesim(hidden(tmp_path, *ODE, *ROS), "check", world)
    assert code == 2 and f"{world}:3:" in errors
    assert "PyODE is not installed here: the physics has not been built" in said
    assert "ROS 2 is not installed here: topics have not been checked" in said


def test_convert_and_list_need_neither(tmp_path: Path) -> None:
    environment = hidden(tmp_path, *ODE, *ROS)
    code, _, errors = odesim(environment, "convert", "docking", tmp_path / "docking.x3d")
    assert (code, errors) == (0, "") and (tmp_path / "docking.x3d").stat().st_size
    code, said, errors = odesim(environment, "list")
    assert (code, errors) == (0, "") and "docking" in said


def test_a_run_without_pyode_says_what_is_missing_in_one_line(tmp_path: Path) -> None:
    code, _, errors = odesim(hidden(tmp_path, *ODE), "shot", "docking", tmp_path / "a.png")
    assert code == 2 and errors.startswith("PyODE") and len(errors.splitlines()) == 1


def test_a_world_runs_and_is_recorded_without_ros(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    words = ("animate", "wall_avoiders", page, "--duration", "1")
    code, _, errors = odesim(hidden(tmp_path, *ROS), *words)
    assert code == 0, errors
    (line,) = [line for line in errors.splitlines() if "ROS 2" in line]
    assert "there are no topics" in line
    assert "end at 1.000 s, after 200 steps" in errors
    assert page.stat().st_size > 10_000


def test_what_needs_ros_is_refused_in_one_line(tmp_path: Path) -> None:
    environment = hidden(tmp_path, *ROS)
    code, _, errors = odesim(environment, "run", "docking", "--record", tmp_path / "bag")
    assert code == 2 and errors == "--record: needs ROS 2 (rclpy), which is not installed\n"
    code, _, errors = odesim(environment, "topic", "list")
    assert code == 2 and errors.startswith("ROS 2 for Python (rclpy") and len(errors.splitlines()) == 1
