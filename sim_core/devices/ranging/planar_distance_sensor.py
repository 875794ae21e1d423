"""DistanceSensor in the fast 2D mode: one call measures with all sensors, and readings are made on demand."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from sim_core.base.arrays import FloatArray
from sim_core.devices.field_checks import rounded
from sim_core.devices.ranging.distance_sensor import DistanceReading, DistanceSensor
from sim_core.devices.sensor import SampleClock


class SensorBank(Protocol):
    """Measures many sensors in one call, a row for each."""

    def measured_at(self, row: int) -> int:
        """Return the sim time in ns of the last measurement of a row, -1 before the first."""

    def measurement(self, row: int) -> tuple[float, float, float, list[float]]:
        """Return distance in m, output of the lookup table, its relative deviation, and m for each ray."""

    def distance(self, row: int) -> float:
        """Return the distance of the last measurement of a row, m; NaN before the first."""

    def clear_row(self, row: int) -> None:
        """Discard the measurement of a row."""

    def recheck(self) -> None:
        """Invalidate which sensors work or are due."""


class Measured(NamedTuple):
    """A bank's measurement with one sensor.

    Attributes:
        time_ns: sim time, -1: not measured yet.
        answers: (3,) distance in m, output of the lookup table, its relative deviation.
        distances: m, of each ray.
    """

    time_ns: int
    answers: FloatArray
    distances: FloatArray


class PlanarDistanceSensor(DistanceSensor):
    """A DistanceSensor whose measurements a bank stores as numbers, from which readings are made on
    demand.

    A sensor without a bank (see `attach_bank`) works as a DistanceSensor.

    Attributes:
        output: output of the lookup table in the bank's last measurement; None before the first.
        is_exact: the bank's output is the value.
        measured: measurement of the bank when its rows were last replaced; None: there is none.
    """

    output: float | None = None
    is_exact = False
    measured: Measured | None = None

    _bank: SensorBank | None = None
    _row = -1

    def attach_bank(self, bank: SensorBank, row: int) -> None:
        """Take measurements from this row of a bank from now on."""
        self._bank, self._row = bank, row
        self.is_exact = not self.deviates and self._resolution is None

    def on_removed(self) -> None:
        """Detach from the bank; called when its robot was removed."""
        self.detach_bank()

    def detach_bank(self) -> None:
        """Detach from the bank, and keep the last reading."""
        if self.measured is not None and self.measured.time_ns >= 0:
            time_ns, answers, distances = self.measured
            distance, output, deviation = answers.tolist()
            self.state.latest = self._make_reading(time_ns, distance, output, deviation, distances.tolist())
        self._bank = None

    @property
    def deviates(self) -> bool:
        """True if its values have noise."""
        return self._noise is not None

    @property
    def resolution(self) -> float | None:
        """Resolution of its values; None: it has none."""
        return self._resolution

    def use_sample_clock(self, clock: SampleClock) -> None:
        """Set the clock of the sample times, also for the bank; see `Sensor.use_sample_clock`."""
        super().use_sample_clock(clock)
        self.recheck()

    def recheck(self) -> None:
        """Update the schedules of the sensor and of the bank; see `Sensor.recheck`."""
        super().recheck()
        if self._bank is not None:
            self._bank.recheck()

    def catch_up(self) -> None:
        """Make a postponed reading, from the bank's measurement if it has one; see `Sensor.catch_up`."""
        state, clock = self.state, self.sample_clock
        if abs(state.seen_number) == clock.number or self._bank is None:
            super().catch_up()
        elif clock.due_ns >= 0 and self._bank.measured_at(self._row) == clock.due_ns:
            self.output = self._bank.measurement(self._row)[1]
            state.seen_number = clock.number
        else:
            super().catch_up()

    @property
    def reading(self) -> DistanceReading | None:
        """Last reading, None before the first; its noise is drawn now, for the time of the measurement."""
        self.catch_up()
        made: Any = self.state.latest
        if self._bank is None:
            return made
        time_ns = self._bank.measured_at(self._row)
        if time_ns < 0:
            return None
        if made is None or made.time_ns != time_ns:
            made = self.state.latest = self._make_reading(time_ns, *self._bank.measurement(self._row))
        return made

    @reading.setter
    def reading(self, value: Any) -> None:
        self.state.latest = value
        self.state.seen_number = self.sample_clock.number
        if value is None:
            self._discard_reading()

    @property
    def value(self) -> float | None:
        """Value of the last reading, None before the first."""
        if self.state.seen_number != self.sample_clock.number:
            self.catch_up()
        return self.output if self.is_exact else super().value

    @property
    def distance(self) -> float:
        """Distance in the last measurement, m, without making a reading; NaN before the first."""
        if self._bank is None:
            return super().distance
        self.catch_up()
        return self._bank.distance(self._row)

    def update(self, time_ns: int) -> None:
        """Call the listeners with the reading of the bank's last measurement."""
        if self._bank is None:
            super().update(time_ns)
            return
        for listener in self.listeners:
            listener(self.reading)

    def reset(self) -> None:
        """Discard the last reading."""
        super().reset()
        self._discard_reading()

    def _discard_reading(self) -> None:
        self.measured = None
        if self._bank is not None:
            self._bank.clear_row(self._row)
            self.output = None

    def _make_reading(
        self, time_ns: int, distance: float, output: float, deviation: float, rays: list[float]
    ) -> DistanceReading:
        """Make the reading of a measurement."""
        normal = self._noise.normals(time_ns)[0] if self._noise else 0.0
        value = rounded(output * (1.0 + deviation * normal), self._resolution)
        return DistanceReading(time_ns, value, distance, tuple(rays))
