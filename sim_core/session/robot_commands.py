"""Actions on robots and their devices, as records."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.errors import CommandError
from sim_core.base.outcome import Clamped
from sim_core.base.state import Stateful, all_of
from sim_core.devices.motors.fast_velocity import set_velocity_fast
from sim_core.session.pipeline import Action
from sim_core.session.players.trajectory import Trajectory, checked_trajectory, chosen_motors
from sim_core.session.players.trajectory_player import Tolerance, Tolerances

if TYPE_CHECKING:
    from sim_core.session.rolled_robots import RolledRobots
    from sim_core.session.session import Session

FloatRows = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class RobotAction(Action):
    """Action that is refused if the robot's battery is empty."""

    robot: str

    @property
    def needs_power_of(self) -> str:
        """Name of the robot."""
        return self.robot


@dataclass(frozen=True, slots=True)
class DeviceCommand(RobotAction):
    """Send a device one of the commands that it declares.

    Attributes:
        device: name of the device.
        command: name of the command.
        arguments: by parameter name.
    """

    device: str
    command: str
    arguments: Mapping[str, Any]

    def changes(self, session: Session) -> tuple[Stateful, ...] | None:
        """Return the device and those that are commanded together with it, with their faults."""
        devices = session.sim.robot(self.robot)[self.device].commanded_devices
        if devices is None:
            return None
        parts = [part for each in devices for _, part in all_of(each, each.name)]
        return (*parts, *(each.command_faults for each in devices if each.command_faults is not None))

    def _act(self, session: Session) -> str | None:
        device = session.sim.robot(self.robot)[self.device]
        spec = device.commands.get(self.command)
        if spec is None:
            known = ", ".join(device.commands) or "none"
            raise CommandError(f'found command "{self.command}", expected one of {known}')
        answer = spec.execute(device, self.arguments)
        if answer is False:
            return f"{self.command}: {self.device} did not accept it"
        return answer if isinstance(answer, str) else None


@dataclass(frozen=True, slots=True)
class Drive(RobotAction):
    """Drive a robot: forward in m/s, counter-clockwise in rad/s and to the left in m/s.

    Attributes:
        timeout_ns: sim time after which the robot stops; 0: it drives until the next command.
        sent_ns: sim time from which that counts; None, or a time to come: the present time.
    """

    linear: float
    angular: float
    timeout_ns: int = 0
    lateral: float = 0.0
    sent_ns: int | None = None

    def _act(self, session: Session) -> str | None:
        now_ns, timeout_ns = session.sim.time_ns, self.timeout_ns
        if timeout_ns and self.sent_ns is not None:
            age_ns = max(0, now_ns - self.sent_ns)
            if age_ns >= timeout_ns:
                found = f"a command from {age_ns / 1e9:g} s ago"
                raise CommandError(
                    f"found {found}, expected one that is less than {timeout_ns / 1e9:g} s old"
                )
            timeout_ns -= age_ns
        control = session.sim.robot(self.robot).motion_control
        return control.drive(self.linear, self.angular, timeout_ns, self.lateral)


