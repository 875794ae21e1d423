"""Fluids: buoyancy, drag and viscous resistance (Webots reference, Fluid and ImmersionProperties).

Each shape of a solid with Physics whose `immersionProperties` name a Fluid is treated separately. The surface
of a fluid is the plane that touches its geometry from above, along the geometry's own z axis; a shape is in
the fluid if its centre is between the geometry's sides and above its bottom. For a shape in it, with the
immersed volume U and area A, velocities relative to the stream, and the density ρ:

    buoyancy            -ρ·U·g                        at the centre of the immersed volume, like drag
    drag, immersed area -c_x·ρ·A·|v|·v                torque -t_x·ρ·A·|ω|·ω
    drag, projected     -c_i·ρ·A_i·|v_i|·v_i          torque -t_i·ρ·(A_j + A_k)·|ω_i|·ω_i
    viscous resistance  -A/A_whole·viscosity·k·v      torque -A/A_whole·viscosity·k·ω

`projected` is along the solid's axes; v is the velocity of the body's centre of mass. Drag never reverses a
velocity within one step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from sim_core.base.geometry import (
    Mat3,
    Pose,
    Vec3,
    add,
    cross,
    dot,
    norm,
    rotate,
    rotate_back,
    scale,
    subtract,
)
from sim_core.base.ids import NodeId
from sim_core.engines.ode.contacts import immersion
from sim_core.engines.ode.contacts.immersion import Immersed
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.shapes import Shape
from sim_core.model.dynamics.fluids import Fluid, Immersion
from sim_core.model.dynamics.model import ModelPart
from sim_core.model.geometry import Box, Capsule, Cylinder, Sphere

NONE: Vec3 = (0.0, 0.0, 0.0)


class ImmersedShape:
    """Shape and a fluid that it may be in."""

    def __init__(self, shape: Shape, properties: Immersion, fluid: Fluid) -> None:
        self.shape = shape
        self.fluid = fluid
        self._is_projected = properties.is_projected
        self._drag, self._torque = properties.drag, properties.torque
        self._viscous = properties.viscous * fluid.viscosity
        self._viscous_torque = properties.viscous_torque * fluid.viscosity
        self._cut = _cut_of(shape)
        self._whole = self._cut((0.0, 0.0, 1.0), 1e9)
        self._reach = shape.reach()

    def immersed(self, pose: Pose) -> Immersed:
        """Return the part of the shape below the surface, in the shape's frame, for its pose in the world."""
        best = immersion.DRY
        for region in self.fluid.regions:
            depth = region.height(pose.position)
            if depth is None or depth <= -self._reach:
                continue
            if depth >= self._reach:
                return self._whole
            part = self._cut(rotate_back(pose.rotation, region.up), depth)
            if part.volume > best.volume:
                best = part
        return best

    def resistance(
        self, part: Immersed, axes: Pose, shape: Pose, velocity: Vec3, spin: Vec3
    ) -> tuple[Vec3, Vec3]:
        """Return drag and viscous force and torque, world axes.

        Args:
            part: the immersed part of the shape.
            axes: pose of the solid. shape: pose of the shape.
            velocity: relative to the stream. spin: angular velocity; both in world axes.
        """
        density = self.fluid.density
        share = part.area / self._whole.area
        viscous, viscous_torque = share * self._viscous, share * self._viscous_torque
        if not self._is_projected:
            factor = -density * part.area
            force = scale(velocity, factor * self._drag[0] * norm(velocity) - viscous)
            torque = scale(spin, factor * self._torque[0] * norm(spin) - viscous_torque)
            return force, torque
        v, w = rotate_back(axes.rotation, velocity), rotate_back(axes.rotation, spin)
        turn = axes.inverse() * shape
        a = [self._projected(part, share, _row(turn, axis)) for axis in range(3)]
        f = [-density * self._drag[i] * a[i] * abs(v[i]) * v[i] for i in range(3)]
        t = [
            -density * self._torque[i] * (a[(i + 1) % 3] + a[(i + 2) % 3]) * abs(w[i]) * w[i]
            for i in range(3)
        ]
        force = rotate(axes.rotation, (f[0], f[1], f[2]))
        torque = rotate(axes.rotation, (t[0], t[1], t[2]))
        return add(force, scale(velocity, -viscous)), add(torque, scale(spin, -viscous_torque))

    def _projected(self, part: Immersed, share: float, axis: Vec3) -> float:
        """Return the area of the immersed part projected along an axis in the shape's frame.

        It is exact for a box, cut or not: the cut closes the part, so the larger of both sides is projected.
        For other shapes it is exact if they are fully immersed; otherwise the wet share of the whole is used.
        """
        if part.faces:
            sides = [dot(normal, axis) * area for normal, area in part.faces]
            return max(sum(side for side in sides if side > 0.0), -sum(side for side in sides if side < 0.0))
        across = math.sqrt(max(0.0, 1.0 - axis[2] ** 2))
        match self.shape.geometry:
            case Cylinder(r, height):
                return share * (2.0 * r * height * across + math.pi * r * r * abs(axis[2]))
            case Capsule(r, height):
                return share * (2.0 * r * height * across + math.pi * r * r)
        return share * math.pi * self.shape.radius * self.shape.radius


