"""What a scene means to those who know no nodes: compiled once, and again as far as edits touch it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sim_core.base.ids import NodeId
from sim_core.model.appearance import BASE, EMISSIVE, appearance_of
from sim_core.model.changes import Aspect, Edits
from sim_core.model.device_spec import DeviceSpec, NodeSpec, lone_spec, node_spec
from sim_core.model.dynamics.bodies import BodyPlacement, place_of
from sim_core.model.dynamics.compiler import Compiler
from sim_core.model.dynamics.model import DynamicsModel, PlanarModel, planar_model_of, weight_of
from sim_core.model.dynamics.naming import NamedSolid, NodeLabel, find_solid, label_of, nodes_of
from sim_core.model.dynamics.world import WorldRecord, world_record
from sim_core.model.geometry_nodes import check_points
from sim_core.model.mass import MassProperties
from sim_core.model.objects import (
    ChargerSpec,
    SceneObject,
    chargers_of,
    object_of,
)
from sim_core.model.robots import free_connectors
from sim_core.model.shapes import (
    PlacedNode,
    ShapeRecord,
    billboard_geometries,
    bounding_geometries,
    placed_nodes,
    shape_record,
    visible_geometries,
)
from sim_core.model.solids import SolidRecord, gone_solid, solid_record
from sim_core.model.surroundings import Surroundings, surroundings_of
from sim_core.scene.node import Node
from sim_core.scene.scene import Scene

_Geometries = Callable[[Iterable[PlacedNode]], Iterable[PlacedNode]]


class _RootTrees:
    """What was found in the trees at the root of a scene, until they are edited.

    Attributes:
        scene: theirs.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._holding: dict[NodeId, list[PlacedNode]] = {}
        self._with_place: dict[NodeId, dict[NodeId, Node]] = {}
        self._nodes: dict[NodeId, Node] | None = None

    def forget(self, root: NodeId) -> None:
        """A tree is another, or has gone."""
        self._holding.pop(root, None)
        self._with_place.pop(root, None)
        self._nodes = None

    def holding_shapes(self, root: Node) -> list[PlacedNode]:
        """The nodes of a tree in which shapes stand, in file order."""
        if root.id not in self._holding:
            self._holding[root.id] = [each for each in placed_nodes([root]) if _holds_shapes(each.node)]
        return self._holding[root.id]

    def find(self, node: NodeId) -> Node | None:
        """A Solid or TrackWheel; None: it is no longer in the scene."""
        if self._nodes is None:
            for root in self.scene.nodes:
                if root.id not in self._with_place:
                    self._with_place[root.id] = {each.id: each for each in root.walk() if _has_place(each)}
            self._nodes = {id_: each for tree in self._with_place.values() for id_, each in tree.items()}
        return self._nodes.get(node)


class ShapeList:
    """Shapes of one kind, in file order."""

    def __init__(self, trees: _RootTrees, geometries: _Geometries) -> None:
        self._trees, self._geometries = trees, geometries
        self._placed: dict[NodeId, dict[NodeId, PlacedNode]] = {}
        self._records: dict[NodeId, ShapeRecord] = {}
        self._in_order: list[ShapeRecord] | None = None

    @property
    def records(self) -> list[ShapeRecord]:
        """The shapes."""
        if self._in_order is None:
            self._in_order = [
                self._records[each] for root in self._trees.scene.nodes for each in self._placed_in(root)
            ]
        return self._in_order

    def find(self, geometry: NodeId) -> ShapeRecord | None:
        """The shape of a geometry; None: it is not among these."""
        if self._in_order is None:
            _ = self.records
        return self._records.get(geometry)

    def forget(self, root: NodeId) -> None:
        """A tree at the root of the scene is another, or has gone."""
        for geometry in self._placed.pop(root, ()):
            del self._records[geometry]
        self._in_order = None

    def renew(self, root: NodeId, geometry: NodeId) -> None:
        """Read the size and the looks of a geometry, if it is among these, again."""
        placed = self._placed.get(root, {}).get(geometry)
        if placed is not None:
            self._records[geometry] = shape_record(placed)
            self._in_order = None

    def _placed_in(self, root: Node) -> dict[NodeId, PlacedNode]:
        found = self._placed.get(root.id)
        if found is None:
            holding = self._trees.holding_shapes(root)
            found = self._placed[root.id] = {each.node.id: each for each in self._geometries(holding)}
            self._records.update((id_, shape_record(each)) for id_, each in found.items())
        return found


