"""Waiting for the controllers of robots in lock-step, and finding out which speak it.

A controller that we have started and do not know is asked, by /clock at the start: it is waited for until it
answers, or shows that it will not: its node has publishers and subscriptions, but none of the topic of the
answers; or `lockstep_timeout` has passed. Then its robot runs free.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sized
from dataclasses import dataclass
from typing import Any

from ros_bridge.controller_api.api import ControllerApi
from ros_bridge.interface.wiring import Wiring
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.processes.controller_graph import ControllerGraph
from sim_core.base.clock import to_seconds
from sim_core.session.session import Session

NAMED = 3
"""How many robots a line names."""
WAIT_ON = "synchronization:=always waits on"
CURE = "synchronization:=never, or lockstep_on_timeout:=continue, goes on without it"


class ControllerWait:
    """Knows who is waited for, which the session shows, and says, once for each, who is late."""

    def __init__(
        self,
        session: Session,
        api: ControllerApi,
        wiring: Wiring,
        params: BridgeParams,
        warn: Callable[[str], Any],
        graph: ControllerGraph,
        changed: Callable[[list[str]], None],
    ) -> None:
        """Nobody is waited for yet.

        Args:
            session: its lock-step knows who has answered on topics.
            api: knows who has answered by it.
            wiring: the topics; sends again what was published of a robot.
            params: how long to wait.
            warn: says a line.
            graph: tells which controllers are there.
            changed: told the robots that run free from now on; empty if some are waited for from now on.
        """
        self._session, self._lockstep = session, session.lockstep
        self._api, self._params = api, params
        self._topics_of, self._warn = wiring.answer_topics, warn
        self._graph, self._changed = graph, changed
        self._since = 0.0
        self._named: set[str] = set()
        self._repetition = Repetition(wiring.publishers.repeat)

    def is_needed(self, now_ns: int) -> bool:
        """Whether the next step must wait for somebody."""
        lockstep = self._lockstep
        if self._api.computing or (now_ns >= lockstep.next_ns and lockstep.missing(now_ns)):
            return True
        if self._session.waited_for:
            self._session.waited_for = []
        return False

    def goes_on(self, now_ns: int, now: float) -> bool:
        """Note who is missing; True if the time is over after which the world goes on without them."""
        missing = [*self._lockstep.missing(now_ns), *self._api.computing]
        if not self._session.waited_for:
            self._since = now
        self._session.waited_for = missing
        self._since = max(self._since, self._api.heard)
        limit = self._params.lockstep_timeout
        if now - self._since < limit:
            return False
        asked = [name for name in missing if self._lockstep.is_unconfirmed(name)]
        if asked:
            topics = ", ".join(map(self._topic_of, asked[:NAMED])) + _and_more(asked)
            self._set_free(
                asked,
                f"lock-step: nobody answered on {topics} within {limit:g} s (lockstep_timeout): "
                f"{_run_free(asked)}; {WAIT_ON}",
            )
            return True
        goes_on = self._params.lockstep_on_timeout == "continue"
        late: dict[str, list[str]] = {}  # by topic: the robots of a fleet have one line
        for name in [name for name in missing if name not in self._named]:
            self._named.add(name)
            place = "Robot.step()" if name in self._api.computing else self._topic_of(name)
            late.setdefault(place, []).append(name)
        for place, names in late.items():
            who = ", ".join(names[:NAMED]) + _and_more(names)
            self._warn(
                f"lock-step: no answer from {who} on {place} to time {to_seconds(now_ns):g} s "
                f"for {limit:g} s; " + ("going on without it" if goes_on else f"waiting on; {CURE}")
            )
        if goes_on:
            self._lockstep.leave_behind([name for name in missing if name in self._lockstep])
            self._api.leave_behind(missing)
        return goes_on

    def answered(self, robot: str, time_ns: int) -> None:
        """It is there: it will be named again if it is late again."""
        self._named.discard(robot)
        self._repetition.answered(robot, time_ns)

    def check(self, now: float, now_ns: int) -> None:
        """See who has come and gone, and send readings again to those who have been waited for too long.

        To be called ten times a second.
        """
        lockstep = self._lockstep
        missing = lockstep.missing(now_ns)
        self._repetition.check(now, now_ns, missing)
        if lockstep.joined:
            names = ", ".join(lockstep.joined[:NAMED]) + _and_more(lockstep.joined)
            lockstep.joined.clear()
            self._warn(f"lock-step: a controller of {names} answers: waited for from now on")
            self._changed([])
        asked = {name: self._topic_of(name) for name in missing if lockstep.is_unconfirmed(name)}
        plain = self._graph.plain_controllers(asked, now) if asked else {}
        if plain:
            nodes = ", ".join(list(plain.values())[:NAMED]) + _and_more(plain)
            self._set_free(
                list(plain),
                f"lock-step: {nodes} will not answer, having no publisher of joint_command: "
                f"{_run_free(list(plain))}; {WAIT_ON}",
            )
        for name in missing:
            topics = self._topics_of(name) if lockstep.is_attached(name) else ()
            if topics and not any(map(self._graph.has_publisher, topics)):
                self._set_free([name], f"lock-step: the controller of {name} has left: {_run_free([name])}")

    def restart(self) -> None:
        """Time is 0."""
        self._session.waited_for = []
        self._named.clear()

    def _topic_of(self, robot: str) -> str:
        """The one that messages name."""
        return self._topics_of(robot)[0]

    def _set_free(self, robots: list[str], line: str) -> None:
        for name in robots:
            self._lockstep.set_free(name)
        self._warn(line)
        self._changed(robots)


def _run_free(robots: list[str]) -> str:
    names = ", ".join(robots[:NAMED]) + _and_more(robots)
    return f"{names} {'runs' if len(robots) == 1 else 'run'} free from now on"


def _and_more(names: Sized) -> str:
    return f" and {len(names) - NAMED} more" if len(names) > NAMED else ""


FIRST = 1.0
"""Seconds of wall time that a controller is given at least: one that knows nothing of repetitions, and
decides anew at each, should see none unless something was lost."""
LONGEST = 5.0
"""Seconds of wall time between two repetitions at most."""


@dataclass
class _ControllersOfRobot:
    """What is known of a robot's controllers."""

    patience: float = FIRST
    """Seconds until the next repetition."""
    time_ns: int = -1
    """Sim time that they were waited for at the last look; -1: they were not."""
    since: float = 0.0
    """When that wait began."""
    last: float = 0.0
    """When readings were sent last."""
    repeated: bool = False
    answers: int = 0
    """To how many sim times since the last look."""
    answered_ns: int = -1
    """The last of them."""

    def learn(self, now: float) -> None:
        """The wait is over."""
        if self.answers > 1:  # between two looks: it is quick
            self.patience = FIRST
        elif self.time_ns >= 0 and not self.repeated:
            self.patience = min(max(FIRST, 2.0 * (now - self.since)), LONGEST)
        self.time_ns, self.answers = -1, 0


