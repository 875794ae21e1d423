"""Creation of ODE bodies and geoms for links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sim_core.base.geometry import rotate
from sim_core.base.ids import NodeId
from sim_core.engines.ode.contacts.contacts import ALL_BITS, FLOOR_BIT, Contacts
from sim_core.engines.ode.contacts.surfaces import SurfaceKind, Surfaces
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import make_mass, mark_geom, set_damping, state_address
from sim_core.engines.ode.ode_objects import OdeObjects
from sim_core.engines.ode.pyode import ode
from sim_core.engines.ode.shapes import Floor, Group, Shape, attach_geom, is_floor, make_geom, place_geom
from sim_core.model.dynamics.bodies import BodyKind
from sim_core.model.dynamics.model import BodyDynamics
from sim_core.model.geometry import Plane


def make_bodies(
    world: Any, links: Sequence[Link], step: float, jointed: set[Link], ode_objects: OdeObjects
) -> None:
    """Create an ODE body for every dynamic link, and one without mass for links that joints or motion need.

    Args:
        jointed: links with a dynamic joint; like those of robots they are never put to sleep.
    """
    may_sleep = world.getAutoDisableFlag()
    for link in links:
        link.body, link.address = None, 0
        link.pose = link.start
        link.in_parent_now = link.in_parent
        link.linear = link.angular = (0.0, 0.0, 0.0)
        if link.weight is None:
            if _needs_body(link, jointed):
                make_kinematic_body(world, link, ode_objects)
            continue
        physics = link.weight.physics
        world.setAutoDisableFlag(may_sleep and link not in jointed and not link.record.is_robot)
        body = link.body = ode.Body(world)
        ode_objects.bodies.append(body)
        body.setMass(make_mass(physics.mass.mass, physics.mass.inertia))
        body.setPosition(link.start.apply(link.centre))
        body.setRotation(link.start.rotation)
        body.setGravityMode(physics.falls)
        body.setFiniteRotationMode(1)  # otherwise a step of angle a turns by 2·atan(a/2) only
        if physics.linear_damping > 0.0 or physics.angular_damping > 0.0:
            set_damping(
                body,
                1.0 - (1.0 - physics.linear_damping) ** step,
                1.0 - (1.0 - physics.angular_damping) ** step,
            )
        link.address = state_address(body)
        _set_start_velocity(link, link.weight)
    world.setAutoDisableFlag(may_sleep)


def make_kinematic_body(world: Any, link: Link, ode_objects: OdeObjects) -> None:
    """Give a link without mass a kinematic body."""
    body = link.body = ode.Body(world)
    ode_objects.bodies.append(body)
    body.setKinematic()
    pose = link.world_pose()
    body.setPosition(pose.position)
    body.setRotation(pose.rotation)


def make_shapes(links: Sequence[Link], contacts: Contacts) -> None:
    """Create all geoms of links and add them to their spaces."""
    assembly = _assembly_masses(links)
    groups: dict[NodeId, Group] = {}
    shapes_of: dict[NodeId, list[Shape]] = defaultdict(list)
    floors: list[Floor] = []
    for link in links:
        group = groups.get(link.top)
        if group is None:
            group = groups[link.top] = Group(link.record.self_collides)
        for shape in link.shapes:
            _make_shape(shape, group, assembly[link], contacts.surfaces)
            contacts.shapes[shape.geom._id()] = shape
            contacts.ode_objects.geoms.append(shape.geom)
            if shape.mesh is not None:
                contacts.ode_objects.meshes.append(shape.mesh)
            if shape.body is None:
                contacts.still.add(shape.geom)
                if is_floor(shape):
                    shape.geom.setCategoryBits(FLOOR_BIT)
                    shape.geom.setCollideBits(0)  # other shapes search for floors; floors search for nothing
                    floors.append(Floor(shape))
            else:
                shapes_of[link.top].append(shape)
    contacts.set_on_new_floors(floors)
    for top, shapes in shapes_of.items():
        add_to_moving(contacts, groups[top], shapes)
    contacts.extend()


def add_to_moving(contacts: Contacts, group: Group, shapes: list[Shape]) -> None:
    """Add the moving shapes of a tree to a space of its own, in which level floors are not searched."""
    forced = [shape for shape in shapes if shape.is_dynamic]
    driven = [shape for shape in shapes if not shape.is_dynamic]
    for members in (forced, driven):
        if not members:
            continue
        holder = members[0].geom
        if len(members) > 1:
            holder = ode.SimpleSpace()
            contacts.ode_objects.spaces.append(holder)
            for shape in members:
                holder.add(shape.geom)
        contacts.moving.add(holder)
        contacts.holders.setdefault(group, []).append((holder, [shape.geom for shape in members]))
        for geom in (holder, *(shape.geom for shape in members)):
            geom.setCollideBits(ALL_BITS & ~FLOOR_BIT)
            geom.setCategoryBits(ALL_BITS & ~FLOOR_BIT)
    if forced:
        contacts.set_on_floors(forced)
    if group.collides_with_itself and len({id(shape.link) for shape in shapes}) > 1:
        contacts.self_colliding.append(shapes)


def place_link(link: Link) -> None:
    """Move the geoms, or the body, of a link without mass to the link's present pose, and all that it
    carries."""
    if link.kind is BodyKind.DYNAMIC:
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
        if child.kind is BodyKind.FIXED:
            child.pose = pose * child.in_parent if link.has_moved() else child.start
        place_link(child)


def _make_shape(shape: Shape, group: Group, mass: float, surfaces: Surfaces) -> None:
    link = shape.link
    ancestor = link.dynamic_ancestor()
    shape.geom = make_geom(shape)
    mark_geom(shape.geom, group.number)
    shape.group = group
    shape.is_dynamic = ancestor is not None
    shape.address = ancestor.address if ancestor is not None else 0
    shape.surface = surfaces.index(SurfaceKind(shape.material, mass, shape.legacy))
    if ancestor is not None:
        shape.body = ancestor.body
        attach_geom(shape, shape.body, shape.in_body())
    elif link.moves and not isinstance(shape.geometry, Plane):
        shape.body = link.body
        attach_geom(shape, shape.body, shape.pose)
    else:
        shape.body = None
        place_geom(shape, link.start * shape.pose)


def choose_surfaces(links: Sequence[Link], contacts: Contacts) -> None:
    """Set the surfaces of the shapes of a tree of links, which depend on its present mass."""
    assembly, others = _assembly_masses(links), list[Shape]()
    for link in links:
        for shape in link.shapes:
            surface = contacts.surfaces.index(SurfaceKind(shape.material, assembly[link], shape.legacy))
            if surface != shape.surface:
                shape.surface = surface
                others.append(shape)
    contacts.update_shapes(others)


def _assembly_masses(links: Sequence[Link]) -> dict[Link, float]:
    """Return for each link the mass of all dynamic links that joints connect to it; 0 for fixed links."""
    root: dict[Link, Link] = {}
    for link in links:
        dynamic = link.dynamic_ancestor()
        above = link.parent.dynamic_ancestor() if link.parent is not None and dynamic is link else None
        root[link] = root[above] if above is not None else dynamic if dynamic is not None else link
    totals: dict[Link, float] = defaultdict(float)
    for link in links:
        totals[root[link]] += link.mass
    return {link: totals[root[link]] for link in links}


def _needs_body(link: Link, jointed: set[Link]) -> bool:
    """Return whether a link without mass needs an ODE body; `moves`: its shapes are on it from the start."""
    if link.dynamic_ancestor() is not None:
        return False
    link.moves = link.moves or link.kind is BodyKind.CARRIED or link.record.is_robot
    return link.moves or link in jointed


def _set_start_velocity(link: Link, weight: BodyDynamics) -> None:
    """Set the velocity of a body from the start velocity of its solid's origin."""
    linear, angular = weight.linear, weight.angular
    arm = rotate(link.start.rotation, link.centre)
    link.body.setAngularVel(angular)
    link.body.setLinearVel(
        (
            linear[0] + angular[1] * arm[2] - angular[2] * arm[1],
            linear[1] + angular[2] * arm[0] - angular[0] * arm[2],
            linear[2] + angular[0] * arm[1] - angular[1] * arm[0],
        )
    )
