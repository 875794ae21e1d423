"""One run of the simulation node, from its options to its exit code."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ros_bridge.base.exit_codes import CONTROLLER_FAILED, ERROR, TIMED_OUT
from ros_bridge.base.installed_ros import ros_is_installed
from ros_bridge.base.middleware import largest_message
from ros_bridge.base.shutdown import shut_down
from ros_bridge.base.signals import handled_signals, interrupt_once
from ros_bridge.base.terminal import painted
from ros_bridge.control.recording_services import check_recordings
from ros_bridge.node.run_report import RunReport
from ros_bridge.node.startup import add_robots, is_instanced
from ros_bridge.parameters.options import RunOptions
from ros_bridge.recorder import check_new
from sim_core.base.errors import OdesimError
from sim_core.scene import Scene, load_scene
from sim_core.scene.by_name import set_fields
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

SWITCH_INTERVAL = 0.0005
"""Python's thread switch interval in s (default 5 ms), so that a busy simulation lets the ROS thread run."""
NAMED = 5
"""Most failed controllers named in the last line."""


class WorldRun(Protocol):
    """A run, with ROS or without; see `SimNode`."""

    sim: Simulation
    session: Session
    report: RunReport

    @property
    def has_failed(self) -> bool:
        """True if a recording could not be written completely."""

    @property
    def exit_code(self) -> int:
        """Exit code requested by a supervisor, or 0."""

    @property
    def failed_controllers(self) -> Sequence[str]:
        """Controllers that died or could not be started."""

    def quit(self) -> None:
        """End the run before the next step; may be called from any thread and from signal handlers."""

    def begin(self) -> None:
        """Bring the world to its start; called once, before `spin`."""

    def spin(self, until: Callable[[], bool] | None = None) -> None:
        """Step until the end, or until a condition holds."""

    def close(self) -> None:
        """End controllers and threads; never raises, may be called twice."""


Make = Callable[[Any, Scene | Simulation, RunOptions], WorldRun]
"""Makes a run from a ROS node, a scene or simulation to begin with, and the options."""


def run(options: RunOptions, make: Make | None = None) -> int:
    """Run a world until its end, Ctrl-C, or an error.

    Args:
        options: of the run.
        make: makes the run; None: a `SimNode`, or a `RunWithoutRos` where ROS 2 is not installed.

    Returns:
        Exit code: 0; 1 if a controller died or could not be started, which the last line says; 2 after an
        error, which has been printed as one line; 124 if `timeout` ended it; or what a supervisor
        has asked for.
    """
    try:
        check_recordings(options)
        if options.record is not None:
            check_new(Path(options.record))
        begin, scene = start_of(options)
    except OdesimError as error:
        print(painted(str(error), "red", sys.stderr), file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        return 0
    with handled_signals() as stop_asked:
        try:
            node, own = _host(options, scene)
        except OdesimError as error:
            print(error, file=sys.stderr)
            return ERROR
        simulation: WorldRun | None = None
        interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            stop_asked(interrupt_once())  # building a large world takes time
            simulation = (make or own)(node, begin, options)
            stop_asked(simulation.quit)
            simulation.begin()
            simulation.spin(
                None if options.timeout is None else partial(_is_past, time.monotonic() + options.timeout)
            )
            simulation.report.log_end(simulation.sim.time_ns)
            if not simulation.session.has_ended:
                simulation.session.note_waiting()
        except OdesimError as error:
            node.get_logger().fatal(str(error))
            return ERROR
        except KeyboardInterrupt:
            return 0
        finally:
            sys.setswitchinterval(interval)
            if simulation is not None:
                simulation.close()
            shut_down(node)
    recorded = options.movie is not None or options.animation is not None
    failed = simulation.has_failed or (recorded and simulation.sim.recordings.failures)
    controllers = simulation.failed_controllers
    if controllers:
        more = f" and {len(controllers) - NAMED} more" if len(controllers) > NAMED else ""
        print(f"controllers that failed: {', '.join(controllers[:NAMED])}{more}", file=sys.stderr)
    if not simulation.session.has_ended:
        at = f"at {simulation.sim.time:g} s of sim time"
        waited_for = ", ".join(simulation.session.waited_for)
        late = f", waiting for the controller of {waited_for}" if waited_for else ""
        print(f"--timeout {options.timeout:g}: the run was not over, {at}{late}", file=sys.stderr)
        return TIMED_OUT
    return ERROR if failed else simulation.exit_code or (CONTROLLER_FAILED if controllers else 0)


def _host(options: RunOptions, scene: Scene) -> tuple[Any, Make]:
    """Return the node, and the function that makes the run.

    Raises:
        ConfigError: the options need ROS 2, which is not installed.
    """
    if ros_is_installed():
        from ros_bridge.node.node_parameters import make_node
        from ros_bridge.node.sim_node import SimNode

        return make_node(options.ros_args, largest_message(scene)), SimNode
    from ros_bridge.node.run_without_ros import NodeWithoutRos, RunWithoutRos

    return NodeWithoutRos(options), RunWithoutRos


def _is_past(end: float) -> bool:
    return time.monotonic() >= end


def start_of(options: RunOptions) -> tuple[Scene | Simulation, Scene]:
    """Return what a run begins with, a scene or the simulation of a snapshot, and its scene.

    Raises:
        OdesimError: a file cannot be read, or a snapshot cannot be opened.
    """
    if options.snapshot is not None:
        simulation = Simulation.from_snapshot(options.snapshot, plugins=None if options.plugins else False)
        return simulation, simulation.scene
    scene = load_scene(
        options.world,
        download=options.download,
        skip_missing=not options.strict,
        lenient=not options.strict,
        instanced=is_instanced(options),
    )
    add_robots(scene, options)
    set_fields(scene, options.fields)
    return scene, scene
