"""Compiled loop of the ray caster: many rays against many shapes in one call.

All compiled functions are in this one file, because the cache of compiled code is checked against the file
that contains the kernel and no other. Importing this module loads the kernels from that cache, or compiles
them if they are not there (see `sim_core/compile_kernels.py`).

A hit is computed in the shape's own coordinates p' = A·(p - c), where A is its inverse scale times its
inverse rotation. Directions are multiplied by A and not normalized again, so a ray parameter t is the
distance in metres in both frames, and hits of scaled shapes are exact.

Every closed shape is convex, so a ray that starts at t = s is inside it over one interval [t0, t1]:

- t0 ≥ s: the ray comes from outside and hits the surface at t0.
- t0 < s ≤ t1: the ray starts inside. A bounding object is hit where the ray leaves it, at t1, as by the rays
  of ODE; a visible shape is not hit from inside.
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64, types, void

from sim_core.base.compiled import compiled

BOX, SPHERE, CYLINDER, CAPSULE, CONE, HALF_SPACE, RECTANGLE, TRIANGLES = range(8)
"""Kinds of shapes. Their three parameters, in m: half sizes · radius · radius, half height · the same ·
bottom radius, half height · none · half sizes · root of the tree of triangles.
"""

NOTHING = -1
"""No shape, no solid, no robot."""

ROUNDING = 1.000001
"""Squares of distances are compared with this tolerance; exact distances follow."""
DEEP = 64
"""Limit of the depth of a mesh's tree: each branch has half of the triangles of the one above."""
HUGE = 1e300
"""Replaces 1/0, so that its product with 0 is 0."""


_inline = compiled()


@_inline
def _slab(o, d, half):  # type: ignore[no-untyped-def]
    """Return the interval of t in which |o + t·d| ≤ half."""
    if d == 0.0:
        if abs(o) <= half:
            return -math.inf, math.inf
        return math.inf, -math.inf
    inverse = 1.0 / d
    a = (-half - o) * inverse
    b = (half - o) * inverse
    if a < b:
        return a, b
    return b, a


@_inline
def _round(ox, oy, oz, dx, dy, dz, radius):  # type: ignore[no-untyped-def]
    """Return the interval within a sphere; with oz = dz = 0, within an infinite cylinder along z.

    Measured from the point of the ray closest to the centre, so that a far origin loses no precision.
    """
    a = dx * dx + dy * dy + dz * dz
    if a == 0.0:
        if ox * ox + oy * oy + oz * oz <= radius * radius:
            return -math.inf, math.inf
        return math.inf, -math.inf
    inverse = 1.0 / a
    middle = -(ox * dx + oy * dy + oz * dz) * inverse
    px = ox + middle * dx
    py = oy + middle * dy
    pz = oz + middle * dz
    rest = radius * radius - (px * px + py * py + pz * pz)
    if rest < 0.0:
        return math.inf, -math.inf
    reach = math.sqrt(rest * inverse)
    return middle - reach, middle + reach


@_inline
def _cone(ox, oy, oz, dx, dy, dz, radius, half):  # type: ignore[no-untyped-def]
    """Return the interval within a cone: apex at +half, base of this radius at -half."""
    t0, t1 = _slab(oz, dz, half)
    if t0 > t1:
        return t0, t1
    slope = radius / (2.0 * half)
    down = half - oz  # depth below the apex
    a = dx * dx + dy * dy - slope * slope * dz * dz
    b = ox * dx + oy * dy + slope * slope * down * dz
    c = ox * ox + oy * oy - slope * slope * down * down
    if a == 0.0:  # parallel to the side: one crossing
        if b == 0.0:
            if c > 0.0:
                return math.inf, -math.inf
            return t0, t1
        t = -c / (2.0 * b)
        if b > 0.0:
            return t0, min(t1, t)
        return max(t0, t), t1
    rest = b * b - a * c
    if rest < 0.0:
        return math.inf, -math.inf
    root = math.sqrt(rest)
    q = -(b + root) if b > 0.0 else root - b
    ta = q / a
    tb = c / q if q != 0.0 else 0.0
    if ta > tb:
        ta, tb = tb, ta
    if a > 0.0:
        return max(t0, ta), min(t1, tb)
    if dz < 0.0:  # steeper than the side: it enters the cone below the apex and leaves through the base
        return max(t0, tb), t1
    return t0, min(t1, ta)


