"""The compiled loop of the ray caster: many rays against many shapes in one call.

Everything that is compiled lives in this one file, because the cache of compiled code is checked against the
file that holds the kernel and no other. Importing this module loads the kernels from that cache, or compiles
them if they are not there (see `sim_core/compile_kernels.py`).

A shape is met in its own coordinates p' = A·(p - c), where A is its inverse scale times its inverse rotation.
Directions are taken along with A and not made unit vectors again, so a ray parameter t is the distance in
metres in both frames, and scaled shapes are met exactly.

Every closed shape is convex, so a ray is inside it over one interval [t0, t1]:

- t0 ≥ 0: the ray comes from outside and meets the surface at t0.
- t0 < 0 ≤ t1: the ray starts inside. Where the shape is a bounding object it meets the surface on its way
  out, at t1, as the rays of ODE do; a shape that is seen is not seen from inside.
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64, types, void

from sim_core.compiled import compiled

BOX, SPHERE, CYLINDER, CAPSULE, CONE, HALF_SPACE, RECTANGLE, TRIANGLES = range(8)
"""Kinds of shapes. Their three parameters, in m: half sizes · radius · radius, half height · the same ·
bottom radius, half height · none · half sizes · first triangle, number of triangles."""

NOTHING = -1
"""No shape, no solid, no robot."""


_inline = compiled()


@_inline
def _slab(o, d, half):  # type: ignore[no-untyped-def]
    """Interval of t in which |o + t·d| ≤ half."""
    if d == 0.0:
        if abs(o) <= half:
            return -math.inf, math.inf
        return math.inf, -math.inf
    a = (-half - o) / d
    b = (half - o) / d
    if a < b:
        return a, b
    return b, a


@_inline
def _round(ox, oy, oz, dx, dy, dz, radius):  # type: ignore[no-untyped-def]
    """Interval within a sphere; with oz = dz = 0, within an endless cylinder along z.

    Measured from the point of the ray closest to the centre, so that a far origin costs no digits.
    """
    a = dx * dx + dy * dy + dz * dz
    if a == 0.0:
        if ox * ox + oy * oy + oz * oz <= radius * radius:
            return -math.inf, math.inf
        return math.inf, -math.inf
    middle = -(ox * dx + oy * dy + oz * dz) / a
    px = ox + middle * dx
    py = oy + middle * dy
    pz = oz + middle * dz
    rest = radius * radius - (px * px + py * py + pz * pz)
    if rest < 0.0:
        return math.inf, -math.inf
    reach = math.sqrt(rest / a)
    return middle - reach, middle + reach


@_inline
def _cone(ox, oy, oz, dx, dy, dz, radius, half):  # type: ignore[no-untyped-def]
    """Interval within a cone: apex at +half, base of this radius at -half."""
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
    if dz < 0.0:  # steeper than the side: it enters the lower half cone and stays in
        return max(t0, tb), t1
    return t0, min(t1, ta)


@_inline
def _interval(kind, ox, oy, oz, dx, dy, dz, p0, p1, p2):  # type: ignore[no-untyped-def]
    """Interval of t within a closed shape; empty (t0 > t1) if the ray misses it."""
    if kind == BOX:
        t0, t1 = _slab(ox, dx, p0)
        a, b = _slab(oy, dy, p1)
        t0 = max(t0, a)
        t1 = min(t1, b)
        a, b = _slab(oz, dz, p2)
        return max(t0, a), min(t1, b)
    if kind == SPHERE:
        return _round(ox, oy, oz, dx, dy, dz, p0)
    if kind in (CYLINDER, CAPSULE):
        t0, t1 = _round(ox, oy, 0.0, dx, dy, 0.0, p0)
        a, b = _slab(oz, dz, p1)
        t0 = max(t0, a)
        t1 = min(t1, b)
        if kind == CYLINDER:
            return t0, t1
        if t0 > t1:
            t0 = math.inf
            t1 = -math.inf
        for end in (-p1, p1):  # a union of convex parts that is convex: the hull of their intervals
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
def _triangle(ox, oy, oz, dx, dy, dz, corners, visible):  # type: ignore[no-untyped-def]
    """t at which a ray meets a triangle (Möller and Trumbore), inf if it does not."""
    ax, ay, az = corners[0, 0], corners[0, 1], corners[0, 2]
    ux, uy, uz = corners[1, 0] - ax, corners[1, 1] - ay, corners[1, 2] - az
    vx, vy, vz = corners[2, 0] - ax, corners[2, 1] - ay, corners[2, 2] - az
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
    t = (vx * qx + vy * qy + vz * qz) / det
    if t < 0.0:
        return math.inf
    return t


@_inline
def _normal(kind, x, y, z, p0, p1, p2, triangle):  # type: ignore[no-untyped-def]
    """A normal, of any length, of the surface at a point on it; shape coordinates."""
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
def _meet(kind, p, triangles, visible, ox, oy, oz, dx, dy, dz, best):  # type: ignore[no-untyped-def]
    """Distance below `best` at which a ray meets a shape, and which of its triangles; inf: it does not."""
    if kind == RECTANGLE:
        if dz >= 0.0 or oz < 0.0:
            return math.inf, NOTHING
        t = -oz / dz
        if t >= best or abs(ox + t * dx) > p[0] or abs(oy + t * dy) > p[1]:
            return math.inf, NOTHING
        return t, NOTHING
    if kind == TRIANGLES:
        first = int(p[0])
        nearest = best
        which = NOTHING
        for k in range(first, first + int(p[1])):
            t = _triangle(ox, oy, oz, dx, dy, dz, triangles[k], visible)
            if t < nearest:
                nearest = t
                which = k
        if which == NOTHING:
            return math.inf, NOTHING
        return nearest, which
    t0, t1 = _interval(kind, ox, oy, oz, dx, dy, dz, p[0], p[1], p[2])
    if t0 > t1 or t1 < 0.0:
        return math.inf, NOTHING
    if t0 < 0.0:
        if visible or t1 == math.inf:
            return math.inf, NOTHING
        t0 = t1
    if t0 >= best:
        return math.inf, NOTHING
    return t0, NOTHING


_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_cube = types.Array(float64, 3, "C")
_ints = types.Array(int64, 1, "C")
_int_table = types.Array(int64, 2, "C")


@compiled(void(_matrix, _ints, _ints, _matrix, _matrix, _matrix))
def place(frame_poses, shapes, frames, offsets, bounds, placed):  # type: ignore[no-untyped-def]
    """Pose shapes in the world from the poses of their frames.

    Args:
        frame_poses: (f, 12) position and rotation, row by row, of each frame in the world.
        shapes: (k,) the shapes to place.
        frames: (n,) the frame of each shape.
        offsets: (n, 15) position, rotation and scale of each shape in its frame.
        bounds: (n, 4) centre (shape coordinates) and radius (m) of a sphere round each shape.
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
    _ints, _matrix, _matrix, _int_table, _cube,
    _vector, _matrix, _ints,
)  # fmt: skip


