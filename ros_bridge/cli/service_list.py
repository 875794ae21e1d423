"""Lists services and actions of a world for `odesim info`."""

from __future__ import annotations

from std_srvs.srv import Trigger

from ros_bridge.control import webots_supervisor
from ros_bridge.control.simulation_interfaces.messages import PACKAGE, is_served
from ros_bridge.interface.controllers import controller_actions, controller_services
from ros_bridge.node.run_control import RunControl
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.parameter_file import NODE_NAME
from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.records import ServiceInfo


def services(bridge: BridgeParams) -> list[ServiceInfo]:
    """Return the services of the simulation and of its robots' controllers, without a node's usual ones."""
    kinds = {f"/{NODE_NAME}/{name}": type_name(Trigger) for name in RunControl.SERVICES}
    for name, kind in webots_supervisor.supervisor_services(bridge.layout).items():
        kinds[f"{webots_supervisor.NODE}/{name}"] = type_name(kind)
    if is_served():
        from ros_bridge.control.simulation_interfaces.server import service_types, snake_case

        for name, kind in service_types().items():
            kinds[f"/{NODE_NAME}/{snake_case(name)}"] = type_name(kind)
    own = [ServiceInfo(name, kind, "", "") for name, kind in kinds.items()]
    return sorted(own) + controller_services(bridge.controllers)


def actions(bridge: BridgeParams) -> list[ServiceInfo]:
    """Return the actions of the simulation and of its robots' controllers."""
    own = []
    if is_served():
        from ros_bridge.control.simulation_interfaces.server import ACTION, snake_case

        own = [ServiceInfo(f"/{NODE_NAME}/{snake_case(ACTION)}", f"{PACKAGE}/action/{ACTION}", "", "")]
    return own + controller_actions(bridge.controllers)