@_inline
def _interval(kind, ox, oy, oz, dx, dy, dz, p0, p1, p2, best):  # type: ignore[no-untyped-def]
    """Return the interval of t within a closed shape; empty (t0 > t1) if the ray misses it before `best`."""
    if kind == BOX:
        t0, t1 = _slab(ox, dx, p0)
        if t0 > t1 or t1 < 0.0 or t0 >= best:
            return math.inf, -math.inf
        a, b = _slab(oy, dy, p1)
        t0 = max(t0, a)
        t1 = min(t1, b)
        if t0 > t1 or t1 < 0.0 or t0 >= best:
            return math.inf, -math.inf
        a, b = _slab(oz, dz, p2)
        return max(t0, a), min(t1, b)
    if kind == SPHERE:
        return _round(ox, oy, oz, dx, dy, dz, p0)
    if kind in (CYLINDER, CAPSULE):
        t0, t1 = _round(ox, oy, 0.0, dx, dy, 0.0, p0)
        if t0 > t1 or t1 < 0.0:  # also right for a capsule: its ends are no wider
            return math.inf, -math.inf
        if kind == CYLINDER and t0 >= best:
            return math.inf, -math.inf
        a, b = _slab(oz, dz, p1)
        t0 = max(t0, a)
        t1 = min(t1, b)
        if kind == CYLINDER:
            return t0, t1
        if t0 > t1:
            t0 = math.inf
            t1 = -math.inf
        for end in (-p1, p1):  # the hull of the intervals of the parts, as their union is convex
            a, b = _round(ox, oy, oz - end, dx, dy, dz, p0)
            if a <= b:
                t0 = min(t0, a)
                t1 = max(t1, b)
        return t0, t1
    if kind == CONE:
        return _cone(ox, oy, oz, dx, dy, dz, p0, p1)
    if dz == 0.0:  # HALF_SPACE: all z ≤ 0
        if oz <= 0.0:
            return -math.inf, math.inf
        return math.inf, -math.inf
    t = -oz / dz
    if dz < 0.0:
        return t, math.inf
    return -math.inf, t


@_inline
def _triangle(ox, oy, oz, dx, dy, dz, triangles, k, visible):  # type: ignore[no-untyped-def]
    """Return t at which a ray hits a triangle (Möller and Trumbore), inf if it does not."""
    ax, ay, az = triangles[k, 0, 0], triangles[k, 0, 1], triangles[k, 0, 2]
    ux, uy, uz = triangles[k, 1, 0] - ax, triangles[k, 1, 1] - ay, triangles[k, 1, 2] - az
    vx, vy, vz = triangles[k, 2, 0] - ax, triangles[k, 2, 1] - ay, triangles[k, 2, 2] - az
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    det = ux * px + uy * py + uz * pz
    if det == 0.0 or (visible and det < 0.0):
        return math.inf
    tx, ty, tz = ox - ax, oy - ay, oz - az
    u = (tx * px + ty * py + tz * pz) / det
    if u < 0.0 or u > 1.0:
        return math.inf
    qx, qy, qz = ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux
    v = (dx * qx + dy * qy + dz * qz) / det
    if v < 0.0 or u + v > 1.0:
        return math.inf
    return (vx * qx + vy * qy + vz * qz) / det


@_inline
def _normal(kind, x, y, z, p0, p1, p2, triangle):  # type: ignore[no-untyped-def]
    """Return a normal, of any length, of the surface at a point on it; shape coordinates."""
    if kind == BOX:
        ex, ey, ez = abs(abs(x) - p0), abs(abs(y) - p1), abs(abs(z) - p2)
        if ex <= ey and ex <= ez:
            return x, 0.0, 0.0
        if ey <= ez:
            return 0.0, y, 0.0
        return 0.0, 0.0, z
    if kind == SPHERE:
        return x, y, z
    if kind == CYLINDER:
        if abs(abs(z) - p1) < abs(math.hypot(x, y) - p0):
            return 0.0, 0.0, z
        return x, y, 0.0
    if kind == CAPSULE:
        return x, y, z - min(max(z, -p1), p1)
    if kind == CONE:
        r = math.hypot(x, y)
        slope = p0 / (2.0 * p1)
        if abs(z + p1) < abs(r - slope * (p1 - z)) or r == 0.0:
            return 0.0, 0.0, z
        return x, y, r * slope
    if kind == TRIANGLES:
        a, b, c = triangle[0], triangle[1], triangle[2]
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return 0.0, 0.0, 1.0


