"""Springs, dampers and static friction of joints."""

from __future__ import annotations

from typing import Any

from sim_core.engines.ode.ode_binding import CFM, LARGEST, MAX_FORCE, VELOCITY, set_motor


class PassiveJoint:
    """Spring, damper and static friction of an axis: motor rows of a second ODE joint besides the main one.

    A motor row with velocity u and CFM m is a damper of coefficient 1/m about u. With CFM = 1/(h·k + c) and u
    = -k·(q - h·0)/(h·k + c) it is the spring and damper -k·q - c·v, evaluated at the end of the step: it is
    stable for any stiffness. Friction is a motor of velocity 0 and limited force.
    """

    def __init__(self, make_row: Any, step: float) -> None:
        """`make_row(index)` returns (joint, offset, sign) of a free motor row along the axis."""
        self._make_row = make_row
        self._step = step
        self._spring_row: tuple[Any, int, float] | None = None
        self._friction_row: tuple[Any, int, float] | None = None
        self._gain = 0.0
        self._lever = 1.0
        self._coefficients = (0.0, 0.0, 0.0)

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""
        self._spring_row = self._friction_row = self._make_row = None

    def reserve(self) -> None:
        """Create the row of spring and damper now: its axis is that of the joint's pose at creation, and the
        order of creation affects the solver."""
        self._spring_row = self._make_row(0)

    def set_coefficients(self, spring: float, damping: float, friction: float) -> None:
        """Set the coefficients."""
        self._coefficients = (spring, damping, friction)
        lever = self._lever
        stiffness = (self._step * spring + damping) / (lever * lever)
        if stiffness > 0.0 or self._spring_row is not None:
            self._spring_row = self._spring_row or self._make_row(0)
            joint, offset, _ = self._spring_row
            joint.setParam(CFM + offset, 1.0 / stiffness if stiffness > 0.0 else 0.0)
            joint.setParam(VELOCITY + offset, 0.0)
            joint.setParam(MAX_FORCE + offset, LARGEST if stiffness > 0.0 else 0.0)
            self._gain = spring / (lever * stiffness) if stiffness > 0.0 else 0.0
        if friction > 0.0 or self._friction_row is not None:
            self._friction_row = self._friction_row or self._make_row(1)
            set_motor(self._friction_row[0], 0.0, friction / lever, self._friction_row[1])

    def set_lever(self, lever: float) -> None:
        """Set the lever: the rows measure `lever` times the joint's velocity, and act `lever` times as
        strongly."""
        self._lever = lever
        if any(self._coefficients):
            self.set_coefficients(*self._coefficients)

    def update_spring(self, position: float) -> None:
        """Set the spring for a step that starts at this joint position."""
        if self._spring_row is not None:
            joint, offset, sign = self._spring_row
            joint.setParam(VELOCITY + offset, -sign * self._gain * position)