class WorldModel:
    """The shapes, the solids and the surroundings of a scene; each is read when it is first asked for.

    Attributes:
        revision: how often it has been edited.

    Raises:
        SceneError: now, or after edits: a mesh is too large (`check_points`).
    """

    def __init__(self, scene: Scene) -> None:
        check_points(scene.walk())
        self._scene = scene
        self._compiler = Compiler(scene)
        self.revision = 0
        self._forget()

    def _forget(self) -> None:
        self._trees = _RootTrees(self._scene)
        self._shapes: dict[_Geometries, ShapeList] = {}
        self._solids: dict[NodeId, SolidRecord] = {}
        self._weights: dict[NodeId, MassProperties | None] = {}
        self._surroundings: Surroundings | None = None

    def apply_edits(self, edits: Edits) -> None:
        """Follow edits of the scene; before all who read the model do."""
        self.revision += 1
        self._compiler.apply_edits(edits)
        self._solids.clear()
        self._weights.clear()
        self._surroundings = None
        for edit in edits:
            if edit.node is None:
                self._forget()
            elif edit.aspect is Aspect.STRUCTURE:
                root = edit.root
                check_points(root.walk())
                self._trees.forget(root.id)
                for shapes in self._shapes.values():
                    shapes.forget(root.id)
            elif edit.aspect in (Aspect.SIZE, Aspect.LOOKS):
                if edit.aspect is Aspect.SIZE:
                    check_points((edit.node, *edit.node.ancestors()))
                if (geometry := edit.geometry) is not None:
                    for shapes in self._shapes.values():
                        shapes.renew(edit.root.id, geometry)

    @property
    def bounding(self) -> ShapeList:
        """What is in the boundingObject fields of all solids; their order is that of the file."""
        return self._shapes_of(bounding_geometries)

    @property
    def visible(self) -> ShapeList:
        """What is seen: the geometries of Shapes, and CadShapes; not those in Billboards."""
        return self._shapes_of(visible_geometries)

    @property
    def billboards(self) -> ShapeList:
        """What is seen in Billboards, which hang before the Viewpoint and are seen from it alone: placed in
        its frame, as if that were the world (Webots reference, Billboard)."""
        return self._shapes_of(billboard_geometries)

    @property
    def surroundings(self) -> Surroundings:
        """Background, fog and Viewpoint."""
        if self._surroundings is None:
            self._surroundings = surroundings_of(self._scene)
        return self._surroundings

    def solid(self, node: NodeId) -> SolidRecord:
        """A solid; one that is no longer in the scene stands by itself, at the origin."""
        found = self._solids.get(node)
        if found is None:
            there = self._trees.find(node)
            found = solid_record(there) if there is not None else gone_solid(node)
            self._solids[node] = found
        return found

    def weight(self, solid: NodeId) -> MassProperties | None:
        """Mass, centre and inertia of a solid with all that is fixed to it below, in its own frame; None: it
        has no Physics, or is no longer in the scene."""
        if solid not in self._weights:
            there = self._trees.find(solid)
            has_weight = there is not None and there["physics"] is not None
            self._weights[solid] = weight_of(there) if there is not None and has_weight else None
        return self._weights[solid]

    def dynamics(self) -> DynamicsModel:
        """What an engine builds; the same object as long as no edit is felt by it.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible.
        """
        return self._compiler.model()

    def world(self) -> WorldRecord:
        """What the scene says about the whole world.

        Raises:
            SceneError: a value that cannot be.
        """
        return world_record(self._scene.world_info)

    def planar(self) -> PlanarModel:
        """What rolls in the plane.

        Raises:
            SceneError: something impossible is asked for.
        """
        return planar_model_of(self._scene)

    def place(self, node: NodeId, places: Mapping[NodeId, BodyPlacement]) -> BodyPlacement | None:
        """Where a node is, by the places of those that are attached to something; None: it is not there."""
        return self.places([node], places).get(node)

    def places(
        self, nodes: Iterable[NodeId], places: Mapping[NodeId, BodyPlacement]
    ) -> dict[NodeId, BodyPlacement]:
        """As `place`, of several; those that are there. The scene is walked once, if it is at all."""
        found = {node: places.get(node) for node in nodes}
        there = nodes_of(self._scene) if None in found.values() else {}
        all_found = ((node, at or place_of(there.get(node), places)) for node, at in found.items())
        return {node: at for node, at in all_found if at is not None}

    def label(self, node: NodeId) -> NodeLabel:
        """What messages call a node."""
        return label_of(self._scene, node)

    def named_solid(self, name: str) -> NamedSolid:
        """A solid as plug-ins name it.

        Raises:
            PhysicsError: there is no such solid, or there are several.
        """
        return find_solid(self._scene, name)

    @property
    def is_lenient(self) -> bool:
        """Whether mistakes are passed over."""
        return self._scene.is_lenient

    @property
    def file(self) -> str:
        """The file of the world."""
        return self._scene.file

    def world_info(self) -> NodeSpec:
        """The WorldInfo node as it is now."""
        return node_spec(self._scene.world_info)

    def lights(self) -> list[NodeSpec]:
        """All lights as they are now, in file order."""
        return [node_spec(node) for node in self._scene.walk() if node.is_a("Light")]

    def chargers(self) -> list[ChargerSpec]:
        """All chargers as they are now, in file order."""
        return chargers_of(self._scene)

    def free_connectors(self) -> list[DeviceSpec]:
        """The connectors that are part of no robot as they are now, in file order."""
        roots = (node for node in self._scene.nodes if node.is_a("Pose") or node.is_a("Group"))
        return [lone_spec(node) for node in free_connectors(roots)]

    def radar_targets(self) -> list[SceneObject]:
        """The solids whose `radarCrossSection` is above 0, in file order."""
        return self.objects(lambda solid: bool(solid["radarCrossSection"] > 0.0))

    def recognizable(self) -> list[SceneObject]:
        """The solids with `recognitionColors`, in file order."""
        return self.objects(lambda solid: bool(solid["recognitionColors"]))

    def objects(self, is_object: Callable[[Node], bool]) -> list[SceneObject]:
        """The solids that a condition holds for, in file order."""
        solids = [node for node in self._scene.walk() if node.is_a("Solid") and is_object(node)]
        bounding, visible = self.bounding.records, self.visible.records
        return [object_of(solid, bounding, visible) for solid in solids]

    def screen_of(self, display: NodeId) -> NodeId | None:
        """The appearance on which a Display shows what it draws: that of the first Shape with a picture in
        its first child (Webots reference, Display); None: it has none, or is no longer in the scene."""
        there = self._trees.find(display)
        children = there["children"] if there is not None else []
        for node in children[0].walk() if children else ():
            if node.type_name == "Shape":
                appearance = appearance_of(node["appearance"])
                if appearance is not None and any(role in appearance.textures for role in (BASE, EMISSIVE)):
                    return appearance.node
        return None

    def find(self, node: NodeId) -> Node | None:
        """A Solid or TrackWheel, for those who know it as a supervisor does; None: it is no longer there."""
        return self._trees.find(node)

    def node(self, node: NodeId) -> Node:
        """As `find`, of one that is there."""
        found = self.find(node)
        assert found is not None
        return found

    def _shapes_of(self, geometries: _Geometries) -> ShapeList:
        if geometries not in self._shapes:
            self._shapes[geometries] = ShapeList(self._trees, geometries)
        return self._shapes[geometries]


def _holds_shapes(node: Node) -> bool:
    return _has_place(node) or node.type_name in ("Shape", "CadShape", "Billboard")


def _has_place(node: Node) -> bool:
    return node.is_a("Solid") or node.type_name == "TrackWheel"