@_inline
def _hit_tree(  # type: ignore[no-untyped-def]
    root, boxes, links, triangles, visible, ox, oy, oz, dx, dy, dz, start, best, stack
):  # fmt: skip
    """Return the distance from `start` to below `best` at which a ray hits a mesh, and the index of the
    triangle."""
    ix = 1.0 / dx if dx != 0.0 else HUGE
    iy = 1.0 / dy if dy != 0.0 else HUGE
    iz = 1.0 / dz if dz != 0.0 else HUGE
    which = NOTHING
    stack[0] = root
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        ax, bx = (boxes[node, 0] - ox) * ix, (boxes[node, 3] - ox) * ix
        ay, by = (boxes[node, 1] - oy) * iy, (boxes[node, 4] - oy) * iy
        az, bz = (boxes[node, 2] - oz) * iz, (boxes[node, 5] - oz) * iz
        t0 = max(max(min(ax, bx), min(ay, by)), min(az, bz))
        t1 = min(min(max(ax, bx), max(ay, by)), max(az, bz))
        if t0 > t1 or t1 < start or t0 >= best:
            continue
        first, count, axis = links[node, 0], links[node, 1], links[node, 2]
        if count > 0:
            for k in range(first, first + count):
                t = _triangle(ox, oy, oz, dx, dy, dz, triangles, k, visible)
                if start <= t < best:
                    best = t
                    which = k
            continue
        ahead = dx if axis == 0 else (dy if axis == 1 else dz)
        near = 0 if ahead >= 0.0 else 1  # the nearer branch is on top of the stack
        stack[top] = first + 1 - near
        stack[top + 1] = first + near
        top += 2
    if which == NOTHING:
        return math.inf, NOTHING
    return best, which


@_inline
def _hit_shape(  # type: ignore[no-untyped-def]
    kind, p0, p1, p2, boxes, links, triangles, visible, ox, oy, oz, dx, dy, dz, start, best, stack
):  # fmt: skip
    """Return the distance from `start` to below `best` at which a ray hits a shape, and the index of its
    triangle."""
    if kind == RECTANGLE:
        if dz >= 0.0 or oz < 0.0:
            return math.inf, NOTHING
        t = -oz / dz
        if t < start or t >= best or abs(ox + t * dx) > p0 or abs(oy + t * dy) > p1:
            return math.inf, NOTHING
        return t, NOTHING
    if kind == TRIANGLES:
        root = int(p0)
        return _hit_tree(root, boxes, links, triangles, visible, ox, oy, oz, dx, dy, dz, start, best, stack)
    t0, t1 = _interval(kind, ox, oy, oz, dx, dy, dz, p0, p1, p2, best)
    if t0 > t1 or t1 < start:
        return math.inf, NOTHING
    if t0 < start:
        if visible or t1 == math.inf:
            return math.inf, NOTHING
        t0 = t1
    if t0 >= best:
        return math.inf, NOTHING
    return t0, NOTHING


@_inline
def _box_gap(s, p, x, y, z):  # type: ignore[no-untyped-def]
    """Return the distance in m from a point of the world to a box; 0 inside."""
    x, y, z = x - s[0], y - s[1], z - s[2]
    total = 0.0
    for axis in range(3):
        ax, ay, az = s[3 + 3 * axis], s[4 + 3 * axis], s[5 + 3 * axis]
        beyond = abs(ax * x + ay * y + az * z) - p[axis]
        if beyond > 0.0:  # in scaled units: the length of a row of A is 1/scale
            total += beyond * beyond / (ax * ax + ay * ay + az * az)
    return math.sqrt(total) * (1.0 - 1e-9)


_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_cube = types.Array(float64, 3, "C")
_ints = types.Array(int64, 1, "C")
_int_table = types.Array(int64, 2, "C")


