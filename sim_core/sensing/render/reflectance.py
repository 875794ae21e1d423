"""Table of the reflection of uniform ambient light by rough surfaces. No GL."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import Float32Array

SIZE = 32
"""Size of a side of the table."""
DIRECTIONS = 16
"""Number of azimuths, and of slopes, of the microfacets that are summed for each number."""


def reflectance_table() -> Float32Array:
    """Return the table, (SIZE, SIZE, 2), by roughness and by the cosine to the normal, at the middles of
    steps from 0 to 1.

    A surface that reflects f0 at normal incidence, and all light at grazing angles, reflects f0·a + b (the
    split sum of Karis, 2013): with V = L of the microfacet model of Cook and Torrance, D of Trowbridge and
    Reitz (α = roughness²), F of Schlick and G of Smith and Schlick with k = roughness²/2, a is the mean of (1
    - F)·w and b that of F·w, F = (1 - V·H)⁵, w = G·(V·H)/((N·H)·(N·V)), over microfacets distributed as D.
    """
    steps = (np.arange(SIZE) + 0.5) / SIZE
    rough, nv = steps[:, None, None, None], steps[None, :, None, None]
    parts = (np.arange(DIRECTIONS) + 0.5) / DIRECTIONS
    azimuth, part = 2.0 * math.pi * parts[:, None], parts[None, :]
    nh = np.sqrt((1.0 - part) / (1.0 + (rough**4 - 1.0) * part))
    vh = np.sqrt(1.0 - nv**2) * np.sqrt(1.0 - nh**2) * np.cos(azimuth) + nv * nh
    nl = 2.0 * vh * nh - nv
    k = rough**2 / 2.0
    seen = nl / (nl * (1.0 - k) + k) / (nv * (1.0 - k) + k)
    weight = np.where((nl > 0.0) & (vh > 0.0), seen * vh / nh, 0.0)
    grazing = (1.0 - np.clip(vh, 0.0, 1.0)) ** 5
    table = [((1.0 - grazing) * weight).mean(axis=(2, 3)), (grazing * weight).mean(axis=(2, 3))]
    return np.stack(table, axis=-1).astype(np.float32)
