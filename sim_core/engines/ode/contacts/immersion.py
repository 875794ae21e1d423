"""Part of a shape below a plane: volume, centre, wet surface.

Everything is in the frame of the shape, centred as its geometry node. A point p is below the plane if n·p ≤
d, with the unit normal n. Boxes, spheres and cylinders are exact, by closed formulas; the two hemispheres of
a capsule are integrated in slices (Gauss-Legendre, to about 1e-5 of their volume).

A cylinder is a stack of discs of radius r, each below the plane where x ≤ s, along the direction of n across
the axis. Below s are the area A(s), the moment M(s) = ∫x dA and the arc of length 2r·(π/2 + asin(s/r)); s is
linear along the axis, so that all integrals over the height are differences of antiderivatives in s.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import asin, hypot, pi, sqrt
from typing import NamedTuple

import numpy as np

from sim_core.base.geometry import Vec3, add, cross, dot, norm, scale, subtract

LEVEL = 1e-3
"""Slope of a plane to a cylinder's axis below which the discs are regarded as cut at a mean depth."""
UPRIGHT = 1e-9


class Immersed(NamedTuple):
    """Part of a shape below a plane.

    `centre` is that of the volume; `area` is the wet surface without the cut.
    """

    volume: float
    centre: Vec3
    area: float
    faces: tuple[tuple[Vec3, float], ...] = ()
    """For a box: outward normal and wet area of each face."""


DRY = Immersed(0.0, (0.0, 0.0, 0.0), 0.0)


def of_sphere(radius: float, normal: Vec3, depth: float) -> Immersed:
    """Return the part of a sphere: a spherical cap of height h has the volume π·h²·(3r - h)/3 and the surface
    2π·r·h."""
    h = min(2.0 * radius, max(0.0, radius + depth))
    if h == 0.0:
        return DRY
    below = 0.75 * (2.0 * radius - h) ** 2 / (3.0 * radius - h)
    return Immersed(pi * h * h * (3.0 * radius - h) / 3.0, scale(normal, -below), 2.0 * pi * radius * h)


def of_box(size: Vec3, normal: Vec3, depth: float) -> Immersed:
    """Return the part of a box: its cut faces are the bases of pyramids whose tip is a point of the plane."""
    half = (size[0] / 2.0, size[1] / 2.0, size[2] / 2.0)
    tip = scale(normal, depth)
    volume, area = 0.0, 0.0
    moment: Vec3 = (0.0, 0.0, 0.0)
    faces = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            outward, corners = _face(half, axis, sign)
            wet, middle = _polygon(_cut(corners, normal, depth))
            if wet == 0.0:
                continue
            faces.append((outward, wet))
            area += wet
            part = wet * (half[axis] - dot(outward, tip)) / 3.0
            volume += part
            moment = add(moment, scale(add(scale(middle, 0.75), scale(tip, 0.25)), part))
    if volume <= 0.0:
        return DRY
    return Immersed(volume, scale(moment, 1.0 / volume), area, tuple(faces))


def of_cylinder(radius: float, height: float, normal: Vec3, depth: float) -> Immersed:
    """Return the part of a cylinder along z."""
    r, tilt = radius, normal[2]
    across = hypot(normal[0], normal[1])
    half = height / 2.0
    if abs(tilt) < LEVEL:
        s = _clamp(depth / across, r)
        a, m = _area(r, s), _moment(r, s)
        volume = a * height
        upward = -tilt / across * 2.0 * sqrt(r * r - s * s) * height**3 / 12.0
        lateral = (pi + 2.0 * asin(s / r)) * r * height
        ends = 2.0 * a
        moment = m * height
    else:
        wide = max(across, UPRIGHT)
        low, high = (depth + tilt * half) / wide, (depth - tilt * half) / wide  # s at the bottom, at the top
        factor = wide / tilt

        def between(antiderivative: Callable[[float, float], float]) -> float:
            return factor * (antiderivative(r, low) - antiderivative(r, high))

        volume = between(_area_integral)
        moment = between(_moment_integral)
        lateral = between(_arc_integral)
        upward = (depth * volume - wide * between(_area_moment_integral)) / tilt
        ends = _area(r, low) + _area(r, high)
    if volume <= 0.0:
        return DRY
    sideways = moment / volume
    ux, uy = (normal[0] / across, normal[1] / across) if across > UPRIGHT else (0.0, 0.0)
    return Immersed(volume, (sideways * ux, sideways * uy, upward / volume), lateral + ends)


def of_capsule(radius: float, height: float, normal: Vec3, depth: float) -> Immersed:
    """Return the part of a capsule along z: a cylinder of this height with a hemisphere on each end."""
    parts = []
    if height > 0.0:
        middle = of_cylinder(radius, height, normal, depth)
        across = _ends_of_cylinder(radius, height, normal, depth)
        parts.append(Immersed(middle.volume, middle.centre, middle.area - across))
    parts += [_half_ball(radius, sign * height / 2.0, sign, normal, depth) for sign in (1.0, -1.0)]
    volume = sum(part.volume for part in parts)
    if volume <= 0.0:
        return DRY
    centre: Vec3 = (0.0, 0.0, 0.0)
    for part in parts:
        centre = add(centre, scale(part.centre, part.volume / volume))
    return Immersed(volume, centre, sum(part.area for part in parts))


