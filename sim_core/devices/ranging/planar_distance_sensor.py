"""DistanceSensor in the fast 2D mode: all of them are measured at once, readings are made on demand."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from sim_core.base.arrays import FloatArray
from sim_core.devices.field_checks import rounded
from sim_core.devices.ranging.distance_sensor import DistanceReading, DistanceSensor
from sim_core.devices.sensor import SampleClock


class SensorBank(Protocol):
    """What measures many sensors at once, a row each."""

    def measured_at(self, row: int) -> int:
        """Sim time in ns of the last measurement of a row, -1 before the first."""

    def measurement(self, row: int) -> tuple[float, float, float, list[float]]:
        """Distance in m, output of the lookup table, its relative deviation, and m for each ray."""

    def distance(self, row: int) -> float:
        """m, of the last measurement of a row; NaN before the first."""

    def forget(self, row: int) -> None:
        """There has been no measurement of a row yet."""

    def recheck(self) -> None:
        """Other sensors work, or are due, than before."""


class Measured(NamedTuple):
    """What a bank has measured with one sensor.

    Attributes:
        time_ns: sim time, -1: not yet.
        answers: (3,) distance in m, output of the lookup table, its relative deviation.
        distances: m, of each ray.
    """

    time_ns: int
    answers: FloatArray
    distances: FloatArray


class PlanarDistanceSensor(DistanceSensor):
    """A DistanceSensor whose readings a bank keeps as numbers, until somebody asks for one.

    A sensor that no bank takes (see `join`) works as a DistanceSensor does.

    Attributes:
        output: of the lookup table, in the bank's last measurement; None before the first.
        is_exact: the bank's output is the value.
        measured: what the bank had measured when it was last laid out anew; None: it has not been.
    """

    output: float | None = None
    is_exact = False
    measured: Measured | None = None

    _bank: SensorBank | None = None
    _row = -1

    def join(self, bank: SensorBank, row: int) -> None:
        """From now on this row of a bank has the measurements."""
        self._bank, self._row = bank, row
        self.is_exact = not self.deviates and self._resolution is None

    def leave(self) -> None:
        """The bank no longer measures it: its last reading stays."""
        if self.measured is not None and self.measured.time_ns >= 0:
            time_ns, answers, distances = self.measured
            distance, output, deviation = answers.tolist()
            self.state.latest = self._made(time_ns, distance, output, deviation, distances.tolist())
        self._bank = None

    @property
    def deviates(self) -> bool:
        """Its values have noise."""
        return self._noise is not None

    @property
    def resolution(self) -> float | None:
        """The steps of its values; None: it has none."""
        return self._resolution

    def be_due_in(self, turn: SampleClock) -> None:
        """As `Sensor.be_due_in`."""
        super().be_due_in(turn)
        self.recheck()

    def recheck(self) -> None:
        """As `Sensor.recheck`."""
        super().recheck()
        if self._bank is not None:
            self._bank.recheck()

    def catch_up(self) -> None:
        """As `Sensor.catch_up`; the bank may have measured by itself."""
        state, turn = self.state, self.turn
        if abs(state.turn_seen) == turn.number or self._bank is None:
            super().catch_up()
        elif turn.due_ns >= 0 and self._bank.measured_at(self._row) == turn.due_ns:
            self.output = self._bank.measurement(self._row)[1]
            state.turn_seen = turn.number
        else:
            super().catch_up()

    @property
    def reading(self) -> DistanceReading | None:
        """The last reading, None before the first; noise is drawn now, by the time of the measurement."""
        self.catch_up()
        made: Any = self.state.latest
        if self._bank is None:
            return made
        time_ns = self._bank.measured_at(self._row)
        if time_ns < 0:
            return None
        if made is None or made.time_ns != time_ns:
            made = self.state.latest = self._made(time_ns, *self._bank.measurement(self._row))
        return made

    @reading.setter
    def reading(self, value: Any) -> None:
        self.state.latest = value
        self.state.turn_seen = self.turn.number
        if value is None:
            self._forget()

    @property
    def value(self) -> float | None:
        """The value of the last reading, None before the first."""
        if self.state.turn_seen != self.turn.number:
            self.catch_up()
        return self.output if self.is_exact else super().value

    @property
    def distance(self) -> float:
        """As of a DistanceSensor; no reading is made for it."""
        if self._bank is None:
            return super().distance
        self.catch_up()
        return self._bank.distance(self._row)

    def update(self, time_ns: int) -> None:
        """Tell the listeners of the reading that the bank has the numbers of."""
        if self._bank is None:
            super().update(time_ns)
            return
        for listener in self.listeners:
            listener(self.reading)

    def reset(self) -> None:
        """Forget the last reading."""
        super().reset()
        self._forget()

    def _forget(self) -> None:
        self.measured = None
        if self._bank is not None:
            self._bank.forget(self._row)
            self.output = None

    def _made(
        self, time_ns: int, distance: float, output: float, deviation: float, rays: list[float]
    ) -> DistanceReading:
        """The reading of a measurement."""
        normal = self._noise.normals(time_ns)[0] if self._noise else 0.0
        value = rounded(output * (1.0 + deviation * normal), self._resolution)
        return DistanceReading(time_ns, value, distance, tuple(rays))
