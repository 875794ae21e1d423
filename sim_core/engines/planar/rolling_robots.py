"""Robots that roll in the plane, their obstacles, and the objects of their rays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, rotate
from sim_core.base.ids import NodeId
from sim_core.engines.planar import motion_kernels
from sim_core.engines.planar.axes import AxisTable, PlanarAxis
from sim_core.engines.planar.copies import PlanarCopies
from sim_core.engines.planar.obstacles import Obstacles
from sim_core.engines.planar.robots import RobotTable, RollingRobot
from sim_core.engines.planar.slices import PlanarSlice, Slices
from sim_core.engines.planar.tree import PlanarLink, PlanarTree
from sim_core.engines.rolling import Drivetrain, RollingArrays, Wheels
from sim_core.engines.world_view import JointAxis
from sim_core.model.dynamics.bodies import BodyKind
from sim_core.model.dynamics.model import PlanarModel, RobotCopy
from sim_core.model.world_model import WorldModel

LEAN = 0.1
"""Sine of the start tilt from which on a robot is not regarded as upright."""


class RollingState(NamedTuple):
    """State of a rolling robot.

    Attributes:
        drive: its drivetrain.
        place: as in `RobotTable.places`; None: it has not moved from the start.
        motion, pushed: as in `RobotTable`.
        pose: X_WB.
    """

    drive: Drivetrain
    place: Vec3 | None
    motion: Vec3
    pushed: bool
    pose: Pose


class RollingRobots:
    """Rolls robots along exact arcs and keeps them apart; implements `Rolling`.

    Attributes:
        table: the robots, as arrays.
        arrays: see `Rolling.arrays`.
        obstacles: obstacles of the robots.
        warnings: robots that cannot roll properly, one line each.
    """

    def __init__(self, model: WorldModel) -> None:
        """Create it without a world; call `build`."""
        self._model = model
        self.table = RobotTable()
        self._former: Mapping[NodeId, RollingState] = {}

    def build(
        self,
        kinematics: PlanarModel,
        tree: PlanarTree,
        axes: AxisTable,
        former: Mapping[NodeId, RollingState],
    ) -> None:
        """Set the built world; existing robots continue, until `set_drivetrains` names all."""
        self._kinematics, self._tree, self._axes = kinematics, tree, axes
        wheels = {id_: [axis for side in was.drive.sides for axis, _ in side] for id_, was in former.items()}
        drives = [
            was.drive
            for id_, was in former.items()
            if all(isinstance(axis, PlanarAxis) and axis.table is axes for axis in wheels[id_])
        ]
        self._set_robots(drives, (), former)
        self._former = former

    def poses(self) -> tuple[FloatArray, FloatArray]:
        """Return the poses of the frames; see `Rolling.poses`."""
        return self.table.poses()

    def velocities(self) -> tuple[FloatArray, FloatArray]:
        """Return the velocities of the frames; see `Rolling.velocities`."""
        return self.table.velocities()

    def row_of(self, axis: JointAxis) -> int | None:
        """Return the index of an axis; see `Rolling.row_of`."""
        return axis.row if isinstance(axis, PlanarAxis) else None

    def set_drivetrains(self, drives: Sequence[Drivetrain]) -> None:
        """Set the rolling robots; those that are part of other solids are not moved."""
        self._set_robots(drives, self._kinematics.copies, {**self._former, **self.states()})
        self._former = {}

    def states(self) -> dict[NodeId, RollingState]:
        """Return the states of the robots with objects."""
        return dict(self._states())

    def _states(self) -> Iterator[tuple[NodeId, RollingState]]:
        table = self.table
        for link, drive in zip(table.links, table.drives, strict=True):
            row = link.row
            place = tuple(table.places[row].tolist())
            has_moved = place != tuple(table.start[row].tolist())
            motion, pushed = tuple(table.motions[row].tolist()), table.pushed.item(row)
            yield (
                link.solid,
                RollingState(drive, place if has_moved else None, motion, pushed, table.pose_of(row)),
            )

    def _set_robots(
        self, drives: Sequence[Drivetrain], copies: Sequence[RobotCopy], former: Mapping[NodeId, RollingState]
    ) -> None:
        self.warnings: list[SceneError] = []
        for link in self.table.links:
            link.robots = None
        driven: list[tuple[PlanarLink, Drivetrain]] = []
        for drive in drives:
            robot = self._top(drive.robot)
            if robot is None:
                continue
            up = rotate(robot.start.rotation, (0.0, 0.0, 1.0))
            if math.hypot(up[0], up[1]) > LEAN:
                text = f"{robot.record.name} is tilted; in fast 2D it drives in the plane anyway"
                self.warnings.append(SceneError(*robot.record.label.source, text))
            driven.append((robot, drive))
        named = self._copies_among(driven, copies)
        self._names = [name for name, _ in named]
        self.table = RobotTable(driven, [member for _, member in named], self._axes)
        self._restore(former)
        self.read_shapes()
        self._warn_of_fixed()
        self.warnings += self.obstacles.warnings

    def _top(self, robot: NodeId) -> PlanarLink | None:
        """Return the link of a robot; None: it does not exist, or is part of another solid."""
        link = self._tree.link_of(robot)
        return link if link is not None and link.parent is None else None

    def _restore(self, former: Mapping[NodeId, RollingState]) -> None:
        """Restore the poses of robots, also of those that start or stop to roll."""
        table, tree = self.table, self._tree
        for link in table.links:
            if link.number in tree.moved:
                table.put(link.row, link.stands)
                tree.put(link, link.start)
        for id_, was in former.items():
            robot = self._top(id_)
            if robot is None:
                continue
            if robot.robots is table:
                table.motions[robot.row], table.pushed[robot.row] = was.motion, was.pushed
                if was.place is not None:
                    table.places[robot.row] = was.place
            elif was.place is not None:
                tree.put(robot, was.pose)

    def read_shapes(self) -> None:
        """Update obstacles and ray objects, after shapes have changed or moved."""
        table, axes = self.table, self._axes
        self.obstacles = Obstacles(self._tree, self._model.bounding.records, table)
        self._slices = Slices(self._tree, self._model, table)
        self.arrays = RollingArrays(
            {link.solid: link.row for link in table.links},
            self._names,
            table.templates,
            table.places,
            table.motions,
            Wheels(axes.position, axes.velocity, table.wheels, table.shares, table.sizes),
            axes.command,
            axes.acceleration,
        )

    def carried(self, node: NodeId) -> tuple[int, Pose] | None:
        """Return the row of the robot to which a node is fixed, and its pose relative to the axle centre."""
        link, pose = self._tree.placement(node) or (None, Pose())
        if link is None or link.robots is None:
            return None
        return link.row, self.table.own_pose(link, link.row) * pose

    def slice(
        self,
        height: float,
        visible: bool,
        hidden: frozenset[NodeId] = frozenset(),
        sees_through: bool = False,
    ) -> PlanarSlice:
        """Return the section at a height; see `Rolling.slice`."""
        return self._slices.slice_at(height, visible, hidden, sees_through)

    def copies(self, seconds: float, count: int) -> PlanarCopies:
        """Return copies of the world at its start; see `Rolling.copies`."""
        return PlanarCopies(seconds, self._axes, self.table, self.obstacles, count)

    def roll(self, seconds: float) -> None:
        """Move all robots according to their wheels, for a time in s."""
        robots, walls = self.table, self.obstacles
        motion_kernels.roll(
            seconds, self._axes.velocity, robots.wheels, robots.shares, robots.sizes,
            walls.discs, walls.slabs, robots.places, robots.motions, robots.pushed,
            walls.outlines, walls.outline_slabs, walls.grid, walls.start, walls.items,
        )  # fmt: skip

    def _copies_among(
        self, driven: Sequence[tuple[PlanarLink, Drivetrain]], copies: Sequence[RobotCopy]
    ) -> list[tuple[str, RollingRobot]]:
        """Return all rolling robots by name, in file order: those with objects, each followed by its copies.

        Raises:
            SceneError: the template of a copy does not roll.
        """
        numbers = {link.solid: number for number, (link, _) in enumerate(driven)}
        behind: dict[NodeId, list[tuple[str, RollingRobot]]] = {}
        for robot, name, start, after in copies:
            if robot not in numbers:
                other, found = self._kinematics.robots[robot]
                raise SceneError(
                    *found.source,
                    f"{len(copies)} robots held as arrays, {name} like {other}, "
                    "which has no differential drive",
                    "robots that roll, or instanced: false",
                )
            behind.setdefault(after, []).append((name, RollingRobot(numbers[robot], start)))
        members: list[tuple[str, RollingRobot]] = []
        for robot, (name, _) in self._kinematics.robots.items():
            if robot in numbers:
                members.append((name, RollingRobot(numbers[robot])))
            members += behind.get(robot, ())
        return members

    def _warn_of_fixed(self) -> None:
        """Add one warning for the robots that cannot drive, and one for the other solids that would fall or
        roll."""
        driven = self.arrays.robots
        still = [robot for id_, robot in self._kinematics.robots.items() if id_ not in driven]
        if still:
            names = ", ".join(name for name, _ in still)
            text = f"in fast 2D robots without a differential drive do not move: {names}"
            self.warnings.append(SceneError(*still[0][1].source, text))
        loose = [
            body
            for id_, body in self._kinematics.bodies.items()
            if body.parent is None
            and body.kind is BodyKind.DYNAMIC
            and id_ not in driven
            and not body.is_robot
        ]
        if loose:
            names = ", ".join(body.name for body in loose[:5]) + (", …" if len(loose) > 5 else "")
            text = f"in fast 2D solids with Physics do not move either: {names}"
            self.warnings.append(SceneError(*loose[0].label.source, text))