class Repetition:
    """Sends readings again to controllers that are waited for, in case that one was lost on its way.

    How long a controller is given first is learnt as TCP learns it (RFC 6298, with Karn's rule): twice what
    it took last time that nothing had to be sent again, the double of each time given before otherwise. So
    one that thinks for long is soon left in peace, and one that is quick gets what it lost after a second.

    Args:
        send_again: sends what was published of a robot at a sim time again.
    """

    def __init__(self, send_again: Callable[[str, int], None]) -> None:
        self._send_again = send_again
        self._known: dict[str, _ControllersOfRobot] = {}

    def answered(self, robot: str, time_ns: int) -> None:
        """A controller of a robot has answered a sim time."""
        known = self._known.get(robot)
        if known is not None and known.answered_ns != time_ns:
            known.answered_ns = time_ns
            known.answers += 1

    def check(self, now: float, now_ns: int, missing: Collection[str]) -> None:
        """See to those who are waited for; to be called some ten times a second.

        Args:
            now: wall time as `time.monotonic` gives it.
            now_ns: sim time.
            missing: robots that have not answered it.
        """
        waited_for = set(missing)
        for name, known in self._known.items():
            if known.time_ns != now_ns or name not in waited_for:
                known.learn(now)
        for name in missing:
            known = self._known.setdefault(name, _ControllersOfRobot())
            if known.time_ns != now_ns:
                known.time_ns, known.since, known.last, known.repeated = now_ns, now, now, False
            elif now - known.last >= known.patience:
                self._send_again(name, now_ns)
                known.patience = min(2.0 * known.patience, LONGEST)
                known.last, known.repeated = now, True
