"""Actions on a run as a whole, as records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim_core.base.errors import CommandError
from sim_core.base.outcome import Done, Outcome
from sim_core.scene.scene import Composite, DeviceSetting
from sim_core.scene.sdf.shared_topics import drop_shared_topics
from sim_core.session.pipeline import Action
from sim_core.session.supervision.imports import read_nodes
from sim_core.session.world_commands import physics_of

if TYPE_CHECKING:
    from sim_core.session.session import Run, Session
    from sim_core.session.simulation import Simulation

RESET_PART = "reset_scope"
"""Name in the journal of a partial reset after which sim time is 0."""
TIME, STATE = 1, 2
"""Parts of a world that can be reset."""


@dataclass(frozen=True, slots=True)
class RunAction(Action):
    """Action on the run; the session notes its effect in the journal."""

    @property
    def is_journaled(self) -> bool:
        """False: the pipeline does not note it."""
        return False

    def _act(self, session: Session) -> Outcome:
        if session.run is None:
            raise CommandError(f"found {self} for a session that is stepped by hand, expected a run")
        return Done(self._act_on(session.run))

    @abstractmethod
    def _act_on(self, run: Run) -> str:
        """Carry out the action; return a line that says what was done."""


class RunSetting(RunAction):
    """Change of how a run proceeds, noted by the pipeline; a replay ignores it."""

    __slots__ = ()

    @property
    def is_journaled(self) -> bool:
        """True: the pipeline notes it."""
        return True


@dataclass(frozen=True, slots=True)
class SetMode(RunSetting):
    """Set the mode `realtime`, `fast` or `paused`; "" resumes the mode before the pause."""

    mode: str = ""

    def _act_on(self, run: Run) -> str:
        return run.set_mode(self.mode)


@dataclass(frozen=True, slots=True)
class StepOnce(RunAction):
    """Make one step and pause."""

    def _act_on(self, run: Run) -> str:
        return run.step_once()


@dataclass(frozen=True, slots=True)
class Reset(RunAction):
    """Reset to the start; `restarts`: also restart controllers that cannot notice the reset."""

    restarts: bool = True

    def _act_on(self, run: Run) -> str:
        return run.reset(self.restarts)


@dataclass(frozen=True, slots=True)
class LoadWorld(RunAction):
    """Load another world; None: reload the present one."""

    file: str | None = None

    def _act_on(self, run: Run) -> str:
        return run.load(self.file)


@dataclass(frozen=True, slots=True)
class Quit(RunAction):
    """Make no further step; `lingers`: wait until the sender has received an answer."""

    exit_code: int = 0
    lingers: bool = True

    def _act_on(self, run: Run) -> str:
        return run.quit(self.exit_code, self.lingers)


@dataclass(frozen=True, slots=True)
class RestartController(RunAction):
    """Restart the controller of a robot."""

    robot: str

    def _act_on(self, run: Run) -> str:
        return run.restart_controller(self.robot)


@dataclass(frozen=True, slots=True)
class SetParameter(RunSetting):
    """Set a parameter of the run, such as its speed, or its seed from the next reset on."""

    name: str
    value: Any

    def _act_on(self, run: Run) -> str:
        return run.set_parameter(self.name, self.value)


@dataclass(frozen=True, slots=True)
class ResetPart(Action):
    """Reset time or state, but keep edits of the world and spawned entities.

    Attributes:
        scope: sum of TIME (set sim time to 0) and STATE (set bodies, joints and devices to the start of the
            world and of spawned entities).
    """

    scope: int

    @property
    def is_journaled(self) -> bool:
        """False where the session notes it in the journal, once time is 0."""
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
        """Reset the state; time goes on."""
        physics = physics_of(sim)
        now = physics.clock.time_ns, physics.clock.epoch_ns
        sim.world.solids_moved(physics.reset())
        physics.clock.set(*now)
        sim.supervisor.after_reset()
        _start_devices(sim)


@dataclass(frozen=True, slots=True)
class Spawn(Action):
    """Add an entity to the world.

    Attributes:
        text: its solid, with the PROTO files that it needs.
        file: the source file.
        extras: contact properties for it, as text.
        settings, composites: of its robot, see `Scene`; plain tuples are accepted too.
    """

    text: str
    file: str
    extras: Sequence[str] = ()
    settings: Sequence[Sequence[Any]] = ()
    composites: Sequence[Sequence[Any]] = ()

    def _act(self, session: Session) -> None:
        sim = session.sim
        supervisor = sim.supervisor
        (node,) = read_nodes(sim.scene, self.text, self.file)
        extras = [each for text in self.extras for each in read_nodes(sim.scene, text, "extras")]
        before = list(supervisor.history.done)
        scene, config = sim.scene, sim.config
        kept = list(scene.device_settings), list(scene.composites)
        settings = [DeviceSetting(*each) for each in self.settings]
        for each in {each.robot for each in settings}:  # one of this name may have been there before
            sim.drop_settings(each)
        scene.device_settings += settings
        scene.composites += [Composite(*each)._replace(devices=tuple(each[2])) for each in self.composites]
        drop_shared_topics(scene)
        sim.read_settings()
        try:
            if extras:
                supervisor.import_nodes(extras, sim.scene.world_info, "contactProperties")
            supervisor.import_nodes([node])
        except Exception:
            supervisor.history.go_to(before)
            scene.device_settings, scene.composites = kept
            sim.config = sim.world.config = config
            raise


def _start_devices(sim: Simulation) -> None:
    sim.media.reset()
    sim.playback.reset()
    sim.world.reset_robots()


ACTIONS = (SetMode, SetParameter, ResetPart, Spawn)
