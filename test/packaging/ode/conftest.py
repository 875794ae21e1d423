"""The module of packaging/ode, built here where a compiler, libode's and Python's headers and Cython are."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "packaging" / "ode"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def missing() -> str:
    """What is not here of what the build needs."""
    needed = {
        "Cython": find_spec("Cython") is not None,
        "a compiler": shutil.which("cc") is not None,
        "libode-dev": shutil.which("ode-config") is not None,
        "python3-dev": Path(sysconfig.get_path("include"), "Python.h").is_file(),
    }
    return ", ".join(name for name, is_here in needed.items() if not is_here)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the module; kept in build/ until its sources change."""
    if missing():
        pytest.skip(f"building odesim_ode needs {missing()}")
    files = sorted(path for path in SOURCES.rglob("*") if path.suffix in (".py", ".pyx", ".pxd", ".pxi"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    found = ROOT / "build" / f"odesim_ode-{digest}" / f"odesim_ode{SUFFIX}"
    if not found.exists():
        folder = tmp_path_factory.mktemp("build") / "ode"
        shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("build", "*.c", "*.egg-info"))
        subprocess.run(
            [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(folder)],
            cwd=folder,
            env=os.environ | {"CFLAGS": "-O0"},  # four times as fast; what counts is computed in libode
            check=True,
        )
        found.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / found.name, f"{found}.{os.getpid()}")
        os.replace(f"{found}.{os.getpid()}", found)
    return found


@pytest.fixture(scope="session")
def ode(built: Path) -> Any:
    """The module. It is linked to the libode of the system, which PyODE has too."""
    spec = spec_from_file_location("odesim_ode", built)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
