"""Forces of air and water on solids: lift and drag of wings; added mass and drag of hulls; wind.

A wing with the velocity v of its centre of pressure, w: v without its part along the span (forward × upward),
the angle of attack α between w and `forward`, and the sweep s between v and w (gz-sim, LiftDrag):

    lift  c_l(α)·cos²s·½·ρ·|w|²·A    along span × w
    drag  |c_d(α)|·cos²s·½·ρ·|w|²·A  against w

c_l and c_d rise with α, with other slopes past the stall; the lift does not change its sign there.

A hull with the velocity ν = (v, ω) of its origin relative to the water, in its axes, and the added mass A of
the impulse (P, L) = A·ν (Fossen, Guidance and Control of Ocean Vehicles, 1994; Kirchhoff's equations):

    -A·dν/dt - (ω × P, ω × L + v × P) - (D₁ + D₂·|ν|)·ν

ODE does not know added mass. So dν/dt in this step is computed from all forces that are known before it:
gravity and what devices, plug-ins and fluids apply, but not contacts and joints. The drag is that of the
velocity at the end of the step, so it never reverses a velocity.

The wind w accelerates a solid with the velocity v by k·(w - v), of the velocity at the end of the step, too
(gz-sim, WindEffects). Its speed rises as 1 - e^(-t/T) from the start.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import (
    ZERO,
    Mat3,
    Vec3,
    add,
    cross,
    dot,
    multiply,
    norm,
    normalized,
    rotate,
    scale,
    subtract,
)
from sim_core.base.ids import NodeId
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.links import Link
from sim_core.engines.world_view import JointAxis
from sim_core.model.dynamics.flow import Flow, Matrix, UnderwaterBody, WindyBody, Wing

SLOWEST = 0.01
"""Speed in m/s up to which a wing has no lift and no drag, as in gz-sim."""

_Array = NDArray[np.float64]


class FlowForce(Protocol):
    """A force of air or water on a solid."""

    solid: NodeId

    def apply_force(self, step: float, gravity: Vec3, time: float) -> None:
        """Apply the force for the next step, in s, at this sim time in s."""


def flow_force(record: Flow, link: Link, joints: Iterable[JointPlan]) -> FlowForce:
    """Return the force of a record on a link with a body; its control surface is one of these joints."""
    if isinstance(record, UnderwaterBody):
        return WaterForce(record, link)
    if isinstance(record, WindyBody):
        return WindForce(record, link)
    control = next((plan.axes[0] for plan in joints if plan.record.id == record.control), None)
    return WingForce(record, link, control)


class WingForce:
    """Lift and drag of a wing."""

    def __init__(self, record: Wing, link: Link, control: JointAxis | None) -> None:
        self.solid = record.solid
        self._wing, self._link, self._control = record, link, control
        self._arm = subtract(record.pose.apply(record.centre), link.centre)

    def apply_force(self, step: float, gravity: Vec3, time: float) -> None:
        """Apply the force for the next step."""
        body: Any = self._link.body
        if not body.isEnabled():
            return
        own: Mat3 = body.getRotation()
        arm = rotate(own, self._arm)
        velocity = add(body.getLinearVel(), cross(body.getAngularVel(), arm))
        if norm(velocity) > SLOWEST:
            force = self._force(multiply(own, self._wing.pose.rotation), velocity)
            body.addForce(force)
            body.addTorque(cross(arm, force))

    def _force(self, rotation: Mat3, velocity: Vec3) -> Vec3:
        """Return lift and drag, in world axes, at a rotation of the solid and a velocity in m/s."""
        wing = self._wing
        forward, upward = rotate(rotation, wing.forward), rotate(rotation, wing.upward)
        if wing.is_round:
            upward = cross(forward, cross(forward, velocity))
        span = cross(forward, upward)
        if not norm(span) > 0.0:  # a round one in a flow along its axis
            return ZERO
        span, upward = normalized(span), normalized(upward)
        across = dot(velocity, span)
        inside = subtract(velocity, scale(span, across))
        speed = norm(inside)
        if speed == 0.0:
            return ZERO
        drag, lift = scale(inside, -1.0 / speed), normalized(cross(span, inside))
        angle = math.acos(max(-1.0, min(1.0, dot(lift, upward))))
        alpha = math.remainder(
            wing.angle + (angle if dot(lift, forward) >= 0.0 else -angle), math.pi
        )  # from -π/2 to π/2
        pressure = 0.5 * wing.density * speed * speed * wing.area
        cos_squared = 1.0 - across * across / dot(velocity, velocity)
        of_lift = _coefficient(alpha, wing.stall, wing.lift, wing.lift_past)
        if of_lift * alpha * wing.lift < 0.0:
            of_lift = 0.0
        of_lift *= cos_squared
        if self._control is not None:
            of_lift += wing.control_lift * self._control.position
        of_drag = abs(_coefficient(alpha, wing.stall, wing.drag, wing.drag_past)) * cos_squared
        return add(scale(lift, pressure * of_lift), scale(drag, pressure * of_drag))


def _coefficient(alpha: float, stall: float, slope: float, past: float) -> float:
    """Return a coefficient that rises with `slope` up to the stall, then with the other slope."""
    size = min(abs(alpha), stall) * slope + max(0.0, abs(alpha) - stall) * past
    return math.copysign(1.0, alpha) * size


class WaterForce:
    """Added mass and drag of a solid in water."""

    def __init__(self, record: UnderwaterBody, link: Link) -> None:
        self.solid = record.solid
        self._link = link
        self._axes = np.array(record.pose.rotation).reshape(3, 3)
        arm = self._axes.T @ np.subtract(record.pose.position, link.centre)
        self._to_origin = np.eye(6)
        self._to_origin[:3, 3:] = -_crossing(arm)
        self._added = self._at_centre(_square(record.added))
        self._linear, self._quadratic = _square(record.linear), _square(record.quadratic)
        self._current = np.array(record.current)

    def apply_force(self, step: float, gravity: Vec3, time: float) -> None:
        """Apply the force for the next step; a current wakes the body."""
        body: Any = self._link.body
        if self._current.any():
            body.enable()
        if not body.isEnabled() or self._link.weight is None:
            return
        own = np.array(body.getRotation()).reshape(3, 3)
        axes = own @ self._axes
        spin = axes.T @ body.getAngularVel()
        velocity = axes.T @ np.subtract(body.getLinearVel(), self._current)
        motion = np.concatenate((velocity, spin))
        speeds = np.abs(self._to_origin @ motion)
        drag = self._at_centre(self._linear + self._quadratic * speeds)
        impulse = self._added @ motion
        turns = _crossing(spin)
        turning = np.concatenate(
            (turns @ impulse[:3], turns @ impulse[3:] + _crossing(velocity) @ impulse[:3])
        )
        mass, inertia = self._weight()
        pull = np.multiply(gravity, mass) if body.getGravityMode() else np.zeros(3)
        known = np.concatenate((axes.T @ (body.getForce() + pull), axes.T @ body.getTorque()))
        known[:3] -= mass * (turns @ velocity)
        known[3:] -= turns @ (inertia @ spin)
        whole = self._added + step * drag
        whole[:3, :3] += mass * np.eye(3)
        whole[3:, 3:] += inertia
        change = np.linalg.solve(whole, known - turning - drag @ motion)
        wrench = -turning - drag @ (motion + step * change) - self._added @ change
        body.addForce((axes @ wrench[:3]).tolist())
        body.addTorque((axes @ wrench[3:]).tolist())

    def _at_centre(self, matrix: _Array) -> _Array:
        """Return a matrix of wrenches and motions at the solid's origin for the centre of mass."""
        moved: _Array = self._to_origin.T @ matrix @ self._to_origin
        return moved

    def _weight(self) -> tuple[float, _Array]:
        """Return mass, and inertia in the axes of the solid."""
        assert self._link.weight is not None
        mass = self._link.weight.physics.mass
        inertia = self._axes.T @ np.array(mass.inertia).reshape(3, 3) @ self._axes
        return mass.mass, inertia


