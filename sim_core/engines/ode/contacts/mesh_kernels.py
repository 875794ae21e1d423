"""Compiled: contacts of balls and wheels with the triangles of a mesh, and the selection of a few of many
contacts.

A ball touches with the nearest point of the mesh, on a face, an edge or a corner. A wheel touches with its
middle plane, as on floors: the mesh is cut by that plane, and the disc touches the cut. Edges between
coplanar faces have no effect, because a contact that is in or behind the surface at a nearer one is dropped.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np
from numba import types

from sim_core.base.compiled import compiled

MOST_FOUND = 64
"""Maximum number of contacts of a ball or a wheel that are considered."""
RESULT = 7
"""Columns of a result: position (3), unit normal (3), depth."""
SAME_NORMAL = 0.985
"""Cosine from which on normals of contacts are regarded as one direction (10 degrees)."""
SHALLOW = 1e-3
"""Fraction of the greatest depth from which on a contact is used."""
PLATE = 0.2
"""Fraction of the size of a mesh up to which the contacts of two meshes are regarded as one flat place."""
RISES = 0.005
"""Largest depth in m of a contact with a face that is met from behind, so that penetrating shapes come out
slowly."""
FLAT = 1e-4
"""Fraction of the radius by which a contact must be outside the surface at another one."""

_f1, _f2, _i2 = types.float64[::1], types.float64[:, ::1], types.int64[:, ::1]


@compiled()
def _dot(a: Any, b: Any) -> Any:
    """Return the inner product of two vectors; numpy's would need scipy here."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled()
def _turned(rotation: Any, vector: Any) -> Any:
    out = np.empty(3)
    for k in range(3):
        out[k] = _dot(rotation[k], vector)
    return out


@compiled()
def _turned_back(rotation: Any, vector: Any) -> Any:
    out = np.empty(3)
    for k in range(3):
        out[k] = rotation[0, k] * vector[0] + rotation[1, k] * vector[1] + rotation[2, k] * vector[2]
    return out


@compiled()
def _near(boxes: Any, links: Any, centre: Any, reach: float, found: Any) -> Any:
    """Collect the triangles of leaves that overlap a cube about a point; return their number, at most
    len(found)."""
    count = 0
    stack = np.empty(64, np.int64)  # deeper than any tree
    stack[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        apart = False
        for k in range(3):
            if boxes[node, k] > centre[k] + reach or boxes[node, 3 + k] < centre[k] - reach:
                apart = True
        if apart:
            continue
        first, size = links[node, 0], links[node, 1]
        if size == 0:
            stack[depth], stack[depth + 1] = first, first + 1
            depth += 2
            continue
        for index in range(first, first + size):
            if count < len(found):
                found[count] = index
                count += 1
    return count


@compiled()
def _nearest_in_triangle(p: Any, a: Any, b: Any, c: Any, out: Any) -> Any:
    """Return the point of a triangle nearest to p (Ericson, Real-Time Collision Detection, 5.1.5).

    Returns:
        True if it is inside the face, and not on its boundary.
    """
    ab, ac, ap = b - a, c - a, p - a
    d1, d2 = _dot(ab, ap), _dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        out[:] = a
        return False
    bp = p - b
    d3, d4 = _dot(ab, bp), _dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        out[:] = b
        return False
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        out[:] = a + ab * (d1 / (d1 - d3))
        return False
    cp = p - c
    d5, d6 = _dot(ab, cp), _dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        out[:] = c
        return False
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        out[:] = a + ac * (d2 / (d2 - d6))
        return False
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        out[:] = b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)))
        return False
    out[:] = a + ab * (vb / (va + vb + vc)) + ac * (vc / (va + vb + vc))
    return True


