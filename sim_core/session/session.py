"""A session: a run of one world without ROS, with followers that are notified of its events.

The simulation node, a replay and the tests that repeat runs drive the same session. It defines the order of
commands between two steps and of the parts of a step, and what followers must do at a reset or when another
world is loaded. Starting processes, pacing and DDS belong to the node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Protocol

from sim_core.base.alarm import Alarm, TimedCalls
from sim_core.base.config import SimulationConfig
from sim_core.base.inbox import Inbox
from sim_core.base.outcome import Outcome
from sim_core.scene import Scene
from sim_core.session.lockstep import LockStep
from sim_core.session.pipeline import Command, Pipeline
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

RESET_KEEPING_CLOCK = "reset_keeping_clock"
"""What the journal calls it."""


class Follower:
    """Base of objects that are notified of a session's events.

    All calls are made in the session's thread between two steps, except `world_changed` for a change that was
    requested during a step: it is called in phase 1 of the next step.

    Attributes:
        acts: sim time from which on `before_step` is called; None: never. The object stays the same.
        observes: the same for `after_step`.
    """

    acts: Alarm | None = None
    observes: Alarm | None = None

    def before_step(self, now_ns: int) -> None:
        """Called before a step that starts at this sim time."""

    def after_step(self, now_ns: int) -> None:
        """Called after a step that ended at this sim time."""

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """Called after the world was edited: robots before and now."""

    def check_world(self) -> None:
        """Check a world that is about to be loaded and that the simulation shows for the moment; keep nothing
        of it.

        Raises:
            OdesimError: it cannot be used; the present world remains.
        """

    def world_loaded(self, is_trusted: bool) -> None:
        """Called after another world was loaded; `is_trusted`: its programs may be started."""

    def before_restart(self) -> None:
        """Called before sim time goes back to 0: carry out what was requested so far."""

    def time_is_zero(self, before_ns: int) -> None:
        """Called when sim time went from `before_ns` to 0, and at the beginning of the session (at any
        time)."""


class Note(StrEnum):
    """What a note in the journal is about."""

    CONTROLLER = "controller"
    """A controller ended with an error, or could not be started."""
    ENDED = "ended"
    """A controller ended by itself, without an error."""
    SAID = "said"
    """The last line of a controller's output."""
    WAITING = "waiting"
    """The run ended while the simulation waited for a controller."""
    DIVERGED = "diverged"
    """The physics is no longer finite."""
    TOPIC = "topic"
    """A topic of a robot that the simulation does not have."""
    FAILED = "failed"
    """A test of the run failed."""


class Journal:
    """Receives the events of a session in order; this base class stores nothing.

    Attributes:
        is_on: True if events are stored.
    """

    is_on: bool = False

    def command(self, command: Command) -> None:
        """Note a command that is about to be carried out before the next step."""

    def outcome(self, command: Command, outcome: Outcome) -> None:
        """Note that the command was refused or clamped."""

    def note_change(self, what: str, **details: Any) -> None:
        """Note a change of the world that no topic made; the details are JSON values."""

    def note(self, about: Note, text: str) -> None:
        """Note in words what changes nothing in the world, such as the end of a controller."""

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        """Note a change at a sim time, with this step length, after which sim time is 0 again."""


class Run(Protocol):
    """What makes the steps of a session and starts its controllers, as far as commands need it.

    Each method returns a line that says what was done, or raises OdesimError and changes nothing.
    """

    def set_mode(self, mode: str) -> str:
        """Set the mode `realtime`, `fast` or `paused`; "" resumes the mode before the pause."""

    def step_once(self) -> str:
        """Make one step and pause."""

    def reset(self, restarts: bool) -> str:
        """Reset to the start; `restarts`: also restart controllers that cannot notice the reset."""

    def load(self, path: str | None) -> str:
        """Load another world; None: reload the present one."""

    def quit(self, exit_code: int, lingers: bool) -> str:
        """Make no further step; `lingers`: wait until the sender has received an answer."""

    def restart_controller(self, robot: str) -> str:
        """Restart the controller of a robot."""

    def set_parameter(self, name: str, value: Any) -> str:
        """Set a parameter of the run."""


