"""The parameters as ROS parameters of the node: overrides in, values declared, changes checked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.context import Context
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from ros_bridge.control.field_parameters import FieldNode
from ros_bridge.node import middleware
from ros_bridge.node.parameter_file import NODE_NAME, OF_RCLPY, Value, values_from_overrides
from ros_bridge.node.parameter_table import GLOBAL, RECORDING
from sim_core.base.errors import ConfigError, OdesimError
from sim_core.base.inbox import Inbox
from sim_core.base.outcome import Refused

SETTABLE = ("mode", "speed", "seed", *RECORDING)
ROS_ARGS = "--ros-args"


def make_node(ros_args: Sequence[str], largest_message: int) -> Any:
    """The node `odesim` in a context of its own; what `--ros-args` sets is in `override_values`.

    Signals are left to the caller.

    Args:
        ros_args: for rclpy, with or without `--ros-args` at the start.
        largest_message: that it will publish, in bytes.

    Raises:
        ConfigError: rclpy does not understand the arguments.
    """
    with middleware.of_simulation(largest_message):
        context = _make_context(ros_args)
        try:
            return FieldNode(
                NODE_NAME,
                context=context,
                parameter_overrides=[Parameter("use_sim_time", value=False)],  # it makes the time
            )
        except Exception as error:  # rclpy raises RCLError, ValueError and others without a common base
            context.try_shutdown()
            raise _refused(ros_args, error) from None


def make_context(ros_args: Sequence[str]) -> Context:
    """A context of its own for a node of ours beside the simulation, which leaves signals alone.

    Args:
        ros_args: for rclpy, with or without `--ros-args` at the start.

    Raises:
        ConfigError: rclpy does not understand the arguments.
    """
    middleware.prepare()
    return _make_context(ros_args)


def _make_context(ros_args: Sequence[str]) -> Context:
    args = list(ros_args)
    if args and ROS_ARGS not in args:
        args.insert(0, ROS_ARGS)
    context = Context()
    try:
        rclpy.init(args=["odesim", *args], context=context, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # rclpy raises RCLError, UnknownROSArgsError without a common base
        if context.ok():
            context.try_shutdown()
        raise _refused(args, error) from None
    return context


def _refused(args: Sequence[str], error: Exception) -> ConfigError:
    words = [arg for arg in args if arg != ROS_ARGS]
    reason = " ".join(str(error).split()).partition(". Error: ")[0]  # behind it are places in rcl's source
    expected = "what ROS 2 understands, such as -p NAME:=VALUE"
    return ConfigError(f"{ROS_ARGS} {' '.join(words)}: refused by rclpy: {reason}, expected {expected}")


def override_values(node: Any) -> list[Value]:
    """What `--ros-args` set; None for an empty list."""
    # rclpy would declare them, but no empty list, whose type it does not know
    given = {name: parameter.value for name, parameter in node._parameter_overrides.items()}
    return [value for value in values_from_overrides(given, ROS_ARGS) if value.path[0] not in OF_RCLPY]


def declare_parameters(
    node: Any, values: Mapping[str, Any], inbox: Inbox, change: Callable[[str, Any], None]
) -> None:
    """Declare the values; those in `SETTABLE` can be set while the simulation runs, others are read-only.

    Args:
        node: the node.
        values: by dotted name.
        inbox: through which changes reach the simulation.
        change: carries out a change that has been checked, between two steps.
    """
    for name, value in values.items():
        about = GLOBAL[name].about if name in GLOBAL else ""
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
        if threading.get_ident() == owner:  # the simulation itself, which has made the change already
            return SetParametersResult(successful=True)

        def carry_out() -> None:
            for name, value in checked.items():
                change(name, value)

        outcome = inbox.ask(carry_out)
        reason = outcome.text if isinstance(outcome, Refused) else ""
        return SetParametersResult(successful=not reason, reason=reason)

    node.add_on_set_parameters_callback(check)
