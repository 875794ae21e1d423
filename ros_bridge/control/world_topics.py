"""Topics of the node by which a supervisor changes the world: ~/import_node, ~/remove_node, ~/label,
~/load_world, ~/wrench."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped
from std_msgs.msg import String

from ros_bridge.base.log import Log
from ros_bridge.control.fields.node_outline import ROOT
from ros_bridge.parameters.parameter_file import NODE_NAME
from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.outcomes import OutcomeLog
from sim_core.base.errors import CommandError, ConfigError
from sim_core.base.yaml_nodes import read_yaml
from sim_core.session.pipeline import Command, Wish, decoded
from sim_core.session.run_commands import LoadWorld
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import AddForce, AddTorque, ImportFile, ImportText, Remove, ShowLabel

INTO = re.compile(r"\s*#\s*into\s+(\S+?)\.(\w+)(?:\[(\d+)\])?[ \t]*(?:\n|$)")
FILE = re.compile(r"\s*#\s*file\s+(\S.*?)[ \t]*(?:\n|$)")
NUMBER = re.compile(r"(\s*#\s*into\s+|\s*)(#\d+)(?=[.\s]|$)")
"""A node named by its number, where `import_node` and `remove_node` have a name."""
MOST = 1000
"""Characters of a label, with all that is said about it."""
LABEL_KEYS = ("number", "text", "x", "y", "size", "colour", "transparency", "font")


def decode_import(message: Any) -> tuple[Wish, ...]:
    """VRML text, in a std_msgs/String. Its first lines may be `# into NODE.field[index]` and `# file PATH`.

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


def decode_removal(message: Any) -> tuple[Wish, ...]:
    """The name of a node, in a std_msgs/String."""
    return (Remove(message.data),)


def without_number(sim: Simulation, text: str) -> str:
    """What came on `import_node` or `remove_node`, with a name that is right when it is replayed, too."""
    found = NUMBER.match(text)
    return found[1] + sim.supervisor.lasting_name(found[2]) + text[found.end() :] if found else text


def decode_label(message: Any) -> tuple[Wish, ...]:
    """A YAML mapping in a std_msgs/String, such as `{number: 0, text: goal, x: 0.1, colour: [1, 0, 0]}`.

    Raises:
        CommandError: it is none.
    """
    text = message.data
    if len(text) > MOST:  # reading 5000 brackets takes seconds
        raise CommandError(f"found {len(text)} characters, expected a label of at most {MOST}")
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
        number = int(values.pop("number", 0))
        settings = {
            key: tuple(float(part) for part in value)
            if key == "colour"
            else str(value)
            if key in ("text", "font")
            else float(value)
            for key, value in values.items()
        }
        settings.setdefault("text", "")
        return (ShowLabel(number, **settings),)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        raise CommandError(f"found {text!r}, expected numbers where numbers belong: {error}") from None


def decode_wrench(message: Any) -> tuple[Wish, ...]:
    """A WrenchStamped for the solid that `header.frame_id` names: N and N·m, world axes, in the next step."""
    name, force, torque = message.header.frame_id, message.wrench.force, message.wrench.torque
    return AddForce(name, (force.x, force.y, force.z)), AddTorque(name, (torque.x, torque.y, torque.z))


EDITS: Mapping[str, tuple[Any, Callable[[Any], tuple[Wish, ...]]]] = {
    "import_node": (String, decode_import),
    "remove_node": (String, decode_removal),
    "label": (String, decode_label),
    "wrench": (WrenchStamped, decode_wrench),
}
"""Type and codec of the topics below the node that change the world that is running."""
PREFIX = f"/{NODE_NAME}/"


def edit_topics() -> list[tuple[str, str]]:
    """Names and types of all of them, and of `spawn_topic`, as `sensor_msgs/msg/Range`."""
    kinds = {**{name: kind for name, (kind, _) in EDITS.items()}, "load_world": String, "spawn": String}
    return [(f"{PREFIX}{name}", type_name(kind)) for name, kind in kinds.items()]


def answer_topic() -> tuple[str, str]:
    """Name and type of what tells of `spawn_topic` what came of it."""
    return f"{PREFIX}spawned", type_name(String)


def listen(node: Any, session: Session) -> None:
    """Subscribe to all of them; what comes is carried out between two steps."""
    warn = Log(node.get_logger()).warning
    often, rarely = OutcomeLog(warn), OutcomeLog(warn, period=0.0)

    def edit(name: str, message: Any) -> None:
        if name in ("import_node", "remove_node"):
            message.data = without_number(session.sim, message.data)
        command = decoded(f"{PREFIX}{name}", EDITS[name][1], message)
        log = often if name == "wrench" else rarely  # which programs may send many times a second
        log.log(f"~/{name}", session.pipeline.submit(command))

    def load(message: Any) -> None:
        wish = LoadWorld(message.data)
        rarely.log("~/load_world", session.pipeline.submit(Command("~/load_world", (wish,))))

    def subscribe(name: str, kind: Any, act: Callable[[Any], None]) -> None:
        put = session.inbox.put
        node.create_subscription(kind, f"~/{name}", lambda message: put(partial(act, message)), 10)

    for name, (kind, _) in EDITS.items():
        subscribe(name, kind, partial(edit, name))
    subscribe("load_world", String, load)
