"""Lock-step: which controllers must still answer before the next step.

A robot is in lock-step if it is synchronized and its controller speaks this protocol (`Standing`). Before a
step that starts at a time t, a multiple of the robot's control period (0 too), the simulation needs as many
answers to t from it as it has controllers. An answer is one sensor_msgs/JointState on `/R/joint_command` with
the stamp t, the time of the readings that it answers; `header.frame_id` is the controller's name, which one
controller may leave empty.
The command and the acknowledgement are one message, so they cannot be reordered.

| stamp | what happens |
|---|---|
| t | counted, applied in phase 1 of the step that starts at t; a controller's second one takes its place |
| before t, answered already by that controller | nothing: it is a repetition |
| before t | applied at the next step, not counted |
| after t | refused with a warning |

While the simulation waits it repeats /clock with t every 0.1 s of wall time, and sends the readings of t
again: on topics that have got a subscriber since, and on all of a robot that has been waited for too long
(`ros_bridge/processes/controller_wait.py`). A controller's rule is: at the start, and when /clock jumps back,
answer the time of /clock; afterwards answer each complete set of readings with its stamp, and a set that
comes again by the same answer. Readings of before the jump may come after it: until the first set is
answered, none counts that is later than /clock.

A robot whose controller died is no longer waited for. One that spoke and then let `lockstep_timeout` pass is
named once; then it is waited for further, or left behind until it answers the present time again
(`lockstep_on_timeout`).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sim_core.base.alarm import NEVER, Alarm


class Verdict(enum.Enum):
    """What becomes of a message on `joint_command`."""

    ANSWER = "counted and kept for the step"
    COMMAND = "applied at the next step"
    REPEATED = "dropped"
    FUTURE = "refused"


class Standing(enum.Enum):
    """Whether a robot is waited for."""

    ASKED = "it is, until its controller answers or shows that it does not speak the lock-step"
    IN_STEP = "it is: its controller speaks the lock-step"
    FREE = "it is not, until it answers two control times in a row"
    GONE = "it is not: its controller ended"


@dataclass
class _LockstepRobot:
    """What lock-step knows of a robot."""

    period_ns: int
    controllers: int
    standing: Standing
    is_extern: bool
    """Free whenever no controller is attached."""
    heard_ns: dict[str, int] = field(default_factory=dict)
    """While it is free, the last time that each controller answered, early or late."""
    in_a_row: set[str] = field(default_factory=set)
    """While it is free, the controllers that have answered two control times in a row."""
    answers: dict[str, Any] = field(default_factory=dict)
    """Commands of the present time by the controllers' names."""
    answered_ns: dict[str, int] = field(default_factory=dict)
    """Last time that each controller answered."""
    left_behind: bool = False
    elsewhere: bool = False

    @property
    def is_waited_for(self) -> bool:
        return self.standing in (Standing.ASKED, Standing.IN_STEP)

    def hear_free(self, controller: str, stamp_ns: int) -> None:
        """Take an answer of a free robot; also late, because a free world does not wait for it."""
        before = self.heard_ns.get(controller)
        self.heard_ns[controller] = stamp_ns
        if before is None or stamp_ns - before != self.period_ns or stamp_ns % self.period_ns:
            return
        self.in_a_row.add(controller)
        if len(self.in_a_row) >= self.controllers:
            self.become(Standing.IN_STEP)

    def become(self, standing: Standing) -> None:
        self.standing = standing
        self.heard_ns.clear()
        self.in_a_row.clear()


