"""Wait for the controllers of robots in lock-step, and detect which support it.

A controller that we have started and know nothing about is waited for from the start until it answers, or
until it is clear that it will not: its node has publishers and subscriptions, but no publisher of the topic
of the answers; or `lockstep_timeout` has passed. Then its robot runs free.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sized
from dataclasses import dataclass
from typing import Any

from ros_bridge.controller_api.api import ControllerApi
from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.processes.controller_graph import ControllerGraph
from sim_core.base.clock import to_seconds
from sim_core.session.session import Session

NAMED = 3
"""Most robots named in a line."""
WAIT_ON = "to keep waiting, set synchronization:=always"
CURE = "to go on without it, set synchronization:=never or lockstep_on_timeout:=continue"


class ControllerWait:
    """Determines who is waited for, which the session reports, and logs, once for each, who is late.

    Attributes:
        params: how long to wait.
    """

    def __init__(
        self,
        session: Session,
        api: ControllerApi,
        session_topics: SessionTopics,
        params: BridgeParams,
        warn: Callable[[str], Any],
        graph: ControllerGraph,
        changed: Callable[[list[str]], None],
    ) -> None:
        """Wait for nobody yet.

        Args:
            session: its lock-step stores answers on topics.
            api: stores answers of controllers that import `controller`.
            wiring: the topics; publishes a robot's messages again.
            params: how long to wait.
            warn: receives lines for the log.
            graph: finds the controllers that run.
            changed: called with the robots that run free from now on; empty: some are waited for from now on.
        """
        self._session, self._lockstep = session, session.lockstep
        self._api, self.params = api, params
        self._topics_of, self._warn = session_topics.answer_topics, warn
        self._graph, self._changed = graph, changed
        self._since = 0.0
        self._named: set[str] = set()
        self._repetition = ReadingRepeater(session_topics.publishers.repeat)

    def is_needed(self, now_ns: int) -> bool:
        """Return whether the next step must wait for a controller."""
        lockstep = self._lockstep
        if self._api.computing or (now_ns >= lockstep.next_ns and lockstep.missing(now_ns)):
            return True
        if self._session.waited_for:
            self._session.waited_for = []
        return False

    def continues(self, now_ns: int, now: float) -> bool:
        """Note who is missing; return True if the time limit is over and the world continues without them."""
        missing = [*self._lockstep.missing(now_ns), *self._api.computing]
        if not self._session.waited_for:
            self._since = now
        self._session.waited_for = missing
        self._since = max(self._since, self._api.last_message)
        limit = self.params.lockstep_timeout
        if now - self._since < limit:
            return False
        unconfirmed = [name for name in missing if self._lockstep.is_unconfirmed(name)]
        if unconfirmed:
            topics = ", ".join(map(self._topic_of, unconfirmed[:NAMED])) + _and_more(unconfirmed)
            self._set_free(
                unconfirmed,
                f"lock-step: no answer on {topics} within {limit:g} s (lockstep_timeout): "
                f"{_run_free(unconfirmed)}; {WAIT_ON}",
            )
            return True
        goes_on = self.params.lockstep_on_timeout == "continue"
        late: dict[str, list[str]] = {}  # by topic, so that the robots of a fleet share a line
        for name in [name for name in missing if name not in self._named]:
            self._named.add(name)
            place = "Robot.step()" if name in self._api.computing else self._topic_of(name)
            late.setdefault(place, []).append(name)
        for place, names in late.items():
            who = ", ".join(names[:NAMED]) + _and_more(names)
            self._warn(
                f"lock-step: no answer from {who} on {place} to time {to_seconds(now_ns):g} s "
                f"for {limit:g} s; " + ("continuing without it" if goes_on else f"still waiting; {CURE}")
            )
        if goes_on:
            self._lockstep.stop_waiting_for([name for name in missing if name in self._lockstep])
            self._api.stop_waiting_for(missing)
        return goes_on

    def answered(self, robot: str, time_ns: int) -> None:
        """Note an answer, so that a later delay is reported again."""
        self._named.discard(robot)
        self._repetition.answered(robot, time_ns)

    def check_controllers(self, now: float, now_ns: int) -> None:
        """Check who has started and ended, and publish again for those who have been waited for too long.

        Call it ten times a second.

        """
        lockstep = self._lockstep
        missing = lockstep.missing(now_ns)
        self._repetition.check_missing(now, now_ns, missing)
        if lockstep.joined:
            names = ", ".join(lockstep.joined[:NAMED]) + _and_more(lockstep.joined)
            lockstep.joined.clear()
            self._warn(f"lock-step: a controller of {names} answers; it is waited for from now on")
            self._changed([])
        unconfirmed = {name: self._topic_of(name) for name in missing if lockstep.is_unconfirmed(name)}
        plain = self._graph.plain_controllers(unconfirmed, now) if unconfirmed else {}
        if plain:
            nodes = ", ".join(list(plain.values())[:NAMED]) + _and_more(plain)
            self._set_free(
                list(plain),
                f"lock-step: {nodes} cannot answer, because it has no publisher of joint_command: "
                f"{_run_free(list(plain))}; {WAIT_ON}",
            )
        for name in missing:
            topics = self._topics_of(name) if lockstep.is_attached(name) else ()
            if topics and not any(map(self._graph.has_publisher, topics)):
                self._set_free([name], f"lock-step: the controller of {name} has ended: {_run_free([name])}")

    def clear(self) -> None:
        """Restart: time is 0."""
        self._session.waited_for = []
        self._named.clear()

    def _topic_of(self, robot: str) -> str:
        """Return the topic that messages name."""
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


MIN_PAUSE = 1.0
"""Shortest time in seconds of wall time until the first repetition: a controller that does not detect
repetitions, and decides anew at each, should receive none unless a message was lost."""
MAX_PAUSE = 5.0
"""Longest time in seconds of wall time between two repetitions."""


@dataclass
class _ControllersOfRobot:
    """Timing of a robot's controllers."""

    pause: float = MIN_PAUSE
    """Seconds until the next repetition."""
    time_ns: int = -1
    """Sim time that they were waited for at the last check; -1: they were not."""
    since: float = 0.0
    """When that wait began."""
    last: float = 0.0
    """When readings were last sent."""
    repeated: bool = False
    answers: int = 0
    """Number of sim times answered since the last check."""
    answered_ns: int = -1
    """The last of them."""

    def adapt(self, now: float) -> None:
        """Adapt the pause after a wait."""
        if self.answers > 1:  # several between two checks: it is quick
            self.pause = MIN_PAUSE
        elif self.time_ns >= 0 and not self.repeated:
            self.pause = min(max(MIN_PAUSE, 2.0 * (now - self.since)), MAX_PAUSE)
        self.time_ns, self.answers = -1, 0


