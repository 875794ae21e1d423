"""Pen: it draws where its ray hits the ground."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import CommandError, DeviceError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

FLOOR = 'Solid { name "floor" children Shape { geometry Plane { size 4 4 } } }'


def arm(pen: str = "", around: str = FLOOR, height: float = 0.5) -> Simulation:
    """Return a pen at 0.3 m on an arm that a motor turns about z; one step is 10 ms."""
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }}
    DEF R Robot {{ name "r" translation 1 0 {height} children [ HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 }}
      device RotationalMotor {{ name "arm" maxTorque 1e9 }}
      endPoint Solid {{ name "beam" children [
        Pen {{ name "pen" translation 0.3 0 0 {pen}
          children Shape {{ geometry Cylinder {{ radius 0.01 height 0.1 }} }} }} ] }} }} ] }} {around}"""
    return Simulation(parse_scene(text, "w.wbt"))


def pen_of(sim: Simulation) -> Any:
    return sim.robot("r")["pen"]


def turn(sim: Simulation, velocity: float) -> None:
    sim.robot("r")["arm"].set_velocity(velocity)


def test_a_circle_gives_a_trace_on_the_circle() -> None:
    sim = arm()
    turn(sim, 1.0)
    sim.run(2 * math.pi)
    trace = pen_of(sim).trace
    points = trace.points
    assert points[:, 2] == pytest.approx(0.0, abs=1e-12)
    assert np.hypot(points[:, 0] - 1.0, points[:, 1]) == pytest.approx(0.3, abs=1e-9)
    angles = np.unwrap(np.arctan2(points[:, 1], points[:, 0] - 1.0))
    assert angles[-1] - angles[0] == pytest.approx(2 * math.pi, abs=0.02)
    assert angles - angles[0] == pytest.approx((trace.times - trace.times[0]) / 1e9, abs=1e-9)  # 1 rad/s
    assert set(trace.strokes.tolist()) == {0}
    with pytest.raises(ValueError, match="read-only"):
        points[0, 0] = 1.0


