"""Dead reckoning of a differential robot from the angles of its wheels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from sim_core.base.state import Resettable, State
from sim_core.devices.base import Device
from sim_core.devices.drives import reckoning_kernel
from sim_core.devices.drives.differential_drive import DifferentialDrive, SignedWheel
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.drives.odometry_covariance import OdometryCovariance, OdometryNoise, PlanarCovariance
from sim_core.devices.drives.planar_motion import ORIGIN, Pose2d, Twist2d
from sim_core.devices.motors.motor import Motor
from sim_core.devices.touch.position_sensor import PositionSensor

MAX_STORED_UPDATES = 500
"""Number of stored updates after which the pose is computed even if it is not requested."""
NO_SUMS = np.zeros(0)
"""Argument of `reckoning_kernel.reckon_path` if no covariance is kept."""


@dataclass(eq=False)
class OdometryState(State):
    """State of dead reckoning.

    Attributes:
        last: angles of the left and the right side at the last update, rad, and the distance to the left, m.
        pose: since the start or the last `reset`; m, m, rad.
        covariance: of the pose; None: not kept.
    """

    last: tuple[float, float, float]
    pose: Pose2d = ORIGIN
    covariance: OdometryCovariance | None = None


class WheelOdometry(Resettable):
    """Pose and velocity computed from the wheels; they drift from the truth by slip and wrong dimensions.

    If a wheel's joint has a PositionSensor with noise, resolution or faults, the wheel's angle is what this
    sensor measures (at once, and each time: dropout and latency do not apply); other wheels have their
    motor's angle. The frame is that of the robot's axle centre at the start: x forward, y left.

    Attributes:
        drive: the drive with the wheels.
        steps: steps between two updates.
    """

    is_shared = False
    """True: one `update_poses` call updates all robots (fast 2D mode)."""

    def __init__(
        self,
        drive: DifferentialDrive,
        devices: Iterable[Device] = (),
        time_ns: Callable[[], int] = lambda: 0,
        period: float = 0.02,
        steps: int = 1,
    ) -> None:
        """Start at the origin.

        Args:
            drive: the drive with the wheels.
            devices: devices of the robot.
            time_ns: returns the sim time.
            period: s between two updates.
            steps: steps between two updates.
        """
        self._time_ns = time_ns
        self._period = period
        self.steps = steps
        devices = list(devices)
        self._set_wheels(drive, devices)
        self._proportional = next(
            (d.encoder_noise for d in devices if isinstance(d, DifferentialWheels)), 0.0
        )
        self._noise: OdometryNoise | None = None
        self._path: list[tuple[float, float, float]] = []
        self._state = OdometryState(self._positions())

    @property
    def state(self) -> OdometryState:
        """State at the last update."""
        if self._path:
            self._reckon()
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, OdometryState)
        self._path.clear()
        self._state = state

    def set_drive(self, drive: DifferentialDrive, devices: Iterable[Device]) -> None:
        """Continue with a drive whose wheels were replaced or moved."""
        self.update_pose()
        state = self.state  # computed with the old sizes of the wheels
        self._set_wheels(drive, list(devices))
        state.last = self._positions()
        if state.covariance is not None:
            state.covariance.separation = drive.track

    def _set_wheels(self, drive: DifferentialDrive, devices: list[Device]) -> None:
        self.drive = drive
        sides = [[_encoder(wheel, devices) for wheel in side] for side in (drive.left, drive.right)]
        self._encoders = sides if any(map(any, sides)) else None

    @property
    def pose(self) -> Pose2d:
        """Pose since the start or the last `reset`; m, m, rad."""
        return self.state.pose

    @property
    def twist(self) -> Twist2d:
        """Present velocity computed from the wheels; m/s and rad/s."""
        return self.drive.twist()

    def update_pose(self) -> None:
        """Store how far the wheels turned since the last call; exact if their speeds were constant."""
        self._path.append(self._positions())
        if len(self._path) >= MAX_STORED_UPDATES:
            self._reckon()

    def _reckon(self) -> None:
        """Compute the pose from the stored updates; not in each update, as the pose is often not
        requested."""
        state, drive = self._state, self.drive
        angles, pose = np.array([state.last, *self._path]), np.array(state.pose)
        sums, errors = NO_SUMS, (0.0, 0.0)
        if state.covariance is not None:
            sums, errors = state.covariance.sums, state.covariance.errors
        reckoning_kernel.reckon_path(angles, drive.wheel_radius, drive.track, pose, sums, *errors)
        state.last, state.pose = self._path[-1], Pose2d(*pose.tolist())
        self._path.clear()

    def reset(self, pose: Pose2d | None = None) -> None:
        """Start again from a pose, or from the origin."""
        pose = pose or Pose2d()
        self.state = OdometryState(self._positions(), pose, covariance=self._exact_covariance(pose))

    def restored(self) -> None:
        """Continue with the restored covariance; start one if it is needed and was not kept then."""
        if self.state.covariance is None:
            self.state.covariance = self._exact_covariance(self.pose)

    def keep_covariance(self, slip: float) -> None:
        """Keep the covariance of the pose from now on.

        Args:
            slip: variance of a wheel's path per metre rolled, m; see `odometry_covariance.py`.
        """
        self._noise = OdometryNoise(slip, self._proportional, self.steps)
        kept = self.state.covariance
        if kept is None or kept.noise != self._noise:
            self.state.covariance = self._exact_covariance(self.pose)

    def pose_covariance(self) -> PlanarCovariance:
        """Return the covariance of the present pose; needs `keep_covariance`."""
        if self.state.covariance is None:
            raise RuntimeError("the covariance is not kept")
        return self.state.covariance.covariance_of(self.pose, self._reading_variance())

    def twist_variances(self) -> tuple[float, float]:
        """Return the variances of the forward speed, (m/s)², and the turn rate, (rad/s)²; needs
        `keep_covariance`."""
        if self.state.covariance is None:
            raise RuntimeError("the covariance is not kept")
        radius = self.drive.wheel_radius
        left, right = self.drive.wheel_velocities()
        return self.state.covariance.rates(left * radius, right * radius, self._period)

    def _exact_covariance(self, pose: Pose2d) -> OdometryCovariance | None:
        """Return the covariance at an exactly known pose; None: it is not kept."""
        if self._noise is None:
            return None
        return OdometryCovariance(self.drive.track, self._noise, pose)

    def _positions(self) -> tuple[float, float, float]:
        """Return the angles of the left and the right side, rad, forward positive, as the encoders read
        them, and the distance to the left, m."""
        sideways = self.drive.lateral_distance()
        if self._encoders is None:
            return *self.drive.wheel_positions(), sideways
        now = self._time_ns()
        left, right = (
            sum(
                wheel.sign * (encoder.take_sample(now).value if encoder else wheel.motor.position)
                for wheel, encoder in zip(wheels, encoders, strict=True)
            )
            / len(wheels)
            for wheels, encoders in zip((self.drive.left, self.drive.right), self._encoders, strict=True)
        )
        return left, right, sideways

    def _reading_variance(self) -> float:
        """Return e², the variance of the mean reading of a side, m²; the mean of both sides."""
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
    """Return the sensor at a wheel's joint, if its readings have errors."""
    place = wheel.motor.spec.axis if isinstance(wheel.motor, Motor) else None
    if place is None:
        return None
    sensors = [device for device in devices if isinstance(device, PositionSensor) and not device.is_exact]
    return next((each for each in sensors if each.place.key == place.key), None)
