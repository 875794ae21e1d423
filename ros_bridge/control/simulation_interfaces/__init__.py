"""The services of `simulation_interfaces`, the ROS 2 standard for simulators, where that package is there.

`offer` makes them; the other files say what each does. They see requests and responses only, and get message
classes handed in, so that all but `server.py` can be used (and tested) where the package is not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ros_bridge.control.simulation_interfaces.messages import PACKAGE, is_served
from ros_bridge.topics.conversions import messages_of

if TYPE_CHECKING:
    from ros_bridge.control.runner import Runner
    from ros_bridge.control.simulation_interfaces.server import InterfacesServer
    from sim_core.base.inbox import Inbox


def offer(node: Any, inbox: Inbox, runner: Runner) -> InterfacesServer | None:
    """Serve the standard beside a node, where the package is installed.

    Args:
        node: of the simulation.
        inbox: its inbox.
        runner: what it lets us do.

    Returns:
        What must be closed at the end; None: the package is not there.
    """
    if messages_of(PACKAGE) is None:
        return None
    if not is_served():
        runner.say(
            "simulation_interfaces is older than 2.0, expected 2.0 or later: its services are not served"
        )
        return None
    from ros_bridge.control.simulation_interfaces.server import InterfacesServer

    return InterfacesServer(node, inbox, runner)
