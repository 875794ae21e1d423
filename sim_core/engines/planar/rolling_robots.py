"""The robots that roll in the plane, what they run into, and what their rays meet."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, rotate
from sim_core.base.ids import NodeId
from sim_core.engines.planar import motion_kernels
from sim_core.engines.planar.axes import AxisTable, PlanarAxis
from sim_core.engines.planar.copies import PlanarCopies
from sim_core.engines.planar.obstacles import Obstacles
from sim_core.engines.planar.robots import Member, RobotTable
from sim_core.engines.planar.slices import PlanarSlice, Slices
from sim_core.engines.planar.tree import PlanarLink, PlanarTree
from sim_core.engines.rolling import Drivetrain, Wheels
from sim_core.engines.world_view import JointAxis
from sim_core.model.dynamics.bodies import Kind
from sim_core.model.dynamics.model import PlanarModel
from sim_core.model.world_model import WorldModel

LEAN = 0.1
"""Sine of the tilt at the start past which a robot is not said to stand upright."""


class RollingRobots:
    """Rolls robots along exact arcs and keeps them apart; meets `Rolling`.

    Attributes:
        table: the robots, as arrays.
        names: of the robots, by row.
        obstacles: what they run into.
    """

    def __init__(
        self,
        model: WorldModel,
        kinematics: PlanarModel,
        tree: PlanarTree,
        axes: AxisTable,
        warnings: list[SceneError],
    ) -> None:
        """None rolls yet; what cannot roll as it should will be said in `warnings`."""
        self._model, self._kinematics, self._tree, self._axes = model, kinematics, tree, axes
        self._warnings = warnings
        self._use([])

    @property
    def robots(self) -> dict[NodeId, int]:
        """The rows of the robots that roll and are written out, in their order."""
        return {link.solid: link.row for link in self.table.links}

    @property
    def likes(self) -> IntArray:
        """(n,) row of the robot written out that each equals but for its place; its own, if it is one."""
        return self.table.likes

    @property
    def places(self) -> FloatArray:
        """(n, 3) x, y of the axle centre in m, and heading in rad, which does not wrap."""
        return self.table.places

    @property
    def motions(self) -> FloatArray:
        """(n, 3) velocity of the axle centre in m/s, world axes, and rate of turn in rad/s."""
        return self.table.motions

    def poses(self) -> tuple[FloatArray, FloatArray]:
        """As `Rolling.poses`."""
        return self.table.poses()

    def velocities(self) -> tuple[FloatArray, FloatArray]:
        """As `Rolling.velocities`."""
        return self.table.velocities()

    @property
    def commands(self) -> FloatArray:
        """(k,) velocity asked of each axis of the world, rad/s; to be written to where no motor does."""
        return self._axes.command

    @property
    def axis_positions(self) -> FloatArray:
        """(k,) of each axis of the world, rad or m."""
        return self._axes.position

    @property
    def axis_velocities(self) -> FloatArray:
        """(k,) of each axis of the world, rad/s or m/s."""
        return self._axes.velocity

    def row_of(self, axis: JointAxis) -> int | None:
        """As `Rolling.row_of`."""
        return axis.row if isinstance(axis, PlanarAxis) else None

    @property
    def accelerations(self) -> FloatArray:
        """(k,) limit of the change of velocity of each axis, rad/s²; inf: none."""
        return self._axes.acceleration

    def take(self, drives: Sequence[Drivetrain]) -> None:
        """Let these robots roll; those that are part of something else stand still."""
        driven: list[tuple[PlanarLink, Drivetrain]] = []
        for drive in drives:
            link = self._tree.link_of(drive.robot)
            if link is None or link.parent is not None:
                continue
            up = rotate(link.start.rotation, (0.0, 0.0, 1.0))
            if math.hypot(up[0], up[1]) > LEAN:
                text = f"{link.record.name} is tilted; in fast 2D it drives in the plane anyway"
                self._warnings.append(SceneError(*link.record.label.source, text))
            driven.append((link, drive))
        self._use(driven, self._copies_among(driven))
        self._say_what_stands()
        self._warnings += self.obstacles.warnings

    def carried(self, node: NodeId) -> tuple[int, Pose] | None:
        """The row of the robot that a node is fixed to, and its pose from the axle centre."""
        link, pose = self._tree.place(node) or (None, Pose())
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
        """What rays meet at a height."""
        return self._slices.at(height, visible, hidden, sees_through)

    def copies(self, seconds: float, count: int) -> PlanarCopies:
        """The world as it starts, so many times."""
        return PlanarCopies(seconds, self._axes, self.table, self.obstacles, count)

    def roll(self, seconds: float) -> None:
        """Let all robots roll on as their wheels turn, for a time in s."""
        robots, walls = self.table, self.obstacles
        motion_kernels.roll(
            seconds, self._axes.velocity, robots.wheels, robots.shares, robots.sizes,
            walls.discs, walls.slabs, robots.places, robots.motions, robots.pushed,
            walls.outlines, walls.outline_slabs, walls.grid, walls.start, walls.items,
        )  # fmt: skip

    def _copies_among(self, driven: Sequence[tuple[PlanarLink, Drivetrain]]) -> list[tuple[str, Member]]:
        """All robots that roll by name, in the order of the file: those that are written out, and behind each
        those that are equal to one.

        Raises:
            SceneError: they are equal to one that does not roll.
        """
        numbers = {link.solid: number for number, (link, _) in enumerate(driven)}
        behind: dict[NodeId, list[tuple[str, Member]]] = {}
        for robot, name, start, after in self._kinematics.copies:
            if robot not in numbers:
                other, found = self._kinematics.robots[robot]
                raise SceneError(
                    *found.source,
                    f"{len(self._kinematics.copies)} robots held as arrays, {name} like {other}, "
                    "which has no differential drive",
                    "robots that roll, or instanced: false",
                )
            behind.setdefault(after, []).append((name, Member(numbers[robot], start)))
        members: list[tuple[str, Member]] = []
        for robot, (name, _) in self._kinematics.robots.items():
            if robot in numbers:
                members.append((name, Member(numbers[robot])))
            members += behind.get(robot, ())
        return members

    def _use(
        self, driven: Sequence[tuple[PlanarLink, Drivetrain]], named: Sequence[tuple[str, Member]] = ()
    ) -> None:
        self.names = [name for name, _ in named]
        self.table = RobotTable(driven, [member for _, member in named], self._axes)
        self.obstacles = Obstacles(self._tree, self._model.bounding.records, self.table)
        self._slices = Slices(self._tree, self._model, self.table)
        axes = self._axes
        self.wheels = Wheels(
            axes.position, axes.velocity, self.table.wheels, self.table.shares, self.table.sizes
        )

    def _say_what_stands(self) -> None:
        """One line for the robots that cannot drive, one for the other solids that would fall or roll."""
        driven = set(self.robots)
        still = [robot for id_, robot in self._kinematics.robots.items() if id_ not in driven]
        if still:
            names = ", ".join(name for name, _ in still)
            text = f"in fast 2D robots without a differential drive stand still: {names}"
            self._warnings.append(SceneError(*still[0][1].source, text))
        loose = [
            body
            for id_, body in self._kinematics.bodies.items()
            if body.parent is None and body.kind is Kind.DYNAMIC and id_ not in driven and not body.is_robot
        ]
        if loose:
            names = ", ".join(body.name for body in loose[:5]) + (", …" if len(loose) > 5 else "")
            text = f"in fast 2D solids with Physics stand still too: {names}"
            self._warnings.append(SceneError(*loose[0].label.source, text))
