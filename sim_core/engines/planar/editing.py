"""Edits of a world of the fast 2D mode between steps.

Moving a solid and turning a joint is done in place. For all else the world is built again from the edited
scene, and existing objects continue from their state, to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import ZERO, Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.base.turns import NO_TURN, turned_pose
from sim_core.engines.capabilities import NamedState
from sim_core.engines.planar.axes import AxisTable
from sim_core.engines.planar.rolling_robots import RollingState
from sim_core.engines.planar.tree import AxisKey, PlanarTree
from sim_core.model.dynamics.difference import AxisTurns, ModelChange
from sim_core.model.dynamics.model import DynamicsModel

if TYPE_CHECKING:
    from sim_core.engines.planar.world import PlanarWorld

FARTHEST = 1e9
OFF_PLANE = 1e-6
"""m, and sine of a tilt: tolerance of a pose from the plane in which a robot drives."""
AxisState = tuple[float | None, float, float, float]


@dataclass(frozen=True)
class PlanarNamedState(NamedState):
    """State of a planar world by ids, to continue from after an edit of the scene.

    Attributes:
        axes: position (None: the start position), velocity, command and limited, see `AxisTable`.
        robots: the robots that drive.
        moved: solids that have been moved from their start.
    """

    axes: Mapping[AxisKey, AxisState]
    robots: Mapping[NodeId, RollingState]
    moved: Mapping[NodeId, Pose]

    def turned(self, turns: AxisTurns | None) -> PlanarNamedState:
        """Return the same state with other axes (None: unchanged); driving robots are then where the turned
        pose is, seen from above."""
        if turns is None or (turns.world == NO_TURN and all(turn == NO_TURN for turn in turns.own.values())):
            return self
        world, own = turns
        driven = {robot: was.pose for robot, was in self.robots.items() if was.place is not None}
        poses = {**self.moved, **driven}
        moved = {each: turned_pose(world, pose, own.get(each, NO_TURN)) for each, pose in poses.items()}
        robots = {robot: was._replace(place=None, motion=ZERO) for robot, was in self.robots.items()}
        return replace(self, robots=robots, moved=moved)

    def at_start(self) -> PlanarNamedState:
        """Return the same state with nothing moved, but with the motor commands."""
        axes = {key: (None, 0.0, command, 0.0) for key, (_, _, command, _) in self.axes.items()}
        robots = {robot: was._replace(place=None, motion=ZERO) for robot, was in self.robots.items()}
        return PlanarNamedState(axes, robots, {})

    def put_into(self, tree: PlanarTree, table: AxisTable) -> None:
        """Restore joints, and solids that do not drive, in a newly built world."""
        for key, axis in tree.axes.items():
            if key in self.axes:
                position, *speeds = self.axes[key]
                if position is not None:
                    table.position[axis.row] = position
                table.velocity[axis.row], table.command[axis.row], table.limited[axis.row] = speeds
        for solid, pose in self.moved.items():
            link = tree.link_of(solid)
            if link is not None and link.parent is None:
                tree.put(link, pose)


NEW = PlanarNamedState({}, {}, {})
"""State of a new world."""


class PlanarEditing:
    """Edits of a planar world by a supervisor; implements `Editing`.

    Attributes:
        dynamics: see `Editing.dynamics`; compiled when first needed.
    """

    def __init__(self, world: PlanarWorld) -> None:
        self._world = world
        self.dynamics = DynamicsModel(world.model.world(), (), ())

    def apply(self, change: ModelChange) -> bool:
        """Return True if the change does not affect this engine; see `Editing.apply`."""
        if change.affects_engine or change.parts:
            return False
        self.dynamics = change.model
        return True

    def named_state(self) -> PlanarNamedState:
        """Return the present state by ids; see `Editing.named_state`."""
        tree, table = self._world.tree, self._world.table
        is_moved = (table.position != table.start).tolist()
        columns = (table.position, table.velocity, table.command, table.limited)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        axes = {key: (axis.row, *rows[axis.row]) for key, axis in tree.axes.items()}
        return PlanarNamedState(
            {key: (at if is_moved[row] else None, *speeds) for key, (row, at, *speeds) in axes.items()},
            self._world.rolling.states(),
            {tree.links[number].solid: pose for number, pose in tree.moved.items()},
        )

    def rebuild(self, change: ModelChange, former: NamedState | None = None) -> None:
        """Build the model of a change; see `Editing.rebuild`."""
        if former is None:
            self._begin(change.model)
            return
        assert isinstance(former, PlanarNamedState)  # states of other engines never get here
        self._world.build(former.turned(change.turns))
        self.dynamics = change.model

    def read_start(self) -> frozenset[NodeId]:
        """Before a reset, build the world again if the scene's start has changed.

        Returns:
            The solids that may have been moved, as `Engine.reset`.
        """
        world = self._world
        if world.builds == 1 or (model := world.model.dynamics()) is self.dynamics:
            return frozenset()
        self._begin(model)
        return frozenset(link.solid for link in world.tree.links if link.parent is None)

    def can_place(self, solid: NodeId) -> bool:
        """Return whether `place` can move a solid; see `Editing.can_place`."""
        link = self._world.tree.link_of(solid)
        return link is not None and link.parent is None

    def place(self, solid: NodeId, pose: Pose) -> None:
        """Move a solid; see `Editing.place`; a driving robot keeps its height and tilt.

        Raises:
            PhysicsError: the pose is not finite, or not in the plane of such a robot; or the solid is a part
                that cannot be moved alone.
        """
        world = self._world
        link = world.tree.link_of(solid)
        if link is None or link.parent is not None:
            self._refuse(solid, "is a part of something, it cannot be moved alone")
        if not all(abs(value) < FARTHEST for value in (*pose.position, *pose.rotation)):
            self._refuse(solid, f"cannot be at {pose}, expected finite numbers")
        if link.robots is None:
            world.tree.put(link, pose)
            world.rolling.read_shapes()
            return
        now = link.robots.pose_of(link.row)
        if any(abs(a - b) > OFF_PLANE for a, b in zip(_off_plane(pose), _off_plane(now), strict=True)):
            found, expected = (_plane_text(each) for each in (pose, now))
            self._refuse(solid, f"drives in the plane in fast 2D: found {found}, expected {expected}")
        link.robots.put(link.row, pose)

    def moves_freely(self, solid: NodeId) -> bool:
        """Return False: everything is moved by wheels and joints."""
        return False

    def set_velocity(self, solid: NodeId, linear: Vec3, angular: Vec3) -> None:
        """Stop a solid, as `Engine.stop`.

        Raises:
            PhysicsError: the velocity is not 0.
        """
        if any((*linear, *angular)):
            self._refuse(solid, "cannot be given a velocity, in fast 2D motors alone move things")
        self._world.stop(solid)

    def has_axis(self, joint: NodeId, index: int) -> bool:
        """Return whether the axis exists; see `Editing.has_axis`."""
        return (joint, index) in self._world.tree.axes

    def set_joint_position(self, joint: NodeId, index: int, position: float) -> None:
        """Set the position of a joint; see `Editing.set_joint_position`."""
        axis, table = self._world.axis(joint, index), self._world.table
        low, high = table.stops[axis.row].tolist()
        if not abs(position) < FARTHEST:
            self._refuse(joint, f"cannot be at {position}, expected a finite number")
        if not low <= position <= high:
            self._refuse(joint, f"cannot be at {position:g}, expected {low:g} to {high:g}, its stops")
        table.position[axis.row] = position
        table.steps += 1

    def add_wrench(self, solid: NodeId, force: Vec3, torque: Vec3, at: Vec3 | None = None) -> None:
        """Raise PhysicsError: there is no mass."""
        self._refuse(solid, "cannot be pushed, in fast 2D nothing has mass: expected physics ode")

    def _begin(self, model: DynamicsModel) -> None:
        """Build a model in its start state; motor commands are kept."""
        self._world.build(self.named_state().at_start())
        self.dynamics = model

    def _refuse(self, node: NodeId, why: str) -> NoReturn:
        raise PhysicsError(f"{self._world.model.label(node)} {why}")


def _off_plane(pose: Pose) -> tuple[float, ...]:
    """Return the parts of a pose that stay when it drives: z, and the vertical in its own axes."""
    return (pose.position[2], *pose.rotation[6:])


def _plane_text(pose: Pose) -> str:
    height, *up = (f"{value:g}" for value in _off_plane(pose))
    return f"z {height} with {' '.join(up)} upright"
