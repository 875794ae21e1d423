"""Topics of the node by which a supervisor changes the world: ~/import_node, ~/remove_node, ~/label,
~/load_world, ~/wrench."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import yaml
from geometry_msgs.msg import WrenchStamped
from std_msgs.msg import String

from ros_bridge.node.parameter_file import NODE_NAME
from ros_bridge.topics.conversions import type_name
from sim_core.base.errors import CommandError, in_one_line
from sim_core.recording.label_pictures import Label
from sim_core.session.simulation import Simulation

INTO = re.compile(r"\s*#\s*into\s+(\S+?)\.(\w+)(?:\[(\d+)\])?[ \t]*(?:\n|$)")
FILE = re.compile(r"\s*#\s*file\s+(\S.*?)[ \t]*(?:\n|$)")
NUMBER = re.compile(r"(\s*#\s*into\s+|\s*)(#\d+)(?=[.\s]|$)")
"""A node named by its number, where `import_node` and `remove_node` have a name."""
MOST = 1000
"""Characters of a label, with all that is said about it."""
LONGEST = 100
"""Characters of a message that are shown where it is refused."""
LABEL_KEYS = ("number", "text", "x", "y", "size", "colour", "transparency", "font")


def import_node(sim: Simulation, text: str) -> None:
    """Bring in VRML text. Its first lines may be `# into NODE.field[index]` and `# file PATH`.

    Raises:
        OdesimError: it is refused.
    """
    into, field, index = None, "children", -1
    found = INTO.match(text)
    if found:
        into, field = found[1], found[2]
        index = int(found[3]) if found[3] is not None else -1
        text = text[found.end() :]
    file = FILE.match(text)
    if file:
        sim.supervisor.import_file(file[1], into, field, index)
    else:
        sim.supervisor.import_text(text, into, field, index)


def without_number(sim: Simulation, text: str) -> str:
    """What came on `import_node` or `remove_node`, with a name that is right when it is replayed, too."""
    found = NUMBER.match(text)
    return found[1] + sim.supervisor.lasting_name(found[2]) + text[found.end() :] if found else text


def set_label(sim: Simulation, text: str) -> None:
    """Show a label, given as a YAML mapping such as `{number: 0, text: goal, x: 0.1, colour: [1, 0, 0]}`.

    Raises:
        CommandError: it is refused.
    """
    if len(text) > MOST:  # reading 5000 brackets takes seconds
        raise CommandError(f"found {len(text)} characters, expected a label of at most {MOST}")
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # of 2001-99-99 it wants to make a date
        reason = getattr(error, "problem", None) or in_one_line(error)
        raise CommandError(f"found {_start(text)}, expected a YAML mapping: {reason}") from None
    if not isinstance(values, dict):
        raise CommandError(f"found {_start(text)}, expected a YAML mapping with number and text")
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
        label = Label(**settings)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        raise CommandError(f"found {_start(text)}, expected numbers where numbers belong: {error}") from None
    sim.supervisor.set_label(number, label)


def _start(text: str) -> str:
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def push(sim: Simulation, message: Any) -> None:
    """Push and turn a solid, named by `header.frame_id`, in the next step: N and N·m, world axes.

    Raises:
        OdesimError: it is refused.
    """
    name, supervisor = message.header.frame_id, sim.supervisor
    force, torque = message.wrench.force, message.wrench.torque
    supervisor.add_force(name, (force.x, force.y, force.z))
    supervisor.add_torque(name, (torque.x, torque.y, torque.z))


EDITS: Mapping[str, tuple[Any, Callable[[Simulation, Any], Any]]] = {
    "import_node": (String, lambda sim, message: import_node(sim, message.data)),
    "remove_node": (String, lambda sim, message: sim.supervisor.remove(message.data)),
    "label": (String, lambda sim, message: set_label(sim, message.data)),
    "wrench": (WrenchStamped, push),
}
"""Type and action of the topics below the node that change the world that is running."""


def edit_topics() -> list[tuple[str, str]]:
    """Names and types of all of them, as `sensor_msgs/msg/Range`."""
    kinds = {**{name: kind for name, (kind, _) in EDITS.items()}, "load_world": String}
    return [(f"/{NODE_NAME}/{name}", type_name(kind)) for name, kind in kinds.items()]


def listen(
    node: Any,
    put: Callable[[Callable[[], Any]], None],
    sim: Simulation,
    load_world: Callable[[str], Any],
    refuse: Callable[[str, str], None],
    note: Callable[[str, Any], None],
) -> None:
    """Subscribe to all of them; what comes is carried out between two steps.

    Args:
        node: the node.
        put: hands a call to the simulation's thread.
        sim: the simulation.
        load_world: goes on with another world.
        refuse: told the topic and one line.
        note: told the topic and the message before it is carried out.
    """

    actions: dict[str, tuple[Any, Callable[[Any], Any]]] = {
        name: (kind, partial(act, sim)) for name, (kind, act) in EDITS.items()
    }
    actions["load_world"] = (String, lambda message: load_world(message.data))

    def carry_out(name: str, act: Callable[[Any], Any], message: Any) -> None:
        try:
            if name in ("import_node", "remove_node"):
                message.data = without_number(sim, message.data)
            if name in EDITS:
                note(f"/{NODE_NAME}/{name}", message)
            act(message)
        except Exception as error:  # whatever a message asks for, the world goes on
            reason = in_one_line(error)
            if name == "wrench":  # programs may send it many times a second
                refuse(f"~/{name}", reason)
            else:
                node.get_logger().warning(f"~/{name}: refused: {reason}")

    def subscribe(name: str, kind: Any, act: Callable[[Any], Any]) -> None:
        def receive(message: Any) -> None:
            put(lambda: carry_out(name, act, message))

        node.create_subscription(kind, f"~/{name}", receive, 10)

    for name, (kind, act) in actions.items():
        subscribe(name, kind, act)
