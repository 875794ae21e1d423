"""Changes of a world of the fast 2D mode that come from outside between steps.

A solid is put elsewhere, and a joint turned, in place. For all else the world is built anew of the edited
scene, and what is still there goes on from where it was, to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import ZERO, Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.base.turns import KEEP, turned_pose
from sim_core.engines.capabilities import NamedState
from sim_core.engines.planar.axes import AxisTable
from sim_core.engines.planar.rolling_robots import Rolled
from sim_core.engines.planar.tree import AxisKey, PlanarTree
from sim_core.model.dynamics.difference import AxisTurns, ModelChange
from sim_core.model.dynamics.model import DynamicsModel

if TYPE_CHECKING:
    from sim_core.engines.planar.world import PlanarWorld

FARTHEST = 1e9
OFF_PLANE = 1e-6
"""m, and sine of a tilt, by which a pose may differ from the plane that a robot drives in."""
AxisState = tuple[float | None, float, float, float]


@dataclass(frozen=True)
class PlanarNamedState(NamedState):
    """The state of a planar world by the ids of what it is of, to go on from when the scene is another one.

    Attributes:
        axes: position (None: that of the start), velocity, command and asked, see `AxisTable`.
        robots: those that drive.
        moved: solids that stand elsewhere than at the start.
    """

    axes: Mapping[AxisKey, AxisState]
    robots: Mapping[NodeId, Rolled]
    moved: Mapping[NodeId, Pose]

    def turned(self, turns: AxisTurns | None) -> PlanarNamedState:
        """The same where axes are others (None: they are not); what drives is then where the turned pose is
        seen from above."""
        if turns is None or (turns.world == KEEP and all(turn == KEEP for turn in turns.own.values())):
            return self
        world, own = turns
        driven = {robot: was.pose for robot, was in self.robots.items() if was.place is not None}
        poses = {**self.moved, **driven}
        moved = {each: turned_pose(world, pose, own.get(each, KEEP)) for each, pose in poses.items()}
        robots = {robot: was._replace(place=None, motion=ZERO) for robot, was in self.robots.items()}
        return replace(self, robots=robots, moved=moved)

    def at_start(self) -> PlanarNamedState:
        """The same where nothing has moved, but motors are told what they are."""
        axes = {key: (None, 0.0, command, 0.0) for key, (_, _, command, _) in self.axes.items()}
        robots = {robot: was._replace(place=None, motion=ZERO) for robot, was in self.robots.items()}
        return PlanarNamedState(axes, robots, {})

    def put_into(self, tree: PlanarTree, table: AxisTable) -> None:
        """Let joints, and solids that do not drive, of a newly built world go on from here."""
        for key, axis in tree.axes.items():
            if key in self.axes:
                position, *speeds = self.axes[key]
                if position is not None:
                    table.position[axis.row] = position
                table.velocity[axis.row], table.command[axis.row], table.asked[axis.row] = speeds
        for solid, pose in self.moved.items():
            link = tree.link_of(solid)
            if link is not None and link.parent is None:
                tree.put(link, pose)


NEW = PlanarNamedState({}, {}, {})
"""Of a world that nobody has been in."""


class PlanarEditing:
    """What a supervisor does to a planar world; meets `Editing`.

    Attributes:
        dynamics: as `Editing.dynamics`; of a world that has just been loaded nothing is known.
    """

    def __init__(self, world: PlanarWorld) -> None:
        self._world = world
        self.dynamics = DynamicsModel(world.model.world(), (), ())

    def apply(self, change: ModelChange) -> bool:
        """As `Editing.apply`: True where nothing is another that the world is built of."""
        if change.affects_engine or change.parts:
            return False
        self.dynamics = change.model
        return True

    def named_state(self) -> PlanarNamedState:
        """As `Editing.named_state`."""
        tree, table = self._world.tree, self._world.table
        is_moved = (table.position != table.start).tolist()
        columns = (table.position, table.velocity, table.command, table.asked)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        axes = {key: (axis.row, *rows[axis.row]) for key, axis in tree.axes.items()}
        return PlanarNamedState(
            {key: (at if is_moved[row] else None, *speeds) for key, (row, at, *speeds) in axes.items()},
            self._world.rolling.states(),
            {tree.links[number].solid: pose for number, pose in tree.moved.items()},
        )

    def rebuild(self, change: ModelChange, former: NamedState | None = None) -> None:
        """As `Editing.rebuild`."""
        if former is None:
            self._begin(change.model)
            return
        assert isinstance(former, PlanarNamedState)  # they are all of this engine
        self._world.build(former.turned(change.turns))
        self.dynamics = change.model

    def read_start(self) -> frozenset[NodeId]:
        """A reset comes: build where things start now, if the scene says something else of that.

        Returns:
            As `Engine.reset`.
        """
        world = self._world
        if world.builds == 1 or (model := world.model.dynamics()) is self.dynamics:
            return frozenset()
        self._begin(model)
        return frozenset(link.solid for link in world.tree.links if link.parent is None)

    def can_place(self, solid: NodeId) -> bool:
        """As `Editing.can_place`."""
        link = self._world.tree.link_of(solid)
        return link is not None and link.parent is None

    def place(self, solid: NodeId, pose: Pose) -> None:
        """As `Editing.place`; a robot that drives stays at its height, and as tilted as it is.

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
        now = link.robots.pose(link.row)
        if any(abs(a - b) > OFF_PLANE for a, b in zip(_off_plane(pose), _off_plane(now), strict=True)):
            found, expected = (_plane_text(each) for each in (pose, now))
            self._refuse(solid, f"drives in the plane in fast 2D: found {found}, expected {expected}")
        link.robots.put(link.row, pose)

    def moves_freely(self, solid: NodeId) -> bool:
        """False: what moves does so as wheels and joints turn."""
        return False

    def set_velocity(self, solid: NodeId, linear: Vec3, angular: Vec3) -> None:
        """As `stop`.

        Raises:
            PhysicsError: it is another velocity than 0.
        """
        if any((*linear, *angular)):
            self._refuse(solid, "cannot be given a velocity, in fast 2D motors alone move things")
        self.stop(solid)

    def stop(self, solid: NodeId) -> None:
        """As `Editing.stop`; motors that are on set it going again."""
        world = self._world
        found = world.tree.place(solid)
        if found is None or found[0] is None:
            self._refuse(solid, "cannot be stopped, expected a solid")
        below = [link for link in world.tree.links if found[0] in link.upwards()]
        places = ((axis.row, world.tree.place(node)) for (node, _), axis in world.tree.axes.items())
        rows = [row for row, place in places if place is not None and place[0] in below]
        world.table.velocity[rows] = world.table.asked[rows] = 0.0
        for link in below:
            if link.robots is not None:
                link.robots.motions[link.row] = 0.0

    def has_axis(self, joint: NodeId, index: int) -> bool:
        """As `Editing.has_axis`."""
        return (joint, index) in self._world.tree.axes

    def set_joint_position(self, joint: NodeId, index: int, position: float) -> None:
        """As `Editing.set_joint_position`."""
        axis, table = self._world.axis(joint, index), self._world.table
        low, high = table.stops[axis.row].tolist()
        if not abs(position) < FARTHEST:
            self._refuse(joint, f"cannot be at {position}, expected a finite number")
        if not low <= position <= high:
            self._refuse(joint, f"cannot be at {position:g}, expected {low:g} to {high:g}, its stops")
        table.position[axis.row] = position
        table.steps += 1

    def add_wrench(self, solid: NodeId, force: Vec3, torque: Vec3, at: Vec3 | None = None) -> None:
        """Raises PhysicsError: nothing has mass."""
        self._refuse(solid, "cannot be pushed, in fast 2D nothing has mass: expected physics ode")

    def _begin(self, model: DynamicsModel) -> None:
        """Build a model, all begins as it says; motors stay as they were told."""
        self._world.build(self.named_state().at_start())
        self.dynamics = model

    def _refuse(self, node: NodeId, why: str) -> NoReturn:
        raise PhysicsError(f"{self._world.model.label(node)} {why}")


def _off_plane(pose: Pose) -> tuple[float, ...]:
    """What of a pose stays as it drives: z, and the vertical in its own axes."""
    return (pose.position[2], *pose.rotation[6:])


def _plane_text(pose: Pose) -> str:
    height, *up = (f"{value:g}" for value in _off_plane(pose))
    return f"z {height} with {' '.join(up)} upright"
