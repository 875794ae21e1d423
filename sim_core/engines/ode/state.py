"""Snapshots of everything that changes in steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.links import Kind, LinkTree


class WorldState(NamedTuple):
    """A state of a physics world; only good for the world it was taken from.

    Attributes:
        bodies: positions, rotations and velocities as ODE holds them.
        fixed: pose and velocities of each link that is moved by hand.
        turns: whole turns of dynamic axes, or position and velocity of kinematic ones.
        solver_seed: where the iterative solver's generator stands.
    """

    time_ns: int
    bodies: bytes
    fixed: tuple[tuple[Pose, Vec3, Vec3], ...]
    turns: tuple[Any, ...]
    solver_seed: int

    @classmethod
    def of(
        cls, time_ns: int, bodies: bytes, tree: LinkTree, axes: dict[Any, Any], solver_seed: int
    ) -> WorldState:
        """The state now."""
        fixed = tuple(
            (link.pose, link.linear, link.angular) for link in tree.links if link.kind is Kind.FIXED
        )
        turns = tuple(
            axis.turns() if isinstance(axis, Axis) else (axis.position, axis.velocity)
            for axis in axes.values()
        )
        return cls(time_ns, bodies, fixed, turns, solver_seed)

    def apply(
        self, tree: LinkTree, axes: dict[Any, Any], place: list[Callable[[Any], None]], kinematic: list[Any]
    ) -> None:
        """Put back everything but the bodies, which are back already."""
        place_carried, place_link = place
        for axis, turns in zip(axes.values(), self.turns, strict=True):
            if isinstance(axis, Axis):
                axis.set_turns(turns)
            else:
                axis.position, axis.velocity = turns
        links = [link for link in tree.links if link.kind is Kind.FIXED]
        for link, (pose, linear, angular) in zip(links, self.fixed, strict=True):
            link.pose, link.linear, link.angular = pose, linear, angular
        for joint in kinematic:
            place_carried(joint)
        for link in tree.links:
            if link.parent is None:
                place_link(link)
