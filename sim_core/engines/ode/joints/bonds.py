"""Rigid bonds between solids that are made and broken while the simulation runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ode

from sim_core.base.geometry import ZERO, Pose, Vec3, scale
from sim_core.engines.ode.keeper import Keeper
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import read_state, write_state
from sim_core.scene import Node

if TYPE_CHECKING:
    from sim_core.engines.ode.contacts.contacts import Contacts


class Bond:
    """A bond of two solids; the first end is that of the solid that was named first.

    Attributes:
        number: of the bond in its world; each has its own.
        solids: that it holds together.
    """

    def __init__(
        self, owner: Bonds, number: int, joint: Any, first: Link, second: Link, solids: tuple[Node, Node]
    ) -> None:
        self._owner = owner
        self.number = number
        self.solids = solids
        self.joint = joint
        self.first = first
        self.second = second
        self.has_stepped = False

    @property
    def holds(self) -> bool:
        """False once it was released, or the world reset."""
        return self.joint is not None

    def force(self) -> Vec3:
        """Force of the bond on the first solid in the last step, N, world axes; zero before a step."""
        if self.joint is None or not self.has_stepped:
            return ZERO
        force: Vec3 = self.joint.getFeedback()[0]  # on ODE's first body; that of a missing second is garbage
        return force if self.first.dynamic_ancestor() is not None else scale(force, -1.0)

    def release(self) -> None:
        """Let the two go; only between steps."""
        if self.joint is not None:
            self._owner.remove(self)

    def wake(self) -> None:
        """Let the bodies feel the change."""
        for link in (self.first, self.second):
            dynamic = link.dynamic_ancestor()
            if dynamic is not None:
                dynamic.body.enable()


class Bonds:
    """The bonds of a world.

    Attributes:
        made: all that hold, in the order in which they were made.
        fresh: those that no step has been made with.
        count: how many have been made since the start.
    """

    def __init__(self) -> None:
        self.made: list[Bond] = []
        self.fresh: list[Bond] = []
        self.count = 0
        self._pairs: set[tuple[int, int]] = set()
        self._world: Any = None
        self._contacts: Contacts | None = None
        self._keeper: Keeper | None = None

    def use(self, world: Any, contacts: Contacts, keeper: Keeper) -> None:
        """Go on with a newly built world, which has no bonds."""
        self.let_go()
        self._world, self._contacts, self._keeper = world, contacts, keeper
        contacts.bonds = self

    def let_go(self) -> None:
        """Forget ODE's objects."""
        for bond in self.made:
            bond.joint = None
        self.made, self.fresh = [], []
        self._pairs.clear()
        self._world = self._contacts = self._keeper = None

    def joins(self, first: Link, second: Link) -> bool:
        """Whether a bond holds two links, or what they are rigidly part of, together."""
        return (id(_part(first)), id(_part(second))) in self._pairs

    def find(self, number: int) -> Bond | None:
        """The bond of that number, if it holds."""
        return next((bond for bond in self.made if bond.number == number), None)

    def join(self, first: Any, second: Any, solids: tuple[Node, Node], relative: Pose | None) -> Bond:
        """Make a bond between the frames (`LinkFrame`) of two solids; see `PhysicsWorld.bond`."""
        one, other = first.link.dynamic_ancestor(), second.link.dynamic_ancestor()
        joint = ode.FixedJoint(self._world)
        if one is not None:
            joint.attach(one.body, other.body if other is not None else second.link.body)
        else:
            joint.attach(other.body, first.link.body)
        if relative is None:
            joint.setFixed()
        else:
            at_first, at_second = first.pose(), second.pose()
            if other is not None:
                _fix_moved(joint, other, at_first * relative * at_second.inverse())
            else:
                _fix_moved(joint, one, at_second * relative.inverse() * at_first.inverse())
        joint.setFeedback(True)
        bond = Bond(self, self.count, joint, first.link, second.link, solids)
        self.count += 1
        if self._keeper is not None:
            self._keeper.joints.append(joint)
        self.made.append(bond)
        self.fresh.append(bond)
        self._changed(bond)
        return bond

    def remake(self, bonds: list[Bond]) -> None:
        """Hold again, as they now stand, the solids of bonds of a world that was built anew."""
        for bond in bonds:
            one, other = bond.first.dynamic_ancestor(), bond.second.dynamic_ancestor()
            if one is None and other is None:
                continue
            joint = ode.FixedJoint(self._world)
            if one is not None:
                joint.attach(one.body, other.body if other is not None else bond.second.body)
            elif other is not None:
                joint.attach(other.body, bond.first.body)
            joint.setFixed()
            joint.setFeedback(True)
            bond.joint, bond.has_stepped = joint, False
            if self._keeper is not None:
                self._keeper.joints.append(joint)
            self.made.append(bond)
            self.fresh.append(bond)
            self._changed(bond)

    def remove(self, bond: Bond) -> None:
        """Destroy the joint of a bond."""
        joint, bond.joint = bond.joint, None
        self.made = [each for each in self.made if each is not bond]
        self.fresh = [each for each in self.fresh if each is not bond]
        if self._keeper is not None:
            self._keeper.joints[:] = [each for each in self._keeper.joints if each is not joint]
        joint.setFeedback(False)
        joint.attach(None, None)
        self._changed(bond)

    def after_first_step(self) -> None:
        """ODE has written the forces of those bonds that it worked out; before that they are undefined."""
        for bond in self.fresh:
            dynamic = (link.dynamic_ancestor() for link in (bond.first, bond.second))
            bond.has_stepped = any(link is not None and link.body.isEnabled() for link in dynamic)
        self.fresh = [bond for bond in self.fresh if not bond.has_stepped]

    def _changed(self, bond: Bond) -> None:
        parts = [(id(_part(each.first)), id(_part(each.second))) for each in self.made]
        self._pairs = {*parts, *((b, a) for a, b in parts)}
        bond.wake()
        still = any(link.dynamic_ancestor() is None for link in (bond.first, bond.second))
        if still and self._contacts is not None:
            self._contacts.finish()  # the compiled loop leaves bonded floors out


def can_join(first: Link, second: Link) -> bool:
    """Whether a bond between two links would hold anything."""
    one, other = _part(first), _part(second)
    return one is not other and (one.dynamic_ancestor() is not None or other.dynamic_ancestor() is not None)


def _part(link: Link) -> Link:
    """The link whose body a link moves with, or itself."""
    return link.dynamic_ancestor() or link


def _fix_moved(joint: Any, link: Link, shift: Pose) -> None:
    """Fix a joint as if a link stood elsewhere in the world; the link stays, to the last bit."""
    body, state = link.body, read_state(link.address)
    pose = shift * Pose(body.getPosition(), body.getRotation())
    body.setPosition(pose.position)  # also lets the geoms know
    body.setRotation(pose.rotation)
    joint.setFixed()
    write_state(link.address, state)
