"""The wall-avoider scene with any number of robots, for the benchmarks."""

from __future__ import annotations

import math
from pathlib import Path

from sim_core.scene import Node, Scene, load_scene

ROOT = Path(__file__).resolve().parent.parent
WORLD = ROOT / "worlds" / "wall_avoiders.wbt"
SPACING = 1.5
"""m between the places of two robots."""
ARENA = 20.0
"""m, width of the arena for up to MOST robots; for more it is wider, with longer walls."""
MOST = 130
CLEARANCE = 0.5
"""m between a robot's place and a wall."""


def wall_avoiders(
    count: int, step_ms: float, controller: str = "<none>", synchronized: bool = False
) -> Scene:
    """Robots `robot1` … `robotN` on a grid in the arena of worlds/wall_avoiders.wbt.

    Args:
        count: number of robots.
        step_ms: basic time step in ms.
        controller: the robots' `controller` field.
        synchronized: their `synchronization` field.
    """
    scene = load_scene(WORLD)
    robots = [node for node in scene.nodes if node.is_a("Robot")]
    walls = [
        node for node in scene.nodes if str(node["name"] if node.has_field("name") else "").startswith("wall")
    ]
    scene.nodes = [node for node in scene.nodes if node not in robots]
    scene.world_info["basicTimeStep"] = float(step_ms)
    wider = max(1.0, math.sqrt(count / MOST))
    for each in scene.nodes:
        if each.type_name == "Solid":
            _widen(each, wider)
    grid = _grid(wider * ARENA)
    places = [place for place in grid if all(_distance(place, wall) > CLEARANCE for wall in walls)]
    for index, (x, y) in enumerate(places[:count]):
        robot = robots[index % len(robots)].copy()
        robot.def_name = None
        robot["name"] = f"robot{index + 1}"
        robot["translation"] = (x, y, 0.22)
        robot["rotation"] = (0.0, 0.0, 1.0, (index * 2.4) % math.tau - math.pi)
        robot["controller"] = controller
        robot["synchronization"] = synchronized
        scene.nodes.append(robot)
    return scene


def _widen(solid: Node, factor: float) -> None:
    """Make the floor or a wall longer, and move it outwards; a wall stays as thick and as high."""
    x, y, z = solid["translation"]
    solid["translation"] = (factor * x, factor * y, z)
    shape = solid["boundingObject"]
    length, width, *height = shape["size"]
    shape["size"] = (length if height else factor * length, factor * width, *height)


def _grid(width: float) -> list[tuple[float, float]]:
    """Places in an arena from the middle outwards."""
    half = int((width / 2.0 - CLEARANCE) / SPACING)
    lines = [SPACING * k for k in range(-half, half + 1)]
    return sorted(((x, y) for x in lines for y in lines), key=lambda place: math.hypot(*place))


def _distance(place: tuple[float, float], wall: Node) -> float:
    """Distance in m from a place to a wall's box, which is turned by a multiple of a quarter turn."""
    size = wall["boundingObject"]["size"]
    turned = abs(math.sin(wall["rotation"][3])) > 0.5
    half_x, half_y = (size[1] / 2, size[0] / 2) if turned else (size[0] / 2, size[1] / 2)
    dx = max(0.0, abs(place[0] - wall["translation"][0]) - half_x)
    dy = max(0.0, abs(place[1] - wall["translation"][1]) - half_y)
    return math.hypot(dx, dy)
