"""Parameters of all distance sensors with rays in the plane, as columns with a row for each sensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray, IntArray
from sim_core.base.errors import ConfigError
from sim_core.devices.ranging import distance_kernel as kernels
from sim_core.devices.ranging.planar_distance_sensor import PlanarDistanceSensor
from sim_core.engines.rolling import Rolling, Slice
from sim_core.sensing.raycast.planar_rays import FlatRays

_METHODS = {
    "generic": kernels.MEAN,
    "laser": kernels.MEAN,
    "sonar": kernels.ECHO,
    "infra-red": kernels.INFRARED,
}


@dataclass
class DistanceTable:
    """The sensors as columns; the rays of a sensor are consecutive.

    Attributes:
        known: names of the sensors in their robots, each once.
        names: (s,) index of each sensor's name in `known`.
        planes: the slices that rays lie in.
        plane_of: (s,) index of each sensor's slice.
        blocks: (s, 3) row of the robot, first ray and end of each.
        ranges, sensitivities, methods, weights, table_rows, tables: see `distance_kernel.answer`.
        resolutions: (s,) resolution of the values; 0: none.
        deviates: (s,) values have noise.
        origins, directions: (r, 2) of all rays, from the axle centre, in the axes of the robot.
    """

    known: list[str]
    names: IntArray
    planes: list[Slice]
    plane_of: IntArray
    blocks: IntArray
    ranges: FloatArray
    sensitivities: FloatArray
    methods: IntArray
    table_rows: IntArray
    resolutions: FloatArray
    deviates: BoolArray
    weights: FloatArray
    origins: FloatArray
    directions: FloatArray
    tables: FloatArray

    def repeat(self, rows: IntArray, robots: IntArray) -> None:
        """Append rows that are copies of these rows, for these robots."""
        first, end = self.blocks[rows, 1], self.blocks[rows, 2]
        counts = end - first
        ends = len(self.directions) + np.cumsum(counts)
        rays = np.arange(counts.sum()) + np.repeat(first - (ends - counts) + len(self.directions), counts)
        more = np.stack([robots, ends - counts, ends], axis=1)
        self.blocks = np.concatenate([self.blocks, more])
        for name in _OF_ROWS:
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, column[rows]]))
        for name in _OF_RAYS:
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, column[rays]]))


_OF_ROWS = (
    "names",
    "plane_of",
    "ranges",
    "sensitivities",
    "methods",
    "table_rows",
    "resolutions",
    "deviates",
)
_OF_RAYS = ("weights", "origins", "directions")


def table_of(
    rolling: Rolling, sensors: Sequence[PlanarDistanceSensor], flat: Sequence[FlatRays]
) -> DistanceTable:
    """Make the columns of sensors with rays in the plane, followed by those of robots that are copies of
    others.

    Raises:
        ConfigError: a copied sensor has noise, or is not due after every step.
    """
    ends = np.cumsum([0, *(len(rays.directions) for rays in flat)], dtype=np.int64)
    known = {
        sensor.name: number for number, sensor in enumerate({each.name: each for each in sensors}.values())
    }
    slices = [
        rolling.slice(rays.height, sensor.sees_shapes, sees_through=sensor.sees_through)
        for rays, sensor in zip(flat, sensors, strict=True)
    ]
    planes = list({id(each): each for each in slices}.values())
    numbers = {id(each): number for number, each in enumerate(planes)}
    tables: dict[tuple[tuple[float, float, float], ...], int] = {}
    lookup: list[tuple[float, float, float]] = []
    for sensor in sensors:
        if sensor.lookup_rows not in tables:
            tables[sensor.lookup_rows] = len(lookup)
            lookup += sensor.lookup_rows
    table_rows = [(first := tables[each.lookup_rows], first + len(each.lookup_rows)) for each in sensors]
    owners = np.array([rays.robot for rays in flat], np.int64)
    table = DistanceTable(
        known=list(known),
        names=np.array([known[sensor.name] for sensor in sensors], np.int64),
        planes=planes,
        plane_of=np.array([numbers[id(each)] for each in slices], np.int64),
        blocks=np.stack([owners, ends[:-1], ends[1:]], axis=1),
        ranges=np.array([sensor.max_range for sensor in sensors], float),
        sensitivities=np.array(
            [0.0 if sensor.spec.axes.is_v6 else sensor.sensitivity for sensor in sensors], float
        ),
        methods=np.array([_METHODS[sensor.method] for sensor in sensors], np.int64),
        table_rows=np.array(table_rows, np.int64).reshape(-1, 2),
        resolutions=np.array([sensor.resolution or 0.0 for sensor in sensors], float),
        deviates=np.array([sensor.deviates for sensor in sensors], np.bool_),
        weights=np.array([each for sensor in sensors for each in sensor.weights], float),
        origins=_stacked([rays.origins for rays in flat]),
        directions=_stacked([rays.directions for rays in flat]),
        tables=np.array(lookup, float).reshape(-1, 3),
    )
    _add_copies(table, rolling.arrays.templates, sensors)
    return table


def _add_copies(table: DistanceTable, likes: IntArray, sensors: Sequence[PlanarDistanceSensor]) -> None:
    """Append rows for the robots that are copies of others."""
    robots = np.flatnonzero(likes != np.arange(len(likes)))
    if not len(robots):
        return
    owners = table.blocks[:, 0]
    of_robot = {int(row): np.flatnonzero(owners == row) for row in np.unique(likes[robots])}
    for rows in of_robot.values():
        for sensor in (sensors[row] for row in rows.tolist()):
            if sensor.deviates or sensor.period_ns > round(sensor.step_seconds * 1e9):
                found = "noise" if sensor.deviates else f"a sampling period of {sensor.period_ns / 1e9:g} s"
                raise ConfigError(
                    f"{sensor.robot_name}/{sensor.name}: found {found}, expected none: other robots, "
                    "stored as arrays, are copies of it (set instanced: false to make them objects)"
                )
    laid = [of_robot[row] for row in likes[robots].tolist()]
    table.repeat(np.concatenate(laid), np.repeat(robots, [len(each) for each in laid]))


def _stacked(arrays: list[FloatArray]) -> FloatArray:
    return np.ascontiguousarray(np.concatenate(arrays)) if arrays else np.zeros((0, 2))
