"""The world of the fast 2D mode: differential robots roll in the plane, everything else stands still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from numpy.typing import NDArray

from sim_core.base.errors import PhysicsError, SceneError
from sim_core.base.geometry import ZERO, Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.base.state import State
from sim_core.base.trust import NO_PLUGIN
from sim_core.engines.capabilities import Capabilities
from sim_core.engines.engine import ContactPoint
from sim_core.engines.planar import wheel_kernels
from sim_core.engines.planar.axes import AxisTable, PlanarAxis
from sim_core.engines.planar.rolling_robots import RollingRobots
from sim_core.engines.planar.tree import PlanarFrame, PlanarTree
from sim_core.model.dynamics.bodies import Place
from sim_core.model.dynamics.model import PlanarModel
from sim_core.model.joint_frames import AxisSpec
from sim_core.model.kinematics import WHEELS
from sim_core.model.world_model import WorldModel


@dataclass(eq=False)
class PlanarState(State):
    """All that changes of a planar world, what motors are told among it; only good for that world."""

    time_ns: int
    epoch_ns: int
    arrays: tuple[NDArray[Any], ...]


class NoContacts:
    """What a touch sensor sees in this mode."""

    contacts: tuple[()] = ()

    def is_touching(self) -> bool:
        """Never."""
        return False

    def force(self) -> Vec3:
        """None."""
        return ZERO


class PlanarWorld:
    """Robots that roll without slip in the plane of the ground; meets `Engine`, in place of ODE.

    - Robots with a differential drive roll along exact arcs, all at once. Height and tilt stay as they are.
    - A robot is a disc for collisions. At a wall it slides along, or stops if it drives straight at it; two
      robots that meet both give way by half. Its wheels turn on: they slip.
    - Joints that are no wheels go exactly where their motors drive them. Everything else stands still.

    Attributes:
        time_ns, epoch_ns: sim time, and the elapsed time at which it was 0.
        step_ns: basic time step.
        gravity: m/s², world axes; it moves nothing.
        model: what it is built of.
        can: rolls robots.
        record_contacts: has no effect: there are no contacts.
        plugin_file, mail: None: no physics plug-in runs.
        builds: 0: nothing is built anew.
        warnings: what the scene asks for and does not get, one line each.
    """

    plugin_file: None = None
    mail: None = None
    builds = 0

    def __init__(self, model: WorldModel) -> None:
        """Build the world of a model; `Rolling.take` says later which robots roll.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible.
        """
        self.model = model
        record = model.world()
        self.step_ns = record.step_ns
        self.gravity = record.gravity
        self.epoch_ns = self.time_ns = 0
        self.record_contacts = False
        self._step = self.step_ns / 1e9
        self._kinematics = kinematics = model.planar()
        self._table = AxisTable()
        self._tree = PlanarTree(kinematics, self._table)
        self._axes = self._tree.axes
        self.warnings: list[SceneError] = list(kinematics.warnings)
        if record.plugin not in NO_PLUGIN:
            self.warnings.append(SceneError(*record.source, "in fast 2D no physics plug-in runs"))
        self._add_axes(kinematics)
        self._table.finish()
        self._limit_accelerations()
        self._frames: dict[NodeId, PlanarFrame] = {}
        self._rolling = RollingRobots(self.model, kinematics, self._tree, self._table, self.warnings)
        self.can = Capabilities(rolling=self._rolling)

    @property
    def elapsed_ns(self) -> int:
        """As `World.elapsed_ns`."""
        return self.epoch_ns + self.time_ns

    def step(self) -> None:
        """Advance by one basic time step: phase 2 of a simulation step."""
        table = self._table
        wheel_kernels.turn_axes(
            self._step, table.command, table.acceleration, table.asked, table.position, table.velocity,
            table.stops,
        )  # fmt: skip
        table.steps += 1
        self._rolling.roll(self._step)
        self.time_ns += self.step_ns

    def reset(self) -> frozenset[NodeId]:
        """Back to the initial state, to the last bit; motors are off."""
        self.epoch_ns = self.time_ns = 0
        self._table.reset()
        self._limit_accelerations()
        self._rolling.table.reset()
        return frozenset()

    def close(self) -> None:
        """The simulation is over: nothing has to be done."""

    def frame(self, node: NodeId) -> PlanarFrame:
        """As `World.frame`."""
        found = self._frames.get(node)
        if found is None:
            place = self._tree.place(node)
            if place is None:
                place = self._tree.on_link(self.model.place(node, self._kinematics.places) or Place())
            found = self._frames[node] = PlanarFrame(*place)
        return found

    def axis(self, joint: NodeId, index: int = 0) -> PlanarAxis:
        """A degree of freedom of a joint, a Servo, a wheel solid; of DifferentialWheels 0 is left, 1 right.

        Raises:
            PhysicsError: the node has no such axis.
        """
        found = self._axes.get((joint, index))
        if found is None:
            raise PhysicsError(f"{self.model.label(joint)} has no axis {index}")
        return found

    def is_blocked(self, solid: NodeId, pose: Pose) -> bool:
        """False: what is in the way of a robot is found out in the step."""
        return False

    def move(self, solid: NodeId, pose: Pose, linear: Vec3 = ZERO, angular: Vec3 = ZERO) -> None:
        """Put a robot that drives at the position and heading of a pose.

        Raises:
            PhysicsError: the solid is no such robot, or the pose is not finite.
        """
        link = self._tree.link_of(solid)
        if link is None or link.robots is None:
            label = self.model.label(solid)
            raise PhysicsError(f"{label} cannot be moved, in fast 2D only robots that drive can")
        if not all(abs(value) < 1e9 for value in (*pose.position, *pose.rotation)):
            raise PhysicsError(f"pose of a moved robot: found {pose}, expected finite numbers")
        link.robots.put(link.row, pose)

    def is_dynamic(self, node: NodeId) -> bool:
        """False: no force moves anything here."""
        return False

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """None: there are no contact points."""
        return ()

    def mass_of(self, solid: NodeId) -> None:
        """None: nothing has mass."""

    def masses(self) -> tuple[()]:
        """None: nothing has mass."""
        return ()

    def belt(self, track: NodeId) -> None:
        """None: belts do not run here."""

    def watch_contacts(self, solid: NodeId) -> NoContacts:
        """Nothing touches anything here."""
        return NoContacts()

    def can_bond(self, first: NodeId, second: NodeId) -> bool:
        """False: nothing can be held together."""
        return False

    def bond(self, first: NodeId, second: NodeId, relative: Pose | None = None) -> NoReturn:
        """Raises PhysicsError: nothing can be held together."""
        one, other = (self.model.label(solid).path for solid in (first, second))
        raise PhysicsError(f"{one} and {other} cannot be bonded in fast 2D")

    def find_bond(self, number: int) -> None:
        """None: nothing can be held together."""

    def get_state(self) -> PlanarState:
        """The whole state of now."""
        return PlanarState(self.time_ns, self.epoch_ns, tuple(array.copy() for array in self._changing()))

    def check_state(self, state: object) -> None:
        """All that could be wrong with a state is found out by `set_state`."""

    def set_state(self, state: State, anew: bool = False) -> frozenset[NodeId]:
        """As `Engine.set_state`."""
        arrays = self._changing()
        if not isinstance(state, PlanarState) or [each.shape for each in state.arrays] != [
            array.shape for array in arrays
        ]:
            raise PhysicsError("found the state of another world, expected one of this world")
        self.epoch_ns, self.time_ns = state.epoch_ns, state.time_ns
        for array, then in zip(arrays, state.arrays, strict=True):
            array[:] = then
        self._table.steps += 1
        return frozenset()

    def get_plugin_state(self) -> None:
        """None: no plug-in runs here."""

    def set_plugin_state(self, state: object) -> None:
        """No plug-in runs here."""

    def stop_motion(self) -> None:
        """As `Engine.stop_motion`."""
        self._table.asked[:] = 0.0
        self._table.velocity[:] = 0.0
        self._rolling.table.motions[:] = 0.0

    def _changing(self) -> tuple[NDArray[Any], ...]:
        """The arrays that steps and motors change."""
        table, robots = self._table, self._rolling.table
        axes = (table.position, table.velocity, table.asked, table.command, table.acceleration)
        return *axes, robots.places, robots.motions, robots.pushed

    def _add_axes(self, model: PlanarModel) -> None:
        """Axes that no joint has: of tracks, propellers, and DifferentialWheels without wheel solids."""
        for id_, path in model.idle.items():  # they turn, and move nothing
            self._axes[id_, 0] = self._table.add(path, AxisSpec(), id_ in model.tracks)
        self._wheeled = model.wheeled
        for robot in self._wheeled:
            for index, (name, solid) in enumerate(zip(WHEELS, robot.wheels, strict=True)):
                if solid is None:
                    axis = self._table.add(f"{robot.path} > {name}", AxisSpec(), False)
                else:
                    axis = self._axes[solid, 0]
                self._axes[robot.id, index] = axis

    def _limit_accelerations(self) -> None:
        """DifferentialWheels without Physics speed up by at most maxAcceleration."""
        for robot in self._wheeled:
            for index in range(2):
                self._axes[robot.id, index].limit_acceleration(robot.acceleration)
