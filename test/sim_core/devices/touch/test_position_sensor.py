"""PositionSensor: the position of joints with known motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_core.base.errors import SceneErrors


def world(fields: str = "", start: float = 0.0) -> str:
    return f"""WorldInfo {{ basicTimeStep 10 gravity 0 }}
    Robot {{ children [ HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 position {start} }}
      device [ PositionSensor {{ name "p" {fields} }} ]
      endPoint Solid {{ boundingObject Sphere {{ radius 0.1 }} angularVelocity 0 0 2
        physics Physics {{ damping Damping {{ linear 0 angular 0 }} }} }} }} ] }}"""


def test_a_turning_joint_does_not_wrap(rig) -> None:
    each = rig(world())
    each.step(400)
    assert each["p"].value == pytest.approx(8.0, rel=1e-3)


def test_the_position_of_the_file_is_where_it_starts(rig) -> None:
    each = rig(world(start=0.25))
    each.sense()
    assert each["p"].value == pytest.approx(0.25, abs=1e-9)


def test_noise_and_resolution(rig) -> None:
    each = rig(world("noise 0.1"))
    exact = rig(world())
    errors = []
    for _ in range(1000):
        each.step()
        exact.step()
        errors.append(each["p"].value - exact["p"].value)
    assert np.std(errors) == pytest.approx(0.1, rel=4 / math.sqrt(2000))
    coarse = rig(world("resolution 0.3"))
    coarse.step(50)
    assert coarse["p"].value == pytest.approx(0.9)  # 1.0 rad


def test_it_belongs_in_a_joint(rig) -> None:
    with pytest.raises(SceneErrors, match=r"w\.wbt:2:20: PositionSensor in Robot\.children, expected"):
        rig('Robot { children [ PositionSensor { name "stray" } ] }')
