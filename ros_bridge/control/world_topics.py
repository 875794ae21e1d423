"""Topics of the node with which a supervisor changes the world: ~/import_node, ~/remove_node, ~/label,
~/load_world, ~/wrench."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped
from std_msgs.msg import String

from ros_bridge.base.log import Log
from ros_bridge.control.fields.node_outline import ROOT
from ros_bridge.parameters.parameter_file import NODE_NAME
from ros_bridge.topics.outcomes import OutcomeLog
from ros_bridge.topics.records import Subscription, Topic
from sim_core.base.errors import CommandError, ConfigError
from sim_core.base.yaml_nodes import read_yaml
from sim_core.session.pipeline import Action, Command
from sim_core.session.run_commands import LoadWorld
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import AddForce, AddTorque, ImportFile, ImportText, Remove, ShowLabel

INTO = re.compile(r"\s*#\s*into\s+(\S+?)\.(\w+)(?:\[(\d+)\])?[ \t]*(?:\n|$)")
FILE = re.compile(r"\s*#\s*file\s+(\S.*?)[ \t]*(?:\n|$)")
NUMBER = re.compile(r"(\s*#\s*into\s+|\s*)(#\d+)(?=[.\s]|$)")
"""A node given by its number where `import_node` and `remove_node` expect a name."""
MAX_LABEL = 1000
"""Longest label, characters, with all its settings."""
LABEL_KEYS = ("number", "text", "x", "y", "size", "colour", "transparency", "font")
NO_FLOATS: dict[str, Callable[[Any], Any]] = {
    "number": int, "text": str, "font": str, "colour": lambda parts: tuple(map(float, parts)),
}  # fmt: skip
"""Conversions of values that are not numbers."""


def decode_import(message: Any) -> tuple[Action, ...]:
    """Convert VRML text in a String; first lines may be `# into NODE.field[index]` and `# file PATH`.

    The node `root` stands for the scene, whose roots are its `children`.


    Raises:
        ValueError: the index has too many digits.
    """
    text = message.data
    into, field, index = None, "children", -1
    found = INTO.match(text)
    if found:
        into, field = None if found[1] == ROOT else found[1], found[2]
        index = int(found[3]) if found[3] is not None else -1
        text = text[found.end() :]
    file = FILE.match(text)
    return (ImportFile(file[1], into, field, index) if file else ImportText(text, into, field, index),)


def decode_removal(message: Any) -> tuple[Action, ...]:
    """Convert the name of a node in a std_msgs/String."""
    return (Remove(message.data),)


def with_lasting_name(sim: Simulation, text: str) -> str:
    """Return the text of `import_node` or `remove_node` with a name that is also valid in a replay."""
    found = NUMBER.match(text)
    return found[1] + sim.supervisor.lasting_name(found[2]) + text[found.end() :] if found else text


def decode_label(message: Any) -> tuple[Action, ...]:
    """Convert a YAML mapping in a std_msgs/String: `{number: 0, text: goal, x: 0.1, colour: [1, 0, 0]}`.

    Raises:
        CommandError: it is not valid.
    """
    text = message.data
    if len(text) > MAX_LABEL:  # parsing 5000 brackets takes seconds
        raise CommandError(f"found {len(text)} characters, expected a label of at most {MAX_LABEL}")
    try:
        values = read_yaml(text, "label")
    except ConfigError as error:
        raise CommandError(f"found {text!r}, expected a YAML mapping: {error}") from None
    if not isinstance(values, dict):
        raise CommandError(f"found {text!r}, expected a YAML mapping with number and text")
    unknown = [str(key) for key in values if key not in LABEL_KEYS]
    if unknown:
        raise CommandError(f"found {', '.join(unknown)}, expected {', '.join(LABEL_KEYS)}")
    try:
        settings = {key: NO_FLOATS.get(key, float)(value) for key, value in values.items()}
        return (ShowLabel(**{"number": 0, "text": "", **settings}),)
    except (TypeError, ValueError, OverflowError) as error:
        raise CommandError(f"found {text!r}, expected numbers where numbers belong: {error}") from None


def decode_wrench(message: Any) -> tuple[Action, ...]:
    """Convert a WrenchStamped for the solid `header.frame_id`: N and N·m, world axes, for one step."""
    name, force, torque = message.header.frame_id, message.wrench.force, message.wrench.torque
    return AddForce(name, (force.x, force.y, force.z)), AddTorque(name, (torque.x, torque.y, torque.z))


PREFIX = f"/{NODE_NAME}/"
EDITS = {
    each.name: each
    for each in (
        Subscription(f"{PREFIX}import_node", String, decode_import),
        Subscription(f"{PREFIX}remove_node", String, decode_removal),
        Subscription(f"{PREFIX}label", String, decode_label),
        Subscription(f"{PREFIX}wrench", WrenchStamped, decode_wrench),
    )
}
"""Topics of the node that change the running world, by name."""
WORLD_TOPICS = (
    *EDITS.values(),
    *(Topic(f"{PREFIX}{name}", String, "subscribe") for name in ("load_world", "spawn")),
    Topic(f"{PREFIX}spawned", String),
)
"""These topics, and those that the node handles itself."""


def listen(node: Any, session: Session) -> None:
    """Subscribe to all of them; messages are executed between two steps."""
    warn = Log(node.get_logger()).warning
    often, rarely = OutcomeLog(warn), OutcomeLog(warn, period=0.0)

    def edit(topic: Subscription, message: Any) -> None:
        if topic.decode in (decode_import, decode_removal):
            message.data = with_lasting_name(session.sim, message.data)
        log = (
            often if topic.decode is decode_wrench else rarely
        )  # which programs may send many times a second
        log.log(_below(topic.name), session.pipeline.submit(topic.command(message)))

    def load(message: Any) -> None:
        action = LoadWorld(message.data)
        rarely.log("~/load_world", session.pipeline.submit(Command("~/load_world", (action,))))

    def subscribe(name: str, kind: Any, act: Callable[[Any], None]) -> None:
        put = session.inbox.put
        node.create_subscription(kind, name, lambda message: put(partial(act, message)), 10)

    for topic in EDITS.values():
        subscribe(_below(topic.name), topic.message_type, partial(edit, topic))
    subscribe("~/load_world", String, load)


def _below(name: str) -> str:
    """Return a topic of the node by its relative name."""
    return f"~/{name.removeprefix(PREFIX)}"
