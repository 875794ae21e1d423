"""A scene, or some of its trees, compiled for engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sim_core.base.errors import LEFT_OUT, Mistake, SceneError, SceneErrors
from sim_core.base.geometry import ZERO, Pose, Vec3, is_possible_inertia, norm
from sim_core.base.ids import NodeId
from sim_core.model.dynamics.bodies import Body, BodyKind, BodyPlacement, BodyTree, tree_of
from sim_core.model.dynamics.colliders import (
    Collider,
    Records,
    colliders_of,
    colliding_shapes,
    own_colliding_shapes,
)
from sim_core.model.dynamics.distance_limits import far_joint_errors, remove_far_colliders
from sim_core.model.dynamics.flow import Flow, flows_of
from sim_core.model.dynamics.fluids import Fluid, Immersion, fluid_of, immersion_of
from sim_core.model.dynamics.joints import Joint, joint_of, joint_warnings
from sim_core.model.dynamics.naming import NodeLabel, label
from sim_core.model.dynamics.propulsion import (
    Propeller,
    Track,
    WheeledRobot,
    propeller_of,
    track_of,
    wheeled_robots,
)
from sim_core.model.dynamics.world import WorldRecord
from sim_core.model.frames import vector_of, world_vector_of
from sim_core.model.kinematics import moves_by_itself
from sim_core.model.mass import MassProperties
from sim_core.model.physics import UNKNOWN, SolidPhysics, merged, read_physics
from sim_core.scene.node import Node, Source
from sim_core.scene.scene import Scene


@dataclass(frozen=True, eq=False)
class Kinematics:
    """The kinematic tree.

    Attributes:
        bodies: parents first, by the solid that each is named after.
        joints: in file order.
        places: placements of all attached nodes.
        warnings: settings that have no effect, one line each.
    """

    bodies: dict[NodeId, Body]
    joints: list[Joint]
    places: dict[NodeId, BodyPlacement]
    warnings: list[SceneError]


class RobotCopy(NamedTuple):
    """Robot without nodes that equals another one except for its name and pose.

    Attributes:
        robot: the other one.
        name: its own.
        start: X_WB at the start.
        after: the last robot with nodes before it in the file.
    """

    robot: NodeId
    name: str
    start: Pose
    after: NodeId


@dataclass(frozen=True, eq=False)
class PlanarModel(Kinematics):
    """The kinematic tree, and what rolls in the plane.

    Attributes:
        robots: all Robot nodes (their names, and their names for messages) in file order, by id.
        idle: Track and Propeller nodes, with their paths; tracks: those of type Track.
        wheeled: DifferentialWheels robots.
        copies: robots that are held as arrays, in file order.
    """

    robots: dict[NodeId, tuple[str, NodeLabel]]
    idle: dict[NodeId, str]
    tracks: Set[NodeId]
    wheeled: list[WheeledRobot]
    copies: list[RobotCopy]


class BodyDynamics(NamedTuple):
    """Mass and damping of a dynamic body, in its frame, and its start velocity: m/s of its origin and rad/s
    in the axes of the world."""

    physics: SolidPhysics
    linear: Vec3
    angular: Vec3


@dataclass(frozen=True, eq=False)
class ModelPart(Kinematics):
    """One tree at the root of a scene: its bodies with masses, shapes, joints, fluids and propulsion.

    Attributes:
        root: its root node.
        colliders: of each body, in file order of its solids.
        weights: of the dynamic bodies.
        velocities: m/s and rad/s, of the bodies without Physics that have a velocity: in the axes of the
            world; for a solid that moves by itself in those of its parent's frame.
        fluids: by name.
        immersions: of the solids that may be in a fluid, by body, in file order.
        fluid_uses: name and place of the fluid of each.
        tracks: by node; propellers: those with a motor, in file order.
        flows: forces of air and water, in file order.
        left_out: impossible shapes; default_masses: bodies without usable mass.
    """

    root: NodeId
    colliders: dict[NodeId, list[Collider]]
    weights: dict[NodeId, BodyDynamics]
    velocities: dict[NodeId, tuple[Vec3, Vec3]]
    fluids: dict[str, Fluid]
    immersions: dict[NodeId, list[Immersion]]
    fluid_uses: list[tuple[str, Source]]
    tracks: dict[NodeId, Track]
    propellers: list[Propeller]
    flows: list[Flow]
    left_out: list[Mistake]
    default_masses: list[Mistake]

    @cached_property
    def has_findings(self) -> bool:
        """True if there are warnings about it, or fluid names to check."""
        return bool(self.warnings or self.fluid_uses or self.left_out or self.default_masses)

    @property
    def nodes(self) -> Set[NodeId]:
        """All nodes that have a placement in it."""
        return self.places.keys()

    @cached_property
    def is_empty(self) -> bool:
        """True if nothing in it moves, collides or has another frame than the world."""
        has_frames = any(each != BodyPlacement() for each in self.places.values())
        return not (self.bodies or self.joints or self.fluids or has_frames)


class DynamicsModel(NamedTuple):
    """Model from which an engine builds a world.

    Attributes:
        world: settings of the whole world.
        parts: the trees at the root, in file order, except empty ones.
        warnings: settings that have no effect, one line each.
    """

    world: WorldRecord
    parts: tuple[ModelPart, ...]
    warnings: tuple[SceneError, ...]


def kinematics_of(scene: Scene) -> Kinematics:
    """Return the kinematic tree of a scene, without masses.

    Raises:
        SceneError: the scene is impossible to simulate.
    """
    tree = tree_of(scene.nodes, scene.is_lenient)
    return Kinematics(tree.bodies, _joints(tree), tree.places, tree.warnings)


def planar_model_of(scene: Scene) -> PlanarModel:
    """Return the kinematic tree as `kinematics_of`, with what rolls in the plane."""
    tree = tree_of(scene.nodes, scene.is_lenient)
    nodes = list(scene.walk())
    idle = {node.id: node.path() for node in nodes if node.type_name in ("Track", "Propeller")}
    tracks = {node.id for node in nodes if node.type_name == "Track"}
    robots = {node.id: (node["name"], label(node)) for node in nodes if node.is_a("Robot")}
    wheeled = wheeled_robots(tree.solids.values())
    copies = [
        RobotCopy(
            each.like.id, each.name, Pose.from_axis_angle(each.translation, each.rotation), each.after.id
        )
        for each in scene.folded
    ]
    return PlanarModel(
        tree.bodies, _joints(tree), tree.places, tree.warnings, robots, idle, tracks, wheeled, copies
    )


def part_of(root: Node, damping: Node | None, is_lenient: bool) -> ModelPart:
    """Compile a tree at the root of a scene.

    Args:
        root: its root node.
        damping: of bodies that have none of their own.
        is_lenient: see `Scene.is_lenient`.

    Raises:
        SceneError, SceneErrors: the tree is impossible to simulate.
    """
    tree = tree_of([root], is_lenient)
    problems: list[SceneError] = []
    shape_warnings: list[SceneError] = []
    records = colliding_shapes([root], problems, shape_warnings)
    colliders: dict[NodeId, list[Collider]] = {}
    weights: dict[NodeId, BodyDynamics] = {}
    velocities: dict[NodeId, tuple[Vec3, Vec3]] = {}
    left_out: list[Mistake] = []
    default_masses: list[Mistake] = []
    for id_, body in tree.bodies.items():
        solids = [(tree.solids[solid], pose) for solid, pose in body.solids]
        hinge = tree.joint_nodes[body.joint] if body.joint is not None else None
        moves = tree.dynamic_body_of(id_) is not None
        colliders[id_] = colliders_of(solids, hinge, body.joint_frame, moves, records, problems)
    if is_lenient:
        left_out += [Mistake.from_error(each, LEFT_OUT) for each in problems]
        problems.clear()
    for id_, body in tree.bodies.items():
        solids = [(tree.solids[solid], pose) for solid, pose in body.solids]
        try:
            if body.kind is BodyKind.DYNAMIC:
                weights[id_] = _weight(solids, records, damping, shape_warnings)
            elif any(map(any, velocity := _velocity(solids[0][0]))):
                velocities[id_] = velocity
        except SceneError as error:
            problems.append(error)
            if body.kind is BodyKind.DYNAMIC:
                weights[id_] = BodyDynamics(UNKNOWN, ZERO, ZERO)
    if is_lenient:
        default_masses += [Mistake.from_error(each, "using 1 kg and 1 kg m2") for each in problems]
    else:
        refuse(problems)
    masses = {solid: weight.physics.mass for solid, weight in weights.items()}
    far = list(remove_far_colliders(tree, colliders, masses))
    if is_lenient:
        left_out += [Mistake.from_error(each, LEFT_OUT) for each in far]
    else:
        refuse(far)
    joints = _joints(tree)
    refuse(list(far_joint_errors(joints, tree, masses)))
    warnings = [*tree.warnings, *_fixed_solids_with_physics(tree), *shape_warnings]
    for (node, _), joint in zip(tree.joints, joints, strict=True):
        warnings += joint_warnings(node, joint)
    nodes = list(root.walk())
    propellers = _propellers(nodes, tree, warnings)
    tracks = {id_: track_of(node) for id_, node in tree.solids.items() if node.type_name == "Track"}
    fluids = {
        node["name"]: fluid_of(node, tree.in_world(node)) for node in nodes if node.type_name == "Fluid"
    }
    immersions, fluid_uses = _immersions(tree)
    return ModelPart(
        tree.bodies, joints, tree.places, warnings, root.id, colliders, weights, velocities, fluids,
        immersions, fluid_uses, tracks, propellers, flows_of(tree, warnings), left_out, default_masses,
    )  # fmt: skip


def refuse(problems: Sequence[SceneError]) -> None:
    """Raise the errors in `problems`, if any."""
    if problems:
        raise problems[0] if len(problems) == 1 else SceneErrors(problems)


def _joints(tree: BodyTree) -> list[Joint]:
    """Return the joints in file order."""
    return [joint_of(node, place, tree) for node, place in tree.joints]


def _weight(
    solids: Sequence[tuple[Node, Pose]], records: Records, damping: Node | None, warnings: list[SceneError]
) -> BodyDynamics:
    """Return the mass of the solids of a body together, and its start velocity.

    Raises:
        SceneError: a value is impossible.
    """
    parts = [
        (read_physics(solid, records.get(solid.id, []), damping, warnings), pose)
        for solid, pose in solids
        if solid["physics"] is not None and not _is_helix(solid)
    ]
    whole, first = merged(parts), solids[0][0]
    if not (whole.mass.mass > 0.0 and is_possible_inertia(whole.mass.inertia)):
        moments = " ".join(f"{value:g}" for value in whole.mass.inertia)
        found = f"{first.path()} with a mass of {whole.mass.mass:g} kg and the inertia {moments}"
        raise SceneError(*first.source, found, "a mass above 0 and an inertia that is positive definite")
    return BodyDynamics(whole, *_velocity(first))


def weight_of(solid: Node) -> MassProperties:
    """Return the mass of a solid with Physics, with all solids below that are fixed to it, in its own frame.

    Raises:
        SceneError: a value is impossible.
    """
    tree = tree_of([solid])
    solids = [(tree.solids[each], pose) for each, pose in tree.bodies[solid.id].solids]
    records = own_colliding_shapes(node for node, _ in solids)
    return _weight(solids, records, None, []).physics.mass


def _velocity(solid: Node) -> tuple[Vec3, Vec3]:
    """Return the start velocity of a solid: m/s and rad/s, see `ModelPart.velocities`.

    Raises:
        SceneError: it is not finite.
    """
    for name in ("linearVelocity", "angularVelocity"):
        if not norm(solid[name]) < 1e9:
            raise SceneError(*solid.source, f"{name} {solid[name]}", "finite numbers")
    of = vector_of if moves_by_itself(solid) else world_vector_of
    return of(solid, "linearVelocity"), of(solid, "angularVelocity")


def _is_helix(solid: Node) -> bool:
    """Return whether a solid is a helix of a Propeller, whose mass is ignored: Webots' drones hover without
    it."""
    return solid.parent is not None and solid.parent.type_name == "Propeller"


def _fixed_solids_with_physics(tree: BodyTree) -> Iterator[SceneError]:
    """Return warnings for solids with Physics that are fixed to fixed ones; conveyors are modelled so."""
    for id_, node in tree.solids.items():
        own = tree.bodies[tree.owners[id_]]
        above = own.solid if own.solid != id_ else own.parent if own.joint is None else None
        if (
            above is None
            or own.kind is BodyKind.DYNAMIC
            or node["physics"] is None
            or node.type_name == "Track"
            or _is_weighed(node)
        ):
            continue
        if tree.dynamic_body_of(above) is None:
            found = f"{node.path()} has Physics, the solids above it have none, so it is fixed to them"
            yield SceneError(*node.source, found)


def _is_weighed(solid: Node) -> bool:
    """Return whether a ForceTorque measures the weight of a solid."""
    solids = (each for each in (solid, *solid.ancestors()) if each.is_a("Solid"))
    return any(child.type_name == "ForceTorque" for each in solids for child in each["children"])


def _propellers(nodes: Iterable[Node], tree: BodyTree, warnings: list[SceneError]) -> list[Propeller]:
    """Return the propellers with a motor, in file order."""
    found = []
    for node in nodes:
        if node.type_name == "Propeller" and node["device"] is not None:
            found.append(propeller_of(node, tree))
            if found[-1].body is None:
                text = "a Propeller on what has no Physics pushes nothing"
                warnings.append(SceneError(*node.source, text))
    return found


def _immersions(tree: BodyTree) -> tuple[dict[NodeId, list[Immersion]], list[tuple[str, Source]]]:
    """Return the immersions of solids of dynamic bodies, and the places that name fluids."""
    found: dict[NodeId, list[Immersion]] = {}
    fluid_uses = []
    for id_, body in tree.bodies.items():
        if tree.dynamic_body_of(id_) is None:
            continue
        for solid, _ in body.solids:
            node = tree.solids[solid]
            is_part = node["physics"] is not None or body.kind is BodyKind.DYNAMIC
            listed: list[Node] = node["immersionProperties"] if is_part else []
            for properties in listed:
                found.setdefault(id_, []).append(immersion_of(node, properties))
                fluid_uses.append((properties["fluidName"], properties.source))
    return found, fluid_uses
