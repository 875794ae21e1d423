"""Descriptions of a node and its children, as JSON text, for programs that show a scene tree remotely.

`NODE.outline` describes the node itself, `NODE.nodes` its direct children, so that a tree of ten thousand
nodes costs no more than the few that are expanded. The node `root` stands for the scene.
"""

from __future__ import annotations

import json
from typing import Any

from sim_core.base.errors import OdesimError
from sim_core.scene import Node
from sim_core.scene.wbt.writer import value_text
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.parameters import fields_of, is_given, is_shown_to_users

ROOT = "root"
MAX_TEXT = 4000
"""Most characters of a field's value that are sent; a mesh may have a million."""


def outline(sim: Simulation, node: Node | None, changes: int) -> str:
    """Return a node with the values of its fields.

    Args:
        sim: the simulation.
        node: None: the scene as a whole.
        changes: number of changes so far, sent so that a client can tell when to read again.

    Returns:
        JSON: `name` (`#17`), `title`, `type`, `def`, `proto`; `above`, its ancestors from the outermost, each
        with `name`, `title` and `solid`; `fields`, each with `name`, `type`, `text`, and if they apply `set`,
        `default` (if it differs from `text`), `allowed`, `short` (the text is cut); `pose` in the world (x y
        z and a quaternion x y z w) of a solid that can be placed, else null; `changes`; for the scene `file`,
        and `viewpoint`: `pose` of its Viewpoint, which looks along x, and `field_of_view`; null without one.
    """
    if node is None:
        about: dict[str, Any] = {"name": ROOT, "title": _world_title(sim), "type": "", "def": "", "proto": ""}
        about |= {"above": [], "fields": [], "pose": None, "changes": changes, "file": sim.scene.file}
        about["viewpoint"] = _viewpoint(sim)
        return json.dumps(about)
    above = [{"name": ROOT, "title": _world_title(sim), "solid": False}]
    holders = reversed(list(node.ancestors()))
    above += [{**_label(sim, each), "solid": each.is_a("Solid")} for each in holders]
    found = {
        **_label(sim, node),
        "type": node.type_name,
        "def": node.def_name or "",
        "proto": _proto(node),
        "solid": node.is_a("Solid"),
        "above": above,
        "fields": [_field(sim, node, name) for name in fields_of(node) if is_shown_to_users(node, name)],
        "pose": pose_of(sim, node) if can_be_placed(sim, node) else None,
        "changes": changes,
    }
    return json.dumps(found)


def nodes(sim: Simulation, node: Node | None) -> str:
    """Return the direct children of a node.

    Returns:
        JSON: `fields`, those that hold nodes, each with `name` and `list`; `nodes`, each with `field`,
            `name`, `title` and `count`, its number of children.
    """
    if node is None:
        listed = [{"name": "children", "list": True}]
        held = [("children", each) for each in sim.scene.nodes]
    else:
        kinds = [kind for kind in node.node_type.fields.values() if kind.type.endswith("Node")]
        listed = [{"name": kind.name, "list": kind.type == "MFNode"} for kind in kinds]
        held = [(str(each.parent_field), each) for each in node.child_nodes()]
    below = [{"field": field, **_label(sim, each), "count": len(each.child_nodes())} for field, each in held]
    return json.dumps({"fields": listed, "nodes": below})


def all_nodes(sim: Simulation, node: Node | None) -> str:
    """Return all nodes below a node, from the top down.

    Returns:
        JSON: rows of `name` and `title`.
    """
    pending = list(reversed(sim.scene.nodes if node is None else node.child_nodes()))
    rows = []
    while pending:
        each = pending.pop()
        label = _label(sim, each)
        rows.append((label["name"], label["title"]))
        pending.extend(reversed(each.child_nodes()))
    return json.dumps(rows)


def can_be_placed(sim: Simulation, node: Node) -> bool:
    """Return whether a node is a solid that can be dragged."""
    editing = sim.physics.can.editing  # None if the engine cannot place bodies
    return editing is not None and node.is_a("Solid") and not node["locked"] and editing.can_place(node.id)


def name_to_pick(sim: Simulation, solid: Node | None) -> str:
    """Return the name for selecting a solid in viewers; empty if it cannot be dragged, such as a floor."""
    if solid is None:
        return ""
    outermost = [each for each in (solid, *solid.ancestors()) if each.is_a("Solid")][-1]
    return sim.supervisor.numbers.name(solid) if can_be_placed(sim, outermost) else ""


def pose_of(sim: Simulation, node: Node) -> list[float]:
    """Return the pose of a node in the world: x, y, z in m, and a quaternion x, y, z, w."""
    pose = sim.supervisor.pose(node)
    return [*pose.position, *pose.quaternion]


def _viewpoint(sim: Simulation) -> dict[str, Any] | None:
    if all(node.type_name != "Viewpoint" for node in sim.scene.nodes):
        return None
    view = sim.physics.model.surroundings.viewpoint
    return {"pose": [*view.pose.position, *view.pose.quaternion], "field_of_view": view.field_of_view}


def _label(sim: Simulation, node: Node) -> dict[str, Any]:
    kind = _proto(node) or node.type_name
    defined = f"DEF {node.def_name} " if node.def_name else f"USE {node.use_name} " if node.use_name else ""
    own = node["name"] if node.has_field("name") else ""
    return {
        "name": sim.supervisor.numbers.name(node),
        "title": f'{defined}{kind} "{own}"' if own else f"{defined}{kind}",
    }


def _proto(node: Node) -> str:
    return node.proto.node_type.name if node.proto is not None else ""


def _world_title(sim: Simulation) -> str:
    return str(sim.scene.world_info["title"] or sim.scene.file.rsplit("/", 1)[-1])


def _field(sim: Simulation, node: Node, name: str) -> dict[str, Any]:
    kind = fields_of(node)[name]
    try:
        value = sim.supervisor.get(node, name)
    except OdesimError:  # joint parameters without a joint
        value = node[name]
    text = _text(value)
    entry: dict[str, Any] = {"name": name, "type": kind.type, "text": text[:MAX_TEXT]}
    if len(text) > MAX_TEXT or (isinstance(value, list) and len(value) > MAX_TEXT):
        entry["short"] = True
    default = _text(kind.default)
    if is_given(node, name):
        entry["set"] = True
    if text != default and "short" not in entry and len(default) <= MAX_TEXT:
        entry["default"] = default
    if kind.allowed and kind.type.startswith("SF"):
        entry["allowed"] = list(kind.allowed)
    return entry


def _text(value: Any) -> str:
    """Return a value as in a world file; a string without quotes, a long list only up to the sent length."""
    if isinstance(value, str):
        return value
    return value_text(value[:MAX_TEXT] if isinstance(value, list) else value)
