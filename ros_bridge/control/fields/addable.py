"""The types a node can be changed to, and the nodes its fields accept, as JSON text for editors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from sim_core.scene import Node
from sim_core.scene.proto.catalogue import AvailableProto, available_protos
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.allowed_types import fits, types_for, types_instead
from sim_core.session.supervision.imports import ONLY_ONE

AT_ROOT = "children"


def addable(sim: Simulation, node: Node | None) -> str:
    """Return what fits a node and its fields; None: the root of the scene.

    Returns:
        JSON: `types`, types that the node can be changed to; `fields`, by name, of fields that hold nodes,
            each with the accepted `types` and `protos`; `protos`, by name: the `text` of an instance,
            `folder`, `about` (its comments), `keywords`, `documentation` (a URL), `icon` (a file).
    """
    every = available_protos(sim.scene.assets)
    names = [AT_ROOT] if node is None else _node_fields(node)
    there = {each.type_name for each in sim.scene.nodes} & {*ONLY_ONE} if node is None else set()
    fields = {
        name: {
            "types": [each for each in types_for(node, name) if each not in there],
            "protos": [
                each.name for each in every if each.base.name not in there and fits(each.base, node, name)
            ],
        }
        for name in names
    }
    wanted = {name for field in fields.values() for name in field["protos"]}
    protos = {each.name: _describe_proto(each, sim.scene.file) for each in every if each.name in wanted}
    types = [] if node is None else types_instead(node)
    return json.dumps({"types": types, "fields": fields, "protos": protos})


def _node_fields(node: Node) -> list[str]:
    return [name for name, kind in node.node_type.fields.items() if kind.type.endswith("Node")]


def _describe_proto(offer: AvailableProto, world: str) -> dict[str, Any]:
    declared = ""
    if offer.is_own:
        url = os.path.relpath(offer.file, Path(world).resolve().parent)
        declared = f'EXTERNPROTO "{Path(url).as_posix()}"\n'
    return {
        "text": f"{declared}{offer.name} {{ }}",
        "folder": offer.folder,
        "about": "\n".join(offer.head.comments),
        "keywords": offer.head.words("keywords"),
        "documentation": offer.head.keys.get("documentation url", ""),
        "icon": str(offer.icon or ""),
    }
