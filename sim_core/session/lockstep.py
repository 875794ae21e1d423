"""Lock-step: determines which controllers must answer before the next step.

A robot is in lock-step if it is synchronized and its controller uses this protocol (`WaitState`). Before a
step that starts at a time t, a multiple of the robot's control period (0 too), the simulation needs one
answer to t from each of its controllers. An answer is one sensor_msgs/JointState on `/R/joint_command` with
the stamp t, the time of the readings that it answers; `header.frame_id` is the controller's name, which one
controller may leave empty.
The command and the acknowledgement are one message, so they cannot be reordered.

| stamp | what happens |
|---|---|
| t | counted, applied in phase 1 of the step that starts at t; a controller's second answer replaces the
first |
| before t, answered already by that controller | ignored as a repetition |
| before t | applied at the next step, not counted |
| after t | refused with a warning |

While the simulation waits it repeats /clock with t every 0.1 s of wall time, and sends the readings of t
again: on topics with a new subscriber, and on all topics of a robot that has not answered for too long
(`ros_bridge/processes/controller_wait.py`). Rule for controllers: at the start, and when /clock jumps back,
answer the time of /clock; afterwards answer each complete set of readings with its stamp, and a repeated set
with the same answer. Readings from before the jump may arrive after it: until the first set is answered,
ignore those later than /clock.

The simulation does not wait for a robot whose controller has ended. If a controller has answered before and
then lets `lockstep_timeout` pass, the robot is named once; then the simulation waits on, or goes on without
it until it answers the present time again (`lockstep_on_timeout`).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sim_core.base.alarm import NEVER, Alarm


class Verdict(enum.Enum):
    """Handling of a message on `joint_command`."""

    ANSWER = "counted and kept for the step"
    COMMAND = "applied at the next step"
    REPEATED = "dropped"
    FUTURE = "refused"


class WaitState(enum.Enum):
    """Whether the simulation waits for a robot, and why."""

    UNCONFIRMED = "waited for until its controller answers, or proves not to use the lock-step"
    IN_STEP = "waited for: its controller uses the lock-step"
    FREE = "not waited for until it answers two control times in a row"
    GONE = "not waited for: its controller has ended"


@dataclass
class _LockstepRobot:
    """State of a robot in lock-step."""

    period_ns: int
    controllers: int
    wait_state: WaitState
    is_extern: bool
    """True: the robot becomes free whenever no controller is attached."""
    heard_ns: dict[str, int] = field(default_factory=dict)
    """While it is free: last time that each controller answered, early or late."""
    in_a_row: set[str] = field(default_factory=set)
    """While it is free: controllers that have answered two control times in a row."""
    answers: dict[str, Any] = field(default_factory=dict)
    """Commands of the present time, by controller name."""
    answered_ns: dict[str, int] = field(default_factory=dict)
    """Last time that each controller answered."""
    is_skipped: bool = False
    elsewhere: bool = False

    @property
    def is_waited_for(self) -> bool:
        return self.wait_state in (WaitState.UNCONFIRMED, WaitState.IN_STEP)

    def note_free_answer(self, controller: str, stamp_ns: int) -> None:
        """Note an answer of a free robot; it may be late, because the simulation does not wait for it."""
        before = self.heard_ns.get(controller)
        self.heard_ns[controller] = stamp_ns
        if before is None or stamp_ns - before != self.period_ns or stamp_ns % self.period_ns:
            return
        self.in_a_row.add(controller)
        if len(self.in_a_row) >= self.controllers:
            self.set_wait_state(WaitState.IN_STEP)

    def set_wait_state(self, wait_state: WaitState) -> None:
        self.wait_state = wait_state
        self.heard_ns.clear()
        self.in_a_row.clear()


class LockStep(Alarm):
    """Answers of all robots in lock-step; independent of ROS and of wall time.

    Its due time as an alarm is the sim time at which a robot must be waited for next, or has answered early;
    earlier steps neither wait nor apply commands.

    Attributes:
        joined: robots that were free and are waited for now; the reader clears it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._robots: dict[str, _LockstepRobot] = {}
        self.joined: list[str] = []

    def add_robot(
        self, robot: str, period_ns: int, controllers: int = 1, wait_state: WaitState = WaitState.IN_STEP
    ) -> None:
        """Add a robot that is in lock-step or may join it.

        Args:
            robot: its name.
            period_ns: control period; its controllers answer at the multiples.
            controllers: number of its controllers.
            wait_state: at the start; a robot that starts free becomes free again whenever its controller
                leaves.
        """
        self._robots[robot] = _LockstepRobot(period_ns, controllers, wait_state, wait_state is WaitState.FREE)
        self.set(0)

    def __contains__(self, robot: str) -> bool:
        return robot in self._robots

    def receive(self, robot: str, controller: str, stamp_ns: int, now_ns: int, command: Any) -> Verdict:
        """Handle a message on `joint_command` of a robot in lock-step."""
        state = self._robots[robot]
        if stamp_ns > now_ns:
            return Verdict.FUTURE
        self.set(min(self.next_ns, now_ns))
        if state.wait_state is WaitState.FREE:
            state.note_free_answer(controller, stamp_ns)
            if state.is_waited_for:
                self.joined.append(robot)
        if stamp_ns < now_ns:
            repeated = state.answered_ns.get(controller, -1) >= stamp_ns
            return Verdict.REPEATED if repeated else Verdict.COMMAND
        if now_ns % state.period_ns:
            return Verdict.COMMAND
        state.answers[controller] = command
        state.answered_ns[controller] = stamp_ns
        state.is_skipped = False
        if state.wait_state is WaitState.UNCONFIRMED:
            state.set_wait_state(WaitState.IN_STEP)
        return Verdict.ANSWER

    def missing(self, now_ns: int) -> list[str]:
        """Return the robots whose answers to the present time are not complete."""
        if now_ns < self.next_ns:
            return []
        return [
            name
            for name, state in self._robots.items()
            if len(state.answers) < state.controllers  # false for most: checked first
            and now_ns % state.period_ns == 0
            and not (state.is_skipped or state.elsewhere)
            and state.is_waited_for
        ]

    def take_commands(self, now_ns: int) -> list[tuple[str, Any]]:
        """Return and remove the commands for the step that starts now, by robot, in the order of controller
        names.

        The order does not depend on which answer arrived first, so that runs can be repeated exactly.
        """
        if now_ns < self.next_ns:
            return []
        commands = []
        for name, state in self._robots.items():
            if state.answers:
                commands += [(name, state.answers[controller]) for controller in sorted(state.answers)]
                state.answers.clear()
        states = self._robots.values()
        periods = {state.period_ns for state in states if state.is_waited_for and not state.elsewhere}
        self.set(min(((now_ns // each + 1) * each for each in periods), default=NEVER))
        return commands

    def stop_waiting_for(self, robots: Iterable[str]) -> None:
        """Do not wait for these robots until they answer the present time."""
        for name in robots:
            self._robots[name].is_skipped = True

    def waits_for(self, robot: str) -> bool:
        """Return whether the simulation waits for a robot, on its topic or by other means."""
        state = self._robots.get(robot)
        return state is not None and (state.is_waited_for or state.elsewhere)

    def is_unconfirmed(self, robot: str) -> bool:
        """Return whether it is not confirmed yet that the robot's controller uses the lock-step."""
        return robot in self._robots and self._robots[robot].wait_state is WaitState.UNCONFIRMED

    def expected(self, robot: str) -> int:
        """Return how many controllers of a robot must have started before a step is made."""
        state = self._robots.get(robot)
        return state.controllers if state is not None and state.is_waited_for else 1

    def is_attached(self, robot: str) -> bool:
        """Return whether the robot is waited for because of a controller that was not started by us."""
        state = self._robots.get(robot)
        return state is not None and state.is_extern and state.is_waited_for

    def confirm(self, robot: str) -> None:
        """Note that a robot's controller uses the lock-step, before its first answer."""
        if self.is_unconfirmed(robot):
            self._robots[robot].set_wait_state(WaitState.IN_STEP)

    def set_free(self, robot: str) -> None:
        """Do not wait for a robot until it answers two control times in a row."""
        self._robots[robot].set_wait_state(WaitState.FREE)

    def controller_ended(self, robot: str) -> None:
        """Note that a controller of the robot has ended: do not wait for the robot."""
        if robot in self._robots:
            self._robots[robot].set_wait_state(WaitState.GONE)

    def set_elsewhere(self, robot: str, elsewhere: bool) -> None:
        """Set whether a robot's controller answers by other means than the topic."""
        if robot in self._robots:
            state = self._robots[robot]
            state.elsewhere = elsewhere
            if elsewhere:
                self.confirm(robot)
                if state.wait_state is WaitState.FREE:
                    self.joined.append(robot)
            self.set(0)

    def robots(self) -> list[str]:
        """Return the names of the robots in lock-step."""
        return list(self._robots)

    def remove_robots(self, robots: Iterable[str]) -> None:
        """Remove robots."""
        for name in robots:
            del self._robots[name]

    def clear_answers(self) -> None:
        """Clear all answers after the simulation has returned to time 0."""
        for state in self._robots.values():
            state.answers.clear()
            state.answered_ns.clear()
            state.is_skipped = False
        self.set(0 if self._robots else NEVER)
