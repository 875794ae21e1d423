"""`/tf` and `/tf_static`, where tf2_msgs is installed: the frames of `ros_bridge/topics/frames.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

from geometry_msgs.msg import TransformStamped

from ros_bridge.topics.conversions import fill_time, fill_transform
from ros_bridge.topics.frames import (
    HAS_OPTICAL_FRAME,
    OPTICAL,
    OPTICAL_SUFFIX,
    WORLD,
    BaseOdometry,
    odom_frame,
)
from sim_core.base.geometry import Pose
from sim_core.engines.world_view import Frame
from sim_core.model.robot_parts import Part
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation


class Edge(NamedTuple):
    """A transform: frame names, and X_parent_child now."""

    parent: str
    child: str
    pose: Callable[[], Pose]


def tf_is_installed() -> bool:
    """Whether tf2_msgs can be imported."""
    return find_spec("tf2_msgs") is not None


def edges(
    sim: Simulation, robots: Mapping[str, str], parts: Mapping[str, Sequence[Part]]
) -> tuple[list[Edge], list[Edge]]:
    """The static and the moving transforms of a world.

    Args:
        sim: the simulation.
        robots: ROS name of each robot.
        parts: of each robot, named as their frames.
    """
    static: list[Edge] = []
    moving: list[Edge] = []
    for name, robot in sim.robots.items():
        base = parts[name][0].name
        if robot.odometry is not None:
            static.append(Edge(WORLD, odom_frame(robots[name]), partial(_start, robot)))
            moving.append(Edge(odom_frame(robots[name]), base, BaseOdometry(robot).pose))
        else:
            moving.append(Edge(WORLD, base, robot.frame.pose))
        for part in parts[name]:
            if part.parent is None:
                continue
            if part.kind in HAS_OPTICAL_FRAME:
                static.append(Edge(part.name, part.name + OPTICAL_SUFFIX, partial(_same, OPTICAL)))
            if part.joint is None:
                static.append(Edge(part.parent.name, part.name, partial(_same, part.pose)))
                continue
            child = part.name if part.to_axle is None else part.axle
            ends = sim.physics.frame(part.parent.solid.id), sim.physics.frame(part.solid.id)
            moving.append(Edge(part.parent.name, child, partial(_relative, *ends, part.to_axle)))
            if part.to_axle is not None:
                static.append(Edge(child, part.name, partial(_same, part.to_axle.inverse())))
    return static, moving


def _start(robot: Robot) -> Pose:
    return robot.state.start


def _same(pose: Pose) -> Pose:
    return pose


def _relative(body: Frame, part: Frame, on_part: Pose | None) -> Pose:
    """X_BP of a part, or of a frame on it, in the frame of the body that it hangs on."""
    pose = body.pose().inverse() * part.pose()
    return pose * on_part if on_part is not None else pose


class TransformsFill:
    """Fills tf2_msgs/TFMessage (`transforms`: a list of TransformStamped)."""

    def __init__(self, edges: list[Edge]) -> None:
        self._edges = edges

    def constants(self, message: Any) -> None:
        """The names of the frames."""
        message.transforms = [TransformStamped() for _ in self._edges]
        for transform, edge in zip(message.transforms, self._edges, strict=True):
            transform.header.frame_id, transform.child_frame_id = edge.parent, edge.child

    def fill(self, message: Any, time_ns: int) -> None:
        """The transforms of now."""
        for transform, edge in zip(message.transforms, self._edges, strict=True):
            fill_time(transform.header.stamp, time_ns)
            fill_transform(transform.transform, edge.pose())
