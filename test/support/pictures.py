"""Whether pictures can be drawn here, and worlds to draw."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def has_gl() -> bool:
    """Asked in a process of its own: a context made here would not live through a fork."""
    if os.environ.get("CI"):
        return True  # has Mesa: there these tests must not be skipped
    code = "from sim_core.sensing.render.painter import make_context; make_context()"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0


needs_gl = pytest.mark.skipif(
    not has_gl(), reason="no OpenGL through EGL: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri"
)


def white(geometry: str, place: str = "0 0 0", more: str = "") -> str:
    """A Solid with one shape in a plain white that only scatters light."""
    look = "Appearance { material Material { diffuseColor 1 1 1 } }"
    return (
        f"Solid {{ translation {place} {more} children Shape {{ appearance {look} geometry {geometry} }} }}\n"
    )
