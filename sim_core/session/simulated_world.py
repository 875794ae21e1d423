"""All that a simulation is made of: built from one scene, and replaced as a whole by another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sim_core.base.config import SimulationConfig
from sim_core.base.ids import NodeId
from sim_core.base.machine import without_collection
from sim_core.base.state import Stateful, all_of
from sim_core.devices import Actuator, Sensor
from sim_core.devices.media import Media
from sim_core.model.changes import ALL, Aspect, Edit, Edits
from sim_core.model.dynamics.difference import difference
from sim_core.model.dynamics.model import DynamicsModel
from sim_core.model.robots import RobotInstance, instances_around, instances_in, instances_of, tell_apart
from sim_core.model.world_model import WorldModel
from sim_core.scene import Scene
from sim_core.scene.axes import assign_axes
from sim_core.sensing.picture_view import PictureView
from sim_core.sensing.rays import RayBatch, RayCaster
from sim_core.session.backends import make_engine, make_ray_caster
from sim_core.session.energy_supply import EnergySupply, find_chargers
from sim_core.session.lone_devices import LoneDevices
from sim_core.session.players.playback import Playback
from sim_core.session.robot import Robot
from sim_core.session.sampling import Sampling
from sim_core.session.scheduler import Scheduler
from sim_core.session.stated_poses import StatedPoses

if TYPE_CHECKING:
    from sim_core.sensing.render.client import RenderProcess


class SimulatedWorld:
    """The engine, the robots and who is due when.

    Attributes:
        scene: as it was loaded, with the changes since.
        config: periods, seeds and what else differs from what the scene says.
        seed: of all noise.
        model: what the scene means.
        physics: what moves the world.
        media: what devices of several robots share.
        playback: the motions and trajectories that are being played.
        robots: by name, in file order.
        chargers: in file order.
        rolled: the robots that the engine rolls by itself; None: it rolls none.
        sampling: when sensors are due.
        scheduler: who acts in phase 1, and what else is due.
        energy: batteries and chargers.
        is_watched: tasks look at the world between steps.
        stated: how poses were set, by solid and field: many axes and angles state one rotation.
    """

    @without_collection()
    def __init__(self, scene: Scene, config: SimulationConfig) -> None:
        """Build it.

        Raises:
            SceneError, SceneErrors, PhysicsError, DeviceError, ConfigError: it cannot be simulated.
        """
        assign_axes(scene)
        self.scene = scene
        self.config = config
        self.seed: int = scene.world_info["randomSeed"] if config.seed is None else config.seed
        self.model = WorldModel(scene)
        self.physics = physics = make_engine(scene, self.model, config, self.seed)
        config.check_steps(physics.step_ns)
        can = physics.can  # what rolls has all its wheels and sensors read at once
        self._editing, self._rolling = can.editing, can.rolling
        self._rays: RayCaster | None = None
        self.media = Media(physics, self.new_rays, self._new_renderer)
        self.robots: dict[str, Robot] = {}
        self.playback = Playback(self.robots)
        self._in_trees: dict[NodeId, list[RobotInstance]] = {}
        for instance in instances_of(scene):
            robot = self._new_robot(instance)
            self.robots[robot.name] = robot
        self._lone = LoneDevices(self.media, self.seed)
        self._of_file = frozenset(robot.instance for robot in self.robots.values())
        self._removed_by_edit: dict[RobotInstance, Robot] = {}  # which may yet be refused
        self._removed_of_file: dict[RobotInstance, Robot] = {}  # a reset brings them back
        self.chargers = find_chargers(physics)
        config.check_robots({name: robot.devices for name, robot in self.robots.items()})
        self.is_watched = False
        self.stated_poses = StatedPoses()
        self._revision = 0
        self._begun = can.editing.dynamics if can.editing is not None else None
        """The revision of the model, and the dynamics, that engine and devices began with."""
        self._is_sampling = False

        def now_ns() -> int:
            return physics.time_ns

        self.sampling = Sampling(physics.step_ns, self.sample, now_ns)
        self.scheduler = Scheduler(physics.step_ns, config.odometry_period, self.sampling, now_ns)
        self.energy = EnergySupply(self.chargers, physics.step_ns)
        self.rolled = None
        if self._rolling is not None:
            from sim_core.session.rolled_robots import RolledRobots

            self.rolled = RolledRobots(self._rolling, self.robots.values(), config, now_ns)
            self.scheduler.reckon(self.rolled.odometry.update)
        self._enter_all()
        self._take_in(list(self.robots.values()))
        self.scheduler.drives_are(self.robots.values())
        if any(sensor.uses_rays for robot in self.robots.values() for sensor in robot.sensors()):
            self.ray_caster()  # now, so that the first step does not wait for the kernels

    def ray_caster(self) -> RayCaster:
        """The ray caster; worlds without rays never load it."""
        if self._rays is None:
            self._rays = make_ray_caster(self.physics, self._rolling)
        return self._rays

    def new_rays(self) -> RayBatch:
        """A collector of rays of one's own."""
        return self.ray_caster().new_batch()

    def sample(self, sensors: Sequence[Sensor]) -> None:
        """Let sensors make a reading of the present state: all their rays are cast at once."""
        now = self.physics.time_ns
        heard: Sequence[Sensor] = ()
        if self.rolled is not None:
            heard, sensors = self.rolled.distance_sensors.sample(sensors, now)
        for sensor in sensors:
            sensor.state.turn_seen = sensor.turn.number
        for sensor in heard:  # who listens may ask for others
            sensor.update(now)
        is_inner, self._is_sampling = self._is_sampling, True
        try:
            if any(sensor.uses_rays for sensor in sensors):
                # A listener may ask for another reading before all of these are made.
                caster = self.ray_caster()
                rays: RayBatch = caster.new_batch() if is_inner else caster.batch()
                for sensor in sensors:
                    sensor.prepare(rays)
                rays.cast()
            drawn = [sensor for sensor in sensors if sensor.is_drawn]
            if len(drawn) > 1:
                from sim_core.devices.vision.picture_sensor import ask_together  # loaded where there are some

                ask_together(drawn, now)
            for sensor in sensors:
                sensor.update(now)
        finally:
            self._is_sampling = is_inner

    def settle_readings(self) -> None:
        """The world is about to be changed, or is over: make all readings that are owed."""
        self.sampling.settle()
        if self.rolled is not None:
            self.rolled.settle()

    def stateful(self) -> list[tuple[str, Stateful]]:
        """All that has a state, but the engine, by name; always in one order."""
        found = all_of(self.scheduler, "scheduler")  # before the sensors, which it may give other turns
        for name, robot in self.robots.items():
            found += all_of(robot, f"robot {name}")
        found += all_of(self._lone, "lone devices")
        for medium in self.media.parts():
            found += all_of(medium, f"medium {type(medium).__name__}")
        for number, charger in enumerate(self.chargers):
            found += all_of(charger, f"charger {number}")
        if self.rolled is not None:
            found += all_of(self.rolled, "rolled robots")
        found += all_of(self.playback, "playback")
        found += all_of(self.energy, "energy")
        found += all_of(self.stated_poses, "stated poses")
        return found

    def start_devices(self, keep_clock: bool = False) -> None:
        """The engine has been put back to its start, its clock too or not: so is all else."""
        if self._begins_with() is not None:
            self._read_limits()
        self.stated_poses.clear()
        self.energy.reset()
        self.media.reset()
        self.media.looks.hidden.clear()
        self.playback.reset()
        self.scheduler.restart(keep_clock)
        for charger in self.chargers:
            charger.reset()
        self.reset_robots()
        self._lone.reset()
        if self.rolled is not None:
            self.rolled.reset()

    def reset_robots(self) -> None:
        """The bodies of robots have been put back to their start: so are the robots."""
        for robot in self.robots.values():
            robot.reset()
            for device in robot.devices.values():
                if isinstance(device, Actuator):
                    device.wake()

    def restart_clock(self) -> None:
        """Sim time is 0 again, and all else goes on."""
        self.physics.epoch_ns, self.physics.time_ns = self.physics.elapsed_ns, 0
        self.media.clock_restarted()
        self.scheduler.restart_periods()
        if self.rolled is not None:
            self.rolled.distance_sensors.forget_copies()

    def _exchange_robots(self, instances: Sequence[RobotInstance]) -> None:
        """Robots come and go; one that comes back is the one that went, as long as it is held."""
        before, wanted = list(self.robots.values()), set(instances)
        present = {robot.instance: robot for robot in self.robots.values()}
        for instance, robot in list(present.items()):
            if instance not in wanted:
                self._removed_by_edit[instance] = present.pop(instance)
                self.scheduler.let_go_of(robot)
                self.energy.let_go_of(robot)
        for instance in instances:
            if instance not in present:
                known = self._removed_by_edit.pop(instance, None) or self._removed_of_file.pop(instance, None)
                present[instance] = known or self._new_robot(instance)
                self._take_in([present[instance]])
        robots = {instance.node["name"]: present[instance] for instance in instances}
        self.robots.clear()
        self.robots.update(robots)
        self.scheduler.drives_are(robots.values())
        now = list(robots.values())
        if now[: len(before)] == before and not self._lone.parts():  # which come last
            for robot in now[len(before) :]:
                robot.enter()
            return
        there = set(now)
        stay = [robot for robot in before if robot in there]
        if now[: len(stay)] != stay:
            self._put_in_order()
        self._forget_all()

    def commit_edits(self) -> None:
        """No edit is refused any more: robots that went are held no more, but for those of the file."""
        removed, self._removed_by_edit = self._removed_by_edit, {}
        for instance, robot in removed.items():
            robot.leave()
            if instance in self._of_file:
                self._removed_of_file[instance] = robot

    def follow(self, edits: Edits) -> None:
        """The scene has been edited, the model and the engine are so already: let all others follow."""
        if edits.touch(Aspect.STRUCTURE):
            self._exchange_robots(self._instances(edits))
        self.look_again(edits)

    def _instances(self, edits: Edits) -> list[RobotInstance]:
        """The robots of the scene, of which edits have touched some trees."""
        for edit in edits:
            if edit.node is None:
                self._in_trees.clear()
            else:
                self._in_trees.pop(edit.root.id, None)
        known = self._in_trees
        self._in_trees = {
            root.id: known[root.id] if root.id in known else instances_in(root.walk())
            for root in self.scene.nodes
        }
        robots = [robot for tree in self._in_trees.values() for robot in tree]
        if len({robot.node["name"] for robot in robots}) < len(robots):
            tell_apart(robots, self.scene)  # copies by USE have come with one name
        return robots

    def begin(self) -> None:
        """If no step was made yet: begin as the edited scene says, but for what devices were told."""
        if self.physics.elapsed_ns or self._editing is None or (model := self._begins_with()) is None:
            return
        self._editing.rebuild(difference(self._editing.dynamics, model))
        self.follow(ALL)
        self._read_limits()
        for robot in self.robots.values():
            robot.begin()

    def _begins_with(self) -> DynamicsModel | None:
        """The dynamics that engine and devices begin with, if these are others than before."""
        if self._editing is None or self.model.revision == self._revision:
            return None
        before, self._begun = self._begun, self.model.dynamics()
        self._revision = self.model.revision
        return self._begun if self._begun is not before else None

    def _read_limits(self) -> None:
        for robot in self.robots.values():
            robot.read_limits()

    def look_again(self, edits: Edits) -> None:
        """The scene has been edited, the model and the engine are so already: let all others follow."""
        if self._rays is not None:
            self._rays.take_edits(edits)
        self.tell_robots(edits)
        if self.rolled is not None and self._editing is not None:  # else robots are held as arrays
            self.rolled.follow(self.robots.values(), edits)
            self.scheduler.drives_are(self.robots.values())
        if self._lone.take_edits(edits):
            self._forget_all()
        self.media.scene_changed(edits)

    def look_at(self, moved: Iterable[NodeId]) -> None:
        """Solids may have been put elsewhere: of those that never move by themselves, who looked once looks
        again."""
        nodes = (self.model.find(each) for each in moved if not self.model.solid(each).moves)
        edits = Edits(Edit(node, "", Aspect.POSE) for node in nodes if node is not None)
        if edits:
            self.look_again(edits)

    def tell_robots(self, edits: Edits) -> None:
        """Let robots follow edits of themselves and of their parts."""
        for edit in edits:
            if edit.node is None:
                continue
            if edit.node.type_name == "WorldInfo":
                for robot in self.robots.values():
                    robot.read_fields()
            for robot in self.robots_of(instances_around(edit.node)):
                if edit.aspect is Aspect.STRUCTURE:
                    self._find_devices(robot)
                robot.take_edit(edit)
                self.scheduler.drives_are(self.robots.values())

    def _find_devices(self, robot: Robot) -> None:
        """Devices may have come to a robot, or gone from it."""
        come, gone = robot.find_devices()
        if not (come or gone):
            return
        self.scheduler.exchange(robot, come, gone)
        if come:
            self._put_in_order()
        for device in gone:
            device.leave()
        self._forget_all()

    def _put_in_order(self) -> None:
        """Robots or devices came between others: what is done in an order is done in that of the scene."""
        self.scheduler.put_in_order(self.robots.values())
        self.energy.put_in_order(self.robots.values())

    def _forget_all(self) -> None:
        """The media forget who is there; all enter anew."""
        self.media.forget()
        self._enter_all()

    def _enter_all(self) -> None:
        """Tell the media of all devices."""
        for robot in self.robots.values():
            robot.enter()
        self._lone.enter()

    def robots_of(self, instances: Iterable[RobotInstance]) -> Iterator[Robot]:
        """Of these robots, those that are there."""
        for instance in instances:
            robot = self.robots.get(instance.node["name"])
            if robot is not None and robot.node is instance.node:
                yield robot

    def close(self) -> None:
        """The world is over: the render process and the physics plug-in end.

        Raises:
            PhysicsError: the plug-in raised something.
        """
        self.media.close()
        self.physics.close()

    def _new_robot(self, instance: RobotInstance) -> Robot:
        return Robot(
            instance, self.physics, self.config, self.seed, self.media, self.playback, self.scene.is_lenient
        )

    def _take_in(self, robots: list[Robot]) -> None:
        """Robots are there from now on."""
        for robot in robots:
            self.scheduler.take_in(robot)
            self.energy.take_in(robot)

    def _new_renderer(self, views: list[PictureView]) -> RenderProcess:
        """Starts the render process; worlds without cameras never load it."""
        from sim_core.sensing.render.client import RenderProcess

        return RenderProcess(self.physics, views)
