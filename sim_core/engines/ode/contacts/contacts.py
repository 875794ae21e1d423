"""Collision detection, and creation of contact joints.

Level floors are handled by a compiled loop over all moving shapes: wheels and balls get one contact each, by
formula; a wheel touches with its middle plane, because two contacts on its rims would reduce a robot's turns
by several percent. Everything else is found with ODE's spaces: one for fixed shapes, never collided with
itself, and one that contains a space for each robot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sim_core.base.geometry import dot, norm, rotate, scale, subtract
from sim_core.engines.engine import ContactPoint
from sim_core.engines.ode.bonds import Bonds
from sim_core.engines.ode.contacts import asymmetry, kernels
from sim_core.engines.ode.contacts.belts import belt_contact
from sim_core.engines.ode.contacts.box_contacts import contacts_of
from sim_core.engines.ode.contacts.contact_watches import ContactWatches
from sim_core.engines.ode.contacts.cylinder_contacts import on_plane, side_by_side
from sim_core.engines.ode.contacts.moving_contacts import moving_contact
from sim_core.engines.ode.contacts.surfaces import Surfaces
from sim_core.engines.ode.contacts.tables import FloorTable, SpaceOrder, StepTable
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import ContactGroup, body_pointer, world_pointer
from sim_core.engines.ode.ode_objects import OdeObjects
from sim_core.engines.ode.pyode import ode
from sim_core.engines.ode.shapes import Floor, Group, Shape
from sim_core.model.geometry import Sphere

if TYPE_CHECKING:
    from sim_core.engines.ode.contacts.mesh_contacts import MeshContacts

FLOOR_BIT = 1
"""Category bit of level floors, which shapes in the compiled loop do not search in spaces."""
ALL_BITS = 0xFFFFFFFF
SPARE_PROTOS = 64
"""Number of prepared contacts of the compiled loop that may remain unused."""


class Contacts:
    """Finds contacts and creates ODE's contact joints.

    Contact joints exist until the collision detection of the next step.
    """

    def __init__(self, world: Any, surfaces: Surfaces, ode_objects: OdeObjects) -> None:
        self.world = world
        self.surfaces = surfaces
        self.ode_objects = ode_objects
        self.joints = ode.JointGroup()
        self.still = ode.SimpleSpace()
        self.moving = ode.SimpleSpace()
        self._floor_joints = ContactGroup()
        ode_objects.spaces += [self.still, self.moving]
        ode_objects.joints += [self.joints, self._floor_joints]
        ode_objects.users.append(self)
        self.shapes: dict[int, Shape] = {}
        self.floors: list[Floor] = []
        self.self_colliding: list[list[Shape]] = []
        self.record: list[ContactPoint] | None = None
        self.pairs: list[tuple[Shape, Shape]] = []
        self.touch = ContactWatches()
        self.bonds = Bonds()
        self._meshes: MeshContacts | None = None
        self._world_pointer = 0
        self._trees: list[list[Shape]] = []
        self._set_on: list[tuple[Shape, Floor]] = []
        self._protos: dict[int, tuple[int, Any]] = {}
        self.search = StepTable(self.moving._id(), self.still._id())
        self.holders: dict[Group, list[tuple[Any, list[Any]]]] = {}
        self.build_tables()

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""
        self.shapes.clear()
        self.holders.clear()
        self.pairs.clear()
        self.still = self.moving = self.joints = self.world = None

    def set_on_floors(self, shapes: list[Shape]) -> None:
        """Add the moving shapes of a tree to the loop over level floors; call `extend` after the last
        tree."""
        self._trees.append(shapes)
        self._set_on += [(shape, floor) for floor in self.floors for shape in shapes]

    def set_on_new_floors(self, floors: list[Floor]) -> None:
        """Add new floors for the shapes of all trees."""
        self.floors += floors
        if not (self._trees and floors):
            return
        in_order = [(shape, each) for shapes in self._trees for each in self.floors for shape in shapes]
        self._set_on += [(shape, each) for shapes in self._trees for each in floors for shape in shapes]
        self.extend()
        rows = {pair: row for row, pair in enumerate(self._set_on)}
        self._table.keep([rows[pair] for pair in in_order])
        self._set_on = in_order
        self._use_table()

    def build_tables(self) -> None:
        """Build the tables of the compiled loop."""
        self._protos = {}
        rows = [self._row(shape, floor) for shape, floor in self._set_on]
        if rows and not self._world_pointer:
            self._world_pointer = world_pointer(self._set_on[0][0].body)
        ints, reals = [ints for ints, _ in rows], [reals for _, reals in rows]
        group = self._floor_joints.pointer
        self._floor_joints.empty()
        contacts = [raw for _, raw in self._protos.values()]
        self._table = FloorTable(ints, reals, contacts, self._world_pointer, group)
        self._use_table()

    def extend(self) -> None:
        """Extend the tables of the compiled loop, as `build_tables`, by new or newly moving shapes."""
        first, known = len(self._table), len(self._protos)
        if not first or len(self._set_on) < first:
            self.build_tables()
            return
        rows = [self._row(shape, floor) for shape, floor in self._set_on[first:]]
        contacts = [raw for _, raw in list(self._protos.values())[known:]] if rows else []
        self._table.extend([ints for ints, _ in rows], [reals for _, reals in rows], contacts)
        self._use_table()

    def _use_table(self) -> None:
        self._order: SpaceOrder | None = None  # of the previous geoms
        self.search.set_shapes(self._table.address, self.moving.getNumGeoms())

    def remove_links(self, links: set[Link]) -> None:
        """Remove the shapes of whole trees; `Link.release_ode` then drops their geoms."""
        gone = [shape for link in links for shape in link.shapes if shape.geom is not None]
        for shape in gone:
            known = self.shapes.pop(shape.geom._id(), None)
            if known is not None and shape.body is None:
                self.still.remove(shape.geom)
        left = set()
        for group in {shape.group: None for shape in gone}:
            for holder, members in self.holders.pop(group, ()):
                self.moving.remove(holder)
                left.add(id(holder))
                for geom in members:
                    if geom is not holder:
                        holder.remove(geom)
        ode_objects, geoms = self.ode_objects, {shape.geom for shape in gone}
        ode_objects.geoms[:] = [geom for geom in ode_objects.geoms if geom not in geoms]
        for mesh in [shape.mesh for shape in gone if shape.mesh is not None]:
            del ode_objects.meshes[next(i for i, each in enumerate(ode_objects.meshes) if each is mesh)]
        ode_objects.spaces[:] = [space for space in ode_objects.spaces if id(space) not in left]
        self.self_colliding = [shapes for shapes in self.self_colliding if shapes[0].link not in links]
        self.floors = [floor for floor in self.floors if floor.shape.link not in links]
        self._trees = [shapes for shapes in self._trees if shapes[0].link not in links]
        self.pairs.clear()
        kept = [shape.link not in links and floor.shape.link not in links for shape, floor in self._set_on]
        self._floor_joints.empty()
        if not all(kept):
            self._set_on = [row for row, stays in zip(self._set_on, kept, strict=True) if stays]
            if len(kept) != len(self._table) or len(self._protos) > 2 * len(self._set_on) + SPARE_PROTOS:
                self.build_tables()
            else:
                self._table.keep(np.flatnonzero(kept).tolist())
        self._use_table()

    def order(self) -> list[list[int]]:
        """Return the order of geoms and spaces in each space, by their creation numbers."""
        if self._order is None:
            self._order = SpaceOrder(self.ode_objects.geoms, self.ode_objects.spaces)
        return self._order.member_numbers()

    def set_order(self, order: list[list[int]]) -> None:
        """Set the order of geoms and spaces; ODE inserts new ones first."""
        members = [*self.ode_objects.geoms, *self.ode_objects.spaces]
        for space, numbers in zip(self.ode_objects.spaces, order, strict=True):
            for number in reversed(numbers):
                space.remove(members[number])
                space.add(members[number])

    def update_shapes(self, shapes: list[Shape]) -> None:
        """Update shapes with another pose on their body, another size, or another kind of surface."""
        known = len(self._protos)
        for index, (shape, floor) in enumerate(self._set_on):
            if shape in shapes:
                self._table.ints[index], self._table.reals[index] = self._row(shape, floor)
        if len(self._protos) > known:
            self._table.extend([], [], [raw for _, raw in list(self._protos.values())[known:]])
            self._use_table()

    def remove_floors(self, shapes: set[Shape]) -> None:
        """Remove floors that are going to move."""
        if any(floor.shape in shapes for floor in self.floors):
            self.floors = [floor for floor in self.floors if floor.shape not in shapes]
            self._set_on = [row for row in self._set_on if row[1].shape not in shapes]
            for shape in shapes:
                shape.geom.setCategoryBits(ALL_BITS & ~FLOOR_BIT)
                shape.geom.setCollideBits(ALL_BITS)
            self.build_tables()

    def collide(self, is_searched: bool = False) -> None:
        """Create the contact joints of this step; `is_searched`: `kernels.advance` has started it."""
        if not is_searched:
            kernels.search(self.search.address)
        self.pairs.clear()
        if self.record is not None:
            self.record.clear()
        if self.touch.watches:
            self.touch.start_step()
        flagged, near = self.search.found()
        for row in self._table.flagged[:flagged].tolist():
            shape, floor = self._set_on[row]
            self._touch(shape, floor.shape)
        if self.record is not None:
            self._record_floors()
        for one, other, is_nested in near:
            first, second = self.shapes[one], self.shapes[other]
            do_move = first.body is not None and second.body is not None
            if not (is_nested and do_move and first.group is second.group):  # both of one tree
                self._touch(first, second)
        for shapes in self.self_colliding:
            self._collide_with_itself(shapes)

    def record_now(self) -> None:
        """Record the present contacts, without forces and without notifying watches."""
        watching, self.touch = self.touch, ContactWatches()
        try:
            self.collide()
        finally:
            self.touch = watching
            self.joints.empty()

    def near(self, shape: Shape) -> list[Shape]:
        """Return the shapes whose bounding boxes meet that of a moving shape, also in its own tree, and all
        level floors."""
        found: list[Shape] = []
        spaces: list[Any] = [self.still, self.moving]
        while spaces:
            # Not by a recursive inner function: it would be a reference cycle that holds the shape beyond the
            # end of its ODE world, which would end the process.
            pairs: list[tuple[Any, Any]] = []
            ode.collide2(shape.geom, spaces.pop(), pairs, lambda known, *pair: known.append(pair))
            for pair in pairs:
                met = pair[pair[0] is shape.geom]
                other = self.shapes.get(met._id())
                if other is None:
                    spaces.append(met)
                else:
                    found.append(other)
        return found + [floor.shape for floor in self.floors]

    def _row(self, shape: Shape, floor: Floor) -> tuple[list[int], list[float]]:
        """Return the rows of the compiled loop's tables for a shape and a floor."""
        surface = self.surfaces.pair(shape.surface, floor.shape.surface)
        surface = asymmetry.matching_surface(surface, shape, floor.shape)
        offset = shape.in_body()
        axis = rotate(offset.rotation, (0.0, 0.0, 1.0))
        column = max(range(3), key=lambda k: abs(axis[k]))
        kind = kernels.OTHER
        by_formula = shape not in self.touch.watches and not self.bonds.joins(shape.link, floor.shape.link)
        if not surface.asymmetric and by_formula and surface.most and shape.belt is None:
            if isinstance(shape.geometry, Sphere):
                kind = kernels.BALL
            elif shape.is_wheel and abs(axis[column]) > 1.0 - 1e-9:
                kind = kernels.WHEEL
                surface = surface.tread
        number, _ = self._protos.setdefault(id(surface.raw), (len(self._protos), surface.raw))
        pointer = body_pointer(shape.body)
        ints = [kind, shape.address, pointer, column, number, int(surface.needs_velocity) + surface.rolls]
        (a, b), centre = floor.axes, floor.centre
        reals = [shape.radius, *offset.position, *offset.rotation, *shape.half_extents(), floor.d]
        reals += [*centre[:2], *a[:2], *b[:2], *floor.half, floor.thickness]
        reals += [surface.bounce_speed, shape.reach(), *surface.shares]
        return ints, reals

    def _record_floors(self) -> None:
        if self.record is None:
            return
        table = self._table
        for row, x, y, z, depth in table.points[: table.flagged[-1]].tolist():
            shape, floor = self._set_on[int(row)]
            self.record.append(
                ContactPoint((x, y, z), (0.0, 0.0, 1.0), depth, shape.solid, floor.shape.solid)
            )

    def _touch(self, first: Shape, second: Shape) -> None:
        """Create the contacts between two shapes that may touch."""
        body1, body2 = first.body, second.body
        if body1 is body2 or not (first.is_dynamic or second.is_dynamic):
            return
        if (
            first.group is second.group
            and first.group is not None
            and not self.may_self_collide(first, second)
        ):
            return
        if self.bonds.made and self.bonds.joins(first.link, second.link):
            return
        watched = bool(self.touch.watches) and self.touch.watches_either(first, second)
        belts = (first.belt is not None and first.belt.is_running) or (
            second.belt is not None and second.belt.is_running
        )
        if belts:  # objects on a belt that stood may be asleep
            for body in (body1, body2):
                if body is not None:
                    body.enable()
        if (body1 is None or not body1.isEnabled()) and (body2 is None or not body2.isEnabled()):
            return
        points = self._points_between(first, second)
        if not points:
            return
        surface = self.surfaces.pair(first.surface, second.surface)
        if len(points) == 1 and (first.is_wheel or second.is_wheel):
            surface = surface.tread
        if surface.plain is not None:
            surface = asymmetry.matching_surface(surface, first, second)
        if len(points) > surface.most:
            points.sort(key=lambda point: -point[2])
            del points[surface.most :]
        if points and first.is_dynamic and second.is_dynamic:
            self.pairs.append((first, second))
        for index, (position, normal, depth, *_) in enumerate(points):
            contact = surface.stick
            if belts:
                contact = belt_contact(surface, position, normal, first, second)
            elif surface.needs_velocity:
                contact = moving_contact(surface, position, normal, first, second, index)
            contact.setContactGeomParams(position, normal, depth)
            is_deep = depth > surface.deep
            if is_deep:
                surface.limit_push(contact, depth)
            joint = ode.ContactJoint(self.world, self.joints, contact)
            if is_deep:
                surface.limit_push(contact, 0.0)
            joint.attach(body1, body2)
            if watched:
                self.touch.add_contact(joint, first, second, position, normal, depth)
            if self.record is not None:
                self.record.append(ContactPoint(position, normal, depth, first.solid, second.solid))

    def _points_between(self, first: Shape, second: Shape) -> list[Any]:
        """Return the contacts of two shapes: (position, normal, depth, …) each."""
        if first.mesh is not None or second.mesh is not None:
            return self._on_mesh(first, second)
        points: Any = side_by_side(first, second)
        if points is None:
            points = on_plane(first, second)
        if points is None:
            points = contacts_of(first, second)
            points = [point for point in points if any(point[1])]  # cylinders that just touch have no normal
        if first.is_wheel:
            points = _on_mid_plane(first, points)
        if second.is_wheel:
            points = _on_mid_plane(second, points)
        return points

    def _on_mesh(self, first: Shape, second: Shape) -> list[Any]:
        if self._meshes is None:
            from sim_core.engines.ode.contacts.mesh_contacts import MeshContacts  # compiles kernels

            self._meshes = MeshContacts()
        return self._meshes.contact_points(
            first, second, self.surfaces.pair(first.surface, second.surface).most
        )

    def may_self_collide(self, first: Shape, second: Shape) -> bool:
        """Return whether two shapes of one robot collide: never those of one link or of links with a common
        joint."""
        group = first.group
        if not group.collides_with_itself or first.link is second.link:
            return False
        return (id(first.link), id(second.link)) not in group.joined

    def _collide_with_itself(self, shapes: list[Shape]) -> None:
        for index, first in enumerate(shapes):
            for second in shapes[index + 1 :]:
                if self.may_self_collide(first, second):
                    self._touch(first, second)


def _on_mid_plane(wheel: Shape, points: list[Any]) -> list[Any]:
    """Move contacts on a wheel's tread to its middle plane; of coinciding ones keep the deepest."""
    r = wheel.geom.getRotation()
    axis, centre = (r[2], r[5], r[8]), wheel.geom.getPosition()
    kept: list[Any] = []
    for point in sorted(points, key=lambda point: -point[2]):
        position, normal = point[0], point[1]
        if abs(dot(normal, axis)) < 0.5:
            position = subtract(position, scale(axis, dot(subtract(position, centre), axis)))
            if any(norm(subtract(position, other[0])) < 0.05 * wheel.radius for other in kept):
                continue
        kept.append((position, *point[1:]))
    return kept