class ReadingRepeater:
    """Sends readings again to controllers that are waited for, in case a message was lost.

    The time until the first repetition is adapted as in TCP (RFC 6298, with Karn's rule): twice the duration
    of the last wait without a repetition, and after each repetition the double. So a controller that computes
    for long soon gets no repetitions, and a quick one gets a lost message after a second.

    Args:
        publish_again: publishes a robot's messages of a sim time again.
    """

    def __init__(self, publish_again: Callable[[str, int], None]) -> None:
        self._send_again = publish_again
        self._known: dict[str, _ControllersOfRobot] = {}

    def answered(self, robot: str, time_ns: int) -> None:
        """Note that a controller of a robot has answered a sim time."""
        known = self._known.get(robot)
        if known is not None and known.answered_ns != time_ns:
            known.answered_ns = time_ns
            known.answers += 1

    def check_missing(self, now: float, now_ns: int, missing: Collection[str]) -> None:
        """Check those who are waited for; call it some ten times a second.

        Args:
            now: wall time as returned by `time.monotonic`.
            now_ns: sim time.
            missing: robots that have not answered it.
        """
        waited_for = set(missing)
        for name, known in self._known.items():
            if known.time_ns != now_ns or name not in waited_for:
                known.adapt(now)
        for name in missing:
            known = self._known.setdefault(name, _ControllersOfRobot())
            if known.time_ns != now_ns:
                known.time_ns, known.since, known.last, known.repeated = now_ns, now, now, False
            elif now - known.last >= known.pause:
                self._send_again(name, now_ns)
                known.pause = min(2.0 * known.pause, MAX_PAUSE)
                known.last, known.repeated = now, True
