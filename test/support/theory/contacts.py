"""What falls, slides, rolls, bounces, stands and floats."""

from __future__ import annotations

from math import atan, cos, degrees, dist, hypot, pi, sin, sqrt

from theory.worlds import G, Lab, contact, solid

FLOOR = 'Solid { name "floor" boundingObject Plane { } }\n'


def free_fall(step: float) -> float:
    """z = g·t²/2 after 2 s; %."""
    lab = Lab(solid("BALL", "Sphere { radius 0.1 }", more="translation 0 0 100"), step)
    t = lab.run(2.0)
    return 100.0 * abs((100.0 - lab.at("BALL")[2]) / (G * t * t / 2.0) - 1.0)


def speed_of_fall(step: float) -> float:
    """v = g·t after 2 s; %."""
    lab = Lab(solid("BALL", "Sphere { radius 0.1 }", more="translation 0 0 100"), step)
    t = lab.run(2.0)
    return 100.0 * abs(-lab.velocity("BALL")[2] / (G * t) - 1.0)


def on_slope(shape: str, rest: float, slope: float, step: float, mu: float) -> Lab:
    """A body of 1 kg, its centre `rest` m above a slope that falls towards x."""
    turn = f"rotation 0 1 0 {slope}"
    place = f"translation {rest * sin(slope)} 0 {rest * cos(slope)}"
    ground = f'Solid {{ name "slope" {turn} boundingObject Plane {{ }} }}\n'
    info = contact(f"coulombFriction {mu} bounce 0")
    return Lab(ground + solid("BODY", shape, more=f"{place} {turn}"), step, info)


def slope(step: float) -> float:
    """Down a slope of 35° with μ 0.4, a = g·(sin α − μ·cos α): the way after 2 s; %."""
    angle, mu = 0.61, 0.4
    lab = on_slope("Box { size 0.4 0.4 0.1 }", 0.05, angle, step, mu)
    start = lab.at("BODY")
    t = lab.run(2.0)
    expected = G * (sin(angle) - mu * cos(angle)) * t * t / 2.0
    return 100.0 * abs(dist(start, lab.at("BODY")) / expected - 1.0)


def slip_angle(step: float) -> float:
    """The slope at which a box begins to slide, tan α = μ, to 0.01° of it; degrees."""
    mu = 0.5
    low, high = atan(mu) - 0.05, atan(mu) + 0.05
    while degrees(high - low) > 0.01:
        angle = (low + high) / 2.0
        lab = on_slope("Box { size 0.4 0.4 0.1 }", 0.05, angle, step, mu)
        lab.run(0.5)
        # free of friction beyond the limit it would have g·(sin α − μ·cos α)·t by now
        slides = dist(lab.velocity("BODY"), (0.0, 0.0, 0.0)) > 0.25 * G * abs(sin(angle) - mu * cos(angle))
        low, high = (low, angle) if slides else (angle, high)
    return degrees(abs((low + high) / 2.0 - atan(mu)))


def sliding_distance(step: float) -> float:
    """At 3 m/s with μ 0.5: v²/(2·μ·g); %."""
    v, mu = 3.0, 0.5
    box = solid("BOX", "Box { size 0.4 0.4 0.1 }", more=f"translation 0 0 0.05 linearVelocity {v} 0 0")
    lab = Lab(FLOOR + box, step, contact(f"coulombFriction {mu} bounce 0"))
    lab.run(v / (mu * G) + 0.5)
    return 100.0 * abs(lab.at("BOX")[0] / (v * v / (2.0 * mu * G)) - 1.0)


def rebound(step: float, bounce: float) -> float:
    """Speed after the first bounce of a ball that fell 1 m, as a part of that before."""
    info = contact(f"bounce {bounce} bounceVelocity 0.01")
    lab = Lab(FLOOR + solid("BALL", "Sphere { radius 0.1 }", more="translation 0 0 1.1"), step, info)
    before = after = 0.0
    for _ in lab.steps(0.7):
        speed = lab.velocity("BALL")[2]
        before, after = min(before, speed), max(after, speed)
    return after / -before


