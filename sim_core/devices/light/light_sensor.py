"""LightSensor: irradiance of a small plate by all lights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_core.base.geometry import Mat3, Pose, Vec3, cross, normalized, subtract
from sim_core.base.ids import NodeId
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Channel, Errors, declare
from sim_core.devices.field_checks import field_error, resolution_of, rounded
from sim_core.devices.light.light_kernel import DIRECTIONAL_DISTANCE, DX, DZ, KIND, RADIUS, X, Z, irradiance
from sim_core.devices.light.lights import Lights
from sim_core.devices.lookup_table import LookupTable
from sim_core.devices.sensor import Reading, Sensor
from sim_core.engines.world_view import Frame
from sim_core.model.device_spec import DeviceSpec
from sim_core.sensing.picture_view import DIRECTIONAL
from sim_core.sensing.rays import RayBatch, Rays


@dataclass(frozen=True, slots=True)
class LightReading(Reading):
    """Irradiance at the sensor.

    Attributes:
        value: output of the lookup table, in its units, with noise and resolution.
        irradiance: W/m², before the table.
    """

    value: float
    irradiance: float


class LightSensor(Sensor):
    """Irradiance along the device's x axis, then the lookup table, then `resolution`.

    E = 1/3·Σ att·(F·C)·(Iₐ + I·spot·cos φ) over the lights that are on, with the colour filter F, colour C,
    ambient intensity Iₐ, intensity I and φ the angle between the x axis and the direction to the light
    (Webots reference, LightSensor):

    - att = 1/(a₀ + a₁·d + a₂·d²) at the distance d, 0 beyond the light's `radius`; 1 for a DirectionalLight.
    - spot: 1 within `beamWidth` of a SpotLight's direction, falling linearly to 0 at `cutOffAngle`.
    - With `occlusion` a light behind a bounding object contributes its ambient part only. Obstacles before a
      DirectionalLight are searched up to 1000 m. The bounding objects of the own robot hide nothing, unless
      its `selfCollision` is TRUE.

    Attributes:
        frame: the frame of the device.
        occlusion: obstacles hide lights.
    """

    channels = declare(value=Channel(), irradiance=Channel("W/m²", errors=Errors.IF_NAMED))
    live_fields = frozenset(("colorFilter", "lookupTable", "resolution"))

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        """Make the device.

        Raises:
            DeviceError: a field of it or of a light has a value that is not possible.
        """
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.occlusion: bool = spec["occlusion"]
        self.uses_rays = self.occlusion
        self._seed = context.seed
        self._lights = context.media.of(Lights)
        self._table_used: object = None
        robot = spec.robot.outermost
        self._ignored_robot = None if robot["selfCollision"] else robot.id
        self._rays: RayBatch
        self._own_rays = slice(0, 0)
        self.read_fields()

    def read_fields(self) -> None:
        """Read the live fields."""
        self._filter: Vec3 = self.spec["colorFilter"]
        if min(self._filter) < 0.0:
            raise field_error(self.spec, "colorFilter", self._filter, "red, green and blue of at least 0")
        self._table = LookupTable(self.spec)
        self._resolution = resolution_of(self.spec)
        self._noise = self._table.noise(self._seed)

    def _update_lights(self) -> None:
        """Update the positions of the lights, and the rays if the table of lights was replaced."""
        lights = self._lights
        if self._table_used is not lights.table:
            self._table_used, count = lights.table, len(lights.specs)
            self._obstacles = np.full(count, math.inf)
            self._aims = (
                [_Aim(self.frame, lights, row, self._ignored_robot) for row in range(count)]
                if self.occlusion
                else []
            )
        lights.update_positions()

    def prepare(self, rays: RayBatch) -> None:
        """Request a ray to each light, if obstacles hide lights."""
        self._update_lights()
        if not self._aims:
            return
        self._rays = rays
        own_rays = [rays.add_rays(aim.rays) for aim in self._aims]
        self._own_rays = slice(own_rays[0].start, own_rays[-1].stop)

    def sample(self, time_ns: int) -> LightReading:
        """Measure the irradiance."""
        self._update_lights()
        if self._aims:
            self._obstacles[:] = self._rays.distances[self._own_rays]
        position, r = self.frame.pose()
        light = irradiance(self._lights.table, position, (r[0], r[3], r[6]), self._filter, self._obstacles)
        normal = self._noise.normals(time_ns)[0] if self._noise else 0.0
        value = rounded(self._table.answer(light, normal), self._resolution)
        return LightReading(time_ns, value, light)


class _Aim:
    """A frame at the sensor whose x axis points at a light; its rays are constant while both move."""

    def __init__(self, sensor: Frame, lights: Lights, row: int, unseen: NodeId | None) -> None:
        light = lights.table[row]
        self._sensor = sensor
        self._place, self._direction = light[X : Z + 1], light[DX : DZ + 1]
        self._is_directional = bool(light[KIND] == DIRECTIONAL)
        length = DIRECTIONAL_DISTANCE if self._is_directional else float(light[RADIUS])
        self.rays = Rays(self, _ORIGIN, _AHEAD, length, unseen)

    def pose(self) -> Pose:
        """Return the pose at the sensor with x towards the light."""
        position = self._sensor.pose().position
        x, y, z = (self._direction if self._is_directional else self._place).tolist()
        towards = (-x, -y, -z) if self._is_directional else subtract((x, y, z), position)
        return Pose(position, _rotation_along(towards))

    def linear_velocity(self) -> Vec3:
        """Return the velocity of the sensor."""
        return self._sensor.linear_velocity()

    def angular_velocity(self) -> Vec3:
        """Return the angular velocity of the sensor."""
        return self._sensor.angular_velocity()


def _rotation_along(direction: Vec3) -> Mat3:
    """Return a rotation whose x axis lies along a vector; along the world's x axis for a zero vector."""
    x = normalized(direction) if any(direction) else (1.0, 0.0, 0.0)
    helper = (0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (1.0, 0.0, 0.0)
    y = normalized(cross(helper, x))
    z = cross(x, y)
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


_ORIGIN = np.zeros((1, 3))
_AHEAD = np.array([[1.0, 0.0, 0.0]])

DEVICE = LightSensor