@dataclass(frozen=True, slots=True)
class FollowTrajectory(RobotAction):
    """Move motors along a trajectory; it replaces the previous one of the same leader.

    Attributes:
        joints: names of motors.
        times_ns: of the points after the start; empty: the present trajectory ends.
        positions, velocities, accelerations: a row per point: rad or m, and per s and s²; rows of velocities
            and accelerations may be empty.
        start_ns: sim time of the start; None: the next step.
        leader: name of the sender, such as a controller; several leaders may command motors of a robot.
        path_tolerance, goal_tolerance: for each joint of position and velocity, 0: none; without rows the
            motion is not checked.
        goal_time_ns: time after the end in which the goal must be reached; 0: unlimited.
    """

    joints: Sequence[str]
    times_ns: Sequence[int]
    positions: FloatRows
    velocities: FloatRows
    accelerations: FloatRows
    start_ns: int | None = None
    leader: str = ""
    path_tolerance: FloatRows = ()
    goal_tolerance: FloatRows = ()
    goal_time_ns: int = 0

    def _act(self, session: Session) -> str | None:
        robot = session.sim.robot(self.robot)
        if not self.times_ns:
            robot.motion_control.end_trajectory(self.leader)
            return None
        motors = chosen_motors(self.joints, robot.motors())
        now_ns = session.sim.time_ns
        trajectory, tolerances = self.trajectory, self.tolerances
        return robot.motion_control.follow(motors, trajectory, now_ns, self.start_ns, self.leader, tolerances)

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory through the points.

        Raises:
            CommandError: as `checked_trajectory`.
        """
        return checked_trajectory(
            self.joints, self.times_ns, self.positions, self.velocities, self.accelerations
        )

    @property
    def tolerances(self) -> Tolerances | None:
        """Tolerances of the motion, or None."""
        if not self.path_tolerance and not self.goal_tolerance:
            return None
        path, goal = (
            tuple(Tolerance(*row) for row in rows) for rows in (self.path_tolerance, self.goal_tolerance)
        )
        return Tolerances(path, goal, self.goal_time_ns)


@dataclass(frozen=True, slots=True)
class HoldPosition(RobotAction):
    """End the trajectory of a leader; its motors hold the present joint positions."""

    leader: str

    def _act(self, session: Session) -> None:
        session.sim.robot(self.robot).motion_control.hold(self.leader)


@dataclass(frozen=True, slots=True)
class PlayMotion(RobotAction):
    """Play a motion file; it replaces the present motion.

    Attributes:
        file: as `find_motion` takes it; empty: the present motion ends.
        loop, reverse: as `MotionPlayer` has them.
    """

    file: str
    loop: bool = False
    reverse: bool = False

    def _act(self, session: Session) -> str | None:
        sim = session.sim
        ignored = sim.robot(self.robot).motion_control.play(
            self.file, sim.scene.file, self.loop, self.reverse
        )
        if not ignored:
            return None
        return f"joints that {self.robot} does not have are ignored: {', '.join(ignored)}"


@dataclass(frozen=True, slots=True)
class FleetAction(Action):
    """Actions on many robots; those with an empty battery are skipped.

    Attributes:
        actions: one per robot.
    """

    actions: tuple[RobotAction, ...]

    def _act(self, session: Session) -> str | None:
        robots = session.sim.robots
        empty: dict[str, None] = {}
        message: str | None = None
        for action in self.actions:
            robot = robots.get(action.robot)
            if robot is not None and not robot.is_on:
                empty[action.robot] = None
                continue
            outcome = action.carry_out(session)
            if message is None and isinstance(outcome, Clamped):
                message = outcome.text
        return _empty_batteries(empty) or message


@dataclass(frozen=True, slots=True)
class TurnJoints(Action):
    """Set velocities of motors of many robots; those with an empty battery are skipped.

    Attributes:
        motors: names of robot and motor.
        velocities: of each, rad/s or m/s; finite.
    """

    motors: tuple[tuple[str, str], ...]
    velocities: tuple[float, ...]

    def _act(self, session: Session) -> str | None:
        robots = session.sim.robots
        empty: dict[str, None] = {}
        first_message: str | None = None
        for (name, motor), velocity in zip(self.motors, self.velocities, strict=True):
            robot = robots[name]
            if robot.is_on:
                message = set_velocity_fast(robot.devices[motor], velocity)  # type: ignore[arg-type]
                first_message = first_message or message
            else:
                empty[name] = None
        return _empty_batteries(empty) or first_message


@dataclass(frozen=True, slots=True, eq=False)
class TurnCopies(Action):
    """Set wheel velocities of robots that are held as arrays.

    Attributes:
        axes: (w,) axis numbers.
        velocities: (w,) rad/s; finite.
    """

    axes: IntArray
    velocities: FloatArray

    def _act(self, session: Session) -> str | None:
        return _rolled(session).copies.turn(self.axes, self.velocities)


@dataclass(frozen=True, slots=True, eq=False)
class DriveCopies(Action):
    """Drive robots that are held as arrays.

    Attributes:
        rows: (n,) rows in `RolledRobots`.
        linear, angular: (n,) m/s forward and rad/s counter-clockwise; finite.
    """

    rows: IntArray
    linear: FloatArray
    angular: FloatArray

    def _act(self, session: Session) -> str | None:
        return _rolled(session).copies.set_twists(self.rows, self.linear, self.angular)


def _rolled(session: Session) -> RolledRobots:
    rolled = session.sim.rolled
    assert rolled is not None  # only commands of rolled robots get here
    return rolled


def _empty_batteries(robots: Collection[str]) -> str | None:
    if not robots:
        return None
    more = len(robots) - 1
    return f"the battery of {next(iter(robots))} is empty" + (f", and those of {more} more" if more else "")


ACTIONS = (DeviceCommand, Drive, FollowTrajectory, HoldPosition, PlayMotion)
