"""Compiled computation of many distance sensors' results from their rays."""

from __future__ import annotations

import math

from numba import float64, int64, types, void

from sim_core.base.compiled import compiled

NOTHING = -1
"""Index of no shape, as in `sim_core/engines/rolling.py`."""
MEAN, ECHO, INFRARED = 0, 1, 2
"""Method to compute a distance from rays: weighted mean; nearest echo; mean corrected by colour."""
ECHO_CUT = math.cos(math.pi / 8.0)

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_ints = types.Array(int64, 1, "C")
_int_table = types.Array(int64, 2, "C")


@compiled(inline=True)
def answer_one(  # type: ignore[no-untyped-def]
    row, blocks, methods, ranges, sensitivities, weights, table_rows, tables,
    turns, directions, factors, distances, normals, met, answers,
):  # fmt: skip
    """Compute the result of one distance sensor as `answer`; also compiled for graphics cards (see
    `sim_core/experiments/learning/gpu_kernels.py`)."""
    first, end = blocks[row, 1], blocks[row, 2]
    far = ranges[row]
    distance = far
    if methods[row] == ECHO:
        c, s = turns[blocks[row, 0], 0], turns[blocks[row, 0], 1]
        for ray in range(first, end):
            dx = c * directions[ray, 0] - s * directions[ray, 1]
            dy = s * directions[ray, 0] + c * directions[ray, 1]
            if distances[ray] < distance and -(normals[ray, 0] * dx + normals[ray, 1] * dy) > ECHO_CUT:
                distance = distances[ray]
    elif end - first == 1:
        distance = min(distances[first], far)
    else:
        distance = 0.0
        for ray in range(first, end):
            distance += weights[ray] * min(distances[ray], far)
    if methods[row] == INFRARED and sensitivities[row] != 0.0:
        factor = 0.0
        for ray in range(first, end):
            factor += weights[ray] * (factors[met[ray]] if met[ray] != NOTHING else 1.0)
        distance += (distance / factor - distance) * sensitivities[row]
    low, top = table_rows[row, 0], table_rows[row, 1]
    above = low
    while above < top and tables[above, 0] <= distance:
        above += 1
    answers[row, 0] = distance
    if above in (low, top):
        edge = low if above == low else top - 1
        answers[row, 1], answers[row, 2] = tables[edge, 1], tables[edge, 2]
        return
    part = (distance - tables[above - 1, 0]) / (tables[above, 0] - tables[above - 1, 0])
    for column in (1, 2):
        before = tables[above - 1, column]
        answers[row, column] = before + part * (tables[above, column] - before)


@compiled(
    void(
        _ints, _int_table, _ints, _vector, _vector, _vector, _int_table, _matrix,
        _matrix, _matrix, _vector, _vector, _matrix, _ints, _matrix,
    )
)  # fmt: skip
def answer(  # type: ignore[no-untyped-def]
    rows, blocks, methods, ranges, sensitivities, weights, table_rows, tables,
    turns, directions, factors, distances, normals, met, answers,
):  # fmt: skip
    """Compute the results of distance sensors from their rays (see
    `sim_core/devices/ranging/distance_sensor.py`).

    Args:
        rows: (b,) the sensors.
        blocks, ranges, directions: as in `Slice.cast`.
        turns: (n, 2) cosine and sine of the heading of each robot.
        methods: (s,) MEAN, ECHO or INFRARED.
        sensitivities: (s,) redColorSensitivity.
        weights: (m,) of the rays.
        table_rows, tables: (s, 2), (t, 3) first row and end of each lookup table; its rows.
        factors: (k,) infra-red reflection factor of each outline.
        distances, normals, met: see `Hits`.
        answers: (s, 3) out: distance in m, output of the table, its relative standard deviation.
    """
    for row in rows:
        answer_one(
            row, blocks, methods, ranges, sensitivities, weights, table_rows, tables,
            turns, directions, factors, distances, normals, met, answers,
        )  # fmt: skip
