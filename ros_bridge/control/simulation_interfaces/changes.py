"""What the services change in a world: done, told to a recording, and done again by a replay."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sim_core.base.geometry import Pose, Vec3
from sim_core.scene import Node, Scene, write_node
from sim_core.scene.axes import FIRST_FLU_VERSION
from sim_core.scene.wbt.header import Header
from sim_core.scene.wbt.lexer import quoted
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.imports import read_nodes
from sim_core.session.supervision.present import fields_at

SPAWN, DELETE, STATE, RESET = "spawn", "delete", "entity_state", "reset_scope"
KINDS = (SPAWN, DELETE, STATE, RESET)
TIME = 1
"""Scope of a reset after which sim time is 0."""


def told_spawn(
    scene: Scene, node: Node, extras: Iterable[Node], periods: Any, protos: Iterable[str]
) -> dict[str, Any]:
    """An entity that comes, as `repeat` reads it."""
    is_newer = scene.header.is_before(FIRST_FLU_VERSION) and not node.axes.is_old
    header = f"{Header().raw}\n" if is_newer else ""  # else it would be read as old as the world
    declared = header + "".join(f"EXTERNPROTO {quoted(url)}\n" for url in protos)
    return {
        "text": declared + write_node(node),
        "file": node.source.file,
        "extras": [write_node(each) for each in extras],
        "periods": [list(each) for each in periods],
    }


def spawn(sim: Simulation, node: Node, extras: Sequence[Node], periods: Iterable[tuple[str, float]]) -> None:
    """Bring in an entity.

    Args:
        sim: the simulation.
        node: its solid.
        extras: contact properties for it.
        periods: names of devices and their sampling periods, s, rounded up to whole steps.

    Raises:
        OdesimError: the world cannot be simulated with it; it is as before.
    """
    supervisor = sim.supervisor
    before = supervisor.changes
    try:
        if extras:
            supervisor.import_nodes(list(extras), sim.scene.world_info, "contactProperties")
        supervisor.import_nodes([node])
    except Exception:
        supervisor.go_to(before)
        raise
    step = sim.step_ns / 1e9
    for name, period in periods:
        device: Any = sim.robots[node["name"]].devices.get(name)
        if device is not None and hasattr(device, "period_ns"):
            sim.set_sampling_period(device, max(1, math.ceil(period / step - 1e-6)) * step)


def set_state(sim: Simulation, node: Node, pose: Pose | None, twist: tuple[Vec3, Vec3] | None) -> None:
    """Put an outermost solid somewhere with all below it, and let it move; None: as it is.

    Args:
        sim: the simulation.
        node: the solid.
        pose: in the world.
        twist: m/s of its origin and rad/s, world axes.

    Raises:
        OdesimError: it cannot be put there, or cannot move.
    """
    supervisor = sim.supervisor
    if pose is not None:
        translation, rotation = fields_at(sim.physics, node, pose)
        before = supervisor.get(node, "translation")
        supervisor.set(node, "translation", translation)
        try:
            supervisor.set(node, "rotation", rotation)
        except Exception:
            supervisor.set(node, "translation", before)
            raise
    if twist is not None:
        supervisor.set_velocity(node, *twist)


def place_of(scene: Scene, node: Node) -> list[Any]:
    """Where a node is in the tree: the number of its root, then field and number for each level below."""
    holder = node.parent
    if holder is None:
        return [next(i for i, each in enumerate(scene.nodes) if each is node)]
    field = str(node.parent_field)
    value = holder[field]
    listed = value if isinstance(value, list) else [value]
    return [*place_of(scene, holder), field, next(i for i, each in enumerate(listed) if each is node)]


def node_at(scene: Scene, place: Sequence[Any]) -> Node:
    """The node at such a place."""
    node = scene.nodes[place[0]]
    for field, index in zip(place[1::2], place[2::2], strict=True):
        value = node[field]
        node = value[index] if isinstance(value, list) else value
    return node


def repeat(sim: Simulation, what: str, details: Mapping[str, Any]) -> None:
    """Make a change again that a recording tells.

    Raises:
        OdesimError: it is refused, as it was then.
    """
    if what == SPAWN:
        (node,) = read_nodes(sim.scene, details["text"], details["file"])
        extras = [each for text in details["extras"] for each in read_nodes(sim.scene, text, "extras")]
        spawn(sim, node, extras, [(name, period) for name, period in details["periods"]])
    elif what == DELETE:
        sim.supervisor.remove(node_at(sim.scene, details["place"]))
    elif what == STATE:
        pose, twist = details["pose"], details["twist"]
        set_state(
            sim,
            node_at(sim.scene, details["place"]),
            Pose(tuple(pose[:3]), tuple(pose[3:])) if pose else None,
            (tuple(twist[:3]), tuple(twist[3:])) if twist else None,
        )
    elif what == RESET:
        from ros_bridge.control.simulation_interfaces.resetting import back_to_start, restart_clock

        scope = int(details["scope"])
        if scope & TIME:
            restart_clock(sim, keep_state=not scope & 2)
        else:
            back_to_start(sim)
