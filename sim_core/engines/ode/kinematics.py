"""Motion of solids without Physics: kinematic robots, and solids placed by a supervisor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import (
    IDENTITY,
    ZERO,
    Pose,
    Vec3,
    add,
    multiply,
    norm,
    rotation_from_axis_angle,
    scale,
)
from sim_core.base.ids import NodeId
from sim_core.engines.massless_motion import AxisMotion
from sim_core.engines.ode.bodies import add_to_moving, make_kinematic_body, place_link
from sim_core.engines.ode.contacts.box_contacts import contacts_of
from sim_core.engines.ode.contacts.contacts import Contacts
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import finite, is_rotation
from sim_core.engines.ode.shapes import Shape, attach_geom
from sim_core.model.dynamics.bodies import FARTHEST, BodyKind
from sim_core.model.geometry import Plane

TOUCHING = 1e-4
"""Depth in m up to which a moved solid may touch another without being blocked."""
DEEPER = 1e-6
"""Increase in depth, m, from which a solid that already penetrates another is blocked."""


class Mover:
    """Moves links without mass, with velocities that contacts take into account.

    Attributes:
        is_busy: True if something moves in this step or came to rest in the last.
        loosened: links that were fixed until they were moved, in that order.
        coasting: links that move at a set velocity, m/s and rad/s, until it is changed: in the axes of the
            world; for a carried link in those of its parent.
    """

    def __init__(self, world: Any, contacts: Contacts) -> None:
        self._world = world
        self._contacts = contacts
        self._moved: dict[Link, None] = {}
        self._moving: dict[Link, None] = {}
        self.is_busy = False
        self.loosened: list[Link] = []
        self.coasting: dict[Link, tuple[Vec3, Vec3]] = {}

    def links(self) -> tuple[list[Link], list[Link], list[Link]]:
        """Return the loosened links, those moved in this step, and those moved in the last."""
        return self.loosened, list(self._moved), list(self._moving)

    def restore_links(self, moved: Iterable[Link], moving: Iterable[Link], is_busy: bool) -> None:
        """Restore the links moved in this step and those moved in the last."""
        self._moved, self._moving, self.is_busy = dict.fromkeys(moved), dict.fromkeys(moving), is_busy

    def move(self, link: Link, pose: Pose, linear: Vec3, angular: Vec3) -> None:
        """Move a link to a pose now, with the velocity that it has in the next step."""
        finite("position of a moved solid", *pose.position, limit=1e9)
        finite("velocity of a moved solid", *linear, *angular, limit=1e9)
        if not is_rotation(pose.rotation):
            raise PhysicsError(
                f"rotation of a moved solid: found {pose.rotation}, expected a rotation matrix"
            )
        for sub in link.rigid_subtree():
            self.make_movable(sub)
        link.pose = pose
        link.linear, link.angular = linear, angular
        place_link(link)
        self.mark_moved(link)

    def set_velocity(self, link: Link, linear: Vec3, angular: Vec3) -> None:
        """Set a velocity that a link keeps; 0: it stands.

        Raises:
            PhysicsError: a value is not finite, or it has a Plane.
        """
        finite("velocity of a moved solid", *linear, *angular, limit=1e9)
        if not any((*linear, *angular)) and self.coasting.pop(link, None) is None:
            return
        if link.kind is BodyKind.CARRIED:
            link.motions = _motions(link.in_parent_now, linear, angular)
        else:
            for sub in link.rigid_subtree():
                self.make_movable(sub)
            link.linear, link.angular = linear, angular
        if any((*linear, *angular)):
            self.coasting[link] = linear, angular

    def move_links(self, step: float) -> None:
        """Move the links with a set velocity by a step; one that has left the world stands."""
        for link, (linear, angular) in list(self.coasting.items()):
            rate = norm(angular)
            turn = rotation_from_axis_angle((*angular, rate * step)) if rate > 0.0 else IDENTITY
            before = link.in_parent_now if link.kind is BodyKind.CARRIED else link.pose
            pose = Pose(add(before.position, scale(linear, step)), multiply(turn, before.rotation))
            if not norm(pose.position) < FARTHEST:
                del self.coasting[link]
            elif link.kind is BodyKind.CARRIED:
                self.set_pose_in_parent(link, pose)
            else:
                self.move(link, pose, linear, angular)

    def set_pose_in_parent(self, link: Link, pose: Pose) -> None:
        """Move a carried link without a joint to a pose in its parent."""
        link.in_parent_now = pose
        link.motions = _motions(pose, *self.coasting.get(link, (ZERO, ZERO)))
        self.mark_moved(link)

    def remove_links(self, links: set[Link]) -> None:
        """Remove links."""
        for moved in (self._moved, self._moving):
            for link in [link for link in moved if link in links]:
                del moved[link]
        self.loosened[:] = [link for link in self.loosened if link not in links]
        for link in links:
            self.coasting.pop(link, None)
        self.is_busy = bool(self._moved or self._moving)

    def mark_moved(self, link: Link) -> None:
        """Note that a link and all without mass below it are moved in this step."""
        for sub in link.rigid_subtree():
            self._moved[sub] = None
        place_link(link)
        if link.dynamic_ancestor() is not None:
            self._contacts.update_shapes([shape for sub in link.rigid_subtree() for shape in sub.shapes])
        self.is_busy = True

    def set_contact_velocities(self) -> None:
        """Set the velocities of the bodies for contacts."""
        for link in self._moving:
            if link not in self._moved:
                link.linear = link.angular = ZERO
                _set_velocity(link)
        for link in self._moved:
            if link.kind is BodyKind.FIXED and link.parent is not None and link.parent in self._moved:
                link.linear, link.angular = link.parent.velocity_at(link.pose.position)
            _set_velocity(link)
        self._moving, self._moved = self._moved, {}

    def after_step(self) -> None:
        """Move the bodies to their commanded poses, after ODE has integrated their velocities."""
        for link in self._moving:
            if link.body is not None:
                pose = link.world_pose()
                link.body.setPosition(pose.position)
                link.body.setRotation(pose.rotation)
        self.is_busy = bool(self._moving or self._moved)

    def is_blocked(self, link: Link, pose: Pose) -> bool:
        """Return whether a link, at a pose, would penetrate something more deeply than now."""
        finite("position of a moved solid", *pose.position, limit=1e9)
        own = set(link.subtree())
        shapes = [shape for sub in link.rigid_subtree() for shape in sub.shapes]
        mine = [shape for shape in shapes if not isinstance(shape.geometry, Plane)]
        if not mine:
            return False
        for sub in link.rigid_subtree():
            self.make_movable(sub)
        old = link.pose
        before = self._depths(mine, own)
        link.pose = pose
        place_link(link)
        after = self._depths(mine, own)
        link.pose = old
        place_link(link)
        met = [
            pair
            for pair, depth in after.items()
            if depth > TOUCHING and depth > before.get(pair, 0.0) + DEEPER
        ]
        for pair in met:
            self._contacts.touch.note_blocked(*pair)
        return bool(met)

    def _depths(self, mine: list[Shape], own: set[Link]) -> dict[tuple[Shape, Shape], float]:
        """Return the deepest contact of each pair that touch: one of `mine`, one that is no part of `own`."""
        found: dict[tuple[Shape, Shape], float] = {}
        for shape in mine:
            for other in self._contacts.near(shape):
                if other.link not in own:
                    contacts = contacts_of(shape, other)
                    if contacts:
                        found[(shape, other)] = max(point[2] for point in contacts)
        return found

    def loosened_solids(self) -> frozenset[NodeId]:
        """Return the solids of links that were fixed until they were moved."""
        return frozenset([link.solid for link in self.loosened])

    def make_movable(self, link: Link) -> None:
        """Make a fixed link movable: it gets a body of its own, and its shapes join the moving space."""
        if link.moves or link.kind is not BodyKind.FIXED:
            return
        link.moves = True
        self.loosened.append(link)
        if link.body is None:
            make_kinematic_body(self._world, link, self._contacts.ode_objects)
        contacts = self._contacts
        loosened = []
        for shape in link.shapes:
            if isinstance(shape.geometry, Plane):
                raise PhysicsError(f"{link.record.label} has a Plane, which cannot be moved")
            contacts.still.remove(shape.geom)
            shape.body = link.body
            attach_geom(shape, link.body, shape.pose)
            loosened.append(shape)
        contacts.remove_floors(set(loosened))
        if loosened:
            add_to_moving(contacts, loosened[0].group, loosened)
            contacts.extend()


def _motions(pose: Pose, linear: Vec3, angular: Vec3) -> list[AxisMotion]:
    """Convert a velocity of the origin of a carried link, m/s, and of the link, rad/s, in the axes of its
    parent."""
    speed, rate = norm(linear), norm(angular)
    motions: list[AxisMotion] = []
    if speed > 0.0:
        motions.append((scale(linear, 1.0 / speed), pose.position, speed, True))
    if rate > 0.0:
        motions.append((scale(angular, 1.0 / rate), pose.position, rate, False))
    return motions


def _set_velocity(link: Link) -> None:
    if link.body is not None:
        linear, angular = link.velocity_at(link.world_pose().position)
        link.body.setLinearVel(linear)
        link.body.setAngularVel(angular)
