"""Pictures per second from start to a published Image, and what the physics loses meanwhile.

    python benchmarks/camera.py [--seconds 6]

The world: a floor, 60 objects (a third of them falling or rolling), ten robots with wheels that drive, and
one robot with one or two cameras. For each size:

- render: milliseconds from asking for a picture to having it, the step waiting for it.
- published: per second of wall time and camera, the simulation in real time with steps of 20 ms, each of
  which has a sample due: 50 at most.
- physics: steps per second, as fast as they go, and how many of them are lost while all cameras draw all the
  time and the step does not wait for pictures: the median of pairs, with and without.

And how many pictures a second come of one camera, and of eight that are due at the same times, where each
step of the physics waits for all of them. What draws is said: Mesa's llvmpipe, or a graphics card.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import sys
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.figures import Figure
from sim_core.devices.vision.pictures import Pictures
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

SIZES = ((64, 64), (320, 240), (640, 480))
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


def render_time(width: int, height: int, cameras: int) -> float:
    """Median ms of a step's pictures, waited for, per camera."""
    sim = make(width, height, cameras)
    sim.step(3)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        sim.sample(eyes_of(sim))
        times.append(time.perf_counter() - start)
    sim.close()
    return 1e3 * statistics.median(times) / cameras


def steps_per_second(sim: Simulation, seconds: float) -> float:
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        sim.step(10)
        count += 10
    return count / (time.perf_counter() - start)


def physics(width: int, height: int, cameras: int, seconds: float) -> tuple[float, float, float]:
    """Steps per second without pictures, the part of them lost with pictures, and pictures per second.

    Each window with pictures is compared with the two without beside it: machines are not always as fast.
    """
    sim = make(width, height, cameras)
    eyes = eyes_of(sim)
    made = [0]
    for eye in eyes:
        eye.waits = False
        eye.add_listener(lambda reading: made.__setitem__(0, made[0] + 1))
    while not made[0]:  # the render process starts
        sim.step()
    alone: list[float] = []
    busy: list[float] = []
    drawing, pictures = 0.0, 0
    for index in range(2 * WINDOWS + 1):
        on = bool(index % 2)
        for eye in eyes:
            eye.enabled = on
        sim.step(50)
        made[0] = 0
        start = time.perf_counter()
        (busy if on else alone).append(steps_per_second(sim, seconds / WINDOWS))
        if on:
            drawing += time.perf_counter() - start
            pictures += made[0]
    sim.close()
    beside = [(before + after) / 2.0 for before, after in itertools.pairwise(alone)]
    loss = statistics.median(
        1.0 - with_pictures / rate for with_pictures, rate in zip(busy, beside, strict=True)
    )
    return statistics.median(alone), loss, pictures / drawing


def published(width: int, height: int, cameras: int, seconds: float) -> float:
    """Images per second and camera that the fill function and rclpy publish, in real time."""
    import rclpy
    from sensor_msgs.msg import Image

    from ros_bridge.devices import make_bridge

    sim = make(width, height, cameras)
    node = rclpy.create_node("camera_benchmark")
    count = [0]
    for index, eye in enumerate(eyes_of(sim)):
        eye.waits = False
        output = make_bridge(eye).outputs()[0]
        publisher, message = node.create_publisher(Image, f"/image_{index}", 10), Image()
        output.constants(message)
        assert isinstance(message.data, array)

        def publish(reading, output=output, publisher=publisher, message=message) -> None:  # type: ignore[no-untyped-def]
            output.fill(message, reading)
            publisher.publish(message)
            count[0] += 1

        eye.add_listener(publish)
    while not count[0]:
        sim.step()
    count[0] = 0
    start = time.perf_counter()
    step = sim.step_ns / 1e9
    steps = 0
    while (now := time.perf_counter() - start) < seconds:
        if steps * step > now:
            time.sleep(steps * step - now)
        sim.step()
        steps += 1
    node.destroy_node()
    sim.close()
    return count[0] / cameras / (time.perf_counter() - start)


def waited_for(width: int, height: int, cameras: int, seconds: float) -> tuple[float, str]:
    """Pictures per second of all cameras together, each step waiting for them, and what draws them."""
    sim = make(width, height, cameras)
    told: list[str] = []
    sim.media.of(Pictures).tell = told.append
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
    """Pictures per second of one camera and of eight."""
    alone, drawn_by = waited_for(640, 480, 1, 3.0 * seconds)
    yield Figure(f"640 × 480, one camera: {drawn_by}", alone, "pictures/s")
    together, _ = waited_for(640, 480, 8, 3.0 * seconds)
    what = f"640 × 480, 8 cameras together: {drawn_by}"
    yield Figure(what, together, "pictures/s", "as fast as one camera", together / alone, 0.8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=6.0)
    seconds = parser.parse_args().seconds
    import rclpy

    rclpy.init()
    print("| cameras | size | render | published | physics without | loss | pictures meanwhile |")
    print("|---|---|---|---|---|---|---|")
    for cameras in (1, 2):
        for width, height in SIZES:
            alone, loss, pictures = physics(width, height, cameras, seconds)
            print(
                f"| {cameras} | {width} × {height} | {render_time(width, height, cameras):.1f} ms "
                f"| {published(width, height, cameras, seconds):.1f}/s | {alone:.0f}/s | {100 * loss:.0f} % "
                f"| {pictures:.0f}/s |",
                flush=True,
            )
    rclpy.shutdown()
    for figure in figures(seconds / 3.0):
        print(f"{figure.what}: {figure.value:.0f} {figure.unit}", flush=True)


if __name__ == "__main__":
    main()
