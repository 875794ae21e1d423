"""What docs/experiments.md shows works as it is printed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sim_core.base.shipped import find_world
from sim_core.experiments.sweep.plan import make_runs
from sim_core.experiments.sweep.spec_reader import read_spec

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")


def test_the_spec_is_one(tmp_path: Path) -> None:
    found = re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert found
    shutil.copy(ROOT / "examples/sweep/avoider.py", tmp_path)
    shutil.copy(ROOT / "worlds/wall_avoiders.wbt", tmp_path / "arena.wbt")
    (tmp_path / "spec.yaml").write_text(found[1], encoding="utf-8")
    assert len(make_runs(read_spec(tmp_path / "spec.yaml", find_world))) == 10 * 2 * 2 * 50


def test_the_environments_work() -> None:
    pytest.importorskip("gymnasium")
    one, many = re.findall(r"<!-- test: learning -->\n```python\n(.*?)```", TEXT, re.DOTALL)
    code = one + "print(len(observation), sorted(info), env.reset(seed=1)[0].shape)\n"
    code += many + "print(many.why, observations.shape, rewards.shape)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "6 ['time'] (3,)\nNone (256, 3) (256,)\n"), done.stderr
