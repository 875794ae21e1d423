"""`/tf` and `/tf_static`: the frames of `ros_bridge/topics/frames.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from struct import Struct
from typing import NamedTuple

from ros_bridge.topics.cdr import CdrBody
from ros_bridge.topics.frames import (
    HAS_OPTICAL_FRAME,
    OPTICAL,
    OPTICAL_SUFFIX,
    WORLD,
    BaseOdometry,
    RobotFrames,
    ground,
)
from ros_bridge.topics.layouts import NO_ROOT
from ros_bridge.topics.records import Filler, InCdr
from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Pose, quaternion_from_rotation
from sim_core.engines.world_view import Frame, JointAxis
from sim_core.model.robot_parts import AxisFrame, RobotPart
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

TRANSFORM = Struct("<7d")


class Edge(NamedTuple):
    """A transform: frame names, and X_parent_child now."""

    parent: str
    child: str
    pose: Callable[[], Pose]


def edges(sim: Simulation, robots: Mapping[str, RobotFrames]) -> tuple[list[Edge], list[Edge]]:
    """Return the static and the moving transforms of a world.

    Args:
        sim: the simulation.
        robots: frames of each robot.
    """
    static: list[Edge] = []
    moving: list[Edge] = []
    for name, frames in robots.items():
        robot = sim.robots[name]
        if frames.published != "none":
            if robot.odometry is not None:
                moving.append(Edge(frames.odom, frames.base, BaseOdometry(robot).pose))
            if frames.footprint and all(part.name != frames.footprint for part in frames.parts):
                static.append(Edge(frames.base, frames.footprint, partial(_same, ground(robot))))
        if frames.published == "all":
            _parts(sim, frames, static, moving)
    _roots(sim, robots, static, moving)
    return static, moving


def _parts(sim: Simulation, frames: RobotFrames, static: list[Edge], moving: list[Edge]) -> None:
    """Add the transforms below a robot's body."""
    sent = {part.name for part in frames.parts}
    for part in frames.parts:
        if part.parent is None:
            continue
        optical = frames.optical.get(part.solid.id, part.name + OPTICAL_SUFFIX)
        if part.kind in HAS_OPTICAL_FRAME and optical not in sent:
            sent.add(optical)
            static.append(Edge(part.name, optical, partial(_same, OPTICAL)))
        if part.joint is None:
            static.append(Edge(part.parent.name, part.name, partial(_same, part.pose)))
            continue
        ends = sim.physics.frame(part.parent.solid.id), sim.physics.frame(part.solid.id)
        if part.turns:
            assert part.to_axle is not None
            moving += _chain(sim, part, ends)
            static.append(Edge(part.turns[-1].frame, part.name, partial(_same, part.to_axle.inverse())))
            continue
        child = part.name if part.to_axle is None else part.axle
        moving.append(Edge(part.parent.name, child, partial(_relative, *ends, part.to_axle)))
        if part.to_axle is not None:
            static.append(Edge(child, part.name, partial(_same, part.to_axle.inverse())))


def _chain(sim: Simulation, part: RobotPart, ends: tuple[Frame, Frame]) -> list[Edge]:
    """Return the frames of a joint's axes; the last one has the remaining motion, such as a suspension."""
    assert part.parent is not None and part.joint is not None
    before, first = part.parent.name, []
    for index, turn in enumerate(part.turns[:-1]):
        try:
            axis = sim.physics.axis(part.joint.id, index)
        except PhysicsError:  # it cannot turn in the planar engine
            first.append(Edge(before, turn.frame, partial(_same, turn.pose_at(turn.position))))
        else:
            first.append(Edge(before, turn.frame, partial(_turned, turn, axis)))
        before = turn.frame

    def rest() -> Pose:
        pose = _relative(*ends, part.to_axle)
        for edge in first:
            pose = edge.pose().inverse() * pose
        return pose

    return [*first, Edge(before, part.turns[-1].frame, rest)]


def _turned(turn: AxisFrame, axis: JointAxis) -> Pose:
    return turn.pose_at(axis.position)


def _roots(
    sim: Simulation, robots: Mapping[str, RobotFrames], static: list[Edge], moving: list[Edge]
) -> None:
    """Add the transforms above the robots' trees: `world`, or `map`, which then coincide.

    Where trees must not have a parent, `world` is below the first one, so that markers and ground truth can
    still be looked up.
    """
    sent = {name: frames for name, frames in robots.items() if frames.published != "none"}
    for name, frames in sent.items():
        if frames.root == NO_ROOT:
            continue
        top, pose, is_fixed = _top(sim.robots[name], frames)
        (static if is_fixed else moving).append(Edge(frames.root, top, pose))
    roots = {frames.root for frames in sent.values()} - {NO_ROOT}
    static += [Edge(WORLD, root, partial(_same, Pose())) for root in sorted(roots - {WORLD})]
    if sent and not roots:
        first = next(iter(sent))
        top, pose, is_fixed = _top(sim.robots[first], sent[first])
        (static if is_fixed else moving).append(Edge(top, WORLD, lambda: pose().inverse()))


def _top(robot: Robot, frames: RobotFrames) -> tuple[str, Callable[[], Pose], bool]:
    """Return the topmost frame of a robot, its pose in the world, and whether that is constant."""
    if robot.odometry is not None:
        return frames.odom, lambda: robot.state.start, True
    return frames.base, robot.frame.pose, False


def _same(pose: Pose) -> Pose:
    return pose


def _relative(body: Frame, part: Frame, on_part: Pose | None) -> Pose:
    """Return X_BP of a part, or of a frame on it, in the frame of its parent body."""
    pose = body.pose().inverse() * part.pose()
    return pose * on_part if on_part is not None else pose


class TransformsFiller(Filler):
    """Fills tf2_msgs/TFMessage (`transforms`: a list of TransformStamped) in CDR."""

    def __init__(self, edges: list[Edge]) -> None:
        self._edges = edges
        self._body = body = CdrBody()
        body.add_count(len(edges))
        self._places: list[tuple[int, int]] = []
        for edge in edges:
            stamp = body.add_stamp()
            body.add_text(edge.parent)
            body.add_text(edge.child)
            self._places.append((stamp, body.extend(8, TRANSFORM.size)))

    def fill(self, message: InCdr, time_ns: int) -> None:
        """Fill the present transforms."""
        body = self._body
        for edge, (stamp, transform) in zip(self._edges, self._places, strict=True):
            pose = edge.pose()
            body.set_stamp(stamp, time_ns)
            body.pack_into(TRANSFORM, transform, *pose.position, *quaternion_from_rotation(pose.rotation))
        message.data = body.message
