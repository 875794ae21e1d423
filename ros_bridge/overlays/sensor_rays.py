"""Overlay: rays of distance sensors and lidars, targets of radars, lights of light sensors."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.primitives import Overlay, Primitives, joined, spokes
from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose
from sim_core.devices import Sensor
from sim_core.devices.light import light_kernel as kernel
from sim_core.devices.light.light_sensor import LightSensor
from sim_core.devices.light.lights import Lights
from sim_core.devices.ranging.distance_sensor import DistanceSensor
from sim_core.devices.ranging.lidar import Lidar
from sim_core.devices.ranging.radar import Radar
from sim_core.sensing.picture_view import DIRECTIONAL
from sim_core.sensing.rays import RayBatch, Rays
from sim_core.session.simulation import Simulation

COLOURS = {
    "DistanceSensor": (1.0, 0.0, 0.0),
    "Lidar": (0.0, 1.0, 1.0),
    "Radar": (0.0, 0.0, 1.0),
    "LightSensor": (1.0, 1.0, 0.0),
}
BEYOND = "beyond"
"""Namespace of the parts of rays beyond the hit."""
BEYOND_COLOUR = (0.0, 1.0, 0.0)
MAX_RAYS = 720
"""Most rays drawn of one sensor; of more, every second, every third, … is drawn."""


class SensorRays(Overlay):
    """Rays from each sensor to the hit in the colour of its type, and from there to its range in another.

    They are the rays of a noise-free sample made now, whether the sensor has subscribers or not; of a
    rotating lidar those of its present sector. A radar has a line to each of its targets, a light sensor
    to each PointLight and SpotLight that is on and within its `radius`, also through obstacles. Sensors
    without power have no rays.
    """

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        devices = [device for robot in sim.robots.values() for device in robot.devices.values()]
        self._sensors = [device for device in devices if isinstance(device, (DistanceSensor, Lidar))]
        self._radars = [device for device in devices if isinstance(device, Radar)]
        self._light_sensors = [device for device in devices if isinstance(device, LightSensor)]
        self._batch: RayBatch | None = None

    def primitives(self) -> Iterator[Primitives]:
        """Yield the present rays."""
        seen: dict[str, list[FloatArray]] = {}
        beyond: list[FloatArray] = []
        if self._sensors:
            if self._batch is None:
                self._batch = self.sim.world.new_rays()
            self._batch.clear()
            owners: list[str] = []
            for sensor in self._sensors:
                if _is_on(sensor):
                    sensor.prepare(self._batch)
                    kind = "Lidar" if isinstance(sensor, Lidar) else "DistanceSensor"
                    owners += [kind] * (len(self._batch.requests) - len(owners))
            self._batch.cast()
            start = 0
            for kind, rays in zip(owners, self._batch.requests, strict=True):
                distances = self._batch.distances[start : start + len(rays.origins)]
                start += len(distances)
                to_hit, behind = _lines(rays, distances)
                seen.setdefault(kind, []).append(to_hit)
                beyond.append(behind)
        for radar in self._radars:
            if _is_on(radar):
                seen.setdefault("Radar", []).append(_to_targets(radar, self.sim.time_ns))
        for plate in self._light_sensors:
            if _is_on(plate):
                seen.setdefault("LightSensor", []).append(self._to_lights(plate))
        for kind, parts in seen.items():
            yield Primitives(kind, joined(parts), COLOURS[kind])
        yield Primitives(BEYOND, joined(beyond), BEYOND_COLOUR)

    def _to_lights(self, sensor: LightSensor) -> FloatArray:
        lights, eye = self.sim.media.of(Lights), np.array(sensor.frame.pose().position)
        lights.update_positions()
        table = lights.table
        rows = table[(table[:, kernel.ON] != 0.0) & (table[:, kernel.KIND] != DIRECTIONAL)]
        places = rows[:, kernel.X : kernel.Z + 1]
        return spokes(eye, places[np.linalg.norm(places - eye, axis=1) <= rows[:, kernel.RADIUS]])


def _is_on(sensor: Sensor) -> bool:
    return sensor.enabled and sensor.is_powered


def _lines(rays: Rays, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return lines to the hits and from there to the end of the range; rays without a hit are among the
    first."""
    step = -(-len(distances) // MAX_RAYS) or 1
    pose = Pose() if rays.frame is None else rays.frame.pose()
    turn = np.array(pose.rotation).reshape(3, 3).T
    origins = rays.origins[::step] @ turn + pose.position
    directions = rays.directions[::step] @ turn
    ends = np.minimum(distances[::step], rays.max_range)
    to_hit = spokes(origins + rays.start * directions, origins + ends[:, None] * directions)
    met = distances[::step] < rays.max_range
    if not math.isfinite(rays.max_range):
        return to_hit, np.empty((0, 3))
    hits = origins[met] + ends[met, None] * directions[met]
    return to_hit, spokes(hits, origins[met] + rays.max_range * directions[met])


def _to_targets(radar: Radar, time_ns: int) -> FloatArray:
    """Return a line to each target, in the plane in which a radar measures directions."""
    reading = radar.reading if radar.reading_faults is not None else radar.sample(time_ns)
    if reading is None or not reading.value:
        return np.empty((0, 3))
    pose = radar.frame.pose()
    ends = [
        pose.apply((away * math.cos(azimuth), away * math.sin(azimuth), 0.0))
        for away, _, _, azimuth in reading.value
    ]
    return spokes(np.array(pose.position), np.array(ends))


OVERLAY = SensorRays
