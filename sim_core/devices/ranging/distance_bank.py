"""All distance sensors of a step at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim_core.base.config import DeviceConfig, SimulationConfig
from sim_core.base.state import State, Stateful
from sim_core.devices.ranging import distance_kernel as kernels
from sim_core.devices.ranging.planar_distance_sensor import PlanarDistanceSensor
from sim_core.devices.sensor import Sensor
from sim_core.engines.rolling import FloatArray, Hits, Ints, Rolling, Slice
from sim_core.sensing.raycast.planar_rays import FlatRays, flatten

_METHODS = {
    "generic": kernels.MEAN,
    "laser": kernels.MEAN,
    "sonar": kernels.ECHO,
    "infra-red": kernels.INFRARED,
}


class _Group(NamedTuple):
    """Sensors of one slice that are due together."""

    plane: Slice
    rows: Ints


@dataclass(eq=False)
class BankState(State):
    """The last measurement of each sensor.

    Attributes:
        times: (s,) sim time in ns, -1 before the first.
        answers: (s, 3) distance in m, output of the lookup table, its relative deviation.
        distances: of all rays, m.
    """

    times: Ints
    answers: FloatArray
    distances: FloatArray


class DistanceSensors(Stateful):
    """The distance sensors that look along the plane, as rows of arrays; a `SensorBank`.

    It takes sensors that are fixed to a robot that drives, whose rays are within 45° of level, that do not
    see their own robot, and whose settings ask for nothing but a period and a seed. Infra-red sensors do not
    see their own robot here, pictures count with their mean colour, and in files of Webots 6 no colour
    counts. The others are sampled one by one, as without this mode.

    Attributes:
        sensors: by row.
        answers: (s, 3) distance in m, output of the lookup table, its relative deviation.
        hits: of all rays.
    """

    def __init__(self, rolling: Rolling, sensors: Iterable[Sensor], config: SimulationConfig) -> None:
        """Take those of all sensors of a world that it can; robots roll already."""
        self._rolling = rolling
        self.sensors: list[PlanarDistanceSensor] = []
        flat: list[FlatRays] = []
        for sensor in sensors:
            if isinstance(sensor, PlanarDistanceSensor) and _is_plain(config, sensor):
                carried = rolling.carried(sensor.spec.id)
                rays = flatten(carried, np.zeros_like(sensor.directions), sensor.directions)
                if rays is not None and sensor.lookup_rows and not sensor.sees_own_robot:
                    sensor.join(self, len(self.sensors))
                    self.sensors.append(sensor)
                    flat.append(rays)
        self._row_of = {sensor: row for row, sensor in enumerate(self.sensors)}
        self._fill(flat)
        self._asked: Sequence[Sensor] = ()
        self._groups: list[_Group] = []
        self._rest: list[Sensor] = []
        self._mine: list[PlanarDistanceSensor] = []
        self._rows: Ints = np.zeros(0, np.int64)

    @property
    def state(self) -> BankState:
        """The measurements, as they are."""
        return BankState(self._times, self.answers, self.hits.distances)

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, BankState)
        self._times[:], self.answers[:], self.hits.distances[:] = state.times, state.answers, state.distances
        for row, sensor in enumerate(self.sensors):
            sensor.output = self.answers.item(row, 1) if self._times[row] >= 0 else None

    def sample(
        self, sensors: Sequence[Sensor], time_ns: int
    ) -> tuple[list[PlanarDistanceSensor], list[Sensor]]:
        """Measure with those of the sensors that are rows here; they owe nothing then.

        Returns:
            Those of them whose listeners must be told, and the sensors that are no rows.
        """
        if sensors != self._asked:
            self._sort(sensors)
        places = self._rolling.places
        for plane, rows in self._groups:
            plane.cast(rows, self._blocks, self._ranges, self._origins, self._directions, places, self.hits)
            kernels.answer(
                rows, self._blocks, self._methods, self._ranges, self._sensitivities, self._weights,
                self._table_rows, self._tables, places, self._directions, plane.factors, *self.hits,
                self.answers,
            )  # fmt: skip
        self._times[self._rows] = time_ns
        heard = []
        # All in one go: with thousands of sensors it is the way to each that costs.
        for sensor, output in zip(self._mine, self.answers[self._rows, 1].tolist(), strict=True):
            sensor.output = output
            sensor.state.turn_seen = sensor.turn.number
            if sensor.listeners:
                heard.append(sensor)
        return heard, self._rest

    def measured_at(self, row: int) -> int:
        """Sim time in ns of the last measurement of a row, -1 before the first."""
        return self._times.item(row)

    def measurement(self, row: int) -> tuple[float, float, float, list[float]]:
        """Distance in m, output of the lookup table, its relative deviation, and m for each ray."""
        distance, output, deviation = self.answers[row].tolist()
        _, first, end = self._blocks[row].tolist()
        return distance, output, deviation, self.hits.distances[first:end].tolist()

    def forget(self, row: int) -> None:
        """There has been no measurement of a row yet."""
        self._times[row] = -1

    def _fill(self, flat: list[FlatRays]) -> None:
        """The arrays of all sensors."""
        sensors = self.sensors
        counts = [len(rays.directions) for rays in flat]
        ends = np.cumsum([0, *counts], dtype=np.int64)
        at = self._rolling.slice
        pairs = zip(flat, sensors, strict=True)
        self._planes = [at(rays.height, sensor.sees_shapes) for rays, sensor in pairs]
        owners = np.array([rays.robot for rays in flat], np.int64)
        self._blocks: Ints = np.stack([owners, ends[:-1], ends[1:]], axis=1)
        self._origins = _stacked([rays.origins for rays in flat])
        self._directions = _stacked([rays.directions for rays in flat])
        self._ranges: FloatArray = np.array([sensor.max_range for sensor in sensors], float)
        self._sensitivities: FloatArray = np.array(
            [0.0 if sensor.spec.axes.is_v6 else sensor.sensitivity for sensor in sensors], float
        )
        self._methods: Ints = np.array([_METHODS[sensor.method] for sensor in sensors], np.int64)
        self._weights: FloatArray = np.array([each for sensor in sensors for each in sensor.weights], float)
        tables: dict[tuple[tuple[float, float, float], ...], int] = {}
        rows: list[tuple[float, float, float]] = []
        table_rows = []
        for sensor in sensors:
            table = sensor.lookup_rows
            if table not in tables:
                tables[table] = len(rows)
                rows += table
            table_rows.append((tables[table], tables[table] + len(table)))
        self._tables: FloatArray = np.array(rows, float).reshape(-1, 3)
        self._table_rows: Ints = np.array(table_rows, np.int64).reshape(-1, 2)
        self.hits = Hits.of(int(ends[-1]))
        self.answers: FloatArray = np.zeros((len(sensors), 3))
        self._times: Ints = np.full(len(sensors), -1, np.int64)

    def _sort(self, sensors: Sequence[Sensor]) -> None:
        """Note which sensors are asked for now; it is mostly the same ones as the last time."""
        self._asked = list(sensors)
        self._mine, self._rest = [], []
        rows: list[int] = []
        groups: dict[int, list[int]] = {}
        for sensor in sensors:
            row = self._row_of.get(sensor)  # type: ignore[call-overload]
            if row is None:
                self._rest.append(sensor)
                continue
            self._mine.append(self.sensors[row])
            rows.append(row)
            groups.setdefault(id(self._planes[row]), []).append(row)
        self._rows = np.array(rows, np.int64)
        self._groups = [
            _Group(self._planes[members[0]], np.array(members, np.int64)) for members in groups.values()
        ]


def _stacked(arrays: list[FloatArray]) -> FloatArray:
    return np.ascontiguousarray(np.concatenate(arrays)) if arrays else np.zeros((0, 2))


def _is_plain(config: SimulationConfig, sensor: PlanarDistanceSensor) -> bool:
    """Whether the settings say nothing about a sensor that changes what it measures."""
    own = config.device(sensor.robot_name, sensor.name)
    return own == DeviceConfig(sampling_period=own.sampling_period, noise_seed=own.noise_seed)
