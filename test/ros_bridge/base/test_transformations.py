"""Conversions of rotations: the formulas of REP-103, axioms of rotations, and the order x, y, z, w."""

import math
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from geometry_msgs.msg import Quaternion

from ros_bridge.base.transformations import (
    euler_from_quaternion,
    euler_matrix,
    of_message,
    quaternion_from_euler,
    quaternion_matrix,
)

ANGLES = [*product((-3.0, -0.4, 0.0, 2.5), (-1.5, -0.3, 0.0, 1.2), (-2.9, 0.0, 0.7, math.pi / 2))]


def about(axis: int, angle: float) -> np.ndarray:
    """The rotation about x, y or z."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.identity(3)
    matrix[i, i], matrix[i, j], matrix[j, i], matrix[j, j] = c, -s, s, c
    return matrix


@pytest.mark.parametrize(("roll", "pitch", "yaw"), ANGLES)
def test_roll_pitch_and_yaw_are_those_of_rep_103(roll: float, pitch: float, yaw: float) -> None:
    turned = about(2, yaw) @ about(1, pitch) @ about(0, roll)
    matrix = euler_matrix(roll, pitch, yaw)
    assert matrix[:3, :3] == pytest.approx(turned, abs=1e-12)
    assert matrix[3].tolist() == matrix[:, 3].tolist() == [0.0, 0.0, 0.0, 1.0]
    quaternion = quaternion_from_euler(roll, pitch, yaw)
    assert np.linalg.norm(quaternion) == pytest.approx(1.0)
    assert quaternion_matrix(quaternion)[:3, :3] == pytest.approx(turned, abs=1e-12)
    assert euler_from_quaternion(quaternion) == pytest.approx((roll, pitch, yaw), abs=1e-9)
    assert euler_from_quaternion(-np.array(quaternion)) == pytest.approx((roll, pitch, yaw), abs=1e-9)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_quaternion_is_x_y_z_w(axis: int) -> None:
    """Half the angle about an axis: its sine there, its cosine last."""
    angles = [0.0, 0.0, 0.0]
    angles[axis] = 0.8
    expected = [0.0, 0.0, 0.0, math.cos(0.4)]
    expected[axis] = math.sin(0.4)
    assert list(quaternion_from_euler(*angles)) == pytest.approx(expected)


def test_other_axes_turn_in_their_own_order() -> None:
    """Rotating axes "rzyx" are yaw, pitch, roll: the same rotation from the other end."""
    assert euler_matrix(0.3, 0.2, 0.1, "rzyx") == pytest.approx(euler_matrix(0.1, 0.2, 0.3), abs=1e-12)
    quaternion = quaternion_from_euler(0.3, 0.2, 0.1, "rzyx")
    assert euler_from_quaternion(quaternion, "rzyx") == pytest.approx((0.3, 0.2, 0.1))


def test_a_message_gives_and_takes_its_four_numbers() -> None:
    x, y, z, w = quaternion_from_euler(0.1, 0.2, 0.3)
    message = Quaternion(x=x, y=y, z=z, w=w)
    assert euler_from_quaternion(of_message(message)) == pytest.approx((0.1, 0.2, 0.3))


def test_where_ros_has_tf_transformations_its_functions_are_taken(tmp_path: Path) -> None:
    names = ("euler_from_quaternion", "euler_matrix", "quaternion_from_euler", "quaternion_matrix")
    (tmp_path / "tf_transformations.py").write_text("".join(f"def {name}(): ...\n" for name in names))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
        "import ros_bridge.base.transformations as ours, tf_transformations as theirs; "
        f"print(all(getattr(ours, name) is getattr(theirs, name) for name in {names}))"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout == "True\n"
