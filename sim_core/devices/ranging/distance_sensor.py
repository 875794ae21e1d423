"""DistanceSensor: measures distances along rays."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Vec3, rotate_back
from sim_core.base.limits import limit, limit_text
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Channel, Errors, declare
from sim_core.devices.field_checks import (
    field_error,
    number_at_least,
    positive_number,
    resolution_of,
    rounded,
)
from sim_core.devices.lookup_table import LookupTable
from sim_core.devices.ranging.infrared import Beam, Reflectances
from sim_core.devices.ranging.ray_pattern import ray_directions, ray_weights
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec, NodeSpec
from sim_core.sensing.appearance_changes import Spot
from sim_core.sensing.rays import RayBatch, Rays

SONAR_CUT = math.cos(math.pi / 8.0)
"""Cosine of the angle to a surface's normal above which the surface reflects a sonar's ray."""

_ORIGIN = np.zeros((1, 3))
SPOT = 0.01
"""Radius of a laser's spot if the file gives none, m."""


@dataclass(frozen=True, slots=True)
class DistanceReading(Reading):
    """Result of a distance sensor.

    Attributes:
        value: output of the lookup table, in its units, with noise and resolution.
        distance: m, before the table; the sensor's range if nothing was hit.
        rays: length of each ray in m, in the order of `DistanceSensor.directions`; inf where it hit nothing.
    """

    value: float
    distance: float
    rays: tuple[float, ...]


