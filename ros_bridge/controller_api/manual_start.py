"""`odesim controller`: start a controller manually for a robot of a running simulation."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ros_bridge.controller_api.compiling import SOURCES, build_program
from ros_bridge.controller_api.server import running_servers
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import CODE

OVER_TCP = "tcp://"


def become_controller(robot: str, file: str, arguments: Sequence[str], simulation: str) -> int:
    """Replace this process by the controller, running in its file's folder.

    Args:
        robot: name of the robot, whose `controller` should be `<extern>`.
        file: in Python, C or C++, or a program.
        arguments: for the controller.
        simulation: process id of the simulation, or the address of its `--controller-port`,
            tcp://HOST:PORT; empty: there is only one.

    Raises:
        ConfigError: there is no such file or simulation, or several simulations.
    """
    script = Path(file).resolve()
    if not script.is_file():
        raise ConfigError(f"{file}: found no file, expected a controller in Python, C or C++, or a program")
    place = simulation if simulation.startswith(OVER_TCP) else str(_socket(simulation))
    port = simulation.rpartition(":")[2]
    if simulation.startswith(OVER_TCP) and not (port.isdecimal() and int(port) < 1 << 16):
        raise ConfigError(f"--simulation: found {simulation}, expected tcp://HOST:PORT")
    command = [sys.executable, str(script)]
    if script.suffix in SOURCES:
        command = [str(build_program(script, print))]
    elif os.access(script, os.X_OK) and script.suffix != ".py":
        command = [str(script)]
    paths = [str(CODE / "webots_api"), str(CODE), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "ODESIM_CONTROLLER_URL": place,
        "ODESIM_ROBOT": robot,
        "WEBOTS_ROBOT_NAME": robot,
    }
    os.chdir(script.parent)
    sys.stdout.flush()
    os.execve(command[0], [*command, *arguments], variables)


def _socket(simulation: str) -> Path:
    """Return the socket of a simulation of this user on this machine.

    Raises:
        ConfigError: there is none, or there are several and none is named.
    """
    running = {path.parent.name: path for path in running_servers()}
    known = ", ".join(running) or "none"
    if simulation and simulation not in running:
        raise ConfigError(
            f"--simulation: found {simulation}, expected tcp://HOST:PORT, or a running simulation: {known}"
        )
    if not simulation and len(running) != 1:
        many = "start one with `odesim run WORLD`" if not running else "choose one with --simulation PID"
        raise ConfigError(f"found {len(running)} running simulations ({known}), expected one: {many}")
    return running[simulation] if simulation else next(iter(running.values()))
