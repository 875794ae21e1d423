"""Milliseconds per scan of the ray caster, with the update of the moving objects.

A sensor stands in the middle of a field of boxes, spheres, cylinders and capsules, with a ring of rays, or 16
rings (28,800 rays). Half of the objects have Physics, so that their poses are read anew for each scan.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.figures import Figure
from sim_core.engines.ode import PhysicsWorld
from sim_core.engines.world_view import Frame
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node, parse_scene
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


def world(objects: int, sensor: str = "", seen: bool = False) -> str:
    """The field; `sensor` is on the robot in its middle; `seen`: the objects are visible."""
    rng = np.random.default_rng(1)
    text = ["#VRML_SIM R2025a utf8", "WorldInfo { basicTimeStep 5 }", "Solid { boundingObject Plane { } }"]
    text.append(f'Robot {{ name "r" translation 0 0 0.3 children [ {sensor} ] }}')
    for index in range(objects):
        angle, radius = rng.uniform(-math.pi, math.pi), rng.uniform(1.0, 10.0)
        place = f"{radius * math.cos(angle):.3f} {radius * math.sin(angle):.3f} 0.3"
        physics = "physics Physics { }" if index % 2 else ""
        shape = SHAPES[index % 4] if index % 8 < 4 else SHAPES[(index + 2) % 4]
        looks = f"children [ Shape {{ geometry {shape} }} ]" if seen else ""
        solid = f'name "o{index}" translation {place} {looks} boundingObject {shape} {physics}'
        text.append(f"Solid {{ {solid} }}")
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


def figures(seconds: float) -> Iterator[Figure]:
    """A scan among 20 and 200 objects."""
    for objects, caster in zip(OBJECTS, map(casting, OBJECTS), strict=True):
        for rays in RAYS:
            scans = max(5, int(100 * seconds) // (1 + rays // 5000))
            yield Figure(f"scan of {rays} rays, {objects} objects", scan_time(*caster, rays, scans), "ms")


def casting(objects: int) -> tuple[RayScene, Frame, Node]:
    """Who casts rays in a world, the frame of its sensor, and whose that is."""
    scene = parse_scene(world(objects), "benchmark.wbt")
    physics = PhysicsWorld(WorldModel(scene))
    robot = next(node for node in scene.walk() if node.is_a("Robot"))
    return RayScene(physics), physics.frame(robot.id), robot


def scan_time(caster: RayScene, frame: Frame, robot: Node, rays: int, scans: int) -> float:
    """Median ms of a scan."""
    directions = fan(rays)
    asked = Rays(frame, np.zeros_like(directions), directions, 30.0, robot.id, carrier=robot.id)
    times = []
    for _ in range(scans):
        start = time.perf_counter()
        batch = caster.batch()
        batch.add_rays(asked)  # as a sensor keeps it
        batch.cast()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)
