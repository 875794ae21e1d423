"""Draws the pictures of docs/navigation.md: the world, and the way of a robot that finds itself by a map.

    python3 docs/draw_navigation.py
    python3 docs/draw_navigation.py SLAM.yaml       # the map of odesim beside one that slam_toolbox saved

The world `navigation` and the navigator of examples/navigation run in this process; no ROS is running.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "examples" / "navigation")]

import matplotlib.pyplot as plt
import numpy as np
from by_map import Map, Points, Pose, after, ends, inverse, matched, place, read_map, steer, way
from navigate import LIDAR, NEAR, RADIUS

import sim_core
from sim_core.base.geometry import yaw_of

GOALS = ((2.6, 0.3), (3.5, 1.9), (-0.5, 2.0), (0.0, 0.0))
START: Pose = (0.15, -0.1, 0.1)
"""Where the robot believes to be at first: in truth it is at the origin."""
PERIOD, SCANS = 0.04, 5
"""s between two commands, and commands for each scan, as in config/navigation.yaml."""
WHEEL, HALF_AXLE = 0.033, 0.08
LONGEST = 180.0
MOST_RAYS = 360


class Drive:
    """A robot on its way, and what there is to draw of it."""

    def __init__(self, sim: sim_core.Simulation, grid: Map) -> None:
        self.robot = sim.robot("turtlebot3")
        self.grid = grid
        self.goals = list(GOALS)
        self.along: Points = np.empty((0, 2))
        self.map_odom = START
        self.truth: list[Pose] = []
        self.belief: list[Pose] = []
        self.ways: list[Points] = []
        self.seen: Points = np.empty((0, 2))
        self.ticks = 0

    def control(self, _: int) -> None:
        """One command, and at each fifth a look round."""
        assert self.robot.odometry is not None
        x, y, yaw = self.robot.odometry.pose
        odom: Pose = (x, y, yaw)
        lidar = self.robot["LDS-01"]
        ranges = lidar.value
        if ranges is not None and self.ticks % SCANS == 0:
            step = math.tau / MOST_RAYS
            points = place(LIDAR, ends(np.array(ranges[0], float), float(lidar.azimuths[0]), step))
            believed = matched(self.grid, points, after(self.map_odom, odom))
            self.map_odom = after(believed, inverse(odom))
            self.seen = np.concatenate([self.seen, place(believed, points)[::6]])
        self.ticks += 1
        pose = after(self.map_odom, odom)
        frame = self.robot.frame.pose()
        self.truth.append((frame.position[0], frame.position[1], yaw_of(frame.rotation)))
        self.belief.append(pose)
        self.drive(*self.command(pose) if self.ticks > SCANS else (0.0, 0.0))

    def command(self, pose: Pose) -> tuple[float, float]:
        if self.goals and math.dist(pose[:2], self.goals[0]) < NEAR:
            self.goals, self.along = self.goals[1:], np.empty((0, 2))
        if not self.goals:
            return 0.0, 0.0
        if not len(self.along):
            self.along = way(self.grid, pose[:2], self.goals[0], RADIUS)
            self.ways.append(self.along)
        return steer(pose, self.along)

    def drive(self, speed: float, turn: float) -> None:
        for side, sign in (("left", -1.0), ("right", 1.0)):
            self.robot[f"{side} wheel motor"].set_velocity((speed + sign * turn * HALF_AXLE) / WHEEL)


def main() -> None:
    config = sim_core.SimulationConfig(sampling_period=PERIOD, contacts="stiff")
    sim = sim_core.load_world(ROOT / "worlds" / "navigation.wbt", config)
    sim.supervisor.export_image(str(ROOT / "docs" / "navigation_world.png"), width=640, height=400)
    grid = read_map(ROOT / "config" / "navigation" / "map.yaml")
    drive = Drive(sim, grid)
    sim.every(PERIOD, drive.control)
    while drive.goals and sim.time < LONGEST:
        sim.step()
    truth, belief = np.array(drive.truth), np.array(drive.belief)
    off = np.hypot(*(truth - belief)[25:, :2].T)  # from 1 s on
    reached = len(GOALS) - len(drive.goals)
    print(f"{sim.time:.1f} s, {reached} goals; off by {off.mean():.3f} m, {off.max():.3f} m at most")
    draw(grid, drive, truth)
    sim.close()


def draw(grid: Map, drive: Drive, truth: Points) -> None:
    figure, axes = plt.subplots(figsize=(7, 5.6), dpi=100)
    shades = np.where(grid.occupied, 0.25, 1.0)
    axes.imshow(shades, "gray", origin="lower", extent=extent(grid), vmin=0.0, vmax=1.0)
    axes.plot(
        *drive.seen.T, ".", color="tab:red", ms=1.0, alpha=0.3, label="ends of rays, where it believes to be"
    )
    for number, points in enumerate(drive.ways):
        axes.plot(*points.T, "--", color="tab:orange", lw=1.2, label=None if number else "ways planned")
    axes.plot(truth[:, 0], truth[:, 1], color="tab:blue", lw=1.4, label="way of the robot, the truth")
    for number, (goal_x, goal_y) in enumerate(GOALS, 1):
        axes.plot(goal_x, goal_y, "o", color="tab:green", ms=7)
        axes.annotate(str(number), (goal_x + 0.08, goal_y + 0.06))
    axes.set_xlabel("x in m")
    axes.set_ylabel("y in m")
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, fontsize=8, frameon=False, markerscale=6
    )
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "navigation_way.png")


def compare(grid: Map, other: Map) -> None:
    """Two maps side by side, and how far walls of the second one are from walls of the first."""
    rows, columns = np.nonzero(other.occupied)
    middles = (np.stack([columns, rows], axis=1) + 0.5) * other.resolution + other.origin
    off = np.array([grid.distance[grid.cell(x, y)] for x, y in middles])
    most = np.quantile(off, 0.99)
    print(f"{len(off)} cells: off by {off.mean():.3f} m, {most:.3f} m (99 %), {off.max():.3f} m at most")
    figure, both = plt.subplots(1, 2, figsize=(8, 3.4), dpi=90, sharex=True, sharey=True)
    for axes, each, title in zip(both, (grid, other), ("odesim map", "slam_toolbox"), strict=True):
        axes.imshow(each.occupied, "gray_r", origin="lower", extent=extent(each), vmax=1.3)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("x in m")
    both[0].set_ylabel("y in m")
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "navigation_maps.png")


def extent(grid: Map) -> tuple[float, float, float, float]:
    """The sides of a map, for imshow."""
    rows, columns = grid.occupied.shape
    x, y = grid.origin
    return x, x + columns * grid.resolution, y, y + rows * grid.resolution


if __name__ == "__main__":
    if sys.argv[1:]:
        compare(read_map(ROOT / "config" / "navigation" / "map.yaml"), read_map(Path(sys.argv[1])))
    else:
        main()
