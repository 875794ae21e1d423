"""Measurement of all distance sensors of a step in one call (fast 2D mode)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.config import DeviceConfig, SimulationConfig
from sim_core.base.machine import processors
from sim_core.base.state import State, Stateful
from sim_core.devices.ranging import distance_kernel as kernels
from sim_core.devices.ranging.distance_table import DistanceTable, table_of
from sim_core.devices.ranging.parallel import in_parts
from sim_core.devices.ranging.planar_distance_sensor import Measured, PlanarDistanceSensor
from sim_core.devices.sensor import SampleClock, Sensor
from sim_core.engines.rolling import NOTHING, Hits, RobotGrid, Rolling, Slice
from sim_core.sensing.raycast.planar_rays import FlatRays, flatten


@dataclass(eq=False)
class BankState(State):
    """Last measurement of each sensor.

    Attributes:
        times: (s,) sim time in ns, -1 before the first.
        answers: (s, 3) distance in m, output of the lookup table, its relative deviation.
        distances: of all rays, m.
    """

    times: IntArray
    answers: FloatArray
    distances: FloatArray


class DistanceSensors(Stateful):
    """Distance sensors with rays in the plane, as rows of arrays; a `SensorBank`.

    It measures sensors that are fixed to a driving robot, whose rays are within 45° of level, that do not see
    their own robot, and whose settings give nothing but a period and a seed. Infra-red sensors do not see
    their own robot here, textures are replaced by their mean colour, and in files of Webots 6 colours are
    ignored. All other sensors are sampled one by one, as without this mode.

    After the rows of sensors follow those of robots without objects (`RollingArrays.templates`): each is
    a copy of a sensor's row, and due after every step.

    Attributes:
        rolling: the robots with the sensors.
        sensors: sensors of the first rows.
        table: parameters of all rows.
        answers: (s, 3) distance in m, output of the lookup table, its relative deviation.
        hits: hits of all rays.
    """

    table: DistanceTable
    hits: Hits

    def __init__(self, rolling: Rolling, config: SimulationConfig) -> None:
        """Start without sensors."""
        self.rolling, self._config = rolling, config
        self._threads = config.threads or processors()
        self._is_read = False
        self.sensors: list[PlanarDistanceSensor] = []
        self.set_sensors(())

    def set_sensors(self, sensors: Iterable[Sensor]) -> None:
        """Replace the sensors by those of a world that it can measure; known sensors keep their last
        measurement.

        The robots must be in `rolling` already.

        Raises:
            ConfigError: sensors of robots without objects cannot be rows.
        """
        before = self.sensors
        for row, each in enumerate(before):
            rays = self.hits.distances[self._rays(row)].copy()
            each.measured = Measured(self._times.item(row), self.answers[row].copy(), rays)
        self.sensors = []
        flat: list[FlatRays] = []
        for sensor in sensors:
            if isinstance(sensor, PlanarDistanceSensor) and is_plain(self._config, sensor):
                carried = self.rolling.carried(sensor.spec.id)
                laid = flatten(carried, np.zeros_like(sensor.directions), sensor.directions)
                if laid is not None and sensor.lookup_rows and not sensor.sees_own_robot:
                    sensor.attach_bank(self, len(self.sensors))
                    self.sensors.append(sensor)
                    flat.append(laid)
        self._row_of: dict[Sensor, int] = {sensor: row for row, sensor in enumerate(self.sensors)}
        self.table = table_of(self.rolling, self.sensors, flat)
        self.hits = Hits.empty(len(self.table.directions))
        self.answers: FloatArray = np.zeros((len(self.table.blocks), 3))
        self._times: IntArray = np.full(len(self.answers), -1, np.int64)
        # The rows of the working sensors, by clock; None: out of date.
        self._turns: list[tuple[SampleClock, IntArray]] | None = None
        self._requested: Sequence[Sensor] = ()
        self._groups: list[IntArray] = []
        self._others: list[Sensor] = []
        self._selected: list[PlanarDistanceSensor] = []
        self._rows: IntArray = np.zeros(0, np.int64)
        for row, each in enumerate(self.sensors):
            rays = self.hits.distances[self._rays(row)]
            if each.measured is not None and len(each.measured.distances) == len(rays):
                self._times[row], self.answers[row], rays[:] = each.measured
        for each in before:
            if each not in self._row_of:
                each.detach_bank()

    def _rays(self, row: int) -> slice:
        _, first, end = self.table.blocks[row].tolist()
        return slice(first, end)

    @property
    def state(self) -> BankState:
        """The present measurements."""
        return BankState(self._times, self.answers, self.hits.distances)

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, BankState)
        self._times[:], self.answers[:], self.hits.distances[:] = state.times, state.answers, state.distances
        self.recheck()
        for row, sensor in enumerate(self.sensors):
            sensor.output = self.answers.item(row, 1) if self._times[row] >= 0 else None

    def measure_sensors(
        self, sensors: Sequence[Sensor], time_ns: int
    ) -> tuple[list[PlanarDistanceSensor], list[Sensor]]:
        """Measure with those of the sensors that have rows; no reading of them is due afterwards.

        Returns:
            Those of them that have listeners, and the sensors without rows.
        """
        if sensors != self._requested:
            self._select(sensors)
        self._measure(self._groups, time_ns)
        with_listeners = []
        # One loop over plain lists: with thousands of sensors, attribute access dominates the time.
        for sensor, output in zip(self._selected, self.answers[self._rows, 1].tolist(), strict=True):
            sensor.output = output
            sensor.state.seen_number = sensor.sample_clock.number
            if sensor.listeners:
                with_listeners.append(sensor)
        return with_listeners, self._others

    def values(self, time_ns: int) -> FloatArray:
        """Return the value of each row at its last due time, (s,), NaN before the first, as `value` of
        each sensor.

        Due measurements are made at once, without a call for each row.
        """
        self._is_read = True
        self.measure_due(time_ns)
        table = self.table
        found = self.answers[:, 1].copy()
        if len(stepped := np.flatnonzero(table.resolutions)):
            steps = table.resolutions[stepped]
            found[stepped] = steps * np.floor(found[stepped] / steps + 0.5)
        found[self._times < 0] = np.nan
        # the noise of these rows is drawn by their sensors
        for row in np.flatnonzero(table.deviates[: len(self.sensors)]).tolist():
            value = self.sensors[row].value
            found[row] = np.nan if value is None else value
        return found

    def measure_due(self, time_ns: int) -> None:
        """Measure the rows that are due at a sim time, if `values` has been called before."""
        if not self._is_read or time_ns == 0:
            return
        rows = [rows for turn, rows in self._due_rows() if turn.due_ns == time_ns]
        self._measure_unmeasured([*rows, self._rows_of_copies], time_ns)

    def measure_copies(self, time_ns: int) -> None:
        """Measure the rows of robots without objects that are due at a sim time after a step."""
        self._measure_unmeasured([self._rows_of_copies], time_ns)

    def recheck(self) -> None:
        """Invalidate which sensors work or are due."""
        self._turns = None

    def measured_at(self, row: int) -> int:
        """Return the sim time in ns of the last measurement of a row, -1 before the first."""
        return self._times.item(row)

    def measurement(self, row: int) -> tuple[float, float, float, list[float]]:
        """Return distance in m, output of the lookup table, its relative deviation, and m for each ray."""
        distance, output, deviation = self.answers[row].tolist()
        _, first, end = self.table.blocks[row].tolist()
        return distance, output, deviation, self.hits.distances[first:end].tolist()

    def copies(self, sensors: Sequence[Sensor], count: int) -> DistanceCopies | str:
        """Return these sensors in copies of the world (see `RolledCopies`), or the reason why they cannot
        be copied."""
        for sensor in sensors:
            if sensor not in self._row_of:
                return f"{sensor.robot_name}.{sensor.name} is not a distance sensor with rays in the plane"
            if not self.sensors[self._row_of[sensor]].is_exact:
                return f"{sensor.robot_name}.{sensor.name} has noise or a resolution"
        return DistanceCopies(self, [self._row_of[sensor] for sensor in sensors], count)

    def distance(self, row: int) -> float:
        """Return the distance of the last measurement of a row, m; NaN before the first."""
        return self.answers.item(row, 0) if self._times[row] >= 0 else math.nan

    def rows_of(self, sensors: Iterable[Sensor]) -> dict[Sensor, int]:
        """Return the rows of those of some sensors that it measures."""
        return {sensor: self._row_of[sensor] for sensor in sensors if sensor in self._row_of}

    def rows_of_copy(self, robot: int) -> range:
        """Return the rows of a robot without objects, in the order of the sensors of the robot that it
        copies."""
        first, end = np.searchsorted(self.table.blocks[len(self.sensors) :, 0], (robot, robot + 1)).tolist()
        return range(len(self.sensors) + first, len(self.sensors) + end)

    def distances(self, rows: IntArray) -> FloatArray:
        """Return the distances of the last measurement of some rows, m, as `distance` of each."""
        return np.where(self._times[rows] >= 0, self.answers[rows, 0], np.nan)

    def clear_row(self, row: int) -> None:
        """Discard the measurement of a row."""
        self._times[row] = -1

    def clear_copies(self) -> None:
        """Discard the measurements of robots without objects."""
        self._times[len(self.sensors) :] = -1

    @property
    def _rows_of_copies(self) -> IntArray:
        return np.arange(len(self.sensors), len(self.answers))

    def _measure_unmeasured(self, rows: Iterable[IntArray], time_ns: int) -> None:
        """Measure those of some rows that were not measured at this time yet."""
        unmeasured = self._times != time_ns
        self._measure(self.by_plane(np.concatenate([each[unmeasured[each]] for each in rows])), time_ns)

    def _measure(self, groups: Iterable[IntArray], time_ns: int) -> None:
        """Measure groups of rows, each in one plane."""
        table = self.table
        for rows in groups:
            plane = table.planes[table.plane_of[rows[0]]]
            robots = plane.sort(self.rolling.arrays.places)
            in_parts(partial(self._measure_rows, plane, robots), rows, self._threads)
            self._times[rows] = time_ns

    def _measure_rows(self, plane: Slice, robots: RobotGrid, rows: IntArray) -> None:
        table = self.table
        plane.cast(rows, table.blocks, table.ranges, table.origins, table.directions, robots, self.hits)
        kernels.answer(
            rows, table.blocks, table.methods, table.ranges, table.sensitivities, table.weights,
            table.table_rows, table.tables, robots.turns, table.directions,
            plane.constants.factors, *self.hits, self.answers,
        )  # fmt: skip

    def _due_rows(self) -> list[tuple[SampleClock, IntArray]]:
        """Return the rows of the sensors that work, by clock."""
        if self._turns is None:
            rows: dict[SampleClock, list[int]] = {}
            for row, sensor in enumerate(self.sensors):
                if sensor.can_sample:
                    rows.setdefault(sensor.sample_clock, []).append(row)
            self._turns = [(turn, np.array(each, np.int64)) for turn, each in rows.items()]
        return self._turns

    def by_plane(self, rows: IntArray) -> list[IntArray]:
        """Group rows by their planes."""
        planes = self.table.plane_of[rows]
        found = np.flatnonzero(np.bincount(planes)).tolist()
        return [rows] if len(found) == 1 else [rows[planes == plane] for plane in found]

    def _select(self, sensors: Sequence[Sensor]) -> None:
        """Store which sensors to measure; it is mostly the same ones as the last time."""
        self._requested = list(sensors)
        self._selected, self._others = [], []
        rows: list[int] = []
        for sensor in sensors:
            row = self._row_of.get(sensor)
            if row is None:
                self._others.append(sensor)
                continue
            self._selected.append(self.sensors[row])
            rows.append(row)
        self._rows = np.array(rows, np.int64)
        self._groups = self.by_plane(self._rows)


class DistanceCopies:
    """Some sensors of a bank, in copies of the world; results are equal to the last bit to those of a
    single world.

    Attributes:
        outputs: (c, s) of their lookup tables.
    """

    def __init__(self, bank: DistanceSensors, rows: Sequence[int], count: int) -> None:
        """Prepare the sensors in these rows of the bank, in so many copies."""
        self._bank = bank
        self._rows = np.array(rows, np.int64)
        table, robots = bank.table, len(bank.rolling.arrays.places)
        sensors, rays = len(table.blocks), len(table.directions)
        numbers = np.arange(count, dtype=np.int64)
        shift = np.stack([numbers * robots, numbers * rays, numbers * rays], axis=1)
        self._blocks = (table.blocks + shift[:, None]).reshape(-1, 3)
        self._hits = Hits(
            np.full((count, rays), np.inf),
            np.zeros((count, rays, 2)),
            np.full((count, rays), NOTHING, np.int64),
        )
        self._turns = np.zeros((count, robots, 2))
        self._sensors = sensors
        self._answers: FloatArray = np.zeros((count * sensors, 3))
        self.outputs: FloatArray = np.zeros((count, len(rows)))
        by_sensor = (table.methods, table.ranges, table.sensitivities)
        self._methods, self._ranges, self._sensitivities = (np.tile(each, count) for each in by_sensor)
        self._weights = np.tile(table.weights, count)
        self._table_rows = np.tile(table.table_rows, (count, 1))
        self._directions = np.tile(table.directions, (count, 1))

    def measure_rows(self, copies: IntArray, places: FloatArray) -> None:
        """Measure in some copies, with the robots at `RolledCopies.places`; other threads may measure in
        other copies at the same time."""
        table, turns = self._bank.table, self._turns
        distances, normals, met = self._hits
        flat = (distances.reshape(-1), normals.reshape(-1, 2), met.reshape(-1))
        for among in self._bank.by_plane(self._rows):
            plane = table.planes[table.plane_of[among[0]]]
            plane.cast_copies(
                copies, among, table.blocks, table.ranges, table.origins, table.directions,
                places, turns, self._hits,
            )  # fmt: skip
            rows = (copies[:, None] * self._sensors + among).ravel()
            kernels.answer(
                rows, self._blocks, self._methods, self._ranges, self._sensitivities, self._weights,
                self._table_rows, table.tables, turns.reshape(-1, 2), self._directions,
                plane.constants.factors, *flat, self._answers,
            )  # fmt: skip
        rows = (copies[:, None] * self._sensors + self._rows).ravel()
        self.outputs[copies] = self._answers[rows, 1].reshape(len(copies), len(self._rows))


def is_plain(config: SimulationConfig, sensor: Sensor) -> bool:
    """Return True if a sensor's settings do not change what it measures."""
    own = config.device(sensor.robot_name, sensor.name)
    return own == DeviceConfig(sampling_period=own.sampling_period, noise_seed=own.noise_seed)
