"""The simulation node: one world on ROS.

There are two threads. The one that owns the simulation steps, paces and publishes. The other waits for ROS
and only puts received calls into the inbox, which is emptied between two steps, so that no callback sees an
unfinished step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ros_bridge.base.log import Log
from ros_bridge.base.progress import ProgressBar
from ros_bridge.base.ros_thread import RosThread
from ros_bridge.base.shutdown import END_LIMIT, LAST_LIMIT, call_within, time_limit
from ros_bridge.control.fields.names import check_fields
from ros_bridge.control.recording_services import begin_recordings
from ros_bridge.interface.command_subscriptions import CommandSubscriptions
from ros_bridge.interface.interface import WorldTopics, build_topics
from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.interface.trajectory_actions import offer_trajectories
from ros_bridge.node.listener_wait import ListenerWait
from ros_bridge.node.next_steps import show_next_steps
from ros_bridge.node.run_control import RunControl
from ros_bridge.node.run_mode import RunMode
from ros_bridge.node.run_report import RunReport
from ros_bridge.node.startup import (
    check_controllers,
    log_summary,
    make_simulation,
    start_recording,
    warn_unsynchronized,
)
from ros_bridge.node.status import fill_status
from ros_bridge.node.stray_topics import DomainWatch, StrayTopics
from ros_bridge.parameters.options import RunOptions
from ros_bridge.parameters.parameters import PresentParameters, with_spawned
from ros_bridge.processes.lockstep_members import fill_lockstep, unsynchronized_robots
from ros_bridge.recorder.run_journal import RunJournal
from ros_bridge.topics.names import CLOCK, DIAGNOSTICS, STATUS
from ros_bridge.topics.outcomes import OutcomeLog
from sim_core.base.alarm import NEVER
from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import OdesimError, StateNotFiniteError
from sim_core.scene import Scene
from sim_core.session.session import Note, Session
from sim_core.session.simulation import Simulation

TASK_PERIOD = 0.1
"""Seconds of wall time between two rounds of tasks that do not depend on sim time."""
DISCOVERY_PERIOD = 0.02
"""Seconds of wall time between two checks of the types of publishers, for topics that accept several."""
STATUS_PERIOD = 1.0
FLUSH_TIME = 0.3
"""Seconds of wall time in which the last messages must reach their subscribers."""
AT_ONCE = 1e-6
"""Seconds to wait when the loop must run again without making a step."""


class SimNode:
    """One world, its node, and the loop that steps it.

    Attributes:
        sim: the simulation.
        session: the run of it.
        notes: what is recorded of the run.
        control: its services and topics, and the exit code that a supervisor has asked for.
        controllers: which have failed, among others.
        report: says when the run started to move, and at its end how fast it was.
    """

    def __init__(self, node: Any, begin: Scene | Simulation, options: RunOptions) -> None:
        """Build everything without starting to step.

        Args:
            node: owner of all ROS entities.
            begin: the world, or a simulation to continue; see `make_simulation`.
            options: of the run.

        Raises:
            OdesimError: the world or a parameter is invalid.
        """
        self._log = Log(node.get_logger())
        self._parameters, self.sim = make_simulation(node, begin, options)
        bridge = self._parameters.bridge
        if options.controllers:
            check_controllers(self.sim)
        start_ns = self.sim.time_ns
        self._end_ns = NEVER if bridge.duration is None else start_ns + to_nanoseconds(bridge.duration)
        warned = set[str]()
        present = PresentParameters(self._parameters, frozenset(self.sim.robots))

        def make_topics() -> WorldTopics:
            own = with_spawned(present.now.bridge, self.sim.scene, present.robots)
            return build_topics(self.sim, own, self._fill_status, self._log.warning, warned)

        topics = make_topics()
        self.notes = RunJournal(start_recording(self.sim, topics, self._parameters, options), self.sim)
        self.session = session = Session(self.sim, self.notes, self._log.warning)
        fill_lockstep(session.lockstep, self.sim, bridge, options.controllers)
        may_hurry = options.hurry and options.mode is None
        if may_hurry and not unsynchronized_robots(self.sim, session.lockstep, options.controllers):
            self._parameters.values["mode"] = "fast"
        self._mode = RunMode(self._parameters.values["mode"], bridge.speed, self.sim.step_ns)
        self._domain = DomainWatch(node, self._log.warning)
        self._strays = StrayTopics(
            node, self._report_stray, lambda: present.now.bridge.namespaces(self.sim.robots)
        )
        self._next_chore = self._next_status = self._next_discovery = 0.0
        self._session_topics = SessionTopics(session, topics, make_topics, self.notes.make_port, node)
        self.control = RunControl(node, session, options, present, self._mode, self._session_topics)
        self.controllers = controllers = self.control.controllers
        outcomes = OutcomeLog(self._log.warning)
        self._listening = listening = CommandSubscriptions(
            node, session, self._session_topics, outcomes, controllers.wait.answered
        )
        self._trajectories = offer_trajectories(node, session, bridge.controllers, self._log.warning)
        actions = () if self._trajectories is None else (self._trajectories,)
        session.set_followers(
            self._session_topics, listening, controllers.api, controllers, self.control, *actions
        )
        self._recorder = ListenerWait(node, bridge.wait_for_node, self._log)
        self._ros = RosThread(node)
        try:
            check_fields(self.sim, self._parameters.fields)
            if options.controllers:
                self.controllers.start_all()
            log_summary(self._log, self.sim, self._mode.name)
            if not options.hurry:
                show_next_steps(self.sim, topics, options.viewer, node)
            if self._mode.name == "fast":
                robots = unsynchronized_robots(self.sim, session.lockstep, options.controllers)
                warn_unsynchronized(self._log, robots)
            begin_recordings(self.sim, options)
        except (OdesimError, KeyboardInterrupt):
            self.close()
            raise
        bar = ProgressBar(bridge.duration) if options.progress and bridge.duration else None
        self.report = RunReport(self._log.info, self.sim.step_ns, start_ns, bar)

    @property
    def has_failed(self) -> bool:
        """True if a recording could not be written completely."""
        return self.notes.has_failed

    @property
    def exit_code(self) -> int:
        """Exit code requested by a supervisor, or 0."""
        return self.control.exit_code

    @property
    def failed_controllers(self) -> Sequence[str]:
        """Controllers that died or could not be started."""
        return self.controllers.failed

    def quit(self) -> None:
        """End the run before the next step; may be called from any thread and from signal handlers."""
        self.session.inbox.put(self.session.end)

    def begin(self) -> None:
        """Receive from ROS, and bring the world to its start; called once, before `spin`.

        Raises:
            ConfigError: a field that a parameter names is refused.
        """
        self._ros.start()
        self.session.begin()
        if not self.sim.time_ns:  # else they have been set, and may have changed since
            self.control.set_fields()

    def spin(self, until: Callable[[], bool] | None = None) -> None:
        """Step until the end of the run, or until a condition holds.

        Args:
            until: the condition, evaluated before each step, and again and again while a step has to wait.

        Raises:
            StateNotFiniteError: the physics diverged.
        """
        session, inbox, is_empty = self.session, self.session.inbox, self.session.inbox.is_empty
        api = self.controllers.api
        while True:
            if not is_empty():
                inbox.drain()
            if session.has_ended:
                # find controllers that died since the last check
                self.controllers.check_controllers(self.sim.time_ns)
                return
            if until is not None and until():
                return
            pause = self._pause(self.sim.physics.clock.time_ns)
            if pause > 0.0:
                inbox.wait(pause)
                continue
            if api.may_speak:
                inbox.poll()
            if not session.has_ended:
                self._step()

    def _step(self) -> None:
        try:
            self.session.step()
        except StateNotFiniteError as error:
            self.notes.note(Note.DIVERGED, str(error))
            raise

    def close(self) -> None:
        """Stop controllers and threads; never raises, may be called twice."""
        with suppress(OdesimError):  # a recording that cannot be written says so when it is closed
            self._note_end()
        try:
            self.controllers.api.finish(self.session.inbox.wait)
        except OdesimError as error:
            self._log.error(str(error))
        self.controllers.end_all()
        self.session.inbox.close()
        try:
            self.sim.close()
        except OdesimError as error:
            self._log.error(str(error))
        self.notes.close(self._log.error)
        with time_limit(LAST_LIMIT):
            call_within(END_LIMIT, partial(self._session_topics.publishers.wait_for_subscribers, FLUSH_TIME))
            time.sleep(self.control.linger)
            call_within(END_LIMIT, self.control.close)
            trajectories, self._trajectories = self._trajectories, None
            if trajectories is not None:
                call_within(END_LIMIT, trajectories.close)
            call_within(END_LIMIT, self._ros.stop_spinning)

    def _report_stray(self, line: str) -> None:
        self._log.warning(line)
        self.notes.note(Note.TOPIC, line)

    def _note_end(self) -> None:
        """Note what explains the run, and what is no longer there once the controllers are told to end."""
        if not self.notes.is_on:
            return
        self.controllers.note_last_lines()
        for line in self._strays.all_now(self._session_topics.topics, self.sim.robots):
            self.notes.note(Note.TOPIC, line)

    def _pause(self, now_ns: int) -> float:
        """Return the seconds to sleep before the next call; 0: make a step."""
        now = time.monotonic()
        if now >= self._next_chore:
            self._do_periodic_tasks(now)
        publishers = self._session_topics.publishers
        shown = self._session_topics.topics.shown
        if now >= shown.next_poses:
            shown.publish_poses(publishers, now, now_ns, self._mode.spare(now))
        if now >= self._next_discovery:
            self.session.inbox.poll()  # controllers that come, or go while they wait for their step to end
            self._next_discovery = now + (DISCOVERY_PERIOD if self._listening.adopt_types() else TASK_PERIOD)
        until_chore = min(self._next_chore, self._next_discovery) - now
        if now_ns >= self._end_ns:
            self.session.end()
            return AT_ONCE
        if self._mode.is_standing or self._recorder.is_needed:
            return until_chore
        wait = self.controllers.wait
        if wait.is_needed(now_ns):
            return AT_ONCE if wait.continues(now_ns, now) else until_chore
        return self._mode.delay(now, until_chore)

    def _do_periodic_tasks(self, now: float) -> None:
        """Ten times a second of wall time: check processes, publish clock (if paused) and status."""
        self._next_chore = now + TASK_PERIOD
        now_ns, publishers = self.sim.time_ns, self._session_topics.publishers
        self.report.log_start(now, now_ns)
        for views in (self._session_topics.topics.overlays, self._session_topics.topics.shown):
            views.publish(publishers, now_ns)
        publishers.publish_pending(now_ns)
        self.controllers.check_controllers(now_ns)
        if self._recorder.is_needed:
            self._recorder.check_listeners(now, publishers.ports.values(), self._mode.name)
        if self.session.waited_for or self._mode.name == "paused" or self._recorder.is_needed:
            publishers.publish_topic(CLOCK, now_ns)
        if not self._mode.is_standing:
            self.controllers.wait.check_controllers(now, now_ns)
        if now >= self._next_status:
            self._next_status = now + STATUS_PERIOD
            self._mode.measure(now, now_ns)
            self._domain.check_publishers()
            self._strays.check_topics(now, self._session_topics.topics, self.sim.robots)
            for name in (STATUS, DIAGNOSTICS):
                publishers.publish_topic(name, now_ns)

    def _fill_status(self, message: Any, time_ns: int) -> None:
        fill_status(message, time_ns, self._mode, self.session.waited_for)
