"""What robots and their devices can be told, as records."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.errors import CommandError
from sim_core.base.outcome import Clamped
from sim_core.base.state import Stateful, all_of
from sim_core.devices.motors.fast_velocity import set_velocity_fast
from sim_core.session.pipeline import Wish
from sim_core.session.players.following import Tolerance, Tolerances
from sim_core.session.players.trajectory import Trajectory, checked_trajectory, chosen_motors

if TYPE_CHECKING:
    from sim_core.session.rolled_robots import RolledRobots
    from sim_core.session.session import Session

FloatRows = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class ToRobot(Wish):
    """A wish that a robot with an empty battery cannot fulfil."""

    robot: str

    @property
    def power_of(self) -> str:
        """The robot."""
        return self.robot


@dataclass(frozen=True, slots=True)
class Tell(ToRobot):
    """Tell a device one of the commands that it declares.

    Attributes:
        device: its name.
        command: of the command.
        arguments: by name.
    """

    device: str
    command: str
    arguments: Mapping[str, Any]

    def changes(self, session: Session) -> tuple[Stateful, ...] | None:
        """The device, and those that are told with it, with their faults."""
        devices = session.sim.robot(self.robot)[self.device].commanded_devices
        if devices is None:
            return None
        told = [part for each in devices for _, part in all_of(each, each.name)]
        return (*told, *(each.command_faults for each in devices if each.command_faults is not None))

    def _act(self, session: Session) -> str | None:
        device = session.sim.robot(self.robot)[self.device]
        spec = device.commands.get(self.command)
        if spec is None:
            known = ", ".join(device.commands) or "none"
            raise CommandError(f'found command "{self.command}", expected one of {known}')
        answer = spec.execute(device, self.arguments)
        if answer is False:
            return f"{self.command}: {self.device} could not take it"
        return answer if isinstance(answer, str) else None


@dataclass(frozen=True, slots=True)
class Drive(ToRobot):
    """Drive a robot: forward at m/s, counter-clockwise at rad/s and to the left at m/s, for ns of sim time,
    or 0: until told otherwise."""

    linear: float
    angular: float
    timeout_ns: int = 0
    lateral: float = 0.0

    def _act(self, session: Session) -> str | None:
        leading = session.sim.robot(self.robot).leading
        return leading.drive(self.linear, self.angular, self.timeout_ns, self.lateral)


@dataclass(frozen=True, slots=True)
class FollowTrajectory(ToRobot):
    """Lead motors along a trajectory; it takes the place of the one of the same leader before.

    Attributes:
        joints: names of motors.
        times_ns: of the points after the start; none: the trajectory that is followed ends.
        positions, velocities, accelerations: a row for each point: rad or m, and per s and s²; rows may be
            empty but for the positions.
        start_ns: sim time of the start; None: the next step.
        leader: who leads, such as the name of a controller; several may lead the motors of a robot.
        path_tolerance, goal_tolerance: for each joint of position and velocity, 0: none; without rows nobody
            judges whether the joints follow.
        goal_time_ns: after the end, in which the goal must be reached; 0: the joints have all time.
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
            robot.leading.follow_none(self.leader)
            return None
        motors = chosen_motors(self.joints, robot.motors())
        now_ns = session.sim.time_ns
        trajectory, tolerances = self.trajectory, self.tolerances
        return robot.leading.follow(motors, trajectory, now_ns, self.start_ns, self.leader, tolerances)

    @property
    def trajectory(self) -> Trajectory:
        """Its points.

        Raises:
            CommandError: as `checked_trajectory`.
        """
        return checked_trajectory(
            self.joints, self.times_ns, self.positions, self.velocities, self.accelerations
        )

    @property
    def tolerances(self) -> Tolerances | None:
        """What it is judged by."""
        if not self.path_tolerance and not self.goal_tolerance:
            return None
        path, goal = (
            tuple(Tolerance(*row) for row in rows) for rows in (self.path_tolerance, self.goal_tolerance)
        )
        return Tolerances(path, goal, self.goal_time_ns)


