"""Rotations and poses, tested by group axioms, round trips and closed formulas."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim_core.base import geometry as g
from sim_core.base.geometry import convex_hull

ANGLES = st.floats(-math.pi, math.pi)
LENGTHS = st.floats(-1e3, 1e3)
VECTORS = st.tuples(LENGTHS, LENGTHS, LENGTHS)
HALF_TURNS = [
    (1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (0.0, 0.0, 1.0),
    (1.0, 1.0, 0.0),
    (0.0, -1.0, 1.0),
    (1.0, 1.0, 1.0),
    (-0.3, 0.2, 0.9),
    (1e-6, 1.0, -1e-6),
]


@st.composite
def rotations(draw: st.DrawFn) -> g.Mat3:
    axis = draw(st.tuples(*[st.floats(-1, 1)] * 3))
    assume(g.norm(axis) > 1e-3)
    return g.rotation_from_axis_angle((*axis, draw(ANGLES)))


@st.composite
def poses(draw: st.DrawFn) -> g.Pose:
    return g.Pose(draw(VECTORS), draw(rotations()))


def array(r: g.Mat3) -> np.ndarray:
    return np.array(r).reshape(3, 3)


def close(a: object, b: object, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(np.array(a), np.array(b), rtol=0, atol=tolerance)


def close_poses(a: g.Pose, b: g.Pose) -> None:
    close(a.position, b.position, 1e-8)
    close(a.rotation, b.rotation)


@given(VECTORS, VECTORS)
def test_vectors_follow_the_identities_of_the_products(a: g.Vec3, b: g.Vec3) -> None:
    product = g.cross(a, b)
    size = 1.0 + g.norm(a) * g.norm(b)
    assert abs(g.dot(product, a)) <= 1e-9 * size * (1 + g.norm(a))
    assert g.dot(product, product) + g.dot(a, b) ** 2 == pytest.approx(
        g.dot(a, a) * g.dot(b, b), abs=1e-6 * size
    )
    close(product, g.scale(g.cross(b, a), -1))
    close(g.subtract(g.add(a, b), b), a)


def test_unit_vectors_are_right_handed() -> None:
    assert g.cross((1, 0, 0), (0, 1, 0)) == (0, 0, 1)
    assert g.norm(g.normalized((3.0, 4.0, 12.0))) == pytest.approx(1.0)
    assert g.normalized(g.ZERO) == g.ZERO


@given(rotations())
def test_rotations_are_orthogonal_with_determinant_one(r: g.Mat3) -> None:
    close(array(r) @ array(r).T, np.eye(3))
    assert np.linalg.det(array(r)) == pytest.approx(1.0)


@given(rotations(), rotations(), VECTORS)
def test_rotation_algebra_is_that_of_matrices(a: g.Mat3, b: g.Mat3, v: g.Vec3) -> None:
    close(array(g.multiply(a, b)), array(a) @ array(b))
    close(g.rotate(a, v), array(a) @ np.array(v), 1e-8)
    close(g.rotate_back(a, g.rotate(a, v)), v, 1e-8)
    close(array(g.transposed(a)), array(a).T)
    assert g.norm(g.rotate(a, v)) == pytest.approx(g.norm(v), abs=1e-8)


@given(rotations())
def test_axis_angle_round_trip(r: g.Mat3) -> None:
    x, y, z, angle = g.axis_angle_from_rotation(r)
    assert g.norm((x, y, z)) == pytest.approx(1.0)
    assert 0.0 <= angle <= math.pi + 1e-12
    close(g.rotation_from_axis_angle((x, y, z, angle)), r)


@pytest.mark.parametrize("size", [1e-300, 5e-324, 1e-150, 1e150, 1e308])
def test_the_length_of_an_axis_has_no_effect(size: float) -> None:
    close(g.rotation_from_axis_angle((0.0, 0.0, size, 1.0)), g.rotation_from_axis_angle((0.0, 0.0, 1.0, 1.0)))
    turned = g.rotation_from_axis_angle((size, -size, size, 2.0))
    close(turned, g.rotation_from_axis_angle((1.0, -1.0, 1.0, 2.0)))


@given(rotations())
def test_quaternion_round_trip(r: g.Mat3) -> None:
    q = g.quaternion_from_rotation(r)
    assert math.fsum(part * part for part in q) == pytest.approx(1.0) and q[3] >= 0.0
    close(g.rotation_from_quaternion(q), r)


@pytest.mark.parametrize("axis", HALF_TURNS)
@pytest.mark.parametrize("away", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_half_turns_and_their_neighbours(axis: g.Vec3, away: float) -> None:
    unit = g.normalized(axis)
    for angle in (math.pi - away, -math.pi + away, math.pi + away):
        r = g.rotation_from_axis_angle((*axis, angle))
        found = g.axis_angle_from_rotation(r)
        close(g.rotation_from_axis_angle(found), r, 1e-12)
        assert abs(g.dot(found[:3], unit)) == pytest.approx(1.0, abs=1e-12)
        close(g.rotation_from_quaternion(g.quaternion_from_rotation(r)), r, 1e-12)


@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1e-6, 1e-3])
def test_small_angles_keep_axis_and_angle(angle: float) -> None:
    found = g.axis_angle_from_rotation(g.rotation_from_axis_angle((0.6, 0.0, 0.8, angle)))
    close(found[:3], (0.6, 0.0, 0.8), 1e-6)
    assert found[3] == pytest.approx(angle, rel=1e-6)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), ANGLES)
def test_rodrigues_formula(x: float, y: float, z: float, angle: float) -> None:
    assume(g.norm((x, y, z)) > 1e-3)
    k = np.array(g.normalized((x, y, z)))
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    expected = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    close(array(g.rotation_from_axis_angle((x, y, z, angle))), expected)


def test_no_rotation() -> None:
    assert g.rotation_from_axis_angle((0.0, 0.0, 0.0, 1.0)) == g.IDENTITY
    assert g.rotation_from_axis_angle((0.0, 1.0, 0.0, 0.0)) == g.IDENTITY
    assert g.axis_angle_from_rotation(g.IDENTITY) == (0.0, 0.0, 1.0, 0.0)
    assert g.quaternion_from_rotation(g.IDENTITY) == (0.0, 0.0, 0.0, 1.0)


def test_quaternion_order_is_x_y_z_w() -> None:
    quarter = g.rotation_from_axis_angle((0.0, 0.0, 1.0, math.pi / 2))
    close(g.quaternion_from_rotation(quarter), (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))
    close(g.rotate(quarter, (1.0, 0.0, 0.0)), (0.0, 1.0, 0.0))


@given(st.floats(-3, 3), st.floats(-1.5, 1.5), st.floats(-3, 3))
def test_roll_pitch_yaw_is_z_y_x(roll: float, pitch: float, yaw: float) -> None:
    r = g.rotation_from_roll_pitch_yaw(roll, pitch, yaw)
    about_x = g.rotation_from_axis_angle((1.0, 0.0, 0.0, roll))
    about_y = g.rotation_from_axis_angle((0.0, 1.0, 0.0, pitch))
    about_z = g.rotation_from_axis_angle((0.0, 0.0, 1.0, yaw))
    close(r, g.multiply(about_z, g.multiply(about_y, about_x)))
    close(g.roll_pitch_yaw(r), (roll, pitch, yaw), 1e-6)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
@given(roll=ANGLES, yaw=ANGLES)
def test_straight_up_and_down_roll_and_yaw_are_one_angle(pitch: float, roll: float, yaw: float) -> None:
    r = g.rotation_from_roll_pitch_yaw(roll, pitch, yaw)
    found = g.roll_pitch_yaw(r)
    assert found[1] == pytest.approx(pitch, abs=1e-6)
    close(g.rotation_from_roll_pitch_yaw(*found), r, 1e-6)


@given(ANGLES)
def test_yaw_of_a_turn_about_z(yaw: float) -> None:
    found = g.yaw_of(g.rotation_from_axis_angle((0.0, 0.0, 1.0, yaw)))
    assert math.remainder(found - yaw, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)


@given(poses(), poses(), poses(), VECTORS)
def test_poses_are_a_group_that_acts_on_points(a: g.Pose, b: g.Pose, c: g.Pose, point: g.Vec3) -> None:
    close_poses(a * g.Pose(), a)
    close_poses(g.Pose() * a, a)
    close_poses(a * a.inverse(), g.Pose())
    close_poses(a.inverse() * a, g.Pose())
    close_poses((a * b) * c, a * (b * c))
    close_poses((a * b).inverse(), b.inverse() * a.inverse())
    close((a * b).apply(point), a.apply(b.apply(point)), 1e-7)
    close(a.inverse().apply(a.apply(point)), point, 1e-8)


def test_pose_of_scene_fields() -> None:
    pose = g.Pose.from_axis_angle((1.0, 2.0, 3.0), (0.0, 0.0, 2.0, math.pi / 2))
    close(pose.apply((1.0, 0.0, 0.0)), (1.0, 3.0, 3.0))
    close(pose.quaternion, (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))


def test_a_convex_hull_leaves_inner_points_out() -> None:
    points = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (1.0, 1.0), (1.0, 0.0)]
    assert convex_hull(points) == [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
