"""Data of many copies of a world on a graphics card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.devices.ranging.distance_table import DistanceTable
from sim_core.devices.ranging.lidar import Lidar
from sim_core.devices.ranging.lidar_copies import copied_block
from sim_core.engines.rolling import CopyConstants, Rolling, SliceConstants
from sim_core.experiments.learning.compiled_task import Rules
from sim_core.experiments.learning.draws import WIDTH
from sim_core.experiments.learning.task import Judged, Seen, Task
from sim_core.experiments.learning.world_batch import WorldBatch
from sim_core.experiments.learning.world_copy import WorldCopy
from sim_core.sensing.raycast.planar_rays import Block

Array = NDArray[Any]


class Beams(NamedTuple):
    """Rays to cast for the observed sensors, in the order of their slices.

    Attributes:
        blocks: (q, 6) slice; row of a distance sensor, -1 for a lidar; robot; first ray and end; column of
            the readings.
        numbers: (q, 4) range in m; start of the rays; lowest and highest distance of a lidar.
        origins, directions: (r, 2) see `Slice.cast`.
    """

    blocks: Array
    numbers: Array
    origins: Array
    directions: Array


class GpuSensors(NamedTuple):
    """Columns of a `DistanceTable`, as for `distance_kernel.answer`."""

    blocks: Array
    methods: Array
    ranges: Array
    sensitivities: Array
    weights: Array
    table_rows: Array
    tables: Array
    directions: Array


class GpuWorld(NamedTuple):
    """What is equal in all copies.

    Attributes:
        motors, motor_numbers: see `axis_velocities`.
        bodies, still: (b,) row of each observed body, -1 for a fixed one; (b, 4) its pose.
        placed: (p,) rows of the robots that starts place.
        limits: lowest and highest of readings, of commands and of actions, float32.
    """

    engine: CopyConstants
    planes: tuple[SliceConstants, ...]
    beams: Beams
    sensors: GpuSensors
    motors: Array
    motor_numbers: Array
    bodies: Array
    still: Array
    placed: Array
    limits: tuple[Array, ...]


class GpuState(NamedTuple):
    """What changes, with a row for each of n copies.

    Attributes:
        random: (n, WIDTH) generators, see `draws.py`.
        seeds: (n,) see `Episodes`.
        steps, time: (n,) steps of the episode, and its sim time in s.
        over: (n,) the episode has ended.
        late: (n,) its duration is over.
        places, position, asked, velocity: of robots and axes, see `PlanarCopies`.
        motors: (n, m) velocities of the motors.
        starts: (n, p, 3) see `Rules`.
        commands: (n, c) float32.
        seen, judged: see the classes.
        observation: (n, k) float32.
        last: (n, k) float32: last observation of an episode that has just ended.
    """

    random: Array
    seeds: Array
    steps: Array
    time: Array
    over: Array
    late: Array
    places: Array
    position: Array
    asked: Array
    velocity: Array
    motors: Array
    starts: Array
    commands: Array
    seen: Seen
    judged: Judged
    observation: Array
    last: Array


class Sizes(NamedTuple):
    """Sizes of the buffers of a copy, and other constants of the compiled code.

    Attributes:
        robots, axes, walls, rays, sensors: numbers of them.
        steps: basic time steps of a step.
        seconds: s of a basic time step.
        period: s of a step.
        last: steps of an episode.
    """

    robots: int
    axes: int
    walls: int
    rays: int
    sensors: int
    steps: int
    seconds: float
    period: float
    last: int

    @property
    def bytes(self) -> int:
        """About the memory that the buffers of one copy need."""
        pairs = self.robots * (self.robots - 1) // 2 + self.robots * self.walls
        return 8 * (60 * self.robots + 2 * pairs + 4 * self.rays + 3 * self.sensors + 2 * self.axes) + 1000


def make_sizes(worlds: WorldBatch, tables: GpuWorld, last: int) -> Sizes:
    """Return the sizes of a world; `last`: steps of an episode."""
    robots, axes = len(tables.engine.start_places), len(tables.engine.start_position)
    rays, sensors = len(tables.sensors.directions), len(tables.sensors.blocks)
    walls = len(tables.engine.walls)
    return Sizes(robots, axes, walls, rays, sensors, worlds.steps, worlds.step_seconds, worlds.seconds, last)


def make_world(world: WorldCopy, worlds: WorldBatch, task: Task, rules: Rules) -> GpuWorld:
    """Return the constants of a world that `why_no_batch` found fit for a batch, as arrays of the processor.

    Args:
        worlds: a batch of one copy.
    """
    rolled = world.sim.world.rolled
    assert rolled is not None
    table = rolled.distance_sensors.table
    planes, beams = _beams_of(world, rolled.rolling, rolled.distance_sensors, table)
    _, actions = task.spaces(world.read_space, world.command_space)
    boxes = (world.read_space, world.command_space, actions)
    return GpuWorld(
        worlds.constants(),
        planes,
        beams,
        GpuSensors(
            table.blocks, table.methods, table.ranges, table.sensitivities, table.weights,
            table.table_rows, table.tables, table.directions,
        ),
        *worlds.motors,
        *worlds.body_rows,
        np.array([worlds.rows[name] for name in rules.placed], np.int64),
        tuple(limit.ravel() for box in boxes for limit in (box.low, box.high)),
    )  # fmt: skip


def _beams_of(
    world: WorldCopy, rolling: Rolling, bank: Any, table: DistanceTable
) -> tuple[tuple[SliceConstants, ...], Beams]:
    """Return the slices that observed sensors need, and their rays."""
    planes = list(table.planes)
    blocks: list[tuple[int, ...]] = []
    numbers: list[tuple[float, ...]] = []
    origins, directions = [table.origins], [table.directions]
    rays, column = len(table.origins), 0
    for each in world.observations:
        sensor = each.sensor
        if isinstance(sensor, Lidar):
            found = copied_block(rolling, sensor)
            assert isinstance(found, Block)
            if not any(plane is found.plane for plane in planes):
                planes.append(found.plane)
            plane = next(index for index, plane in enumerate(planes) if plane is found.plane)
            end = rays + len(found.rays.origins)
            blocks.append((plane, -1, found.rays.robot, rays, end, column))
            numbers.append((found.ranges.item(0), found.start, sensor.min_range, sensor.max_range))
            origins.append(found.rays.origins)
            directions.append(found.rays.directions)
            column += end - rays
            rays = end
        else:
            row = bank.rows_of([sensor])[sensor]
            blocks.append((table.plane_of.item(row), row, *table.blocks[row].tolist(), column))
            numbers.append((table.ranges.item(row), 0.0, 0.0, 0.0))
            column += 1
    order = sorted(range(len(blocks)), key=lambda index: blocks[index][0])
    reach = np.array(numbers)[order]
    reach[:, 0] = np.nextafter(reach[:, 0], np.inf)
    beams = Beams(
        np.array(blocks, np.int64)[order], reach, np.concatenate(origins), np.concatenate(directions)
    )
    return tuple(plane.constants for plane in planes), beams


def make_state(tables: GpuWorld, rules: Rules, size: int, count: int, order: Any = "F") -> GpuState:
    """Return the state of so many copies, as arrays of the processor, zero.

    Args:
        size: number of observed values.
        order: F: numbers of successive copies are neighbours, as successive threads read them.
    """

    def rows(shape: Sequence[int] = (), dtype: Any = np.float64) -> Array:
        return np.zeros((count, *shape), dtype, order)

    robots, axes = len(tables.engine.start_places), len(tables.engine.start_position)
    low_reading, _, low_command, _, low_action, _ = tables.limits
    poses = (len(tables.bodies), 4)
    seen = Seen(
        rows(low_reading.shape, np.float32), rows(poses), rows(poses), rows(low_action.shape, np.float32),
        rows((rules.drawn,)),
    )  # fmt: skip
    judged = Judged(rows(), rows(dtype=np.bool_), rows(dtype=np.bool_))
    return GpuState(
        rows((WIDTH,), np.uint64), rows(dtype=np.int64), rows(dtype=np.int64), rows(),
        rows(dtype=np.bool_), rows(dtype=np.bool_),
        rows((robots, 3)), rows((axes,)), rows((axes,)), rows((axes,)), rows((len(tables.motors),)),
        rows((len(tables.placed), 3)), rows(low_command.shape, np.float32), seen, judged,
        rows((size,), np.float32), rows((size,), np.float32),
    )  # fmt: skip
