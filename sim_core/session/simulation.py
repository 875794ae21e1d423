"""The simulation: the parts of a step and their order.

A step has three phases, always in this order:

1. **commands**: queued commands and edits are applied; motors work out this step's velocity or force.
2. **physics**: plug-ins add forces, collisions become contacts, ODE steps, sim time advances.
3. **sensing**: each enabled sensor that is due and wanted makes one reading of the world, read-only now,
   stamped with the new sim time; a reading requested later is the same (see `sampling.py`).

Nothing changes the world in phase 3. A change requested during a step waits for the next phase 1.
The stamp of a reading is the time at the end of the step whose state was measured.
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
from sim_core.base.machine import release_memory
from sim_core.base.state import Stateful
from sim_core.devices import Sensor
from sim_core.model.changes import ALL
from sim_core.recording.recordings import Recordings
from sim_core.scene import Scene
from sim_core.scene.robot_settings import with_device_settings
from sim_core.session.robot import Robot
from sim_core.session.simulated_world import SimulatedWorld

if TYPE_CHECKING:
    from sim_core.session.rolled_robots import RolledRobots
    from sim_core.session.snapshot import Snapshot
    from sim_core.session.supervision.supervisor import Supervisor


class Simulation:
    """A world with its robots; its steps are not synchronised with controllers.

    Attributes:
        world: all parts built from the scene; replaced by `load`. Its most used parts:
        scene: the loaded scene graph.
        config: periods, seeds and other settings beside the scene.
        seed: of all noise.
        physics: the engine: ODE, or the fast 2D mode.
        media: shared by devices of several robots.
        playback: the motions and trajectories that are being played.
        robots: by name, in file order.
        chargers: in file order.
        edits: changes of the world that wait for phase 1 of the next step.
        recordings: the movie and the animation that are being recorded.
        is_stepping: True during a step: changes wait for the next one.
        watchers: called with the sim time at the end of each step; they change nothing.
    """

    @classmethod
    def from_snapshot(cls, path: str | Path, *, plugins: bool | None = None) -> Simulation:
        """Return a simulation that continues a file of `Snapshot.save`, to the last bit.

        A reset returns to the start of the world as it was edited then.

        Args:
            path: of the file.
            plugins: whether the world's physics plug-in runs; None: as in the snapshot.

        Raises:
            SnapshotError: the file cannot be read, is damaged, or was made with another release, another ODE
                library, another kind of processor or other files of its world.
            OdesimError: its world cannot be simulated here.
        """
        from sim_core.session.snapshot_file import open_run, read_run

        return open_run(read_run(path), path, plugins)

    def __init__(self, scene: Scene, config: SimulationConfig | None = None) -> None:
        """Build the simulation of a scene.

        Raises:
            SceneError, SceneErrors, PhysicsError, DeviceError, ConfigError: the scene cannot be simulated.
        """
        self._supervisor: Supervisor | None = None
        self.edits: deque[Callable[[], Any]] = deque()
        self.watchers: list[Callable[[int], None]] = []
        self.is_stepping = False
        self._set_world(SimulatedWorld(scene, config or SimulationConfig()))
        self.recordings = Recordings(self)

    def _set_world(self, world: SimulatedWorld) -> None:
        """Set the world that is simulated."""
        self.world = world
        self.scene, self.config, self.seed = world.scene, world.config, world.seed
        self.physics, self.media, self.playback = world.physics, world.media, world.playback
        self.robots, self.chargers = world.robots, world.chargers

    def drop_settings(self, robot: str) -> None:
        """Drop the settings of a robot that is no longer in the world."""
        scene = self.scene
        scene.device_settings = [each for each in scene.device_settings if each.robot != robot]
        scene.composites = [each for each in scene.composites if each.robot != robot]
        robots = {name: each for name, each in self.config.robots.items() if name != robot}
        self.config = self.world.config = replace(self.config, robots=robots)

    def read_settings(self) -> None:
        """Apply the settings that files set for robots which are not made yet; see `with_device_settings`."""
        self.config = self.world.config = with_device_settings(self.config, self.scene)

    @property
    def time_ns(self) -> int:
        """Sim time in nanoseconds."""
        return self.physics.clock.time_ns

    @property
    def time(self) -> float:
        """Sim time in seconds."""
        return self.physics.clock.time_ns / 1e9

    @property
    def step_ns(self) -> int:
        """Length of a step in nanoseconds: WorldInfo.basicTimeStep."""
        return self.physics.clock.step_ns

    def robot(self, name: str) -> Robot:
        """Return the robot of that name.

        Raises:
            DeviceError: there is none; the message names the closest.
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
        """Return whether the robot of that name is held as a row of arrays, without an object."""
        return self.rolled is not None and name in self.rolled.copies.rows

    def step(self, count: int = 1) -> None:
        """Advance by whole basic time steps.

        Raises:
            StateNotFiniteError: the state is no longer finite; the last finite state is kept.
        """
        if not self.physics.clock.elapsed_ns:
            self.world.start_from_edits()
        world, physics, playback = self.world, self.physics, self.playback
        clock = physics.clock
        scheduler, energy, sampling = world.scheduler, world.energy, world.sampling
        due, tasks = sampling.schedule, scheduler.tasks
        acting, observing = self.media.acting, self.media.observing
        end_ns = 0  # readings may be requested after each step
        if count > 1 and not (world.is_watched or self.watchers or sampling.has_listeners):
            end_ns = clock.time_ns + count * clock.step_ns
        self.is_stepping = True
        try:
            for _ in range(count):
                for turn in sampling.slow:
                    if turn.due_ns == clock.time_ns:
                        sampling.sample_owed(turn, end_ns)
                if self.edits or energy.state.is_due:
                    self.apply_edits()
                if playback.players:
                    playback.before_step(clock.step_ns)
                if scheduler.awake:
                    scheduler.act()
                for motion in scheduler.motions:
                    motion.move_robot()
                for medium in acting:
                    medium.before_step()
                physics.step()
                now = clock.time_ns
                for sensor in scheduler.tracked:
                    sensor.track(now)
                for medium in observing:
                    medium.after_step(now)
                if energy.acts:
                    energy.after_step(now)
                if now >= due.next_ns:
                    sampling.sample_due(now)
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
            ConfigError: it is negative, too long or not a number.
            StateNotFiniteError: as in `step`.
        """
        if not 0.0 <= duration <= LONGEST:
            raise ConfigError(f"run: found {duration} s, expected a number from 0 to {LONGEST:g}")
        self.step(-(-to_nanoseconds(duration) // self.step_ns))

    def reset(self, seed: int | None = None, *, keep_clock: bool = False) -> None:
        """Reset to the start: the same state, to the last bit, as a newly loaded world.

        Args:
            seed: of all noise from now on; another seed ends recordings and makes all robots and devices new.
                None: the present one.
            keep_clock: sim time goes on, and so does noise, which is a function of it and of the seed. All
                motion is as from time 0, to the last bit.
        """
        self._go_to_start(keep_clock)
        if keep_clock:
            return
        if seed is not None and seed != self.seed:
            self._replace_world(SimulatedWorld(self.scene, replace(self.config, seed=seed)))

    def _go_to_start(self, keep_clock: bool) -> None:
        physics = self.physics
        now = physics.clock.time_ns, physics.clock.epoch_ns
        self.edits.clear()
        self.recordings.wait_for_pictures()
        was_changed = self._supervisor is not None and self._supervisor.undo_changes()
        moved = physics.reset()
        if keep_clock:
            physics.clock.set(*now)
        if was_changed:
            self.world.scene_edited(ALL)
        else:
            self.world.solids_moved(moved)
        if self._supervisor is not None:
            self._supervisor.after_reset()
        self.world.start_devices(keep_clock)

    def restart_clock(self) -> None:
        """Set sim time to 0 and keep all else: bodies, motors, players, edits of the world.

        Periods count from 0 again. Pictures, sounds, late readings and late commands in transit are lost.
        """
        self.recordings.wait_for_pictures()
        self.world.restart_clock()

    def snapshot(self) -> Snapshot:
        """Return the whole present state, for `restore`: bodies, joints, devices, radio, players, schedules.

        Edits that wait for the next step are applied first.

        Raises:
            PhysicsError: called during a step.
            OdesimError: a waiting edit is refused.
        """
        from sim_core.session.snapshot import Snapshot

        if self.is_stepping:
            raise PhysicsError("a snapshot cannot be made during a step, expected between two steps")
        if self.edits:  # requested during the last step: the snapshot is of the world after them
            self.apply_edits()
        self.world.start_from_edits()
        return Snapshot(self)

    def stateful(self) -> list[tuple[str, Stateful]]:
        """Return all objects with a state, except the engine, by name, in a fixed order."""
        return self.world.stateful() + self.supervisor.stateful()

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a state, as often as needed; a run from here equals the run from there, to the last bit.

        Raises:
            PhysicsError: called during a step, or the snapshot is of another simulation or world.
        """
        if self.is_stepping:
            raise PhysicsError("a snapshot cannot be restored during a step, expected between two steps")
        snapshot.restore(self)

    def close(self) -> None:
        """Close the simulation: recordings are completed, the physics plug-in and the render process end.

        Raises:
            PhysicsError: the plug-in raised an error.
        """
        self.world.measure_due()  # the last readings can be requested afterwards too
        self.recordings.close()
        self.world.close()

    def before_next_step(self, edit: Callable[[], Any]) -> None:
        """Queue an edit of the world for phase 1 of the next step."""
        self.edits.append(edit)

    def apply_edits(self) -> None:
        """Apply the queued edits; between two steps this is equivalent to phase 1 of the next step.

        Readings that can still be requested are made first: they are of the world before the edits.
        """
        self.world.measure_due()
        if self.world.energy.state.is_due:
            self.world.energy.update_power()
        while self.edits:
            self.edits.popleft()()

    @property
    def rolled(self) -> RolledRobots | None:
        """The robots that roll in the fast 2D mode, as arrays; None with ODE."""
        return self.world.rolled

    @property
    def supervisor(self) -> Supervisor:
        """Finds nodes, reads and sets fields, imports and removes nodes, saves the world."""
        if self._supervisor is None:
            from sim_core.session.supervision.supervisor import Supervisor

            self._supervisor = Supervisor(self)
        return self._supervisor

    def load(
        self,
        scene: Scene,
        plugins: bool | None = None,
        check: Callable[[], object] | None = None,
        config: SimulationConfig | None = None,
    ) -> None:
        """Replace the world by another scene, from its start.

        Args:
            scene: the new scene.
            plugins: whether its physics plug-in runs; None: as before.
            check: called when the new world is built and shown in place of the present one; raises
                OdesimError to refuse it.
            config: its settings; None: those of before, without settings of single robots unless it is the
                same file.

        Raises:
            OdesimError: the scene cannot be simulated, or `check` refused it; the present world remains.
        """
        if config is None:
            is_same = scene.file == self.scene.file
            config = self.config if is_same else replace(self.config, robots={})
        if plugins is not None:
            config = replace(config, plugins=plugins)
        other = SimulatedWorld(scene, config)
        if check is not None:
            self._check_other(other, check)
        self._replace_world(other)

    def _check_other(self, other: SimulatedWorld, check: Callable[[], object]) -> None:
        """Show a new world for `check`; close it if it is refused."""
        present = self.world
        self._set_world(other)
        try:
            check()
        except OdesimError:
            other.close()
            raise
        finally:
            self._set_world(present)

    def _replace_world(self, other: SimulatedWorld) -> None:
        """Replace the world; only the supervisor, recordings and watchers remain."""
        self.close()
        self.edits.clear()
        self._set_world(other)
        if self._supervisor is not None:
            self._supervisor.world_loaded()
        release_memory()

    def every(self, period: float, task: Callable[[int], None], what: str = "period") -> None:
        """Call `task(time_ns)` after phase 3 at the multiples of a period in seconds (0: every step)."""
        self.world.scheduler.tasks.add(task, whole_steps(period, self.step_ns, what), self.time_ns)
        self.world.is_watched = True

    def set_sampling_period(self, sensor: Sensor, period: float) -> None:
        """Sample a sensor every `period` seconds, counted from now.

        Raises:
            ConfigError: the period is not a multiple of the basic time step.
        """
        period_ns = whole_steps(period, self.step_ns, f"{sensor.robot_name}.{sensor.name}.sampling_period")
        self.world.sampling.set_period(sensor, period_ns, self.time_ns)

    def sample(self, sensors: Sequence[Sensor]) -> None:
        """Make readings of sensors in the present state; all their rays are cast in one batch.

        Steps do this for the sensors that are due; between steps it changes only readings.
        """
        self.world.start_from_edits()
        self.world.sample(sensors)
