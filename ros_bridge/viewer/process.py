"""The viewer as a separate process beside a simulation."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

from ros_bridge.processes import end_with_parent
from ros_bridge.topics.names import OF_ALL
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import CODE

NICENESS = 10
"""Lower priority: when processor time is short, the simulation is served first."""
END_LIMIT = 1.5
"""Seconds that the viewer has to end by itself before it is killed."""


@contextmanager
def viewer_process(ros_args: Sequence[str] = (), port: int | None = None) -> Iterator[None]:
    """Run a viewer within the context; it also ends when this process does, however that ends.

    Args:
        ros_args: of the simulation, whose namespace and clock it shares.
        port: first port to try; None: the viewer's default.

    Raises:
        ConfigError: viser is not installed.
    """
    if find_spec("viser") is None:
        raise ConfigError("the viewer needs the Python package viser: pip install viser")
    command = [sys.executable, "-m", "ros_bridge.cli", "view", "--exit-with-simulation"]
    if port is not None:
        command += ["--port", str(port)]
    rules = [word for word in ros_args if word.split(":=")[0] in ("__ns", *OF_ALL)]
    if rules:
        command += ["--ros-args", *(word for rule in rules for word in ("-r", rule))]
    guard = [sys.executable, "-I", "-S", str(end_with_parent.__file__), str(os.getpid())]
    path = os.pathsep.join(filter(None, (str(CODE), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        [*guard, *command],
        env={**os.environ, "PYTHONPATH": path},
        process_group=0,  # Ctrl-C in the terminal reaches the simulation only, which then ends the viewer
    )
    os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