@compiled(types.int64(types.float64[:, :, ::1], _f2, _f2, _i2, _f1, _f1, types.float64, _f2))
def round_mesh_contacts(
    triangles: Any,
    normals: Any,
    boxes: Any,
    links: Any,
    placed: Any,
    centre_and_axis: Any,
    radius: float,
    out: Any,
) -> Any:
    """Find the contacts of a ball or of a wheel with a mesh.

    If nothing is met from the front, the nearest face is met from behind: it pushes out shapes inside the
    mesh.

    Args:
        triangles, normals: (n, 3, 3) and (n, 3), in the mesh's frame; a normal of zero: the triangle is
            ignored.
        boxes, links: their tree, as in `bvh.Bvh`.
        placed: (12,) position and rotation of the mesh in the world.
        centre_and_axis: (6,) in the world; an axis of zero: a ball.
        radius: m.
        out: (m, RESULT) output, in the world, the normals out of the mesh; the nearest contact is first.

    Returns:
        Number of contacts.
    """
    turn = placed[3:].copy().reshape(3, 3)
    centre = _turned_back(turn, centre_and_axis[:3] - placed[:3])
    axis = _turned_back(turn, centre_and_axis[3:])
    is_wheel = axis[0] != 0.0 or axis[1] != 0.0 or axis[2] != 0.0
    candidates = np.empty(4096, np.int64)
    near = _near(boxes, links, centre, radius, candidates)
    points = np.empty((MOST_FOUND, 3))
    faces = np.empty((MOST_FOUND, 3))  # the face's normal; zero: the contact is at an edge or corner
    distances = np.empty(MOST_FOUND)
    found = 0
    behind, behind_distance = -1, inf
    behind_point = np.zeros(3)
    point, end = np.empty(3), np.empty(3)
    for place in range(near):
        index = candidates[place]
        normal = normals[index]
        a, b, c = triangles[index, 0], triangles[index, 1], triangles[index, 2]
        height = _dot(centre - a, normal)
        if height > radius or height < -radius or _dot(normal, normal) == 0.0:
            continue
        inside = False
        if is_wheel:
            sa, sb, sc = _dot(a - centre, axis), _dot(b - centre, axis), _dot(c - centre, axis)
            ends = 0
            for k in range(3):
                u, v, su, sv = (a, b, sa, sb) if k == 0 else ((b, c, sb, sc) if k == 1 else (c, a, sc, sa))
                if (su < 0.0) != (sv < 0.0):
                    crossing = u + (v - u) * (su / (su - sv))
                    if ends == 0:
                        point[:] = crossing
                    else:
                        end[:] = crossing
                    ends += 1
            if ends < 2:
                continue
            along = end - point
            square = _dot(along, along)
            t = _dot(centre - point, along) / square if square > 0.0 else 0.0
            inside = 0.0 < t < 1.0
            point[:] = point + along * min(1.0, max(0.0, t))
        else:
            inside = _nearest_in_triangle(centre, a, b, c, point)
        offset = centre - point
        distance = sqrt(_dot(offset, offset))
        if distance > radius:
            continue
        if height < 0.0 or distance == 0.0:
            if inside and distance < behind_distance:
                behind, behind_distance = index, distance
                behind_point[:] = point
            continue
        slot = found
        if found == MOST_FOUND:  # drop the farthest
            slot = int(np.argmax(distances))
            if distances[slot] <= distance:
                continue
        else:
            found += 1
        points[slot], distances[slot] = point, distance
        faces[slot] = normal if inside else np.zeros(3)
    if found == 0 and behind >= 0:
        points[0], distances[0], faces[0] = behind_point, -behind_distance, normals[behind]
        found = 1
    kept = 0
    used = np.zeros(found, np.bool_)
    directions = np.empty((len(out), 3))  # in the mesh's frame; in the plane of a wheel
    spots = np.empty((len(out), 3))
    for _ in range(found):
        best = -1
        for each in range(found):
            if not used[each] and (best < 0 or distances[each] < distances[best]):
                best = each
        used[best] = True
        distance = distances[best]
        if distance < 0.0 or (not is_wheel and _dot(faces[best], faces[best]) > 0.0):
            direction = faces[best].copy()
        else:
            direction = (centre - points[best]) / distance
        hidden = False
        for each in range(kept):
            if _dot(points[best] - spots[each], directions[each]) < FLAT * radius:
                hidden = True
        if hidden or kept == len(out):
            continue
        spots[kept], directions[kept] = points[best], direction
        normal, depth, position = direction, radius - distance, centre - direction * radius
        if is_wheel and _dot(faces[best], faces[best]) > 0.0:
            normal = faces[best].copy()
            across = normal - axis * _dot(normal, axis)
            length = sqrt(_dot(across, across))
            if length < 1e-3:  # the wheel lies on its side
                continue
            position = centre - across * (radius / length)
            depth = (radius - distance) * length
        out[kept, 0:3] = _turned(turn, position) + placed[:3]
        out[kept, 3:6] = _turned(turn, normal)
        out[kept, 6] = min(depth, RISES) if distance < 0.0 else depth
        kept += 1
    return kept


@compiled(types.void(_f2, types.int64, types.float64))
def merge_mesh_contacts(rows: Any, count: int, size: float) -> None:
    """Correct ODE's contacts of two meshes, in place.

    ODE treats each pair of triangles separately, and sometimes takes the side of a body for its top: a box
    that stands on another would be pushed out sideways, by its whole length. The positions are right: they
    are where the surfaces intersect. The direction in which all of them are closest together is that of the
    least penetration, if both bodies are convex there: it becomes the normal of all. A contact that had
    another normal gets the depth of the nearest one with this normal. If there is no such direction (a body
    in a corner of a room), the shallow contacts are kept, and the others dropped (depth -1).

    Args:
        rows: ODE's contacts. count: their number.
        size: m, of the smaller mesh, about its origin.
    """
    thinnest = PLATE * size
    best = -1
    for row in range(count):
        seen = False
        for other in range(row):
            if abs(_dot(rows[row, 4:7], rows[other, 4:7])) > SAME_NORMAL:
                seen = True
                break
        if seen:
            continue
        low, high = inf, -inf
        for other in range(count):
            along = _dot(rows[other, 0:3], rows[row, 4:7])
            low, high = min(low, along), max(high, along)
        if high - low < thinnest:
            thinnest, best = high - low, row
    if best < 0:
        for row in range(count):
            if rows[row, 8] > PLATE * size:
                rows[row, 8] = -1.0
        return
    normal = rows[best, 4:7].copy()
    votes = 0.0
    agrees = np.zeros(count, np.bool_)
    for row in range(count):
        same = _dot(rows[row, 4:7], normal)
        if abs(same) > SAME_NORMAL:
            votes += same
            agrees[row] = True
    if votes < 0.0:
        normal = -normal
    for row in range(count):
        if not agrees[row]:
            nearest = inf
            for other in range(count):
                if agrees[other]:
                    apart = rows[other, 0:3] - rows[row, 0:3]
                    if _dot(apart, apart) < nearest:
                        nearest = _dot(apart, apart)
                        rows[row, 8] = rows[other, 8]
    for row in range(count):
        rows[row, 8] = min(rows[row, 8], PLATE * size)
        rows[row, 4:7] = normal


