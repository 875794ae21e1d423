"""What devices look for in a scene beside themselves, as frozen records."""

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
    """A Charger.

    Attributes:
        carrier: the robot that it stands in; None: in none.
        lit: the lights and appearances that it lets shine.
    """

    carrier: NodeId | None
    lit: tuple[NodeSpec, ...]


class SceneObject(NamedTuple):
    """A solid with all solids below it.

    Attributes:
        spec: the solid.
        solids: it and the solids below it.
        bounding: their bounding objects.
        visible: what is seen of them.
    """

    spec: NodeSpec
    solids: frozenset[NodeId]
    bounding: tuple[ShapeRecord, ...]
    visible: tuple[ShapeRecord, ...]


def chargers_of(scene: Scene) -> list[ChargerSpec]:
    """All chargers, in file order."""
    nodes = [node for node in scene.walk() if node.type_name == "Charger"]
    robots = [next((each.id for each in node.ancestors() if each.is_a("Robot")), None) for node in nodes]
    return [
        ChargerSpec(**attributes_of(node), carrier=robot, lit=lit_parts(node["children"][:1]))
        for node, robot in zip(nodes, robots, strict=True)
    ]


def object_of(solid: Node, bounding: Iterable[ShapeRecord], visible: Iterable[ShapeRecord]) -> SceneObject:
    """The object that a solid is, of all shapes of its scene those that are its own."""
    solids = frozenset([each.id for each in solid.walk() if each is solid or each.is_a("Solid")])
    own = [tuple([each for each in shapes if each.solid in solids]) for shapes in (bounding, visible)]
    return SceneObject(node_spec(solid), solids, own[0], own[1])
