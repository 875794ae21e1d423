"""The kernels are compiled once, and kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*code: str, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    result = subprocess.run(
        [sys.executable, *code], env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    return result.stderr + result.stdout


def test_the_second_time_nothing_is_compiled() -> None:
    """The first time is mostly that of the set-up."""
    kernels = ("-m", "sim_core.compile_kernels")
    first = run(*kernels).splitlines()
    assert first[0].endswith(20 * ".")  # as they come, one by one
    assert "compiled already" in run(*kernels)


def test_rays_load_numba_when_they_are_first_cast() -> None:
    modules = "sim_core.sensing.raycast, sim_core.devices.ranging.distance_sensor"
    code = f"import sys, {modules}; print('numba' in sys.modules)"
    assert run("-c", code).strip() == "False"


def test_without_a_folder_to_keep_them_in_they_are_compiled_all_the_same() -> None:
    code = (
        "from sim_core.engines.ode.contacts import kernels; "
        "print(kernels.copy_state.stats.cache_path, kernels.note_pair.address > 0)"
    )
    nowhere = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "NUMBA_CACHE_DIR": "/proc/none"}
    warning, found = run("-c", code, **nowhere).splitlines()
    assert "at each start" in warning and "NUMBA_CACHE_DIR" in warning
    assert found == "None True"
