"""All parts of a simulation: built from one scene, and replaced as a whole when another is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sim_core.base.config import SimulationConfig
from sim_core.base.ids import NodeId
from sim_core.base.machine import without_collection
from sim_core.base.state import Resettable, Stateful, all_of
from sim_core.devices import Actuator, Sensor
from sim_core.devices.media import Media
from sim_core.model.changes import ALL, Aspect, Edit, Edits
from sim_core.model.dynamics.difference import difference
from sim_core.model.dynamics.model import DynamicsModel
from sim_core.model.robots import (
    RobotInstance,
    instances_around,
    instances_in,
    instances_of,
    make_names_unique,
)
from sim_core.model.world_model import WorldModel
from sim_core.scene import Scene
from sim_core.scene.axes import assign_axes
from sim_core.sensing.picture_view import PictureView
from sim_core.sensing.rays import RayBatch, RayCaster
from sim_core.session.backends import make_engine, make_ray_caster
from sim_core.session.energy_supply import EnergySupply, find_chargers
from sim_core.session.free_connectors import FreeConnectors
from sim_core.session.players.playback import Playback
from sim_core.session.robot import Robot
from sim_core.session.sampling import Sampling
from sim_core.session.scheduler import Scheduler
from sim_core.session.stated_poses import StatedPoses

if TYPE_CHECKING:
    from sim_core.sensing.render.client import RenderProcess


class SimulatedWorld:
    """Engine, robots, media and schedules of one scene.

    Attributes:
        scene: the loaded scene with all edits.
        config: periods, seeds and other settings beside the scene.
        seed: of all noise.
        model: compiled from the scene.
        physics: the engine.
        media: shared by devices of several robots, such as radio and sound.
        playback: the motions and trajectories that are being played.
        robots: by name, in file order.
        chargers: in file order.
        rolled: the robots that the engine rolls by itself; None: not in this engine.
        sampling: schedule of the sensors.
        scheduler: actuators of phase 1 and periodic tasks.
        energy: batteries and chargers.
        is_watched: True if tasks read the world between steps.
        stated_poses: values to which poses were set: many axes and angles give the same rotation.
    """

    @without_collection()
    def __init__(self, scene: Scene, config: SimulationConfig) -> None:
        """Build all parts.

        Raises:
            SceneError, SceneErrors, PhysicsError, DeviceError, ConfigError: the scene cannot be simulated.
        """
        assign_axes(scene)
        self.scene = scene
        self.config = config
        self.seed: int = scene.world_info["randomSeed"] if config.seed is None else config.seed
        self.model = WorldModel(scene)
        self.physics = physics = make_engine(scene, self.model, config, self.seed)
        config.check_steps(physics.clock.step_ns)
        can = physics.can  # rolled robots read all their wheels and sensors at once
        self._editing, self._rolling = can.editing, can.rolling
        self._rays: RayCaster | None = None
        self.media = Media(physics, self.new_rays, self._new_renderer)
        self.robots: dict[str, Robot] = {}
        self.playback = Playback(self.robots)
        self._in_trees: dict[NodeId, list[RobotInstance]] = {}
        for instance in instances_of(scene):
            robot = self._new_robot(instance)
            self.robots[robot.name] = robot
        self._free_connectors = FreeConnectors(self.media, self.seed)
        self._of_file = frozenset(robot.instance for robot in self.robots.values())
        self._removed_by_edit: dict[RobotInstance, Robot] = {}  # by an edit that may be undone
        self._removed_of_file: dict[RobotInstance, Robot] = {}  # restored by a reset
        self.chargers = find_chargers(physics)
        config.check_robots({name: robot.devices for name, robot in self.robots.items()})
        self.is_watched = False
        self.stated_poses = StatedPoses()
        self._revision = 0
        self._started = can.editing.dynamics if can.editing is not None else None
        """The model's revision and dynamics with which engine and devices started."""
        self._is_sampling = False
        self.sampling = Sampling(physics.clock, self.sample)
        self.scheduler = Scheduler(physics.clock, config.odometry_period, self.sampling)
        self.energy = EnergySupply(self.chargers, physics.clock.step_ns)
        self.rolled = None
        if self._rolling is not None:
            from sim_core.session.rolled_robots import RolledRobots

            self.rolled = RolledRobots(self._rolling, self.robots.values(), config, physics.clock)
            self.scheduler.add_odometry_task(self.rolled.odometry.update_poses)
        self._register_all()
        self._add_robots(list(self.robots.values()))
        self.scheduler.update_drives(self.robots.values())
        if any(sensor.uses_rays for robot in self.robots.values() for sensor in robot.sensors()):
            self.ray_caster()  # now, so that the first step does not wait for compilation

    def ray_caster(self) -> RayCaster:
        """Return the ray caster; worlds without rays never load it."""
        if self._rays is None:
            self._rays = make_ray_caster(self.physics, self._rolling)
        return self._rays

    def new_rays(self) -> RayBatch:
        """Return a new collector of rays."""
        return self.ray_caster().new_batch()

    def sample(self, sensors: Sequence[Sensor]) -> None:
        """Make readings of sensors in the present state; all their rays are cast in one batch."""
        now = self.physics.clock.time_ns
        with_listeners: Sequence[Sensor] = ()
        if self.rolled is not None:
            with_listeners, sensors = self.rolled.distance_sensors.measure_sensors(sensors, now)
        for sensor in sensors:
            sensor.state.seen_number = sensor.sample_clock.number
        for sensor in with_listeners:  # listeners may request other readings
            sensor.update(now)
        is_inner, self._is_sampling = self._is_sampling, True
        try:
            casting = [sensor for sensor in sensors if sensor.uses_rays]
            if casting:
                # A listener may request another reading before all of these are made.
                caster = self.ray_caster()
                rays: RayBatch = caster.new_batch() if is_inner else caster.batch()
                for sensor in casting:
                    sensor.prepare(rays)
                rays.cast()
            drawn = [sensor for sensor in sensors if sensor.is_drawn]
            if len(drawn) > 1:
                # Imported here, as only worlds with cameras need it.
                from sim_core.devices.vision.picture_sensor import request_pictures

                request_pictures(drawn, now)
            for sensor in sensors:
                sensor.update(now)
        finally:
            self._is_sampling = is_inner

    def measure_due(self) -> None:
        """Make all owed readings, before the world is changed or closed."""
        self.sampling.measure_due()
        if self.rolled is not None:
            self.rolled.distance_sensors.measure_due(self.physics.clock.time_ns)

    def stateful(self) -> list[tuple[str, Stateful]]:
        """Return all objects with a state, except the engine, by name, in a fixed order."""
        found = all_of(self.scheduler, "scheduler")  # before the sensors, whose turns it may replace
        for name, robot in self.robots.items():
            found += all_of(robot, f"robot {name}")
        found += all_of(self._free_connectors, "free connectors")
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
        """Reset everything else after the engine has been reset, with its clock or without."""
        if self._changed_dynamics() is not None:
            self._read_limits()
        self.stated_poses.remove_records()
        before_robots: tuple[Resettable, ...] = (self.energy, self.media, self.playback, *self.chargers)
        for each in before_robots:
            each.reset()
        self.media.appearance_changes.hidden.clear()
        self.scheduler.restart_devices(keep_clock)
        self.reset_robots()
        self._free_connectors.reset()
        if self.rolled is not None:
            self.rolled.reset()

    def reset_robots(self) -> None:
        """Reset the robots after their bodies have been reset."""
        for robot in self.robots.values():
            robot.reset()
            for device in robot.devices.values():
                if isinstance(device, Actuator):
                    device.wake()

    def restart_clock(self) -> None:
        """Set sim time to 0; everything else goes on."""
        self.physics.clock.restart()
        self.media.clock_restarted()
        self.scheduler.restart_periods()
        if self.rolled is not None:
            self.rolled.distance_sensors.clear_copies()

    def _exchange_robots(self, instances: Sequence[RobotInstance]) -> None:
        """Add and remove robots; a robot that is added again keeps its object while it is stored."""
        before, wanted = list(self.robots.values()), set(instances)
        present = {robot.instance: robot for robot in self.robots.values()}
        for instance, robot in list(present.items()):
            if instance not in wanted:
                self._removed_by_edit[instance] = present.pop(instance)
                self.scheduler.remove_robot(robot)
                self.energy.remove_robot(robot)
        for instance in instances:
            if instance not in present:
                known = self._removed_by_edit.pop(instance, None) or self._removed_of_file.pop(instance, None)
                present[instance] = known or self._new_robot(instance)
                self._add_robots([present[instance]])
        robots = {instance.node["name"]: present[instance] for instance in instances}
        self.robots.clear()
        self.robots.update(robots)
        self.scheduler.update_drives(robots.values())
        now = list(robots.values())
        if now[: len(before)] == before and not self._free_connectors.parts():  # free connectors come last
            for robot in now[len(before) :]:
                robot.register_devices()
            return
        there = set(now)
        stay = [robot for robot in before if robot in there]
        if now[: len(stay)] != stay:
            self._put_in_order()
        self._register_anew()

    def commit_edits(self) -> None:
        """Commit edits: removed robots are dropped, except those of the file."""
        removed, self._removed_by_edit = self._removed_by_edit, {}
        for instance, robot in removed.items():
            robot.remove_devices()
            if instance in self._of_file:
                self._removed_of_file[instance] = robot

    def apply_edits(self, edits: Edits) -> None:
        """Update everything after edits that the model and the engine have applied already."""
        if edits.touch(Aspect.STRUCTURE):
            self._exchange_robots(self._instances(edits))
        self.scene_edited(edits)

    def _instances(self, edits: Edits) -> list[RobotInstance]:
        """Return the robots of the scene after edits of some of its trees."""
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
            make_names_unique(robots, self.scene)  # copies by USE have the same name
        return robots

    def start_from_edits(self) -> None:
        """Before the first step: start from the edited scene, but keep commands of devices."""
        if (
            self.physics.clock.elapsed_ns
            or self._editing is None
            or (model := self._changed_dynamics()) is None
        ):
            return
        self._editing.rebuild(difference(self._editing.dynamics, model))
        self.apply_edits(ALL)
        self._read_limits()
        for robot in self.robots.values():
            robot.begin()

    def _changed_dynamics(self) -> DynamicsModel | None:
        """Return the dynamics to start with if they have changed, else None."""
        if self._editing is None or self.model.revision == self._revision:
            return None
        before, self._started = self._started, self.model.dynamics()
        self._revision = self.model.revision
        return self._started if self._started is not before else None

    def _read_limits(self) -> None:
        for robot in self.robots.values():
            robot.read_limits()

    def scene_edited(self, edits: Edits) -> None:
        """Update all observers of the scene after edits that the model and the engine have applied
        already."""
        if self._rays is not None:
            self._rays.apply_edits(edits)
        self.apply_to_robots(edits)
        if self.rolled is not None and self._editing is not None:  # otherwise robots are held as arrays
            self.rolled.apply_edits(self.robots.values(), edits)
            self.scheduler.update_drives(self.robots.values())
        if self._free_connectors.apply_edits(edits):
            self._register_anew()
        self.media.scene_changed(edits)

    def solids_moved(self, moved: Iterable[NodeId]) -> None:
        """Notify observers that solids may have been moved; only those that never move by themselves
        matter."""
        nodes = (self.model.find_solid(each) for each in moved if not self.model.solid(each).moves)
        edits = Edits(Edit(node, "", Aspect.POSE) for node in nodes if node is not None)
        if edits:
            self.scene_edited(edits)

    def apply_to_robots(self, edits: Edits) -> None:
        """Apply edits to the robots that they concern."""
        for edit in edits:
            if edit.node is None:
                continue
            if edit.node.type_name == "WorldInfo":
                for robot in self.robots.values():
                    robot.read_fields()
            for robot in self.robots_of(instances_around(edit.node)):
                if edit.aspect is Aspect.STRUCTURE:
                    self._update_devices(robot)
                robot.apply_edit(edit)
                self.scheduler.update_drives(self.robots.values())

    def _update_devices(self, robot: Robot) -> None:
        """Update the devices of a robot after an edit."""
        come, gone = robot.update_devices()
        if not (come or gone):
            return
        self.scheduler.exchange_devices(robot, come, gone)
        if come:
            self._put_in_order()
        for device in gone:
            device.on_removed()
        self._register_anew()

    def _put_in_order(self) -> None:
        """Restore scene order after robots or devices were inserted."""
        self.scheduler.set_order(self.robots.values())
        self.energy.set_order(self.robots.values())

    def _register_anew(self) -> None:
        """Clear the media and register all devices again."""
        self.media.remove_devices()
        self._register_all()

    def _register_all(self) -> None:
        """Register all devices with the media."""
        for robot in self.robots.values():
            robot.register_devices()
        self._free_connectors.register_devices()

    def robots_of(self, instances: Iterable[RobotInstance]) -> Iterator[Robot]:
        """Iterate over those of these robots that are in the world."""
        for instance in instances:
            robot = self.robots.get(instance.node["name"])
            if robot is not None and robot.node is instance.node:
                yield robot

    def close(self) -> None:
        """Close the render process and the physics plug-in.

        Raises:
            PhysicsError: the plug-in raised an error.
        """
        self.media.close()
        self.physics.close()

    def _new_robot(self, instance: RobotInstance) -> Robot:
        return Robot(
            instance, self.physics, self.config, self.seed, self.media, self.playback, self.scene.is_lenient
        )

    def _add_robots(self, robots: list[Robot]) -> None:
        """Add robots to the schedules."""
        for robot in robots:
            self.scheduler.add_robot(robot)
            self.energy.add_robot(robot)

    def _new_renderer(self, views: list[PictureView]) -> RenderProcess:
        """Start the render process; worlds without cameras never load it."""
        from sim_core.sensing.render.client import RenderProcess

        return RenderProcess(self.physics, views)
