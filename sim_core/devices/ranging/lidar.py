"""Lidar: distances along many rays, from a fixed or from a rotating head."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.errors import CommandError
from sim_core.base.ids import NodeId
from sim_core.base.limits import limit, within
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import DEVICE_AXES, FLAG, Channel, Errors, declare
from sim_core.devices.command_checks import check_finite
from sim_core.devices.commands import Number, command
from sim_core.devices.field_checks import (
    count_at_least,
    noise_of,
    number_at_least,
    one_of,
    positive_number,
    refuse,
    resolution_of,
)
from sim_core.devices.noise import Noise
from sim_core.devices.ranging.lidar_head import LidarHead, Sweep
from sim_core.devices.ranging.scan_pattern import (
    azimuths,
    cone_directions,
    elevations,
    plane_directions,
    revolution,
    spread,
    tilted,
)
from sim_core.devices.sensor import Reading, Sensor, SensorState
from sim_core.engines.world_view import JointAxis
from sim_core.model.appearance import infrared_factor
from sim_core.model.device_spec import DeviceSpec, NodeSpec
from sim_core.sensing.rays import RayBatch, Rays

_NOTHING: frozenset[NodeId] = frozenset()

KEPT_SECTORS = 32


@dataclass(frozen=True, slots=True, eq=False)
class LidarReading(Reading):
    """One scan; the arrays cannot be written to.

    Attributes:
        value: (layers, n) m along each ray, layers from top to bottom, each from right to left (ascending
            azimuth). inf: nothing within maxRange; -inf: nearer than minRange (REP-117); NaN: a rotating head
            has not passed there yet.
        directions: (layers, n, 3) unit vectors of the rays, device axes.
        is_complete: a whole scan; of a rotating head one revolution.
        intensity: (layers, n) of what comes back, f·cos of the angle to the surface's normal, f the infra-red
            reflection factor of the surface; 0 where nothing does. None unless `measures_intensity`.
    """

    value: FloatArray
    directions: FloatArray
    is_complete: bool = True
    intensity: FloatArray | None = None

    @property
    def points(self) -> FloatArray:
        """(layers, n, 3) m, device axes; NaN where there is no distance."""
        points = np.where(np.isfinite(self.value), self.value, np.nan)[..., None] * self.directions
        points.flags.writeable = False
        return points


@dataclass(eq=False, kw_only=True)
class LidarState(SensorState):
    """The head of a rotating lidar, and the scan that it makes.

    Attributes:
        head: where it looks.
        scan: (layers, resolution) m, the last measurement of each column; (layers, 0) of a fixed one.
        passed: (resolution,) when each column was passed, counted as `Sweep` does.
    """

    head: LidarHead
    scan: FloatArray
    passed: IntArray


class Lidar(Sensor):
    """Scans of `numberOfLayers` layers with `horizontalResolution` rays each, of what is seen.

    - Rays meet visible shapes that are not fully transparent, but not the device's own, and nothing nearer
      than `near`.
    - `verticalFieldOfView` lies between the first and the last layer; `tiltAngle` turns the x axis up.
    - Rays go through the middles of `horizontalResolution` equal columns. `projection` cylindrical: of equal
      angles. planar: of equal steps on a plane ahead; `fieldOfView` must then be below π.
    - The hidden fields `azimuthRange` and `elevationRange` (rad) say where the first and the last ray of a
      layer and the lowest and the highest layer are, about the device's own axes; the angles of view and
      `tiltAngle` then count nothing. Scans of Gazebo need not lie evenly about the x axis.
    - What a supervisor has hidden from it is not met.
    - A measured distance is d + noise·maxRange·N(0, 1), then the nearest multiple of `resolution`. What is
      then beyond maxRange is inf, what is below minRange -inf.

    All rays of a fixed lidar are measured at one instant. The head of a rotating one turns counter-clockwise
    from straight ahead; each sample measures the columns that it passed in the sampling period before, and
    a reading holds the last measurement of each column. Listeners are told of complete revolutions only: the
    reading then holds this revolution and nothing later.

    Attributes:
        is_rotating: the head turns.
        layers, resolution: number of layers; rays per layer.
        azimuths: (n,) rad, ascending; None for a planar projection, which has no equal angles.
        directions: (layers, n, 3) unit vectors, device axes.
        min_range, max_range: m.
        min_frequency, max_frequency: Hz.
        frame: the frame of the device.
        measures_intensity: readings of a fixed one hold intensities.
    """

    channels = declare(
        value=Channel("m", ("numberOfLayers", "horizontalResolution"), low=0.0),
        directions=Channel(
            "", ("numberOfLayers", "horizontalResolution", 3), frame=DEVICE_AXES, errors=Errors.IF_NAMED
        ),
        is_complete=FLAG,
    )
    uses_rays = True
    state: LidarState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.measures_intensity = False
        self.is_rotating = one_of(spec, "type", ("fixed", "rotating")) == "rotating"
        self._near = number_at_least(spec, "near", 0.0)
        self.min_range = number_at_least(spec, "minRange", self._near)
        self.max_range = number_at_least(spec, "maxRange", self.min_range)
        if self.max_range <= self._near:
            raise refuse(spec, "maxRange", self.max_range, "more than near")
        self.layers = count_at_least(spec, "numberOfLayers", 1)
        self.resolution = count_at_least(spec, "horizontalResolution", 1)
        if (rays := self.layers * self.resolution) > limit("lidar_rays"):
            raise refuse(spec, "horizontalResolution", f"{rays} rays in all", within("lidar_rays"))
        self.directions, self.azimuths = self._pattern(spec)
        self.directions.flags.writeable = False
        shape = (self.layers, self.resolution)
        value = replace(self.channels["value"], shape=shape, high=self.max_range)
        self.channels = declare(self.channels, value=value)
        self._noise_level = noise_of(spec, self.max_range)
        self._noise = Noise(context.seed) if self._noise_level else None
        self._rounding = resolution_of(spec)
        self.min_frequency = self.max_frequency = frequency = math.nan
        if self.is_rotating:
            self.min_frequency = positive_number(spec, "minFrequency")
            self.max_frequency = number_at_least(spec, "maxFrequency", self.min_frequency)
            frequency = number_at_least(spec, "defaultFrequency", self.min_frequency, self.max_frequency)
        self._start_frequency = frequency
        self.state = self.initial()
        self._head_axis: JointAxis | None = None
        for head in filter(None, spec.turned):
            self._head_axis = context.world.axis(head.spec.id)
        self._turn_head()
        # Column by column, so that a sector is one piece.
        self._columns = np.ascontiguousarray(self.directions.transpose(1, 0, 2))
        self._sectors: dict[tuple[int, int], Rays] = {}
        self._looks, self._hidden = context.media.looks, _NOTHING
        self._whole = self._rays_along(self.directions.reshape(-1, 3))
        self._rays: RayBatch
        self._mine = slice(0, 0)
        self._sweep = Sweep(0, 0)

    def initial(self) -> LidarState:
        """The head ahead, at its first frequency; no scan."""
        frequency = self._start_frequency
        scan, passed = self._no_scan()
        head = LidarHead(self.resolution, frequency, before=(0, 0.0, frequency))
        return LidarState(head=head, scan=scan, passed=passed)

    @property
    def frequency(self) -> float:
        """Revolutions of the head per second; NaN for a fixed one."""
        return self.state.head.frequency

    @property
    def scan_seconds(self) -> float:
        """Seconds from one scan to the next: of a revolution, or the sampling period."""
        return 1.0 / self.frequency if self.is_rotating else self.period_ns * 1e-9

    @property
    def is_cumulative(self) -> bool:
        """Of a rotating head each sample is a sector."""
        return self.is_rotating or super().is_cumulative

    @command(meets_faults=False, frequency=Number("Hz"))
    def set_frequency(self, frequency: float) -> None:
        """Turn the head at another frequency, from now on.

        Args:
            frequency: Hz, from minFrequency to maxFrequency.

        Raises:
            CommandError: not such a number, or the head does not rotate; nothing is changed.
        """
        what = f"{self.robot_name}.{self.name}.frequency"
        if not self.is_rotating:
            raise CommandError(f'{what}: found a lidar of type "fixed", expected "rotating"')
        value = check_finite(what, frequency)
        if not self.min_frequency <= value <= self.max_frequency:
            limits = f"{self.min_frequency:g} to {self.max_frequency:g} Hz"
            raise CommandError(f"{what}: found {value:g}, expected {limits}")
        self.state.head.set_frequency(value, self.world.elapsed_ns)
        self._turn_head()

    def prepare(self, rays: RayBatch) -> None:
        """Ask for the rays of the next sample."""
        hidden = self._looks.hidden.get(self.spec.id, _NOTHING)
        if hidden != self._hidden:
            self._hidden = hidden
            self._whole = self._rays_along(self.directions.reshape(-1, 3))
            self._sectors.clear()
        asked = self._whole
        if self.is_rotating:
            now = self.world.elapsed_ns
            self._sweep = self.state.head.sweep(max(0, now - self.span_ns(self.world.time_ns)), now)
            asked = self._sector(self._sweep)
        self._rays = rays
        self._mine = rays.add(asked)

    def deliver(self, reading: LidarReading) -> None:
        """Keep a reading; tell the listeners of each scan that is complete."""
        self.reading = reading
        if reading.is_complete:
            for listener in self.listeners:
                listener(reading)

    def sample(self, time_ns: int) -> LidarReading:
        """One measurement from the rays that `prepare` asked for."""
        measured = self._measured(time_ns, self._rays.distances[self._mine])
        complete, intensity = True, None
        if self.is_rotating:
            measured, complete = self._turned_on(measured)
        elif self.measures_intensity:
            intensity = self._intensity()
        scan = measured.reshape(self.layers, self.resolution)
        scan.flags.writeable = False
        return LidarReading(time_ns, scan, self.directions, complete, intensity)

    def restored(self) -> None:
        """The head must have as many columns.

        Raises:
            ValueError: it has not.
        """
        super().restored()
        if self.state.head.columns != self.resolution:
            raise ValueError(f"{self.name}: a head of {self.state.head.columns} columns")

    def reset(self) -> None:
        """Forget the scan; the head ahead, at its first frequency."""
        super().reset()
        self._turn_head()

    def _pattern(self, spec: NodeSpec) -> tuple[FloatArray, FloatArray | None]:
        """Directions and azimuths of the rays."""
        opening = number_at_least(spec, "fieldOfView", 0.0, 2.0 * math.pi + 1e-4)
        vertical = number_at_least(spec, "verticalFieldOfView", 0.0, math.pi)
        tilt = number_at_least(spec, "tiltAngle", -math.pi / 2.0, math.pi / 2.0)
        planar = one_of(spec, "projection", ("cylindrical", "planar")) == "planar"
        if "spherical" in spec.given and "projection" not in spec.given:
            planar = not spec["spherical"]
        layers = elevations(self.layers, vertical)
        if "azimuthRange" in spec.given and not self.is_rotating:
            angles = spread(self.resolution, *spec["azimuthRange"])
            return cone_directions(spread(self.layers, *spec["elevationRange"])[::-1], angles), angles
        if self.is_rotating:
            angles = revolution(self.resolution)
            return cone_directions(layers + tilt, angles), angles
        if planar:
            if opening >= math.pi:
                raise refuse(spec, "fieldOfView", opening, "less than π for a planar projection")
            if vertical >= math.pi:
                raise refuse(spec, "verticalFieldOfView", vertical, "less than π for a planar projection")
            return tilted(plane_directions(layers, opening, self.resolution), tilt), None
        angles = azimuths(self.resolution, opening)
        return tilted(cone_directions(layers, angles), tilt), angles

    def _rays_along(self, directions: FloatArray) -> Rays:
        """Rays from the centre; directions: (n, 3) unit vectors."""
        origins = np.zeros_like(directions)
        reach, own = self.max_range, self.spec.id
        return Rays(self.frame, origins, directions, reach, None, True, own, self._near, self._hidden)

    def _sector(self, sweep: Sweep) -> Rays:
        """The rays of the columns of a sweep; the same for the same sector, if it is not long ago."""
        start, count = sweep.first % self.resolution, sweep.end - sweep.first
        found = self._sectors.get((start, count))
        if found is None:
            if len(self._sectors) >= KEPT_SECTORS:
                self._sectors.clear()
            columns = np.arange(start, start + count) % self.resolution
            directions = self._columns[columns].reshape(-1, 3)
            found = self._sectors[(start, count)] = self._rays_along(directions)
        return found

    def _measured(self, time_ns: int, distances: FloatArray) -> FloatArray:
        """Noise, resolution and range limits; a new array."""
        measured = distances.copy()
        if self._noise is not None:
            measured += self._noise_level * self._noise.normal_array(time_ns, len(measured))
        if self._rounding is not None:
            measured = self._rounding * np.floor(measured / self._rounding + 0.5)
        measured[measured > self.max_range] = np.inf
        measured[measured < self.min_range] = -np.inf
        return measured

    def _intensity(self) -> FloatArray:
        """Of the rays that were measured; pictures on surfaces count with their mean colour."""
        rays, mine = self._rays, self._mine
        turn = np.array(self.frame.pose().rotation).reshape(3, 3)
        facing = np.abs((rays.normals[mine] * (self._whole.directions @ turn.T)).sum(axis=1))
        _, firsts, which = np.unique(rays.shapes[mine], return_index=True, return_inverse=True)
        met = [rays.record(mine.start + first) for first in firsts.tolist()]
        factors = [infrared_factor(record.appearance) if record is not None else 0.0 for record in met]
        intensity = (np.array(factors)[which] * facing).reshape(self.layers, self.resolution)
        intensity.flags.writeable = False
        return intensity

    def _turned_on(self, measured: FloatArray) -> tuple[FloatArray, bool]:
        """The scan after the last sweep, or if a revolution is complete this revolution alone."""
        columns = np.arange(self._sweep.first, self._sweep.end)
        fresh = measured.reshape(-1, self.layers).T
        end = self._sweep.end
        turn = end // self.resolution * self.resolution
        before = columns < turn
        self._put(columns[before], fresh[:, before])
        complete = self._since(turn - self.resolution) if turn > self._sweep.first else None
        self._put(columns[~before], fresh[:, ~before])
        if complete is not None:
            return complete, True
        return self._since(end - self.resolution), False

    def _put(self, columns: IntArray, fresh: FloatArray) -> None:
        places = columns % self.resolution
        self.state.scan[:, places] = fresh
        self.state.passed[places] = columns

    def _since(self, column: int) -> FloatArray:
        """A copy of the scan; what was measured before a column was passed is left out."""
        return np.where(self.state.passed >= column, self.state.scan, np.nan)

    def _turn_head(self) -> None:
        """Let the solid in rotatingHead turn, for who looks at it."""
        if self._head_axis is not None:
            self._head_axis.drive(2.0 * math.pi * self.frequency, math.inf)

    def _no_scan(self) -> tuple[FloatArray, IntArray]:
        columns = self.resolution if self.is_rotating else 0
        return np.full((self.layers, columns), np.nan), np.full(columns, -1 - columns, np.int64)
