"""Links become ODE bodies and geoms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import ode

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.geometry import norm, rotate
from sim_core.engines.ode.contacts.contacts import ALL_BITS, FLOOR_BIT, Contacts, Group
from sim_core.engines.ode.contacts.surfaces import SurfaceKind, Surfaces, legacy_fields
from sim_core.engines.ode.keeper import Keeper
from sim_core.engines.ode.links import Kind, Link, LinkTree
from sim_core.engines.ode.ode_binding import make_mass, set_damping, state_address
from sim_core.engines.ode.shapes import (
    Floor,
    Shape,
    attach_geom,
    check_shape,
    is_floor,
    make_geom,
    place_geom,
)
from sim_core.model.frames import world_vector_of
from sim_core.model.geometry import FileMesh, Plane
from sim_core.model.physics import SolidPhysics, merged, read_physics
from sim_core.model.shapes import ShapeRecord, bounding_shapes
from sim_core.scene import Node, Scene


class BodyPlan:
    """What all bodies weigh and which shapes they have; read from the scene once.

    Attributes:
        physics: of each dynamic link.
        warnings: what is left out or guessed.
    """

    def __init__(self, scene: Scene, tree: LinkTree) -> None:
        self.tree = tree
        self.warnings: list[SceneError] = []
        self.physics: dict[Link, SolidPhysics] = {}
        problems: list[SceneError] = []
        records = self._records(scene, problems)
        default_damping = scene.world_info["defaultDamping"]
        for link in tree.links:
            for solid, pose in link.solids:
                for record in records[solid]:
                    if isinstance(record.geometry, Plane) and link.dynamic_ancestor() is not None:
                        found = f"Plane in the boundingObject of {solid.path()}, which moves"
                        problems.append(SceneError(*record.node.source, found, "a shape with a volume"))
                        continue
                    link.shapes.append(Shape(record, solid, pose * record.offset, link))
            try:
                if link.kind is Kind.DYNAMIC:
                    self._weigh(link, records, default_damping)
            except SceneError as error:
                problems.append(error)
        if problems:
            raise problems[0] if len(problems) == 1 else SceneErrors(problems)

    def _records(self, scene: Scene, problems: list[SceneError]) -> dict[Node | None, list[ShapeRecord]]:
        """The shapes that can collide, by solid."""
        found: dict[Node | None, list[ShapeRecord]] = defaultdict(list)
        left_out: set[str] = set()
        for record in bounding_shapes(scene):
            try:
                if check_shape(record):
                    found[record.solid].append(record)
                elif record.node.type_name not in left_out:
                    left_out.add(record.node.type_name)
                    text = f"{record.node.type_name} in a boundingObject has no triangles, it is left out"
                    self.warnings.append(SceneError(*record.node.source, text))
            except SceneError as error:
                if scene.skip_missing and isinstance(record.geometry, FileMesh):
                    self.warnings.append(error)
                else:
                    problems.append(error)
        return found

    def _weigh(
        self, link: Link, records: dict[Node | None, list[ShapeRecord]], default_damping: Node | None
    ) -> None:
        self.physics[link] = physics = weight_of(link, records, default_damping, self.warnings)
        link.centre, link.mass = physics.mass.centre, physics.mass.mass


def weight_of(
    link: Link,
    records: Mapping[Node | None, list[ShapeRecord]],
    default_damping: Node | None,
    warnings: list[SceneError],
) -> SolidPhysics:
    """What the solids of a link weigh together, in its frame, with the shapes that can collide, by solid.

    Raises:
        SceneError: a value cannot be that of a body.
    """
    parts = [
        (read_physics(solid, records[solid], default_damping, warnings), pose)
        for solid, pose in link.solids
        if solid["physics"] is not None and not _is_helix(solid)
    ]
    return merged(parts)


def make_bodies(world: Any, plan: BodyPlan, step: float, jointed: set[Link], keeper: Keeper) -> None:
    """Make an ODE body for every dynamic link, and one without mass for what joints hold on to or what may
    move.

    Args:
        jointed: links that a dynamic joint holds on to; with a robot's links they never fall asleep.
    """
    may_sleep = world.getAutoDisableFlag()
    for link in plan.tree.links:
        link.body, link.address = None, 0
        link.pose = link.start
        link.in_parent_now = link.in_parent
        link.linear = link.angular = (0.0, 0.0, 0.0)
        if link.kind is not Kind.DYNAMIC:
            if _needs_body(link, jointed):
                make_kinematic_body(world, link, keeper)
            continue
        physics = plan.physics[link]
        world.setAutoDisableFlag(may_sleep and link not in jointed and not _is_robot(link))
        body = link.body = ode.Body(world)
        keeper.bodies.append(body)
        body.setMass(make_mass(physics.mass.mass, physics.mass.inertia))
        body.setPosition(link.start.apply(link.centre))
        body.setRotation(link.start.rotation)
        body.setFiniteRotationMode(1)  # else a step of angle a turns by 2·atan(a/2) only
        if physics.linear_damping > 0.0 or physics.angular_damping > 0.0:
            set_damping(
                body,
                1.0 - (1.0 - physics.linear_damping) ** step,
                1.0 - (1.0 - physics.angular_damping) ** step,
            )
        link.address = state_address(body)
        _set_start_velocity(link)
    world.setAutoDisableFlag(may_sleep)


def make_kinematic_body(world: Any, link: Link, keeper: Keeper) -> None:
    """Give a link without mass a body that forces do not move."""
    body = link.body = ode.Body(world)
    keeper.bodies.append(body)
    body.setKinematic()
    pose = link.world_pose()
    body.setPosition(pose.position)
    body.setRotation(pose.rotation)


def make_shapes(plan: BodyPlan, contacts: Contacts) -> None:
    """Make all geoms of a plan and put them into their spaces."""
    assembly = _assembly_masses(plan.tree)
    groups: dict[Node, Group] = {}
    shapes_of: dict[Node, list[Shape]] = defaultdict(list)
    for link in plan.tree.links:
        group = groups.get(link.top)
        if group is None:
            own_rule = link.top["selfCollision"] if link.top.is_a("Robot") else True
            group = groups[link.top] = Group(own_rule)
        for shape in link.shapes:
            _make_shape(shape, group, assembly[link], contacts.surfaces)
            contacts.shapes[shape.geom] = shape
            contacts.keeper.geoms.append(shape.geom)
            if shape.mesh is not None:
                contacts.keeper.meshes.append(shape.mesh)
            if shape.body is None:
                contacts.still.add(shape.geom)
                contacts.groups[shape.geom] = None
                if is_floor(shape):
                    shape.geom.setCategoryBits(FLOOR_BIT)
                    shape.geom.setCollideBits(0)  # others look for floors; floors look for nobody
                    contacts.floors.append(Floor(shape))
            else:
                shapes_of[link.top].append(shape)
    for top, shapes in shapes_of.items():
        add_to_moving(contacts, groups[top], shapes)
    contacts.extend()


def add_to_moving(contacts: Contacts, group: Group, shapes: list[Shape]) -> None:
    """Put the moving shapes of a tree into a space of their own, in which level floors are not looked for."""
    forced = [shape for shape in shapes if shape.is_dynamic]
    driven = [shape for shape in shapes if not shape.is_dynamic]
    for members in (forced, driven):
        if not members:
            continue
        holder = members[0].geom
        if len(members) > 1:
            holder = ode.SimpleSpace()
            contacts.keeper.spaces.append(holder)
            for shape in members:
                holder.add(shape.geom)
        contacts.moving.add(holder)
        contacts.holders.setdefault(group, []).append((holder, [shape.geom for shape in members]))
        for geom in (holder, *(shape.geom for shape in members)):
            geom.setCollideBits(ALL_BITS & ~FLOOR_BIT)
            geom.setCategoryBits(ALL_BITS & ~FLOOR_BIT)
            contacts.groups[geom] = group
    for floor in contacts.floors:
        for shape in forced:
            contacts.set_on_floor(shape, floor)
    if group.collides_with_itself and len({id(shape.link) for shape in shapes}) > 1:
        contacts.self_colliding.append(shapes)


def place_link(link: Link) -> None:
    """Put the geoms, or the body, of a link without mass where the link now is, and all that it carries."""
    if link.kind is Kind.DYNAMIC:
        return
    pose = link.world_pose()
    if link.body is not None:
        link.body.setPosition(pose.position)
        link.body.setRotation(pose.rotation)
    ancestor = link.dynamic_ancestor()
    for shape in link.shapes:
        if ancestor is not None:
            attach_geom(shape, ancestor.body, shape.in_body())
        elif shape.body is None:
            place_geom(shape, pose * shape.pose)
    for child in link.children:
        if child.kind is Kind.FIXED:
            child.pose = pose * child.in_parent
        place_link(child)


def _make_shape(shape: Shape, group: Group, mass: float, surfaces: Surfaces) -> None:
    link = shape.link
    ancestor = link.dynamic_ancestor()
    shape.geom = make_geom(shape)
    shape.group = group
    shape.is_dynamic = ancestor is not None
    shape.address = ancestor.address if ancestor is not None else 0
    shape.surface = surfaces.index(SurfaceKind(shape.material, mass, legacy_fields(shape.solid["physics"])))
    if ancestor is not None:
        shape.body = ancestor.body
        attach_geom(shape, shape.body, shape.in_body())
    elif link.moves and not isinstance(shape.geometry, Plane):
        shape.body = link.body
        attach_geom(shape, shape.body, shape.pose)
    else:
        shape.body = None
        place_geom(shape, link.start * shape.pose)


def _assembly_masses(tree: LinkTree) -> dict[Link, float]:
    """For each link the mass of all dynamic links that hang together with it; 0 for what stands still."""
    root: dict[Link, Link] = {}
    for link in tree.links:
        dynamic = link.dynamic_ancestor()
        above = link.parent.dynamic_ancestor() if link.parent is not None and dynamic is link else None
        root[link] = root[above] if above is not None else dynamic if dynamic is not None else link
    totals: dict[Link, float] = defaultdict(float)
    for link in tree.links:
        totals[root[link]] += link.mass
    return {link: totals[root[link]] for link in tree.links}


def _needs_body(link: Link, jointed: set[Link]) -> bool:
    """Whether a link without mass has an ODE body; `moves`: its shapes are on it from the start."""
    if link.dynamic_ancestor() is not None:
        return False
    link.moves = link.moves or link.kind is Kind.CARRIED or _is_robot(link)
    return link.moves or link in jointed


def _is_helix(solid: Node) -> bool:
    """Whether it is a helix of a Propeller, which weighs nothing: Webots' drones hover without its mass."""
    return solid.parent is not None and solid.parent.type_name == "Propeller"


def _is_robot(link: Link) -> bool:
    return link.top.is_a("Robot")


def _set_start_velocity(link: Link) -> None:
    """Solid.linearVelocity and angularVelocity: of the solid's origin, world axes."""
    solid = link.solid
    for name in ("linearVelocity", "angularVelocity"):
        if not norm(solid[name]) < 1e9:
            raise SceneError(*solid.source, f"{name} {solid[name]}", "finite numbers")
    linear, angular = world_vector_of(solid, "linearVelocity"), world_vector_of(solid, "angularVelocity")
    arm = rotate(link.start.rotation, link.centre)
    link.body.setAngularVel(angular)
    link.body.setLinearVel(
        (
            linear[0] + angular[1] * arm[2] - angular[2] * arm[1],
            linear[1] + angular[2] * arm[0] - angular[0] * arm[2],
            linear[2] + angular[0] * arm[1] - angular[1] * arm[0],
        )
    )
