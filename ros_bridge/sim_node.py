"""The simulation node: one world on ROS.

Two threads. This one owns the simulation: it steps, paces, publishes. The other waits for ROS and only puts
what came into the inbox, which is emptied between two steps, so that no callback sees a half-made step.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.parameter import Parameter

from ros_bridge import world_topics
from ros_bridge.commands import CommandGate
from ros_bridge.controller_api.api import ControllerApi, Host
from ros_bridge.controller_api.keyboard import keyboard
from ros_bridge.controller_api.windows import Windows
from ros_bridge.controller_wait import ControllerWait
from ros_bridge.domain_watch import DomainWatch
from ros_bridge.ending import bounded, within
from ros_bridge.field_parameters import FieldParameters
from ros_bridge.inbox import Inbox
from ros_bridge.interface import CLOCK, MARKERS, STATUS, TF_STATIC, build_topics, check_robot_names
from ros_bridge.listening import Listening
from ros_bridge.lockstep import LockStep
from ros_bridge.node_parameters import declare_parameters, make_node
from ros_bridge.options import RunOptions
from ros_bridge.paths import find_world
from ros_bridge.power_watch import PowerWatch
from ros_bridge.progress import ProgressBar
from ros_bridge.publishing import Port, Publishers
from ros_bridge.recorder import check_new
from ros_bridge.recorder.run_notes import RunNotes
from ros_bridge.recording_services import RecordingServices, begin_recordings, check_recordings
from ros_bridge.ros_thread import RosThread
from ros_bridge.run_mode import RunMode
from ros_bridge.run_report import RunReport
from ros_bridge.services import make_services
from ros_bridge.signals import handled_signals, interrupt_once
from ros_bridge.simulation_interfaces import offer
from ros_bridge.simulation_interfaces.changes import RESET as RESET_SCOPE
from ros_bridge.simulation_interfaces.host import Host as StandardHost
from ros_bridge.startup import (
    add_to_lockstep,
    greet,
    let_pictures_come_late,
    make_lockstep,
    nobody_is_left_behind,
    read_parameters,
    say_why_no_pictures,
    silence_unheard,
    start_recording,
)
from ros_bridge.status import fill_status
from ros_bridge.topics import Topics
from ros_bridge.trace_files import save_all_traces
from sim_core.clock import to_nanoseconds
from sim_core.errors import OdesimError
from sim_core.scene import Scene, load_scene
from sim_core.simulation import Simulation
from sim_core.supervision.present import save_text
from sim_core.urdf.spawn import add_urdfs

ERROR_EXIT_CODE = 2
CHORE_PERIOD = 0.1
"""Seconds of wall time between two looks at what is not due by sim time."""
STATUS_PERIOD = 1.0
FLUSH_TIME = 0.3
"""Seconds of wall time in which the last messages must reach their subscribers."""
END_LIMIT = 0.4
"""Seconds of wall time for each part of ROS to end."""
LINGER = 0.5
"""Seconds that the node stays after ~/quit, so that the answer reaches the caller: rclpy cannot tell when."""
SWITCH_INTERVAL = 0.0005
"""Seconds after which a busy simulation lets the thread of ROS run; Python's own is 5 ms."""


