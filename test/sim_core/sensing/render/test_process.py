"""The render process does not outlive its parent, and gives way to it when it has begun."""

from __future__ import annotations

import multiprocessing
import os
import select
import subprocess
import sys
import time
from pathlib import Path

from pictures import needs_gl
from processes import below, command_of

from sim_core.scene import parse_scene
from sim_core.sensing.render.process import NICENESS
from sim_core.session.simulation import Simulation

ROOT = Path(__file__).resolve().parents[4]
PARENT = """
import os, subprocess, sys
command = [sys.executable, "-m", "sim_core.sensing.render.process", sys.argv[1], "0", str(os.getpid())]
print(subprocess.Popen(command, pass_fds=[int(sys.argv[1])]).pid, flush=True)
sys.stdin.read()
"""


def test_it_ends_with_its_parent_though_the_connection_stays_open() -> None:
    ours, theirs = multiprocessing.Pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(theirs.fileno())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[theirs.fileno()],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert parent.stdout is not None
    process = os.pidfd_open(int(parent.stdout.readline()))
    assert not select.select([process], [], [], 0.5)[0]  # it waits for its views
    parent.kill()
    parent.communicate()
    assert select.select([process], [], [], 10.0)[0]
    os.close(process)
    ours.close()
    theirs.close()


CAMERA = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 20 }
Robot { name "r" children [ Camera { name "camera" } ] }
"""


@needs_gl
def test_all_its_threads_give_way_once_the_first_picture_stands() -> None:
    """Not before: on a busy machine the simulation would wait for it for minutes."""
    sim = Simulation(parse_scene(CAMERA, "w.wbt"))
    try:
        sim.step()
        assert sim.robot("r")["camera"].value is not None
        (drawing,) = [each for each in below(os.getpid()) if "render.process" in command_of(each)]
        wanted = min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19)
        until = time.monotonic() + 10.0
        while (found := _priorities(drawing)) != {wanted} and time.monotonic() < until:
            time.sleep(0.01)
        assert found == {wanted}
    finally:
        sim.close()


def _priorities(process: int) -> set[int]:
    threads = os.listdir(f"/proc/{process}/task")
    return {os.getpriority(os.PRIO_PROCESS, int(thread)) for thread in threads}
