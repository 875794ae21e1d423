"""The parameters as ROS parameters of the node: overrides, declared values, checks of changes."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.duration import Infinite
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile

from ros_bridge.base import middleware
from ros_bridge.base.context import argument_error, new_context
from ros_bridge.control.fields.parameters import FieldNode
from ros_bridge.parameters.bridge_params import GLOBAL, RECORDING
from ros_bridge.parameters.parameter_file import NODE_NAME
from sim_core.base.errors import OdesimError
from sim_core.base.inbox import awaited
from sim_core.base.outcome import Refused
from sim_core.session.pipeline import Command, Pipeline
from sim_core.session.run_commands import SetParameter

ROSOUT = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL, lifespan=Infinite)
"""As by default, but lines have no lifetime of 10 s: who comes later reads the warnings of the start, too."""
SETTABLE = ("mode", "speed", "seed", "save_file", *RECORDING)


def make_node(ros_args: Sequence[str], largest_message: int) -> Any:
    """Create the node `odesim` in its own context; see `startup.override_values` for what `--ros-args` sets.

    Signal handlers are not installed.


    Args:
        ros_args: for rclpy, with or without `--ros-args` at the start.
        largest_message: size of the largest message that it will publish, bytes.

    Raises:
        ConfigError: the arguments are invalid for rclpy.
    """
    with middleware.simulation_settings(largest_message):
        context = new_context(ros_args)
        try:
            return FieldNode(
                NODE_NAME,
                context=context,
                rosout_qos_profile=ROSOUT,
                parameter_overrides=[Parameter("use_sim_time", value=False)],  # it is the source of time
            )
        except Exception as error:  # rclpy raises RCLError, ValueError and others without a common base
            context.try_shutdown()
            raise argument_error(ros_args, error) from None


def declare_parameters(node: Any, values: Mapping[str, Any], pipeline: Pipeline) -> None:
    """Declare the values; those in `SETTABLE` can be set at run time, others are read-only.

    Args:
        node: the node.
        values: by dotted name.
        pipeline: receives the changes.
    """
    for name, value in values.items():
        about = GLOBAL[name].description if name in GLOBAL else ""
        settable = name in SETTABLE
        descriptor = ParameterDescriptor(description=about, read_only=not settable, dynamic_typing=settable)
        node.declare_parameter(name, value, descriptor, ignore_override=True)
    owner = threading.get_ident()

    def check(parameters: list[Any]) -> SetParametersResult:
        try:
            checked = {
                parameter.name: GLOBAL[parameter.name].check(parameter.value, parameter.name)
                for parameter in parameters
                if parameter.name in SETTABLE
            }
        except OdesimError as error:
            return SetParametersResult(successful=False, reason=str(error))
        if (
            not checked or threading.get_ident() == owner
        ):  # changes made by the simulation are already applied
            return SetParametersResult(successful=True)
        actions = tuple(SetParameter(name, value) for name, value in checked.items())
        outcome = awaited(pipeline.post(Command(", ".join(checked), actions)))
        reason = outcome.text if isinstance(outcome, Refused) else ""
        return SetParametersResult(successful=not reason, reason=reason)

    node.add_on_set_parameters_callback(check)
