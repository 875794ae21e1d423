"""Machines without OpenGL: a mount namespace hides its libraries from a real run."""

import functools
import subprocess
import sys
from pathlib import Path

import pytest
from pictures import ROOT

RUN = """
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation
text = '#VRML_SIM R2025a utf8\\nWorldInfo { basicTimeStep 10 } Robot { name "r" children [ Camera { } ] }'
sim = Simulation(parse_scene(text, "w.wbt"))
sim.step(10)
print(sim.time, sim.robot("r")["camera"].reading)
sim.close()
"""


@functools.cache
def library(name: str) -> str | None:
    """Return its file; None if there is none or no namespace can be made."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        return None
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    paths = [
        line.split("=>")[1].strip() for line in listed.splitlines() if line.strip().startswith(name + " ")
    ]
    return str(Path(paths[0]).resolve()) if paths else None


@pytest.mark.parametrize("name", ["libEGL.so.1", "libGL.so.1"])
def test_without_a_library_the_world_runs_and_one_line_says_what_to_install(name: str) -> None:
    path = library(name)
    if path is None:
        pytest.skip(f"{name} cannot be hidden here: unshare -m is not allowed, or there is none")
    hide = f'mount --bind /dev/null "{path}" && exec "{sys.executable}" -c "$0"'
    run = subprocess.run(
        ["unshare", "-m", "sh", "-c", hide, RUN], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "0.1 None\n"
    (line,) = run.stderr.splitlines()
    assert line.startswith("cameras and range finders have no pictures, all other devices work: ")
    assert "apt-get install libegl1" in line and name in line
