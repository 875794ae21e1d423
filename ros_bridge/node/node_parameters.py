"""The parameters as ROS parameters of the node: overrides in, values declared, changes checked."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from ros_bridge.base import middleware
from ros_bridge.base.context import new_context, refused
from ros_bridge.control.fields.parameters import FieldNode
from ros_bridge.parameters.bridge_params import GLOBAL, RECORDING
from ros_bridge.parameters.parameter_file import NODE_NAME
from sim_core.base.errors import OdesimError
from sim_core.base.inbox import awaited
from sim_core.base.outcome import Refused
from sim_core.session.pipeline import Command, Pipeline
from sim_core.session.run_commands import SetParameter

SETTABLE = ("mode", "speed", "seed", *RECORDING)


def make_node(ros_args: Sequence[str], largest_message: int) -> Any:
    """The node `odesim` in a context of its own; what `--ros-args` sets: see `startup.override_values`.

    Signals are left to the caller.

    Args:
        ros_args: for rclpy, with or without `--ros-args` at the start.
        largest_message: that it will publish, in bytes.

    Raises:
        ConfigError: rclpy does not understand the arguments.
    """
    with middleware.of_simulation(largest_message):
        context = new_context(ros_args)
        try:
            return FieldNode(
                NODE_NAME,
                context=context,
                parameter_overrides=[Parameter("use_sim_time", value=False)],  # it makes the time
            )
        except Exception as error:  # rclpy raises RCLError, ValueError and others without a common base
            context.try_shutdown()
            raise refused(ros_args, error) from None


def declare_parameters(node: Any, values: Mapping[str, Any], pipeline: Pipeline) -> None:
    """Declare the values; those in `SETTABLE` can be set while the simulation runs, others are read-only.

    Args:
        node: the node.
        values: by dotted name.
        pipeline: through which changes reach the simulation.
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
        if not checked or threading.get_ident() == owner:  # the simulation has made its own changes already
            return SetParametersResult(successful=True)
        wishes = tuple(SetParameter(name, value) for name, value in checked.items())
        outcome = awaited(pipeline.post(Command(", ".join(checked), wishes)))
        reason = outcome.text if isinstance(outcome, Refused) else ""
        return SetParametersResult(successful=not reason, reason=reason)

    node.add_on_set_parameters_callback(check)
