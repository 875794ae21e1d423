"""Model of a scene for packages that do not use nodes: compiled once, and again as far as edits require."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sim_core.base.geometry import Vec3
from sim_core.base.ids import NodeId
from sim_core.model.appearance import BASE, EMISSIVE, appearance_of
from sim_core.model.changes import Aspect, Edits
from sim_core.model.device_spec import DeviceSpec, NodeSpec, free_device_spec, node_spec
from sim_core.model.dynamics.bodies import BodyPlacement, place_of
from sim_core.model.dynamics.colliders import own_colliding_shapes
from sim_core.model.dynamics.compiler import Compiler
from sim_core.model.dynamics.model import DynamicsModel, PlanarModel, planar_model_of, weight_of
from sim_core.model.dynamics.naming import NamedSolid, NodeLabel, find_solid, label_of, nodes_of
from sim_core.model.dynamics.propulsion import TrackWheel, track_of
from sim_core.model.dynamics.world import WorldRecord, world_record
from sim_core.model.geometry_nodes import check_points
from sim_core.model.mass import MassProperties
from sim_core.model.objects import (
    ChargerSpec,
    SceneObject,
    chargers_of,
    object_of,
)
from sim_core.model.physics import SolidPhysics, read_physics
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
from sim_core.model.solids import SolidRecord, removed_solid, solid_record
from sim_core.model.surroundings import Surroundings, surroundings_of
from sim_core.scene.node import Node
from sim_core.scene.scene import Scene

_Geometries = Callable[[Iterable[PlacedNode]], Iterable[PlacedNode]]


class _RootTrees:
    """Nodes found in the trees at the root of a scene, cached until the trees are edited.

    Attributes:
        scene: the scene.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._holding: dict[NodeId, list[PlacedNode]] = {}
        self._with_place: dict[NodeId, dict[NodeId, Node]] = {}
        self._nodes: dict[NodeId, Node] | None = None

    def remove_tree(self, root: NodeId) -> None:
        """Drop the data of a tree that was edited or removed."""
        self._holding.pop(root, None)
        self._with_place.pop(root, None)
        self._nodes = None

    def holding_shapes(self, root: Node) -> list[PlacedNode]:
        """Return the nodes of a tree that contain shapes, in file order."""
        if root.id not in self._holding:
            self._holding[root.id] = [each for each in placed_nodes([root]) if _holds_shapes(each.node)]
        return self._holding[root.id]

    def find_solid(self, node: NodeId) -> Node | None:
        """Return a Solid or TrackWheel; None: it is no longer in the scene."""
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

    def find_shape(self, geometry: NodeId) -> ShapeRecord | None:
        """Return the shape of a geometry; None: it is not in the list."""
        if self._in_order is None:
            _ = self.records
        return self._records.get(geometry)

    def remove_tree(self, root: NodeId) -> None:
        """Drop the shapes of a root tree that was edited or removed."""
        for geometry in self._placed.pop(root, ()):
            del self._records[geometry]
        self._in_order = None

    def update_geometry(self, root: NodeId, geometry: NodeId) -> None:
        """Read size and appearance of a geometry again, if it is in the list."""
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
    """Shapes, solids and surroundings of a scene; each is compiled when it is first needed.

    Attributes:
        revision: number of edits so far.

    Raises:
        SceneError: at creation or after edits: a mesh is too large (`check_points`).
    """

    def __init__(self, scene: Scene) -> None:
        check_points(scene.walk())
        self._scene = scene
        self._compiler = Compiler(scene)
        self.revision = 0
        self._clear()

    def _clear(self) -> None:
        self._trees = _RootTrees(self._scene)
        self._shapes: dict[_Geometries, ShapeList] = {}
        self._solids: dict[NodeId, SolidRecord] = {}
        self._weights: dict[NodeId, MassProperties | None] = {}
        self._surroundings: Surroundings | None = None
        self._world: WorldRecord | None = None

    def apply_edits(self, edits: Edits) -> None:
        """Update the model after edits of the scene, before all readers of the model."""
        self.revision += 1
        self._compiler.mark_edited(edits)
        self._solids.clear()
        self._weights.clear()
        self._surroundings = self._world = None
        for edit in edits:
            if edit.node is None:
                self._clear()
            elif edit.aspect is Aspect.STRUCTURE:
                root = edit.root
                check_points(root.walk())
                self._trees.remove_tree(root.id)
                for shapes in self._shapes.values():
                    shapes.remove_tree(root.id)
            elif edit.aspect in (Aspect.SIZE, Aspect.LOOKS):
                if edit.aspect is Aspect.SIZE:
                    check_points((edit.node, *edit.node.ancestors()))
                if (geometry := edit.geometry) is not None:
                    for shapes in self._shapes.values():
                        shapes.update_geometry(edit.root.id, geometry)

    @property
    def bounding(self) -> ShapeList:
        """The geometries in the boundingObject fields of all solids, in file order."""
        return self._shapes_of(bounding_geometries)

    @property
    def visible(self) -> ShapeList:
        """The visible geometries of Shapes and CadShapes, without those in Billboards."""
        return self._shapes_of(visible_geometries)

    @property
    def billboards(self) -> ShapeList:
        """The visible geometries in Billboards, which are shown to the Viewpoint only: placed in its frame,
        as if that were the world (Webots reference, Billboard)."""
        return self._shapes_of(billboard_geometries)

    @property
    def surroundings(self) -> Surroundings:
        """Background, fog and Viewpoint."""
        if self._surroundings is None:
            self._surroundings = surroundings_of(self._scene)
        return self._surroundings

    def solid(self, node: NodeId) -> SolidRecord:
        """Return a solid; one that is no longer in the scene is at the origin."""
        found = self._solids.get(node)
        if found is None:
            present = self._trees.find_solid(node)
            found = solid_record(present) if present is not None else removed_solid(node)
            self._solids[node] = found
        return found

    def weight(self, solid: NodeId) -> MassProperties | None:
        """Return mass, centre and inertia of a solid with all that is fixed to it below, in its own frame;
        None: it has no Physics, or is no longer in the scene."""
        if solid not in self._weights:
            present = self._trees.find_solid(solid)
            has_weight = present is not None and present["physics"] is not None
            self._weights[solid] = weight_of(present) if present is not None and has_weight else None
        return self._weights[solid]

    def solids_below(self, solid: NodeId) -> dict[NodeId, SolidPhysics | None]:
        """Return a solid and all below it, each with its own mass; None: it has no Physics.

        Raises:
            SceneError: a value is impossible.
        """
        present = self._trees.find_solid(solid)
        nodes = [each for each in present.walk() if each.is_a("Solid")] if present is not None else []
        return {each.id: _own_physics(each) if each["physics"] is not None else None for each in nodes}

    def dynamics(self) -> DynamicsModel:
        """Return the model for engines; the same object as long as no edit affects it.

        Raises:
            SceneError, SceneErrors: the scene is impossible to simulate.
        """
        return self._compiler.model()

    def world(self) -> WorldRecord:
        """Return the settings of the whole world.

        Raises:
            SceneError: a value is impossible.
        """
        if self._world is None:
            self._world = world_record(self._scene.world_info)
        return self._world

    @property
    def gravity(self) -> Vec3:
        """Acceleration of free fall, m/s², world axes."""
        return self.world().gravity

    def planar(self) -> PlanarModel:
        """Return the model for the fast 2D mode.

        Raises:
            SceneError: the scene is impossible to simulate.
        """
        return planar_model_of(self._scene)

    def placement(self, node: NodeId, places: Mapping[NodeId, BodyPlacement]) -> BodyPlacement | None:
        """Return the placement of a node, from those of all attached nodes; None: it is not in the scene."""
        return self.placements([node], places).get(node)

    def placements(
        self, nodes: Iterable[NodeId], places: Mapping[NodeId, BodyPlacement]
    ) -> dict[NodeId, BodyPlacement]:
        """Return the placements of several existing nodes, with one walk through the scene at most."""
        found = {node: places.get(node) for node in nodes}
        present = nodes_of(self._scene) if None in found.values() else {}
        all_found = ((node, at or place_of(present.get(node), places)) for node, at in found.items())
        return {node: at for node, at in all_found if at is not None}

    def label(self, node: NodeId) -> NodeLabel:
        """Return the name of a node for messages."""
        return label_of(self._scene, node)

    def named_solid(self, name: str) -> NamedSolid:
        """Return the solid with a name as plug-ins give it.

        Raises:
            PhysicsError: present is no such solid, or present are several.
        """
        return find_solid(self._scene, name)

    @property
    def is_lenient(self) -> bool:
        """True if mistakes are ignored with a warning."""
        return self._scene.is_lenient

    @property
    def file(self) -> str:
        """The file of the world."""
        return self._scene.file

    def world_info(self) -> NodeSpec:
        """Return the WorldInfo node as it is now."""
        return node_spec(self._scene.world_info)

    def lights(self) -> list[NodeSpec]:
        """Return all lights as they are now, in file order."""
        return [node_spec(node) for node in self._scene.walk() if node.is_a("Light")]

    def chargers(self) -> list[ChargerSpec]:
        """Return all chargers as they are now, in file order."""
        return chargers_of(self._scene)

    def free_connectors(self) -> list[DeviceSpec]:
        """Return the connectors outside robots as they are now, in file order."""
        roots = (node for node in self._scene.nodes if node.is_a("Pose") or node.is_a("Group"))
        return [free_device_spec(node) for node in free_connectors(roots)]

    def radar_targets(self) -> list[SceneObject]:
        """Return the solids whose `radarCrossSection` is above 0, in file order."""
        return self.objects(lambda solid: bool(solid["radarCrossSection"] > 0.0))

    def recognizable(self) -> list[SceneObject]:
        """Return the solids with `recognitionColors`, in file order."""
        return self.objects(lambda solid: bool(solid["recognitionColors"]))

    def objects(self, is_object: Callable[[Node], bool]) -> list[SceneObject]:
        """Return the solids for which a condition holds, in file order."""
        solids = [node for node in self._scene.walk() if node.is_a("Solid") and is_object(node)]
        bounding, visible = self.bounding.records, self.visible.records
        return [object_of(solid, bounding, visible) for solid in solids]

    def screen_of(self, display: NodeId) -> NodeId | None:
        """Return the appearance that shows the image of a Display: that of the first Shape with a picture in
        its first child (Webots reference, Display); None: present is none."""
        present = self._trees.find_solid(display)
        children = present["children"] if present is not None else []
        for node in children[0].walk() if children else ():
            if node.type_name == "Shape":
                appearance = appearance_of(node["appearance"])
                if appearance is not None and any(role in appearance.textures for role in (BASE, EMISSIVE)):
                    return appearance.node
        return None

    def track_wheel(self, track: NodeId, wheel: NodeId) -> TrackWheel:
        """Return a wheel of a Track.

        Raises:
            SceneError: a wheel's radius is not above 0.
        """
        return track_of(self.node(track)).wheels[wheel]

    def find_solid(self, node: NodeId) -> Node | None:
        """Return a Solid or TrackWheel node, for callers that use scene nodes; None: it no longer exists."""
        return self._trees.find_solid(node)

    def node(self, node: NodeId) -> Node:
        """Return the node as `find_solid`, of one that exists."""
        found = self.find_solid(node)
        assert found is not None
        return found

    def _shapes_of(self, geometries: _Geometries) -> ShapeList:
        if geometries not in self._shapes:
            self._shapes[geometries] = ShapeList(self._trees, geometries)
        return self._shapes[geometries]


def _own_physics(solid: Node) -> SolidPhysics:
    return read_physics(solid, own_colliding_shapes([solid]).get(solid.id, []), None, [])


def _holds_shapes(node: Node) -> bool:
    return _has_place(node) or node.type_name in ("Shape", "CadShape", "Billboard")


def _has_place(node: Node) -> bool:
    return node.is_a("Solid") or node.type_name == "TrackWheel"
