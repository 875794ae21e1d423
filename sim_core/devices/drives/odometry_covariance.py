"""Uncertainty of dead reckoning: the covariance of a differential robot's computed pose.

The model, for one update after another, with Δl and Δr the paths of the left and the right wheel in m:

- slip: each path has an error of variance `slip`·|Δ|, independent of all others;
- encoders with a proportional error (DifferentialWheels, encoderNoise n: each step's angle times a factor
  uniform in 1 ± n): variance n²/3·Δ²/m, for m steps in Δ;
- encoders that read a wrong angle (PositionSensor: noise, resolution): each reading of each wheel has an
  independent error of variance e² in m². It does not add up along the path: only the first and the last
  reading matter for the heading, and each reading for the direction of one Δ.

The first two are propagated linearly (Siegwart and Nourbakhsh, "Introduction to Autonomous Mobile Robots",
section 5.2.4), but as sums over the path rather than by products of matrices: an error δs along the direction
u of a piece of the path stays u·δs, an error δθ of the heading made at the point c moves the robot, now at p,
by J·(p - c)·δθ, J the rotation by 90°. With a, b and g the variances of δθ and δs and their covariance, for
each piece a = (ql + qr)/w², b = (ql + qr)/4, g = (qr - ql)/(2w), w the separation of the wheels.

Sideways slip and errors of the robot's dimensions are not modelled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.state import State
from sim_core.devices.drives.planar_motion import ORIGIN, Pose2d
from sim_core.devices.drives.reckoning_kernel import add_errors


@dataclass(frozen=True)
class OdometryNoise:
    """Errors of a robot's wheels."""

    slip: float = 0.0
    """Variance in m² per m that a wheel rolls."""
    proportional: float = 0.0
    """n: half the width of the uniform factor of each step's angle."""
    steps: int = 1
    """m: steps between two updates."""


class PlanarCovariance(NamedTuple):
    """Upper triangle of the covariance of x, y (m) and yaw (rad)."""

    xx: float
    xy: float
    yy: float
    x_yaw: float
    y_yaw: float
    yaw: float


@dataclass(eq=False)
class OdometryCovariance(State):
    """Sums over the path of a robot since the start.

    Attributes:
        separation: of the wheels, m.
        noise: parameters of the model.
        start: the exactly known first pose.
        sums: (18,) over the pieces, with (x, y) the middle of a piece, (u, v) its direction, d its length: a,
            ax, ay, ax², axy, ay²; bu², buv, bv²; gu, gv, gux, guy, gvx, gvy; d²u², d²uv, d²v².
    """

    separation: float
    noise: OdometryNoise
    start: Pose2d = ORIGIN
    sums: FloatArray = field(default_factory=lambda: np.zeros(18))

    @property
    def proportional(self) -> float:
        """Variance of a wheel's path per its square."""
        return self.noise.proportional**2 / (3.0 * self.noise.steps)

    @property
    def errors(self) -> tuple[float, float]:
        """Variances of a wheel's path per metre, m, and per its square."""
        return self.noise.slip, self.proportional

    def add_path(self, before: Pose2d, left: float, right: float) -> None:
        """Add a piece of the path: the pose before it, and how far the wheels rolled, m."""
        add_errors(self.sums, *before, left, right, self.separation, *self.errors)

    def covariance_of(self, pose: Pose2d, encoder_variance: float = 0.0) -> PlanarCovariance:
        """Return the covariance of a pose, the end of the path.

        Args:
            pose: the computed pose.
            encoder_variance: e² in m², of the mean reading of a side.
        """
        x, y, _ = pose
        a, ax, ay, axx, axy, ayy, buu, buv, bvv, gu, gv, gux, guy, gvx, gvy, *_ = self.sums.tolist()
        # J·(p - c)·δθ = (-(y - cy), x - cx)·δθ
        xx = ayy - 2.0 * y * ay + y * y * a
        yy = axx - 2.0 * x * ax + x * x * a
        xy = -(axy - x * ay - y * ax + x * y * a)
        xx += buu - 2.0 * (y * gu - guy)
        yy += bvv + 2.0 * (x * gv - gvx)
        xy += buv + (x * gu - gux) - (y * gv - gvy)
        x_yaw = ay - y * a + gu
        y_yaw = x * a - ax + gv
        path = PlanarCovariance(xx, xy, yy, x_yaw, y_yaw, a)
        return self._with_readings(path, pose, encoder_variance) if encoder_variance else path

    def rates(self, left: float, right: float, period: float) -> tuple[float, float]:
        """Return the variances of the forward speed (m/s)² and the turn rate (rad/s)², over one update.

        They are those of slip: the speeds are the motors', in which encoders have no part.

        Args:
            left, right: speeds of the wheels' rims, m/s.
            period: s between two updates.
        """
        total = self.noise.slip / period * (abs(left) + abs(right))
        return total / 4.0, total / self.separation**2

    def _with_readings(self, path: PlanarCovariance, pose: Pose2d, variance: float) -> PlanarCovariance:
        """Add the errors of the encoders' first and last readings, and of those between."""
        # variances of the heading and of the position along it by one pair of readings
        turn, along = 2.0 * variance / self.separation**2, variance / 2.0
        duu, duv, dvv = self.sums[15:].tolist()
        x, y = pose.x - self.start.x, pose.y - self.start.y
        first, last = self.start.yaw, pose.yaw
        uu = math.cos(first) ** 2 + math.cos(last) ** 2
        vv = math.sin(first) ** 2 + math.sin(last) ** 2
        uv = math.cos(first) * math.sin(first) + math.cos(last) * math.sin(last)
        return PlanarCovariance(
            path.xx + turn * (y * y + dvv) + along * uu,
            path.xy - turn * (x * y + duv) + along * uv,
            path.yy + turn * (x * x + duu) + along * vv,
            path.x_yaw - turn * y,
            path.y_yaw + turn * x,
            path.yaw + 2.0 * turn,
        )
