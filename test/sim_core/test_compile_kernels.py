"""The kernels are compiled once, and kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(code: list[str], cache: Path) -> str:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, *code], env=environment, capture_output=True, text=True, timeout=180, check=True
    )
    return result.stdout


def test_the_second_time_nothing_is_compiled(tmp_path: Path) -> None:
    first = run(["-m", "sim_core.compile_kernels"], tmp_path)
    assert "Kernels compiled in" in first and str(tmp_path) in first
    assert " cast" in first.splitlines()[0] and " grow_tree" in first.splitlines()[0]
    assert "compiled already" in run(["-m", "sim_core.compile_kernels"], tmp_path)


def test_rays_load_numba_when_they_are_first_cast(tmp_path: Path) -> None:
    code = "import sys, sim_core.raycast, sim_core.devices.distance_sensor; print('numba' in sys.modules)"
    assert run(["-c", code], tmp_path).strip() == "False"