class Session:
    """A run of one world.

    Attributes:
        sim: the simulation.
        inbox: calls from other threads, carried out between two steps.
        pipeline: carries out commands.
        run: what makes the steps; None: the caller does.
        lockstep: which controllers must answer before the next step.
        waited_for: robots whose controllers the simulation is waiting for at present.
        journal: receives the events.
        seed: of all noise, from the next reset on.
        has_ended: True if no further step is to be made.
    """

    def __init__(
        self, sim: Simulation, journal: Journal | None = None, warn: Callable[[str], object] | None = None
    ) -> None:
        """Create a session; no step is made.

        Args:
            sim: the simulation.
            journal: receives the events.
            warn: receives one line for each refusal that nobody else reports; None: stderr.
        """
        self.sim = sim
        self.journal = journal or Journal()
        self.inbox = Inbox() if warn is None else Inbox(warn)
        self.pipeline = Pipeline(self)
        self.run: Run | None = None
        self.lockstep = LockStep()
        self.waited_for: list[str] = []
        self.seed = sim.seed
        self.has_ended = False
        self._followers: tuple[Follower, ...] = ()
        self._acting, self._observing = TimedCalls(), TimedCalls()
        self._robots = list(sim.robots.values())
        self._is_delayed = self._was_changed = False
        sim.supervisor.changed.append(self._changed)

    def set_followers(self, *followers: Follower) -> None:
        """Set the followers, in the order in which they are notified."""
        self._followers = followers
        self._acting = TimedCalls(
            (each.acts, each.before_step) for each in followers if each.acts is not None
        )
        self._observing = TimedCalls(
            (each.observes, each.after_step) for each in followers if each.observes is not None
        )

    def begin(self) -> None:
        """Notify the followers of the beginning, at sim time 0 or that of a snapshot."""
        for each in self._followers:
            each.time_is_zero(0)

    def step(self) -> None:
        """Make one step and notify the followers.

        Raises:
            StateNotFiniteError: as `Simulation.step`.
        """
        physics = self.sim.physics
        now_ns = physics.clock.time_ns
        if now_ns >= self._acting.next_ns:
            self._acting.make(now_ns)
        self.sim.step()
        now_ns = physics.clock.time_ns
        if now_ns >= self._observing.next_ns:
            self._observing.make(now_ns)

    def advance(self, time_ns: int) -> None:
        """Step up to a sim time, and carry out posted calls between the steps.

        Raises:
            StateNotFiniteError: as `Simulation.step`.
        """
        while self.sim.physics.clock.time_ns < time_ns:
            if not self.inbox.is_empty():
                self.inbox.drain()
            self.step()

    def reset(self) -> None:
        """Reset to the start, as `Simulation.reset` with `seed`."""
        self.restart(lambda: self.sim.reset(self.seed), "reset", seed=self.seed)

    def reset_and_keep_clock(self) -> None:
        """Back to the start while sim time goes on, as `Simulation.reset` with `keep_clock`."""
        for each in self._followers:
            each.before_restart()
        self._delay_changes(lambda: self.sim.reset(keep_clock=True))
        self.journal.note_change(RESET_KEEPING_CLOCK)
        self._changed()

    def restart(self, act: Callable[[], None], what: str, **details: Any) -> None:
        """Go back to time 0.

        Args:
            act: function that does it.
            what, details: for the journal.
        """
        for each in self._followers:
            each.before_restart()
        before_ns, step_ns = self.sim.time_ns, self.sim.step_ns
        was_changed = self._delay_changes(act)  # sim time is now 0; followers are notified below
        self.journal.restarts(what, before_ns, step_ns, **details)
        if was_changed or self._robots != list(self.sim.robots.values()):
            self._changed()
        for each in self._followers:
            each.time_is_zero(before_ns)

    def load(
        self,
        scene: Scene,
        world: str,
        is_trusted: bool = True,
        config: SimulationConfig | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """Replace the world by another scene, or by the same one read again, from its start.

        Args:
            scene: the new scene.
            world: its file, for the journal.
            is_trusted: True if programs that it names may start, including its physics plug-in.
            config: its settings; None: see `Simulation.load`.
            parameters: from which the settings were made, JSON values by name, for the journal; None: those
                of before.

        Raises:
            OdesimError: it cannot be simulated, or a follower refuses it; the present world remains.
        """
        before_ns, step_ns = self.sim.time_ns, self.sim.step_ns
        self._delay_changes(lambda: self.sim.load(scene, is_trusted, self._check_world, config))
        told = {} if parameters is None else {"parameters": dict(parameters)}
        self.journal.restarts("load_world", before_ns, step_ns, world=world, plugins=is_trusted, **told)
        self._robots = list(self.sim.robots.values())
        for each in self._followers:
            each.world_loaded(is_trusted)
        for each in self._followers:
            each.time_is_zero(before_ns)

    def end(self) -> None:
        """Make no further step."""
        self.has_ended = True

    def note_waiting(self) -> None:
        """Note in the journal for whom the session waits, because the run takes too long and ends."""
        if self.waited_for:
            robots = ", ".join(self.waited_for)
            self.journal.note(Note.WAITING, f"the run ended while it waited for the controller of {robots}")

    def _check_world(self) -> None:
        for each in self._followers:
            each.check_world()

    def _delay_changes(self, act: Callable[[], None]) -> bool:
        """Call `act` and delay notifications of edits; return True if it edited the world."""
        self._is_delayed, self._was_changed = True, False
        try:
            act()
        finally:
            self._is_delayed = False
        return self._was_changed

    def _changed(self) -> None:
        """Notify the followers of an edit of the world."""
        if self._is_delayed:
            self._was_changed = True
            return
        before, self._robots = self._robots, list(self.sim.robots.values())
        for each in self._followers:
            each.world_changed(before, self._robots)
