"""World of the fast 2D mode: differential robots roll in the plane, everything else is fixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from numpy.typing import NDArray

from sim_core.base.clock import SimClock
from sim_core.base.errors import PhysicsError, SceneError
from sim_core.base.geometry import ZERO, Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.base.state import State
from sim_core.base.trust import NO_PLUGIN
from sim_core.engines.capabilities import Capabilities
from sim_core.engines.engine import ContactPoint, EngineState
from sim_core.engines.planar import wheel_kernels
from sim_core.engines.planar.axes import AxisTable, PlanarAxis
from sim_core.engines.planar.editing import NEW, PlanarEditing, PlanarNamedState
from sim_core.engines.planar.rolling_robots import RollingRobots
from sim_core.engines.planar.tree import AxisKey, PlanarFrame, PlanarTree
from sim_core.engines.pose_reader import SingleReader
from sim_core.engines.world_view import Frame, PoseReader
from sim_core.model.dynamics.bodies import BodyPlacement
from sim_core.model.dynamics.model import PlanarModel
from sim_core.model.joint_frames import AxisSpec
from sim_core.model.kinematics import WHEELS
from sim_core.model.world_model import WorldModel


@dataclass(eq=False)
class PlanarState(EngineState):
    """Whole changing state of a planar world, including motor commands; only valid for that world.

    Attributes:
        moved: see `PlanarTree.moved`.
    """

    arrays: tuple[NDArray[Any], ...]
    moved: tuple[tuple[int, Pose], ...]


class NoContacts:
    """Contact watch without contacts, for touch sensors in this mode."""

    contacts: tuple[()] = ()

    def is_touching(self) -> bool:
        """Return False."""
        return False


class PlanarWorld:
    """Robots that roll without slip in the plane of the ground; implements `Engine`, instead of ODE.

    - Robots with a differential drive roll along exact arcs, all at once. Height and tilt are constant.
    - A robot is a disc for collisions. At a wall it slides along, or stops if it drives straight at it; two
      robots that meet are both pushed by half. Their wheels turn on: they slip.
    - Joints other than wheels move exactly as commanded. Everything else is fixed.

    Attributes:
        clock: sim time.
        model: the model that is built.
        can: capabilities: rolling; and editing, unless robots are held as arrays.
        record_contacts: without effect: there are no contacts.
        plugin: None: no physics plug-in runs.
        builds: number of builds.
        tree, table: its links, and the axes of their joints.
        rolling: the robots that drive.
    """

    plugin: None = None

    def __init__(self, model: WorldModel) -> None:
        """Build the world of a model; `Rolling.set_drivetrains` sets later which robots roll.

        Raises:
            SceneError, SceneErrors: the scene is impossible to simulate.
        """
        self.model = model
        self.clock = SimClock(model.world().step_ns)
        self._step = self.clock.step_ns / 1e9
        self.builds = 0
        self.record_contacts = False
        self._frames: WeakValueDictionary[NodeId, PlanarFrame] = WeakValueDictionary()  # in use elsewhere
        self._handles: WeakValueDictionary[AxisKey, PlanarAxis] = WeakValueDictionary()
        self.rolling = RollingRobots(model)
        self.build(NEW)
        self._editing = None if self._kinematics.copies else PlanarEditing(self)
        self.can = Capabilities(rolling=self.rolling, editing=self._editing)

    def build(self, former: PlanarNamedState) -> None:
        """Build the world of the present model; existing objects continue from a state.

        Raises:
            SceneError, SceneErrors: the scene is impossible to simulate; the world is unchanged.
        """
        record, kinematics = self.model.world(), self.model.planar()
        frames = dict(self._frames.items())  # not over keys: one may be freed before its value is read
        places = self.model.placements(frames, kinematics.places)
        for node, frame in frames.items():
            if node not in places:
                frame.fix(None, frame.pose())
        self.builds += 1
        self._record, self._kinematics = record, kinematics
        self.table = AxisTable()
        self.tree = PlanarTree(kinematics, self.table)
        self._axes = self.tree.axes
        self._add_axes(kinematics)
        self.table.build_arrays()
        self._limit_accelerations()
        for key, axis in self._handles.items():
            if key in self._axes:
                axis.take_data_of(self._axes[key])
            else:
                axis.stand_still()
        former.put_into(self.tree, self.table)
        for node, place in places.items():
            frames[node].fix(*self.tree.on_link(place))
        self.rolling.build(kinematics, self.tree, self.table, former.robots)

    @property
    def warnings(self) -> Sequence[SceneError]:
        """Settings of the scene that have no effect, one line each."""
        found = [*self._kinematics.warnings]
        if self._record.plugin not in NO_PLUGIN:
            found.append(SceneError(*self._record.source, "in fast 2D no physics plug-in runs"))
        return found + self.rolling.warnings

    def step(self) -> None:
        """Advance by one basic time step: phase 2 of a simulation step."""
        table = self.table
        wheel_kernels.turn_axes(
            self._step, table.command, table.acceleration, table.limited, table.position, table.velocity,
            table.stops,
        )  # fmt: skip
        table.steps += 1
        self.rolling.roll(self._step)
        self.clock.time_ns += self.clock.step_ns

    def reset(self) -> frozenset[NodeId]:
        """Reset to the initial state, to the last bit; motors are off."""
        self.clock.set(0, 0)
        was_built = self._editing.read_start() if self._editing is not None else frozenset()
        self.table.reset()
        self._limit_accelerations()
        self.rolling.table.reset()
        return was_built | self._put_all({})

    def close(self) -> None:
        """Close the engine, which needs nothing."""

    def frame(self, node: NodeId) -> PlanarFrame:
        """Return the frame of a node; see `World.frame`."""
        found = self._frames.get(node)
        if found is None:
            place = self.tree.placement(node)
            if place is None:
                place = self.tree.on_link(
                    self.model.placement(node, self._kinematics.places) or BodyPlacement()
                )
            found = self._frames[node] = PlanarFrame(*place)
        return found

    def pose_reader(self, frames: Mapping[int, Frame]) -> PoseReader:
        """Return a reader of frames; see `World.pose_reader`."""
        return SingleReader(frames).read

    def axis(self, joint: NodeId, index: int = 0) -> PlanarAxis:
        """Return a degree of freedom of a joint, a Servo, a wheel solid; of DifferentialWheels 0 is left, 1
        right.

        Raises:
            PhysicsError: the node has no such axis.
        """
        found = self._axes.get((joint, index))
        if found is None:
            raise PhysicsError(f"{self.model.label(joint)} has no axis {index}")
        return self._handles.setdefault((joint, index), found)

    def is_blocked(self, solid: NodeId, pose: Pose) -> bool:
        """Return False: obstacles of a robot are found in the step."""
        return False

    def move(self, solid: NodeId, pose: Pose, linear: Vec3 = ZERO, angular: Vec3 = ZERO) -> None:
        """Move a driving robot to the position and heading of a pose.

        Raises:
            PhysicsError: the solid is not such a robot, or the pose is not finite.
        """
        link = self.tree.link_of(solid)
        if link is None or link.robots is None:
            label = self.model.label(solid)
            raise PhysicsError(f"{label} cannot be moved, in fast 2D only robots that drive can")
        if not all(abs(value) < 1e9 for value in (*pose.position, *pose.rotation)):
            raise PhysicsError(f"pose of a moved robot: found {pose}, expected finite numbers")
        link.robots.put(link.row, pose)

    def is_dynamic(self, node: NodeId) -> bool:
        """Return False: there are no forces."""
        return False

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """Empty: there are no contact points."""
        return ()

    def masses(self, solids: Iterable[NodeId] | None = None) -> tuple[()]:
        """Return nothing: there is no mass."""
        return ()

    def watch_contacts(self, solid: NodeId) -> NoContacts:
        """Return a watch without contacts."""
        return NoContacts()

    def can_bond(self, first: NodeId, second: NodeId) -> bool:
        """Return False: there are no bonds."""
        return False

    def bond(self, first: NodeId, second: NodeId, relative: Pose | None = None) -> NoReturn:
        """Raise PhysicsError: there are no bonds."""
        one, other = (self.model.label(solid).path for solid in (first, second))
        raise PhysicsError(f"{one} and {other} cannot be bonded in fast 2D")

    def find_bond(self, number: int) -> None:
        """Return None: there are no bonds."""

    def get_state(self) -> PlanarState:
        """Return the whole present state."""
        arrays = tuple(array.copy() for array in self._changing())
        return PlanarState(
            self.clock.time_ns, self.clock.epoch_ns, None, arrays, tuple(sorted(self.tree.moved.items()))
        )

    def set_state(self, state: State, anew: bool = False) -> frozenset[NodeId]:
        """Restore a state; see `Engine.set_state`."""
        arrays, links = self._changing(), self.tree.links
        if (
            not isinstance(state, PlanarState)
            or [each.shape for each in state.arrays] != [array.shape for array in arrays]
            or not all(0 <= row < len(links) and links[row].parent is None for row, _ in state.moved)
        ):
            raise PhysicsError("found the state of another world, expected one of this world")
        self.clock.set(state.time_ns, state.epoch_ns)
        for array, then in zip(arrays, state.arrays, strict=True):
            array[:] = then
        self.table.steps += 1
        return self._put_all(dict(state.moved))

    def stop(self, solid: NodeId | None = None) -> None:
        """Stop a solid, or all; see `Engine.stop`; running motors move it again."""
        axes: list[int] | slice = slice(None)
        robots: list[int] | slice = slice(None)
        if solid is not None:
            top, _ = self.tree.placement(solid) or (None, None)
            if top is None:
                label = self.model.label(solid)
                raise PhysicsError(f"{label} cannot be stopped, expected a solid")
            below = [link for link in self.tree.links if top in link.upwards()]
            places = ((axis.row, self.tree.placement(node)) for (node, _), axis in self._axes.items())
            axes = [row for row, place in places if place is not None and place[0] in below]
            robots = [link.row for link in below if link.robots is not None]
        self.table.velocity[axes] = self.table.limited[axes] = 0.0
        self.rolling.table.motions[robots] = 0.0

    def _put_all(self, moved: dict[int, Pose]) -> frozenset[NodeId]:
        """Move solids as in `PlanarTree.moved`; return those that may have been moved."""
        if moved == self.tree.moved:
            return frozenset()
        others = {*moved, *self.tree.moved}
        self.tree.put_all(moved)
        self.rolling.read_shapes()
        return frozenset(self.tree.links[number].solid for number in others)

    def _changing(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays that steps and motors change."""
        table, robots = self.table, self.rolling.table
        axes = (table.position, table.velocity, table.limited, table.command, table.acceleration)
        return *axes, robots.places, robots.motions, robots.pushed

    def _add_axes(self, model: PlanarModel) -> None:
        """Add axes without a joint: of tracks, propellers, and DifferentialWheels without wheel solids."""
        for id_, path in model.idle.items():  # they turn, and move nothing
            self._axes[id_, 0] = self.table.add_axis(path, AxisSpec(is_linear=id_ in model.tracks))
        self._wheeled = model.wheeled
        for robot in self._wheeled:
            for index, (name, solid) in enumerate(zip(WHEELS, robot.wheels, strict=True)):
                if solid is None:
                    axis = self.table.add_axis(f"{robot.path} > {name}", AxisSpec())
                else:
                    axis = self._axes[solid, 0]
                self._axes[robot.id, index] = axis

    def _limit_accelerations(self) -> None:
        """Limit the acceleration of DifferentialWheels without Physics to maxAcceleration."""
        for robot in self._wheeled:
            for index in range(2):
                self._axes[robot.id, index].limit_acceleration(robot.acceleration)
