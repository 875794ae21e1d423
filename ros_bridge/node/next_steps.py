"""Suggestions of next commands, printed when a world is started in a terminal."""

from __future__ import annotations

import sys
from typing import Any

from ros_bridge.base.command_text import activation, odesim_command, topic_command
from ros_bridge.base.context import ROS_ARGS
from ros_bridge.base.terminal import painted
from ros_bridge.interface.interface import WorldTopics
from ros_bridge.topics.names import graph_name
from ros_bridge.topics.records import Publication, Topic
from sim_core.session.robot import EXTERN_CONTROLLER, NO_CONTROLLER
from sim_core.session.simulation import Simulation

DRIVEN = "/cmd_vel"


def next_steps(sim: Simulation, topics: WorldTopics, viewer: bool, node: Any) -> list[tuple[str, str]]:
    """Return pairs of a purpose and the command for it.

    Args:
        sim: the simulation; topics: its topics.
        viewer: whether a viewer is running, which prints its own address.
        node: publishes the topics, in its namespace.
    """

    def resolved(item: Topic) -> str:
        name: str = node.resolve_topic_name(graph_name(node, item.name))
        return name

    space = node.get_namespace()
    placed = () if space == "/" else (ROS_ARGS, "-r", f"__ns:={space}")
    steps = [] if viewer else [("watch and edit it in a browser", odesim_command("view", *placed))]
    sensors = sorted((item for item in topics.publications if item.robot), key=is_no_sensor)
    steps.append(("see the topics", topic_command("list")))
    if sensors:
        steps.append(("read a sensor", topic_command("echo", resolved(sensors[0]))))
    driven = next((item for item in topics.subscriptions if item.robot and item.name.endswith(DRIVEN)), None)
    if driven is not None:
        robot = resolved(driven).removesuffix(DRIVEN).strip("/") or "/"
        own = sim.robots[driven.robot].controller
        free = "" if own in (*NO_CONTROLLER, EXTERN_CONTROLLER) else ", if started with --no-controllers"
        steps.append((f"drive {robot} by keys{free}", odesim_command("teleop", robot)))
    return steps


def is_no_sensor(item: Publication) -> tuple[bool, bool]:
    """Return a sort key, larger for topics that do not show the reading of one sensor."""
    return not item.device, not item.message_type.__module__.startswith("sensor_msgs.")


def show_next_steps(sim: Simulation, topics: WorldTopics, viewer: bool, node: Any) -> None:
    """Print the suggestions if standard output is a terminal."""
    if not sys.stdout.isatty():
        return
    print(painted(f"Press Ctrl-C to stop. In another terminal{activation()}:", "bold"))
    steps = next_steps(sim, topics, viewer, node)
    width = max(len(command) for _, command in steps)
    for what, command in steps:
        print("  ", painted(command.ljust(width), "cyan"), f"  {what}", sep="")
    sys.stdout.flush()
