"""The simulation: what happens in a step, and in which order.

A step has three phases, always in this order:

1. **commands**: queued commands and edits are applied; motors work out this step's velocity or force.
2. **physics**: plug-ins add forces, collisions become contacts, ODE steps, sim time advances.
3. **sensing**: each enabled sensor that is due and wanted reads a read-only view of the world and makes one
   reading, stamped with the new sim time; one that is asked for later is the same (see `sampling.py`).

Nothing changes the world in phase 3. A change asked for during a step waits for the next phase 1.
The stamp of a reading is the time at the end of the step that led to the state it was measured in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim_core.base.clock import LONGEST, to_nanoseconds, whole_steps
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError, DeviceError, OdesimError, PhysicsError, hint
from sim_core.base.machine import give_back
from sim_core.base.state import Stateful
from sim_core.devices import Sensor
from sim_core.model.changes import ALL
from sim_core.recording.recordings import Recordings
from sim_core.scene import Scene
from sim_core.session.robot import Robot
from sim_core.session.simulated_world import SimulatedWorld

if TYPE_CHECKING:
    from sim_core.session.rolled_robots import RolledRobots
    from sim_core.session.snapshot import Snapshot
    from sim_core.session.supervision.supervisor import Supervisor


class Simulation:
    """A world with its robots, stepped in lock with nobody.

    Attributes:
        world: all that is built from the scene; another one after `load`. Its parts that are used most:
        scene: the scene graph as it was loaded.
        config: periods, seeds and what else differs from what the scene says.
        seed: of all noise.
        physics: what moves the world: ODE, or the fast 2D mode.
        media: what devices of several robots share.
        playback: the motions and trajectories that are being played.
        robots: by name, in file order.
        chargers: in file order.
        edits: the changes of the world that wait for phase 1 of the next step.
        recordings: the movie and the animation that are being made.
        is_stepping: a step is being made: changes wait for the next one.
        watchers: called with the sim time at the end of each step; they change nothing.
    """

    @classmethod
    def from_snapshot(cls, path: str | Path, *, plugins: bool | None = None) -> Simulation:
        """A simulation that goes on from a file that `Snapshot.save` wrote, to the last bit.

        A reset takes it to the start of the world as it was edited then.

        Args:
            path: of the file.
            plugins: whether the physics plug-in that its world names is run; None: as then.

        Raises:
            SnapshotError: it cannot be read, is damaged, or was made with another release, another library
                of ODE, another kind of processor or other files of its world.
            OdesimError: its world cannot be simulated here.
        """
        from sim_core.session.snapshot_file import open_run, read_run

        return open_run(read_run(path), path, plugins)

    def __init__(self, scene: Scene, config: SimulationConfig | None = None) -> None:
        """Build a scene.

        Raises:
            SceneError, SceneErrors, PhysicsError, DeviceError, ConfigError: it cannot be simulated.
        """
        self._supervisor: Supervisor | None = None
        self.edits: deque[Callable[[], Any]] = deque()
        self.watchers: list[Callable[[int], None]] = []
        self.is_stepping = False
        self._show(SimulatedWorld(scene, config or SimulationConfig()))
        self.recordings = Recordings(self)

    def _show(self, world: SimulatedWorld) -> None:
        """Let this be the world that is simulated."""
        self.world = world
        self.scene, self.config, self.seed = world.scene, world.config, world.seed
        self.physics, self.media, self.playback = world.physics, world.media, world.playback
        self.robots, self.chargers = world.robots, world.chargers

    @property
    def time_ns(self) -> int:
        """Sim time in nanoseconds."""
        return self.physics.time_ns

    @property
    def time(self) -> float:
        """Sim time in seconds."""
        return self.physics.time_ns / 1e9

    @property
    def step_ns(self) -> int:
        """Length of a step in nanoseconds: WorldInfo.basicTimeStep."""
        return self.physics.step_ns

    def robot(self, name: str) -> Robot:
        """The robot of that name.

        Raises:
            DeviceError: there is none; names the closest.
        """
        robot = self.robots.get(name)
        if robot is None and self.is_copy(name):
            assert self.rolled is not None
            row = self.rolled.copies.rows[name]
            raise DeviceError(
                f'robot "{name}": found row {row} of Simulation.rolled, expected an object: instanced is true'
            )
        if robot is None:
            known = ", ".join(self.robots) or "none"
            raise DeviceError(f'no robot "{name}", there are {known}{hint(name, self.robots)}')
        return robot

    def is_copy(self, name: str) -> bool:
        """Whether the robot of that name is held as an array, and has no object."""
        return self.rolled is not None and name in self.rolled.copies.rows

    def step(self, count: int = 1) -> None:
        """Advance by whole basic time steps.

        Raises:
            StateNotFiniteError: the state is no longer finite; the last good one is kept.
        """
        if not self.physics.elapsed_ns:
            self.world.begin()
        world, physics, playback = self.world, self.physics, self.playback
        scheduler, energy, sampling = world.scheduler, world.energy, world.sampling
        due, tasks = sampling.schedule, scheduler.tasks
        acting, observing = self.media.acting, self.media.observing
        end_ns = 0  # somebody may ask for a reading after each step
        if count > 1 and not (world.is_watched or self.watchers or sampling.is_heard):
            end_ns = physics.time_ns + count * physics.step_ns
        self.is_stepping = True
        try:
            for _ in range(count):
                for turn in sampling.slow:
                    if turn.due_ns == physics.time_ns:
                        sampling.before_step(turn, end_ns)
                if self.edits or energy.state.is_due:
                    self.apply_edits()
                if playback.players:
                    playback.before_step(physics.step_ns)
                if scheduler.awake:
                    scheduler.act()
                for motion in scheduler.motions:
                    motion.step()
                for medium in acting:
                    medium.before_step()
                physics.step()
                now = physics.time_ns
                for sensor in scheduler.tracked:
                    sensor.track(now)
                for medium in observing:
                    medium.after_step(now)
                if energy.acts:
                    energy.after_step(now)
                if now >= due.next_ns:
                    sampling.sample(now)
                if now >= tasks.next_ns:
                    for task in tasks.due(now):
                        task(now)
                if self.watchers:
                    for watch in list(self.watchers):
                        watch(now)
        finally:
            self.is_stepping = False

    def run(self, duration: float) -> None:
        """Advance by a time in seconds, rounded up to whole steps.

        Raises:
            ConfigError: it is no time.
            StateNotFiniteError: as in `step`.
        """
        if not 0.0 <= duration <= LONGEST:
            raise ConfigError(f"run: found {duration} s, expected a number from 0 to {LONGEST:g}")
        self.step(-(-to_nanoseconds(duration) // self.step_ns))

    def reset(self, seed: int | None = None, *, keep_clock: bool = False) -> None:
        """Back to the start: the same state, to the last bit, as a newly loaded world.

        Args:
            seed: of all noise from now on; another one ends recordings, and makes all robots and devices
                anew. None: the one of before.
            keep_clock: sim time goes on, and so do noise, which is a function of it, and the seed. All that
                moves does so, to the last bit, as from time 0.
        """
        self._go_to_start(keep_clock)
        if keep_clock:
            return
        if seed is not None and seed != self.seed:
            self._go_on_with(SimulatedWorld(self.scene, replace(self.config, seed=seed)))

    def _go_to_start(self, keep_clock: bool) -> None:
        physics = self.physics
        now = physics.epoch_ns, physics.time_ns
        self.edits.clear()
        self.recordings.flush()
        was_changed = self._supervisor is not None and self._supervisor.take_back()
        moved = physics.reset()
        if keep_clock:
            physics.epoch_ns, physics.time_ns = now
        if was_changed:
            self.world.look_again(ALL)
        else:
            self.world.look_at(moved)
        if self._supervisor is not None:
            self._supervisor.after_reset()
        self.world.start_devices(keep_clock)

    def restart_clock(self) -> None:
        """Sim time is 0 again, and all else goes on: bodies, motors, players, changes of the world.

        Periods count from 0 again. Pictures, sounds, late readings and late commands under way are lost.
        """
        self.recordings.flush()
        self.world.restart_clock()

    def snapshot(self) -> Snapshot:
        """The whole state of now, for `restore`: bodies, joints, devices, radio, players, schedules.

        Changes of the world that wait for the next step are made first.

        Raises:
            PhysicsError: asked for during a step.
            OdesimError: a change that waited is refused.
        """
        from sim_core.session.snapshot import Snapshot

        if self.is_stepping:
            raise PhysicsError("a snapshot cannot be made during a step, expected between two steps")
        if self.edits:  # asked for during the last step: a snapshot is of the world after them
            self.apply_edits()
        self.world.begin()
        return Snapshot(self)

    def stateful(self) -> list[tuple[str, Stateful]]:
        """All that has a state, but the engine, by name; always in one order."""
        return self.world.stateful() + self.supervisor.stateful()

    def restore(self, snapshot: Snapshot) -> None:
        """Back to a state; a run from here equals the run from there, to the last bit. As often as wanted.

        Raises:
            PhysicsError: asked for during a step, or the snapshot is of another simulation or world.
        """
        if self.is_stepping:
            raise PhysicsError("a snapshot cannot be restored during a step, expected between two steps")
        snapshot.restore(self)

    def close(self) -> None:
        """The simulation is over: recordings are finished, the physics plug-in and the render process end.

        Raises:
            PhysicsError: the plug-in raised something.
        """
        self.world.settle_readings()  # the last readings can be asked for afterwards too
        self.recordings.close()
        self.world.close()

    def before_next_step(self, edit: Callable[[], Any]) -> None:
        """Queue a change of the world for phase 1 of the next step."""
        self.edits.append(edit)

    def apply_edits(self) -> None:
        """Make the queued changes; between two steps this is as good as in the next one.

        Readings that can be asked for are made first: they are of the world as it was.
        """
        self.world.settle_readings()
        if self.world.energy.state.is_due:
            self.world.energy.switch()
        while self.edits:
            self.edits.popleft()()

    @property
    def rolled(self) -> RolledRobots | None:
        """The robots that roll in the fast 2D mode, as arrays; None with ODE."""
        return self.world.rolled

    @property
    def supervisor(self) -> Supervisor:
        """Finds nodes, reads and changes fields, brings nodes in and takes them out, saves the world."""
        if self._supervisor is None:
            from sim_core.session.supervision.supervisor import Supervisor

            self._supervisor = Supervisor(self)
        return self._supervisor

    def load(
        self, scene: Scene, plugins: bool | None = None, check: Callable[[], object] | None = None
    ) -> None:
        """Go on with another scene, from its start: the same settings, save those of single robots.

        Args:
            scene: the other one.
            plugins: whether its physics plug-in is run; None: as before.
            check: called when the other world is built and looked at in place of the present one; raises
                OdesimError if it is not to be taken.

        Raises:
            OdesimError: it cannot be simulated, or `check` refused it; the present world stays.
        """
        same = scene.file == self.scene.file
        config = self.config if same else replace(self.config, robots={})
        if plugins is not None:
            config = replace(config, plugins=plugins)
        other = SimulatedWorld(scene, config)
        if check is not None:
            self._check_other(other, check)
        self._go_on_with(other)

    def _check_other(self, other: SimulatedWorld, check: Callable[[], object]) -> None:
        """Have a world looked at that is not taken yet; one that is refused ends."""
        present = self.world
        self._show(other)
        try:
            check()
        except OdesimError:
            other.close()
            raise
        finally:
            self._show(present)

    def _go_on_with(self, other: SimulatedWorld) -> None:
        """Nothing of before is left but the supervisor, the recordings and who watches."""
        self.close()
        self.edits.clear()
        self._show(other)
        if self._supervisor is not None:
            self._supervisor.start_anew()
        give_back()

    def every(self, period: float, task: Callable[[int], None], what: str = "period") -> None:
        """Call `task(time_ns)` after phase 3 at the multiples of a period in seconds (0: every step)."""
        self.world.scheduler.tasks.add(task, whole_steps(period, self.step_ns, what), self.time_ns)
        self.world.is_watched = True

    def set_sampling_period(self, sensor: Sensor, period: float) -> None:
        """Sample a sensor every `period` seconds, counted from now.

        Raises:
            ConfigError: the period is no multiple of the basic time step.
        """
        period_ns = whole_steps(period, self.step_ns, f"{sensor.robot_name}.{sensor.name}.sampling_period")
        is_fickle = self.world.sampling.remove(sensor)
        sensor.period_ns = period_ns
        self.world.sampling.add(sensor, period_ns, self.time_ns, is_fickle=is_fickle)

    def sample(self, sensors: Sequence[Sensor]) -> None:
        """Let sensors make a reading of the present state: all their rays are cast at once.

        Steps do this for the sensors that are due; called between steps it changes nothing but readings.
        """
        self.world.begin()
        self.world.sample(sensors)
