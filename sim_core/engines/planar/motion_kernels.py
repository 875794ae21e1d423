"""Compiled step of the fast 2D mode: robots roll along arcs, and their discs are kept apart.

All functions of the step are in this one file, for the cache of compiled code (see
`sim_core/base/compiled.py`).

A robot is a disc for collisions. A step is divided into equal parts in which no disc moves by more than a
quarter of the smallest radius. In each part

1. all robots roll freely;
2. discs that overlap are pushed apart, both by half, and out of walls, in sweeps, until nothing overlaps;
3. a disc that still overlaps something deeper than the tolerance and than before, or that was pushed by more
   than its radius, goes back to where it was before this part, as do those that overlap it there. What is
   left is as good as the state before, so that walls are never passed and overlaps never grow.

The heading always follows the wheels: a disc is rotationally symmetric.

Functions without a signature are also compiled for graphics cards (see
`sim_core/experiments/learning/gpu_kernels.py`): they allocate nothing unless an argument `grows` is True.
numba removes the branches of an argument that is None.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int64, types, void

from sim_core.base.compiled import compiled

SEGMENT, CIRCLE = 0.0, 1.0
"""Kinds of outlines: a segment x1, y1, x2, y2 with its outer side on the right; a circle x, y, radius."""

SWEEPS = 30
PART = 0.25
"""Fraction of the smallest radius by which a disc moves at most between two collision checks."""
MOST_PARTS = 1000
"""Maximum number of collision checks per step; a robot that would need more is slowed down."""
TOLERANCE = 1e-3
"""Fraction of the smallest radius by which discs may overlap."""

WORK = 24
"""Number of work values per robot that a step needs besides its state."""


class Work(NamedTuple):
    """Buffers of a step, for n robots and m walls; with few robots their allocation is expensive.

    Attributes:
        rows: (WORK, n) numbers.
        ints: (`work_ints(n)`,) of a grid over the robots.
        pairs, touching: (p, 2), (t, 2) lists, which may be too short if they can grow; else n (n - 1) / 2 and
            n m rows.
    """

    rows: Any
    ints: Any
    pairs: Any
    touching: Any


ITEMS = 9
"""Number of cells in which a robot may be: the size of a cell, divided by that of a box, may round to less
than 1."""


_inline = compiled()

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_box = types.Array(float64, 3, "C")
_ints = types.Array(int64, 1, "C")
_int_table = types.Array(int64, 2, "C")
_flags = types.Array(boolean, 1, "C")
_flag_table = types.Array(boolean, 2, "C")


@_inline
def cells_of(count):  # type: ignore[no-untyped-def]
    """Return the largest number of cells of a grid from `fit_grid`, plus one."""
    return 6 * count + 50


@_inline
def work_ints(count):  # type: ignore[no-untyped-def]
    """Return the length of `Work.ints`."""
    return cells_of(count) + (ITEMS + 1) * count


@_inline
def _cells_within(grid, x0, y0, x1, y1):  # type: ignore[no-untyped-def]
    """Return the first and last column, and the first and last row, of the cells that a box may be in."""
    left = max(int((x0 - grid[0]) / grid[2]), 0)
    right = min(int((x1 - grid[0]) / grid[2]), int(grid[3]) - 1)
    low = max(int((y0 - grid[1]) / grid[2]), 0)
    high = min(int((y1 - grid[1]) / grid[2]), int(grid[4]) - 1)
    return left, right, low, high


@_inline
def _sort(fills, boxes, grid, outlines, segments, start, items):  # type: ignore[no-untyped-def]
    """Sort objects into the cells of a grid, in two calls; the arguments are as for `fill_grid`.

    Args:
        fills: False: only count, so that the last number in `start` is the number of items; True: then fill
            the items.
        start, items: output; `start` may be longer than necessary.
    """
    columns, rows = int(grid[3]), int(grid[4])
    cells = columns * rows
    if not fills:
        for cell in range(cells + 1):
            start[cell] = 0
    for i in range(len(boxes)):
        left, right, low, high = _cells_within(grid, boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3])
        for row in range(low, high + 1):
            for column in range(left, right + 1):
                if outlines and segments[i, 0] == SEGMENT:
                    nx = segments[i, 4] - segments[i, 2]
                    ny = segments[i, 1] - segments[i, 3]
                    x = grid[0] + (column + 0.5) * grid[2] - segments[i, 1]
                    y = grid[1] + (row + 0.5) * grid[2] - segments[i, 2]
                    reach = 0.500001 * grid[2] * (abs(nx) + abs(ny))
                    if abs(nx * x + ny * y) > reach:
                        continue
                cell = row * columns + column
                if fills:
                    items[start[cell]] = i
                    start[cell] += 1
                else:
                    start[cell + 1] += 1
    if fills:
        for cell in range(cells, 0, -1):
            start[cell] = start[cell - 1]
        start[0] = 0
    else:
        for cell in range(cells):
            start[cell + 1] += start[cell]


@compiled(types.Tuple((_ints, _ints))(_matrix, _vector, boolean, _matrix))
def fill_grid(boxes, grid, outlines, segments):  # type: ignore[no-untyped-def]
    """Sort objects into the cells of a grid.

    Args:
        boxes: (n, 4) lowest x, y and highest x, y of each object.
        grid: x, y of the corner, size of a cell in m, number of columns and of rows.
        outlines: True: `segments` are the objects' outlines, and cells that a segment does not cross are
            skipped.
        segments: (n, 5) kind and numbers of each outline.

    Returns:
        (cells + 1,) index of the first item of each cell, and the items.
    """
    start = np.empty(int(grid[3]) * int(grid[4]) + 1, np.int64)
    _sort(False, boxes, grid, outlines, segments, start, start)
    items = np.empty(start[-1], np.int64)
    _sort(True, boxes, grid, outlines, segments, start, items)
    return start, items


@_inline
def fit_grid(boxes):  # type: ignore[no-untyped-def]
    """Return a grid, see `fill_grid`, with about two cells per box and no cell smaller than the largest box.

    Args:
        boxes: (n, 4) lowest x, y and highest x, y.
    """
    x0, y0, x1, y1, size = math.inf, math.inf, -math.inf, -math.inf, 1e-9
    for i in range(len(boxes)):
        x0, y0 = min(x0, boxes[i, 0]), min(y0, boxes[i, 1])
        x1, y1 = max(x1, boxes[i, 2]), max(y1, boxes[i, 3])
        size = max(size, boxes[i, 2] - boxes[i, 0], boxes[i, 3] - boxes[i, 1])
    wide, high = x1 - x0, y1 - y0
    cells = 2.0 * len(boxes) + 16.0
    size = max(size, math.sqrt(wide * high / cells), wide / cells, high / cells)
    return x0, y0, size, math.floor(wide / size) + 1.0, math.floor(high / size) + 1.0


@_inline
def _with_double_room(table):  # type: ignore[no-untyped-def]
    """Return a list with twice the room."""
    more = np.empty((2 * len(table), 2), np.int64)
    more[: len(table)] = table
    return more


@_inline
def _gap(outline, x, y):  # type: ignore[no-untyped-def]
    """Return the distance of a point from an outline, and the direction away from it."""
    if outline[0] == CIRCLE:
        dx, dy = x - outline[1], y - outline[2]
        distance = math.sqrt(dx * dx + dy * dy)
        if distance == 0.0:
            return -outline[3], 1.0, 0.0
        return distance - outline[3], dx / distance, dy / distance
    ex, ey = outline[3] - outline[1], outline[4] - outline[2]
    dx, dy = x - outline[1], y - outline[2]
    length = ex * ex + ey * ey
    along = 0.0
    if length > 0.0:
        along = min(1.0, max(0.0, (dx * ex + dy * ey) / length))
    dx -= along * ex
    dy -= along * ey
    distance = math.sqrt(dx * dx + dy * dy)
    if distance == 0.0:
        if length == 0.0:
            return 0.0, 1.0, 0.0
        root = math.sqrt(length)
        return 0.0, ey / root, -ex / root
    return distance, dx / distance, dy / distance


@_inline
def _centre(place, disc):  # type: ignore[no-untyped-def]
    """Return the centre of a disc."""
    if disc[0] == 0.0 and disc[1] == 0.0:
        return place[0], place[1]
    c, s = math.cos(place[2]), math.sin(place[2])
    return place[0] + c * disc[0] - s * disc[1], place[1] + s * disc[0] + c * disc[1]


@_inline
def _near_pairs(x, y, radii, margin, work, grows):  # type: ignore[no-untyped-def]
    """Return a list of pairs of discs closer than the margin, the lower index first, and their number."""
    n, count = len(x), 0
    cells = cells_of(n)
    boxes, start = work.rows[20:24].reshape((n, 4)), work.ints[:cells]
    items, stamp, pairs = work.ints[cells : cells + ITEMS * n], work.ints[cells + ITEMS * n :], work.pairs
    for i in range(n):
        r = radii[i] + margin / 2.0
        boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3] = x[i] - r, y[i] - r, x[i] + r, y[i] + r
        stamp[i] = -1
    grid = fit_grid(boxes)
    _sort(False, boxes, grid, False, boxes, start, items)
    _sort(True, boxes, grid, False, boxes, start, items)
    columns = int(grid[3])
    for i in range(n):
        if radii[i] <= 0.0:
            continue
        left, right, low, high = _cells_within(grid, boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3])
        for row in range(low, high + 1):
            for column in range(left, right + 1):
                cell = row * columns + column
                for k in range(start[cell], start[cell + 1]):
                    j = items[k]
                    if j <= i or stamp[j] == i or radii[j] <= 0.0:
                        continue
                    stamp[j] = i
                    reach = radii[i] + radii[j] + margin
                    dx, dy = x[j] - x[i], y[j] - y[i]
                    if dx * dx + dy * dy > reach * reach:
                        continue
                    if grows is not None and count == len(pairs):
                        pairs = _with_double_room(pairs)
                    pairs[count, 0], pairs[count, 1] = i, j
                    count += 1
    return pairs, count


@_inline
def _near_walls(  # type: ignore[no-untyped-def]
    x, y, radii, slabs, margin, walls, wall_slabs, grid, start, items, found, grows
):
    """Return a list of discs and outlines that are closer to each other than the margin, in `found` if it
    is long enough, and their number."""
    n = len(x)
    columns = int(grid[3])
    count = 0
    for i in range(n):
        mine = count
        r = radii[i] + margin
        if radii[i] <= 0.0 or x[i] + r < grid[0] or y[i] + r < grid[1]:
            continue
        left, right, low, high = _cells_within(grid, x[i] - r, y[i] - r, x[i] + r, y[i] + r)
        for row in range(low, high + 1):
            for column in range(left, right + 1):
                cell = row * columns + column
                for k in range(start[cell], start[cell + 1]):
                    j = items[k]
                    if wall_slabs[j] != slabs[i] or _gap(walls[j], x[i], y[i])[0] > r:
                        continue
                    known = mine  # an outline may be in several cells
                    while known < count and found[known, 1] != j:
                        known += 1
                    if known < count:
                        continue
                    if grows is not None and count == len(found):
                        found = _with_double_room(found)
                    found[count, 0], found[count, 1] = i, j
                    count += 1
    return found, count


@_inline
def _push_apart(x, y, radii, pairs, met, touching, touched, walls):  # type: ignore[no-untyped-def]
    """Push overlapping discs apart, of `met` pairs and `touched` outlines; return the largest push."""
    largest = 0.0
    for k in range(met):
        i, j = pairs[k, 0], pairs[k, 1]
        dx, dy = x[j] - x[i], y[j] - y[i]
        reach = radii[i] + radii[j]
        square = dx * dx + dy * dy
        if square >= reach * reach:
            continue
        distance = math.sqrt(square)
        if distance == 0.0:
            dx, dy, distance = 1.0, 0.0, 1.0
            push = 0.5 * reach
        else:
            push = 0.5 * (reach - distance)
        x[i] -= push * dx / distance
        y[i] -= push * dy / distance
        x[j] += push * dx / distance
        y[j] += push * dy / distance
        largest = max(largest, push)
    for k in range(touched):
        i = touching[k, 0]
        gap, nx, ny = _gap(walls[touching[k, 1]], x[i], y[i])
        push = radii[i] - gap
        if push > 0.0:
            x[i] += push * nx
            y[i] += push * ny
            largest = max(largest, push)
    return largest


@_inline
def _deepest(x, y, radii, pairs, met, touching, touched, walls, depth):  # type: ignore[no-untyped-def]
    """Compute how deep each disc is in walls (depth[0]) and in other discs (depth[1])."""
    depth[:] = 0.0
    for k in range(touched):
        i = touching[k, 0]
        depth[0, i] = max(depth[0, i], radii[i] - _gap(walls[touching[k, 1]], x[i], y[i])[0])
    for k in range(met):
        i, j = pairs[k, 0], pairs[k, 1]
        dx, dy = x[j] - x[i], y[j] - y[i]
        over = radii[i] + radii[j] - math.sqrt(dx * dx + dy * dy)
        depth[1, i] = max(depth[1, i], over)
        depth[1, j] = max(depth[1, j], over)


@_inline
def _separate(  # type: ignore[no-untyped-def]
    x, y, old_x, old_y, radii, slabs, smallest, walls, wall_slabs, grid, start, items, work, grows
):
    """Do steps 2 and 3 of a part (see the top): from the free positions to the final ones, in place."""
    n = len(x)
    margin = smallest
    tolerance = TOLERANCE * smallest
    touching, touched = _near_walls(
        x, y, radii, slabs, margin, walls, wall_slabs, grid, start, items, work.touching, grows
    )
    pairs, met = work.pairs, 0
    if n > 1:
        pairs, met = _near_pairs(x, y, radii, margin, work, grows)
    if met == 0 and touched == 0:
        return
    base_x, base_y, back = work.rows[13], work.rows[14], work.rows[19]
    before, after = work.rows[15:17], work.rows[17:19]
    # What overlaps at the old positions is in these lists: in a part nothing moves as far as the margin.
    _deepest(old_x, old_y, radii, pairs, met, touching, touched, walls, before)
    for i in range(n):
        base_x[i], base_y[i] = x[i], y[i]
    for _ in range(SWEEPS):
        if _push_apart(x, y, radii, pairs, met, touching, touched, walls) <= 1e-3 * tolerance:
            break
        moved = 0.0
        for i in range(n):
            moved = max(moved, abs(x[i] - base_x[i]), abs(y[i] - base_y[i]))
        if moved > 0.25 * margin:  # others may be near now
            for i in range(n):
                base_x[i], base_y[i] = x[i], y[i]
            touching, touched = _near_walls(
                x, y, radii, slabs, margin, walls, wall_slabs, grid, start, items, work.touching, grows
            )
            if n > 1:
                pairs, met = _near_pairs(x, y, radii, margin, work, grows)
    for i in range(n):
        back[i] = 0.0
    while True:
        _deepest(x, y, radii, pairs, met, touching, touched, walls, after)
        again = False
        for i in range(n):
            if back[i] > 0.0:
                continue
            dx, dy = x[i] - old_x[i], y[i] - old_y[i]
            if (
                after[0, i] > max(tolerance, before[0, i])
                or after[1, i] > max(tolerance, before[1, i])
                or dx * dx + dy * dy > 0.81 * radii[i] * radii[i] > 0.0
            ):
                back[i] = 1.0
                x[i], y[i] = old_x[i], old_y[i]
                again = True
        if not again:
            return
        touching, touched = _near_walls(
            x, y, radii, slabs, margin, walls, wall_slabs, grid, start, items, work.touching, grows
        )
        if n > 1:
            pairs, met = _near_pairs(x, y, radii, margin, work, grows)


@_inline
def roll_robots(  # type: ignore[no-untyped-def]
    step, velocity, wheels, shares, sizes, discs, slabs, places, motions, pushed,
    walls, wall_slabs, grid, start, items, work, grows,
):  # fmt: skip
    """Move all robots as `roll`, with buffers; `grows`: True: their lists can grow; None: they are long
    enough."""
    n = len(places)
    rows = work.rows
    linear, turn, radii = rows[0], rows[1], rows[2]
    x, y, old_x, old_y, free_x, free_y = rows[3], rows[4], rows[5], rows[6], rows[7], rows[8]
    first_x, first_y, speeds = rows[9], rows[10], rows[11:13]
    speeds[:] = 0.0
    for k in range(len(wheels)):
        speeds[wheels[k, 1], wheels[k, 0]] += shares[k] * velocity[wheels[k, 2]]
    smallest = math.inf
    fastest = 0.0
    for i in range(n):
        linear[i] = sizes[i, 0] * (speeds[1, i] + speeds[0, i]) / 2.0
        turn[i] = sizes[i, 0] * (speeds[1, i] - speeds[0, i]) / sizes[i, 1]
        if discs[i, 2] > 0.0:
            smallest = min(smallest, discs[i, 2])
            fastest = max(fastest, abs(linear[i]) + abs(turn[i]) * math.hypot(discs[i, 0], discs[i, 1]))
        pushed[i] = False
    parts = 1
    if smallest < math.inf:
        needed = math.ceil(fastest * step / (PART * smallest))
        parts = int(min(max(1.0, needed), MOST_PARTS))
        if needed > MOST_PARTS:
            top = PART * smallest * MOST_PARTS / step
            for i in range(n):
                speed = abs(linear[i]) + abs(turn[i]) * math.hypot(discs[i, 0], discs[i, 1])
                if discs[i, 2] > 0.0 and speed > top:
                    linear[i] *= top / speed
                    turn[i] *= top / speed
    h = step / parts
    for i in range(n):
        first_x[i], first_y[i], radii[i] = places[i, 0], places[i, 1], discs[i, 2]
    for _ in range(parts):
        for i in range(n):
            old_x[i], old_y[i] = _centre(places[i], discs[i])
            half = turn[i] * h / 2.0
            chord = linear[i] * h
            if abs(half) > 1e-9:
                chord *= math.sin(half) / half
            direction = places[i, 2] + half
            places[i, 0] += chord * math.cos(direction)
            places[i, 1] += chord * math.sin(direction)
            places[i, 2] += turn[i] * h
            x[i], y[i] = _centre(places[i], discs[i])
            free_x[i], free_y[i] = x[i], y[i]
        if smallest == math.inf:
            continue
        _separate(
            x, y, old_x, old_y, radii, slabs, smallest, walls, wall_slabs, grid, start, items, work, grows
        )
        for i in range(n):
            if x[i] != free_x[i] or y[i] != free_y[i]:
                pushed[i] = True
                places[i, 0] += x[i] - free_x[i]
                places[i, 1] += y[i] - free_y[i]
    for i in range(n):
        motions[i, 2] = turn[i]
        if pushed[i]:
            motions[i, 0] = (places[i, 0] - first_x[i]) / step
            motions[i, 1] = (places[i, 1] - first_y[i]) / step
        else:
            motions[i, 0] = linear[i] * math.cos(places[i, 2])
            motions[i, 1] = linear[i] * math.sin(places[i, 2])


@_inline
def _make_work(n):  # type: ignore[no-untyped-def]
    """Return buffers for n robots, with lists that can grow."""
    room = 4 * n + 16
    return Work(
        np.empty((WORK, n)), np.empty(work_ints(n), np.int64),
        np.empty((room, 2), np.int64), np.empty((room, 2), np.int64),
    )  # fmt: skip


@compiled(
    void(
        float64, _vector, _int_table, _vector, _matrix, _matrix, _ints, _matrix, _matrix, _flags,
        _matrix, _ints, _vector, _ints, _ints,
    )
)  # fmt: skip
def roll(  # type: ignore[no-untyped-def]
    step, velocity, wheels, shares, sizes, discs, slabs, places, motions, pushed,
    walls, wall_slabs, grid, start, items,
):  # fmt: skip
    """Move all robots by one step.

    Args:
        step: s.
        velocity: (k,) of all axes.
        wheels: (w, 3) robot, side (0 left, 1 right) and axis of each driven wheel.
        shares: (w,) sign of the wheel divided by the number of wheels of its side.
        sizes: (n, 2) wheel radius and separation, m.
        discs: (n, 3) x, y of the disc's centre from the axle centre, in the axes of the robot, and radius.
        slabs: (n,) slab of the outlines that a robot can hit.
        places: (n, 3) in and out: x, y of the axle centre, heading.
        motions: (n, 3) output: velocity of the axle centre, world axes, and rate of turn.
        pushed: (n,) output: True if a collision changed the robot's path.
        walls, wall_slabs: (m, 5), (m,) fixed outlines, and the slab of each.
        grid, start, items: the cells of the walls, see `fill_grid`.
    """
    roll_robots(
        step, velocity, wheels, shares, sizes, discs, slabs, places, motions, pushed,
        walls, wall_slabs, grid, start, items, _make_work(len(places)), True,
    )  # fmt: skip


@compiled(
    void(
        _ints, float64, _box, _int_table, _vector, _matrix, _matrix, _ints, _box, _box, _flag_table,
        _matrix, _ints, _vector, _ints, _ints,
    )
)  # fmt: skip
def roll_copies(  # type: ignore[no-untyped-def]
    copies, step, velocity, wheels, shares, sizes, discs, slabs, places, motions, pushed,
    walls, wall_slabs, grid, start, items,
):  # fmt: skip
    """Move all robots of some copies of a world by some steps; copies are independent.

    Args:
        copies: the copies to move.
        velocity: (t, c, k) of all axes of each copy in each step.
        places, motions, pushed: as for `roll`, for each copy: (c, n, 3), (c, n, 3), (c, n).
        step, wheels, …: as for `roll`, the same in all copies.
    """
    work = _make_work(places.shape[1])
    for copy in copies:
        for now in range(len(velocity)):
            roll_robots(
                step, velocity[now, copy], wheels, shares, sizes, discs, slabs,
                places[copy], motions[copy], pushed[copy], walls, wall_slabs, grid, start, items, work, True,
            )  # fmt: skip


@compiled(_flags(_matrix, _matrix, _ints, _matrix, _ints, _vector, _ints, _ints))
def stuck(places, discs, slabs, walls, wall_slabs, grid, start, items):  # type: ignore[no-untyped-def]
    """Return (n,) whether a robot is in a wall by more than a nanometre; the arguments are as for `roll`."""
    n = len(places)
    x, y, found = np.empty(n), np.empty(n), np.zeros(n, np.bool_)
    for i in range(n):
        c, s = math.cos(places[i, 2]), math.sin(places[i, 2])
        x[i] = places[i, 0] + c * discs[i, 0] - s * discs[i, 1]
        y[i] = places[i, 1] + s * discs[i, 0] + c * discs[i, 1]
    room = np.empty((4 * n + 16, 2), np.int64)
    near, count = _near_walls(
        x, y, discs[:, 2].copy(), slabs, 0.0, walls, wall_slabs, grid, start, items, room, True
    )
    for k in range(count):
        i, j = near[k, 0], near[k, 1]
        found[i] |= _gap(walls[j], x[i], y[i])[0] < discs[i, 2] - 1e-9
    return found
