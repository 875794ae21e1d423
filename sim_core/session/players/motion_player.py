"""Plays a motion on the motors of a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import CommandError
from sim_core.base.state import State
from sim_core.devices.motors.motor import Motor
from sim_core.session.players.motion import Motion
from sim_core.session.players.playback import Playback, Player, PlayerSpec

if TYPE_CHECKING:
    from sim_core.session.robot import Robot


@dataclass(eq=False)
class MotionState(State):
    """State of a motion.

    Attributes:
        time_ns: playback time.
        loop: restart at the end.
        reverse: play backwards.
    """

    time_ns: int = 0
    loop: bool = False
    reverse: bool = False


@dataclass(frozen=True)
class MotionSpec(PlayerSpec):
    """Specification of a `MotionPlayer`."""

    motion: Motion

    def player(self, robot: Robot, playback: Playback) -> MotionPlayer:
        """Return a player of the motion."""
        return MotionPlayer(self.motion, robot.motors(), playback)


class MotionPlayer(Player):
    """Plays a motion as Webots does (Webots reference, Motion).

    In each step the positions at the playback time are sent to the motors with `set_position`; then the
    playback time advances by the step, backwards if `reverse`. The last pose is always sent exactly. With
    `loop` the motion restarts from the other end in the next step.

    Attributes:
        motion: the motion.
        ignored: joints of the motion that the robot does not have.
    """

    state: MotionState

    def __init__(self, motion: Motion, motors: Mapping[str, Motor], playback: Playback) -> None:
        """Create a player at the start of the motion; call `play` to start it.

        Raises:
            CommandError: the robot has none of the motion's joints.
        """
        self.motion = motion
        self.state = MotionState()
        self.ignored = [name for name in motion.joints if name not in motors]
        self._motors = [(column, motors[name]) for column, name in enumerate(motion.joints) if name in motors]
        if not self._motors:
            raise CommandError(
                f"found the joints {', '.join(motion.joints)}, expected some of {', '.join(motors) or 'none'}"
            )
        super().__init__(MotionSpec(self._motors[0][1].robot_name, motion), playback)
        self._end_ns = motion.path.end_ns

    @property
    def loop(self) -> bool:
        """True: restart at the end; may be set while it plays."""
        return self.state.loop

    @loop.setter
    def loop(self, on: bool) -> None:
        self.state.loop = on

    @property
    def reverse(self) -> bool:
        """True: play backwards; may be set while it plays."""
        return self.state.reverse

    @reverse.setter
    def reverse(self, on: bool) -> None:
        self.state.reverse = on

    @property
    def duration(self) -> float:
        """Time of the last pose, s."""
        return self.motion.duration

    @property
    def time(self) -> float:
        """Playback time, s."""
        return self.state.time_ns / 1e9

    @property
    def is_over(self) -> bool:
        """True if the playback time is at the end (at the start if `reverse`); never in a loop.

        The last pose has been sent then; the motors need not have reached it.
        """
        end = 0 if self.reverse else self._end_ns
        return not self.loop and self.state.time_ns == end

    def play(self) -> None:
        """Play from the playback time, or from the other end if the time is at the end."""
        if self.reverse and self.state.time_ns <= 0:
            self.state.time_ns = self._end_ns
        elif not self.reverse and self.state.time_ns >= self._end_ns:
            self.state.time_ns = 0
        self._playback.start_player(self)

    def set_time(self, time: float) -> None:
        """Set the playback time in seconds, clamped to 0 and the duration."""
        self.state.time_ns = max(0, min(self._end_ns, to_nanoseconds(time)))

    def reset(self) -> None:
        """Stop at the start of the motion."""
        self.stop()
        self.state.time_ns = 0

    def before_step(self, step_ns: int) -> bool:
        """Send this step's positions; False: the last pose was sent."""
        positions = self.motion.path.positions_at(self.state.time_ns)
        for column, motor in self._motors:
            position = float(positions[column])
            if not math.isnan(position):
                motor.set_position(position)
        first, last = (self._end_ns, 0) if self.reverse else (0, self._end_ns)
        if self.state.time_ns == last:
            self.state.time_ns = first if self.loop else last
            return self.loop
        moved = self.state.time_ns + (-step_ns if self.reverse else step_ns)
        self.state.time_ns = max(0, min(self._end_ns, moved))
        return True