@compiled(void(_matrix, _ints, _ints, _matrix, _matrix, _matrix))
def place(frame_poses, shapes, frames, offsets, bounds, placed):  # type: ignore[no-untyped-def]
    """Compute the poses of shapes in the world from the poses of their frames.

    Args:
        frame_poses: (f, 12) position and rotation, row by row, of each frame in the world.
        shapes: (k,) the shapes to place.
        frames: (n,) the frame of each shape.
        offsets: (n, 15) position, rotation and scale of each shape in its frame.
        bounds: (n, 4) centre (shape coordinates) and radius (m) of a sphere around each shape.
        placed: (n, 16) out: position c, matrix A row by row, centre and radius of the sphere in the world.
    """
    for i in shapes:
        f = frame_poses[frames[i]]
        o = offsets[i]
        out = placed[i]
        for row in range(3):
            r0, r1, r2 = f[3 + 3 * row], f[4 + 3 * row], f[5 + 3 * row]
            out[row] = f[row] + r0 * o[0] + r1 * o[1] + r2 * o[2]
            for column in range(3):  # A is S⁻¹·Rᵀ: transposed, and each of its rows divided by the scale
                turned = r0 * o[3 + column] + r1 * o[6 + column] + r2 * o[9 + column]
                out[3 + 3 * column + row] = turned / o[12 + column]
        b = bounds[i]
        x, y, z = b[0] * o[12] * o[12], b[1] * o[13] * o[13], b[2] * o[14] * o[14]
        for row in range(3):
            out[12 + row] = out[row] + out[3 + row] * x + out[6 + row] * y + out[9 + row] * z
        out[15] = b[3]


_cast_signature = void(
    _matrix, _int_table, _matrix, _matrix, _matrix, boolean,
    _ints, _matrix, _matrix, _int_table, _matrix, _int_table, _cube,
    _vector, _ints, _ints,
)  # fmt: skip