class LockStep(Alarm):
    """Answers of all robots in lock-step. Knows no ROS and no clock.

    As an alarm it says at which sim time a robot must be waited for next, or has answered without; no step
    that starts before waits, or has something to take.

    Attributes:
        joined: robots that were free and are waited for since; for those who tell it, and empty it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._robots: dict[str, _LockstepRobot] = {}
        self.joined: list[str] = []

    def add(
        self, robot: str, period_ns: int, controllers: int = 1, standing: Standing = Standing.IN_STEP
    ) -> None:
        """A robot that is in lock-step or may come to be.

        Args:
            robot: its name.
            period_ns: at whose multiples its controllers answer.
            controllers: how many of them there are.
            standing: at the start; one that is free now is so again whenever its controller leaves.
        """
        self._robots[robot] = _LockstepRobot(period_ns, controllers, standing, standing is Standing.FREE)
        self.set(0)

    def __contains__(self, robot: str) -> bool:
        return robot in self._robots

    def receive(self, robot: str, controller: str, stamp_ns: int, now_ns: int, command: Any) -> Verdict:
        """Take in a message on `joint_command` of a robot in lock-step."""
        state = self._robots[robot]
        if stamp_ns > now_ns:
            return Verdict.FUTURE
        self.set(min(self.next_ns, now_ns))
        if state.standing is Standing.FREE:
            state.hear_free(controller, stamp_ns)
            if state.is_waited_for:
                self.joined.append(robot)
        if stamp_ns < now_ns:
            repeated = state.answered_ns.get(controller, -1) >= stamp_ns
            return Verdict.REPEATED if repeated else Verdict.COMMAND
        if now_ns % state.period_ns:
            return Verdict.COMMAND
        state.answers[controller] = command
        state.answered_ns[controller] = stamp_ns
        state.left_behind = False
        if state.standing is Standing.ASKED:
            state.become(Standing.IN_STEP)
        return Verdict.ANSWER

    def missing(self, now_ns: int) -> list[str]:
        """Robots whose answers to the present time are not complete."""
        if now_ns < self.next_ns:
            return []
        return [
            name
            for name, state in self._robots.items()
            if len(state.answers) < state.controllers  # first: of a fleet that has answered it is nobody
            and now_ns % state.period_ns == 0
            and not (state.left_behind or state.elsewhere)
            and state.is_waited_for
        ]

    def take(self, now_ns: int) -> list[tuple[str, Any]]:
        """The commands for the step that starts now, robot by robot, by the controllers' names.

        The order does not depend on which answer came first, so that runs repeat exactly.
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

    def leave_behind(self, robots: Iterable[str]) -> None:
        """Wait for these robots no more until they answer the present time."""
        for name in robots:
            self._robots[name].left_behind = True

    def waits_for(self, robot: str) -> bool:
        """Whether the simulation waits for a robot, on its topic or elsewhere."""
        state = self._robots.get(robot)
        return state is not None and (state.is_waited_for or state.elsewhere)

    def is_asked(self, robot: str) -> bool:
        """Whether it is not known yet if the robot's controller speaks the lock-step."""
        return robot in self._robots and self._robots[robot].standing is Standing.ASKED

    def expected(self, robot: str) -> int:
        """How many controllers of a robot must have come before a step is made."""
        state = self._robots.get(robot)
        return state.controllers if state is not None and state.is_waited_for else 1

    def is_attached(self, robot: str) -> bool:
        """Whether the robot is waited for because somebody drives it who was not started by us."""
        state = self._robots.get(robot)
        return state is not None and state.is_extern and state.is_waited_for

    def speaks(self, robot: str) -> None:
        """A robot's controller is known to speak the lock-step, before it has said a word."""
        if self.is_asked(robot):
            self._robots[robot].become(Standing.IN_STEP)

    def set_free(self, robot: str) -> None:
        """Wait for a robot no more until it answers two control times in a row."""
        self._robots[robot].become(Standing.FREE)

    def died(self, robot: str) -> None:
        """A controller of the robot ended: it is not waited for any more."""
        if robot in self._robots:
            self._robots[robot].become(Standing.GONE)

    def hand_over(self, robot: str, elsewhere: bool) -> None:
        """A robot's controller answers by another way than the topic from now on, or no longer."""
        if robot in self._robots:
            state = self._robots[robot]
            state.elsewhere = elsewhere
            if elsewhere:
                self.speaks(robot)
                if state.standing is Standing.FREE:
                    self.joined.append(robot)
            self.set(0)

    def robots(self) -> list[str]:
        """The robots in lock-step."""
        return list(self._robots)

    def forget(self, robots: Iterable[str]) -> None:
        """These robots are no longer there."""
        for name in robots:
            del self._robots[name]

    def restart(self) -> None:
        """The simulation is back at time 0."""
        for state in self._robots.values():
            state.answers.clear()
            state.answered_ns.clear()
            state.left_behind = False
        self.set(0 if self._robots else NEVER)
