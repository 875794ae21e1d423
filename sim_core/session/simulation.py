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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim_core.base.clock import LONGEST, to_nanoseconds, whole_steps
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError, DeviceError, OdesimError, PhysicsError, hint
from sim_core.base.shipped import find_world
from sim_core.base.state import Stateful, all_of
from sim_core.devices import Actuator, Sensor
from sim_core.devices.media import Media
from sim_core.engines.ode import PhysicsWorld
from sim_core.scene import Node, Scene, load_scene
from sim_core.scene.axes import settle_axes
from sim_core.session.backends import make_physics, make_ray_scene
from sim_core.session.charger import find_chargers
from sim_core.session.duties import Duties
from sim_core.session.energy_supply import EnergySupply
from sim_core.session.players.playback import Playback
from sim_core.session.robot import Robot, robot_nodes, root_of
from sim_core.session.sampling import Sampling

if TYPE_CHECKING:
    from sim_core.devices.vision.pictures import Renderer
    from sim_core.devices.world_view import RayBatch
    from sim_core.engines.planar import PlanarWorld
    from sim_core.engines.planar.sensors import DistanceSensors
    from sim_core.recording.recordings import Recordings
    from sim_core.sensing.picture_view import PictureView
    from sim_core.session.snapshot import Snapshot
    from sim_core.session.supervisor import Supervisor


def load_world(
    path: str | Path,
    config: SimulationConfig | None = None,
    *,
    seed: int | None = None,
    urdf: Sequence[str | Path] = (),
) -> Simulation:
    """Load a world file and build its simulation; no ROS is needed.

    Args:
        path: of a world file, or the name of a world that comes with odesim, as `find_world` takes it.
        config: sampling periods, seeds and synchronization that differ from the world's.
        seed: seed of all noise; shorthand for `SimulationConfig(seed=…)`.
        urdf: URDF or xacro files of robots to put into it; see `sim_core/scene/urdf/spawn.py`.

    Raises:
        SceneError, SceneErrors: the file cannot be read, or parts of it are wrong.
        PhysicsError, DeviceError, ConfigError: it cannot be simulated as it stands.
    """
    config = config or SimulationConfig()
    if seed is not None:
        config = replace(config, seed=seed)
    scene = load_scene(find_world(path))
    if urdf:
        from sim_core.scene.urdf.spawn import add_urdfs, with_device_settings

        add_urdfs(scene, urdf)
        config = with_device_settings(config, scene)
    return Simulation(scene, config)