def run(options: RunOptions) -> int:
    """Run a world until its end, Ctrl-C, or an error.

    Returns:
        Exit code: 0, or 2 after an error, which has been printed as one line.
    """
    try:
        check_recordings(options)
        if options.record is not None:
            check_new(Path(options.record))
        scene = load_scene(options.world, download=options.download, skip_missing=options.skip_missing)
        add_urdfs(scene, options.urdf)
    except OdesimError as error:
        print(error, file=sys.stderr)
        return ERROR_EXIT_CODE
    except KeyboardInterrupt:
        return 0
    with handled_signals() as stop_asked:
        try:
            node = make_node(options.ros_args)
        except OdesimError as error:
            print(error, file=sys.stderr)
            return ERROR_EXIT_CODE
        simulation: SimNode | None = None
        interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            stop_asked(interrupt_once())  # a large world takes its time
            simulation = SimNode(node, scene, options)
            stop_asked(simulation.quit)
            simulation.spin()
            simulation.report.end(simulation.sim.time_ns)
        except OdesimError as error:
            node.get_logger().fatal(str(error))
            return ERROR_EXIT_CODE
        except KeyboardInterrupt:
            return 0
        finally:
            sys.setswitchinterval(interval)
            if simulation is not None:
                simulation.close()
            with bounded(10.0 * END_LIMIT):
                within(END_LIMIT, node.destroy_node, node.context.try_shutdown)
    recorded = options.movie is not None or options.animation is not None
    failed = simulation.recording_failed or (recorded and simulation.sim.recordings.failures)
    return ERROR_EXIT_CODE if failed else simulation.exit_code


