"""Contexts of rclpy: each node of ours has its own, which leaves signals alone."""

from __future__ import annotations

from collections.abc import Sequence

import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions

from ros_bridge.base import middleware
from sim_core.base.errors import ConfigError

ROS_ARGS = "--ros-args"


def make_context(ros_args: Sequence[str]) -> Context:
    """A context of its own for a node of ours beside the simulation, which leaves signals alone.

    Args:
        ros_args: for rclpy, with or without `--ros-args` at the start.

    Raises:
        ConfigError: rclpy does not understand the arguments.
    """
    middleware.prepare()
    return new_context(ros_args)


def new_context(ros_args: Sequence[str]) -> Context:
    """As `make_context`, with what the environment says of the middleware.

    Raises:
        ConfigError: see there.
    """
    args = list(ros_args)
    if args and ROS_ARGS not in args:
        args.insert(0, ROS_ARGS)
    context = Context()
    try:
        rclpy.init(args=["odesim", *args], context=context, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # rclpy raises RCLError, UnknownROSArgsError without a common base
        if context.ok():
            context.try_shutdown()
        raise refused(args, error) from None
    return context


def refused(args: Sequence[str], error: Exception) -> ConfigError:
    """What rclpy raised because of its arguments, as one line."""
    words = [arg for arg in args if arg != ROS_ARGS]
    reason = " ".join(str(error).split()).partition(". Error: ")[0]  # behind it are places in rcl's source
    expected = "what ROS 2 understands, such as -p NAME:=VALUE"
    return ConfigError(f"{ROS_ARGS} {' '.join(words)}: refused by rclpy: {reason}, expected {expected}")
