"""A run where ROS 2 is not installed: the world moves, in its mode and until its end.

It can be recorded as a movie or an animation, and a page shows it. There are no topics, and so no bags and
none of the viewer's panels, and no controllers, which need topics or the services of the simulation node.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from ros_bridge.base.log import Log
from ros_bridge.base.progress import ProgressBar
from ros_bridge.control.fields.names import check_fields
from ros_bridge.control.recording_services import begin_recordings
from ros_bridge.node.live_page import HOST, LivePage
from ros_bridge.node.run_mode import RunMode
from ros_bridge.node.run_report import RunReport
from ros_bridge.node.startup import log_missing_pictures, log_summary, make_simulation
from ros_bridge.parameters.options import RunOptions
from sim_core.base.alarm import NEVER
from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import ConfigError, OdesimError
from sim_core.scene import Scene
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

CHECK_PERIOD = 1.0 / 25.0
"""Seconds of wall time between two reports of progress, and two updates of the page."""
NO_ROS = "ROS 2 (rclpy) is not installed: there are no topics, and no controllers are started"


class PlainLogger:
    """Prints lines to stderr in the format of the ROS log."""

    def info(self, line: str) -> None:
        """Print an information."""
        self._print("INFO", line)

    def warning(self, line: str) -> None:
        """Print a warning."""
        self._print("WARN", line)

    def error(self, line: str) -> None:
        """Print an error."""
        self._print("ERROR", line)

    def fatal(self, line: str) -> None:
        """Print a fatal error."""
        self._print("FATAL", line)

    def _print(self, severity: str, line: str) -> None:
        print(f"[{severity}] [{time.time():.9f}] [odesim]: {line}", file=sys.stderr, flush=True)


class NodeWithoutRos:
    """Replacement of the ROS node with the functions that a run needs."""

    _parameter_overrides: dict[str, Any] = {}  # noqa: RUF012 # as rclpy has it

    def __init__(self, options: RunOptions) -> None:
        """Create it for the options of a run.

        Raises:
            ConfigError: an option needs ROS.
        """
        requested = {
            "--ros-args": options.ros_args,
            "--record": options.record,
            "--wait-extern": options.wait_extern,
            "--controller-port": options.controller_port is not None,
        }
        found = next((name for name, is_requested in requested.items() if is_requested), None)
        if found is not None:
            raise ConfigError(f"{found}: needs ROS 2 (rclpy), which is not installed")
        self.context = self

    def get_logger(self) -> PlainLogger:
        """Return its logger."""
        return PlainLogger()

    def get_namespace(self) -> str:
        """Return the default namespace."""
        return "/"

    def destroy_node(self) -> None:
        """Do nothing."""

    def try_shutdown(self) -> None:
        """Do nothing."""


class RunWithoutRos:
    """A world and the loop that steps it; implements `WorldRun`.

    Attributes:
        sim: the simulation.
        session: session of the simulation.
        report: logs the first step, and at the end the speed.
        has_failed, exit_code, failed_controllers: constant, because there are no controllers.
    """

    has_failed = False
    exit_code = 0
    failed_controllers: Sequence[str] = ()

    def __init__(self, node: NodeWithoutRos, begin: Scene | Simulation, options: RunOptions) -> None:
        """Create the simulation; arguments as for `SimNode`.

        Raises:
            OdesimError: the world or a parameter is invalid.
        """
        self._log = log = Log(node.get_logger())
        parameters, self.sim = make_simulation(node, begin, options)
        bridge, mode, sim = parameters.bridge, parameters.values["mode"], self.sim
        if mode == "paused":
            raise ConfigError("mode: found paused, which needs ROS 2 (rclpy), expected realtime or fast")
        sim.recordings.report, sim.recordings.warn = log.info, log.error
        log_missing_pictures(sim, log)
        self._end_ns = NEVER if bridge.duration is None else sim.time_ns + to_nanoseconds(bridge.duration)
        self.session = Session(sim, warn=log.warning)
        is_fast_allowed = options.hurry and options.mode is None
        self._mode = RunMode("fast" if is_fast_allowed else mode, bridge.speed, sim.step_ns)
        self._next_check = 0.0
        self._page: LivePage | None = None
        try:
            check_fields(sim, parameters.fields)
            if parameters.fields:
                log.warning(f"{parameters.fields[0].where}: fields of nodes are only set by ROS parameters")
            log_summary(log, sim, self._mode.name)
            log.warning(NO_ROS)
            begin_recordings(sim, options)
            if options.viewer:
                self._page = LivePage(sim, options.viewer_port)
                log.info(f"viewer: http://{HOST}:{self._page.port} in a browser")
        except (OdesimError, KeyboardInterrupt):
            self.close()
            raise
        bar = ProgressBar(bridge.duration) if options.progress and bridge.duration else None
        self.report = RunReport(log.info, sim.step_ns, sim.time_ns, bar)

    def quit(self) -> None:
        """End the run before the next step; may be called from any thread and from signal handlers."""
        self.session.inbox.put(self.session.end)

    def begin(self) -> None:
        """Set the world to its start; called once before `spin`."""
        self.session.begin()

    def spin(self, until: Callable[[], bool] | None = None) -> None:
        """Step until the end, or until a condition holds.

        Raises:
            StateNotFiniteError: the physics diverged.
        """
        session, inbox = self.session, self.session.inbox
        while not (until is not None and until()):
            if not inbox.is_empty():
                inbox.drain()
            if self.sim.time_ns >= self._end_ns:
                session.end()
            if session.has_ended:
                return
            now = time.monotonic()
            if now >= self._next_check:
                self._next_check = now + CHECK_PERIOD
                self.report.log_start(now, self.sim.time_ns)
                if self._page is not None:
                    self._page.refresh()
            pause = self._mode.delay(now, self._next_check - now)
            if pause > 0.0:
                inbox.wait(pause)
            else:
                session.step()

    def close(self) -> None:
        """Close the simulation and its recordings; never raises, may be called twice."""
        self.session.inbox.close()
        page, self._page = self._page, None
        if page is not None:
            page.close()
        try:
            self.sim.close()
        except OdesimError as error:
            self._log.error(str(error))