@compiled(types.int64(_f2, types.int64, types.int64, _f2))
def select_contacts(rows: Any, count: int, most: int, out: Any) -> Any:
    """Select a few of many contacts of two shapes that have the same effect.

    Contacts whose normals are nearly equal hold like a plate: the deepest of them is kept, the one farthest
    from it, and those farthest from the line through both, on either side. More would only make ODE's problem
    harder to solve: a plate on ten feet has no unique solution.

    Args:
        rows: (n, CONTACT_GEOM_DOUBLES) ODE's contacts; those with a depth below 0 are ignored.
        count: their number.
        most: maximum number to keep.
        out: (most, RESULT) output.

    Returns:
        Number of contacts kept.
    """
    deepest = 0.0
    for row in range(count):
        deepest = max(deepest, rows[row, 8])
    group = np.full(count, -1, np.int64)
    kept = 0
    for row in range(count):
        if not rows[row, 8] >= SHALLOW * deepest:
            group[row] = -2
    while kept < most:
        first = -1
        for row in range(count):
            if group[row] == -1 and (first < 0 or rows[row, 8] > rows[first, 8]):
                first = row
        if first < 0:
            break
        normal = rows[first, 4:7]
        for row in range(count):
            if group[row] == -1 and _dot(rows[row, 4:7], normal) > SAME_NORMAL:
                group[row] = first
        picks = np.full(4, -1, np.int64)
        picks[0] = first
        size = 0.0
        for row in range(count):
            if group[row] == first:
                apart = rows[row, 0:3] - rows[first, 0:3]
                if _dot(apart, apart) > size:
                    size, picks[1] = _dot(apart, apart), row
        if picks[1] >= 0:
            along = rows[picks[1], 0:3] - rows[first, 0:3]
            across = np.cross(along, normal)
            left = right = 1e-2 * size  # of the square of the length: nearer contacts add no support
            for row in range(count):
                if group[row] == first:
                    side = _dot(rows[row, 0:3] - rows[first, 0:3], across)
                    if side > left:
                        left, picks[2] = side, row
                    elif -side > right:
                        right, picks[3] = -side, row
        for pick in picks:
            if pick >= 0 and kept < most:
                out[kept, 0:3] = rows[pick, 0:3]
                out[kept, 3:6] = rows[pick, 4:7]
                out[kept, 6] = rows[pick, 8]
                kept += 1
    return kept


@compiled(types.void(_f2, types.int64, _i2, types.int64, _f2, _f2, _f1, _f1, types.float64, types.float64))
def correct_cylinder_contacts(
    rows: Any,
    count: int,
    sides: Any,
    column: int,
    points: Any,
    normals: Any,
    placed: Any,
    centre_and_axis: Any,
    radius: float,
    half: float,
) -> None:
    """Correct ODE's contacts of a cylinder with a mesh, in place.

    ODE sometimes takes an edge of a triangle as the separating direction, where its face gives less depth.
    The face is used instead; if it shows that they do not touch, the contact is dropped (depth -1).

    Args:
        rows: ODE's contacts.
        sides: (n, 2) the triangles. column: 0 or 1, which of the two shapes is the mesh.
        points: (m, 3) a corner of each triangle. normals: (m, 3); both in the mesh's frame.
        placed: (12,) the mesh. centre_and_axis: (6,) the cylinder.
        half: of its height.
    """
    turn = placed[3:].copy().reshape(3, 3)
    centre, axis = centre_and_axis[:3], centre_and_axis[3:]
    for row in range(count):
        index = sides[row, column]
        if index < 0 or index >= len(normals):
            continue
        normal = _turned(turn, normals[index])
        if _dot(normal, normal) == 0.0:
            continue
        corner = _turned(turn, points[index]) + placed[:3]
        lean = _dot(axis, normal)
        extent = radius * sqrt(max(0.0, 1.0 - lean * lean)) + half * abs(lean)
        depth = extent - _dot(centre - corner, normal)
        if depth < 0.0:
            rows[row, 8] = -1.0
        elif depth < rows[row, 8]:
            rows[row, 8] = depth
            rows[row, 4:7] = normal if column == 1 else -normal