@compiled(_cast_signature)
def cast(  # type: ignore[no-untyped-def]
    frame_poses, blocks, lengths, origins, directions, visible,
    kinds, parameters, placed, owners, triangles,
    distances, normals, met,
):  # fmt: skip
    """Cast blocks of rays; each block has one frame, one range, and one set of shapes that it does not meet.

    Args:
        frame_poses: (f, 12) position and rotation, row by row, of each frame in the world.
        blocks: (b, 5) first ray, end, robot and solid whose shapes are not met, frame.
        lengths: (b, 2) m, range, and the largest distance of an origin of the block from its first one.
        origins, directions: (m, 3) of all rays, in the frame of their block; unit vectors.
        visible: the shapes are those that are seen (see the top of this file).
        kinds, parameters, placed: (n,), (n, 3), (n, 16) of the shapes; a kind below 0 is never met.
        owners: (n, 2) robot and solid of each shape.
        triangles: (k, 3, 3) corners, in the coordinates of their shape.
        distances, normals, met: (m,), (m, 3), (m,) out, see `RayBatch`.
    """
    count = len(kinds)
    near = np.empty(count)
    candidates = np.empty(count, np.int64)
    for block in range(len(blocks)):
        f = frame_poses[blocks[block, 4]]
        first, end, robot, solid = blocks[block, 0], blocks[block, 1], blocks[block, 2], blocks[block, 3]
        reach = lengths[block, 0]
        # The shapes within reach of the block's first origin, nearest first.
        lx, ly, lz = origins[first, 0], origins[first, 1], origins[first, 2]
        sx = f[0] + f[3] * lx + f[4] * ly + f[5] * lz
        sy = f[1] + f[6] * lx + f[7] * ly + f[8] * lz
        sz = f[2] + f[9] * lx + f[10] * ly + f[11] * lz
        found = 0
        for i in range(count):
            if (
                kinds[i] < 0
                or (robot >= 0 and owners[i, 0] == robot)
                or (solid >= 0 and owners[i, 1] == solid)
            ):
                continue
            s = placed[i]
            x, y, z = s[12] - sx, s[13] - sy, s[14] - sz
            gap = math.sqrt(x * x + y * y + z * z) - s[15] - lengths[block, 1]
            if gap <= reach:
                near[found] = gap
                candidates[found] = i
                found += 1
        order = np.argsort(near[:found])
        for ray in range(first, end):
            lx, ly, lz = origins[ray, 0], origins[ray, 1], origins[ray, 2]
            wx = f[0] + f[3] * lx + f[4] * ly + f[5] * lz
            wy = f[1] + f[6] * lx + f[7] * ly + f[8] * lz
            wz = f[2] + f[9] * lx + f[10] * ly + f[11] * lz
            lx, ly, lz = directions[ray, 0], directions[ray, 1], directions[ray, 2]
            vx = f[3] * lx + f[4] * ly + f[5] * lz
            vy = f[6] * lx + f[7] * ly + f[8] * lz
            vz = f[9] * lx + f[10] * ly + f[11] * lz
            best = np.nextafter(reach, math.inf)
            shape = NOTHING
            which = NOTHING
            for k in order:
                if near[k] > best:
                    break
                i = candidates[k]
                s = placed[i]
                x, y, z = s[12] - wx, s[13] - wy, s[14] - wz
                radius = s[15]
                if radius < math.inf:
                    along = x * vx + y * vy + z * vz
                    if along + radius < 0.0 or along - radius > best:
                        continue
                    if x * x + y * y + z * z - along * along > radius * radius:
                        continue
                x, y, z = wx - s[0], wy - s[1], wz - s[2]
                t, triangle = _meet(
                    kinds[i], parameters[i], triangles, visible,
                    s[3] * x + s[4] * y + s[5] * z, s[6] * x + s[7] * y + s[8] * z,
                    s[9] * x + s[10] * y + s[11] * z,
                    s[3] * vx + s[4] * vy + s[5] * vz, s[6] * vx + s[7] * vy + s[8] * vz,
                    s[9] * vx + s[10] * vy + s[11] * vz, best,
                )  # fmt: skip
                if t < best:
                    best = t
                    shape = i
                    which = triangle
            met[ray] = shape
            if shape == NOTHING:
                distances[ray] = math.inf
                normals[ray, 0] = 0.0
                normals[ray, 1] = 0.0
                normals[ray, 2] = 0.0
                continue
            distances[ray] = best
            s = placed[shape]
            p = parameters[shape]
            x, y, z = wx + best * vx - s[0], wy + best * vy - s[1], wz + best * vz - s[2]
            nx, ny, nz = _normal(
                kinds[shape],
                s[3] * x + s[4] * y + s[5] * z, s[6] * x + s[7] * y + s[8] * z,
                s[9] * x + s[10] * y + s[11] * z,
                p[0], p[1], p[2], triangles[max(which, 0)],
            )  # fmt: skip
            x, y, z = (  # normals are taken back with the transpose of A
                s[3] * nx + s[6] * ny + s[9] * nz,
                s[4] * nx + s[7] * ny + s[10] * nz,
                s[5] * nx + s[8] * ny + s[11] * nz,
            )
            length = math.sqrt(x * x + y * y + z * z)
            if x * vx + y * vy + z * vz > 0.0:  # it faces where the ray comes from
                length = -length
            normals[ray, 0] = x / length
            normals[ray, 1] = y / length
            normals[ray, 2] = z / length
