"""What Linux alone has is not needed: all of it is taken away, and the simulator does the same."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pictures import needs_gl

from sim_core.base.machine import is_ended_with, shared_memory
from sim_core.session.load_world import load_world

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 240.0
PROGRAM = """
import no_linux
import sys
from ros_bridge.cli.__main__ import main
from sim_core.base.machine import processors
from sim_core.session.load_world import load_world

folder = sys.argv[1]
assert processors() >= 1
sim = load_world("wall_avoiders")
for _ in range(100):
    sim.step()
print(repr([robot.frame.pose() for robot in sim.robots.values()]))
assert main(["check", "docking"]) == 0
assert main(["info", "docking", "--json"]) == 0
assert main(["convert", "docking", f"{folder}/docking.x3d"]) == 0
"""
PICTURES = """
import no_linux
import sys
from ros_bridge.cli.__main__ import main

assert main(["shot", "docking", f"{sys.argv[1]}/a.png"]) == 0
"""
LEARNING = """
import no_linux
import gymnasium
from sim_core.experiments.learning import register_environments

register_environments()
many = gymnasium.make_vec("NAME", 2, workers=2, duration=1.0)
many.reset(seed=1)
many.step(many.action_space.sample())
many.close()
"""


def python(program: str, *arguments: object) -> str:
    """What a program says where Linux's own is not there."""
    paths = [str(ROOT), str(ROOT / "test/support"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_worlds_move_and_are_read_and_written_without_linux(tmp_path: Path) -> None:
    said = python(PROGRAM, tmp_path)
    sim = load_world("wall_avoiders")
    for _ in range(100):
        sim.step()
    assert said.splitlines()[0] == repr([robot.frame.pose() for robot in sim.robots.values()])
    assert (tmp_path / "docking.x3d").stat().st_size


@needs_gl
def test_pictures_are_drawn_without_linux(tmp_path: Path) -> None:
    python(PICTURES, tmp_path)
    assert (tmp_path / "a.png").stat().st_size


def test_environments_learn_in_processes_without_linux() -> None:
    pytest.importorskip("gymnasium", reason="needs the Python package gymnasium")
    python(LEARNING.replace("NAME", "odesim/FollowLine-v0"))


@pytest.mark.parametrize("has_memfd", [True, False])
def test_shared_memory_is_shared_and_has_no_name(monkeypatch: pytest.MonkeyPatch, has_memfd: bool) -> None:
    if not has_memfd:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    memory = shared_memory("test")
    os.ftruncate(memory, 100)
    one, other = (mmap.mmap(memory, 100) for _ in range(2))
    one[7] = 42
    assert other[7] == 42 and not os.get_inheritable(memory)
    assert os.fstat(memory).st_nlink == 0
    os.close(memory)


def test_who_has_lost_its_parent_knows_it() -> None:
    program = "from sim_core.base.machine import is_ended_with; import os; print(is_ended_with(os.getppid()))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert said.stdout == "True\n"
    assert not is_ended_with(-1)