class DistanceSensor(Sensor):
    """Distance along rays around the device's x axis, then the lookup table, then `resolution`.

    Rays are as long as the last input of the table, which is also the distance of a ray that hits nothing. By
    `type`:

    - generic: mean of all rays, weighted (see `ray_pattern.py`).
    - infra-red: the same, with rays that hit visible shapes; then divided by the mean reflection factor f of
      the surfaces, weighted by `redColorSensitivity` s: d + (d/f - d)·s. A ray that hit nothing has f 1.
    - sonar: the nearest of the rays that hit a surface at less than π/8 from its normal.
    - laser: one ray, whatever `numberOfRays` is; it passes bounding objects of transparency 1. Cameras see a
      red spot at its end, of the radius `aperture` in m, or of 1 cm if the file gives none.

    All but infra-red hit bounding objects; those of the own robot only if its `selfCollision` is TRUE. With
    an empty table the value is 0 and the distance infinite (as in Webots). In files of Webots 6 a sonar is
    the mean of its rays, as a generic one; infra-red rays hit bounding objects too, with the colour of the
    bounding object if it has one, else that of the solid.

    Attributes:
        type: `generic`, `infra-red`, `sonar` or `laser`.
        method: the type that determines how a distance is computed from the rays.
        directions: (n, 3) unit vectors of the rays in the frame of the device.
        max_range: m.
        aperture: full opening angle of the rays in rad; 0 for one ray.
        frame: the frame of the device.
        weights: of the rays, sum 1.
        sensitivity: redColorSensitivity.
        sees_shapes: the rays hit visible shapes.
        sees_through: the rays pass bounding objects that are fully transparent.
        sees_own_robot: the rays hit bounding objects of the own robot too.
        lookup_rows: the lookup table.
    """

    channels = declare(
        value=Channel(),
        distance=Channel("m"),
        rays=Channel("m", ("numberOfRays",), errors=Errors.IF_NAMED),
    )
    uses_rays = True
    live_fields = frozenset(("lookupTable", "redColorSensitivity", "resolution"))

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.type = _type_of(spec)
        is_v6 = spec.axes.is_v6
        self.method = "generic" if is_v6 and self.type == "sonar" else self.type
        self.frame = context.world.frame(spec.id)
        count: int = spec["numberOfRays"]
        if count < 1:
            raise field_error(spec, "numberOfRays", count, "1 or more")
        if count > limit("distance_rays"):
            raise field_error(spec, "numberOfRays", count, limit_text("distance_rays"))
        opening = number_at_least(spec, "aperture", 0.0, 2.0 * math.pi)
        if self.type == "laser":
            self._spot_radius = opening if "aperture" in spec.given else SPOT
        width = positive_number(spec, "gaussianWidth")
        if self.type == "laser" or opening == 0.0:
            count = 1
        self.aperture = opening if count > 1 else 0.0
        self.directions: FloatArray = ray_directions(count, self.aperture)
        weights = ray_weights(self.directions, self.aperture, width)
        self.weights: list[float] = weights.tolist()
        self._local: list[Vec3] = [(x, y, z) for x, y, z in self.directions.tolist()]
        self._origins = np.zeros_like(self.directions)
        self._seed = context.seed
        self.sees_shapes = self.type == "infra-red" and not is_v6
        self.sees_through = self.type == "laser"
        self._new_rays, self._appearance_changes = context.media.new_rays, context.media.appearance_changes
        self._reflectances = context.media.of(Reflectances)
        self._factor = self._reflectances.factor_of_solid if is_v6 else self._reflectances.factor
        robot = spec.robot.outermost
        self._unseen = None if robot["selfCollision"] else robot.id
        self.sees_own_robot = self._unseen is None and not self.sees_shapes
        self._distance = self._METHODS[self.method]
        self._rays: RayBatch
        self._spot_rays: RayBatch | None = None
        self._own_rays = slice(0, 0)
        self.read_fields()

    def on_added(self) -> None:
        """Register the spot of a laser with the renderer."""
        if self.type == "laser":
            self._appearance_changes.lasers.append(self)

    def read_fields(self) -> None:
        """Read the live fields."""
        spec = self.spec
        table = LookupTable(spec)
        if not table.is_empty and table.last_input <= 0.0:
            raise field_error(
                spec, "lookupTable", f"a last input of {table.last_input:g}", "a range above 0 m"
            )
        self.sensitivity = number_at_least(spec, "redColorSensitivity", 0.0)
        self._resolution = resolution_of(spec)
        self._table, self.lookup_rows = table, table.rows
        self.max_range = math.inf if table.is_empty else table.last_input
        self._requested_rays = Rays(
            *(self.frame, self._origins, self.directions, self.max_range, self._unseen, self.sees_shapes),
            carrier=spec.id,
            sees_through=self.sees_through,
        )
        self._beams = [
            Rays(self.frame, _ORIGIN, direction[None], self.max_range, None, True, spec.id)
            for direction in self.directions
        ]
        self._noise = table.noise(self._seed)
        outputs = [row[1] for row in table.rows]
        low, high = (min(outputs), max(outputs)) if outputs else (-math.inf, math.inf)
        self.channels = declare(self.channels, value=replace(self.channels["value"], low=low, high=high))

    @property
    def distance(self) -> float:
        """Distance in the last reading, m; NaN before the first."""
        reading = self.reading
        return math.nan if reading is None else float(reading.distance)

    def prepare(self, rays: RayBatch) -> None:
        """Request the rays of the next sample."""
        if not self._table.is_empty:
            self._rays = rays
            self._own_rays = rays.add_rays(self._requested_rays)

    def sample(self, time_ns: int) -> DistanceReading:
        """Compute a reading from the rays that `prepare` requested."""
        if self._table.is_empty:
            return DistanceReading(time_ns, 0.0, math.inf, (math.inf,) * len(self.weights))
        rays: list[float] = self._rays.distances[self._own_rays].tolist()
        distance = self._distance(self, rays)
        normal = self._noise.normals(time_ns)[0] if self._noise else 0.0
        value = rounded(self._table.answer(distance, normal), self._resolution)
        return DistanceReading(time_ns, value, distance, tuple(rays))

    def _nearest(self, rays: list[float]) -> float:
        return min(rays[0], self.max_range)

    def _mean(self, rays: list[float]) -> float:
        if len(rays) == 1:
            return min(rays[0], self.max_range)
        far = self.max_range
        return sum(weight * min(ray, far) for weight, ray in zip(self.weights, rays, strict=True))

    def _infrared(self, rays: list[float]) -> float:
        distance = self._mean(rays)
        if not self.sensitivity:
            return distance
        factor = 0.0
        start = self._own_rays.start
        for index, (weight, ray, beam) in enumerate(zip(self.weights, rays, self._beams, strict=True)):
            record = self._rays.record(start + index) if ray < math.inf else None
            factor += weight * (self._factor(record, Beam(beam, ray)) if record is not None else 1.0)
        return distance + (distance / factor - distance) * self.sensitivity

    def _echo(self, rays: list[float]) -> float:
        nearest = self.max_range
        rotation = self.frame.pose().rotation
        normals = self._rays.normals[self._own_rays]
        for ray, normal, (x, y, z) in zip(rays, normals, self._local, strict=True):
            if ray < nearest:
                nx, ny, nz = rotate_back(rotation, tuple(normal.tolist()))
                if -(nx * x + ny * y + nz * z) > SONAR_CUT:
                    nearest = ray
        return nearest

    def spot(self) -> Spot | None:
        """Return the red spot of a laser on visible shapes; None: there is none now."""
        if not self.is_powered or self.max_range == math.inf:
            return None
        if self._spot_rays is None:
            self._spot_rays = self._new_rays()
        rays = self._spot_rays
        rays.clear()
        rays.add_rays(self._beams[0])
        rays.cast()
        distance = float(rays.distances[0])
        if distance == math.inf:
            return None
        end = Beam(self._beams[0], distance).end
        return Spot(end, tuple(rays.normals[0].tolist()), self._spot_radius)

    _METHODS: dict[str, Callable[[DistanceSensor, list[float]], float]] = {  # noqa: RUF012
        "generic": _mean,
        "infra-red": _infrared,
        "sonar": _echo,
        "laser": _nearest,
    }


def _type_of(spec: NodeSpec) -> str:
    """Return the type, ignoring case; `infrared` is an older spelling."""
    name: str = spec["type"].lower()
    name = "infra-red" if name == "infrared" else name
    if name not in ("generic", "infra-red", "sonar", "laser"):
        raise field_error(spec, "type", f'"{spec["type"]}"', '"generic", "infra-red", "sonar" or "laser"')
    return name
