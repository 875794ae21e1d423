"""All that a simulation is made of: built from one scene, and replaced as a whole by another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any

from sim_core.base.config import SimulationConfig
from sim_core.base.state import Stateful, all_of
from sim_core.devices import Actuator, Sensor
from sim_core.devices.media import Media
from sim_core.devices.vision.pictures import Renderer
from sim_core.engines.capabilities import Editing
from sim_core.model.changes import ALL, Edits
from sim_core.scene import Node, Scene
from sim_core.scene.axes import settle_axes
from sim_core.sensing.picture_view import PictureView
from sim_core.sensing.rays import RayBatch, RayCaster
from sim_core.session.backends import make_engine, make_ray_caster
from sim_core.session.charger import find_chargers
from sim_core.session.duties import Duties
from sim_core.session.energy_supply import EnergySupply
from sim_core.session.players.playback import Playback
from sim_core.session.robot import Body, Robot, robot_nodes, root_of
from sim_core.session.sampling import Sampling


class SimulatedWorld:
    """The engine, the robots and who is due when.

    Attributes:
        scene: as it was loaded, with the changes since.
        config: periods, seeds and what else differs from what the scene says.
        seed: of all noise.
        physics: what moves the world.
        media: what devices of several robots share.
        playback: the motions and trajectories that are being played.
        robots: by name, in file order.
        chargers: in file order.
        rolled: the robots that the engine rolls by itself; None: it rolls none.
        sampling: when sensors are due.
        duties: who acts in phase 1, and what else is due.
        energy: batteries and chargers.
        is_watched: tasks look at the world between steps.
        unsettled: what has changed the start: the first step begins as a load would; None: nothing has.
    """

    def __init__(self, scene: Scene, config: SimulationConfig) -> None:
        """Build it.

        Raises:
            SceneError, SceneErrors, PhysicsError, DeviceError, ConfigError: it cannot be simulated.
        """
        settle_axes(scene)
        self.scene = scene
        self.config = config
        self.seed: int = scene.world_info["randomSeed"] if config.seed is None else config.seed
        self.physics = physics = make_engine(scene, config, self.seed)
        config.check_steps(physics.step_ns)
        self._rolling = physics.can.rolling  # then wheels and sensors are looked at all at once
        self._rays: RayCaster | None = None
        self.media = Media(physics, lambda: self.ray_caster().new_batch(), self._new_renderer)
        self.robots: dict[str, Robot] = {}
        self.playback = Playback(self.robots)
        for node in robot_nodes(scene):
            self.robots[node["name"]] = self._new_robot(node)
        self._former_robots: dict[Body, Robot] = {}
        self.chargers = find_chargers(scene, physics)
        config.check_robots({name: robot.devices for name, robot in self.robots.items()})
        self.is_watched = False
        self.unsettled: Editing | None = None
        self._is_sampling = False

        def now_ns() -> int:
            return physics.time_ns

        self.sampling = Sampling(physics.step_ns, self.sample, now_ns)
        self.duties = Duties(physics.step_ns, config.odometry_period, self.sampling, now_ns)
        self.energy = EnergySupply(self.chargers, physics.step_ns)
        self.rolled = None
        if self._rolling is not None:
            from sim_core.session.rolled_robots import RolledRobots

            self.rolled = RolledRobots(self._rolling, self.robots.values(), config)
            self.duties.reckon(self.rolled.odometry.update)
        self._take_in(list(self.robots.values()))
        if any(sensor.uses_rays for robot in self.robots.values() for sensor in robot.sensors()):
            self.ray_caster()  # now, so that the first step does not wait for the kernels

    def ray_caster(self) -> RayCaster:
        """The ray caster; worlds without rays never load it."""
        if self._rays is None:
            self._rays = make_ray_caster(self.physics, self._rolling)
        return self._rays

    def sample(self, sensors: Sequence[Sensor]) -> None:
        """Let sensors make a reading of the present state: all their rays are cast at once."""
        now = self.physics.time_ns
        for sensor in sensors:
            sensor.state.turn_seen = sensor.turn.number
        if self.rolled is not None:
            sensors = self.rolled.distance_sensors.sample(sensors, now)
        is_inner, self._is_sampling = self._is_sampling, True
        try:
            if any(sensor.uses_rays for sensor in sensors):
                # A listener may ask for another reading before all of these are made.
                caster = self.ray_caster()
                rays: RayBatch = caster.new_batch() if is_inner else caster.batch()
                for sensor in sensors:
                    sensor.prepare(rays)
                rays.cast()
            for sensor in sensors:
                sensor.update(now)
        finally:
            self._is_sampling = is_inner

    def stateful(self) -> Iterator[tuple[str, Stateful]]:
        """All that has a state, but the engine, by name; always in one order."""
        yield from all_of(self.duties, "duties")  # before the sensors, which it may give other turns
        for name, robot in self.robots.items():
            yield from all_of(robot, f"robot {name}")
        for medium in self.media.parts():
            yield from all_of(medium, f"medium {type(medium).__name__}")
        for number, charger in enumerate(self.chargers):
            yield from all_of(charger, f"charger {number}")
        if self.rolled is not None:
            yield from all_of(self.rolled, "rolled robots")
        yield from all_of(self.playback, "playback")
        yield from all_of(self.energy, "energy")

    def start_devices(self) -> None:
        """The engine has been put back to its start: so is all else."""
        self.energy.reset()
        self.media.reset()
        self.playback.reset()
        self.duties.restart()
        for charger in self.chargers:
            charger.reset()
        for robot in self.robots.values():
            robot.reset()
            for device in robot.devices.values():
                if isinstance(device, Actuator):
                    device.wake()

    def restart_clock(self) -> None:
        """Sim time is 0 again, and all else goes on."""
        before_ns, self.physics.time_ns = self.physics.time_ns, 0
        self.media.clock_restarted()
        self.duties.restart_periods()
        for robot in self.robots.values():
            for device in robot.devices.values():
                device.clock_restarted(before_ns)

    def exchange(self, come: Sequence[Node], gone: Sequence[Node]) -> None:
        """Whole trees of the scene came or went, and the engine has followed: so do their robots."""
        stay = [robot.node for robot in self.robots.values() if root_of(robot.node) not in gone]
        self.robots_are([*stay, *(node for root in come for node in root.walk() if node.is_a("Robot"))])
        self.look_again(ALL)

    def robots_are(self, nodes: Sequence[Node]) -> None:
        """Robots come and go; one that comes back is the one that went."""
        bodies = [(node, node.proto) for node in nodes]
        wanted = set(bodies)
        present = {robot.body: robot for robot in self.robots.values()}
        for body, robot in list(present.items()):
            if body not in wanted:
                self._former_robots[body] = present.pop(body)
                self.duties.let_go_of(robot)
                self.energy.let_go_of(robot)
        for body in bodies:
            if body not in present:
                former = self._former_robots.pop(body, None)
                present[body] = former or self._new_robot(body[0])
                self._take_in([present[body]])
        robots = {node["name"]: present[node, node.proto] for node in nodes}
        self.robots.clear()
        self.robots.update(robots)

    def rebuild(
        self, editing: Editing, kept: Any, renewed: Set[Node] = frozenset(), edits: Edits = ALL
    ) -> None:
        """The scene has changed: let the engine be built anew, with the robots that are there now.

        Args:
            editing: of the engine.
            kept: what it kept before the change.
            renewed: nodes that begin as the scene says.
            edits: those of the scene; others than devices look at all of it again.

        Raises:
            OdesimError: the scene cannot be simulated; put it right and rebuild again.
        """
        nodes = robot_nodes(self.scene)
        editing.rebuild(kept, renewed)
        self.robots_are(nodes)
        self.look_again(Edits((*edits, *ALL)))

    def settle(self) -> None:
        """Before the first step: begin as a load of the edited scene would."""
        editing, self.unsettled = self.unsettled, None
        if editing is not None and editing.is_at_start:
            self.rebuild(editing, editing.keep())

    def look_again(self, edits: Edits) -> None:
        """The scene has been edited, and the engine is so already: let all others follow."""
        if self._rays is not None:
            self._rays.take_edits(edits)
        for robot in self.robots.values():
            robot.take_edits(edits)
        self.media.scene_changed(edits)

    def close(self) -> None:
        """The world is over: the render process and the physics plug-in end.

        Raises:
            PhysicsError: the plug-in raised something.
        """
        self.media.close()
        self.physics.close()

    def _new_robot(self, node: Node) -> Robot:
        return Robot(node, self.physics, self.config, self.seed, self.media)

    def _take_in(self, robots: list[Robot]) -> None:
        """Robots are there from now on."""
        for robot in robots:
            robot.playback = self.playback
            self.duties.take_in(robot)
            self.energy.take_in(robot)
        self.energy.schedule(self.duties.tasks)

    def _new_renderer(self, views: list[PictureView]) -> Renderer:
        """Starts the render process; worlds without cameras never load it."""
        from sim_core.sensing.render.client import RenderProcess

        return RenderProcess(self.scene, self.physics.frame, views)
