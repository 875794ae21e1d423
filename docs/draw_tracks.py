"""Draws the robots' paths through a world, seen from above: the picture of the README.

    python3 docs/draw_tracks.py worlds/wall_avoiders.wbt docs/wall_avoiders.png --duration 120

Needs matplotlib. The robots are driven in this process by the wall avoiders' own rules; no ROS is running.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

import sim_core
from ros_bridge.controllers.wall_avoider import decide
from sim_core.base.geometry import yaw_of
from sim_core.model.geometry import Box

PERIOD = 0.2
"""Seconds between two looks at the sensors, as in the thesis."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("world")
    parser.add_argument("picture")
    parser.add_argument("--duration", type=float, default=120.0, help="simulated seconds")
    options = parser.parse_args()
    config = sim_core.SimulationConfig(sampling_period=PERIOD, contacts="stiff")  # as in config/
    sim = sim_core.load_world(options.world, config)
    tracks = drive(sim, options.duration)
    figure, axes = plt.subplots(figsize=(8, 8), dpi=110)
    draw_scenery(axes, sim)
    for name, track in tracks.items():
        # north is up the picture's left side, as on a map turned to the robots' x axis
        (line,) = axes.plot([-y for _, y, _ in track], [x for x, _, _ in track], lw=0.9, alpha=0.8)
        _, _, heading = track[-1]
        draw_robot(axes, track[-1], heading, line.get_color(), name)
    axes.set_aspect("equal")
    axes.set_xlim(-10.4, 10.4)
    axes.set_ylim(-10.4, 10.4)
    axes.set_xlabel("-y in m")
    axes.set_ylabel("x in m")
    figure.tight_layout()
    figure.savefig(options.picture)


def drive(sim: sim_core.Simulation, duration: float) -> dict[str, list[tuple[float, float, float]]]:
    """x, y in m and heading in rad of every robot, every 0.2 s."""
    tracks: dict[str, list[tuple[float, float, float]]] = {name: [] for name in sim.robots}

    def control(_: int) -> None:
        for name, robot in sim.robots.items():
            pose = robot.frame.pose()
            tracks[name].append((pose.position[0], pose.position[1], yaw_of(pose.rotation)))
            left, right = decide(*(robot[sensor].value for sensor in ("ds_front", "ds_left", "ds_right")))
            robot["motor_left"].set_velocity(left)
            robot["motor_right"].set_velocity(right)

    sim.every(PERIOD, control)
    sim.run(duration)
    return tracks


def draw_scenery(axes: Axes, sim: sim_core.Simulation) -> None:
    for shape in sim.physics.model.bounding.records:
        if shape.robot is not None or shape.solid is None or not isinstance(shape.geometry, Box):
            continue
        pose = sim.physics.frame(shape.solid).pose() * shape.offset
        size_x, size_y, _ = shape.geometry.size
        x, y, _ = pose.position
        corner = (-y - size_y / 2.0, x - size_x / 2.0)
        turn = math.degrees(yaw_of(pose.rotation))
        axes.add_patch(
            Rectangle(corner, size_y, size_x, angle=turn, rotation_point="center", color="#7a1f1f", zorder=3)
        )


def draw_robot(axes: Axes, place: tuple[float, float, float], heading: float, color: Any, name: str) -> None:
    x, y, _ = place
    axes.add_patch(Circle((-y, x), 0.3, color=color, zorder=4))
    axes.plot([-y, -y - 0.3 * math.sin(heading)], [x, x + 0.3 * math.cos(heading)], color="white", zorder=5)
    axes.annotate(name.removeprefix("robot"), (-y + 0.35, x + 0.25), fontsize=8, zorder=6)


if __name__ == "__main__":
    main()