def test_a_driven_robot_draws_its_circle() -> None:
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }}
    DifferentialWheels {{ name "r" translation 0 0 0.1 axleLength 0.2 wheelRadius 0.05 maxSpeed 20 slipNoise 0
      maxAcceleration 1e6 children [ Pen {{ name "pen" }} ] }} {FLOOR}"""
    sim = Simulation(parse_scene(text, "w.wbt"))
    robot = sim.robot("r")
    assert robot.drive is not None
    robot.drive.set_twist(0.2, 0.5)
    sim.run(4 * math.pi)
    points = robot["pen"].trace.points
    assert np.hypot(points[:, 0], points[:, 1] - 0.4) == pytest.approx(0.4, abs=0.002)  # radius v/ω
    assert points[:, 1].max() == pytest.approx(0.8, abs=0.005)


def test_it_writes_along_its_own_minus_z() -> None:
    sim = arm("rotation 0 1 0 0.5", height=0.5)  # -z leans towards -x
    sim.step()
    ((x, y, z),) = pen_of(sim).trace.points.tolist()
    assert (x, y, z) == pytest.approx((1.3 - 0.5 * math.tan(0.5), 0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize(("distance", "writes"), [(0.0, True), (-1.0, True), (0.51, True), (0.49, False)])
def test_it_writes_no_farther_than_its_distance(distance: float, writes: bool) -> None:
    sim = arm(f"maxDistance {distance}")
    sim.step()
    assert pen_of(sim).trace.count == writes


def test_it_writes_on_the_first_shape_below_and_not_beyond_the_edge() -> None:
    table = 'Solid { name "t" translation 1 0 0.2 children Shape { geometry Box { size 1 0.2 0.1 } } }'
    sim = arm(around=table)
    turn(sim, 1.0)
    sim.run(math.pi)
    trace = pen_of(sim).trace
    assert trace.points[:, 2] == pytest.approx(0.25)
    assert np.abs(trace.points[:, 1]).max() <= 0.1
    assert set(trace.strokes.tolist()) == {
        0,
        1,
    }  # it leaves the table on one side and comes back on the other


def test_a_pen_that_stands_still_leaves_a_spot_whose_densities_add_up() -> None:
    """The light that passes several layers is the product of the fractions that pass each."""
    sim = arm("leadSize 0.01 inkDensity 0.1")
    trace = pen_of(sim).trace
    for steps in (1, 2, 4, 8, 16):
        sim.step(steps - sim.time_ns // sim.step_ns)
        seen = math.prod(1.0 - ink.density for _, ink in trace.pieces())
        assert seen == pytest.approx(1.0 - min(1.0, 0.1 * steps), abs=1e-9)
    sim.step(500)
    rested = trace.count
    assert rested == 1 + 2 * 9  # a layer for each step until it is opaque, of two points
    turn(sim, 1.0)
    sim.run(1.0)
    steps = np.linalg.norm(np.diff(trace.points[rested:], axis=0), axis=1)
    assert steps.min() >= 0.005  # half the lead
    assert trace.count <= rested + 1 + 0.3 / 0.005
    assert trace.densities[-1] == 0.1


def test_inks_mix_by_their_densities_where_a_pen_stands_still() -> None:
    """In Webots, with density p of colour c on the ground, density d of colour C makes min(1, p + d) of
    (p·c + d·C)/(p + d); the ground is visible through the missing fraction.
    """
    sim = arm("leadSize 0.01")
    pen = pen_of(sim)
    density, colour = 0.0, np.zeros(3)
    for red, green, blue, more in ((0.0, 1.0, 0.0, 0.3), (0.8, 0.2, 1.0, 0.3), (1.0, 0.0, 0.0, 0.7)):
        pen.set_ink((red, green, blue), more)
        sim.step()
        colour = (density * colour + more * np.array([red, green, blue])) / (density + more)
        density = min(1.0, density + more)
        seen = white = np.ones(3)
        for _, ink in pen.trace.pieces():
            seen = (1.0 - ink.density) * seen + ink.density * np.array(ink.colour)
        assert seen == pytest.approx((1.0 - density) * white + density * colour)


def test_a_pen_set_down_where_it_was_lifted_goes_on_with_the_spot() -> None:
    sim = arm("leadSize 0.01 inkColor 0 1 0 inkDensity 1")
    pen = pen_of(sim)
    sim.step()
    pen.set_ink((0.8, 0.2, 1.0), 1.0)
    pen.write(False)
    sim.step(2)
    assert pen.trace.count == 1
    pen.write(True)
    sim.step()
    assert pen.trace.colours[-1] == pytest.approx((0.4, 0.6, 0.5)) and pen.trace.densities[-1] == 1.0


def test_up_down_and_a_new_ink_begin_new_strokes() -> None:
    sim = arm("inkColor 1 0 0 inkDensity 0.25")
    pen = pen_of(sim)
    turn(sim, 1.0)
    sim.run(0.5)
    pen.set_ink((0.0, 0.5, 1.0), 0.75)
    sim.run(0.5)
    pen.write(False)
    sim.run(0.5)
    pen.write(True)
    sim.run(0.5)
    pieces = list(pen.trace.pieces())
    assert [ink for _, ink in pieces] == [((1, 0, 0), 0.25)] + [((0, 0.5, 1), 0.75)] * 2
    spans = [np.arctan2(points[:, 1], points[:, 0] - 1.0)[[0, -1]] for points, _ in pieces]
    expected = [(0.0, 0.5), (0.5, 1.0), (1.5, 2.0)]
    for span, ends in zip(spans, expected, strict=True):
        assert span == pytest.approx(ends, abs=0.021)  # a step of the motor and one of the pen
    assert pieces[0][0][-1] == pytest.approx(pieces[1][0][0])  # no gap where the colour changes
    assert pen.trace.colours[-1] == pytest.approx((0, 0.5, 1)) and pen.trace.densities[0] == 0.25


def test_a_reset_wipes_it_off_and_a_run_after_it_is_the_same() -> None:
    sim = arm("inkColor 1 0 0 write FALSE")
    pen = pen_of(sim)

    def run() -> Any:
        pen.write(True)
        turn(sim, 2.0)
        sim.run(1.0)
        pen.set_ink((0, 1, 0), 1.0)
        sim.run(1.0)
        return [each.copy() for each in (pen.trace.points, pen.trace.times, pen.trace.colours)]

    first = run()
    sim.reset()
    assert (pen.trace.count, pen.writes, pen.ink) == (0, False, ((1, 0, 0), 0.5))
    sim.run(1.0)
    assert pen.trace.count == 0
    sim.reset()
    for before, after in zip(first, run(), strict=True):
        assert np.array_equal(before, after)


@pytest.mark.parametrize(
    ("colour", "density"),
    [((2, 0, 0), 1), ((0, 0, 0), -0.1), ((math.nan, 0, 0), 1), ((0, 0), 1), ((0, "x", 0), 1)],
)
def test_a_bad_ink_is_refused_and_changes_nothing(colour: Any, density: float) -> None:
    pen = pen_of(arm())
    with pytest.raises(CommandError, match="r/pen: ink: found"):
        pen.set_ink(colour, density)
    assert pen.ink == ((0, 0, 0), 0.5)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        (
            "inkColor 2 0 0",
            r"Pen.inkColor: found \(2.0, 0.0, 0.0\), expected red, green and blue from 0 to 1",
        ),
        ("inkDensity 1.5", "Pen.inkDensity: found 1.5, expected a number from 0 to 1"),
        ("leadSize -1", "Pen.leadSize: found -1.0, expected a number of at least 0"),
    ],
)
def test_bad_fields_are_refused_by_name(fields: str, complaint: str) -> None:
    with pytest.raises(DeviceError, match=rf"w\.wbt:.*{complaint}"):
        arm(fields)
