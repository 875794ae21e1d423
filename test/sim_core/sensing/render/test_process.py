"""The render process does not outlive its parent."""

from __future__ import annotations

import multiprocessing
import os
import select
import subprocess
import sys
from pathlib import Path

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
