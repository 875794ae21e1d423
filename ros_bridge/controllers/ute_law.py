"""Control of the ute, without ROS: PID control of actuators, engine, brakes, route.

Steering, accelerator and brake are moved by motors to their set points, each by a PID controller. In the mode
`manual` the operator sends the set points; in `automatic` the ute follows its route at its cruising speed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ros_bridge.controllers.pid import Pid, PidSettings
from sim_core.base.errors import CommandError, hint
from sim_core.devices.drives.ackermann import steering_angles

WHEELBASE, TRACK = 2.9, 1.5
"""m"""
MAX_STEERING = 0.5
"""Largest set point of the steering, rad, of the virtual wheel midway between the front wheels."""
STROKE = {"accelerator": 0.1, "brake": 0.15}
"""Travel of the linear actuators, m; their set points are fractions of it, from 0 to 1."""
LIMITS = {"steering": (-MAX_STEERING, MAX_STEERING), "accelerator": (0.0, 1.0), "brake": (0.0, 1.0)}
"""Limits of the set points: rad to the left, and fractions of the travel."""
SUPPLY = 24.0
"""V; amplifiers output from -SUPPLY to SUPPLY, and so do the PID controllers."""
MOTOR_SPEED, MOTOR_POWER = 2000.0 * math.tau / 60.0, 120.0
GEAR, GEAR_EFFICIENCY = 40.0, 0.9
"""Speed in rad/s and power in W of the steering motor at SUPPLY, and its worm gear."""
DRIVE_TORQUE = MOTOR_POWER / MOTOR_SPEED * GEAR * GEAR_EFFICIENCY
CLUTCH_TORQUE = 10.0
"""N·m at the steering column: torque of motor and gear, and at which the clutch behind them slips."""
COLUMN_RATIO, SERVO = 18.0, 6.4
"""Ratio of the column's angle to that of the wheels; amplification of the column's torque by the car's servo.
The report contains neither: it states that 8 N·m at the column turn the steering, as in the standing car."""
SPEEDS = {
    "steering": MOTOR_SPEED / GEAR / COLUMN_RATIO,
    "accelerator": 0.048,
    "brake": 0.048,
}
"""Speeds at SUPPLY: rad/s of the virtual front wheel, m/s of the linear actuators."""
SETTINGS = {
    "steering": PidSettings(kp=500.0, se_min=-0.2, se_max=0.2, y_min=-SUPPLY, y_max=SUPPLY),
    "accelerator": PidSettings(kp=300.0, y_min=-SUPPLY, y_max=SUPPLY),
    "brake": PidSettings(kp=300.0, y_min=-SUPPLY, y_max=SUPPLY),
}
"""Initial settings. Outputs are in V."""
MODES = ("manual", "automatic")
ENGINE_TORQUE = 600.0
"""N·m at each rear wheel at standstill with open throttle."""
ENGINE_SPEED = 80.0
"""rad/s of the rear wheels at which the engine with open throttle has no torque left."""
BRAKE_TORQUE = 1200.0
"""N·m at each rear wheel with the pedal down."""
BRAKE_SLOPE = 2400.0
"""N·m per rad/s, below which braking torque decreases, so that a standing car does not oscillate."""
SPEED_GAIN, SPEED_SUM_GAIN = 0.3, 0.03
LOOK_AHEAD = 5.0
"""m along the route to the point that is steered to."""
REAR = ("rear left wheel", "rear right wheel")
FRONT = ("left steering", "right steering")
POTENTIOMETER = 8.6
"""V at the end of a linear actuator's travel; -8.6 V at its start."""
SLOWEST_TURN = 1.0
"""Sum of both rear wheels' speeds, rad/s, below which the steering angle cannot be computed from them."""
READINGS = (
    *("counts", "accelerator", "steering", "brake"),
    *("computed steering", "accelerator volts", "brake volts"),
)
"""Reported values of the actuators: a number, a fraction of travel, rad, a fraction, rad, V, V."""


class UteReadings(NamedTuple):
    """Measurements of one period."""

    left_steering: float
    right_steering: float
    """rad, positive to the left"""
    accelerator: float
    brake: float
    """m of travel"""
    left_wheel: float
    right_wheel: float
    """rad/s of the rear wheels"""
    x: float
    y: float
    heading: float
    """m, m, rad from the start, by dead reckoning"""
    speed: float
    """m/s"""


class Commands(NamedTuple):
    """Motor commands: rad/s or m/s, and N·m, by motor."""

    velocities: dict[str, float]
    efforts: dict[str, float]


