"""PyODE is taken where it is; in its place, odesim_ode; and a process has one libode."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sim_core.base.machine import loaded_libraries
from sim_core.engines.ode import pyode
from sim_core.session.snapshot_file import library_of_ode


@pytest.mark.parametrize(
    ("pyode_says", "taken"), [("", "ode"), ("raise ImportError('libode.so.8: not found')", "odesim_ode")]
)
def test_pyode_is_taken_where_it_is_and_works(tmp_path: Path, pyode_says: str, taken: str) -> None:
    (tmp_path / "ode.py").write_text(pyode_says)
    (tmp_path / "odesim_ode.py").write_text("")
    program = "import runpy, sys; print(runpy.run_path(sys.argv[1])['ode'].__name__)"
    command = [sys.executable, "-c", program, pyode.__file__]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == taken


def test_one_libode_is_loaded() -> None:
    assert len(loaded_libraries("libode")) == 1


def test_a_wheel_of_libode_is_known_by_the_name_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = Path("/venv/odesim_ode.libs/libode-1a2b3c4d.so.8.0.2")
    monkeypatch.setattr("sim_core.session.snapshot_file.loaded_libraries", lambda name: [packed])
    assert library_of_ode() == "libode.so.8.0.2"