class Simulation:
    """A world with its robots, stepped in lock with nobody.

    Attributes:
        scene: the scene graph as it was loaded.
        physics: the physics world, of ODE or of the fast 2D mode.
        media: what devices of several robots share.
        playback: the motions and trajectories that are being played.
        robots: by name, in file order.
        distance_sensors: in the fast 2D mode all of them as arrays, else None.
        chargers: in file order.
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
        self._supervisor: Supervisor | None = None
        self._recordings: Recordings | None = None
        self.watchers: list[Callable[[int], None]] = []
        self._set_up(scene, config)

    def _set_up(self, scene: Scene, config: SimulationConfig | None) -> None:
        settle_axes(scene)
        self.scene = scene
        self.config = config or SimulationConfig()
        seed = self.config.seed
        self.seed: int = scene.world_info["randomSeed"] if seed is None else seed
        self.physics = make_physics(scene, self.config, self.seed)
        self.config.check_steps(self.physics.step_ns)
        self.media = Media(self.physics, lambda: self._ray_scene().new_batch(), self._new_renderer)
        self.robots: dict[str, Robot] = {}
        self.playback = Playback(self.robots)
        for node in robot_nodes(scene):
            self.robots[node["name"]] = Robot(node, self.physics, self.config, self.seed, self.media)
        self.chargers = find_chargers(scene, self.physics)
        self.config.check_robots({name: robot.devices for name, robot in self.robots.items()})
        self.distance_sensors: DistanceSensors | None = None
        self._former_robots: dict[Node, Robot] = {}
        self.is_stepping = False
        self._edits: deque[Callable[[], Any]] = deque()
        self._rays: Any = None
        physics = self.physics
        self._is_sampling = False
        self._is_watched = False

        def now_ns() -> int:
            return physics.time_ns

        self._sampling = Sampling(self.step_ns, self.sample, now_ns)
        self._duties = Duties(self.step_ns, self.config.odometry_period, self._sampling, now_ns)
        self._energy = EnergySupply(self.chargers, self.step_ns)
        if not isinstance(self.physics, PhysicsWorld):
            self._roll_in_the_plane(self.physics)
        self._take_in(list(self.robots.values()))
        if any(sensor.uses_rays for robot in self.robots.values() for sensor in robot.sensors()):
            self._ray_scene()  # now, so that the first step does not wait for the kernels

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
        if robot is None:
            known = ", ".join(self.robots) or "none"
            raise DeviceError(f'no robot "{name}", there are {known}{hint(name, self.robots)}')
        return robot

    def step(self, count: int = 1) -> None:
        """Advance by whole basic time steps.

        Raises:
            StateNotFiniteError: the state is no longer finite; the last good one is kept.
        """
        self.is_stepping = True
        try:
            self._steps(count)
        finally:
            self.is_stepping = False

    def _steps(self, count: int) -> None:
        physics, playback, duties, energy = self.physics, self.playback, self._duties, self._energy
        sampling, tasks = self._sampling, duties.tasks
        acting, observing = self.media.acting, self.media.observing
        looks_ahead = sampling.looks_ahead
        end_ns = 0  # somebody may ask for a reading after each step
        if looks_ahead and not (self._is_watched or self.watchers or sampling.is_heard):
            end_ns = physics.time_ns + count * physics.step_ns
        for _ in range(count):
            if looks_ahead:
                sampling.before_step(physics.time_ns, end_ns)
            if self._edits or energy.state.is_due:
                self.apply_edits()
            if not playback.is_idle:
                playback.before_step(physics.step_ns)
            if duties.awake:
                duties.act()
            for motion in duties.motions:
                motion.step()
            for medium in acting:
                medium.before_step()
            physics.step()
            now = physics.time_ns
            for sensor in duties.tracked:
                sensor.track(now)
            for medium in observing:
                medium.after_step(now)
            if now >= sampling.next_ns:
                sampling.sample(now)
            if now >= tasks.next_ns:
                for task in tasks.due(now):
                    task(now)
            if self.watchers:
                for watch in list(self.watchers):
                    watch(now)

    def run(self, duration: float) -> None:
        """Advance by a time in seconds, rounded up to whole steps.

        Raises:
            ConfigError: it is no time.
            StateNotFiniteError: as in `step`.
        """
        if not 0.0 <= duration <= LONGEST:
            raise ConfigError(f"run: found {duration} s, expected a number from 0 to {LONGEST:g}")
        self.step(-(-to_nanoseconds(duration) // self.step_ns))

    def reset(self, seed: int | None = None) -> None:
        """Back to the start: the same state, to the last bit, as a newly loaded world.

        Args:
            seed: of all noise from now on; another one ends recordings, and makes all robots and devices
                anew. None: the one of before.
        """
        self._go_to_start()
        if seed is not None and seed != self.seed:
            self.close()
            self._set_up(self.scene, replace(self.config, seed=seed))
            self._is_another_world()

    def _go_to_start(self) -> None:
        self._edits.clear()
        self._energy.reset()
        if self._recordings is not None:
            self._recordings.settle()
        if self._supervisor is not None:
            self._supervisor.take_back()
        self.physics.reset()
        if self._supervisor is not None:
            self._supervisor.after_reset()
        self.media.reset()
        self.playback.reset()
        self._duties.restart()
        for charger in self.chargers:
            charger.reset()
        for robot in self.robots.values():
            robot.reset()
            for device in robot.devices.values():
                if isinstance(device, Actuator):
                    device.wake()

    def restart_clock(self) -> None:
        """Sim time is 0 again, and all else goes on: bodies, motors, players, changes of the world.

        Periods count from 0 again. Pictures, sounds, late readings and late commands under way are lost.
        """
        if self._recordings is not None:
            self._recordings.settle()
        before_ns, self.physics.time_ns = self.physics.time_ns, 0
        self.media.clock_restarted()
        self._duties.restart_periods()
        for robot in self.robots.values():
            for device in robot.devices.values():
                device.clock_restarted(before_ns)

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
        if self._edits:  # asked for during the last step: a snapshot is of the world after them
            self.apply_edits()
        return Snapshot(self)

    def stateful(self) -> Iterator[tuple[str, Stateful]]:
        """All that has a state, but the physics, by name; always in one order."""
        yield from all_of(self._duties, "duties")  # before the sensors, which it may give other turns
        for name, robot in self.robots.items():
            yield from all_of(robot, f"robot {name}")
        for medium in self.media.parts():
            yield from all_of(medium, f"medium {type(medium).__name__}")
        for number, charger in enumerate(self.chargers):
            yield from all_of(charger, f"charger {number}")
        if self.distance_sensors is not None:
            yield from all_of(self.distance_sensors, "distance sensors")
        yield from all_of(self.playback, "playback")
        yield from all_of(self._energy, "energy")
        yield from all_of(self.supervisor.labels, "labels")

    def restore(self, snapshot: Snapshot) -> None:
        """Back to a state; a run from here equals the run from there, to the last bit. As often as wanted.

        Raises:
            PhysicsError: asked for during a step, or the snapshot is of another simulation or world.
        """
        if self.is_stepping:
            raise PhysicsError("a snapshot cannot be restored during a step, expected between two steps")
        snapshot.restore(self)

    @property
    def edits(self) -> deque[Callable[[], Any]]:
        """The changes of the world that wait for phase 1 of the next step."""
        return self._edits

    def close(self) -> None:
        """The simulation is over: recordings are finished, the physics plug-in and the render process end.

        Raises:
            PhysicsError: the plug-in raised something.
        """
        self._sampling.settle()  # the last readings can be asked for afterwards too
        if self._recordings is not None:
            self._recordings.close()
        self.media.close()
        self.physics.close()

    def before_next_step(self, edit: Callable[[], Any]) -> None:
        """Queue a change of the world for phase 1 of the next step."""
        self._edits.append(edit)

    def apply_edits(self) -> None:
        """Make the queued changes; between two steps this is as good as in the next one.

        Readings that can be asked for are made first: they are of the world as it was.
        """
        self._sampling.settle()
        if self._energy.state.is_due:
            self._energy.switch()
        while self._edits:
            self._edits.popleft()()

    @property
    def supervisor(self) -> Supervisor:
        """Finds nodes, reads and changes fields, brings nodes in and takes them out, saves the world."""
        if self._supervisor is None:
            from sim_core.session.supervisor import Supervisor

            self._supervisor = Supervisor(self)
        return self._supervisor

    @property
    def recordings(self) -> Recordings:
        """The movie and the animation that are being made."""
        if self._recordings is None:
            from sim_core.recording.recordings import Recordings

            self._recordings = Recordings(self)
        return self._recordings

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
        present = dict(vars(self))
        try:
            self._set_up(scene, config)
            if check is not None:
                self._check_other(check)
            other = dict(vars(self))
        finally:
            vars(self).clear()
            vars(self).update(present)
        self.close()
        vars(self).update(other)
        self._is_another_world()

    def _check_other(self, check: Callable[[], object]) -> None:
        """Have a world looked at that is not taken yet; one that is refused ends."""
        try:
            check()
        except OdesimError:
            self.media.close()
            self.physics.close()
            raise

    def _is_another_world(self) -> None:
        """Nothing of before is left but the supervisor, the recordings and who watches."""
        if self._supervisor is not None:
            self._supervisor.start_anew()

    def rebuild(self, kept: Any) -> None:
        """The scene has changed: build the physics anew and go on, with the robots that are there now.

        Args:
            kept: `physics.keep()` of before the change.

        Raises:
            OdesimError: the scene cannot be simulated; put it right and rebuild again.
        """
        nodes = robot_nodes(self.scene)
        if isinstance(self.physics, PhysicsWorld):
            self.physics.rebuild(kept)
        self._robots_are(nodes)
        self.look_again()

    def exchange(self, come: list[Node], gone: list[Node]) -> bool:
        """Whole trees came behind all others at the root of the scene, or went: only these are looked at.

        Returns:
            Whether that was possible; if not, nothing has changed, and `rebuild` does it.

        Raises:
            OdesimError: they cannot be simulated; take them back and exchange again.
        """
        physics = self.physics
        if not isinstance(physics, PhysicsWorld):
            return False
        if not (physics.let_go_of(gone) if gone else physics.take_in(come)):
            return False
        stay = [robot.node for robot in self.robots.values() if root_of(robot.node) not in gone]
        self._robots_are([*stay, *(node for root in come for node in root.walk() if node.is_a("Robot"))])
        self.look_again()
        return True

    def look_again(self) -> None:
        """Shapes or lights have changed."""
        if self._rays is not None and isinstance(self.physics, PhysicsWorld):
            self._rays.refresh()
        self.media.scene_changed()

    def every(self, period: float, task: Callable[[int], None], what: str = "period") -> None:
        """Call `task(time_ns)` after phase 3 at the multiples of a period in seconds (0: every step)."""
        self._duties.tasks.add(task, whole_steps(period, self.step_ns, what), self.time_ns)
        self._is_watched = True

    def set_sampling_period(self, sensor: Sensor, period: float) -> None:
        """Sample a sensor every `period` seconds, counted from now.

        Raises:
            ConfigError: the period is no multiple of the basic time step.
        """
        period_ns = whole_steps(period, self.step_ns, f"{sensor.robot_name}.{sensor.name}.sampling_period")
        is_fickle = self._sampling.remove(sensor)
        sensor.period_ns = period_ns
        self._sampling.add(sensor, period_ns, self.time_ns, is_fickle=is_fickle)

    def sample(self, sensors: Sequence[Sensor]) -> None:
        """Let sensors make a reading of the present state: all their rays are cast at once.

        Steps do this for the sensors that are due; called between steps it changes nothing but readings.
        """
        now = self.physics.time_ns
        for sensor in sensors:
            sensor.state.turn_seen = sensor.turn.number
        if self.distance_sensors is not None:
            sensors = self.distance_sensors.sample(sensors, now)
        is_inner, self._is_sampling = self._is_sampling, True
        try:
            if any(sensor.uses_rays for sensor in sensors):
                # A listener may ask for another reading before all of these are made.
                rays = self._ray_scene().new_batch() if is_inner else self._ray_scene().batch()
                for sensor in sensors:
                    sensor.prepare(rays)
                rays.cast()
            for sensor in sensors:
                sensor.update(now)
        finally:
            self._is_sampling = is_inner

    def new_rays(self) -> RayBatch:
        """An empty collector of rays, for who looks at the world between two steps."""
        rays: RayBatch = self._ray_scene().new_batch()
        return rays

    def _take_in(self, robots: list[Robot]) -> None:
        """Robots are there from now on."""
        for robot in robots:
            robot.playback = self.playback
            self._duties.take_in(robot)
            self._energy.take_in(robot)
        self._energy.schedule(self._duties.tasks)

    def _robots_are(self, nodes: list[Node]) -> None:
        """Robots come and go; one that comes back is the one that went."""
        wanted = set(nodes)
        present = {robot.node: robot for robot in self.robots.values()}
        for node, robot in list(present.items()):
            if node not in wanted:
                self._former_robots[node] = present.pop(node)
                self._duties.let_go_of(robot)
                self._energy.let_go_of(robot)
        for node in nodes:
            if node not in present:
                former = self._former_robots.pop(node, None)
                present[node] = former or Robot(node, self.physics, self.config, self.seed, self.media)
                self._take_in([present[node]])
        robots = {node["name"]: present[node] for node in nodes}
        self.robots.clear()
        self.robots.update(robots)

    def _ray_scene(self) -> Any:
        """The ray caster; worlds without rays never load it."""
        if self._rays is None:
            self._rays = make_ray_scene(self.scene, self.physics)
        return self._rays

    def _new_renderer(self, views: list[PictureView]) -> Renderer:
        """Starts the render process; worlds without cameras never load it."""
        from sim_core.sensing.render.client import RenderProcess

        return RenderProcess(self.scene, self.physics.frame, views)

    def _roll_in_the_plane(self, world: PlanarWorld) -> None:
        """Let robots roll in the plane, and measure with their distance sensors all at once."""
        from sim_core.engines.planar.sensors import DistanceSensors

        world.take_robots(self.robots.values())
        self.distance_sensors = DistanceSensors(world, self.robots.values(), self.config)
        self._duties.reckon(world.odometry.update)
