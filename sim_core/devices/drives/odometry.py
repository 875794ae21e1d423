"""Dead reckoning of a differential robot from the angles of its wheels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sim_core.base.state import State, Stateful
from sim_core.devices.base import Device
from sim_core.devices.drives.differential_drive import DifferentialDrive, SignedWheel
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.drives.odometry_covariance import OdometryCovariance, OdometryNoise, PlanarCovariance
from sim_core.devices.drives.planar_motion import ORIGIN, STILL, Pose2d, Twist2d, twist_from_wheels
from sim_core.devices.motors.motor import Motor
from sim_core.devices.touch.position_sensor import PositionSensor


@dataclass(eq=False)
class OdometryState(State):
    """What a robot's wheels told.

    Attributes:
        last: angles of the left and the right side at the last update, rad.
        pose: since the start or the last `reset`; m, m, rad.
        twist: at the last update; m/s and rad/s.
        covariance: of the pose; None: it is not kept.
    """

    last: tuple[float, float]
    pose: Pose2d = ORIGIN
    twist: Twist2d = STILL
    covariance: OdometryCovariance | None = None


class WheelOdometry(Stateful):
    """Pose and velocity as the wheels tell them; slip and wrong dimensions make them drift from the truth.

    A wheel whose joint has a PositionSensor with noise, resolution or faults has the angle that this reads
    (at once, and every time: its dropout and latency do not count here); other wheels have their motor's.

    The frame is that of the robot's axle centre at the start: x forward, y left.

    Attributes:
        drive: whose wheels they are.
    """

    state: OdometryState
    is_shared = False
    """True: one call reckons for all robots (fast 2D)."""

    def __init__(
        self,
        drive: DifferentialDrive,
        devices: Iterable[Device] = (),
        time_ns: Callable[[], int] = lambda: 0,
        period: float = 0.02,
        steps: int = 1,
    ) -> None:
        """`period` s and `steps` pass between two updates; `time_ns` tells the sim time."""
        self._time_ns = time_ns
        self._period = period
        self._steps = steps
        devices = list(devices)
        self._take(drive, devices)
        self._proportional = next(
            (d.encoder_noise for d in devices if isinstance(d, DifferentialWheels)), 0.0
        )
        self._noise: OdometryNoise | None = None
        self.state = OdometryState(self._positions())

    def follow(self, drive: DifferentialDrive, devices: Iterable[Device]) -> None:
        """Go on with other wheels, or with wheels that are elsewhere."""
        self.update()
        self._take(drive, list(devices))
        self.state.last = self._positions()
        if self.state.covariance is not None:
            self.state.covariance.separation = drive.wheel_separation

    def _take(self, drive: DifferentialDrive, devices: list[Device]) -> None:
        self.drive = drive
        sides = [[_encoder(wheel, devices) for wheel in side] for side in (drive.left, drive.right)]
        self._encoders = sides if any(map(any, sides)) else None

    @property
    def pose(self) -> Pose2d:
        """Pose since the start or the last `reset`; m, m, rad."""
        return self.state.pose

    @property
    def twist(self) -> Twist2d:
        """Velocity at the last `update`; m/s and rad/s."""
        return self.state.twist

    def update(self) -> None:
        """Take in how far the wheels turned since the last call; exact if their speeds were constant."""
        drive, state = self.drive, self.state
        left, right = self._positions()
        last_left, last_right = state.last
        state.last = (left, right)
        left, right = left - last_left, right - last_right
        distance, angle = twist_from_wheels(left, right, drive.wheel_radius, drive.wheel_separation)
        if state.covariance is not None:
            state.covariance.add(state.pose, left * drive.wheel_radius, right * drive.wheel_radius)
        state.pose = state.pose.advanced(distance, angle)
        state.twist = twist_from_wheels(*drive.wheel_velocities(), drive.wheel_radius, drive.wheel_separation)

    def reset(self, pose: Pose2d | None = None) -> None:
        """Start anew from a pose, or from the origin."""
        pose = pose or Pose2d()
        self.state = OdometryState(self._positions(), pose, covariance=self._no_errors(pose))

    def restored(self) -> None:
        """The covariance is kept if somebody wants it, from now on if he did not then."""
        if self.state.covariance is None:
            self.state.covariance = self._no_errors(self.pose)

    def keep_covariance(self, slip: float) -> None:
        """From now on know how wrong the pose may be.

        Args:
            slip: variance of a wheel's path per metre rolled, m; see `odometry_covariance.py`.
        """
        self._noise = OdometryNoise(slip, self._proportional, self._steps)
        kept = self.state.covariance
        if kept is None or kept.noise != self._noise:
            self.state.covariance = self._no_errors(self.pose)

    def pose_covariance(self) -> PlanarCovariance:
        """Of the pose of now; needs `keep_covariance`."""
        if self.state.covariance is None:
            raise RuntimeError("the covariance is not kept")
        return self.state.covariance.at(self.pose, self._reading_variance())

    def twist_variances(self) -> tuple[float, float]:
        """Of the forward speed, (m/s)², and the turn rate, (rad/s)²; needs `keep_covariance`."""
        if self.state.covariance is None:
            raise RuntimeError("the covariance is not kept")
        radius = self.drive.wheel_radius
        left, right = self.drive.wheel_velocities()
        return self.state.covariance.rates(left * radius, right * radius, self._period)

    def _no_errors(self, pose: Pose2d) -> OdometryCovariance | None:
        """The covariance at a pose that is known; None: nobody wants it."""
        if self._noise is None:
            return None
        return OdometryCovariance(self.drive.wheel_separation, self._noise, pose)

    def _positions(self) -> tuple[float, float]:
        """Angles of the left and the right side, rad, forward positive, as the encoders read them."""
        if self._encoders is None:
            return self.drive.wheel_positions()
        now = self._time_ns()
        left, right = (
            sum(
                wheel.sign * (encoder.take_sample(now).value if encoder else wheel.motor.position)
                for wheel, encoder in zip(wheels, encoders, strict=True)
            )
            / len(wheels)
            for wheels, encoders in zip((self.drive.left, self.drive.right), self._encoders, strict=True)
        )
        return left, right

    def _reading_variance(self) -> float:
        """e²: variance of the mean reading of a side, m²; the mean of both sides."""
        if self._encoders is None:
            return 0.0
        now, radius = self._time_ns(), self.drive.wheel_radius
        sides = [
            sum((encoder.take_sample(now).deviation * radius) ** 2 for encoder in encoders if encoder)
            / len(encoders) ** 2
            for encoders in self._encoders
        ]
        return sum(sides) / len(sides)


def _encoder(wheel: SignedWheel, devices: list[Device]) -> PositionSensor | None:
    """The sensor at a wheel's joint, if what it reads is not simply the truth."""
    place = wheel.motor.spec.axis if isinstance(wheel.motor, Motor) else None
    if place is None:
        return None
    sensors = [device for device in devices if isinstance(device, PositionSensor) and not device.is_exact]
    return next((each for each in sensors if each.place.key == place.key), None)
