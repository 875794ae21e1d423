"""Copies of a world of the fast 2D mode, simulated as one batch of arrays."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import Float32Array, FloatArray, IntArray
from sim_core.base.errors import ConfigError
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.motors.motor import Motor
from sim_core.devices.ranging.distance_bank import DistanceCopies
from sim_core.engines.rolling import Rolling
from sim_core.experiments.learning.channels import DRIVE, ActionChannel, within
from sim_core.experiments.learning.one_world import OneWorld, placement_message, upright
from sim_core.experiments.learning.task import Start

SHARE = 64
"""Number of copies for which a thread is worthwhile."""


class _Wheel(NamedTuple):
    """A motor with a velocity command.

    Attributes:
        motor: the motor.
        column: column of the commands.
        drive: drive, which uses two columns, forward and rotation; None: one column, the motor's own speed.
        sign: sign of the angle that drives forward.
        side: -1 left, 1 right.
    """

    motor: Motor
    column: int
    drive: DifferentialDrive | None = None
    sign: float = 1.0
    side: float = 0.0


class PlaneWorlds:
    """One batch of arrays; implements `Worlds`. `why_not` checks which worlds are possible."""

    def __init__(self, world: OneWorld, count: int, threads: int | None = None) -> None:
        """Make `count` copies of a world in its start state; `threads`: number of threads, None: all
        cores."""
        sim = world.sim
        rolled = sim.world.rolled
        assert rolled is not None  # checked by `why_not`
        rolling = rolled.rolling
        self.read_space, self.command_space = world.read_space, world.command_space
        self.seconds = world.seconds
        self._steps, self._step = world.steps, sim.step_ns / 1e9
        self._copies = rolling.copies(self._step, count)
        sensors = rolled.distance_sensors.copies([each.sensor for each in world.observations], count)
        assert isinstance(sensors, DistanceCopies)
        self._sensors = sensors
        self._wheels = _wheels_of(world.actions)
        self._axes = np.array([rolling.row_of(wheel.motor.axis) for wheel in self._wheels], np.int64)
        self._axis_count = len(rolling.arrays.wheels.velocities)
        motors = [wheel.motor for wheel in self._wheels]
        self._top = np.array([motor.max_velocity for motor in motors])
        self._factor = np.array([motor.multiplier for motor in motors])
        self._change = np.array([motor.state.control.acceleration * self._step for motor in motors])
        self._velocities = np.zeros((count, len(motors)))
        rows = {id_: row for row, id_ in enumerate(rolling.arrays.robots)}
        self._rows = {
            robot.name: rows[robot.node.id] for robot in sim.robots.values() if robot.node.id in rows
        }
        bodies = zip(world.spec.bodies, world.bodies, strict=True)
        self._rows |= {name: rows[body] for name, body in bodies if body in rows}
        self._bodies = np.array([rows.get(body, -1) for body in world.bodies], np.int64)
        self._still = np.array(world.poses(), float).reshape(-1, 4)
        self._threads = max(1, min(threads or os.cpu_count() or 1, count // SHARE or 1))
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self.readings: Float32Array = np.zeros((count, len(world.observations)), np.float32)
        self.poses: FloatArray = np.zeros((count, len(world.bodies), 4))

    def begin(self, rows: IntArray, seeds: Sequence[int | None], starts: Sequence[Start]) -> None:
        """See `Worlds.begin`; nothing in the batch is random."""
        self._copies.reset(rows)
        self._velocities[rows] = 0.0
        for row, start in zip(rows.tolist(), starts, strict=True):
            for name, place in start.places.items():
                robot = self._rows.get(name)
                if robot is None:
                    raise ConfigError(placement_message(name))
                self._copies.put(row, robot, upright(place))
        self._sensors.measure(rows, self._copies.places)
        self._update_state()

    def step(self, rows: IntArray, commands: Float32Array) -> None:
        """See `Worlds.step`."""
        velocities = self._copies.turn(self._axis_velocities(commands))

        def go(part: IntArray) -> None:
            self._copies.roll(part, velocities)
            self._sensors.measure(part, self._copies.places)

        if self._pool is None or len(rows) < 2 * SHARE:
            go(rows)
        else:
            list(self._pool.map(go, np.array_split(rows, self._threads)))
        self._update_state()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _update_state(self) -> None:
        self.readings = within(self._sensors.outputs.astype(np.float32), self.read_space)
        poses = self._copies.poses()[:, self._bodies]
        poses[:, self._bodies < 0] = self._still[self._bodies < 0]
        self.poses = poses

    def _axis_velocities(self, commands: Float32Array) -> FloatArray:
        """Return (t, c, k) velocities that the motors command to the axes in each step, computed as in
        `Motor`."""
        targets = self._velocity_commands(commands.astype(float))
        driven = np.zeros((self._steps, len(commands), self._axis_count))
        for now in range(self._steps):
            change = targets - self._velocities
            reached = np.abs(change) <= self._change
            self._velocities = np.where(
                reached, targets, self._velocities + np.copysign(self._change, change)
            )
            driven[now][:, self._axes] = self._velocities
        return driven

    def _velocity_commands(self, commands: FloatArray) -> FloatArray:
        """Return (c, m) velocity commands of the motors, limited as in `DifferentialDrive.set_twist` and
        `Motor.set_velocity`."""
        targets = np.empty((len(commands), len(self._wheels)))
        for index, (motor, column, drive, sign, side) in enumerate(self._wheels):
            if drive is None:
                targets[:, index] = commands[:, column]
                continue
            linear, angular = commands[:, column], commands[:, column + 1]
            turn = angular * drive.wheel_separation / 2.0
            left, right = (linear - turn) / drive.wheel_radius, (linear + turn) / drive.wheel_radius
            fastest, limit = np.maximum(np.abs(left), np.abs(right)), drive.max_wheel_speed
            speed = left if side < 0.0 else right
            slowed = speed * (limit / np.where(fastest > limit, fastest, 1.0))
            targets[:, index] = sign * np.where(fastest > limit, slowed, speed) / motor.multiplier
        targets *= self._factor
        return np.where(np.abs(targets) <= self._top, targets, np.copysign(self._top, targets))


def why_not(world: OneWorld) -> str | None:
    """Return the reason why a world cannot be simulated as one batch; None: it can. The world is stepped."""
    sim = world.sim
    rolled = sim.world.rolled
    if rolled is None:
        return "it is stepped by ODE"
    sensors = [each.sensor for each in world.observations]
    copies = rolled.distance_sensors.copies(sensors, 1)
    if isinstance(copies, str):
        return copies
    for sensor in sensors:
        if sensor.period_ns != world.steps * sim.step_ns:
            return f"{sensor.robot_name}.{sensor.name} is not sampled once per step of the environment"
    for robot in sim.robots.values():
        if robot.battery is not None:
            return f"{robot.name} has a battery"
    for action in world.actions:
        if action.mode not in ("velocity", DRIVE):
            return f"{action.name} is not commanded with a velocity"
    for wheel in _wheels_of(world.actions):
        motor = wheel.motor
        if not isinstance(motor, Motor) or len(motor.coupled) > 1 or motor.command_faults is not None:
            return f"{motor.name} is not a motor with a joint of its own"
        if math.isfinite(motor.limits.min_position):
            return f"{motor.name} has stops"
    return _movement_message(world, rolled.rolling)


def _movement_message(world: OneWorld, rolling: Rolling) -> str | None:
    """Return a message if something moves by itself in a world, which a batch would not simulate."""
    world.sim.step(2)
    moves = bool(rolling.arrays.wheels.velocities.any())
    world.sim.reset()
    return "something moves by itself" if moves else None


def _wheels_of(actions: Sequence[ActionChannel]) -> list[_Wheel]:
    """Return the motors that actions command with a velocity, with their columns of the command."""
    wheels: list[_Wheel] = []
    column = 0
    for action in actions:
        device = action.device
        if isinstance(device, DifferentialDrive):
            for side, signed in ((-1.0, device.left), (1.0, device.right)):
                wheels += [_Wheel(wheel.motor, column, device, wheel.sign, side) for wheel in signed]  # type: ignore[arg-type]
        else:
            wheels.append(_Wheel(device, column))
        column += math.prod(action.space.shape)
    return wheels