class UteLaw:
    """The control loops of the ute.

    Attributes:
        pids: by actuator.
        mode: `manual` or `automatic`.
        stopped: urgent stop: full brakes, closed throttle, whatever the set points are.
        clutch: whether the steering motor is connected; without it the front wheels turn freely.
        route: points (x, y) in m from the start, followed cyclically.
        cruise_speed: m/s, in the mode `automatic`.
    """

    def __init__(self, route: Sequence[tuple[float, float]] = (), cruise_speed: float = 5.0) -> None:
        self.pids = {name: Pid(settings) for name, settings in SETTINGS.items()}
        self.mode = "manual"
        self.stopped = False
        self.clutch = True
        self.route = tuple(route)
        self.cruise_speed = cruise_speed
        self._next_point = 0
        self._speed_sum = 0.0

    def set_points(self, values: Mapping[str, float]) -> None:
        """Set new set points: all of them, or, if one is wrong, none.

        Raises:
            CommandError: an unknown actuator, a value beyond its limits; or the mode is `automatic`, in which
                the ute computes its own.
        """
        for name, value in values.items():
            check_set_point(name, value)
        if self.mode == "automatic":
            raise CommandError("found set points in the mode automatic, expected the mode manual")
        for name, value in values.items():
            self.pids[name].set_point = value

    def set_mode(self, mode: str) -> None:
        """Switch between `manual` and `automatic`.

        Raises:
            CommandError: there is no such mode, or no route to follow.
        """
        if mode not in MODES:
            raise CommandError(f'found "{mode}", expected {" or ".join(MODES)}{hint(mode, MODES)}')
        if mode == "automatic" and not self.route:
            raise CommandError("found no route, expected the parameter route before the mode automatic")
        self.mode = mode
        self._speed_sum = 0.0

    def restart(self) -> None:
        """Return to the start: no set points, the route from its first point; settings and mode stay."""
        for pid in self.pids.values():
            pid.restart()
        self._next_point = 0
        self._speed_sum = 0.0

    def commands(self, measured: UteReadings, dt: float) -> Commands:
        """Return the commands for the next `dt` seconds."""
        if self.mode == "automatic":
            self._follow(measured, dt)
        steering, pedals = self.pids["steering"], ("accelerator", "brake")
        velocities: dict[str, float] = {}
        efforts: dict[str, float] = {}
        if self.clutch:
            rate = speed_at("steering", steering.update(steering_angle(measured), dt))
            angles = front_angles(steering_angle(measured) + rate * dt)
            now = (measured.left_steering, measured.right_steering)
            velocities = {name: (new - old) / dt for name, new, old in zip(FRONT, angles, now, strict=True)}
        else:
            steering.reset_sums()
            efforts = dict.fromkeys(FRONT, 0.0)
        for name in pedals:
            travel = getattr(measured, name) / STROKE[name]
            velocities[name] = speed_at(name, self.pids[name].update(travel, dt))
        throttle = 0.0 if self.stopped else measured.accelerator / STROKE["accelerator"]
        brake = 1.0 if self.stopped else measured.brake / STROKE["brake"]
        wheels = zip(REAR, (measured.left_wheel, measured.right_wheel), strict=True)
        efforts |= {name: rear_torque(throttle, brake, speed) for name, speed in wheels}
        return Commands(velocities, efforts)

    def _follow(self, measured: UteReadings, dt: float) -> None:
        """Compute set points that follow the route: steer to a point ahead, keep the speed."""
        count = len(self.route)
        for _ in range(count):
            x, y = self.route[self._next_point]
            if math.hypot(x - measured.x, y - measured.y) > LOOK_AHEAD:
                break
            self._next_point = (self._next_point + 1) % count
        x, y = self.route[self._next_point]
        bearing = math.atan2(y - measured.y, x - measured.x) - measured.heading
        distance = max(LOOK_AHEAD, math.hypot(x - measured.x, y - measured.y))
        curvature = 2.0 * math.sin(bearing) / distance  # pure pursuit
        angle = math.atan(WHEELBASE * curvature)
        self.pids["steering"].set_point = max(-MAX_STEERING, min(MAX_STEERING, angle))
        error = self.cruise_speed - measured.speed
        push = max(-1.0, min(1.0, SPEED_GAIN * error + SPEED_SUM_GAIN * self._speed_sum))
        if abs(push) < 1.0:  # else the integral would wind up
            self._speed_sum += error * dt
        self.pids["accelerator"].set_point = max(0.0, push)
        self.pids["brake"].set_point = max(0.0, -push)


def check_set_point(name: str, value: float) -> None:
    """Raise CommandError unless `name` is an actuator and `value` within its limits."""
    if name not in LIMITS:
        raise CommandError(f'found "{name}", expected one of {", ".join(LIMITS)}{hint(name, LIMITS)}')
    low, high = LIMITS[name]
    if not low <= value <= high:
        raise CommandError(f"{name}: found {value:g}, expected {low:g} to {high:g}")


def steering_angle(measured: UteReadings) -> float:
    """Return the angle of the virtual wheel midway between the front wheels, rad."""
    curvatures = [
        math.tan(angle) / (WHEELBASE + side * TRACK / 2.0 * math.tan(angle))
        for angle, side in ((measured.left_steering, 1.0), (measured.right_steering, -1.0))
    ]
    return math.atan(WHEELBASE * sum(curvatures) / 2.0)


def computed_steering(measured: UteReadings) -> float:
    """Return that angle from the rear wheels' speeds, rad: tan δ = wheelbase·(turn rate of the car)/speed.

    NaN while they hardly turn.
    """
    left, right = measured.left_wheel, measured.right_wheel
    if abs(left + right) < SLOWEST_TURN:
        return math.nan
    return math.atan(2.0 * WHEELBASE * (right - left) / (TRACK * (right + left)))


def speed_at(name: str, voltage: float) -> float:
    """Return the speed of an actuator at a voltage in V: rad/s or m/s; amplifiers are limited to SUPPLY."""
    return max(-1.0, min(1.0, voltage / SUPPLY)) * SPEEDS[name]


def potentiometer(name: str, travel: float) -> float:
    """Return the voltage of the potentiometer in a linear actuator, V, at a travel in m."""
    return POTENTIOMETER * (2.0 * travel / STROKE[name] - 1.0)


def front_angles(angle: float) -> tuple[float, float]:
    """Return the angles of left and right front wheel, rad, whose axles meet on that of the rear wheels."""
    return steering_angles(math.tan(angle) / WHEELBASE, WHEELBASE, TRACK)


def rear_torque(throttle: float, brake: float, speed: float) -> float:
    """Return the torque of engine and brake at a rear wheel that turns at `speed` rad/s, N·m."""
    engine = ENGINE_TORQUE * (throttle - speed / ENGINE_SPEED)
    bite = brake * BRAKE_TORQUE
    return engine - max(-bite, min(bite, BRAKE_SLOPE * speed))
