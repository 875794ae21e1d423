"""What goes on as it was when the scene changes and the physics is built anew.

Links and axes are made anew. Devices hold frames, axes and watches of the physics: these stay the same
objects, and are told what they are now; those of what is gone stand still for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from copy import copy
from typing import NamedTuple

from sim_core.base.geometry import ZERO, Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.base.turns import KEEP, Turn, turned, turned_pose
from sim_core.engines.ode.bonds import Bonds
from sim_core.engines.ode.contacts.touch import TouchRecord
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.kinematics import Mover
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import read_state, write_state
from sim_core.engines.ode.placing import set_velocity
from sim_core.engines.ode.reading import AxisKey, Reading
from sim_core.model.dynamics.bodies import Kind


class _LinkState(NamedTuple):
    """How a link was; `state`: what ODE holds of it, None without a body that forces move."""

    pose: Pose
    was_moved: bool
    centre: Vec3
    linear: Vec3
    angular: Vec3
    state: bytes | None
    force: Vec3
    torque: Vec3
    is_awake: bool


class Kept:
    """The state of a physics world, by the nodes of links and axes.

    Attributes:
        links: by the topmost solid.
        is_at_start: nothing has moved: all but what joints are driven at begins as the scene says.
        loosened: links that stood still until they were moved, by their solids.
    """

    def __init__(
        self,
        links: Iterable[Link],
        axes: Mapping[AxisKey, Axis | KinematicAxis],
        touch: TouchRecord,
        bonds: Bonds,
        mover: Mover,
        is_at_start: bool = False,
    ) -> None:
        self.is_at_start = is_at_start
        self.links = {link.solid: _state_of(link) for link in links}
        self._motors = {
            key: (axis.turns(), axis.motor()) for key, axis in axes.items() if isinstance(axis, Axis)
        }
        self._driven = {
            key: (type(axis), axis.state()) for key, axis in axes.items() if isinstance(axis, KinematicAxis)
        }
        self._touch = touch.contacts_now()
        self._bonds = list(bonds.made)
        self._coasting = {link.solid: velocity for link, velocity in mover.coasting.items()}
        self.loosened, self._moved, self._moving = ([link.solid for link in each] for each in mover.links())

    def add(self, former: Kept) -> None:
        """Take in what was kept before some trees went: they shall come back as they were."""
        self.links |= former.links
        self._motors |= former._motors
        self._driven |= former._driven
        self._touch |= former._touch
        self._bonds = former._bonds
        self._coasting |= former._coasting

    def turned(self, world: Turn, own: Mapping[NodeId, Turn]) -> Kept:
        """The same where the world has other axes, and solids have others in their own frames."""
        result = copy(self)
        result.links = {
            solid: was._replace(
                pose=turned_pose(world, was.pose, own.get(solid, KEEP)),
                linear=turned(world, was.linear),
                angular=turned(world, was.angular),
                state=None,
                force=turned(world, was.force),
                torque=turned(world, was.torque),
            )
            for solid, was in self.links.items()
        }
        result._coasting = {
            solid: (turned(world, linear), turned(world, angular))
            for solid, (linear, angular) in self._coasting.items()
        }
        result._touch = {
            solid: ([touch.turned(world) for touch in touches], was_blocked, is_blocked)
            for solid, (touches, was_blocked, is_blocked) in self._touch.items()
        }
        return result

    def put_back(
        self,
        reading: Reading,
        touch: TouchRecord,
        bonds: Bonds,
        mover: Mover,
        renewed: Set[NodeId],
    ) -> None:
        """Let what is still there go on; nodes that are renewed begin as the scene says."""
        by_solid, axes = {link.solid: link for link in reading.links}, reading.axes
        if not self.is_at_start:
            for solid in self.loosened:
                if solid in by_solid:
                    mover.loosen(by_solid[solid])
            for link in reading.links:
                if link.solid in self.links and link.solid not in renewed:
                    _put_back(link, self.links[link.solid])
                    if link.kind is Kind.FIXED:
                        mover.coast(link, *self._coasting.get(link.solid, (ZERO, ZERO)))
        for key, (turns, motor) in self._motors.items():
            axis = axes.get(key)
            if isinstance(axis, Axis):
                axis.set_turns(turns)
                axis.set_motor(*motor)
        for key, (kind, state) in self._driven.items():
            axis = axes.get(key)
            if isinstance(axis, KinematicAxis) and type(axis) is kind:
                begins = axis.position
                axis.set_state(state)
                if self.is_at_start:
                    axis.position = begins
        touch.go_on(self._touch)
        if not self.is_at_start:
            moved, moving = (
                [by_solid[solid] for solid in solids if solid in by_solid]
                for solids in (self._moved, self._moving)
            )
            mover.go_on(moved, moving, bool(moved or moving))
        bonds.remake(self._bonds, reading.owners.get)


def _state_of(link: Link) -> _LinkState:
    pose = link.world_pose()
    linear, angular = link.velocity_at(pose.position)
    was_moved = link.kind is Kind.FIXED and link.pose != link.start
    body = link.body if link.kind is Kind.DYNAMIC else None
    if body is None:
        own = (link.linear, link.angular) if link.kind is Kind.FIXED else (linear, angular)
        still = (0.0, 0.0, 0.0)
        return _LinkState(pose, was_moved, link.centre, *own, None, still, still, True)
    return _LinkState(
        pose,
        was_moved,
        link.centre,
        linear,
        angular,
        read_state(link.address),
        body.getForce(),
        body.getTorque(),
        bool(body.isEnabled()),
    )


def _put_back(link: Link, was: _LinkState) -> None:
    """Let a link go on; bit by bit if its centre of mass, where ODE counts from, is where it was."""
    if link.kind is Kind.DYNAMIC:
        body = link.body
        if was.state is not None and link.centre == was.centre:
            body.setPosition((0.0, 0.0, 0.0))  # lets the geoms know; the true position follows
            write_state(link.address, was.state)
        else:
            body.setPosition(was.pose.apply(link.centre))
            body.setRotation(was.pose.rotation)
            set_velocity(link, was.pose.position, was.linear, was.angular)
        body.setForce(was.force)
        body.setTorque(was.torque)
        if not was.is_awake:
            body.disable()
    elif link.kind is Kind.FIXED and was.was_moved:
        link.pose, link.linear, link.angular = was.pose, was.linear, was.angular
