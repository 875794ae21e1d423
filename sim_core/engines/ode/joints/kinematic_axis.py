"""Axes of joints whose end points have no Physics."""

from __future__ import annotations

from typing import Any

from sim_core.engines.massless_motion import MasslessAxis
from sim_core.engines.ode.ode_binding import finite
from sim_core.model.joint_frames import AxisSpec


class KinematicAxis(MasslessAxis):
    """Axis whose end point has no Physics: it moves exactly as commanded, whatever is in the way."""

    def __init__(self, name: str, spec: AxisSpec) -> None:
        self.name = name
        self.spec = spec
        self.position = spec.position
        self.velocity = 0.0
        self._command = 0.0

    def release_ode(self) -> None:
        """No effect: it has no ODE objects."""

    def go_to_start(self) -> None:
        """Reset to the position of the scene file, at rest."""
        self.position, self.velocity, self._command = self.spec.position, 0.0, 0.0

    def state(self) -> tuple[float | bool, ...]:
        """Whole changing state, for `set_state`."""
        return self.position, self.velocity, self._command

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Restore a state."""
        self.position, self.velocity, self._command = state

    def drive(self, velocity: float, max_effort: float) -> None:
        """Move at a velocity from the next step on; the effort is ignored.

        Raises:
            PhysicsError: it is not finite.
        """
        finite(f"{self.name}: velocity", velocity, limit=1e9)
        self._command = velocity

    def release(self) -> None:
        """Stop."""
        self._command = 0.0

    def advance(self, step: float) -> bool:
        """Move by one step, not past the stops; False: it stands still."""
        before = self.position
        position = before + self._command * step
        if self.spec.has_stops:
            position = max(self.spec.min_stop, min(self.spec.max_stop, position))
        self.position = position
        moved = position != before or self.velocity != 0.0
        self.velocity = (position - before) / step
        return moved
