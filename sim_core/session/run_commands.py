"""What can be wished of a run as a whole, as records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim_core.base.errors import CommandError
from sim_core.base.outcome import Done, Outcome
from sim_core.devices import Sensor
from sim_core.session.pipeline import Wish
from sim_core.session.supervision.imports import read_nodes
from sim_core.session.world_commands import physics_of

if TYPE_CHECKING:
    from sim_core.session.session import Run, Session
    from sim_core.session.simulation import Simulation

RESET_PART = "reset_scope"
"""What the journal calls it when sim time is 0 again."""
TIME, STATE = 1, 2
"""Parts of a world that goes back to its start."""


@dataclass(frozen=True, slots=True)
class OfRun(Wish):
    """A wish for what makes the steps; the session tells the journal what comes of it."""

    @property
    def is_noted(self) -> bool:
        """Not by the pipeline."""
        return False

    def _act(self, session: Session) -> Outcome:
        if session.run is None:
            raise CommandError(f"found {self} for a session that is stepped by hand, expected a run")
        return Done(self._ask(session.run))

    @abstractmethod
    def _ask(self, run: Run) -> str:
        """The line that says what was done."""


class Setting(OfRun):
    """How a run goes on, which nobody but the pipeline tells the journal; a replay passes over it."""

    __slots__ = ()

    @property
    def is_noted(self) -> bool:
        """By the pipeline."""
        return True


@dataclass(frozen=True, slots=True)
class SetMode(Setting):
    """Go on `realtime` or `fast`, or stand `paused`; empty: go on as before it stood."""

    mode: str = ""

    def _ask(self, run: Run) -> str:
        return run.set_mode(self.mode)


@dataclass(frozen=True, slots=True)
class StepOnce(OfRun):
    """Make one step and stand."""

    def _ask(self, run: Run) -> str:
        return run.step_once()


@dataclass(frozen=True, slots=True)
class Reset(OfRun):
    """Back to the start; `restarts`: those controllers start anew that cannot see it."""

    restarts: bool = True

    def _ask(self, run: Run) -> str:
        return run.reset(self.restarts)


@dataclass(frozen=True, slots=True)
class LoadWorld(OfRun):
    """Go on with another world; None: with the same one from its file."""

    file: str | None = None

    def _ask(self, run: Run) -> str:
        return run.load(self.file)


@dataclass(frozen=True, slots=True)
class Quit(OfRun):
    """Make no further step; `lingers`: stay until an answer has reached who asked."""

    exit_code: int = 0
    lingers: bool = True

    def _ask(self, run: Run) -> str:
        return run.quit(self.exit_code, self.lingers)


@dataclass(frozen=True, slots=True)
class RestartController(OfRun):
    """Start the controller of a robot anew."""

    robot: str

    def _ask(self, run: Run) -> str:
        return run.restart(self.robot)


@dataclass(frozen=True, slots=True)
class SetParameter(Setting):
    """Give a parameter of the run another value, such as its speed, or its seed from the next reset on."""

    name: str
    value: Any

    def _ask(self, run: Run) -> str:
        return run.set_parameter(self.name, self.value)


@dataclass(frozen=True, slots=True)
class ResetPart(Wish):
    """Back to the start, but for the changes of the world and those who came to it.

    Attributes:
        scope: the sum of TIME, so that sim time is 0, and STATE, so that bodies, joints and devices are as
            the world, and those who came, began.
    """

    scope: int

    @property
    def is_noted(self) -> bool:
        """Not where the session tells the journal, once time is 0."""
        return not self.scope & TIME

    def _act(self, session: Session) -> None:
        physics_of(session.sim)
        if self.scope & TIME:
            session.restart(lambda: self._restart_clock(session.sim), RESET_PART, scope=self.scope)
        else:
            self._back_to_start(session.sim)

    def _restart_clock(self, sim: Simulation) -> None:
        if not self.scope & STATE:
            sim.restart_clock()
            return
        changes = list(sim.supervisor.history.done)
        sim.reset()
        sim.supervisor.history.go_to(changes)
        _start_devices(sim)

    def _back_to_start(self, sim: Simulation) -> None:
        """Time goes on."""
        physics = physics_of(sim)
        now = physics.epoch_ns, physics.time_ns
        sim.world.look_at(physics.reset())
        physics.epoch_ns, physics.time_ns = now
        sim.supervisor.after_reset()
        _start_devices(sim)


@dataclass(frozen=True, slots=True)
class Spawn(Wish):
    """Bring in an entity.

    Attributes:
        text: its solid, and the PROTO files it needs.
        file: where it comes from.
        extras: contact properties for it, as text.
        periods: names of devices and their sampling periods, s, rounded up to whole steps.
    """

    text: str
    file: str
    extras: Sequence[str] = ()
    periods: Sequence[tuple[str, float]] = ()

    def _act(self, session: Session) -> None:
        sim = session.sim
        supervisor = sim.supervisor
        (node,) = read_nodes(sim.scene, self.text, self.file)
        extras = [each for text in self.extras for each in read_nodes(sim.scene, text, "extras")]
        before = list(supervisor.history.done)
        try:
            if extras:
                supervisor.import_nodes(extras, sim.scene.world_info, "contactProperties")
            supervisor.import_nodes([node])
        except Exception:
            supervisor.history.go_to(before)
            raise
        for name, period in self.periods:
            device = sim.robots[node["name"]].devices.get(name)
            if isinstance(device, Sensor):
                sim.set_sampling_rate(device, period)


def _start_devices(sim: Simulation) -> None:
    sim.media.reset()
    sim.playback.reset()
    sim.world.reset_robots()


WISHES = (SetMode, SetParameter, ResetPart, Spawn)
