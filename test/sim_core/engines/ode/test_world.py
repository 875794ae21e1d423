"""The physics, tested by closed formulas and conservation laws."""

from __future__ import annotations

import math

import pytest

G = 9.81
STEPS = (1.0, 5.0, 16.0, 32.0)
BALL = """Solid {{ name "ball" translation 0 0 {z} {more}
  boundingObject Sphere {{ radius 0.1 }} physics Physics {{ {physics} }} }}"""


def box(name: str, place: str, size: str, more: str = "") -> str:
    shape = f"boundingObject Box {{ size {size} }} physics Physics {{ }}"
    return f'Solid {{ name "{name}" translation {place} {more} {shape} }}\n'


def ball(z: float, more: str = "", physics: str = "") -> str:
    return BALL.format(z=z, more=more, physics=physics)


@pytest.mark.parametrize("step", STEPS)
def test_free_fall(lab, step: float) -> None:
    world, scene = lab.make(ball(100.0), step)
    frame = world.frame(lab.solid(scene, "ball").id)
    n = round(1000 / step)
    lab.run(world, n * step / 1000)
    h = step / 1000
    # semi-implicit Euler: z falls by g·h²·n·(n + 1)/2, which goes to g·t²/2
    assert frame.pose().position[2] == pytest.approx(100.0 - G * h * h * n * (n + 1) / 2, rel=1e-9)
    assert frame.linear_velocity()[2] == pytest.approx(-G * h * n, rel=1e-9)
    assert world.clock.time_ns == round(n * step * 1e6)


