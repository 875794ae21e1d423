"""Copies of a world of the fast 2D mode, simulated as one batch of arrays."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sim_core.base.arrays import Float32Array, FloatArray, IntArray
from sim_core.base.errors import ConfigError
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.motors.motor import Motor
from sim_core.devices.ranging.distance_bank import DistanceCopies, is_plain
from sim_core.devices.ranging.lidar import Lidar
from sim_core.devices.ranging.lidar_copies import LidarCopies, copied_block
from sim_core.engines.rolling import CopyConstants, Rolling
from sim_core.experiments.learning.channel_kernels import axis_velocities
from sim_core.experiments.learning.channels import DRIVE, ActionChannel, within
from sim_core.experiments.learning.task import Start
from sim_core.experiments.learning.world_copy import WorldCopy, placement_message, upright
from sim_core.sensing.raycast.planar_rays import Block

SHARE = 64
"""Number of copies for which a thread is worthwhile."""


class WorldBatch:
    """One batch of arrays; implements `Worlds`. `why_no_batch` checks which worlds are possible.

    Attributes:
        steps, step_seconds: basic time steps of a step, and their length in s.
        motors: motors and their numbers, see `axis_velocities`.
        rows: row of each robot that can be placed, by name.
    """

    def __init__(self, world: WorldCopy, count: int, threads: int | None = None) -> None:
        """Make `count` copies of a world in its start state; `threads`: number of threads, None: all
        cores."""
        sim = world.sim
        rolled = sim.world.rolled
        assert rolled is not None  # checked by `why_no_batch`
        rolling = rolled.rolling
        self.read_space, self.command_space = world.read_space, world.command_space
        self.seconds = world.seconds
        self.steps, self.step_seconds = world.steps, sim.step_ns / 1e9
        self._copies = rolling.copies(self.step_seconds, count)
        self._sensors: list[tuple[slice | IntArray, DistanceCopies | LidarCopies]] = []
        near, columns = [], []
        start = 0
        for each in world.observations:
            own = slice(start, start := start + math.prod(each.space.shape))
            if isinstance(each.sensor, Lidar):
                block = copied_block(rolling, each.sensor)
                assert isinstance(block, Block)  # checked by `why_no_batch`, as all below
                robots = len(rolling.arrays.places)
                self._sensors.append((own, LidarCopies(each.sensor, block, robots, count)))
            else:
                near.append(each.sensor)
                columns.append(own.start)
        if near:
            sensors = rolled.distance_sensors.copies(near, count)
            assert isinstance(sensors, DistanceCopies)
            self._sensors.append((np.array(columns), sensors))
        self._raw: Float32Array = np.zeros((count, start), np.float32)
        self.motors = _motor_table(world, rolling, self.step_seconds)
        self._axis_count = len(rolling.arrays.wheels.velocities)
        self._velocities = np.zeros((count, len(self.motors[0])))
        rows = {id_: row for row, id_ in enumerate(rolling.arrays.robots)}
        self.rows = {
            robot.name: rows[robot.node.id] for robot in sim.robots.values() if robot.node.id in rows
        }
        bodies = zip(world.spec.bodies, world.bodies, strict=True)
        self.rows |= {name: rows[body] for name, body in bodies if body in rows}
        self._bodies = np.array([rows.get(body, -1) for body in world.bodies], np.int64)
        self._still = np.array(world.poses(), float).reshape(-1, 4)
        self._threads = max(1, min(threads or os.cpu_count() or 1, count // SHARE or 1))
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self.readings: Float32Array = self._raw
        self.poses: FloatArray = np.zeros((count, len(world.bodies), 4))

    def constants(self) -> CopyConstants:
        """Return what is equal in all copies."""
        return self._copies.constants()

    @property
    def body_rows(self) -> tuple[IntArray, FloatArray]:
        """(b,) row of each observed body, -1 for a fixed one; (b, 4) its pose at the start."""
        return self._bodies, self._still

    def begin(self, rows: IntArray, seeds: Sequence[int | None], starts: Sequence[Start]) -> None:
        """See `Worlds.begin`; nothing in the batch is random."""
        self._copies.reset(rows)
        self._velocities[rows] = 0.0
        for row, start in zip(rows.tolist(), starts, strict=True):
            for name, place in start.places.items():
                robot = self.rows.get(name)
                if robot is None:
                    raise ConfigError(placement_message(name))
                self._copies.put(row, robot, upright(place))
        self._sample(rows)
        self._update_state()

    def step(self, rows: IntArray, commands: Float32Array) -> None:
        """See `Worlds.step`."""
        driven = np.empty((self.steps, len(commands), self._axis_count))
        axis_velocities(*self.motors, commands, self._velocities, driven)
        velocities = self._copies.turn(driven)

        def go(part: IntArray) -> None:
            self._copies.roll(part, velocities)
            self._sample(part)

        if self._pool is None or len(rows) < 2 * SHARE:
            go(rows)
        else:
            list(self._pool.map(go, np.array_split(rows, self._threads)))
        self._update_state()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _sample(self, rows: IntArray) -> None:
        for _, sensors in self._sensors:
            sensors.measure_rows(rows, self._copies.places)

    def _update_state(self) -> None:
        for columns, sensors in self._sensors:
            self._raw[:, columns] = sensors.outputs
        self.readings = within(self._raw, self.read_space)
        poses = self._copies.poses()[:, self._bodies]
        poses[:, self._bodies < 0] = self._still[self._bodies < 0]
        self.poses = poses


def why_no_batch(world: WorldCopy) -> str | None:
    """Return the reason why a world cannot be simulated as one batch; None: it can. The world is stepped."""
    sim = world.sim
    rolled = sim.world.rolled
    if rolled is None:
        return "it is stepped by ODE"
    sensors = [each.sensor for each in world.observations]
    copies = rolled.distance_sensors.copies([each for each in sensors if not isinstance(each, Lidar)], 1)
    if isinstance(copies, str):
        return copies
    for sensor in sensors:
        if isinstance(sensor, Lidar):
            block = copied_block(rolled.rolling, sensor)
            if isinstance(block, str):
                return block
            if not is_plain(sim.config, sensor):
                return f"{sensor.robot_name}.{sensor.name} has settings that change what it measures"
        if sensor.period_ns != world.steps * sim.step_ns:
            return f"{sensor.robot_name}.{sensor.name} is not sampled once per step of the environment"
    for robot in sim.robots.values():
        if robot.battery is not None:
            return f"{robot.name} has a battery"
    for action in world.actions:
        if action.mode not in ("velocity", DRIVE):
            return f"{action.name} is not commanded with a velocity"
    for motor, *_ in _motors_of(world.actions):
        if not isinstance(motor, Motor) or len(motor.coupled) > 1 or motor.command_faults is not None:
            return f"{motor.name} is not a motor with a joint of its own"
        if math.isfinite(motor.limits.min_position):
            return f"{motor.name} has stops"
    return _movement_message(world, rolled.rolling)


def _movement_message(world: WorldCopy, rolling: Rolling) -> str | None:
    """Return a message if something moves by itself in a world, which a batch would not simulate."""
    world.sim.step(2)
    moves = bool(rolling.arrays.wheels.velocities.any())
    world.sim.reset()
    return "something moves by itself" if moves else None


_Motor = tuple[Motor, int, DifferentialDrive | None, float, float]
"""A motor with a velocity command: column of the commands; drive, with the sign of the angle that drives
forward and the side, -1 left, 1 right; None: the motor's own speed."""


def _motors_of(actions: Sequence[ActionChannel]) -> list[_Motor]:
    """Return the motors that actions command with a velocity."""
    motors: list[_Motor] = []
    column = 0
    for action in actions:
        device = action.device
        if isinstance(device, DifferentialDrive):
            for side, signed in ((-1.0, device.left), (1.0, device.right)):
                motors += [(wheel.motor, column, device, wheel.sign, side) for wheel in signed]  # type: ignore[misc]
        else:
            motors.append((device, column, None, 1.0, 0.0))
        column += math.prod(action.space.shape)
    return motors


def _motor_table(world: WorldCopy, rolling: Rolling, seconds: float) -> tuple[IntArray, FloatArray]:
    """Return the motors and their numbers for `axis_velocities`; `seconds`: of a step."""
    motors, numbers = [], []
    for motor, column, drive, sign, side in _motors_of(world.actions):
        wheels = (drive.wheel_separation, drive.wheel_radius, drive.max_wheel_speed) if drive else (0.0,) * 3
        change = motor.state.control.acceleration * seconds
        motors.append((column, rolling.row_of(motor.axis)))
        numbers.append((side, *wheels, sign, motor.multiplier, motor.max_velocity, change))
    return np.array(motors, np.int64), np.array(numbers)