class SimNode:
    """One world, its node, and the loop that steps it.

    Attributes:
        sim: the simulation; replaced by a new one when a reset brings a new seed.
        report: says when the run started to move, and at its end how fast it was.
        exit_code: 0, or what a supervisor has asked for.
    """

    def __init__(self, node: Any, scene: Scene, options: RunOptions) -> None:
        """Build everything; nothing moves yet.

        Raises:
            OdesimError: the world or a parameter is wrong.
        """
        self._node = node
        self._log = node.get_logger()
        self._options = options
        self._parameters = read_parameters(node, scene, options)
        bridge = self._parameters.bridge
        self.sim = Simulation(scene, self._parameters.simulation)
        self.exit_code = 0
        self._inbox = Inbox()
        self._gate = CommandGate(self._log.warning)
        self._running = True
        self._linger = 0.0
        self._seed = self.sim.seed
        self._end_ns = to_nanoseconds(bridge.duration) if bridge.duration is not None else LockStep.NEVER
        self._lockstep = make_lockstep(self.sim, bridge, options.controllers)
        may_hurry = options.hurry and options.mode is None
        if may_hurry and nobody_is_left_behind(self.sim, self._lockstep, options.controllers):
            self._parameters.values["mode"] = "fast"
        self._mode = RunMode(self._parameters.values["mode"], bridge.speed, self.sim.step_ns)
        self._domain = DomainWatch(node, self._log.warning)
        self._next_chore = self._next_status = 0.0
        self._topics = self._make_topics()
        recording = start_recording(self.sim, self._topics, self._parameters, options)
        self._notes = RunNotes(recording, lambda: self.sim)
        publications, make_port = self._topics.publications, self._notes.make_port
        self._publishers = Publishers(node, publications, self._changed, make_port)
        silence_unheard(self.sim)
        self._let_pictures_come()
        self._controllers: Any = None
        self._keyboard: Any = None
        self._windows: Windows | None = None
        self._listening = Listening(
            node,
            self._inbox.put,
            self._gate,
            self._lockstep,
            lambda: self.sim.time_ns,
            self._notes.command,
            lambda robot: self._wait.answered(robot),
        )
        self._listening.become(self._topics.subscriptions)
        self._recorder = RecordingServices(lambda: self.sim, bridge, self._log)
        make_services(node, self._inbox, self._services() | self._recorder.services())
        self._fields = FieldParameters(self._inbox, self._notes.change)
        self._holds_changes = self._was_changed = False
        self._use_supervisor()
        node.fields = self._fields
        refuse, note = self._gate.refuse, self._notes.command
        world_topics.listen(node, self._inbox.put, lambda: self.sim, self._load_world, refuse, note)
        self._parameters.values["seed"] = self.sim.seed
        declare_parameters(node, self._parameters.values, self._inbox, self._set_parameter)
        self._api = self._make_api()  # late: from here on there is a socket to close
        self._wait = self._make_wait()
        self._standard = offer(node, self._inbox, self._make_host())
        self._ros = RosThread(node)
        try:
            self._begin(options)
        except (OdesimError, KeyboardInterrupt):
            self.close()
            raise
        bar = ProgressBar(bridge.duration) if options.progress and bridge.duration else None
        self.report = RunReport(self._log.info, self.sim.step_ns, bar)

    def _begin(self, options: RunOptions) -> None:
        """Start what runs beside the simulation, and say what was loaded."""
        if options.controllers:
            self._controllers = self._start_controllers(options)
        self._power = PowerWatch(self._log.warning, self._lockstep, self._controllers)
        greet(self._log, self.sim, self._mode.name)
        begin_recordings(self.sim, options)

    @property
    def recording_failed(self) -> bool:
        """Not all of the recording could be written."""
        return self._notes.has_failed

    def quit(self) -> None:
        """End the run before the next step; may be called from any thread and from signal handlers."""
        self._inbox.put(self._end)

    def spin(self) -> None:
        """Step until the end.

        Raises:
            StateNotFiniteError: the physics failed.
        """
        self._ros.start()
        self._start_anew()
        inbox, publishers, api = self._inbox, self._publishers, self._api
        is_empty = inbox.is_empty
        while True:
            if not is_empty():
                inbox.drain()
            if not self._running:
                return
            now_ns = self.sim.physics.time_ns
            pause = self._pause(now_ns)
            if pause > 0.0:
                inbox.wait(pause)
                continue
            if now_ns >= self._lockstep.next_ns:
                self._listening.apply_answers(now_ns)
            if api.has_commands:
                api.before_step()
            self.sim.step()
            now_ns = self.sim.physics.time_ns
            if now_ns >= publishers.next_ns:
                publishers.publish_due(now_ns)
            if now_ns >= api.next_ns:
                api.after_step(now_ns)

    def close(self) -> None:
        """End controllers and threads; never raises, may be called twice."""
        try:
            self._api.finish(self._inbox.wait)
        except OdesimError as error:
            self._log.error(str(error))
        self._api.close()
        if self._controllers is not None:
            self._controllers.stop()
        self._inbox.close()
        try:
            self.sim.close()
        except OdesimError as error:
            self._log.error(str(error))
        self._notes.close(self._log.error)
        with bounded(10.0 * END_LIMIT):
            within(END_LIMIT, partial(self._publishers.flush, FLUSH_TIME))
            time.sleep(self._linger)
            if self._standard is not None:
                within(END_LIMIT, self._standard.close)
            within(END_LIMIT, self._ros.stop)

    # ---- what the loop asks before each step

    def _pause(self, now_ns: int) -> float:
        """Seconds to sleep before looking again; 0: make a step."""
        now = time.monotonic()
        if now >= self._next_chore:
            self._do_chores(now)
        until_chore = self._next_chore - now
        if now_ns >= self._end_ns:
            self._running = False
            return 1e-6
        if self._mode.stands:
            return until_chore
        if self._wait.is_needed(now_ns):
            return 1e-6 if self._wait.goes_on(now_ns, now) else until_chore
        return self._mode.delay(now, until_chore)

    def _do_chores(self, now: float) -> None:
        """Ten times a second of wall time: the dead, the clock of a standing world, the status."""
        self._next_chore = now + CHORE_PERIOD
        now_ns = self.sim.time_ns
        self.report.look(now, now_ns)
        self._power.look(self.sim.robots.values(), now_ns)
        self._topics.overlays.look(self._publishers.is_wanted, self._publishers.publish, now_ns)
        if self._controllers is not None:
            for ended in self._controllers.poll():
                say = self._log.info if ended.text == "exit code 0" else self._log.error
                say(f'{ended.robot_name}: controller "{ended.controller}" ended: {ended.text}')
                self._lockstep.died(ended.robot_name)
                self._api.look_again()
        if self._wait.robots or self._mode.name == "paused":
            self._publishers.publish(CLOCK, now_ns)
        if now >= self._next_status:
            self._next_status = now + STATUS_PERIOD
            self._mode.measure(now, now_ns)
            self._domain.look()
            self._publishers.publish(STATUS, now_ns)

    # ---- what comes in

    def _changed(self, port: Port, count: int) -> None:
        """Somebody subscribed or went; called in the thread of ROS."""
        self._inbox.put(partial(self._set_subscribers, port, count))

    def _set_subscribers(self, port: Port, count: int) -> None:
        if not self._publishers.set_subscribers(port, count):
            return
        name, now_ns = port.publication.name, self.sim.time_ns
        if name == MARKERS:
            self._markers_for_all()
        elif name == STATUS or port.publication.is_constant:
            self._publishers.publish(name, now_ns)
        elif self._wait.robots:
            self._publishers.send_again(port, now_ns, self.sim.sample)

    # ---- services and parameters

    def _services(self) -> dict[str, Callable[[], str]]:
        return {
            "pause": partial(self._set_mode, "paused"),
            "resume": lambda: self._set_mode(self._mode.running),
            "step": self._step_once,
            "reset": self._reset_all,
            "physics_reset": self._reset_physics,
            "save": self._save,
            "revert": lambda: self._load_world(self.sim.scene.file),
            "world_text": lambda: save_text(self.sim),
            "save_traces": lambda: save_all_traces(self.sim, self._parameters.bridge.trace_file),
            "quit": self._quit_by_service,
        }

    def _end(self) -> None:
        self._running = False

    def _quit_by_service(self) -> str:
        self._end()
        self._linger = LINGER
        return f"ending at {self.sim.time:g} s"

    def _set_mode(self, mode: str) -> str:
        self._mode.set(mode)
        let_pictures_come_late(self.sim, self._lockstep, mode, self._notes.is_on)
        self._mirror("mode", mode)
        return f"mode {mode} at {self.sim.time:g} s"

    def _step_once(self) -> str:
        """One step, as in Webots: a running simulation is paused by it."""
        if self._mode.name != "paused":
            self._set_mode("paused")
        self._mode.ask_for_step()
        return f"one step from {self.sim.time:g} s"

    def _reset_all(self, again: Callable[[], None] | None = None, scope: int = 0) -> str:
        """The world and those controllers that cannot see that time is 0 again."""
        text = self._reset(again, scope)
        for name in self._api.robots():
            self._restart_controller(name)
        return text

    def _restart_controller(self, robot: str) -> None:
        """Start the controller of a robot anew."""
        self._api.dismiss(robot)
        if self._controllers is not None and self._controllers.end(robot):
            self._controllers.start_again(robot)

    def _quit_by_controller(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self._end()

    def _reset(self, again: Callable[[], None] | None = None, scope: int = 0) -> str:
        """Time is 0 again; `again` does what `Simulation.reset` does, for a part of the world: its scope."""
        self._notes.restarts("reset" if again is None else RESET_SCOPE, seed=self._seed, scope=scope)
        before_ns = self.sim.time_ns
        with self._held_changes() as was_changed:  # sim time goes back behind them
            (again or self.sim.reset)()
        self._publishers.restart()
        if again is None and self._seed != self.sim.seed:
            config = replace(self._parameters.simulation, seed=self._seed)
            self.sim.close()
            self.sim = Simulation(self.sim.scene, config)
            self._rewire()
            self._use_supervisor()
        elif was_changed():
            self._world_changed()
        self._api.reset(before_ns)
        self._lockstep.restart()
        self._power.restart()
        self._wait.restart()
        self._start_anew()
        return "reset to 0 s"

    def _reset_physics(self) -> str:
        self._notes.change("physics_reset")
        self.sim.physics.stop_motion()
        return f"all bodies stopped at {self.sim.time:g} s"

    def _save(self) -> str:
        """The world as it is now, into `save_file`, or beside the world's file."""
        world = Path(self.sim.scene.file)
        chosen = self._parameters.bridge.save_file
        path = Path(chosen) if chosen else world.with_name(f"{world.stem}_saved.wbt")
        return f"saved as {self.sim.supervisor.save(path)}"

    def _read_world(self, path: str, skip_missing: bool = False) -> Scene:
        options = self._options
        return load_scene(path, download=options.download, skip_missing=options.skip_missing or skip_missing)

    def _load_world(self, path: str, scene: Scene | None = None) -> str:
        """Go on with another world, or with the same one from its file, in the same mode."""
        options = self._options
        if scene is None:
            path = str(find_world(path))
            scene = self._read_world(path)
        if path == self.sim.scene.file:
            add_urdfs(scene, options.urdf)
        check_robot_names(scene)
        self._notes.restarts("load_world", world=str(Path(path).resolve()))
        with self._held_changes():  # its controllers are started below
            self.sim.load(scene)
        self._start_over()
        return f"loaded {path}"

    def _start_over(self) -> None:
        """Another world has been loaded: its topics, its controllers, time 0."""
        self._api.dismiss()
        self._rewire()
        self._mode.change_step(self.sim.step_ns)
        self._lockstep = self._listening.lockstep = make_lockstep(
            self.sim, self._parameters.bridge, self._options.controllers
        )
        self._wait = self._make_wait()
        if self._controllers is not None:
            self._controllers.stop()
            options = replace(self._options, world=self.sim.scene.file, skip_missing=True)
            self._controllers = self._start_controllers(options)
        self._power = PowerWatch(self._log.warning, self._lockstep, self._controllers)
        self._start_anew()
        greet(self._log, self.sim, self._mode.name)

    def _use_supervisor(self) -> None:
        """Hear of changes of the world."""
        self._fields.use(self.sim)
        self._recorder.use(self.sim)
        self.sim.supervisor.changed.append(self._world_changed)
        self._known = list(self.sim.robots.values())

    @contextmanager
    def _held_changes(self) -> Iterator[Callable[[], bool]]:
        """Within it changes of the world are not followed; what it yields tells whether there were any."""
        self._holds_changes, self._was_changed = True, False
        try:
            yield lambda: self._was_changed
        finally:
            self._holds_changes = False

    def _world_changed(self) -> None:
        """A supervisor has changed what is seen, or robots came or went."""
        if self._holds_changes:
            self._was_changed = True
            return
        before, now = self._known, list(self.sim.robots.values())
        if now != before:
            self._rewire()
            if self._controllers is not None:
                for gone in [robot for robot in before if robot not in now]:
                    self._controllers.end(gone.name)
                come = [robot for robot in now if robot not in before]
                for name in self._controllers.start_for(come):
                    add_to_lockstep(self._lockstep, self.sim.robots[name], self._parameters.bridge)
        self._topics.markers.remake()
        self._topics.overlays.remake()
        self._publishers.publish(MARKERS, self.sim.time_ns)

    def _rewire(self) -> None:
        """Other robots: other topics."""
        self._known = list(self.sim.robots.values())
        self._topics = self._make_topics()
        self._publishers.become(self._topics.publications, self.sim.time_ns)
        silence_unheard(self.sim)
        self._let_pictures_come()
        self._listening.become(self._topics.subscriptions)
        self._fields.use(self.sim)
        self._lockstep.forget([name for name in self._lockstep.robots() if name not in self.sim.robots])
        self._api.robots_changed()
        self._topics.markers.remake()
        self._publishers.publish(TF_STATIC, self.sim.time_ns)
        if self._notes.is_on:
            self._publishers.publish_constants(self.sim.time_ns)

    def _set_parameter(self, name: str, value: Any) -> None:
        """Carry out a change of a parameter, already checked."""
        if name == "mode":
            self._set_mode(value)
        elif name == "speed":
            self._mode.pacer.restart(value)
        elif name == "seed":
            self._seed = value
            self._log.info(f"seed {value} from the next reset on")
        else:
            self._recorder.set(name, value)

    def _mirror(self, name: str, value: Any) -> None:
        """Show in the parameter what a service has changed."""
        if self._node.get_parameter(name).value != value:
            self._node.set_parameters([Parameter(name, value=value)])

    # ---- setting up

    def _make_topics(self) -> Topics:
        """The topics of the present simulation."""
        topics = build_topics(self.sim, self._parameters.bridge, self._fill_status)
        topics.overlays.warn = self._log.warning
        return topics

    def _make_wait(self) -> ControllerWait:
        """For the controllers of the present simulation."""
        params, topic_of = self._parameters.bridge, self._listening.answer_topic
        return ControllerWait(self._lockstep, self._api, params, topic_of, self._log.warning)

    def _let_pictures_come(self) -> None:
        """Which pictures are waited for, and who hears if there are none."""
        let_pictures_come_late(self.sim, self._lockstep, self._mode.name, self._notes.is_on)
        say_why_no_pictures(self.sim, self._log)

    def _make_api(self) -> ControllerApi:
        """For controllers that import `controller`."""
        host = Host(
            lambda: self.sim,
            self._inbox.put,
            self._log.warning,
            self._gate.apply,
            self._hand_over,
            lambda: self._lockstep.missing(self.sim.time_ns),
            lambda robot: (self._controllers and self._controllers.folder(robot)) or Path.cwd(),
            self._listen_to_keyboard,
            {
                "reset": self._reset,
                "quit": self._quit_by_controller,
                "set_mode": self._set_mode,
                "get_mode": lambda: self._mode.name,
                "load": self._load_world,
                "restart": self._restart_controller,
            },
            lambda robot: self._window().open(robot),
            lambda robot, text: self._window().send(robot, text),
            self._notes.change,
        )
        return ControllerApi(host)

    def _window(self) -> Windows:
        """What carries texts between controllers and their robots' windows."""
        if self._windows is None:
            self._windows = Windows(self._node, self._inbox.put, self._api)
        return self._windows

    def _hand_over(self, robot: str, ours: bool) -> None:
        """A robot's answers come from a controller that imports `controller` from now on, or no longer."""
        self._lockstep.hand_over(robot, ours)

    def _make_host(self) -> StandardHost:
        """For the services of simulation_interfaces."""
        return StandardHost(
            sim=lambda: self.sim,
            mode=lambda: self._mode.name,
            set_mode=self._set_mode,
            resume=lambda: self._set_mode(self._mode.running),
            steps_left=lambda: self._mode.steps_left,
            set_steps=partial(setattr, self._mode, "steps_left"),
            reset=self._reset_all,
            read=self._read_world,
            load=self._load_world,
            note=self._notes.change,
            quit=self._quit_by_service,
            say=self._log.warning,
        )

    def _listen_to_keyboard(self) -> None:
        """The keys that somebody presses reach the controllers."""
        if self._keyboard is None:
            self._keyboard = keyboard(self._node, self._inbox.put, self._api)

    def _start_controllers(self, options: RunOptions) -> Any:
        from ros_bridge.controller_processes import ControllerProcesses

        robots: Any = list(self.sim.robots.values())
        controllers = ControllerProcesses(
            robots,
            Path(options.world),
            self._log.info,
            self._api.path,
            options.skip_missing,
            self._log.warning,
        )
        for name in controllers.left_out:
            self._lockstep.died(name)
        controllers.start()
        return controllers

    def _start_anew(self) -> None:
        """Time is 0: say so, and what is said once."""
        self._mode.restart()
        self._topics.overlays.remake()
        self._publishers.publish(CLOCK, 0)
        self._publishers.publish(TF_STATIC, 0)
        if self._notes.is_on:
            self._publishers.publish_constants(0)
        self._markers_for_all()

    def _markers_for_all(self) -> None:
        self._topics.markers.everything = True
        self._publishers.publish(MARKERS, self.sim.time_ns)

    def _fill_status(self, message: Any, time_ns: int) -> None:
        mode, waiting = self._mode, self._wait.robots
        fill_status(message, time_ns, mode.name, mode.pacer.speed, mode.speed, mode.pacer.lost, waiting)
