"""Objects of a scene that devices search for, as frozen records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sim_core.base.ids import NodeId
from sim_core.model.device_spec import NodeSpec, attributes_of, lit_parts, node_spec
from sim_core.model.shapes import ShapeRecord
from sim_core.scene.node import Node
from sim_core.scene.scene import Scene


@dataclass(frozen=True, eq=False, slots=True)
class ChargerSpec(NodeSpec):
    """Charger node.

    Attributes:
        carrier: the robot that contains it; None: there is none.
        lit: the lights and appearances that it controls.
    """

    carrier: NodeId | None
    lit: tuple[NodeSpec, ...]


class SceneObject(NamedTuple):
    """Solid with all solids below it.

    Attributes:
        spec: the solid.
        solids: itself and the solids below it.
        bounding: their bounding objects.
        visible: their visible shapes.
    """

    spec: NodeSpec
    solids: frozenset[NodeId]
    bounding: tuple[ShapeRecord, ...]
    visible: tuple[ShapeRecord, ...]


def chargers_of(scene: Scene) -> list[ChargerSpec]:
    """Return all chargers, in file order."""
    nodes = [node for node in scene.walk() if node.type_name == "Charger"]
    robots = [next((each.id for each in node.ancestors() if each.is_a("Robot")), None) for node in nodes]
    return [
        ChargerSpec(**attributes_of(node), carrier=robot, lit=lit_parts(node["children"][:1]))
        for node, robot in zip(nodes, robots, strict=True)
    ]


def object_of(solid: Node, bounding: Iterable[ShapeRecord], visible: Iterable[ShapeRecord]) -> SceneObject:
    """Return a solid as an object, with its own shapes selected from all shapes of the scene."""
    solids = frozenset([each.id for each in solid.walk() if each is solid or each.is_a("Solid")])
    own = [tuple([each for each in shapes if each.solid in solids]) for shapes in (bounding, visible)]
    return SceneObject(node_spec(solid), solids, own[0], own[1])
