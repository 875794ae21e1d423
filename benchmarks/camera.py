"""Pictures per second, and what the physics loses while they are drawn.

The world: a floor, 60 objects (a third of them falling or rolling), ten robots with wheels that drive, and
one robot with cameras. How many pictures a second come of one camera, and of eight that are due at the same
times, where each step of the physics waits for all of them; and how many steps a second are lost while a
camera draws all the time and no step waits for it: the median of pairs, with and without. What draws is
said: Mesa's llvmpipe, or a graphics card.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Iterator

import numpy as np

from benchmarks.figures import Figure
from sim_core.devices.vision.pictures import Pictures
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

OBJECTS, ROBOTS = 60, 10
WINDOWS = 8
"""With pictures, and as many and one without."""


def world(width: int, height: int, cameras: int) -> str:
    rng = np.random.default_rng(1)
    text = [
        "#VRML_SIM R2025a utf8",
        "WorldInfo { basicTimeStep 20 }",
        "Background { skyColor 0.6 0.7 0.9 }",
        "DirectionalLight { direction 0.5 0.4 -1 } PointLight { location 0 0 3 attenuation 1 0 0.3 }",
        'Solid { name "floor" children DEF F Shape {',
        " appearance PBRAppearance { roughness 1 metalness 0 } geometry Plane { size 30 30 } }",
        "boundingObject USE F }",
    ]
    shapes = ("Box { size 0.3 0.3 0.3 }", "Sphere { radius 0.2 }", "Cylinder { radius 0.15 height 0.4 }")
    for index in range(OBJECTS):
        x, y = rng.uniform((1.5, -5.0), (9.0, 5.0)).tolist()
        look = "roughness 0.6 metalness 0 baseColor {:.2f} {:.2f} {:.2f}".format(*rng.uniform(0.1, 1.0, 3))
        body = f"boundingObject USE S{index} physics Physics {{ }}" if index % 3 == 0 else ""
        text.append(
            f'Solid {{ name "o{index}" translation {x:.3f} {y:.3f} 0.3 children DEF S{index} Shape {{ '
            f"appearance PBRAppearance {{ {look} }} geometry {shapes[index % 3]} }} {body} }}"
        )
    for index in range(ROBOTS):
        wheels = "".join(
            f"HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }} device "
            f'RotationalMotor {{ name "{name}" }} endPoint Solid {{ name "{name} wheel" translation 0 {y} 0 '
            f"rotation 1 0 0 1.5708 children DEF W{index}{name} Shape {{ "
            f"geometry Cylinder {{ radius 0.05 height 0.02 }} }} "
            f"boundingObject USE W{index}{name} physics Physics {{ }} }} }} "
            for name, y in (("left", 0.1), ("right", -0.1))
        )
        text.append(
            f'Robot {{ name "m{index}" translation {-1.0 - index % 5} {index // 5 - 0.5} 0.05 '
            f"children [ {wheels} DEF B{index} Shape {{ geometry Sphere {{ radius 0.045 }} }} ] "
            f"boundingObject USE B{index} "
            "physics Physics { } }"
        )
    eyes = "".join(
        f'Camera {{ name "c{index}" translation 0 {0.1 * index} 0 '
        f"width {width} height {height} fieldOfView 1.2 }} "
        for index in range(cameras)
    )
    text.append(f'Robot {{ name "eyes" translation 0 0 0.8 rotation 0 1 0 0.15 children [ {eyes} ] }}')
    return "\n".join(text)


def make(width: int, height: int, cameras: int) -> Simulation:
    sim = Simulation(parse_scene(world(width, height, cameras), "camera.wbt"))
    for index in range(ROBOTS):
        for name, speed in (("left", 3.0), ("right", 4.0)):
            motor = sim.robot(f"m{index}")[name]
            motor.set_position(math.inf)
            motor.set_velocity(speed)
    return sim


def eyes_of(sim: Simulation) -> list:
    return list(sim.robot("eyes").devices.values())


def steps_per_second(sim: Simulation, seconds: float) -> float:
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        sim.step(10)
        count += 10
    return count / (time.perf_counter() - start)


def physics_loss(width: int, height: int, seconds: float) -> float:
    """The part of the steps per second that is lost while one camera draws and no step waits for it.

    Each window with pictures is compared with the two without beside it: machines are not always as fast.
    """
    sim = make(width, height, 1)
    (eye,) = eyes_of(sim)
    eye.waits = False
    came: deque[object] = deque(maxlen=1)
    eye.add_listener(came.append)
    while not came:  # the render process starts
        sim.step()
    rates: list[float] = []
    for index in range(2 * WINDOWS + 1):
        eye.enabled = bool(index % 2)
        sim.step(50)
        rates.append(steps_per_second(sim, seconds / WINDOWS))
    sim.close()
    windows = zip(rates[::2], rates[1::2], rates[2::2], strict=False)
    return statistics.median(1.0 - 2.0 * busy / (before + after) for before, busy, after in windows)


def waited_for(width: int, height: int, cameras: int, seconds: float) -> tuple[float, str]:
    """Pictures per second of all cameras together, each step waiting for them, and what draws them."""
    sim = make(width, height, cameras)
    told: list[str] = []
    sim.media.of(Pictures).report = told.append
    eyes, count = eyes_of(sim), 0
    sim.sample(eyes)  # the render process starts
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        sim.step()
        sim.sample(eyes)
        count += cameras
    speed = count / (time.perf_counter() - start)
    sim.close()
    return speed, told[0]


def figures(seconds: float) -> Iterator[Figure]:
    """Pictures per second of one camera and of eight, and what the physics loses beside one."""
    alone, drawn_by = waited_for(640, 480, 1, 3.0 * seconds)
    yield Figure(f"640 × 480, one camera: {drawn_by}", alone, "pictures/s")
    together, _ = waited_for(640, 480, 8, 3.0 * seconds)
    what = f"640 × 480, 8 cameras together: {drawn_by}"
    yield Figure(what, together, "pictures/s", "as fast as one camera", together / alone, 0.8)
    what = "640 × 480, one camera that nobody waits for: steps of the physics that are lost"
    yield Figure(what, 100.0 * physics_loss(640, 480, 3.0 * seconds), "%")
