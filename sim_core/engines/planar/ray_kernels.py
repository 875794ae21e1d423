"""Compiled rays of the fast 2D mode: in a plane, against fixed outlines and those of robots.

All functions are in this one file, for the cache of compiled code. A ray traverses the cells of two grids,
one of fixed outlines, one of the present robots, and stops at the first hit.

Functions without a signature are also compiled for graphics cards and allocate nothing (see
`sim_core/experiments/learning/gpu_kernels.py`).
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64, types, void

from sim_core.base.compiled import compiled

SEGMENT, CIRCLE = 0.0, 1.0
"""The same values as in `motion_kernels.py`."""

NOTHING = -1
JOINT = 1e-12
"""Fraction of its length by which a segment is extended at its ends, so that no ray passes through a
corner."""

_inline = compiled()

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_box = types.Array(float64, 3, "C")
_ints = types.Array(int64, 1, "C")
_int_table = types.Array(int64, 2, "C")


@_inline
def _meet(outlines, k, x, y, dx, dy, visible):  # type: ignore[no-untyped-def]
    """Return the distance at which a ray hits outline k, inf if it does not; `visible`: from outside only."""
    if outlines[k, 0] == CIRCLE:
        ox, oy = x - outlines[k, 1], y - outlines[k, 2]
        middle = -(ox * dx + oy * dy)
        px, py = ox + middle * dx, oy + middle * dy
        rest = outlines[k, 3] * outlines[k, 3] - (px * px + py * py)
        if rest < 0.0:
            return math.inf
        reach = math.sqrt(rest)
        if middle - reach >= 0.0:
            return middle - reach
        if visible or middle + reach < 0.0:
            return math.inf
        return middle + reach
    ex, ey = outlines[k, 3] - outlines[k, 1], outlines[k, 4] - outlines[k, 2]
    det = dx * ey - dy * ex
    if det == 0.0 or (visible and det > 0.0):
        return math.inf
    px, py = outlines[k, 1] - x, outlines[k, 2] - y
    along = (px * dy - py * dx) / det
    if along < -JOINT or along > 1.0 + JOINT:
        return math.inf
    t = (px * ey - py * ex) / det
    if t < 0.0:
        return math.inf
    return t


@_inline
def _enter(grid, x, y, dx, dy, far):  # type: ignore[no-untyped-def]
    """Return the interval of distances in which a ray is within a grid, empty if it passes by."""
    t0, t1 = 0.0, far
    wide, high = grid[2] * grid[3], grid[2] * grid[4]
    if grid[0] <= x <= grid[0] + wide and grid[1] <= y <= grid[1] + high:  # most rays start in it
        return t0, t1
    if dx != 0.0:
        a, b = (grid[0] - x) / dx, (grid[0] + wide - x) / dx
        t0, t1 = max(t0, min(a, b)), min(t1, max(a, b))
    elif x < grid[0] or x > grid[0] + wide:
        return 1.0, 0.0
    if dy != 0.0:
        a, b = (grid[1] - y) / dy, (grid[1] + high - y) / dy
        t0, t1 = max(t0, min(a, b)), min(t1, max(a, b))
    elif y < grid[1] or y > grid[1] + high:
        return 1.0, 0.0
    return t0, t1


@_inline
def _first_cell(grid, x, y, dx, dy, t):  # type: ignore[no-untyped-def]
    """Return column and row of the cell in which a ray is at a distance."""
    column = int(math.floor((x + t * dx - grid[0]) / grid[2]))  # noqa: RUF046  # a float on a card
    row = int(math.floor((y + t * dy - grid[1]) / grid[2]))  # noqa: RUF046
    return min(max(column, 0), int(grid[3]) - 1), min(max(row, 0), int(grid[4]) - 1)


@_inline
def _border(low, size, cell, at, d, inverse):  # type: ignore[no-untyped-def]
    """Return the distance at which a ray leaves a column or row, and from one to the next; `inverse`: 1/d."""
    if d > 0.0:
        return (low + (cell + 1) * size - at) * inverse, size * inverse
    if d < 0.0:
        return (low + cell * size - at) * inverse, -size * inverse
    return math.inf, math.inf


@_inline
def cells_of(count):  # type: ignore[no-untyped-def]
    """Return the largest number of cells of a grid from `sort_in`, plus one."""
    return 6 * count + 50


@_inline
def sort_in(places, extents, turns, grid, start, items):  # type: ignore[no-untyped-def]
    """Sort robots as `sort_robots`, into buffers: `start` of `cells_of(n)`, `items` of 4 n numbers."""
    n = len(places)
    for i in range(n):
        turns[i, 0], turns[i, 1] = math.cos(places[i, 2]), math.sin(places[i, 2])
    x0, y0, x1, y1, size = math.inf, math.inf, -math.inf, -math.inf, 1e-9
    for i in range(n):
        r = extents[i]
        if r > 0.0:
            x0, y0 = min(x0, places[i, 0] - r), min(y0, places[i, 1] - r)
            x1, y1 = max(x1, places[i, 0] + r), max(y1, places[i, 1] + r)
            size = max(size, 2.0 * r)
    if x1 < x0:
        x0, y0, x1, y1 = 0.0, 0.0, 0.0, 0.0
    wide, high = x1 - x0, y1 - y0
    cells = 2.0 * n + 16.0
    size = max(size, math.sqrt(wide * high / cells), wide / cells, high / cells)
    columns, rows = int(wide / size) + 1, int(high / size) + 1
    grid[0], grid[1], grid[2], grid[3], grid[4] = x0, y0, size, columns, rows
    for cell in range(columns * rows + 1):
        start[cell] = 0
    for fill in range(2):
        for i in range(n):
            r = extents[i]
            if r <= 0.0:
                continue
            left = max(int((places[i, 0] - r - x0) / size), 0)
            right = min(int((places[i, 0] + r - x0) / size), columns - 1, left + 1)
            low = max(int((places[i, 1] - r - y0) / size), 0)
            high_ = min(int((places[i, 1] + r - y0) / size), rows - 1, low + 1)
            for row in range(low, high_ + 1):
                for column in range(left, right + 1):
                    cell = row * columns + column
                    if fill == 0:
                        start[cell + 1] += 1
                    else:
                        items[start[cell]] = i
                        start[cell] += 1
        if fill == 0:
            for cell in range(columns * rows):
                start[cell + 1] += start[cell]
        else:
            for cell in range(columns * rows, 0, -1):
                start[cell] = start[cell - 1]
            start[0] = 0


@compiled(types.Tuple((_ints, _ints))(_matrix, _vector, _matrix, _vector))
def sort_robots(places, extents, turns, grid):  # type: ignore[no-untyped-def]
    """Sort the present robots into a grid by the bounding circles of their outlines.

    Args:
        places, extents: see `cast`.
        turns: (n, 2) output: cosine and sine of each heading.
        grid: (5,) output: x, y of the corner, size of a cell in m, number of columns and of rows.

    Returns:
        Index of the first item of each cell, and of the end of the last one; and the items.
    """
    n = len(places)
    start = np.empty(cells_of(n), np.int64)
    items = np.empty(4 * n, np.int64)  # cells are no smaller than robots, so none is in more than four
    sort_in(places, extents, turns, grid, start, items)
    return start, items


@compiled(inline=True)
def _among_still(outlines, grid, start, items, x, y, dx, dy, ix, iy, visible, best):  # type: ignore[no-untyped-def]
    """Return the distance below `best` at which a ray hits an outline, and which; else `best` and NOTHING."""
    which = NOTHING
    t0, t1 = _enter(grid, x, y, dx, dy, best)
    if t0 > t1:
        return best, which
    columns, rows = int(grid[3]), int(grid[4])
    column, row = _first_cell(grid, x, y, dx, dy, t0)
    tx, step_x = _border(grid[0], grid[2], column, x, dx, ix)
    ty, step_y = _border(grid[1], grid[2], row, y, dy, iy)
    while True:
        cell = row * columns + column
        for k in range(start[cell], start[cell + 1]):
            t = _meet(outlines, items[k], x, y, dx, dy, visible)
            if t < best:
                best = t
                which = items[k]
        if min(tx, ty) > best:
            return best, which
        if tx < ty:
            column += 1 if dx > 0.0 else -1
            tx += step_x
            if column < 0 or column >= columns:
                return best, which
        else:
            row += 1 if dy > 0.0 else -1
            ty += step_y
            if row < 0 or row >= rows:
                return best, which


@compiled(inline=True)
def _among_robots(  # type: ignore[no-untyped-def]
    own, places, turns, extents, outlines, parts, grid, start, items, x, y, dx, dy, ix, iy, visible, best
):
    """Return the same for the outlines of robots, with the robot."""
    which, robot = NOTHING, NOTHING
    t0, t1 = _enter(grid, x, y, dx, dy, best)
    if t0 > t1:
        return best, which, robot
    columns, rows = int(grid[3]), int(grid[4])
    column, row = _first_cell(grid, x, y, dx, dy, t0)
    tx, step_x = _border(grid[0], grid[2], column, x, dx, ix)
    ty, step_y = _border(grid[1], grid[2], row, y, dy, iy)
    while True:
        cell = row * columns + column
        for k in range(start[cell], start[cell + 1]):
            i = items[k]
            if i in (own, robot):
                continue
            px, py = places[i, 0] - x, places[i, 1] - y
            along = px * dx + py * dy
            r = extents[i]
            if along + r < 0.0 or along - r > best or px * px + py * py - along * along > r * r:
                continue
            c, s = turns[i, 0], turns[i, 1]
            ox, oy = -c * px - s * py, s * px - c * py
            ux, uy = c * dx + s * dy, c * dy - s * dx
            for part in range(parts[i, 0], parts[i, 1]):
                t = _meet(outlines, part, ox, oy, ux, uy, visible)
                if t < best:
                    best = t
                    which = part
                    robot = i
        if min(tx, ty) > best:
            return best, which, robot
        if tx < ty:
            column += 1 if dx > 0.0 else -1
            tx += step_x
            if column < 0 or column >= columns:
                return best, which, robot
        else:
            row += 1 if dy > 0.0 else -1
            ty += step_y
            if row < 0 or row >= rows:
                return best, which, robot


@_inline
def _normal(outlines, k, x, y, dx, dy):  # type: ignore[no-untyped-def]
    """Return the unit normal at a point of outline k, against a direction."""
    if outlines[k, 0] == CIRCLE:
        nx, ny = x - outlines[k, 1], y - outlines[k, 2]
    else:
        nx, ny = outlines[k, 4] - outlines[k, 2], outlines[k, 1] - outlines[k, 3]
    length = math.sqrt(nx * nx + ny * ny)
    if nx * dx + ny * dy > 0.0:
        length = -length
    return nx / length, ny / length


@compiled(inline=True)
def cast_ray(  # type: ignore[no-untyped-def]
    own, c, s, ray, origins, directions, far, visible,
    outlines, grid, start, items,
    places, turns, robots, robot_start, robot_items, robot_outlines, parts, extents,
):  # fmt: skip
    """Cast one ray of a robot as `cast`; c, s: cosine and sine of its heading; far: m, not hit itself.

    Returns:
        Distance in m, x, y of the normal, and index of the outline.
    """
    x = places[own, 0] + c * origins[ray, 0] - s * origins[ray, 1]
    y = places[own, 1] + s * origins[ray, 0] + c * origins[ray, 1]
    dx = c * directions[ray, 0] - s * directions[ray, 1]
    dy = s * directions[ray, 0] + c * directions[ray, 1]
    ix, iy = 1.0 / dx, 1.0 / dy
    best, which = _among_still(outlines, grid, start, items, x, y, dx, dy, ix, iy, visible, far)
    best, part, robot = _among_robots(
        own, places, turns, extents, robot_outlines, parts, robots, robot_start, robot_items,
        x, y, dx, dy, ix, iy, visible, best,
    )  # fmt: skip
    if part != NOTHING:
        a, b = turns[robot, 0], turns[robot, 1]
        px, py = x + best * dx - places[robot, 0], y + best * dy - places[robot, 1]
        nx, ny = _normal(
            robot_outlines, part, a * px + b * py, a * py - b * px, a * dx + b * dy, a * dy - b * dx
        )
        return best, a * nx - b * ny, b * nx + a * ny, len(outlines) + part
    if which != NOTHING:
        nx, ny = _normal(outlines, which, x + best * dx, y + best * dy, dx, dy)
        return best, nx, ny, which
    return math.inf, 0.0, 0.0, NOTHING


@compiled(
    void(
        _ints, _int_table, _vector, _matrix, _matrix, boolean,
        _matrix, _vector, _ints, _ints,
        _matrix, _matrix, _vector, _ints, _ints, _matrix, _int_table, _vector,
        _vector, _matrix, _ints,
    )
)  # fmt: skip
def cast(  # type: ignore[no-untyped-def]
    rows, blocks, ranges, origins, directions, visible,
    outlines, grid, start, items,
    places, turns, robots, robot_start, robot_items, robot_outlines, parts, extents,
    distances, normals, met,
):  # fmt: skip
    """Cast blocks of rays, each fixed to a robot; each block writes only to its own rays, so that threads can
    cast different blocks at the same time.

    Args:
        rows: (b,) the blocks to cast.
        blocks: (s, 3) robot, first ray and end of each block. Rays ignore their own robot.
        ranges: (s,) m.
        origins, directions: (m, 2) of all rays, from the axle centre of the robot, in its axes; unit vectors.
        visible: True: outlines are hit from outside only.
        outlines: (k, 5) fixed outlines. grid, start, items: their cells.
        places: (n, 3) x, y of the axle centre and heading of all robots.
        turns, robots, robot_start, robot_items: from `sort_robots`.
        robot_outlines, parts, extents: (l, 5) in the axes of robots; (n, 2) the first outline of each robot
            and the end, which equal robots may share; (n,) radius of a bounding circle.
        distances, normals, met: (m,), (m, 2), (m,) output: m, inf for none; world axes; index of the outline,
            those of robots after the fixed ones, -1 for none.
    """
    for block in rows:
        own, far = blocks[block, 0], np.nextafter(ranges[block], math.inf)
        c, s = turns[own, 0], turns[own, 1]
        for ray in range(blocks[block, 1], blocks[block, 2]):
            distances[ray], normals[ray, 0], normals[ray, 1], met[ray] = cast_ray(
                own, c, s, ray, origins, directions, far, visible,
                outlines, grid, start, items,
                places, turns, robots, robot_start, robot_items, robot_outlines, parts, extents,
            )  # fmt: skip


@compiled(
    void(
        _ints, _ints, _int_table, _vector, _matrix, _matrix, boolean,
        _matrix, _vector, _ints, _ints, _box, _box, _matrix, _int_table, _vector,
        _matrix, _box, _int_table,
    )
)  # fmt: skip
def cast_copies(  # type: ignore[no-untyped-def]
    copies, rows, blocks, ranges, origins, directions, visible,
    outlines, grid, start, items, places, turns, robot_outlines, parts, extents,
    distances, normals, met,
):  # fmt: skip
    """Cast the same blocks of rays in some copies of a world.

    Args:
        copies: indices of the copies.
        places, turns: (c, n, 3), (c, n, 2) of the robots in each copy; the turns are computed here.
        distances, normals, met: (c, m), (c, m, 2), (c, m) output, as for `cast` in each copy.
        rows, blocks, …: as for `cast`, the same in all copies.
    """
    robots = np.empty(5)
    for copy in copies:
        robot_start, robot_items = sort_robots(places[copy], extents, turns[copy], robots)
        cast(
            rows, blocks, ranges, origins, directions, visible, outlines, grid, start, items,
            places[copy], turns[copy], robots, robot_start, robot_items, robot_outlines, parts, extents,
            distances[copy], normals[copy], met[copy],
        )  # fmt: skip
