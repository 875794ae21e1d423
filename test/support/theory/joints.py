"""What swings, and what motors do."""

from __future__ import annotations

from math import cos, exp, pi, sin, sqrt

from theory.worlds import FREE, G, Lab, contact, solid


def elliptic(k: float) -> float:
    """Complete elliptic integral of the first kind of the modulus k, by the arithmetic-geometric mean."""
    a, b = 1.0, sqrt(1.0 - k * k)
    while abs(a - b) > 1e-14:
        a, b = (a + b) / 2.0, sqrt(a * b)
    return pi / (2.0 * a)


def hanging(name: str, x: float, length: float, angle: float, radius: float, bound: str = "") -> str:
    """A ball of 1 kg on a rod without mass, turned by an angle towards x."""
    place = f"translation {x + length * sin(angle)} 0 {-length * cos(angle)}"
    ball = solid(name, bound or f"Sphere {{ radius {radius} }}", more=place)
    return f"""Solid {{ name "holds {name}" children HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 -1 0 anchor {x} 0 0 position {angle} }}
      endPoint {ball} }} }}\n"""


def pendulum(step: float) -> float:
    """T = 4·√(l/g·(1 + 2r²/5l²))·K(sin θ₀/2), θ₀ = 1 rad, of the first two swings; %."""
    length, radius, angle = 1.0, 0.1, 1.0
    lab = Lab(hanging("BOB", 0.0, length, angle, radius), step)
    crossings, last = [], 1.0
    for now in lab.steps(5.5):
        x = lab.at("BOB")[0]
        if last > 0.0 >= x:
            crossings.append(now + lab.step * x / (last - x))
        last = x
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    inertia = 1.0 + 0.4 * (radius / length) ** 2
    return 100.0 * abs(period / (4.0 * sqrt(length / G * inertia) * elliptic(sin(angle / 2.0))) - 1.0)


def cradle(step: float, gap: float = 1e-4) -> float:
    """Five equal balls 0.1 mm apart, one comes: the last leaves with its speed, the others stand; % of it."""
    radius, length, count = 0.05, 1.0, 5
    balls = "".join(
        hanging(f"B{i}", (2.0 * radius + gap) * i, length, -0.5 if i == 0 else 0.0, radius)
        for i in range(count)
    )
    lab = Lab(balls, step, contact("bounce 1 bounceVelocity 0.001 coulombFriction 0"))
    came = 0.0
    for _ in lab.steps(2.0):
        came = max(came, lab.velocity("B0")[0])
        if lab.velocity(f"B{count - 1}")[0] > 0.2 * came > 0.0:
            break
    lab.run(2.0 * lab.step)
    speeds = [lab.velocity(f"B{i}")[0] for i in range(count)]
    return 100.0 * max(abs(v / came - (1.0 if i == count - 1 else 0.0)) for i, v in enumerate(speeds))


def touching_cradle(step: float) -> float:
    """The same where they touch from the start; %."""
    return cradle(step, 0.0)


def sliding(parameters: str, device: str = "", axis: str = "1 0 0") -> str:
    """A cube of 1 kg on a slider of a robot that the world holds."""
    cube = solid("CUBE", "Box { size 0.1 0.1 0.1 }")
    return f"""Robot {{ name "r" children SliderJoint {{
      jointParameters JointParameters {{ axis {axis} {parameters} }}
      device [ {device} ] endPoint {cube} }} }}\n"""


def spring(step: float) -> float:
    """40 N/m, 1 N·s/m, 1 kg: x = e^(−δt)·(x₀·cos ωt + δx₀/ω·sin ωt), ω² = k/m − δ²; worst in 2 s, % of x₀."""
    k, c, start = 40.0, 1.0, 0.5
    text = sliding(f"springConstant {k} dampingConstant {c} position {start}").replace(
        'name "CUBE"', f'name "CUBE" translation {start} 0 0'
    )
    lab = Lab(text, step)
    delta = c / 2.0
    omega = sqrt(k - delta * delta)
    worst = 0.0
    for t in lab.steps(2.0):
        x = start * exp(-delta * t) * (cos(omega * t) + delta / omega * sin(omega * t))
        worst = max(worst, abs(lab.at("CUBE")[0] - x))
    return 100.0 * worst / start


def double_pendulum(step: float, info: str = "") -> float:
    """Two rods of 1 m, 1 kg that start level keep their energy: lost in 20 s, % of what they can lose."""
    rod = "boundingObject Box {{ size 1 0.1 0.1 }} physics Physics {{ density -1 mass 1 {free} }} {below}"
    hinge = """HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {at} 0 0 }}
      endPoint {end} }}"""
    second = f'DEF B Solid {{ name "b" translation 1 0 0 {rod.format(free=FREE, below="")} }}'
    below = f"children {hinge.format(at=0.5, end=second)}"
    first = f'DEF A Solid {{ name "a" translation 0.5 0 0 {rod.format(free=FREE, below=below)} }}'
    lab = Lab(f'Solid {{ name "ceiling" children {hinge.format(at=0, end=first)} }}', step, info)
    inertia = (1.0 + 0.01) / 12.0

    def energy() -> float:
        return sum(
            sum(v * v for v in lab.velocity(rod)) / 2.0
            + inertia * lab.turn_rate(rod)[1] ** 2 / 2.0
            + G * lab.at(rod)[2]
            for rod in "AB"
        )

    lab.run(20.0)
    return 100.0 * abs(energy()) / (2.0 * G)


def stiff_double_pendulum(step: float) -> float:
    """The same with `WorldInfo.ERP` 0.8."""
    return double_pendulum(step, "ERP 0.8")


def lifting(step: float) -> float:
    """A motor of 15 N lifts 1 kg: v = (F/m − g)·t until it has its speed; after 0.3 s, %."""
    motor = 'LinearMotor { name "motor" maxForce 15 maxVelocity 10 }'
    lab = Lab(sliding("", motor, "0 0 1"), step)
    lab.sim.robot("r")["motor"].set_velocity(10.0)
    t = lab.run(0.3)
    return 100.0 * abs(lab.velocity("CUBE")[2] / ((15.0 - G) * t) - 1.0)


def holding(step: float) -> float:
    """A motor that holds an arm of 0.5 m with 1 kg level: M = m·g·r after 1 s; %."""
    arm = solid("ARM", "Sphere { radius 0.05 }", more="translation 0.5 0 0")
    lab = Lab(
        f"""Robot {{ name "r" children HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 }}
          device RotationalMotor {{ name "motor" maxTorque 50 }} endPoint {arm} }} }}""",
        step,
    )
    motor = lab.sim.robot("r")["motor"]
    motor.enable_feedback()
    lab.run(1.0)
    return 100.0 * abs(-motor.effort / (G * 0.5) - 1.0)