@dataclass(frozen=True, slots=True)
class HoldPosition(ToRobot):
    """End the trajectory of a leader; its motors hold the joints where they are."""

    leader: str

    def _act(self, session: Session) -> None:
        session.sim.robot(self.robot).leading.hold(self.leader)


@dataclass(frozen=True, slots=True)
class PlayMotion(ToRobot):
    """Play a motion file; it takes the place of the one before.

    Attributes:
        file: as `find_motion` takes it; empty: the motion that is played ends.
        loop, reverse: as `MotionPlayer` has them.
    """

    file: str
    loop: bool = False
    reverse: bool = False

    def _act(self, session: Session) -> str | None:
        sim = session.sim
        ignored = sim.robot(self.robot).leading.play(self.file, sim.scene.file, self.loop, self.reverse)
        if not ignored:
            return None
        return f"joints that {self.robot} does not have are ignored: {', '.join(ignored)}"


@dataclass(frozen=True, slots=True)
class ToFleet(Wish):
    """Wishes for many robots, of which those whose battery is empty fulfil none.

    Attributes:
        wishes: each for one robot.
    """

    wishes: tuple[ToRobot, ...]

    def _act(self, session: Session) -> str | None:
        robots = session.sim.robots
        empty: dict[str, None] = {}
        said: str | None = None
        for wish in self.wishes:
            robot = robots.get(wish.robot)
            if robot is not None and not robot.is_on:
                empty[wish.robot] = None
                continue
            outcome = wish.carry_out(session)
            if said is None and isinstance(outcome, Clamped):
                said = outcome.text
        return _who_is_empty(empty) or said


@dataclass(frozen=True, slots=True)
class TurnJoints(Wish):
    """Velocities for motors of many robots, of which those whose battery is empty turn none.

    Attributes:
        motors: names of robot and motor.
        velocities: of each, rad/s or m/s; finite.
    """

    motors: tuple[tuple[str, str], ...]
    velocities: tuple[float, ...]

    def _act(self, session: Session) -> str | None:
        robots = session.sim.robots
        empty: dict[str, None] = {}
        said: str | None = None
        for (name, motor), velocity in zip(self.motors, self.velocities, strict=True):
            robot = robots[name]
            if robot.is_on:
                message = set_velocity_fast(robot.devices[motor], velocity)  # type: ignore[arg-type]
                said = said or message
            else:
                empty[name] = None
        return _who_is_empty(empty) or said


@dataclass(frozen=True, slots=True, eq=False)
class TurnCopies(Wish):
    """Velocities for wheels of robots that are held as arrays.

    Attributes:
        axes: (w,) numbers of the axes.
        velocities: (w,) of each, rad/s; finite.
    """

    axes: IntArray
    velocities: FloatArray

    def _act(self, session: Session) -> str | None:
        return _rolled(session).copies.turn(self.axes, self.velocities)


@dataclass(frozen=True, slots=True, eq=False)
class DriveCopies(Wish):
    """Drive robots that are held as arrays.

    Attributes:
        rows: (n,) in `RolledRobots`.
        linear, angular: (n,) m/s forward and rad/s counter-clockwise; finite.
    """

    rows: IntArray
    linear: FloatArray
    angular: FloatArray

    def _act(self, session: Session) -> str | None:
        return _rolled(session).copies.drive(self.rows, self.linear, self.angular)


def _rolled(session: Session) -> RolledRobots:
    rolled = session.sim.rolled
    assert rolled is not None  # else there are none of them
    return rolled


def _who_is_empty(robots: Collection[str]) -> str | None:
    if not robots:
        return None
    more = len(robots) - 1
    return f"the battery of {next(iter(robots))} is empty" + (f", and those of {more} more" if more else "")


WISHES = (Tell, Drive, FollowTrajectory, HoldPosition, PlayMotion)