@pytest.mark.parametrize("restitution", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("floor", ["floor", "box_floor"])
def test_a_ball_bounces_to_e_squared_of_its_height(lab, restitution: float, floor: str) -> None:
    info = f"contactProperties ContactProperties {{ bounce {restitution} }}"
    world, scene = lab.make(getattr(lab, floor) + ball(1.1), 0.2, info)
    frame = world.frame(lab.solid(scene, "ball").id)
    lab.run(world, math.sqrt(2 / G) + 0.01)
    highest = 0.0
    for _ in range(round(restitution * math.sqrt(2 / G) * 5000 * 1.9)):
        world.step()
        highest = max(highest, frame.pose().position[2] - 0.1)
    # the bounce starts where the step that met the floor ended, up to v·h below it
    assert highest == pytest.approx(restitution**2, abs=0.01 * restitution**2 + math.sqrt(2 * G) * 0.0002)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("mu", [0.2, 0.6])
@pytest.mark.parametrize("angle", [0.0, 0.785])
def test_a_sliding_box_stops_after_v_squared_by_two_mu_g(lab, step: float, mu: float, angle: float) -> None:
    v = 2.0
    start = f"linearVelocity {v * math.cos(angle)} {v * math.sin(angle)} 0"
    info = f"contactProperties ContactProperties {{ coulombFriction {mu} bounce 0 }}"
    world, scene = lab.make(lab.floor + box("box", "0 0 0.0496", "0.4 0.4 0.1", start), step, info)
    frame = world.frame(lab.solid(scene, "box").id)
    lab.run(world, v / (mu * G) + 0.5)
    x, y, _ = frame.pose().position
    expected = v * v / (2 * mu * G)
    # a step's worth of motion may be missing: the speed falls in whole steps
    assert math.hypot(x, y) == pytest.approx(expected, abs=0.02 * expected + v * step / 1000)
    assert math.atan2(y, x) == pytest.approx(angle, abs=0.01)


def test_friction_on_an_incline_holds_below_and_slips_above(lab) -> None:
    mu = 0.5
    for slope, slips in ((math.atan(mu) - 0.03, False), (math.atan(mu) + 0.03, True)):
        text = f"""Solid {{ rotation 0 1 0 {slope} boundingObject Box {{ size 20 20 0.2 }} }}
          Solid {{ name "box" translation {0.1495 * math.sin(slope)} 0 {0.1495 * math.cos(slope)}
            rotation 0 1 0 {slope}
            boundingObject Box {{ size 0.4 0.4 0.1 }} physics Physics {{ }} }}"""
        world, scene = lab.make(
            text, 5.0, f"contactProperties ContactProperties {{ coulombFriction {mu} bounce 0 }}"
        )
        frame = world.frame(lab.solid(scene, "box").id)
        start = frame.pose().position
        lab.run(world, 2.0)
        moved = math.dist(start, frame.pose().position)
        if slips:
            a = G * (math.sin(slope) - mu * math.cos(slope))
            assert moved == pytest.approx(a * 2.0**2 / 2, rel=0.05)
        else:
            assert moved < 0.002


def elliptic(k: float) -> float:
    """Return the complete elliptic integral of the first kind, by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1.0 - k * k)
    while abs(a - b) > 1e-14:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


@pytest.mark.parametrize("amplitude", [0.2, 1.5, 2.5])
def test_pendulum_period(lab, amplitude: float) -> None:
    length, radius = 1.0, 0.1
    x, z = length * math.sin(amplitude), -length * math.cos(amplitude)
    text = f"""Solid {{ children HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 -1 0
        position {amplitude} }}
      endPoint Solid {{ name "bob" translation {x} 0 {z} boundingObject Sphere {{ radius {radius} }}
        physics Physics {{ }} }} }} }}"""
    world, scene = lab.make(text, 1.0)
    axis = world.axis(lab.joint(scene).id)
    assert axis.position == pytest.approx(amplitude)
    crossings, before = [], axis.position
    for step in range(12_000):
        world.step()
        now = axis.position
        if before > 0.0 >= now:
            crossings.append((step + before / (before - now)) * 1e-3)
        before = now
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    inertia_factor = 1 + 0.4 * radius**2 / length**2
    expected = 4 * math.sqrt(length / G * inertia_factor) * elliptic(math.sin(amplitude / 2))
    assert period == pytest.approx(expected, rel=0.003)


@pytest.mark.parametrize("step", [1.0, 5.0, 32.0])
def test_robots_stay_at_rest(lab, step: float) -> None:
    boxes = "".join(box(f"box{i}", f"{i} 2 0.1", "0.2 0.2 0.2") for i in range(3))
    world, scene = lab.make(lab.floor + lab.robot() + boxes, step, lab.smooth)
    frames = [world.frame(lab.solid(scene, name).id) for name in ("robot", "box0", "box1", "box2")]
    lab.run(world, 1.0)
    before = [frame.pose().position for frame in frames]
    lab.run(world, 10.0)
    for frame, start in zip(frames, before, strict=True):
        assert math.dist(start, frame.pose().position) < 0.001


@pytest.mark.parametrize("step", [1.0, 8.0, 32.0])
def test_a_body_that_starts_inside_the_floor_rises_slowly(lab, step: float) -> None:
    """At 1 m/s or slower: it leaves the floor and rises no higher than v²/2g."""
    world, scene = lab.make(lab.floor + box("b", "0 0 0", "0.3 0.3 0.2"), step)
    frame = world.frame(lab.solid(scene, "b").id)
    highest = 0.0
    for _ in range(round(3.0 / (step * 1e-3))):
        world.step()
        highest = max(highest, frame.pose().position[2])
    assert highest < 0.1 + 1.0 / (2 * G) + 0.002
    depth = 0.001 * (18.0 * G / 4) * step * 1e-3 / 0.2  # CFM·F·h/ERP
    assert frame.pose().position[2] == pytest.approx(0.1 - depth, abs=1e-4)


def test_a_stack_of_boxes_stands(lab) -> None:
    stack = "".join(box(f"b{i}", f"0 0 {0.1 + 0.2 * i}", "0.2 0.2 0.2") for i in range(5))
    world, scene = lab.make(lab.floor + stack, 16.0, "contactProperties ContactProperties { bounce 0 }")
    frames = [world.frame(lab.solid(scene, f"b{i}").id) for i in range(5)]
    lab.run(world, 3.0)
    settled = [frame.pose().position for frame in frames]
    sunk = 0.0
    for i, (x, y, z) in enumerate(settled):
        sunk += 0.001 * ((5 - i) * 8.0 * G / 4) * 0.016 / 0.2  # CFM·F·h/ERP
        assert (x, y) == pytest.approx((0, 0), abs=0.02)  # while the contacts take up the weight
        assert z == pytest.approx(0.1 + 0.2 * i - sunk, abs=1e-3)
    lab.run(world, 5.0)
    for frame, place in zip(frames, settled, strict=True):
        assert math.dist(frame.pose().position, place) < 1e-4


def test_each_pair_of_a_crowd_touches(lab) -> None:
    """More pairs than the arrays have room for at first."""
    crowd = "".join(
        f'Solid {{ name "b{i}" translation {0.001 * i} 0 9 boundingObject Sphere {{ radius 0.1 }} }}\n'
        for i in range(1, 30)
    )
    world, scene = lab.make(crowd + ball(9.0))
    for i in range(1, 30):
        one = lab.solid(scene, f"b{i}")
        world.move(one.id, world.frame(one.id).pose())
    world.record_contacts = True
    assert len(world.contacts) == 29  # static ones make no contacts with each other
    world.step()
    assert len(world.contacts) == 29


def test_a_collision_conserves_momentum_and_does_not_add_energy(lab) -> None:
    contact = "contactProperties ContactProperties { coulombFriction 0.5 bounce 0.7 }"
    info = f"gravity 0 physicsDisableTime 0 {contact}"
    text = """Solid { name "a" translation -1 0.05 0 linearVelocity 1.5 0 0 boundingObject Sphere {
        radius 0.1 } physics Physics { density -1 mass 1 } }
      Solid { name "b" boundingObject Sphere { radius 0.1 } angularVelocity 0 0 3 physics Physics {
        density -1 mass 3 } }"""
    world, scene = lab.make(text, 1.0, info)
    nodes = [lab.solid(scene, name) for name in "ab"]
    frames = [world.frame(node.id) for node in nodes]
    masses = (1.0, 3.0)

    def totals() -> tuple[float, float, float]:
        p = [sum(m * f.linear_velocity()[k] for m, f in zip(masses, frames, strict=True)) for k in range(2)]
        energy = sum(
            0.5 * m * sum(v * v for v in f.linear_velocity())
            + 0.5 * 0.4 * m * 0.01 * sum(w * w for w in f.angular_velocity())
            for m, f in zip(masses, frames, strict=True)
        )
        return p[0], p[1], energy

    before = totals()
    lab.run(world, 2.0)
    after = totals()
    assert after[:2] == pytest.approx(before[:2], abs=1e-9)
    assert 0.1 * before[2] < after[2] < before[2]


@pytest.mark.parametrize("step", [1.0, 32.0])
def test_damping_removes_its_fraction_of_the_speed_per_second(lab, step: float) -> None:
    text = ball(
        0.0, "linearVelocity 2 0 0 angularVelocity 0 0 4", "damping Damping { linear 0.3 angular 0.6 }"
    )
    world, scene = lab.make(text, step, "gravity 0 physicsDisableTime 0")
    frame = world.frame(lab.solid(scene, "ball").id)
    lab.run(world, 2.0)
    time = world.clock.time_ns / 1e9
    assert frame.linear_velocity()[0] == pytest.approx(2 * 0.7**time, rel=1e-6)
    assert frame.angular_velocity()[2] == pytest.approx(4 * 0.4**time, rel=1e-6)


def test_merged_solids_turn_about_their_common_centre(lab) -> None:
    """The period of a physical pendulum shows the inertia of two balls that are joined rigidly."""
    text = """Solid { children HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
      endPoint Solid { name "arm" translation 0.02 0 -0.5 boundingObject Sphere { radius 0.1 } physics
        Physics { }
        children Solid { name "end" translation 0 0 -1 boundingObject Sphere { radius 0.1 } physics
          Physics { } } } } }"""
    world, scene = lab.make(text, 1.0)
    axis = world.axis(lab.joint(scene).id)
    rest = math.atan2(0.04, 2.0)
    crossings, before = [], 0.0 - rest
    for step in range(15_000):
        world.step()
        now = axis.position - rest
        if before < 0.0 <= now:
            crossings.append(step + before / (before - now))
        before = now
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1) / 1000
    inertia = 2 * 0.4 * 0.01 + (0.5**2 + 1.5**2 + 2 * 0.02**2)
    expected = 2 * math.pi * math.sqrt(inertia / (2 * G * math.hypot(1.0, 0.02)))
    assert period == pytest.approx(expected, rel=0.003)


def test_a_reset_run_is_the_same_to_the_last_bit(lab) -> None:
    text = lab.floor + lab.robot() + ball(1.0, "linearVelocity 0.3 0 0")
    world, scene = lab.make(text, 5.0, lab.smooth)
    frames = [world.frame(lab.solid(scene, name).id) for name in ("robot", "ball", "wheel 0.25")]
    axis = world.axis(lab.joint(scene).id)

    def track() -> list:
        axis.drive(3.0, 20.0)
        seen = []
        for _ in range(300):
            world.step()
            seen.append([frame.pose() for frame in frames] + [axis.position])
        return seen

    first = track()
    world.reset()
    assert world.clock.time_ns == 0
    assert track() == first
    other, other_scene = lab.make(text, 5.0, lab.smooth)
    frames = [other.frame(lab.solid(other_scene, name).id) for name in ("robot", "ball", "wheel 0.25")]
    world, axis = other, other.axis(lab.joint(other_scene).id)
    assert track() == first


def test_a_restored_state_continues_the_same_way(lab) -> None:
    world, scene = lab.make(lab.floor + lab.robot(), 5.0, lab.smooth)
    axis = world.axis(lab.joint(scene).id)
    axis.drive(5.0, 20.0)
    frame = world.frame(lab.solid(scene, "robot").id)
    lab.run(world, 1.0)
    state, angle = world.get_state(), axis.position
    lab.run(world, 1.0)
    end = frame.pose(), axis.position
    world.set_state(state)
    assert axis.position == angle
    assert world.clock.time_ns == 1_000_000_000
    lab.run(world, 1.0)
    assert (frame.pose(), axis.position) == end


def test_a_body_that_falls_forever_causes_no_error(lab) -> None:
    world, scene = lab.make(lab.box_floor + ball(1.0, "linearVelocity 1e6 0 -1e6"), 32.0)
    lab.run(world, 60.0)
    assert world.frame(lab.solid(scene, "ball").id).pose().position[2] < -5e7


def test_a_platform_carries_bodies_and_its_sides_stop_them(lab) -> None:
    """A large box acts as a floor at its top, as a wall at its sides, and nowhere else."""
    platform = 'Solid { name "platform" translation 0 0 0.25 boundingObject Box { size 2 2 0.5 } }\n'
    boxes = [
        box("on", "0.5 0 0.6", "0.2 0.2 0.2"),
        box("beside", "1.5 0 0.1", "0.2 0.2 0.2", "linearVelocity -4 0 0"),
        box("over the edge", "1.05 0.8 0.6", "0.2 0.2 0.2"),
    ]
    info = "contactProperties ContactProperties { bounce 0 }"
    world, scene = lab.make(lab.floor + platform + "".join(boxes), 5.0, info)
    lab.run(world, 3.0)
    places = {
        name: world.frame(lab.solid(scene, name).id).pose().position
        for name in ("on", "beside", "over the edge")
    }
    assert places["on"] == pytest.approx((0.5, 0, 0.6), abs=0.002)
    assert places["beside"] == pytest.approx((1.1, 0, 0.1), abs=0.02)
    assert places["over the edge"][2] < 0.3


def test_a_ball_rolls_off_a_platform(lab) -> None:
    platform = 'Solid { name "platform" translation 0 0 0.25 boundingObject Box { size 2 2 0.5 } }\n'
    world, scene = lab.make(lab.floor + platform + ball(0.6, "linearVelocity 1 0 0"), 5.0)
    frame = world.frame(lab.solid(scene, "ball").id)
    lab.run(world, 1.0)
    assert frame.pose().position[2] == pytest.approx(0.6, abs=0.003)
    lab.run(world, 2.0)
    assert frame.pose().position[2] < 0.2
