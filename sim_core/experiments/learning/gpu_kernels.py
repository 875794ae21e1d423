"""A step of many copies of a world as one function of a graphics card, a thread for each copy.

All formulas are those of the processor: numba compiles functions decorated with `compiled()` without a
signature for both. With the environment variable NUMBA_ENABLE_CUDASIM=1 numba simulates the card.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode
from numba import boolean, cuda, float64, int64

from sim_core.devices.ranging.distance_kernel import answer_one
from sim_core.devices.ranging.scan_kernel import scan_value
from sim_core.engines.planar import motion_kernels
from sim_core.engines.planar.motion_kernels import Work, roll_robots
from sim_core.engines.planar.ray_kernels import cast_ray, sort_in
from sim_core.engines.planar.wheel_kernels import place_of, pose_of, turn_axes_in
from sim_core.experiments.learning.channel_kernels import drive_axes, limited
from sim_core.experiments.learning.compiled_task import Rules
from sim_core.experiments.learning.draws import seed_below_2_31
from sim_core.experiments.learning.gpu_tables import Sizes


class GpuKernels(NamedTuple):
    """Functions of a card for one world and one task, with a thread for each copy.

    Attributes:
        begin: (world, state, mask) begins episodes in the copies of a mask (n,), and observes all.
        step: (world, state, actions) simulates a step of all copies with actions (n, a).
    """

    begin: Any
    step: Any


def make_kernels(sizes: Sizes, rules: Rules, autoreset: AutoresetMode) -> GpuKernels:
    """Return the functions; `world` and `state` are a `GpuWorld` and a `GpuState` on the card."""
    ROBOTS, AXES = sizes.robots, sizes.axes
    RAYS, SENSORS = max(1, sizes.rays), max(1, sizes.sensors)
    STEPS, SECONDS, PERIOD, LAST = sizes.steps, sizes.seconds, sizes.period, sizes.last
    WORK, ITEMS = motion_kernels.WORK, motion_kernels.ITEMS * ROBOTS
    CELLS, INTS = motion_kernels.cells_of(ROBOTS), motion_kernels.work_ints(ROBOTS)
    PAIRS, TOUCHING = max(1, ROBOTS * (ROBOTS - 1) // 2), max(1, ROBOTS * sizes.walls)
    NEXT_STEP, SAME_STEP = (autoreset is mode for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP))
    start, command, observe, judge = rules.start, rules.command, rules.observe, rules.judge

    @cuda.jit(device=True)
    def load(copy, state, places):  # type: ignore[no-untyped-def]
        """Copy the places of robots to a buffer, which is faster."""
        for robot in range(len(places)):
            for k in range(3):
                places[robot, k] = state.places[copy, robot, k]

    @cuda.jit(device=True)
    def sense(copy, world, state, places):  # type: ignore[no-untyped-def]
        """Measure with all sensors, and observe the bodies."""
        turns, grid = cuda.local.array((ROBOTS, 2), float64), cuda.local.array(5, float64)
        cells, items = cuda.local.array(CELLS, int64), cuda.local.array(ITEMS, int64)
        distances, normals = cuda.local.array(RAYS, float64), cuda.local.array((RAYS, 2), float64)
        met, answers = cuda.local.array(RAYS, int64), cuda.local.array((SENSORS, 3), float64)
        beams, sensors, readings = world.beams, world.sensors, state.seen.readings
        low, high = world.limits[0], world.limits[1]
        sorted_plane = -1
        for block in range(len(beams.blocks)):
            row, robot, column = beams.blocks[block, 1], beams.blocks[block, 2], beams.blocks[block, 5]
            first, end = beams.blocks[block, 3], beams.blocks[block, 4]
            plane = world.planes[beams.blocks[block, 0]]
            if sorted_plane != beams.blocks[block, 0]:
                sorted_plane = beams.blocks[block, 0]
                sort_in(places, plane.extents, turns, grid, cells, items)
            for ray in range(first, end):
                distance, x, y, outline = cast_ray(
                    robot, turns[robot, 0], turns[robot, 1], ray, beams.origins, beams.directions,
                    beams.numbers[block, 0], plane.visible,
                    plane.outlines, plane.grid, plane.start, plane.items,
                    places, turns, grid, cells, items, plane.robot_outlines, plane.parts, plane.extents,
                )  # fmt: skip
                if row < 0:
                    value = scan_value(
                        distance + beams.numbers[block, 1], beams.numbers[block, 2], beams.numbers[block, 3]
                    )
                    at = column + ray - first
                    readings[copy, at] = limited(np.float32(value), low[at], high[at])
                else:
                    distances[ray], normals[ray, 0], normals[ray, 1], met[ray] = distance, x, y, outline
            if row >= 0:
                answer_one(
                    row, sensors.blocks, sensors.methods, sensors.ranges, sensors.sensitivities,
                    sensors.weights, sensors.table_rows, sensors.tables,
                    turns, sensors.directions, plane.factors,
                    distances, normals, met, answers,
                )  # fmt: skip
                readings[copy, column] = limited(np.float32(answers[row, 1]), low[column], high[column])
        poses = state.seen.poses
        for body in range(len(world.bodies)):
            robot = world.bodies[body]
            if robot >= 0:
                pose_of(places[robot], world.engine.fixed[robot], poses[copy, body])
            else:
                for k in range(4):
                    poses[copy, body, k] = world.still[body, k]

    @cuda.jit(device=True)
    def begin_episode(copy, world, state):  # type: ignore[no-untyped-def]
        """Begin an episode, as `Episodes.begin` and `WorldBatch.begin`."""
        engine = world.engine
        state.seeds[copy] = seed_below_2_31(state.random[copy])
        for axis in range(len(engine.start_position)):
            state.position[copy, axis] = engine.start_position[axis]
            state.asked[copy, axis] = state.velocity[copy, axis] = 0.0
        for motor in range(state.motors.shape[1]):
            state.motors[copy, motor] = 0.0
        for robot in range(len(engine.start_places)):
            for k in range(3):
                state.places[copy, robot, k] = engine.start_places[robot, k]
        start(copy, copy + 1, state.random, state.starts, state.seen.drawn)
        for k in range(len(world.placed)):
            robot, heading = world.placed[k], state.starts[copy, k, 2]
            yaw = math.atan2(math.sin(heading), math.cos(heading))
            x, y = state.starts[copy, k, 0], state.starts[copy, k, 1]
            place_of(x, y, yaw, engine.placements[robot], state.places[copy, robot])
        places = cuda.local.array((ROBOTS, 3), float64)
        load(copy, state, places)
        sense(copy, world, state, places)
        seen = state.seen
        keep_poses(copy, seen)
        for k in range(seen.action.shape[1]):
            seen.action[copy, k] = 0.0
        state.steps[copy], state.time[copy] = 0, 0.0
        state.over[copy] = state.late[copy] = False

    @cuda.jit(device=True)
    def keep_poses(copy, seen):  # type: ignore[no-untyped-def]
        """Keep the present poses as those before the next step."""
        for body in range(seen.poses.shape[1]):
            for k in range(4):
                seen.before[copy, body, k] = seen.poses[copy, body, k]

    @cuda.jit(device=True)
    def simulate(copy, world, state):  # type: ignore[no-untyped-def]
        """Simulate a step with the action, as `WorldBatch.step`."""
        engine, limits = world.engine, world.limits
        command(copy, copy + 1, state.seen.action, state.commands)
        for k in range(state.commands.shape[1]):
            state.commands[copy, k] = min(max(state.commands[copy, k], limits[2][k]), limits[3][k])
        places, motions = cuda.local.array((ROBOTS, 3), float64), cuda.local.array((ROBOTS, 3), float64)
        pushed, driven = cuda.local.array(ROBOTS, boolean), cuda.local.array(AXES, float64)
        work = Work(
            cuda.local.array((WORK, ROBOTS), float64), cuda.local.array(INTS, int64),
            cuda.local.array((PAIRS, 2), int64), cuda.local.array((TOUCHING, 2), int64),
        )  # fmt: skip
        load(copy, state, places)
        for _ in range(STEPS):
            drive_axes(world.motors, world.motor_numbers, state.commands[copy], state.motors[copy], driven)
            turn_axes_in(
                SECONDS, driven, engine.acceleration,
                state.asked[copy], state.position[copy], state.velocity[copy], engine.stops,
            )  # fmt: skip
            roll_robots(
                SECONDS, state.velocity[copy], engine.wheels, engine.shares, engine.sizes, engine.discs,
                engine.slabs, places, motions, pushed,
                engine.walls, engine.wall_slabs, engine.grid, engine.start, engine.items, work, None,
            )  # fmt: skip
        for robot in range(len(places)):
            for k in range(3):
                state.places[copy, robot, k] = places[robot, k]
        sense(copy, world, state, places)

    @cuda.jit
    def begin(world, state, mask):  # type: ignore[no-untyped-def]
        copy = cuda.grid(1)
        if copy < state.over.shape[0]:
            if mask[copy]:
                begin_episode(copy, world, state)
            observe(copy, copy + 1, state.seen, state.observation)

    @cuda.jit
    def step(world, state, actions):  # type: ignore[no-untyped-def]
        copy = cuda.grid(1)
        if copy >= state.over.shape[0]:
            return
        judged = state.judged
        if NEXT_STEP and state.over[copy]:
            begin_episode(copy, world, state)
            judged.reward[copy] = 0.0
            judged.ended[copy] = judged.won[copy] = False
            observe(copy, copy + 1, state.seen, state.observation)
            return
        keep_poses(copy, state.seen)
        for k in range(state.seen.action.shape[1]):
            asked = actions[copy, k] if math.isfinite(actions[copy, k]) else np.float32(0.0)
            state.seen.action[copy, k] = min(max(asked, world.limits[4][k]), world.limits[5][k])
        simulate(copy, world, state)
        state.steps[copy] += 1
        state.time[copy] = state.steps[copy] * PERIOD
        observe(copy, copy + 1, state.seen, state.observation)
        judge(copy, copy + 1, state.seen, judged)
        late = state.steps[copy] >= LAST
        over = judged.ended[copy] or late
        if SAME_STEP and over:
            for k in range(state.observation.shape[1]):
                state.last[copy, k] = state.observation[copy, k]
            begin_episode(copy, world, state)
            observe(copy, copy + 1, state.seen, state.observation)
        state.late[copy], state.over[copy] = late, over

    return GpuKernels(begin, step)
