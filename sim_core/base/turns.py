"""The 24 turns: rotations that only permute axes and change signs, identified by a number.

A turn is exact: it rounds nothing and makes no negative zeros. Turn 0 is the identity. A turn transforms the
coordinates of one frame to those of another with the same origin, such as x, y, z of a file with y up to
ENU.
"""

from __future__ import annotations

from itertools import permutations, product

from sim_core.base.geometry import IDENTITY, Mat3, Pose, Vec3, cross, multiply, transposed

Turn = int
"""0 to 23."""
NO_TURN: Turn = 0


def _all() -> tuple[Mat3, ...]:
    """Return the matrices, row by row; the identity is the first."""
    axes: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    found: list[Mat3] = []
    for places, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        x, y, z = (
            (s * a[0] + 0.0, s * a[1] + 0.0, s * a[2] + 0.0)
            for s, a in zip(signs, (axes[place] for place in places), strict=True)
        )
        if cross(x, y) == z:
            found.append((*x, *y, *z))
    return tuple(found)


MATRICES: tuple[Mat3, ...] = _all()
_NUMBERS = {matrix: number for number, matrix in enumerate(MATRICES)}
_AFTER = tuple(tuple(_NUMBERS[multiply(second, first)] for first in MATRICES) for second in MATRICES)
_BACK = tuple(_NUMBERS[transposed(matrix)] for matrix in MATRICES)
_PLACES = tuple(tuple(max(range(3), key=lambda i: abs(m[3 * row + i])) for row in range(3)) for m in MATRICES)
_SIGNS = tuple(
    tuple(m[3 * row + at[row]] for row in range(3)) for m, at in zip(MATRICES, _PLACES, strict=True)
)


def turn_of(matrix: Mat3) -> Turn:
    """Return the turn of a rotation matrix of 0, 1 and -1 only.

    Raises:
        ValueError: the matrix is of another kind.
    """
    number = _NUMBERS.get(matrix)
    if number is None:
        raise ValueError(f"found {matrix}, expected a rotation that swaps axes")
    return number


def composed(second: Turn, first: Turn) -> Turn:
    """Return the turn that is `first` followed by `second`."""
    return _AFTER[second][first]


def inverse(turn: Turn) -> Turn:
    """Return the inverse of a turn."""
    return _BACK[turn]


def turned(turn: Turn, vector: Vec3) -> Vec3:
    """Return a vector in the new coordinates."""
    if turn == NO_TURN:
        return vector
    (a, b, c), (i, j, k) = _SIGNS[turn], _PLACES[turn]
    return (a * vector[i] + 0.0, b * vector[j] + 0.0, c * vector[k] + 0.0)


def permuted(turn: Turn, sizes: Vec3) -> Vec3:
    """Return sizes along the axes, or other positive numbers, in the order of the new axes."""
    i, j, k = _PLACES[turn]
    return (sizes[i], sizes[j], sizes[k])


def turned_matrix(turn: Turn, matrix: Mat3) -> Mat3:
    """Return a matrix between vectors of the frame, such as an inertia, in the new coordinates: T·M·Tᵀ."""
    return (
        matrix
        if turn == NO_TURN
        else _plain(multiply(multiply(MATRICES[turn], matrix), transposed(MATRICES[turn])))
    )


def turned_rotation(outer: Turn, rotation: Mat3, inner: Turn) -> Mat3:
    """Return a rotation X_AB after changing the axes of A and B: T_A·R·T_Bᵀ."""
    if outer == NO_TURN and inner == NO_TURN:
        return rotation
    return _plain(multiply(multiply(MATRICES[outer], rotation), transposed(MATRICES[inner])))


def turned_pose(outer: Turn, pose: Pose, inner: Turn) -> Pose:
    """Return a pose X_AB after changing the axes of A and B."""
    if outer == NO_TURN and inner == NO_TURN:
        return pose
    return Pose(turned(outer, pose.position), turned_rotation(outer, pose.rotation, inner))


def _plain(matrix: Mat3) -> Mat3:
    """Return a matrix without negative zeros."""
    a, b, c, d, e, f, g, h, i = matrix
    return (a + 0.0, b + 0.0, c + 0.0, d + 0.0, e + 0.0, f + 0.0, g + 0.0, h + 0.0, i + 0.0)


assert MATRICES[NO_TURN] == IDENTITY
assert len(MATRICES) == 24
