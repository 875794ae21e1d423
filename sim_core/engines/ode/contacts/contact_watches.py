"""Contacts of watched solids, with their forces.

ODE gives the force of a contact if that is requested before the step. It is requested for the contacts of
watched solids only, so that worlds without touch sensors have no extra cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from sim_core.base.geometry import ZERO, Vec3, scale
from sim_core.base.ids import NodeId
from sim_core.engines.ode.contacts.box_contacts import contacts_of
from sim_core.engines.ode.shapes import Shape
from sim_core.engines.world_view import Touch

if TYPE_CHECKING:
    from sim_core.engines.ode.contacts.contacts import Contacts
    from sim_core.engines.ode.links import Link


class OdeContactWatch:
    """Contacts of a solid's own bounding object; stays valid when the physics is reset.

    Attributes:
        solid: the watched solid.
        contacts: those of the last step in which a force can act, that is with a dynamic solid on one side.
    """

    def __init__(self, record: ContactWatches, solid: NodeId, shapes: list[Shape]) -> None:
        self._record = record
        self.solid = solid
        self.shapes = shapes
        self.contacts: list[Touch] = []
        self.was_blocked = False
        self.is_blocked = False

    def is_touching(self) -> bool:
        """Return whether anything touched the bounding object in the last step, or stopped its solid's
        motion."""
        if self.contacts or self.was_blocked:
            return True
        return any(not shape.is_dynamic and self._record.meets_undriven(shape) for shape in self.shapes)


class ContactWatches:
    """Watched solids of a world, and their contacts.

    Attributes:
        watches: by shape.
        open: contact joints of this step whose forces are to be read after it.
    """

    def __init__(self) -> None:
        self.watches: dict[Shape, OdeContactWatch] = {}
        self.open: list[tuple[Any, Shape, Shape, Vec3, Vec3, float]] = []
        self._of_solid: dict[NodeId, OdeContactWatch] = {}
        self._gone: WeakValueDictionary[NodeId, OdeContactWatch] = WeakValueDictionary()  # of removed solids
        self._contacts: Contacts | None = None

    def set_contacts(self, contacts: Contacts) -> None:
        """Use a newly built world, before its first step."""
        self._contacts = contacts
        contacts.touch = self
        self.remove_contacts()

    def remove_contacts(self) -> None:
        """Remove all contacts, as before the first step."""
        self.open.clear()
        for watch in self._of_solid.values():
            watch.contacts = []
            watch.was_blocked = watch.is_blocked = False

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""
        self.open.clear()
        self._contacts = None

    def watch(self, solid: NodeId, shapes: list[Shape]) -> OdeContactWatch:
        """Return the watch of a solid with these shapes; one object per solid."""
        found = self._of_solid.get(solid)
        if found is None:
            found = self._of_solid[solid] = OdeContactWatch(self, solid, shapes)
            for shape in shapes:
                self.watches[shape] = found
            if self._contacts is not None:
                self._contacts.build_tables()  # the compiled loop leaves watched shapes to `Contacts`
        return found

    def update_shapes(self, owners: Mapping[NodeId, Link]) -> None:
        """Update the shapes of the watched solids after a build; removed solids are no longer watched."""
        self.watches.clear()
        self._of_solid |= self._gone
        self._gone.clear()
        for solid, watch in list(self._of_solid.items()):
            link = owners.get(solid)
            watch.shapes = [] if link is None else [each for each in link.shapes if each.solid == solid]
            for shape in watch.shapes:
                self.watches[shape] = watch
            if link is None:
                watch.contacts = []
                self._gone[solid] = self._of_solid.pop(solid)

    def remove_solids(self, solids: Set[NodeId]) -> None:
        """Stop watching removed solids."""
        for solid in self._of_solid.keys() & solids:
            self._gone[solid] = watch = self._of_solid.pop(solid)
            for shape in watch.shapes:
                self.watches.pop(shape, None)
            watch.shapes, watch.contacts = [], []

    def watched(self, owners: Mapping[NodeId, Link]) -> list[OdeContactWatch]:
        """Return the watches of the existing solids in scene order, whatever the order of watching."""
        return [self._of_solid[solid] for solid in owners if solid in self._of_solid]

    def watches_either(self, first: Shape, second: Shape) -> bool:
        """Return whether a shape of a pair is watched; if so keep both awake, because ODE computes no forces
        of sleeping bodies.
        """
        if first not in self.watches and second not in self.watches:
            return False
        for body in (first.body, second.body):
            if body is not None:
                body.enable()  # also restarts the time until sleep
        return True

    def start_step(self) -> None:
        """Start a step: remove the contacts of the last one."""
        for joint, *_ in self.open:  # only after a step that failed
            joint.setFeedback(False)
        self.open.clear()
        for watch in self._of_solid.values():
            if watch.contacts:
                watch.contacts = []
            watch.was_blocked, watch.is_blocked = watch.is_blocked, False

    def add_contact(
        self, joint: Any, first: Shape, second: Shape, position: Vec3, normal: Vec3, depth: float
    ) -> None:
        """Add a contact joint of this step; the normal points into `first`."""
        joint.setFeedback(True)
        self.open.append((joint, first, second, position, normal, depth))

    def read_forces(self) -> None:
        """Read the forces, after the step and before its contact joints are destroyed.

        ODE's value for the second body is not used: without that body it is undefined. By Newton's third law
        it is the opposite of the first force.
        """
        for joint, first, second, position, normal, depth in self.open:
            force: Vec3 = joint.getFeedback()[0]
            if not any(body is not None and body.isEnabled() for body in (first.body, second.body)):
                force = ZERO  # both fell asleep in this step, and ODE left the memory unchanged
            joint.setFeedback(False)  # destroying a joint with feedback on would end the process
            if first.body is None:
                force = scale(force, -1.0)
            watch = self.watches.get(first)
            if watch is not None:
                watch.contacts.append(Touch(position, normal, depth, force, second.solid))
            watch = self.watches.get(second)
            if watch is not None:
                away, pull = scale(normal, -1.0), scale(force, -1.0)
                watch.contacts.append(Touch(position, away, depth, pull, first.solid))
        self.open.clear()

    def note_blocked(self, first: Shape, second: Shape) -> None:
        """Note that a solid without Physics was stopped because these shapes would have penetrated each
        other."""
        for shape in (first, second):
            watch = self.watches.get(shape)
            if watch is not None:
                watch.is_blocked = True

    def meets_undriven(self, shape: Shape) -> bool:
        """Return whether a shape that is not dynamic overlaps another such shape, for which ODE makes no
        contacts."""
        contacts = self._contacts
        if contacts is None:
            return False
        return any(self._meets(shape, other) for other in contacts.near(shape))

    def _meets(self, shape: Shape, other: Shape) -> bool:
        contacts = self._contacts
        if other.is_dynamic or other.link is shape.link or contacts is None:
            return False
        if other.group is shape.group and not contacts.may_self_collide(shape, other):
            return False
        return bool(contacts_of(shape, other))
