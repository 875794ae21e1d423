"""The world of the fast 2D mode: differential robots roll in the plane, everything else stands still."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from numpy.typing import NDArray

from sim_core.base.errors import PhysicsError, SceneError
from sim_core.base.geometry import ZERO, Pose, Vec3, rotate
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.engines.ode import ContactPoint
from sim_core.engines.ode.frames import WorldFrame
from sim_core.engines.ode.world_info import gravity_of, step_of
from sim_core.engines.planar import motion_kernels, wheel_kernels
from sim_core.engines.planar.axes import AxisTable, PlanarAxis
from sim_core.engines.planar.obstacles import Obstacles
from sim_core.engines.planar.odometry import OdometryTable, PlanarOdometry, can_share
from sim_core.engines.planar.robots import RobotTable
from sim_core.engines.planar.slices import Slices
from sim_core.engines.planar.tree import PlanarFrame, PlanarJoint, PlanarLink, PlanarTree
from sim_core.model.joint_frames import AxisSpec
from sim_core.scene import Node, Scene

if TYPE_CHECKING:
    from sim_core.session.robot import Robot

LEAN = 0.1
"""Sine of the tilt at the start past which a robot is not said to stand upright."""


class PlanarState(NamedTuple):
    """All that changes of a planar world, what motors are told among it."""

    time_ns: int
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
    """Robots that roll without slip in the plane of the ground; meets the `World` protocol, in place of ODE.

    - Robots with a differential drive roll along exact arcs, all at once. Height and tilt stay as they are.
    - A robot is a disc for collisions. At a wall it slides along, or stops if it drives straight at it; two
      robots that meet both give way by half. Its wheels turn on: they slip.
    - Joints that are no wheels go exactly where their motors drive them. Everything else stands still.

    Attributes:
        time_ns: sim time.
        step_ns: basic time step.
        gravity: m/s², world axes; it moves nothing.
        info: the WorldInfo node.
        before_step_hooks: called with this world before each step.
        record_contacts: has no effect: there are no contacts.
        warnings: what the scene asks for and does not get, one line each.
        robots: the robots that drive, as arrays.
        odometry: what their wheels tell.
        obstacles: what they run into.
        slices: what rays in a plane meet.
    """

    is_planar = True

    def __init__(self, scene: Scene, seed: int = 0) -> None:
        """Build the world of a scene; `take_robots` says later which robots drive.

        Raises:
            SceneError, SceneErrors: the scene asks for something impossible.
        """
        self.scene = scene
        self.info: Node = scene.world_info
        self.step_ns = step_of(self.info)
        self.gravity = gravity_of(self.info)
        self.time_ns = 0
        self.before_step_hooks: list[Callable[[PlanarWorld], None]] = []
        self.record_contacts = False
        self._step = self.step_ns / 1e9
        self.tree = PlanarTree(scene)
        self.warnings: list[SceneError] = list(self.tree.warnings)
        if self.info["physics"] not in ("", "<none>"):
            self._warn(self.info, "in fast 2D no physics plug-in runs")
        self._table = AxisTable()
        self._axes: dict[tuple[Node, int], PlanarAxis] = {}
        for node, link, pose in self.tree.joints:
            joint = PlanarJoint(node, link, pose, self.tree, self._table)
            for index, axis in enumerate(joint.axes):
                self._axes[node, index] = axis  # type: ignore[assignment]
        self._add_axes(scene)
        self._table.finish()
        self._limit_accelerations()
        self._frames: dict[Node, PlanarFrame | WorldFrame] = {}
        self.robots = RobotTable(())
        self.odometry = OdometryTable(self._table, self.robots)
        self.obstacles = Obstacles(self.tree, scene, self.robots)
        self.slices = Slices(self.tree, scene, self.robots)

    def take_robots(self, robots: Iterable[Robot]) -> None:
        """Take in the robots, once their devices are known: those with a differential drive will drive."""
        driven: list[tuple[PlanarLink, DifferentialDrive]] = []
        drivers: list[Robot] = []
        still: list[Robot] = []
        for robot in robots:
            link = self.tree.link_of(robot.node)
            if robot.drive is None or not isinstance(link, PlanarLink) or link.parent is not None:
                still.append(robot)
                continue
            up = rotate(link.start.rotation, (0.0, 0.0, 1.0))
            if math.hypot(up[0], up[1]) > LEAN:
                self._warn(robot.node, f"{robot.name} is tilted; in fast 2D it drives in the plane anyway")
            driven.append((link, robot.drive))
            drivers.append(robot)
        self.robots = RobotTable(driven)
        self.odometry = OdometryTable(self._table, self.robots)
        for row, (robot, (_, drive)) in enumerate(zip(drivers, driven, strict=True)):
            if can_share(drive):
                robot.odometry = PlanarOdometry(drive, self.odometry, row)
        self.obstacles = Obstacles(self.tree, self.scene, self.robots)
        self.slices = Slices(self.tree, self.scene, self.robots)
        self._say_what_stands(still)
        self.warnings += self.obstacles.warnings

    def step(self) -> None:
        """Advance by one basic time step: phase 2 of a simulation step."""
        for hook in self.before_step_hooks:
            hook(self)
        table, robots, walls = self._table, self.robots, self.obstacles
        wheel_kernels.turn_axes(
            self._step, table.command, table.acceleration, table.asked, table.position, table.velocity,
            table.stops,
        )  # fmt: skip
        table.steps += 1
        motion_kernels.roll(
            self._step, table.velocity, robots.wheels, robots.shares, robots.sizes, walls.discs, walls.slabs,
            robots.places, robots.motions, robots.pushed,
            walls.outlines, walls.outline_slabs, walls.grid, walls.start, walls.items,
        )  # fmt: skip
        self.time_ns += self.step_ns

    def reset(self) -> None:
        """Back to the initial state, to the last bit; motors are off."""
        self.time_ns = 0
        self._table.reset()
        self._limit_accelerations()
        self.robots.reset()

    def close(self) -> None:
        """The simulation is over: nothing has to be done."""

    def frame(self, node: Node) -> PlanarFrame | WorldFrame:
        """The frame of a Solid, Pose or device node, or of the nearest above; one object per node."""
        found = self._frames.get(node)
        if found is None:
            link, pose = self.tree.place(node)
            found = PlanarFrame(link, pose) if isinstance(link, PlanarLink) else WorldFrame(pose)
            self._frames[node] = found
        return found

    def axis(self, joint: Node, index: int = 0) -> PlanarAxis:
        """A degree of freedom of a joint, a Servo, a wheel solid; of DifferentialWheels 0 is left, 1 right.

        Raises:
            PhysicsError: the node has no such axis.
        """
        found = self._axes.get((joint, index))
        if found is None:
            raise PhysicsError(f"{joint.where}: {joint.path()} has no axis {index}")
        return found

    def is_blocked(self, solid: Node, pose: Pose) -> bool:
        """False: what is in the way of a robot is found out in the step."""
        return False

    def move(self, solid: Node, pose: Pose, linear: Vec3 = ZERO, angular: Vec3 = ZERO) -> None:
        """Put a robot that drives at the position and heading of a pose.

        Raises:
            PhysicsError: the solid is no such robot, or the pose is not finite.
        """
        link = self.tree.link_of(solid)
        if not isinstance(link, PlanarLink) or link.robots is None or link.solid is not solid:
            raise PhysicsError(
                f"{solid.where}: {solid.path()} cannot be moved, in fast 2D only robots that drive can"
            )
        if not all(abs(value) < 1e9 for value in (*pose.position, *pose.rotation)):
            raise PhysicsError(f"pose of a moved robot: found {pose}, expected finite numbers")
        link.robots.put(link.row, pose)

    def is_dynamic(self, node: Node) -> bool:
        """False: no force moves anything here."""
        return False

    @property
    def contacts(self) -> list[ContactPoint]:
        """None: there are no contact points."""
        return []

    def watch_contacts(self, solid: Node) -> NoContacts:
        """Nothing touches anything here."""
        return NoContacts()

    def can_bond(self, first: Node, second: Node) -> bool:
        """False: nothing can be held together."""
        return False

    def bond(self, first: Node, second: Node, relative: Pose | None = None) -> NoReturn:
        """Raises PhysicsError: nothing can be held together."""
        raise PhysicsError(f"{first.path()} and {second.path()} cannot be bonded in fast 2D")

    def find_bond(self, number: int) -> None:
        """None: nothing can be held together."""

    def get_state(self) -> PlanarState:
        """The whole state of now."""
        return PlanarState(self.time_ns, tuple(array.copy() for array in self._changing()))

    def set_state(self, state: PlanarState) -> None:
        """Go on from a state of this world or of one of an equal scene.

        Raises:
            PhysicsError: it is the state of another world.
        """
        arrays = self._changing()
        if [each.shape for each in state.arrays] != [array.shape for array in arrays]:
            raise PhysicsError("found the state of another world, expected one of this world")
        self.time_ns = state.time_ns
        for array, then in zip(arrays, state.arrays, strict=True):
            array[:] = then
        self._table.steps += 1

    def stop_motion(self) -> None:
        """Take all velocity from everything, where it stands; motors that are on set it going again."""
        self._table.asked[:] = 0.0
        self._table.velocity[:] = 0.0
        self.robots.motions[:] = 0.0

    def _changing(self) -> tuple[NDArray[Any], ...]:
        """The arrays that a step changes, and those that motors and odometry do."""
        table, robots, odometry = self._table, self.robots, self.odometry
        moved = (table.position, table.velocity, table.asked, robots.places, robots.motions)
        told = (table.command, table.acceleration, robots.pushed)
        return *moved, *told, odometry.poses, odometry.twists, odometry.last

    def _add_axes(self, scene: Scene) -> None:
        """Axes that no joint has: of tracks, propellers, and DifferentialWheels without wheel solids."""
        for node in scene.walk():
            if node.type_name in ("Track", "Propeller"):  # they turn, and move nothing
                name, slides = node.path(), node.type_name == "Track"
                self._axes[node, 0] = self._table.add(name, AxisSpec(), slides)
        self._wheeled = [node for node in scene.walk() if node.type_name == "DifferentialWheels"]
        for robot in self._wheeled:
            solids = {
                joint["name"]: axis
                for (joint, _), axis in self._axes.items()
                if joint.type_name == "Solid" and joint.parent is not None and _robot_above(joint) is robot
            }
            for index, name in enumerate(("left wheel", "right wheel")):
                axis = solids.get(name)
                if axis is None:
                    axis = self._table.add(f"{robot.path()} > {name}", AxisSpec(), False)
                self._axes[robot, index] = axis

    def _limit_accelerations(self) -> None:
        """DifferentialWheels without Physics speed up by at most maxAcceleration."""
        for robot in self._wheeled:
            if robot["physics"] is None:
                for index in range(2):
                    self._axes[robot, index].limit_acceleration(robot["maxAcceleration"])

    def _say_what_stands(self, still: list[Robot]) -> None:
        """One line for the robots that cannot drive, one for the other solids that would fall or roll."""
        if still:
            names = ", ".join(robot.name for robot in still)
            self._warn(still[0].node, f"in fast 2D robots without a differential drive stand still: {names}")
        driven = {link.solid for link in self.robots.links}
        loose = [
            link.solid
            for link in self.tree.links
            if link.parent is None and link.solid["physics"] is not None and link.solid not in driven
            and not link.solid.is_a("Robot")
        ]  # fmt: skip
        if loose:
            names = ", ".join(solid["name"] for solid in loose[:5]) + (", …" if len(loose) > 5 else "")
            self._warn(loose[0], f"in fast 2D solids with Physics stand still too: {names}")

    def _warn(self, node: Node, text: str) -> None:
        self.warnings.append(SceneError(*node.source, text))


def _robot_above(node: Node) -> Node | None:
    """The nearest Robot above a node."""
    return next((above for above in node.ancestors() if above.is_a("Robot")), None)
