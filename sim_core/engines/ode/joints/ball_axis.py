"""The three axes of a ball joint: a gimbal with massless rings."""

from __future__ import annotations

from math import asin, atan2, cos, sin
from typing import Any

from sim_core.base.geometry import (
    Mat3,
    Vec3,
    add,
    cross,
    dot,
    multiply,
    normalized,
    scale,
    subtract,
    transposed,
)
from sim_core.engines.ode.joints.axes import Axis, Reader
from sim_core.engines.ode.ode_binding import LARGEST, finite, set_motor
from sim_core.model.joint_frames import AxisSpec

LEAST_LEVER = 0.02
"""Smallest lever: a ball joint's first and third axis act as if never closer to parallel (gimbal lock)."""


class BallAxis(Axis):
    """One of the three axes of a ball joint, turned one after the other: axis 1 first, fixed to the
    parent."""

    def __init__(self, name: str, spec: AxisSpec, index: int) -> None:
        """`index`: 0 is fixed to the parent, 2 to the child."""
        super().__init__(name, spec)
        self.index = index
        self._lever = 1.0
        self._wanted = (0.0, 0.0)

    def bind_frames(
        self, parent: Any, child: Any, axes: tuple[Vec3, Vec3, Vec3], positions: tuple[float, ...]
    ) -> None:
        """Store the bodies (None: the world) and their frames, from the present axes and positions (rad).

        The parent's frame is that of the axes at positions 0; the child's frame moves with the child.
        """
        first, second, third = axes
        self._parent, self._child = parent, child
        # R = Rx(a)·Ry(b)·Rz(c): the second axis is at angle a about the first, the third at b
        ca, sa = cos(positions[0]), sin(positions[0])
        cc, sc = cos(positions[2]), sin(positions[2])
        across = cross(first, second)
        y = subtract(scale(second, ca), scale(across, sa))
        self._in_parent = _turned_back(parent, _columns(first, y, cross(first, y)))
        across = cross(second, third)
        x = add(scale(across, cc), scale(second, sc))
        self._in_child = _turned_back(child, _columns(x, cross(third, x), third))
        self._lever, self._wanted = 1.0, (0.0, 0.0)

    @property
    def _turns_not_in_ode(self) -> int:
        """0: ODE has the full angle."""
        return 0

    def world_axes(self) -> tuple[Vec3, Vec3, Vec3]:
        """Return the present axes: the first fixed to the parent, the third to the child, the second across
        both."""
        parent = _turned(self._parent, self._in_parent)
        child = _turned(self._child, self._in_child)
        first, third = (parent[0], parent[3], parent[6]), (child[2], child[5], child[8])
        return first, normalized(cross(third, first)), third

    def motor_rows(self) -> tuple[tuple[Vec3, Vec3, Vec3], float]:
        """Return unit vectors u with u·ω = lever·(rate of the axis), lever 1 for the second axis, and the
        lever.

        The first and the third axis are not orthogonal if the second is turned by b: the lever is cos b. A
        torque along u then acts on its own axis alone, multiplied by the lever.
        """
        first, second, third = self.world_axes()
        u, w = normalized(cross(second, third)), normalized(cross(first, second))
        return (u, second, w), max(LEAST_LEVER, abs(dot(first, u)))

    def set_lever(self, lever: float) -> None:
        """Set the lever of the motor and the passive joint."""
        if lever != self._lever:
            self._lever = lever
            self._drive_row()
            if self._passive is not None:
                self._passive.set_lever(lever)

    def drive(self, velocity: float, max_effort: float) -> None:
        """Drive the axis; see `Axis.drive`."""
        finite(f"{self.name}: velocity", velocity)
        self._wanted = (velocity, min(max_effort, LARGEST))
        super().drive(velocity * self._lever, max_effort / self._lever)

    def release(self) -> None:
        """Switch the motor off; see `Axis.release`."""
        self._wanted = (0.0, 0.0)
        super().release()

    def motor(self) -> tuple[float, float, float]:
        """Motor velocity, largest effort and brake damping, without the present lever."""
        return *self._wanted, self._brake

    def _drive_row(self) -> None:
        velocity, effort = self._wanted
        if effort > 0.0:
            speed, limit = velocity * self._lever, min(effort / self._lever, LARGEST)
            set_motor(self._motor, self._sign * speed, limit, self._offset)

    def _angles(self) -> Vec3:
        p, c = _turned(self._parent, self._in_parent), _turned(self._child, self._in_child)
        r = [[sum(p[3 * k + i] * c[3 * k + j] for k in range(3)) for j in range(3)] for i in range(3)]
        # R = Rx(a)·Ry(b)·Rz(c): the angles of axes 1, 2, 3
        return (
            atan2(-r[1][2], r[2][2]),
            asin(max(-1.0, min(1.0, r[0][2]))),
            atan2(-r[0][1], r[0][0]),
        )

    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        return self._turned_by, self._turns_at

    def _turned_by(self) -> float:
        return self._sign * (self._angles()[self.index] - self.spec.position)

    def _turns_at(self) -> float:
        own = subtract(_spin(self._child), _spin(self._parent))
        first, second, third = self.world_axes()
        # the three axes need not be orthogonal: solve ω = Σ rate·axis by the reciprocal basis
        volume = dot(first, cross(second, third))
        if abs(volume) < 1e-9:
            return 0.0
        bases = (cross(second, third), cross(third, first), cross(first, second))
        return self._sign * dot(own, bases[self.index]) / volume

    def _add_effort(self, effort: float) -> None:
        rows, lever = self.motor_rows()
        torque = scale(rows[self.index], self._sign * (effort if self.index == 1 else effort / lever))
        for body, sign in ((self._child, 1.0), (self._parent, -1.0)):
            if body is not None:
                body.addTorque(scale(torque, sign))

    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        return dot(torque, self.world_axes()[self.index])


def _spin(body: Any) -> Vec3:
    """Return the angular velocity of a body; None: the world."""
    return body.getAngularVel() if body is not None else (0.0, 0.0, 0.0)


def _columns(x: Vec3, y: Vec3, z: Vec3) -> Mat3:
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


def _turned(body: Any, rotation: Mat3) -> Mat3:
    """Return R_body · rotation; no body: the world."""
    return multiply(body.getRotation(), rotation) if body is not None else rotation


def _turned_back(body: Any, rotation: Mat3) -> Mat3:
    return multiply(transposed(body.getRotation()), rotation) if body is not None else rotation
