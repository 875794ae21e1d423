"""Rays of distance sensors and lidars, and what radars see."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ros_bridge.overlays.marks import FloatArray, Marks, Overlay, joined, spokes
from sim_core.base.geometry import Pose
from sim_core.devices import Sensor
from sim_core.devices.ranging.distance_sensor import DistanceSensor
from sim_core.devices.ranging.lidar import Lidar
from sim_core.devices.ranging.radar import Radar
from sim_core.engines.world_view import Frame
from sim_core.scene import Node
from sim_core.sensing.rays import RayBatch
from sim_core.session.simulation import Simulation

COLOURS = {"DistanceSensor": (1.0, 0.2, 0.1), "Lidar": (0.2, 0.7, 1.0), "Radar": (1.0, 0.6, 0.0)}
BEYOND = "beyond"
"""Namespace of the parts of rays behind what they met."""
BEYOND_COLOUR = (0.2, 0.8, 0.2)
MOST_RAYS = 720
"""Of one sensor; of one with more every second, every third, … is drawn."""


class _Block(NamedTuple):
    """The rays that a sensor asked for."""

    where: slice
    frame: Frame | None
    origins: FloatArray
    directions: FloatArray
    max_range: float
    start: float


class _Listener:
    """A RayBatch that notes who asks for which rays, and passes them on."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch
        self.blocks: list[_Block] = []

    def add(
        self,
        frame: Frame | None,
        origins: FloatArray,
        directions: FloatArray,
        max_range: float,
        robot: Node | None,
        visible: bool = False,
        carrier: Node | None = None,
        start: float = 0.0,
    ) -> slice:
        """As `RayBatch.add`."""
        where: slice = self._batch.add(frame, origins, directions, max_range, robot, visible, carrier, start)
        self.blocks.append(_Block(where, frame, origins, directions, max_range, start))
        return where

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)


class SensorRays(Overlay):
    """From each sensor to what its rays meet in the colour of its kind, behind that to its range in another.

    They are the rays of a sample made now, without noise, whether anybody listens to the sensor or not; of a
    rotating lidar those of the sector that it passes. A radar has a line to each of its targets. The rays of
    sensors without power are not there.
    """

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        devices = [device for robot in sim.robots.values() for device in robot.devices.values()]
        self._sensors = [device for device in devices if isinstance(device, (DistanceSensor, Lidar))]
        self._radars = [device for device in devices if isinstance(device, Radar)]
        self._batch: RayBatch | None = None

    def marks(self) -> Iterator[Marks]:
        """The rays of now."""
        seen: dict[str, list[FloatArray]] = {}
        beyond: list[FloatArray] = []
        if self._sensors:
            if self._batch is None:
                self._batch = self.sim.new_rays()
            self._batch.clear()
            listener = _Listener(self._batch)
            owners: list[str] = []
            for sensor in self._sensors:
                if _is_on(sensor):
                    sensor.prepare(listener)
                    kind = "Lidar" if isinstance(sensor, Lidar) else "DistanceSensor"
                    owners += [kind] * (len(listener.blocks) - len(owners))
            self._batch.cast()
            distances = self._batch.distances
            for kind, block in zip(owners, listener.blocks, strict=True):
                to_hit, behind = _lines(block, distances[block.where])
                seen.setdefault(kind, []).append(to_hit)
                beyond.append(behind)
        for radar in self._radars:
            if _is_on(radar):
                seen.setdefault("Radar", []).append(_to_targets(radar, self.sim.time_ns))
        for kind, parts in seen.items():
            yield Marks(kind, joined(parts), COLOURS[kind])
        yield Marks(BEYOND, joined(beyond), BEYOND_COLOUR)


def _is_on(sensor: Sensor) -> bool:
    return sensor.enabled and sensor.is_powered


def _lines(block: _Block, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lines to what the rays met, and from there to the end of their range; of rays that met nothing the
    whole is among the first."""
    step = -(-len(distances) // MOST_RAYS) or 1
    pose = Pose() if block.frame is None else block.frame.pose()
    turn = np.array(pose.rotation).reshape(3, 3).T
    origins = block.origins[::step] @ turn + pose.position
    directions = block.directions[::step] @ turn
    ends = np.minimum(distances[::step], block.max_range)
    to_hit = spokes(origins + block.start * directions, origins + ends[:, None] * directions)
    met = distances[::step] < block.max_range
    if not math.isfinite(block.max_range):
        return to_hit, np.empty((0, 3))
    hits = origins[met] + ends[met, None] * directions[met]
    return to_hit, spokes(hits, origins[met] + block.max_range * directions[met])


def _to_targets(radar: Radar, time_ns: int) -> FloatArray:
    """A line to each target, in the plane in which a radar tells directions."""
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
