"""The simulation node: one world on ROS.

Two threads. This one owns the simulation: it steps, paces, publishes. The other waits for ROS and only puts
what came into the inbox, which is emptied between two steps, so that no callback sees a half-made step.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.parameter import Parameter

from ros_bridge import world_topics
from ros_bridge.commands import CommandGate
from ros_bridge.controller_api.api import ControllerApi, Host
from ros_bridge.controller_api.keyboard import keyboard
from ros_bridge.domain_watch import DomainWatch
from ros_bridge.ending import bounded, within
from ros_bridge.field_parameters import FieldParameters
from ros_bridge.inbox import Inbox
from ros_bridge.interface import CLOCK, STATUS, build_topics, check_robot_names
from ros_bridge.lockstep import LockStep
from ros_bridge.node_parameters import declare_parameters
from ros_bridge.options import RunOptions
from ros_bridge.paths import find_world
from ros_bridge.progress import ProgressBar
from ros_bridge.recorder.run_notes import RunNotes
from ros_bridge.recording_services import RecordingServices, begin_recordings
from ros_bridge.ros_thread import RosThread
from ros_bridge.run_mode import RunMode
from ros_bridge.run_report import RunReport
from ros_bridge.services import make_services
from ros_bridge.simulation_interfaces import offer
from ros_bridge.simulation_interfaces.changes import RESET as RESET_SCOPE
from ros_bridge.simulation_interfaces.host import Host as StandardHost
from ros_bridge.startup import (
    fill_lockstep,
    greet,
    let_pictures_come_late,
    nobody_is_left_behind,
    read_parameters,
    say_why_no_pictures,
    start_recording,
)
from ros_bridge.status import fill_status
from ros_bridge.topics import Topics
from ros_bridge.trace_files import save_all_traces
from ros_bridge.wiring import Wiring
from ros_bridge.world_controllers import WorldControllers
from ros_bridge.world_watch import WorldWatch
from sim_core.clock import to_nanoseconds
from sim_core.errors import OdesimError
from sim_core.robot import Robot
from sim_core.scene import Scene, load_scene
from sim_core.simulation import Simulation
from sim_core.supervision.present import save_text
from sim_core.urdf.spawn import add_urdfs

CHORE_PERIOD = 0.1
"""Seconds of wall time between two looks at what is not due by sim time."""
STATUS_PERIOD = 1.0
FLUSH_TIME = 0.3
"""Seconds of wall time in which the last messages must reach their subscribers."""
END_LIMIT = 0.4
"""Seconds of wall time for each part of ROS to end."""
LINGER = 0.5
"""Seconds that the node stays after ~/quit, so that the answer reaches the caller: rclpy cannot tell when."""


class SimNode:
    """One world, its node, and the loop that steps it.

    Attributes:
        sim: the simulation.
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
        self._lockstep = LockStep()
        fill_lockstep(self._lockstep, self.sim, bridge, options.controllers)
        may_hurry = options.hurry and options.mode is None
        if may_hurry and nobody_is_left_behind(self.sim, self._lockstep, options.controllers):
            self._parameters.values["mode"] = "fast"
        self._mode = RunMode(self._parameters.values["mode"], bridge.speed, self.sim.step_ns)
        self._domain = DomainWatch(node, self._log.warning)
        self._next_chore = self._next_status = 0.0
        topics = self._make_topics()
        self._notes = RunNotes(start_recording(self.sim, topics, self._parameters, options), self.sim)
        self._wiring = Wiring(
            node,
            self.sim,
            topics,
            self._notes,
            self._inbox,
            self._gate,
            self._lockstep,
            answered=lambda robot: self._controllers.wait.answered(robot),
            stands_waiting=lambda: bool(self._controllers.wait.robots),
        )
        self._let_pictures_come()
        self._keyboard: Any = None
        self._recorder = RecordingServices(self.sim, bridge, self._log)
        make_services(node, self._inbox, self._services() | self._recorder.services())
        node.fields = self._fields = FieldParameters(self._inbox, self._notes.change)
        self._fields.use(self.sim)
        self._watch = WorldWatch(self.sim, self._world_changed)
        refuse, note = self._gate.refuse, self._notes.command
        world_topics.listen(node, self._inbox.put, self.sim, self._load_world, refuse, note)
        self._parameters.values["seed"] = self.sim.seed
        declare_parameters(node, self._parameters.values, self._inbox, self._set_parameter)
        self._controllers = self._make_controllers()  # late: from here on there is a socket to close
        self._standard = offer(node, self._inbox, self._make_host())
        self._ros = RosThread(node)
        try:
            if options.controllers:
                self._controllers.start(options.skip_missing)
            greet(self._log, self.sim, self._mode.name)
            begin_recordings(self.sim, options)
        except (OdesimError, KeyboardInterrupt):
            self.close()
            raise
        bar = ProgressBar(bridge.duration) if options.progress and bridge.duration else None
        self.report = RunReport(self._log.info, self.sim.step_ns, bar)

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
        inbox, publishers, listening = self._inbox, self._wiring.publishers, self._wiring.listening
        api, lockstep = self._controllers.api, self._lockstep
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
            if now_ns >= lockstep.next_ns:
                listening.apply_answers(now_ns)
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
        self._controllers.stop()
        self._inbox.close()
        try:
            self.sim.close()
        except OdesimError as error:
            self._log.error(str(error))
        self._notes.close(self._log.error)
        with bounded(10.0 * END_LIMIT):
            within(END_LIMIT, partial(self._wiring.publishers.flush, FLUSH_TIME))
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
        wait = self._controllers.wait
        if wait.is_needed(now_ns):
            return 1e-6 if wait.goes_on(now_ns, now) else until_chore
        return self._mode.delay(now, until_chore)

    def _do_chores(self, now: float) -> None:
        """Ten times a second of wall time: the dead, the clock of a standing world, the status."""
        self._next_chore = now + CHORE_PERIOD
        now_ns, publishers = self.sim.time_ns, self._wiring.publishers
        self.report.look(now, now_ns)
        self._wiring.topics.overlays.look(publishers.is_wanted, publishers.publish, now_ns)
        self._controllers.look(now_ns)
        if self._controllers.wait.robots or self._mode.name == "paused":
            publishers.publish(CLOCK, now_ns)
        if now >= self._next_status:
            self._next_status = now + STATUS_PERIOD
            self._mode.measure(now, now_ns)
            self._domain.look()
            publishers.publish(STATUS, now_ns)

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
        self._controllers.restart_connected()
        return text

    def _quit_by_controller(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self._end()

    def _reset(self, again: Callable[[], None] | None = None, scope: int = 0) -> str:
        """Time is 0 again; `again` does what `Simulation.reset` does, for a part of the world: its scope."""
        self._notes.restarts("reset" if again is None else RESET_SCOPE, seed=self._seed, scope=scope)
        before_ns = self.sim.time_ns
        has_new_seed = again is None and self._seed != self.sim.seed
        with self._watch.held() as was_changed:  # sim time goes back behind them
            if again is not None:
                again()
            else:
                self.sim.reset(self._seed)
        self._wiring.publishers.restart()
        if has_new_seed:
            self._rewire()
        elif was_changed():
            self._watch.look()
        self._controllers.time_is_zero(before_ns)
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
        with self._watch.held():  # its controllers are started below
            self.sim.load(scene)
        self._controllers.api.dismiss()
        self._rewire()
        self._mode.change_step(self.sim.step_ns)
        self._controllers.start_over()
        self._start_anew()
        greet(self._log, self.sim, self._mode.name)
        return f"loaded {path}"

    def _world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """A supervisor has changed what is seen, or robots came or went."""
        if now != before:
            self._rewire()
            gone = [robot for robot in before if robot not in now]
            self._controllers.follow(gone, [robot for robot in now if robot not in before])
        self._wiring.remake_markers()

    def _rewire(self) -> None:
        """Other robots: other topics."""
        self._watch.accept()
        self._wiring.become(self._make_topics())
        self._let_pictures_come()
        self._fields.use(self.sim)
        self._controllers.forget_gone()
        self._wiring.publish_constants()

    def _start_anew(self) -> None:
        """Time is 0."""
        self._mode.restart()
        self._wiring.start_anew()

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

    def _let_pictures_come(self) -> None:
        """Which pictures are waited for, and who hears if there are none."""
        let_pictures_come_late(self.sim, self._lockstep, self._mode.name, self._notes.is_on)
        say_why_no_pictures(self.sim, self._log)

    def _make_controllers(self) -> WorldControllers:
        """Those of the world, whichever way they are connected."""
        host = Host(
            self.sim,
            self._inbox.put,
            self._log.warning,
            self._gate.apply,
            self._lockstep.hand_over,
            lambda: self._lockstep.missing(self.sim.time_ns),
            lambda robot: self._controllers.folder(robot),
            self._listen_to_keyboard,
            {
                "reset": self._reset,
                "quit": self._quit_by_controller,
                "set_mode": self._set_mode,
                "get_mode": lambda: self._mode.name,
                "load": self._load_world,
                "restart": lambda robot: self._controllers.restart(robot),
            },
            self._notes.change,
        )
        api, topic_of = ControllerApi(host), self._wiring.listening.answer_topic
        return WorldControllers(self.sim, self._parameters.bridge, self._lockstep, api, topic_of, self._log)

    def _make_host(self) -> StandardHost:
        """For the services of simulation_interfaces."""
        return StandardHost(
            sim=self.sim,
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
            self._keyboard = keyboard(self._node, self._inbox.put, self._controllers.api)

    def _fill_status(self, message: Any, time_ns: int) -> None:
        mode, waiting = self._mode, self._controllers.wait.robots
        fill_status(message, time_ns, mode.name, mode.pacer.speed, mode.speed, mode.pacer.lost, waiting)
