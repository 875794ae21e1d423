"""What controllers that import Webots' module `controller` have sent, carried out again without them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ros_bridge.controller_api.client import Client
from ros_bridge.controller_api.requests import Requests
from sim_core.base.errors import RecordingError
from sim_core.session.simulation import Simulation
from webots_api.controller.link import PROTOCOL

WRITES_FILES = frozenset(("image_save",))
"""Commands that leave the world as it is and are not repeated; such requests are not even recorded."""


class ControllersAgain:
    """The controllers of one replay.

    Args:
        sim: the simulation.
    """

    KINDS = ("webots_controller", "controller_commands", "controller_request", "controller_gone")

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._clients: dict[str, Client] = {}
        self._requests = Requests(sim)

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
            self._clients[name] = Client(self._sim, self._sim.robot(name), Path(details["folder"]))
            return
        client = self._clients[name]
        if what == "controller_commands":
            commands = [each for each in details["commands"] if each[1] not in WRITES_FILES]
            client.keep([client.with_numbers(command) for command in commands])
            client.carry_out(_try)
        elif what == "controller_request":
            _try("", lambda: self._requests.carry_out(client, details["name"], details["with"]))
        else:
            client.end()
            del self._clients[name]


def _try(topic: str, act: Callable[[], Any]) -> None:
    try:
        act()
    except Exception:
        return  # refused, and so it was then
