"""Rigid bonds between solids that are made and released during simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import ZERO, Pose, Vec3, scale
from sim_core.base.ids import NodeId
from sim_core.engines.ode.frames import OdeFrame
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import at_pose, read_pose, read_state, state_address, write_state
from sim_core.engines.ode.ode_objects import OdeObjects
from sim_core.engines.ode.pyode import ode

if TYPE_CHECKING:
    from sim_core.engines.ode.contacts.contacts import Contacts


class BondRecord(NamedTuple):
    """Creation data of a bond.

    Attributes:
        number: of the bond in its world.
        solids: rows of the two solids.
        places: states of ODE's two bodies at that time; fewer if the world is one end.
    """

    number: int
    solids: tuple[int, int]
    places: tuple[bytes, ...]


class BondState(NamedTuple):
    """Bond that holds, and its force on the first solid in the last step, N, world axes."""

    made: BondRecord
    force: Vec3


class OdeBond:
    """Bond of two solids; the first end is that of the solid that was named first.

    Attributes:
        number: unique number of the bond in its world.
        solids: the two solids.
        joint: the ODE joint; None: the bond does not hold any more.
        first, second: the links of the solids.
        places: as in `BondRecord`.
        force_before: force on the first solid before the first step with this joint, N.
        has_stepped: True if ODE has computed its force.
    """

    def __init__(
        self, owner: Bonds, number: int, solids: tuple[NodeId, NodeId], links: tuple[Link, Link]
    ) -> None:
        self._owner = owner
        self.number = number
        self.solids = solids
        self.first, self.second = links
        self.joint: Any = None
        self.places: tuple[bytes, ...] = ()
        self.force_before: Vec3 = ZERO
        self.has_stepped = False

    @property
    def holds(self) -> bool:
        """False after it was released, or the world reset."""
        return self.joint is not None

    def force(self) -> Vec3:
        """Return the force of the bond on the first solid in the last step, N, world axes; zero before a
        step."""
        if self.joint is None or not self.has_stepped:
            return self.force_before
        force: Vec3 = self.joint.getFeedback()[0]  # on ODE's first body; undefined for a missing second
        return force if self.first.dynamic_ancestor() is not None else scale(force, -1.0)

    def release(self) -> None:
        """Release the bond; only between steps."""
        if self.joint is not None:
            self._owner.destroy_bond(self)

    def wake(self) -> None:
        """Wake the bodies."""
        for link in (self.first, self.second):
            dynamic = link.dynamic_ancestor()
            if dynamic is not None:
                dynamic.body.enable()

    def bodies(self) -> tuple[Any, ...]:
        """Return the connected ODE bodies, the first one dynamic; only one if the other end is the world."""
        one, other = self.first.dynamic_ancestor(), self.second.dynamic_ancestor()
        if one is not None:
            found = (one.body, other.body if other is not None else self.second.body)
        else:
            found = (None if other is None else other.body, self.first.body)
        return tuple(body for body in found if body is not None)

    def record(self, row_of: Callable[[NodeId], int]) -> BondRecord:
        """Return its creation data; `row_of` returns the rows of solids."""
        return BondRecord(self.number, (row_of(self.solids[0]), row_of(self.solids[1])), self.places)


class Bonds:
    """Bonds of a world.

    Attributes:
        made: all bonds that hold, in creation order.
        fresh: bonds without a step so far.
        count: number of bonds made since the start.
    """

    def __init__(self) -> None:
        self.made: list[OdeBond] = []
        self.fresh: list[OdeBond] = []
        self.count = 0
        self._known: WeakValueDictionary[int, OdeBond] = WeakValueDictionary()  # bonds in use elsewhere
        self._pairs: set[tuple[int, int]] = set()
        self._world: Any = None
        self._contacts: Contacts | None = None
        self._ode_objects: OdeObjects | None = None

    def set_world(self, world: Any, contacts: Contacts, ode_objects: OdeObjects) -> None:
        """Use a newly built world, which has no bonds."""
        self.release_ode()
        self._world, self._contacts, self._ode_objects = world, contacts, ode_objects
        contacts.bonds = self

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""
        for bond in self.made:
            bond.joint, bond.force_before = None, ZERO
        self.made, self.fresh = [], []
        self._pairs.clear()
        self._world = self._contacts = self._ode_objects = None

    def remove_bonds(self) -> None:
        """Remove all bonds, because the world restarts."""
        self.count = 0
        self._known.clear()

    def joins(self, first: Link, second: Link) -> bool:
        """Return whether a bond connects two links, or bodies of which they are rigid parts."""
        return (id(_part(first)), id(_part(second))) in self._pairs

    def find_bond(self, number: int) -> OdeBond | None:
        """Return the bond of that number, if it holds."""
        return next((bond for bond in self.made if bond.number == number), None)

    def join(
        self, first: OdeFrame, second: OdeFrame, solids: tuple[NodeId, NodeId], relative: Pose | None
    ) -> OdeBond:
        """Make a bond between the frames of two solids; see `PhysicsWorld.bond`."""
        assert first.link is not None and second.link is not None  # ensured by `can_join`
        bond = self._known[self.count] = OdeBond(self, self.count, solids, (first.link, second.link))
        self.count += 1
        if relative is None:
            self._hold(bond)
            return bond
        at_first, at_second = first.pose(), second.pose()
        moved: Any = second.link.dynamic_ancestor()
        shift = at_first * relative * at_second.inverse()
        if moved is None:
            moved, shift = first.link.dynamic_ancestor(), at_second * relative.inverse() * at_first.inverse()
        state = read_state(moved.address)
        pose = shift * Pose(moved.body.getPosition(), moved.body.getRotation())
        moved.body.setPosition(pose.position)  # also lets the geoms know
        moved.body.setRotation(pose.rotation)
        self._hold(bond)
        write_state(moved.address, state)
        return bond

    def states(self, row_of: Callable[[NodeId], int]) -> tuple[BondState, ...]:
        """Return the bonds that hold; `row_of` returns the rows of solids."""
        return tuple([BondState(bond.record(row_of), bond.force()) for bond in self.made])

    def restore_bonds(
        self,
        states: Iterable[BondState],
        count: int,
        solids: Sequence[NodeId],
        link_of: Callable[[NodeId], Link | None],
    ) -> None:
        """Restore bonds exactly, to the last bit; the bonds that hold now must be these or none.

        A bond that is referenced since before a rebuild keeps its object.

        Args:
            states: from `states`; a state without places uses the present poses.
            count: number of bonds made since the start.
            solids: by row.
            link_of: returns the link of a solid.

        Raises:
            PhysicsError: two of the solids cannot be bonded.
        """
        self.count = count
        for (number, (first, second), places), force in states:
            bond = self.find_bond(number)
            if bond is None:
                pair = solids[first], solids[second]
                one, other = map(link_of, pair)
                if one is None or other is None or not can_join(one, other):
                    raise PhysicsError("two solids that were bonded cannot be")
                bond = self._known.get(number)
                if bond is None:
                    bond = self._known[number] = OdeBond(self, number, pair, (one, other))
                bond.solids, bond.first, bond.second = pair, one, other
                self._hold(bond, places)
            bond.force_before, bond.has_stepped = force, False
        self.fresh = list(self.made)

    def destroy_bond(self, bond: OdeBond) -> None:
        """Destroy the joint of a bond."""
        joint, bond.joint, bond.force_before = bond.joint, None, ZERO
        self.made = [each for each in self.made if each is not bond]
        self.fresh = [each for each in self.fresh if each is not bond]
        if self._ode_objects is not None:
            self._ode_objects.joints[:] = [each for each in self._ode_objects.joints if each is not joint]
        joint.setFeedback(False)
        joint.attach(None, None)
        self._changed(bond)

    def after_first_step(self) -> None:
        """Note that ODE has computed the forces of new bonds, which are undefined before."""
        for bond in self.fresh:
            dynamic = (link.dynamic_ancestor() for link in (bond.first, bond.second))
            bond.has_stepped = any(link is not None and link.body.isEnabled() for link in dynamic)
        self.fresh = [bond for bond in self.fresh if not bond.has_stepped]

    def _hold(self, bond: OdeBond, places: tuple[bytes, ...] = ()) -> None:
        """Make the joint of a bond, with the present poses of its bodies, or those of `places`."""
        bodies = bond.bodies()
        addresses = [state_address(body) for body in bodies]
        joint = ode.FixedJoint(self._world)
        joint.attach(bodies[0], bodies[1] if len(bodies) > 1 else None)
        with ExitStack() as elsewhere:
            for address, place in zip(addresses, places, strict=bool(places)):
                elsewhere.enter_context(at_pose(address, place))
            bond.places = tuple(map(read_pose, addresses))
            joint.setFixed()
        joint.setFeedback(True)
        bond.joint, bond.has_stepped = joint, False
        if self._ode_objects is not None:
            self._ode_objects.joints.append(joint)
        self.made.append(bond)
        self.fresh.append(bond)
        self._changed(bond)

    def _changed(self, bond: OdeBond) -> None:
        parts = [(id(_part(each.first)), id(_part(each.second))) for each in self.made]
        self._pairs = {*parts, *((b, a) for a, b in parts)}
        bond.wake()
        still = any(link.dynamic_ancestor() is None for link in (bond.first, bond.second))
        if still and self._contacts is not None:
            self._contacts.build_tables()  # the compiled loop skips bonded floors


def can_join(first: Link, second: Link) -> bool:
    """Return whether a bond between two links would have an effect."""
    one, other = _part(first), _part(second)
    return one is not other and (one.dynamic_ancestor() is not None or other.dynamic_ancestor() is not None)


def _part(link: Link) -> Link:
    """Return the link whose body moves a link, or the link itself."""
    return link.dynamic_ancestor() or link
