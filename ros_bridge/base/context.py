"""Contexts of rclpy: each of our nodes has its own, without signal handlers."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence

import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions

from ros_bridge.base import middleware
from ros_bridge.base.installed_ros import ROS_ARGS
from sim_core.base.errors import ConfigError


def make_context(ros_args: Sequence[str]) -> Context:
    """Create a context for a node beside the simulation, without signal handlers.

    Args:
        ros_args: for rclpy, with or without `--ros-args` at the start.

    Raises:
        ConfigError: the arguments are invalid for rclpy.
    """
    middleware.prepare()
    return new_context(ros_args)


def new_context(ros_args: Sequence[str]) -> Context:
    """Create a context as `make_context` does, with the middleware settings of the environment.

    Raises:
        ConfigError: see there.
    """
    args = list(ros_args)
    if args and ROS_ARGS not in args:
        args.insert(0, ROS_ARGS)
    _ensure_log_folder()
    context = Context()
    try:
        rclpy.init(args=["odesim", *args], context=context, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # RCLError and UnknownROSArgsError of rclpy have no common base
        if context.ok():
            context.try_shutdown()
        raise argument_error(args, error) from None
    return context


def _ensure_log_folder() -> None:
    """Make sure that ROS can write logs: if not, use a folder that is removed at the end.

    Raises:
        ConfigError: such a folder cannot be created either.

    """
    home = os.environ.get("ROS_HOME") or os.path.join("~", ".ros")
    folder = os.path.expanduser(os.environ.get("ROS_LOG_DIR") or os.path.join(home, "log"))
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        reason = f"{folder}: ROS cannot write its logs there: {error.strerror}"
    try:
        other = tempfile.mkdtemp(prefix="odesim-log-")
    except OSError as error:
        raise ConfigError(f"{reason}, nor in {tempfile.gettempdir()}: {error.strerror}") from None
    atexit.register(shutil.rmtree, other, ignore_errors=True)
    os.environ["ROS_LOG_DIR"] = other
    print(f"{reason}; using {other} until the end", file=sys.stderr)


def argument_error(args: Sequence[str], error: Exception) -> ConfigError:
    """Convert an exception of rclpy about its arguments to a one-line error."""
    words = [arg for arg in args if arg != ROS_ARGS]
    reason = " ".join(str(error).split()).partition(". Error: ")[0]  # the rest is a position in rcl's source
    expected = "what ROS 2 understands, such as -p NAME:=VALUE"
    return ConfigError(f"{ROS_ARGS} {' '.join(words)}: refused by rclpy: {reason}, expected {expected}")
