"""One run of the simulation node, from its options to its exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from ros_bridge.base.ending import END_LIMIT, LAST_LIMIT, bounded, within
from ros_bridge.base.exit_codes import CONTROLLER_FAILED, ERROR
from ros_bridge.base.installed_ros import ros_is_installed
from ros_bridge.base.middleware import largest_message
from ros_bridge.base.signals import handled_signals, interrupt_once
from ros_bridge.base.terminal import painted
from ros_bridge.control.recording_services import check_recordings
from ros_bridge.node.run_report import RunReport
from ros_bridge.node.startup import add_robots, is_instanced
from ros_bridge.parameters.options import RunOptions
from ros_bridge.recorder import check_new
from sim_core.base.errors import OdesimError
from sim_core.scene import Scene, load_scene
from sim_core.session.simulation import Simulation

SWITCH_INTERVAL = 0.0005
"""Seconds after which a busy simulation lets the thread of ROS run; Python's own is 5 ms."""
NAMED = 5
"""How many of the controllers that failed the last line names."""


class Running(Protocol):
    """A run that goes on, with ROS or without; see `SimNode`."""

    sim: Simulation
    report: RunReport

    @property
    def has_failed(self) -> bool:
        """Not all of what is recorded could be written."""

    @property
    def exit_code(self) -> int:
        """What a supervisor has asked for, or 0."""

    @property
    def failed_controllers(self) -> Sequence[str]:
        """Which have died or could not be started."""

    def quit(self) -> None:
        """End the run before the next step; may be called from any thread and from signal handlers."""

    def spin(self) -> None:
        """Step until the end."""

    def close(self) -> None:
        """End controllers and threads; never raises, may be called twice."""


Make = Callable[[Any, Scene | Simulation, RunOptions], Running]
"""Makes what runs a world, from a ROS node, what to begin with and the options."""


def run(options: RunOptions, make: Make | None = None) -> int:
    """Run a world until its end, Ctrl-C, or an error.

    Args:
        options: of the run.
        make: makes what runs it; None: a `SimNode`, or a `LoneRun` where ROS 2 is not installed.

    Returns:
        Exit code: 0; 1 if a controller died or could not be started, which the last line says; 2 after an
        error, which has been printed as one line; or what a supervisor has asked for.
    """
    try:
        check_recordings(options)
        if options.record is not None:
            check_new(Path(options.record))
        begin, scene = _begin(options)
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
        simulation: Running | None = None
        interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            stop_asked(interrupt_once())  # a large world takes its time
            simulation = (make or own)(node, begin, options)
            stop_asked(simulation.quit)
            simulation.spin()
            simulation.report.end(simulation.sim.time_ns)
        except OdesimError as error:
            node.get_logger().fatal(str(error))
            return ERROR
        except KeyboardInterrupt:
            return 0
        finally:
            sys.setswitchinterval(interval)
            if simulation is not None:
                simulation.close()
            with bounded(LAST_LIMIT):
                within(END_LIMIT, node.destroy_node, node.context.try_shutdown)
    recorded = options.movie is not None or options.animation is not None
    failed = simulation.has_failed or (recorded and simulation.sim.recordings.failures)
    controllers = simulation.failed_controllers
    if controllers:
        more = f" and {len(controllers) - NAMED} more" if len(controllers) > NAMED else ""
        print(f"controllers that failed: {', '.join(controllers[:NAMED])}{more}", file=sys.stderr)
    return ERROR if failed else simulation.exit_code or (CONTROLLER_FAILED if controllers else 0)


def _host(options: RunOptions, scene: Scene) -> tuple[Any, Make]:
    """The node, and what makes the run that it offers.

    Raises:
        ConfigError: the options ask for what there is not.
    """
    if ros_is_installed():
        from ros_bridge.node.node_parameters import make_node
        from ros_bridge.node.sim_node import SimNode

        return make_node(options.ros_args, largest_message(scene)), SimNode
    from ros_bridge.node.lone_run import LoneNode, LoneRun

    return LoneNode(options), LoneRun


def _begin(options: RunOptions) -> tuple[Scene | Simulation, Scene]:
    """What the run begins with, and its scene.

    Raises:
        OdesimError: a file cannot be read, or the snapshot cannot be opened.
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
    return scene, scene
