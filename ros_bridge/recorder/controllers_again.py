"""What controllers that import Webots' module `controller` have sent, carried out again without them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ros_bridge.controller_api.api import Host
from ros_bridge.controller_api.requests import Requests
from ros_bridge.controller_api.session import Session
from sim_core.base.errors import RecordingError
from sim_core.session.simulation import Simulation
from webots_api.controller.link import PROTOCOL

WRITES_FILES = frozenset(("image_save",))
"""Commands that leave the world as it is and are not repeated; such requests are not even recorded."""


class _Nobody:
    """The connection of a controller that is not there."""

    is_open = False

    def send(self, message: dict[str, Any]) -> None:
        """Nobody hears it."""


class ControllersAgain:
    """The controllers of one replay.

    Args:
        sim: the simulation.
    """

    KINDS = ("webots_controller", "controller_commands", "controller_request", "controller_gone")

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._sessions: dict[str, Session] = {}
        self._requests = Requests(_host(sim))

    def change(self, what: str, details: Any) -> None:
        """One of the kinds; what was refused then is refused now.

        Raises:
            RecordingError: it was recorded by a version whose commands had other names.
        """
        name = details["robot"]
        if what == "webots_controller":
            found = details.get("protocol", 1)
            if found != PROTOCOL:
                raise RecordingError(
                    f"{name}: the commands of its controller were recorded in protocol {found} of the module "
                    f"`controller`, expected {PROTOCOL}; repeat it with the odesim that recorded it"
                )
            nobody: Any = _Nobody()
            robot, folder = self._sim.robot(name), Path(details["folder"])
            self._sessions[name] = Session(self._sim, robot, nobody, folder)
            return
        session = self._sessions[name]
        if what == "controller_commands":
            session.keep([command for command in details["commands"] if command[1] not in WRITES_FILES])
            session.carry_out(_try)
        elif what == "controller_request":
            _try("", lambda: self._requests.carry_out(session, details["name"], details["with"]))
        else:
            session.end()
            del self._sessions[name]


def _try(topic: str, act: Callable[[], Any]) -> None:
    try:
        act()
    except Exception:
        return  # refused, and so it was then


def _host(sim: Simulation) -> Host:
    def nothing(*_: Any, **__: Any) -> None:
        """Nobody is there."""

    def place(robot: str) -> Path:
        return Path()

    return Host(sim, nothing, nothing, _try, nothing, list, place, nothing, {}, nothing, nothing, nothing)