class WindForce:
    """Force of the wind at the centre of mass of a solid."""

    def __init__(self, record: WindyBody, link: Link) -> None:
        self.solid = record.solid
        self._wind, self._link = record, link
        centre = link.centre if record.centre is None else record.pose.apply(record.centre)
        self._arm = subtract(centre, link.centre)
        x, y, _ = record.velocity
        self._speed, self._direction = math.hypot(x, y), math.atan2(y, x)

    def apply_force(self, step: float, gravity: Vec3, time: float) -> None:
        """Apply the force for the next step; the wind wakes the body."""
        body: Any = self._link.body
        wind = self._velocity(time)
        if wind != ZERO:
            body.enable()
        if not body.isEnabled() or self._link.weight is None:
            return
        arm = rotate(body.getRotation(), self._arm)
        relative = subtract(wind, add(body.getLinearVel(), cross(body.getAngularVel(), arm)))
        mass = self._link.weight.physics.mass.mass if self._wind.mass is None else self._wind.mass
        factor = self._wind.factor
        force = scale(relative, mass * factor / (1.0 + step * factor))
        body.addForce(force)
        body.addTorque(cross(arm, force))

    def _velocity(self, time: float) -> Vec3:
        """Return the velocity of the wind at a sim time, world axes."""
        wind = self._wind
        gust = wind.gust * math.sin(2.0 * math.pi * time / wind.gust_period)
        speed = self._speed * _risen(time, wind.rise) * (1.0 + gust)
        direction = self._direction + wind.swing * math.sin(2.0 * math.pi * time / wind.swing_period)
        upward = wind.velocity[2] * _risen(time, wind.vertical_rise)
        return speed * math.cos(direction), speed * math.sin(direction), upward


def _risen(time: float, constant: float) -> float:
    return 1.0 - math.exp(-time / constant) if constant > 0.0 else 1.0


def _crossing(vector: _Array) -> _Array:
    """Return the matrix with which `matrix @ x` is `vector × x`."""
    x, y, z = vector
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def _square(matrix: Matrix) -> _Array:
    return np.array(matrix).reshape(6, 6)