@compiled(_cast_signature)
def cast(  # type: ignore[no-untyped-def]
    frame_poses, blocks, lengths, origins, directions, visible,
    kinds, parameters, placed, owners, boxes, links, triangles,
    distances, met, corner,
):  # fmt: skip
    """Cast blocks of rays; each block has one frame, one range, and one set of ignored shapes.

    Args:
        frame_poses: (f, 12) position and rotation, row by row, of each frame in the world.
        blocks: (b, 5) first ray, end, robot and solid whose shapes are ignored, frame.
        lengths: (b, 3) m, range, the largest distance of an origin of the block from its first one, and start
            of the rays, before which nothing is hit.
        origins, directions: (m, 3) of all rays, in the frame of their block; unit vectors.
        visible: the shapes are visible shapes, else bounding objects (see the top of this file).
        kinds, parameters, placed: (n,), (n, 3), (n, 16) of the shapes; a kind below 0 is never hit.
        owners: (n, 2) robot and solid of each shape.
        boxes, links: the trees of the meshes, see `bvh.py`.
        triangles: (k, 3, 3) corners, in the coordinates of their shape.
        distances, met, corner: (m,) out, m, the shape, and the triangle of a mesh; inf and -1 if nothing is
            hit.
    """
    count = len(kinds)
    spheres = np.empty((5, count))  # centre, radius; square of how far it is out of reach of a block
    for i in range(count):
        spheres[0, i], spheres[1, i], spheres[2, i] = placed[i, 12], placed[i, 13], placed[i, 14]
        spheres[3, i] = placed[i, 15]
    near = np.empty(count)
    gaps = np.empty(count)
    candidates = np.empty(count, np.int64)
    stack = np.empty(2 * DEEP, np.int64)
    # For each candidate, relative to the block's first origin: centre of its sphere (0-2), squared distance
    # of the origin outside the sphere, m² (3), gap (4), and the origin in the shape's coordinates (5-7).
    seen = np.empty((count, 8))
    for block in range(len(blocks)):
        f = frame_poses[blocks[block, 4]]
        first, end, robot, solid = blocks[block, 0], blocks[block, 1], blocks[block, 2], blocks[block, 3]
        reach, spread, start = lengths[block, 0], lengths[block, 1], lengths[block, 2]
        beyond = np.nextafter(reach, math.inf)  # so that a hit exactly at the range counts
        # Shapes within reach of the block's first origin, nearest first.
        # (lx, ly, lz) is in the frame of the block, (sx, sy, sz) the same point in the world.
        lx, ly, lz = origins[first, 0], origins[first, 1], origins[first, 2]
        sx = f[0] + f[3] * lx + f[4] * ly + f[5] * lz
        sy = f[1] + f[6] * lx + f[7] * ly + f[8] * lz
        sz = f[2] + f[9] * lx + f[10] * ly + f[11] * lz
        found = 0
        for i in range(count):  # a loop of its own, which handles several shapes at once
            x, y, z = spheres[0, i] - sx, spheres[1, i] - sy, spheres[2, i] - sz
            most = reach + spheres[3, i] + spread
            spheres[4, i] = x * x + y * y + z * z - ROUNDING * most * most
        for i in range(count):
            if (
                spheres[4, i] > 0.0  # out of reach, as most shapes of a large world
                or kinds[i] < 0
                or (robot >= 0 and owners[i, 0] == robot)
                or (solid >= 0 and owners[i, 1] == solid)
            ):
                continue
            s = placed[i]  # 0-2: position, 3-11: matrix A, 12-14: centre of the sphere, 15: its radius
            x, y, z = s[12] - sx, s[13] - sy, s[14] - sz
            gap = math.sqrt(x * x + y * y + z * z) - s[15] - spread
            if gap <= reach and kinds[i] == BOX:
                gap = max(gap, _box_gap(s, parameters[i], sx, sy, sz) - spread)
            if gap <= reach:
                near[found] = gaps[i] = gap
                candidates[found] = i
                found += 1
        order = candidates[np.argsort(near[:found])]
        kept = 0
        lx, ly, lz = directions[first, 0], directions[first, 1], directions[first, 2]
        vx = f[3] * lx + f[4] * ly + f[5] * lz
        vy = f[6] * lx + f[7] * ly + f[8] * lz
        vz = f[9] * lx + f[10] * ly + f[11] * lz
        for k in range(found):
            i = order[k]
            s, p = placed[i], parameters[i]
            x, y, z = sx - s[0], sy - s[1], sz - s[2]
            ox = s[3] * x + s[4] * y + s[5] * z
            oy = s[6] * x + s[7] * y + s[8] * z
            oz = s[9] * x + s[10] * y + s[11] * z
            if visible and spread == 0.0 and kinds[i] not in (RECTANGLE, TRIANGLES):
                t0, t1 = _interval(
                    kinds[i], ox, oy, oz, s[3] * vx + s[4] * vy + s[5] * vz,
                    s[6] * vx + s[7] * vy + s[8] * vz, s[9] * vx + s[10] * vy + s[11] * vz,
                    p[0], p[1], p[2], math.inf,
                )  # fmt: skip
                if t0 < 0.0 < t1:
                    continue  # all rays start inside, so none hits it
            row = seen[kept]
            row[0], row[1], row[2] = s[12] - sx, s[13] - sy, s[14] - sz
            row[3] = row[0] * row[0] + row[1] * row[1] + row[2] * row[2] - (s[15] + spread) ** 2
            row[4] = gaps[i]
            row[5], row[6], row[7] = ox, oy, oz
            order[kept] = i
            kept += 1
        found = kept
        # As local variables they are read only once.
        f0, f1, f2, f3, f4, f5 = f[0], f[1], f[2], f[3], f[4], f[5]
        f6, f7, f8, f9, f10, f11 = f[6], f[7], f[8], f[9], f[10], f[11]
        for ray in range(first, end):
            lx, ly, lz = directions[ray, 0], directions[ray, 1], directions[ray, 2]
            vx = f3 * lx + f4 * ly + f5 * lz
            vy = f6 * lx + f7 * ly + f8 * lz
            vz = f9 * lx + f10 * ly + f11 * lz
            wx, wy, wz = sx, sy, sz
            if spread > 0.0:
                lx, ly, lz = origins[ray, 0], origins[ray, 1], origins[ray, 2]
                wx = f0 + f3 * lx + f4 * ly + f5 * lz
                wy = f1 + f6 * lx + f7 * ly + f8 * lz
                wz = f2 + f9 * lx + f10 * ly + f11 * lz
            best = beyond
            shape = NOTHING
            which = NOTHING
            for k in range(found):
                if seen[k, 4] > best:  # all further shapes are behind the hit
                    break
                outside = seen[k, 3]
                if outside > 0.0:  # then a ray hits the sphere if it is ahead, and |c|² - (c·v)² ≤ r²
                    along = seen[k, 0] * vx + seen[k, 1] * vy + seen[k, 2] * vz
                    if along < 0.0 or along * along < outside:
                        continue
                i = order[k]
                ox, oy, oz = seen[k, 5], seen[k, 6], seen[k, 7]
                a0, a1, a2 = placed[i, 3], placed[i, 4], placed[i, 5]
                a3, a4, a5 = placed[i, 6], placed[i, 7], placed[i, 8]
                a6, a7, a8 = placed[i, 9], placed[i, 10], placed[i, 11]
                if spread > 0.0:
                    x, y, z = wx - placed[i, 0], wy - placed[i, 1], wz - placed[i, 2]
                    ox = a0 * x + a1 * y + a2 * z
                    oy = a3 * x + a4 * y + a5 * z
                    oz = a6 * x + a7 * y + a8 * z
                t, triangle = _hit_shape(
                    kinds[i], parameters[i, 0], parameters[i, 1], parameters[i, 2],
                    boxes, links, triangles, visible, ox, oy, oz,
                    a0 * vx + a1 * vy + a2 * vz, a3 * vx + a4 * vy + a5 * vz, a6 * vx + a7 * vy + a8 * vz,
                    start, best, stack,
                )  # fmt: skip
                if t < best:
                    best = t
                    shape = i
                    which = triangle
            met[ray] = shape
            corner[ray] = which
            distances[ray] = best if shape != NOTHING else math.inf


