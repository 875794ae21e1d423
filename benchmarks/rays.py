"""Milliseconds per scan of the ray caster, with the update of the moving objects.

    python -m benchmarks.rays

A sensor stands in the middle of a field of boxes, spheres, cylinders and capsules, with a ring of rays, or 16
rings (28,800 rays). Half of the objects have Physics, so that their poses are read anew for each scan.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time

import numpy as np

from sim_core.engines.ode import PhysicsWorld
from sim_core.scene import parse_scene
from sim_core.sensing.raycast.ray_scene import RayScene
from sim_core.sensing.rays import Rays

RAYS = (8, 361, 1080, 28_800)
OBJECTS = (20, 200)
SHAPES = (
    "Box { size 0.4 0.3 0.6 }",
    "Sphere { radius 0.25 }",
    "Cylinder { radius 0.2 height 0.6 }",
    "Capsule { radius 0.2 height 0.4 }",
)


def world(objects: int) -> str:
    rng = np.random.default_rng(1)
    text = ["#VRML_SIM R2025a utf8", "WorldInfo { basicTimeStep 5 }", "Solid { boundingObject Plane { } }"]
    text.append('Robot { name "r" translation 0 0 0.3 }')
    for index in range(objects):
        angle, radius = rng.uniform(-math.pi, math.pi), rng.uniform(1.0, 10.0)
        place = f"{radius * math.cos(angle):.3f} {radius * math.sin(angle):.3f} 0.3"
        physics = "physics Physics { }" if index % 2 else ""
        shape = SHAPES[index % 4] if index % 8 < 4 else SHAPES[(index + 2) % 4]
        text.append(f'Solid {{ name "o{index}" translation {place} boundingObject {shape} {physics} }}')
    return "\n".join(text)


def fan(rays: int) -> np.ndarray:
    """Unit vectors: a ring, or 16 rings one above the other."""
    layers = 16 if rays > 2000 else 1
    azimuth = np.linspace(-math.pi, math.pi, rays // layers, endpoint=False)
    rows = []
    for elevation in np.linspace(-0.25, 0.25, layers) if layers > 1 else (0.0,):
        flat = math.cos(elevation)
        z = np.full_like(azimuth, math.sin(elevation))
        rows.append(np.stack([np.cos(azimuth) * flat, np.sin(azimuth) * flat, z], axis=1))
    return np.concatenate(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scans", type=int, default=200, help="scans timed for each case (default 200)")
    scans = parser.parse_args().scans
    print("rays    " + "".join(f"{objects:>6} objects" for objects in OBJECTS) + "   (ms per scan, median)")
    scenes = []
    for objects in OBJECTS:
        scene = parse_scene(world(objects), "benchmark.wbt")
        physics = PhysicsWorld(scene)
        robot = next(node for node in scene.walk() if node.is_a("Robot"))
        scenes.append((RayScene(physics), physics.frame(robot.id), robot))
    for rays in RAYS:
        directions = fan(rays)
        origins = np.zeros_like(directions)
        cells = []
        for scene_rays, frame, robot in scenes:
            times = []
            asked = Rays(frame, origins, directions, 30.0, robot.id, carrier=robot.id)  # as a sensor keeps it
            for _ in range(max(5, scans // (1 + rays // 5000))):
                start = time.perf_counter()
                batch = scene_rays.batch()
                batch.add(asked)
                batch.cast()
                times.append(time.perf_counter() - start)
            cells.append(1e3 * statistics.median(times))
        print(f"{rays:<8}" + "".join(f"{cell:>14.3f}" for cell in cells))


if __name__ == "__main__":
    main()
