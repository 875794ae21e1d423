"""Gyro: angular velocity in the axes of the device."""

from __future__ import annotations

import math

import pytest

from sim_core.base.geometry import Pose, rotation_from_axis_angle


def test_angular_velocity_in_the_axes_of_the_device(rig) -> None:
    each = rig('DEF R Robot { children [ Gyro { name "g" rotation 1 0 0 1.5707963267948966 } ] }')
    pose = Pose((0.0, 0.0, 0.0), rotation_from_axis_angle((0, 0, 1, 1.0)))
    each.physics.move(each.scene.find_def("R").id, pose, (5.0, 0.0, 0.0), (0.0, 0.0, 2.5))
    each.sense()
    assert each["g"].value == pytest.approx((0.0, 2.5, 0.0), abs=1e-12)


def test_a_free_sphere_keeps_turning(rig) -> None:
    text = """WorldInfo { basicTimeStep 2 gravity 0 }
    Robot { angularVelocity 1 -2 3 boundingObject Sphere { radius 0.1 }
      physics Physics { damping Damping { linear 0 angular 0 } } children [ Gyro { name "g" } ] }"""
    each = rig(text)
    each.step(300)
    assert math.dist((0, 0, 0), each["g"].value) == pytest.approx(math.sqrt(14.0), rel=1e-6)
    # About its own axis of rotation a sphere turns the same in both frames.
    assert each["g"].value == pytest.approx((1.0, -2.0, 3.0), rel=1e-6)
