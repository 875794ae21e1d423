"""Services of `simulation_interfaces`, the ROS 2 standard for simulators, if that package is installed.

`offer` creates them; the other files implement them. They use requests and responses only, and receive the
message classes as arguments, so that all but `server.py` can be used (and tested) without the package.
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
    """Serve the standard beside a node, if the package is installed.

    Args:
        node: of the simulation.
        inbox: its inbox.
        runner: access to the run.

    Returns:
        The server, to be closed at the end; None: the package is not installed.
    """
    if messages_of(PACKAGE) is None:
        return None
    if not is_served():
        runner.warn(
            "simulation_interfaces is older than 2.0, expected 2.0 or later: its services are not served"
        )
        return None
    from ros_bridge.control.simulation_interfaces.server import InterfacesServer

    return InterfacesServer(node, inbox, runner)