def bounce(step: float) -> float:
    """|v'| = e·|v| for e of 0.25, 0.5, 0.75 and 1; the worst, % of v."""
    return 100.0 * max(abs(rebound(step, e) - e) for e in (0.25, 0.5, 0.75, 1.0))


def no_bounce(step: float) -> float:
    """At e = 0 nothing comes back; % of v."""
    return 100.0 * rebound(step, 0.0)


def rolling(step: float) -> float:
    """A ball that rolls down a slope of 10°, a = 5/7·g·sin α: the way after 2 s; %."""
    angle = 0.1745
    lab = on_slope("Sphere { radius 0.1 }", 0.1, angle, step, 0.8)
    start = lab.at("BODY")
    t = lab.run(2.0)
    expected = 5.0 / 7.0 * G * sin(angle) * t * t / 2.0
    return 100.0 * abs(dist(start, lab.at("BODY")) / expected - 1.0)


def stack(step: float) -> float:
    """Ten cubes of 0.5 m that touch (by 0.4 mm) stand: how far sideways any of them is after 2 s; mm."""
    size, into = 0.5, 0.0004
    places = [size / 2.0 - into + (size - into) * i for i in range(10)]
    cubes = [
        solid(f"C{i}", f"Box {{ size {size} {size} {size} }}", more=f"translation 0 0 {z}")
        for i, z in enumerate(places)
    ]
    lab = Lab(FLOOR + "".join(cubes), step)
    lab.run(2.0)
    return 1000.0 * max(hypot(*lab.at(f"C{i}")[:2]) for i in range(10))


def floating(damping: float, step: float) -> Lab:
    """A box of 600 kg/m³, 0.2 m high, half of it in water."""
    return Lab(
        f"""Fluid {{ name "sea" translation 0 0 -5 boundingObject Box {{ size 40 40 10 }} }}
        DEF BODY Solid {{ name "body" boundingObject Box {{ size 1 1 0.2 }}
          physics Physics {{ density 600 damping Damping {{ linear {damping} angular {damping} }} }}
          immersionProperties ImmersionProperties {{ fluidName "sea" }} }}""",
        step,
    )


def draught(step: float) -> float:
    """At rest it is 600/1000·0.2 m deep in the water; mm."""
    lab = floating(0.9, step)
    lab.run(12.0)
    return 1000.0 * abs(0.1 - lab.at("BODY")[2] - 0.12)


def heave(step: float) -> float:
    """Without damping it goes up and down with T = 2π·√(draught/g); %."""
    lab = floating(0.0, step)
    crossings, last = [], lab.at("BODY")[2] + 0.02
    for now in lab.steps(8.0):
        height = lab.at("BODY")[2] + 0.02
        if last < 0.0 <= height:
            crossings.append(now - lab.step * height / (height - last))
        last = height
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    return 100.0 * abs(period / (2.0 * pi * sqrt(0.12 / G)) - 1.0)


def belt(step: float) -> float:
    """A box put on a belt of 1 m/s with μ 0.5: it lags behind by v²/(2·μ·g) for ever; %."""
    v, mu = 1.0, 0.5
    conveyor = """Robot { name "conveyor" translation 0 0 0.25 children Track {
      device LinearMotor { name "belt" maxVelocity 5 } boundingObject Box { size 20 1 0.5 } } }\n"""
    box = solid("BOX", "Box { size 0.3 0.3 0.2 }", more="translation 0 0 0.6")
    lab = Lab(conveyor + box, step, contact(f"coulombFriction {mu} bounce 0"))
    lab.sim.robot("conveyor")["belt"].set_velocity(v)
    t = lab.run(2.0)
    return 100.0 * abs((v * t - lab.at("BOX")[0]) / (v * v / (2.0 * mu * G)) - 1.0)
