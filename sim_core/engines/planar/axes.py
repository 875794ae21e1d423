"""Axes of joints in the fast 2D mode: one row of arrays each, all advanced at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import PhysicsError
from sim_core.engines.massless_motion import MasslessAxis
from sim_core.model.joint_frames import AxisSpec

FASTEST = 1e9


class AxisTable:
    """State of all axes; a row k belongs to one axis. Units: rad and rad/s, or m and m/s.

    Attributes:
        position, velocity: (k,) present values.
        command: (k,) commanded velocity.
        limited: (k,) velocity of the last step after applying the acceleration limit.
        acceleration: (k,) limit of the change of velocity per second; inf: none.
        start: (k,) position in the scene.
        stops: (k, 2) lowest and highest position; ±inf: none.
        steps: number of steps and changes; tells whether data derived from positions is outdated.
    """

    def __init__(self) -> None:
        self._specs: list[AxisSpec] = []
        self.steps = 0
        self._make()

    def add_axis(self, name: str, spec: AxisSpec) -> PlanarAxis:
        """Add an axis at the position of its scene node."""
        self._specs.append(spec)
        return PlanarAxis(self, len(self._specs) - 1, name, spec)

    def build_arrays(self) -> None:
        """Build the arrays after all axes have been added."""
        self._make()

    def repeat(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add axes that are copies of those in the given rows, at rest at the start; return their rows."""
        first, accelerations = len(self._specs), self.acceleration
        self._specs += [self._specs[row] for row in rows.tolist()]
        self._make()
        self.acceleration[:] = np.concatenate([accelerations, accelerations[rows]])
        return np.arange(first, len(self._specs))

    def reset(self) -> None:
        """Reset all axes to the positions of the scene, at rest."""
        self.position[:] = self.start
        for values in (self.velocity, self.command, self.limited):
            values[:] = 0.0
        self.steps += 1

    def _make(self) -> None:
        specs = self._specs
        self.start: NDArray[np.float64] = np.array([spec.position for spec in specs], float)
        self.position = self.start.copy()
        self.velocity, self.command, self.limited = (np.zeros(len(specs)) for _ in range(3))
        self.acceleration = np.full(len(specs), math.inf)
        none = (-math.inf, math.inf)
        stops = [(spec.min_stop, spec.max_stop) if spec.has_stops else none for spec in specs]
        self.stops = np.array(stops, float).reshape(-1, 2)


class PlanarAxis(MasslessAxis):
    """Axis that moves exactly as commanded within its stops; implements `JointAxis`.

    There is no mass in this mode, so torques and forces have no effect.
    """

    def __init__(self, table: AxisTable, row: int, name: str, spec: AxisSpec) -> None:
        self.table = table
        self.row = row
        self.name = name
        self.spec = spec

    def take_data_of(self, other: PlanarAxis) -> None:
        """Take the data of another axis, after the world was rebuilt."""
        self.table, self.row, self.name, self.spec = other.table, other.row, other.name, other.spec

    def stand_still(self) -> None:
        """Stay at the present position, after the joint was removed."""
        table, position = AxisTable(), self.position
        self.take_data_of(table.add_axis(self.name, self.spec))
        table.build_arrays()
        table.position[0] = position

    @property
    def position(self) -> float:
        """Joint position, rad (continuous) or m."""
        return self.table.position.item(self.row)

    @property
    def velocity(self) -> float:
        """Joint velocity, rad/s or m/s."""
        return self.table.velocity.item(self.row)

    def drive(self, velocity: float, max_effort: float) -> None:
        """Move at a velocity from the next step on; the effort is ignored.

        Raises:
            PhysicsError: it is not finite.
        """
        if not abs(velocity) < FASTEST:
            raise PhysicsError(f"{self.name}: velocity: found {velocity}, expected a finite number")
        self.table.command[self.row] = velocity

    def limit_acceleration(self, acceleration: float) -> None:
        """Limit the change of velocity per second; inf: no limit."""
        self.table.acceleration[self.row] = acceleration

    def release(self) -> None:
        """Stop."""
        self.table.command[self.row] = 0.0
