"""`odesim spawn`: adds a robot to a running simulation from a file, a text or a topic.

Its options are those of `create` in ros_gz_sim, with one or two dashes.
"""

from __future__ import annotations

import argparse
import json
import time
import uuid
from pathlib import Path
from typing import Any

from sim_core.base.errors import ConfigError

LIMIT = 30.0
"""Seconds of wall time to wait for the simulation, for a message of the topic, and for the answer."""
DISTANCES, ANGLES = ("x", "y", "z"), ("R", "P", "Y")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    sources = parser.add_mutually_exclusive_group(required=True)
    about = "URDF, as robot_state_publisher has it: a std_msgs/String, such as robot_description"
    sources.add_argument("-topic", "--topic", metavar="TOPIC", help=about)
    about = "URDF, SDF, or VRML of a robot or another solid"
    sources.add_argument("-string", "--string", metavar="TEXT", help=about)
    about = "a .urdf, .sdf, .xacro, .proto, .wbo or .wbt file"
    sources.add_argument("-file", "--file", metavar="FILE", help=about)
    about = "its name; default: the one it has"
    parser.add_argument("-name", "--name", metavar="NAME", default="", help=about)
    about = "name of the world, as for Gazebo; no effect, because a simulation has one"
    parser.add_argument("-world", "--world", metavar="NAME", default="", help=about)
    about = "a name that is taken gets a number"
    parser.add_argument(
        "-allow_renaming", "--allow-renaming", nargs="?", const="true", default="false",
        choices=("true", "false"), help=about,
    )  # fmt: skip
    for name in (*DISTANCES, *ANGLES):
        about = f"{name} in m" if name in DISTANCES else {"R": "roll", "P": "pitch", "Y": "yaw"}[name]
        parser.add_argument(
            f"-{name}", type=float, default=0.0, metavar="M" if name in DISTANCES else "RAD",
            help=f"{about}; default: 0",
        )  # fmt: skip
    about = "value of an argument of a xacro file; may be given again"
    parser.add_argument("-arg", "--arg", metavar="NAME:=VALUE", action="append", default=[], help=about)
    about = "let a xacro file from elsewhere be evaluated, from now on"
    parser.add_argument("-trust", "--trust", action="store_true", help=about)


def spawn(arguments: argparse.Namespace) -> int:
    """Request the robot, wait until it was added, and print its name.

    Raises:
        ConfigError: there is no simulation, it refuses, or the topic or file cannot be read.
    """
    request: dict[str, Any] = {
        "id": uuid.uuid4().hex,
        "name": arguments.name,
        "allow_renaming": arguments.allow_renaming == "true",
        "pose": [getattr(arguments, name) for name in (*DISTANCES, *ANGLES)],
    }
    if arguments.string is not None:
        request["text"] = arguments.string
    elif arguments.file is not None:
        from ros_bridge.cli.trust import ask
        from sim_core.base.trust import trust_issues_of_urdf

        ask(trust_issues_of_urdf(arguments.file), arguments.trust)
        request |= _of_file(Path(arguments.file), arguments.arg)

    from rclpy.node import Node

    from ros_bridge.base.context import make_context
    from ros_bridge.base.shutdown import call_within, time_limit

    context = make_context(arguments.ros_args)
    node = Node("odesim_spawn", context=context, start_parameter_services=False)
    try:
        client = _SpawnClient(node)
        if arguments.topic is not None:
            request["text"] = client.text_of(arguments.topic)
        answer = client.answer(request)
    finally:
        with time_limit(4.0):
            call_within(0.5, node.destroy_node, context.try_shutdown)
    if "error" in answer:
        raise ConfigError(str(answer["error"]))
    print(answer["name"])
    return 0


def _of_file(path: Path, values: list[str]) -> dict[str, str]:
    """Return the part of the request for a file; programs in the file, such as xacro, are executed here."""
    from sim_core.scene.urdf.xacro_text import expand_xacro, find_xacro

    wrong = next((each for each in values if ":=" not in each), None)
    if wrong is not None:
        raise ConfigError(f'-arg: found "{wrong}", expected NAME:=VALUE')
    if path.suffix in (".urdf", ".sdf", ".xacro"):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read: {error}") from None
        if find_xacro(text, str(path), "") is not None:
            expanded, _ = expand_xacro(path, dict(each.split(":=", 1) for each in values))
            return {"text": expanded}
        if values:  # `ask_about_urdf` accepts files without programs
            raise ConfigError(f"{path}: found plain URDF, but arguments for xacro: {', '.join(values)}")
        if path.suffix == ".xacro":
            return {"text": text}
    return {"file": path.resolve().as_uri()}


class _SpawnClient:
    """Client of the simulation in the node's namespace."""

    def __init__(self, node: Any) -> None:
        from rclpy.executors import SingleThreadedExecutor

        self._node = node
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)

    def text_of(self, topic: str) -> str:
        """Return the first text of a topic; transient-local messages are received, too."""
        from rclpy.qos import DurabilityPolicy, QoSProfile
        from std_msgs.msg import String

        found: list[str] = []
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        profiles = (latched, QoSProfile(depth=1))  # volatile publishers that repeat the message are supported
        for qos in profiles:
            self._node.create_subscription(String, topic, lambda message: found.append(message.data), qos)
        self._until(lambda: found, f"a text on {topic}")
        return found[0]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer of the simulation."""
        from std_msgs.msg import String

        answers: list[dict[str, Any]] = []

        def take(message: Any) -> None:
            answer = json.loads(message.data)
            if answer.get("id") == request["id"]:
                answers.append(answer)

        listening = self._node.create_subscription(String, "odesim/spawned", take, 10)
        speaking = self._node.create_publisher(String, "odesim/spawn", 10)
        self._until(
            lambda: speaking.get_subscription_count() and listening.get_publisher_count(),
            f"a simulation on {self._node.resolve_topic_name('odesim/spawn')}",
        )
        speaking.publish(String(data=json.dumps(request)))
        self._until(lambda: answers, "an answer of the simulation")
        return answers[0]

    def _until(self, condition: Any, what: str) -> None:
        end = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > end:
                raise ConfigError(f"found nothing within {LIMIT:g} s, expected {what}")
            self._executor.spin_once(0.05)
