"""Damping, tested by its formula: the fraction of the speed lost per second."""

from __future__ import annotations

import pytest

BALL = """Solid {{ name "{name}" translation {x} 0 3 linearVelocity 2 0 0 angularVelocity 0 0 4
  boundingObject Sphere {{ radius 0.1 }} physics Physics {{ {damping} }} }}\n"""


def speeds(lab, scene, world, name: str) -> tuple[float, float]:
    frame = world.frame(lab.solid(scene, name).id)
    return frame.linear_velocity()[0], frame.angular_velocity()[2]


@pytest.mark.parametrize("step", [1.0, 8.0, 32.0])
def test_default_damping_applies_where_physics_has_no_damping(lab, step: float) -> None:
    own = BALL.format(name="own", x=0, damping="damping Damping { linear 0.5 angular 0.1 }")
    default = BALL.format(name="default", x=1, damping="")
    info = "gravity 0 defaultDamping Damping { linear 0.2 angular 0.3 }"
    world, scene = lab.make(own + default, step, info)
    seconds = 2.0
    lab.run(world, seconds)
    t = world.clock.time_ns / 1e9
    assert speeds(lab, scene, world, "own") == pytest.approx((2 * 0.5**t, 4 * 0.9**t), rel=1e-6)
    assert speeds(lab, scene, world, "default") == pytest.approx((2 * 0.8**t, 4 * 0.7**t), rel=1e-6)


def test_merged_solids_have_the_mean_damping_by_volume(lab) -> None:
    part = BALL.format(name="part", x=1, damping="damping Damping { linear 0.6 angular 0 }")
    part = part.replace("radius 0.1", "radius 0.2").replace("linearVelocity 2 0 0 angularVelocity 0 0 4", "")
    whole = BALL.format(name="whole", x=0, damping="damping Damping { linear 0 angular 0 }")
    whole = whole.replace("angularVelocity 0 0 4", f"children {part}")
    world, scene = lab.make(whole, 8.0, "gravity 0")
    lab.run(world, 1.0)
    mean = 0.6 * 8 / 9  # the volumes are as 8 to 1
    assert speeds(lab, scene, world, "whole")[0] == pytest.approx(2 * (1 - mean), rel=1e-6)


def test_complete_damping_stops_at_once(lab) -> None:
    ball = BALL.format(name="ball", x=0, damping="damping Damping { linear 1 angular 1 }")
    world, scene = lab.make(ball, 8.0, "gravity 0")
    world.step()
    assert speeds(lab, scene, world, "ball") == (0.0, 0.0)
