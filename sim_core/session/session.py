"""A session: a run of one world without ROS, and those who follow it.

The simulation node, a replay and the tests that repeat runs drive the same session: what is asked for between
two steps, in which order a step's parts come, and what a reset or another world means to those who follow.
Starting processes, pacing and DDS are the node's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from sim_core.base.alarm import Alarm, Calls
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
    """Somebody who goes along with a session.

    All calls come in the session's thread and between two steps, save that of `world_changed` for a change
    which was asked for during a step: it comes in phase 1 of the next one.

    Attributes:
        acts: says from when on `before_step` is called; None: never. It stays the same alarm.
        observes: says the same of `after_step`.
    """

    acts: Alarm | None = None
    observes: Alarm | None = None

    def before_step(self, now_ns: int) -> None:
        """A step starts at this sim time."""

    def after_step(self, now_ns: int) -> None:
        """A step has ended at this sim time."""

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """The world is another, other than by moving: these robots were there before, and these are now."""

    def check_world(self) -> None:
        """The session's simulation shows a world that is about to be loaded; not to be kept.

        Raises:
            OdesimError: it cannot be followed; the one of before stays.
        """

    def world_loaded(self, is_trusted: bool) -> None:
        """Another world has been loaded; what it names may be started if it is trusted."""

    def before_restart(self) -> None:
        """Sim time is about to be 0 again: what was asked for up to now comes before that."""

    def time_is_zero(self, before_ns: int) -> None:
        """Sim time is 0, and was this before; also called when the session begins, at whatever time."""


class Journal:
    """Told what happens to a session, in the order in which it happens; this one keeps nothing.

    Attributes:
        is_on: somebody keeps it.
    """

    is_on: bool = False

    def command(self, command: Command) -> None:
        """This is about to be carried out, before the next step."""

    def outcome(self, command: Command, outcome: Outcome) -> None:
        """The command was refused, or clamped."""

    def change(self, what: str, **details: Any) -> None:
        """The world is changed by something that came on no topic; the details are what JSON can hold."""

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        """The world was changed at a sim time, when its steps had a length, so that sim time is 0 again."""


class Run(Protocol):
    """What makes the steps of a session and has its controllers, as far as commands reach it.

    Each says in a line what it did, and raises OdesimError if it refuses; then nothing has changed.
    """

    def set_mode(self, mode: str) -> str:
        """Go on `realtime` or `fast`, or stand `paused`; empty: go on as before it stood."""

    def step_once(self) -> str:
        """Make one step and stand."""

    def reset(self, restarts: bool) -> str:
        """Back to the start; whether those controllers start anew that cannot see it."""

    def load(self, path: str | None) -> str:
        """Go on with another world; None: with the same one from its file."""

    def quit(self, exit_code: int, lingers: bool) -> str:
        """Make no further step; whether it stays until an answer has reached who asked."""

    def restart(self, robot: str) -> str:
        """Start the controller of a robot anew."""

    def set_parameter(self, name: str, value: Any) -> str:
        """Give a parameter of the run another value."""


class Session:
    """One run.

    Attributes:
        sim: the simulation.
        inbox: what other threads ask for, carried out between two steps.
        pipeline: carries out commands.
        run: what makes the steps; None: somebody by hand.
        lockstep: which controllers must answer before the next step.
        waited_for: robots whose controllers the simulation stands and waits for at present.
        journal: told what happens.
        seed: of all noise from the next reset on.
        has_ended: no further step is to be made.
    """

    def __init__(
        self, sim: Simulation, journal: Journal | None = None, warn: Callable[[str], object] | None = None
    ) -> None:
        """Nothing moves yet.

        Args:
            sim: the simulation.
            journal: told what happens.
            warn: told in one line what was refused and is said by nobody else; None: it goes to stderr.
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
        self._acting, self._observing = Calls(), Calls()
        self._robots = list(sim.robots.values())
        self._is_held = self._was_changed = False
        sim.supervisor.changed.append(self._changed)

    def tell(self, *followers: Follower) -> None:
        """Tell these what happens, in this order, and nobody else."""
        self._followers = followers
        self._acting = Calls((each.acts, each.before_step) for each in followers if each.acts is not None)
        self._observing = Calls(
            (each.observes, each.after_step) for each in followers if each.observes is not None
        )

    def begin(self) -> None:
        """The run begins, at sim time 0 or where a snapshot was made: tell those who follow."""
        for each in self._followers:
            each.time_is_zero(0)

    def step(self) -> None:
        """Make one step with all that belongs to it.

        Raises:
            StateNotFiniteError: as `Simulation.step`.
        """
        physics = self.sim.physics
        now_ns = physics.time_ns
        if now_ns >= self._acting.next_ns:
            self._acting.make(now_ns)
        self.sim.step()
        now_ns = physics.time_ns
        if now_ns >= self._observing.next_ns:
            self._observing.make(now_ns)

    def advance(self, time_ns: int) -> None:
        """Step up to a sim time, and carry out between the steps what was posted.

        Raises:
            StateNotFiniteError: as `Simulation.step`.
        """
        while self.sim.physics.time_ns < time_ns:
            if not self.inbox.is_empty():
                self.inbox.drain()
            self.step()

    def reset(self) -> None:
        """Back to the start, as `Simulation.reset` with `seed`."""
        self.restart(lambda: self.sim.reset(self.seed), "reset", seed=self.seed)

    def reset_and_keep_clock(self) -> None:
        """Back to the start while sim time goes on, as `Simulation.reset` with `keep_clock`."""
        for each in self._followers:
            each.before_restart()
        self._hold(lambda: self.sim.reset(keep_clock=True))
        self.journal.change(RESET_KEEPING_CLOCK)
        self._changed()

    def restart(self, act: Callable[[], None], what: str, **details: Any) -> None:
        """Go back to time 0 in some way.

        Args:
            act: does it.
            what, details: for the journal.
        """
        for each in self._followers:
            each.before_restart()
        before_ns, step_ns = self.sim.time_ns, self.sim.step_ns
        was_changed = self._hold(act)  # sim time goes back behind those who follow
        self.journal.restarts(what, before_ns, step_ns, **details)
        if was_changed or self._robots != list(self.sim.robots.values()):
            self._changed()
        for each in self._followers:
            each.time_is_zero(before_ns)

    def load(self, scene: Scene, world: str, is_trusted: bool = True) -> None:
        """Go on with another scene, or with the same one read anew, from its start.

        Args:
            scene: the other one.
            world: its file, for the journal.
            is_trusted: what it names may be started, its physics plug-in too.

        Raises:
            OdesimError: it cannot be simulated or followed; the present world stays.
        """
        before_ns, step_ns = self.sim.time_ns, self.sim.step_ns
        self._hold(lambda: self.sim.load(scene, is_trusted, self._check_world))
        self.journal.restarts("load_world", before_ns, step_ns, world=world, plugins=is_trusted)
        self._robots = list(self.sim.robots.values())
        for each in self._followers:
            each.world_loaded(is_trusted)
        for each in self._followers:
            each.time_is_zero(before_ns)

    def end(self) -> None:
        """Make no further step."""
        self.has_ended = True

    def _check_world(self) -> None:
        for each in self._followers:
            each.check_world()

    def _hold(self, act: Callable[[], None]) -> bool:
        """Do something that those who follow are told of afterwards; whether it changed the world."""
        self._is_held, self._was_changed = True, False
        try:
            act()
        finally:
            self._is_held = False
        return self._was_changed

    def _changed(self) -> None:
        """The world has changed, other than by moving."""
        if self._is_held:
            self._was_changed = True
            return
        before, self._robots = self._robots, list(self.sim.robots.values())
        for each in self._followers:
            each.world_changed(before, self._robots)
