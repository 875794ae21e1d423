"""Lidar: distances along many rays, from a fixed or from a rotating head."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.errors import CommandError
from sim_core.base.ids import NodeId
from sim_core.base.limits import limit, limit_text
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import DEVICE_AXES, FLAG, Channel, Errors, declare
from sim_core.devices.command_checks import check_finite
from sim_core.devices.commands import Number, command
from sim_core.devices.field_checks import (
    count_at_least,
    field_error,
    noise_of,
    number_at_least,
    one_of,
    positive_number,
    resolution_of,
)
from sim_core.devices.noise import Noise
from sim_core.devices.ranging.lidar_head import LidarHead, Sweep
from sim_core.devices.ranging.scan_kernel import limit_scan
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
    """One scan; the arrays are read-only.

    Attributes:
        value: (layers, n) m along each ray, layers from top to bottom, each from right to left (ascending
            azimuth). inf: nothing within maxRange; -inf: nearer than minRange (REP-117); NaN: a rotating head
            has not passed there yet.
        directions: (layers, n, 3) unit vectors of the rays, device axes.
        is_complete: the scan is complete; for a rotating head: one revolution.
        intensity: (layers, n) reflected intensity, f·cos of the angle to the surface's normal, f the
            infra-red reflection factor of the surface; 0 where nothing was hit. None unless
            `measures_intensity`.
    """

    value: FloatArray
    directions: FloatArray
    is_complete: bool = True
    intensity: FloatArray | None = None

    @property
    def points(self) -> FloatArray:
        """Points of the scan, (layers, n, 3) m, device axes; NaN where there is no distance."""
        points = np.where(np.isfinite(self.value), self.value, np.nan)[..., None] * self.directions
        points.flags.writeable = False
        return points


@dataclass(eq=False, kw_only=True)
class LidarState(SensorState):
    """The head of a rotating lidar, and its unfinished scan.

    Attributes:
        head: angle of the head.
        scan: (layers, resolution) m, the last measurement of each column; (layers, 0) for a fixed head.
        passed: (resolution,) when each column was passed, counted as in `Sweep`.
    """

    head: LidarHead
    scan: FloatArray
    passed: IntArray


class Lidar(Sensor):
    """Scans of `numberOfLayers` layers with `horizontalResolution` rays each, of visible shapes.

    - Rays hit visible shapes that are not fully transparent, except the device's own, and nothing nearer than
      `near`.
    - `verticalFieldOfView` lies between the first and the last layer; `tiltAngle` tilts the x axis up.
    - Rays go through the middles of `horizontalResolution` equal columns. `projection` cylindrical: of equal
      angles. planar: of equal steps on a plane ahead; `fieldOfView` must then be below π.
    - The hidden fields `azimuthRange` and `elevationRange` (rad) give the first and the last ray of a layer
      and the lowest and the highest layer, about the device's own axes; the fields of view and `tiltAngle`
      are then ignored. They are used for scans of Gazebo that are not symmetric about the x axis.
    - Shapes that a supervisor has hidden from it are ignored.
    - A measured distance is d + noise·maxRange·N(0, 1), rounded to a multiple of `resolution`. Then results
      beyond maxRange become inf, results below minRange -inf.

    All rays of a fixed lidar are measured at one instant. The head of a rotating one turns counter-clockwise
    from straight ahead; each sample measures the columns that it passed in the sampling period before, and a
    reading contains the last measurement of each column. Listeners get complete revolutions only: the reading
    then contains this revolution and nothing later.

    Attributes:
        is_rotating: the head rotates.
        layers, resolution: number of layers; rays per layer.
        azimuths: (n,) rad, ascending; None for a planar projection, which has no equal angles.
        directions: (layers, n, 3) unit vectors, device axes.
        min_range, max_range: m.
        min_frequency, max_frequency: Hz.
        frame: the frame of the device.
        measures_intensity: readings of a fixed lidar contain intensities.
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
            raise field_error(spec, "maxRange", self.max_range, "more than near")
        self.layers = count_at_least(spec, "numberOfLayers", 1)
        self.resolution = count_at_least(spec, "horizontalResolution", 1)
        if (rays := self.layers * self.resolution) > limit("lidar_rays"):
            raise field_error(spec, "horizontalResolution", f"{rays} rays in all", limit_text("lidar_rays"))
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
        # Ordered by column, so that the rays of a sector are contiguous.
        self._columns = np.ascontiguousarray(self.directions.transpose(1, 0, 2))
        self._sectors: dict[tuple[int, int], Rays] = {}
        self._appearance_changes, self._hidden = context.media.appearance_changes, _NOTHING
        self._whole = self._rays_along(self.directions.reshape(-1, 3))
        self._rays: RayBatch
        self._own_rays = slice(0, 0)
        self._sweep = Sweep(0, 0)

    def initial(self) -> LidarState:
        """Return the state with the head straight ahead, at its first frequency, without a scan."""
        frequency = self._start_frequency
        scan, passed = self._empty_scan()
        head = LidarHead(self.resolution, frequency, before=(0, 0.0, frequency))
        return LidarState(head=head, scan=scan, passed=passed)

    @property
    def frequency(self) -> float:
        """Revolutions of the head per second; NaN for a fixed one."""
        return self.state.head.frequency

    @property
    def scan_seconds(self) -> float:
        """Time of one scan, s: of a revolution, or the sampling period."""
        return 1.0 / self.frequency if self.is_rotating else self.period_ns * 1e-9

    @property
    def is_cumulative(self) -> bool:
        """True for a rotating head, each sample of which measures a sector."""
        return self.is_rotating or super().is_cumulative

    @command(meets_faults=False, frequency=Number("Hz"))
    def set_frequency(self, frequency: float) -> None:
        """Rotate the head at another frequency from now on.

        Args:
            frequency: Hz, from minFrequency to maxFrequency.

        Raises:
            CommandError: not such a number, or the head does not rotate; nothing changes.
        """
        what = f"{self.robot_name}.{self.name}.frequency"
        if not self.is_rotating:
            raise CommandError(f'{what}: found a lidar of type "fixed", expected "rotating"')
        value = check_finite(what, frequency)
        if not self.min_frequency <= value <= self.max_frequency:
            limits = f"{self.min_frequency:g} to {self.max_frequency:g} Hz"
            raise CommandError(f"{what}: found {value:g}, expected {limits}")
        self.state.head.set_frequency(value, self.world.clock.elapsed_ns)
        self._turn_head()

    @property
    def exact_rays(self) -> Rays | None:
        """The rays of a fixed lidar whose distances have no noise and no resolution; None: another one."""
        is_exact = not self.is_rotating and self._noise is None and self._rounding is None
        return self._whole if is_exact else None

    def prepare(self, rays: RayBatch) -> None:
        """Request the rays of the next sample."""
        hidden = self._appearance_changes.hidden.get(self.spec.id, _NOTHING)
        if hidden != self._hidden:
            self._hidden = hidden
            self._whole = self._rays_along(self.directions.reshape(-1, 3))
            self._sectors.clear()
        requested = self._whole
        if self.is_rotating:
            now = self.world.clock.elapsed_ns
            self._sweep = self.state.head.sweep(max(0, now - self.span_ns(self.world.clock.time_ns)), now)
            requested = self._sector(self._sweep)
        self._rays = rays
        self._own_rays = rays.add_rays(requested)

    def deliver(self, reading: LidarReading) -> None:
        """Store a reading; call the listeners if its scan is complete."""
        self.reading = reading
        if reading.is_complete:
            for listener in self.listeners:
                listener(reading)

    def sample(self, time_ns: int) -> LidarReading:
        """Compute a reading from the rays that `prepare` requested."""
        measured = self._measured(time_ns, self._rays.distances[self._own_rays])
        complete, intensity = True, None
        if self.is_rotating:
            measured, complete = self._update_scan(measured)
        elif self.measures_intensity:
            intensity = self._intensity()
        scan = measured.reshape(self.layers, self.resolution)
        scan.flags.writeable = False
        return LidarReading(time_ns, scan, self.directions, complete, intensity)

    def restored(self) -> None:
        """Check the restored state.

        Raises:
            ValueError: its number of columns is another.
        """
        super().restored()
        if self.state.head.columns != self.resolution:
            raise ValueError(f"{self.name}: a head of {self.state.head.columns} columns")

    def reset(self) -> None:
        """Discard the scan; put the head straight ahead, at its first frequency."""
        super().reset()
        self._turn_head()

    def _pattern(self, spec: NodeSpec) -> tuple[FloatArray, FloatArray | None]:
        """Return directions and azimuths of the rays."""
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
                raise field_error(spec, "fieldOfView", opening, "less than π for a planar projection")
            if vertical >= math.pi:
                raise field_error(
                    spec, "verticalFieldOfView", vertical, "less than π for a planar projection"
                )
            return tilted(plane_directions(layers, opening, self.resolution), tilt), None
        angles = azimuths(self.resolution, opening)
        return tilted(cone_directions(layers, angles), tilt), angles

    def _rays_along(self, directions: FloatArray) -> Rays:
        """Return rays from the centre; directions: (n, 3) unit vectors."""
        origins = np.zeros_like(directions)
        reach, own = self.max_range, self.spec.id
        return Rays(self.frame, origins, directions, reach, None, True, own, self._near, self._hidden)

    def _sector(self, sweep: Sweep) -> Rays:
        """Return the rays of the columns of a sweep, from a cache of recent sectors."""
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
        """Return the distances with noise, resolution and range limits, as a new array."""
        measured = distances.copy()
        if self._noise is not None:
            measured += self._noise_level * self._noise.normal_array(time_ns, len(measured))
        if self._rounding is not None:
            measured = self._rounding * np.floor(measured / self._rounding + 0.5)
        limit_scan(measured, self.min_range, self.max_range)
        return measured

    def _intensity(self) -> FloatArray:
        """Return the intensities of the measured rays, (layers, n); textures are replaced by their mean
        colour."""
        rays, own_rays = self._rays, self._own_rays
        turn = np.array(self.frame.pose().rotation).reshape(3, 3)
        facing = np.abs((rays.normals[own_rays] * (self._whole.directions @ turn.T)).sum(axis=1))
        _, firsts, which = np.unique(rays.shapes[own_rays], return_index=True, return_inverse=True)
        met = [rays.record(own_rays.start + first) for first in firsts.tolist()]
        factors = [infrared_factor(record.appearance) if record is not None else 0.0 for record in met]
        intensity = (np.array(factors)[which] * facing).reshape(self.layers, self.resolution)
        intensity.flags.writeable = False
        return intensity

    def _update_scan(self, measured: FloatArray) -> tuple[FloatArray, bool]:
        """Return the scan after the last sweep, or if a revolution is complete this revolution alone, and
        if it is."""
        columns = np.arange(self._sweep.first, self._sweep.end)
        fresh = measured.reshape(-1, self.layers).T
        end = self._sweep.end
        turn = end // self.resolution * self.resolution
        before = columns < turn
        self._store_columns(columns[before], fresh[:, before])
        complete = self._scan_since(turn - self.resolution) if turn > self._sweep.first else None
        self._store_columns(columns[~before], fresh[:, ~before])
        if complete is not None:
            return complete, True
        return self._scan_since(end - self.resolution), False

    def _store_columns(self, columns: IntArray, fresh: FloatArray) -> None:
        places = columns % self.resolution
        self.state.scan[:, places] = fresh
        self.state.passed[places] = columns

    def _scan_since(self, column: int) -> FloatArray:
        """Return a copy of the scan without what was measured before a column was passed."""
        return np.where(self.state.passed >= column, self.state.scan, np.nan)

    def _turn_head(self) -> None:
        """Rotate the solid in rotatingHead, which only shows the rotation."""
        if self._head_axis is not None:
            self._head_axis.drive(2.0 * math.pi * self.frequency, math.inf)

    def _empty_scan(self) -> tuple[FloatArray, IntArray]:
        columns = self.resolution if self.is_rotating else 0
        return np.full((self.layers, columns), np.nan), np.full(columns, -1 - columns, np.int64)