def _half_ball(radius: float, at: float, sign: float, normal: Vec3, depth: float) -> Immersed:
    """Return the part of a hemisphere at the end of a capsule, in slices across its axis."""
    r = radius
    own = depth - normal[2] * at  # depth of the plane relative to the sphere's centre
    if own <= -r:
        return DRY
    if own >= r:
        return Immersed(2.0 / 3.0 * pi * r**3, (0.0, 0.0, at + sign * 0.375 * r), 2.0 * pi * r * r)
    across = max(hypot(normal[0], normal[1]), UPRIGHT)
    volume = area = sideways = upward = 0.0
    for sine, weight in _SLICES:
        z, cosine = sign * r * sine, sqrt(1.0 - sine * sine)
        disc = r * cosine
        s = (own - normal[2] * z) / across
        part = weight * r * _area(disc, s)
        volume += part
        upward += part * z
        sideways += weight * r * _moment(disc, s)
        area += weight * r * r * (pi + 2.0 * asin(_clamp(s, disc) / disc))
    if volume <= 0.0:
        return DRY
    ux, uy = normal[0] / across, normal[1] / across
    return Immersed(volume, (sideways * ux / volume, sideways * uy / volume, at + upward / volume), area)


def _slices(count: int) -> list[tuple[float, float]]:
    """Return points in (0, 1) and weights of Gauss-Legendre integration."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return [
        (0.5 + 0.5 * place, 0.5 * weight)
        for place, weight in zip(places.tolist(), weights.tolist(), strict=True)
    ]


_SLICES = _slices(24)


def _ends_of_cylinder(radius: float, height: float, normal: Vec3, depth: float) -> float:
    """Return the wet area of the two end discs."""
    across = max(hypot(normal[0], normal[1]), UPRIGHT)
    return sum(_area(radius, (depth - normal[2] * z) / across) for z in (height / 2.0, -height / 2.0))


def _clamp(s: float, r: float) -> float:
    return max(-r, min(r, s))


def _area(r: float, s: float) -> float:
    """Return A(s): area of the part x ≤ s of a disc."""
    if s >= r:
        return pi * r * r
    if s <= -r:
        return 0.0
    return r * r * (pi / 2.0 + asin(s / r)) + s * sqrt(r * r - s * s)


def _moment(r: float, s: float) -> float:
    """Return M(s) = ∫x dA over the part x ≤ s."""
    return -2.0 / 3.0 * (r * r - s * s) ** 1.5 if abs(s) < r else 0.0


def _area_integral(r: float, s: float) -> float:
    """Return ∫A ds = s·A + 2/3·(r² - s²)^(3/2), 0 for s ≤ -r."""
    if s >= r:
        return pi * r * r * s
    return s * _area(r, s) + 2.0 / 3.0 * (r * r - s * s) ** 1.5 if s > -r else 0.0


def _area_moment_integral(r: float, s: float) -> float:
    """Return ∫s·A ds, 0 for s ≤ -r."""
    if s >= r:
        return pi * r * r * (s * s / 2.0 - r * r / 8.0)
    if s <= -r:
        return 0.0
    chord = s * (2.0 * s * s - r * r) * sqrt(r * r - s * s) / 8.0 + r**4 * (asin(s / r) + pi / 2.0) / 8.0
    return s * s * _area(r, s) / 2.0 - chord


def _moment_integral(r: float, s: float) -> float:
    """Return ∫M ds, 0 for s ≤ -r."""
    s = _clamp(s, r)
    root = sqrt(r * r - s * s)
    return -2.0 / 3.0 * (s * root**3 / 4.0 + 0.375 * r * r * (s * root + r * r * (asin(s / r) + pi / 2.0)))


def _arc_integral(r: float, s: float) -> float:
    """Return ∫2r·(π/2 + asin(s/r)) ds, 0 for s ≤ -r."""
    if s >= r:
        return 2.0 * pi * r * s
    return r * (pi * s + 2.0 * (s * asin(s / r) + sqrt(r * r - s * s))) if s > -r else 0.0


def _face(half: Vec3, axis: int, sign: float) -> tuple[Vec3, list[Vec3]]:
    """Return the outward normal and the corners of a face of a box, in order."""
    b, c = (axis + 1) % 3, (axis + 2) % 3
    normal, corners = [0.0, 0.0, 0.0], []
    normal[axis] = sign
    for u, v in ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)):
        corner = [0.0, 0.0, 0.0]
        corner[axis], corner[b], corner[c] = sign * half[axis], u * half[b], v * half[c]
        corners.append((corner[0], corner[1], corner[2]))
    return (normal[0], normal[1], normal[2]), corners


def _cut(corners: list[Vec3], normal: Vec3, depth: float) -> list[Vec3]:
    """Return the part of a polygon below the plane."""
    kept: list[Vec3] = []
    heights = [dot(normal, corner) - depth for corner in corners]
    for index, corner in enumerate(corners):
        height, before, previous = heights[index], heights[index - 1], corners[index - 1]
        if (height <= 0.0) != (before <= 0.0):
            share = before / (before - height)
            kept.append(add(previous, scale(subtract(corner, previous), share)))
        if height <= 0.0:
            kept.append(corner)
    return kept


def _polygon(corners: list[Vec3]) -> tuple[float, Vec3]:
    """Return area and centre of a flat convex polygon."""
    total, moment = 0.0, (0.0, 0.0, 0.0)
    for second, third in pairwise(corners[1:]):
        first = corners[0]
        area = 0.5 * norm(cross(subtract(second, first), subtract(third, first)))
        total += area
        moment = add(moment, scale(add(add(first, second), third), area / 3.0))
    return (total, scale(moment, 1.0 / total)) if total > 0.0 else (0.0, (0.0, 0.0, 0.0))