_normals_signature = void(
    _matrix, _int_table, _matrix, _matrix, _ints, _matrix, _matrix, _cube, _vector, _ints, _ints, _matrix
)  # fmt: skip


@compiled(_normals_signature)
def find_normals(  # type: ignore[no-untyped-def]
    frame_poses, blocks, origins, directions,
    kinds, parameters, placed, triangles, distances, met, corner, normals,
):  # fmt: skip
    """Compute the normals at hits, right after their cast and with the same arrays.

    Args:
        normals: (m, 3) out, see `RayBatch`; other arguments as in `cast`.
    """
    for block in range(len(blocks)):
        f = frame_poses[blocks[block, 4]]
        for ray in range(blocks[block, 0], blocks[block, 1]):
            if met[ray] == NOTHING:
                normals[ray, 0] = 0.0
                normals[ray, 1] = 0.0
                normals[ray, 2] = 0.0
                continue
            s = placed[met[ray]]
            p = parameters[met[ray]]
            t = distances[ray]
            lx, ly, lz = directions[ray, 0], directions[ray, 1], directions[ray, 2]
            vx = f[3] * lx + f[4] * ly + f[5] * lz
            vy = f[6] * lx + f[7] * ly + f[8] * lz
            vz = f[9] * lx + f[10] * ly + f[11] * lz
            lx, ly, lz = origins[ray, 0], origins[ray, 1], origins[ray, 2]
            x = f[0] + f[3] * lx + f[4] * ly + f[5] * lz + t * vx - s[0]
            y = f[1] + f[6] * lx + f[7] * ly + f[8] * lz + t * vy - s[1]
            z = f[2] + f[9] * lx + f[10] * ly + f[11] * lz + t * vz - s[2]
            nx, ny, nz = _normal(
                kinds[met[ray]],
                s[3] * x + s[4] * y + s[5] * z, s[6] * x + s[7] * y + s[8] * z,
                s[9] * x + s[10] * y + s[11] * z,
                p[0], p[1], p[2], triangles[max(corner[ray], 0)],
            )  # fmt: skip
            x, y, z = (  # normals are transformed back with the transpose of A
                s[3] * nx + s[6] * ny + s[9] * nz,
                s[4] * nx + s[7] * ny + s[10] * nz,
                s[5] * nx + s[8] * ny + s[11] * nz,
            )
            length = math.sqrt(x * x + y * y + z * z)
            if x * vx + y * vy + z * vz > 0.0:  # it must point to the side the ray comes from
                length = -length
            normals[ray, 0] = x / length
            normals[ray, 1] = y / length
            normals[ray, 2] = z / length
