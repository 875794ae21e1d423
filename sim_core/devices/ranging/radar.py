"""Radar: distance, speed, direction and received power of solids with a radar cross section."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim_core.base.geometry import Pose, Vec3, dot, norm, rotate_back, scale, subtract
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import RECORDS, declare
from sim_core.devices.field_checks import field_error, number_at_least, positive_number
from sim_core.devices.media import Media, Medium
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading, Sensor
from sim_core.devices.vision.object_bounds import ObjectBounds, in_view
from sim_core.devices.vision.object_sight import are_hidden
from sim_core.model.changes import ALL, Aspect, Edits
from sim_core.model.device_spec import DeviceSpec, NodeSpec


class RadarTargets(Medium):
    """All solids whose `radarCrossSection` is above 0, in file order, with rays to find out if they are
    hidden.

    Attributes:
        targets: their extents and frames.
    """

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self.scene_changed(ALL)

    def scene_changed(self, edits: Edits) -> None:
        """Find the solids again after an edit."""
        if not (edits.touch(Aspect.STRUCTURE, Aspect.SIZE) or edits.contain_field("radarCrossSection")):
            return
        frame = self.world.frame
        self.targets = [ObjectBounds(each, frame) for each in self.world.model.radar_targets()]

    def hidden(self, eye: Vec3, targets: list[ObjectBounds], robot: NodeSpec) -> list[bool]:
        """Return for each target True if a bounding object of another solid hides its origin.

        Args:
            eye: position of the radar, m, world.
            targets: the targets.
            robot: the radar's robot, whose bounding objects hide nothing.
        """
        if not targets:
            return []
        points = np.array([target.frame.pose().position for target in targets])
        return are_hidden(self.rays, eye, points, targets, robot).tolist()


SPEED_OF_LIGHT = 299_792_458.0
LARGEST_DECIBEL = 1000.0
"""Limit of decibels: beyond it the power is unphysical, and the ratio may overflow."""
GIGA = 1e9


class RadarTarget(NamedTuple):
    """One echo, or several that the radar cannot separate."""

    distance: float
    """m."""
    received_power: float
    """dBm."""
    speed: float
    """m/s along the line of sight, relative to the radar; positive: moving away."""
    azimuth: float
    """rad from the x axis, counter-clockwise."""


@dataclass(frozen=True, slots=True)
class RadarReading(Reading):
    """Targets detected at one time.

    Attributes:
        value: the targets, in the file order of their solids.
    """

    value: tuple[RadarTarget, ...]


class Radar(Sensor):
    """Targets among the solids whose `radarCrossSection` σ is above 0, except those the radar is a part
    of.

    A solid is a target if (Webots reference, Radar)

    - a part of it lies in the field of view and between minRange and maxRange,
    - its radial speed lies from minRadialSpeed to maxRadialSpeed (both 0: no limits) and is at least
      minAbsoluteRadialSpeed,
    - the received power Pt·G²·λ²·σ / ((4π)³·d⁴) is at least minDetectableSignal (Pt and G from dBm and dBi),
    - with `occlusion`: no bounding object of another solid hides its origin.

    d is the distance to the middle of its extents, clamped to minRange and maxRange; speed and azimuth are
    those of its origin, the azimuth clamped to the field of view. Noises are normal, with the field as
    standard deviation. Then targets closer than cellDistance (and, if cellSpeed is above 0, in speed closer
    than that) are merged: powers are added, the rest is the mean weighted with them.

    Attributes:
        min_range, max_range: m.
        horizontal, vertical: full angles of view, rad.
        frame: the frame of the device.
    """

    channels = declare(value=RECORDS)

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.min_range = number_at_least(spec, "minRange", 0.0)
        self.max_range = number_at_least(spec, "maxRange", self.min_range)
        if self.max_range <= self.min_range:
            raise field_error(spec, "maxRange", self.max_range, "more than minRange")
        self.horizontal = number_at_least(spec, "horizontalFieldOfView", 0.0, 2.0 * math.pi + 1e-4)
        self.vertical = number_at_least(spec, "verticalFieldOfView", 0.0, math.pi)
        if self.vertical >= math.pi:
            raise field_error(spec, "verticalFieldOfView", self.vertical, "less than π")
        self._min_absolute = number_at_least(spec, "minAbsoluteRadialSpeed", 0.0)
        low, high = spec["minRadialSpeed"], spec["maxRadialSpeed"]
        self._speeds = (-math.inf, math.inf)
        if low != 0.0 or high != 0.0:
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise field_error(
                    spec, "maxRadialSpeed", high, f"more than minRadialSpeed, {low:g}, or both 0"
                )
            self._speeds = (low, high)
        self._cell = (number_at_least(spec, "cellDistance", 0.0), number_at_least(spec, "cellSpeed", 0.0))
        self._noises = [
            number_at_least(spec, field, 0.0) for field in ("rangeNoise", "speedNoise", "angularNoise")
        ]
        self._noise = Noise(context.seed) if any(self._noises) else None
        gain = _from_decibel(spec, "antennaGain")
        power = 1e-3 * _from_decibel(spec, "transmittedPower")
        wavelength = SPEED_OF_LIGHT / (positive_number(spec, "frequency") * GIGA)
        self._power_factor = power * gain**2 * (wavelength * wavelength) / (4.0 * math.pi) ** 3
        self._threshold = 1e-3 * _from_decibel(spec, "minDetectableSignal")
        self._occlusion: bool = spec["occlusion"]
        self._medium = context.media.of(RadarTargets)
        self._known: list[ObjectBounds] | None = None
        self._targets: list[ObjectBounds] = []

    def sample(self, time_ns: int) -> RadarReading:
        """Detect the targets."""
        if self._known is not self._medium.targets:
            self._known, above = self._medium.targets, {self.spec.id, *self.spec.above}
            self._targets = [target for target in self._known if target.solid.id not in above]
        pose, velocity = self.frame.pose(), self.frame.linear_velocity()
        noise = [0.0] * (3 * len(self._targets))
        if self._noise is not None:
            noise = self._noise.normals(time_ns, len(noise))
        seen: list[ObjectBounds] = []
        echoes: list[RadarTarget] = []
        for index, target in enumerate(self._targets):
            echo = self._echo(target, pose, velocity, noise[3 * index : 3 * index + 3])
            if echo is not None:
                seen.append(target)
                echoes.append(echo)
        if self._occlusion:
            hidden = self._medium.hidden(pose.position, seen, self.spec.robot)
            echoes = [echo for echo, behind in zip(echoes, hidden, strict=True) if not behind]
        if self._cell[0] > 0.0:
            echoes = _merged(echoes, *self._cell)
        in_dbm = (
            echo._replace(received_power=10.0 * math.log10(echo.received_power / 1e-3)) for echo in echoes
        )
        return RadarReading(time_ns, tuple(in_dbm))

    def _echo(
        self, target: ObjectBounds, pose: Pose, velocity: Vec3, noise: list[float]
    ) -> RadarTarget | None:
        """Return the echo of a target with its power in W; None: it is not detected."""
        at = target.frame.pose().position
        if norm(subtract(at, pose.position)) == 0.0:
            return None
        low, high = target.box(pose)
        middle = (low + high) / 2.0
        depth = float(high[0] - low[0]) / 2.0
        away = math.hypot(*middle)
        measured = away + self._noises[0] * noise[0]
        if away > self.max_range + depth or measured < self.min_range - depth:
            return None
        if not in_view(target, pose, self.horizontal, self.vertical):
            return None
        distance = min(max(measured, self.min_range), self.max_range)
        if distance <= 0.0:
            return None
        line = subtract(at, pose.position)
        relative = subtract(target.frame.linear_velocity(), velocity)
        speed = dot(scale(line, 1.0 / norm(line)), relative) + self._noises[1] * noise[1]
        if not self._speeds[0] <= speed <= self._speeds[1] or abs(speed) < self._min_absolute:
            return None
        square = distance * distance  # may become inf, where `**` would raise OverflowError
        power = self._power_factor * target.solid["radarCrossSection"] / (square * square)
        if power < self._threshold:
            return None
        x, y, _ = rotate_back(pose.rotation, line)
        half = self.horizontal / 2.0
        azimuth = min(max(math.atan2(y, x), -half), half) + self._noises[2] * noise[2]
        return RadarTarget(distance, power, speed, azimuth)


def _merged(echoes: list[RadarTarget], cell_distance: float, cell_speed: float) -> list[RadarTarget]:
    """Merge echoes that cannot be separated, until all can be."""
    echoes = list(echoes)
    first = 0
    while first < len(echoes):
        one = echoes[first]
        same = [
            other
            for other in echoes[first + 1 :]
            if abs(one.distance - other.distance) < cell_distance
            and (cell_speed <= 0.0 or abs(one.speed - other.speed) < cell_speed)
        ]
        if not same:
            first += 1
            continue
        group = [one, *same]
        power = sum(echo.received_power for echo in group)
        distance, speed, azimuth = (
            sum(getattr(echo, name) * echo.received_power for echo in group) / power
            for name in ("distance", "speed", "azimuth")
        )
        echoes = [echo for echo in echoes if all(echo is not other for other in same)]
        echoes[first] = RadarTarget(distance, power, speed, azimuth)
    return echoes


def _from_decibel(spec: NodeSpec, field: str) -> float:
    """Return the ratio given by a number of decibels."""
    value = number_at_least(spec, field, -LARGEST_DECIBEL, LARGEST_DECIBEL)
    return float(10.0 ** (value / 10.0))