class Fluids:
    """Fluids of a world, and the shapes that can be in them."""

    def __init__(self, gravity: Vec3) -> None:
        self._gravity = gravity
        self._bodies: dict[Link, list[ImmersedShape]] = {}
        self._inverse: dict[Link, Mat3] = {}
        self._fluids: dict[str, Fluid] = {}

    def add_parts(self, parts: Sequence[ModelPart], links: Iterable[Link]) -> None:
        """Add the fluids of parts, and the shapes of the parts that may be in fluids."""
        immersions: dict[NodeId, list[Immersion]] = {}
        for part in parts:
            self._fluids |= part.fluids
            immersions |= part.immersions
        for link in links if immersions else ():
            body = link.dynamic_ancestor()
            for swimmer in self._immersed_shapes(link, immersions.get(link.solid, ())):
                if body is not None and body.weight is not None:
                    self._bodies.setdefault(body, []).append(swimmer)
                    self._inverse[body] = _inverse(body.weight.physics.mass.inertia)

    def _immersed_shapes(self, link: Link, immersions: Iterable[Immersion]) -> Iterator[ImmersedShape]:
        """Iterate over the shapes of a link, each with a fluid that it may be in."""
        for properties in immersions:
            if (fluid := self._fluids.get(properties.fluid)) is None:
                continue
            for shape in link.shapes:
                if shape.solid == properties.solid and isinstance(
                    shape.geometry, Box | Capsule | Cylinder | Sphere
                ):
                    yield ImmersedShape(shape, properties, fluid)

    def remove_links(self, links: set[Link]) -> None:
        """Remove the shapes of links."""
        if self._bodies:
            for link in links:
                self._bodies.pop(link, None)
                self._inverse.pop(link, None)

    def __bool__(self) -> bool:
        return bool(self._bodies)

    def apply_forces(self, step: float) -> None:
        """Apply fluid forces to all shapes for the next step."""
        for link, shapes in self._bodies.items():
            if shapes[0].fluid.stream != NONE:
                link.body.enable()  # a slow stream must move sleeping bodies too
            if link.body.isEnabled():
                self._apply_to_body(link, shapes, step)

    def _apply_to_body(self, link: Link, shapes: list[ImmersedShape], step: float) -> None:
        body: Any = link.body
        link_pose = link.world_pose()
        centre: Vec3 = body.getPosition()
        linear, spin = body.getLinearVel(), body.getAngularVel()
        force, torque = NONE, NONE
        drag, moment, braking, fastest = NONE, NONE, NONE, 0.0
        for swimmer in shapes:
            shape = swimmer.shape
            own = link_pose if shape.link is link else shape.link.world_pose()
            pose = own * shape.pose
            part = swimmer.immersed(pose)
            if part.volume == 0.0:
                continue
            arm = subtract(pose.apply(part.centre), centre)
            lift = scale(self._gravity, -swimmer.fluid.density * part.volume)
            force, torque = add(force, lift), add(torque, cross(arm, lift))
            velocity = subtract(linear, swimmer.fluid.stream)
            solid = own * _in_link(shape)
            held, turned = swimmer.resistance(part, solid, pose, velocity, spin)
            drag, moment, braking = add(drag, held), add(moment, cross(arm, held)), add(braking, turned)
            fastest = max(fastest, norm(velocity))
        share = _share(norm(drag) * step / link.mass, fastest)
        body.addForce(add(force, scale(drag, share)))
        rotation = link_pose.rotation
        change = scale(rotate(rotation, rotate(self._inverse[link], rotate_back(rotation, braking))), step)
        braking = scale(braking, _share(-dot(change, spin), dot(spin, spin)))
        body.addTorque(add(add(torque, scale(moment, share)), braking))


def _share(change: float, most: float) -> float:
    """Return the fraction of a drag impulse that just stops the motion; nearly always 1."""
    return most / change if change > most else 1.0


def _inverse(inertia: Mat3) -> Mat3:
    flat = np.linalg.inv(np.array(inertia).reshape(3, 3)).ravel().tolist()
    return tuple(flat)


def _cut_of(shape: Shape) -> Callable[[Vec3, float], Immersed]:
    """Return the function that computes the part of a shape below a plane."""
    match shape.geometry:
        case Box(size):
            return partial(immersion.of_box, size)
        case Cylinder(radius, height):
            return partial(immersion.of_cylinder, radius, height)
        case Capsule(radius, height):
            return partial(immersion.of_capsule, radius, height)
    return partial(immersion.of_sphere, shape.radius)


def _in_link(shape: Shape) -> Pose:
    """Return the pose of the shape's solid in its link."""
    return next(pose for solid, pose in shape.link.record.solids if solid == shape.solid)


def _row(turn: Pose, axis: int) -> Vec3:
    """Return an axis of the outer frame, in the inner one."""
    r = turn.rotation
    return (r[3 * axis], r[3 * axis + 1], r[3 * axis + 2])
