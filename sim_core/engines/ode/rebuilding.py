"""What goes on as it was when the scene changes and the physics is built anew.

Devices hold frames, axes and watches of the physics. These stay the same objects: frames and axes of what is
still in the scene are filled with what is built anew, those of what is gone stand still for ever. Links are
made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any, NamedTuple

from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.ode.bonds import Bonds
from sim_core.engines.ode.contacts.touch import TouchRecord
from sim_core.engines.ode.frames import LinkFrame, WorldFrame
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.kinematics import Mover
from sim_core.engines.ode.links import Kind, Link, LinkTree
from sim_core.engines.ode.ode_binding import read_state, write_state
from sim_core.engines.ode.placing import set_velocity
from sim_core.scene import Node


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
        axes: dict[tuple[Node, int], Axis | KinematicAxis],
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
        self.loosened, self._moved, self._moving = ([link.solid for link in each] for each in mover.links())

    def add(self, former: Kept) -> None:
        """Take in what was kept before some trees went: they shall come back as they were."""
        self.links |= former.links
        self._motors |= former._motors
        self._driven |= former._driven
        self._touch |= former._touch
        self._bonds = former._bonds

    def put_back(
        self,
        tree: LinkTree,
        axes: dict[tuple[Node, int], Axis | KinematicAxis],
        touch: TouchRecord,
        bonds: Bonds,
        mover: Mover,
        renewed: Set[Node],
    ) -> None:
        """Let what is still there go on; nodes that are renewed begin as the scene says."""
        by_solid = {link.solid: link for link in tree.links}
        if not self.is_at_start:
            for solid in self.loosened:
                if solid in by_solid:
                    mover.loosen(by_solid[solid])
            for link in tree.links:
                if link.solid in self.links and link.solid not in renewed:
                    _put_back(link, self.links[link.solid])
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
        bonds.remake(self._bonds, tree.link_of)


class Former:
    """The objects that devices hold, to be used again."""

    def __init__(self, axes: dict[tuple[Node, int], Axis | KinematicAxis]) -> None:
        """Axes of all nodes that there ever were: one that comes back has those that it had."""
        self._axes = axes

    def use_axes(self, joints: list[Any], propellers: list[Any], belts: dict[Node, Any]) -> None:
        """Let the axes that are held become those of the new plans."""
        used = set()
        for joint in joints:
            for index, new in enumerate(joint.axes):
                old = self._axes.get((joint.node, index))
                if old is not None:
                    joint.axes[index] = become(old, new)
                    used.add((joint.node, index))
        for owner in (*propellers, *belts.values()):
            old = self._axes.get((owner.node, 0))
            if old is not None:
                owner.axis = become(old, owner.axis)
                used.add((owner.node, 0))
        for key, axis in self._axes.items():
            if key not in used:
                become(axis, KinematicAxis(axis.name, axis.spec, axis.is_linear))

    def place_frames(self, frames: dict[Node, LinkFrame | WorldFrame], tree: LinkTree) -> None:
        """Fix the frames that are held to where their nodes are now; those of what is gone stay."""
        for node, frame in frames.items():
            link, pose = tree.place(node)
            if link is not None:
                become(frame, LinkFrame(link, pose))
            elif not _is_gone(node, tree):
                become(frame, WorldFrame(pose))


def _is_gone(node: Node, tree: LinkTree) -> bool:
    """Whether a node is no longer in the scene; what is not in a solid never was in the tree."""
    root = [node, *node.ancestors()][-1]
    return all(root is not each for each in tree.roots)


def become(old: Any, new: Any) -> Any:
    """Fill an object that others hold with what another is; what others wanted of it stays."""
    wanted = {name: getattr(old, name) for name in ("_feedback_wanted", "watch") if hasattr(old, name)}
    if hasattr(old, "let_go"):
        old.let_go()
    if hasattr(new, "__dict__"):
        old.__class__ = type(new)
        vars(old).clear()
        vars(old).update(vars(new))
        vars(old).update((name, value) for name, value in wanted.items() if hasattr(new, name))
    elif type(old) is type(new):
        for name in type(new).__slots__:
            setattr(old, name, getattr(new, name))
    return old


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
