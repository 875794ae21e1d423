"""Suggestions of next commands, printed when a world is started in a terminal."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from ros_bridge.base.terminal import painted
from ros_bridge.interface.interface import WorldTopics
from ros_bridge.topics.names import robot_names
from ros_bridge.topics.records import Publication
from sim_core.session.simulation import Simulation

DRIVEN = "cmd_vel"
STATES = ("joint_states", "odom", "ground_truth", "tf", "battery", "imu")
"""Topics of a robot that do not belong to one sensor; they are suggested last."""


def next_steps(sim: Simulation, topics: WorldTopics, viewer: bool) -> list[tuple[str, str]]:
    """Return pairs of a purpose and the command for it.

    Args:
        sim: the simulation; topics: its topics.
        viewer: whether a viewer is running, which prints its own address.
    """
    steps = [] if viewer else [("watch and edit it in a browser", "odesim view")]
    robots = {each: name for name, each in robot_names(sim.robots).items()}
    sensors = [item for item in topics.publications if item.name.split("/")[1] in robots]
    sensors.sort(key=is_no_sensor)
    steps.append(("see the topics", "odesim topic list"))
    if sensors:
        steps.append(("read a sensor", f"odesim topic echo {sensors[0].name}"))
    inputs = {item.name.removesuffix(f"/{DRIVEN}") for item in topics.subscriptions}
    driven = next((name for name in robots if f"/{name}" in inputs), None)
    if driven is not None:
        own = sim.robots[robots[driven]].controller
        free = "" if own in ("", "void", "<none>", "<extern>") else ", if started with --no-controllers"
        steps.append((f"drive {driven} by keys{free}", f"odesim teleop {driven}"))
    return steps


def is_no_sensor(item: Publication) -> tuple[bool, bool]:
    """Return a sort key, larger for topics that do not show the reading of one sensor."""
    is_sensed = item.message_type.__module__.startswith("sensor_msgs.")
    return item.name.rsplit("/", 1)[1] in STATES, not is_sensed


def show_next_steps(sim: Simulation, topics: WorldTopics, viewer: bool) -> None:
    """Print the suggestions if standard output is a terminal."""
    if not sys.stdout.isatty():
        return
    print(painted(f"Press Ctrl-C to stop. In another terminal{activation()}:", "bold"))
    steps = next_steps(sim, topics, viewer)
    width = max(len(command) for _, command in steps)
    for what, command in steps:
        print("  ", painted(command.ljust(width), "cyan"), f"  {what}", sep="")
    sys.stdout.flush()


def activation() -> str:
    """Return how to make `odesim` available there; empty if it is on the path."""
    script = Path(sys.executable).with_name("activate")
    if shutil.which("odesim") or not script.exists():
        return ""
    here = Path.cwd()
    return f", after `source {script.relative_to(here) if script.is_relative_to(here) else script}`"
