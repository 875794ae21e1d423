"""A simulation with all its topics, driven step by step in this process, without a node and without DDS.

It does at each step what the simulation node does (see `ros_bridge/node/sim_node.py`), in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.serialization import deserialize_message

from ros_bridge import overlays
from ros_bridge.control.field_parameters import FieldParameters
from ros_bridge.control.simulation_interfaces import changes
from ros_bridge.control.world_topics import EDITS
from ros_bridge.node.inbox import Inbox
from ros_bridge.node.parameter_file import NODE_NAME
from ros_bridge.node.parameters import Parameters
from ros_bridge.node.startup import silence_unheard
from ros_bridge.node.world_watch import WorldWatch
from ros_bridge.recorder.comparison import DifferenceFoundError
from ros_bridge.recorder.controllers_again import ControllersAgain
from ros_bridge.topics.interface import CLOCK, MARKERS, STATUS, TF_STATIC, build_topics
from ros_bridge.topics.publishing import Publishers
from sim_core.scene import Scene, load_scene
from sim_core.scene.urdf.spawn import add_urdfs
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

ABOUT_THE_RUN = frozenset((CLOCK, STATUS, MARKERS))


def is_reading(topic: str) -> bool:
    """Whether a topic tells of the world; the others go by wall time, or by who listened."""
    return topic not in ABOUT_THE_RUN and not topic.startswith(overlays.PREFIX)


class SilentRun:
    """One world with its topics.

    Attributes:
        sim: the simulation.
    """

    def __init__(self, scene: Scene, parameters: Parameters, make_port: Callable[..., Any]) -> None:
        """Build it; nothing moves yet.

        Args:
            scene: the world.
            parameters: of the simulation and its topics.
            make_port: makes what takes the messages, as `publishing.Port`.
        """
        self._parameters = parameters
        self.sim = Simulation(scene, parameters.simulation)
        self._wire()
        self._publishers = Publishers(None, self._topics.publications, _nobody, make_port)
        silence_unheard(self.sim)
        self._fields = FieldParameters(Inbox(), lambda what, **details: None)
        self._fields.use(self.sim)
        self._watch = WorldWatch(self.sim, self._world_changed)
        self._controllers = ControllersAgain(self.sim)
        self.urdf: list[str] = []

    def start_anew(self) -> None:
        """Time is 0: say what is said once."""
        self._publishers.publish(CLOCK, 0)
        self._publishers.publish(TF_STATIC, 0)
        self._publishers.publish_constants(0)

    def advance(self, time_ns: int) -> None:
        """Step up to a sim time."""
        step, publishers, physics = self.sim.step, self._publishers, self.sim.physics
        while physics.time_ns < time_ns:
            step()
            if physics.time_ns >= publishers.next_ns:
                publishers.publish_due(physics.time_ns)

    def takes(self, topic: str) -> bool:
        """Whether it is a topic that commands the simulation or changes its world."""
        return topic in self._inputs or topic.removeprefix(f"/{NODE_NAME}/") in EDITS

    def command(self, topic: str, data: bytes) -> None:
        """Carry out a message on an input topic, or on one that edits the world; refusals change nothing."""
        name = topic.removeprefix(f"/{NODE_NAME}/")
        try:
            if topic in self._inputs:
                item = self._inputs[topic]
                item.apply(deserialize_message(data, item.message_type))
            elif name in EDITS:
                kind, act = EDITS[name]
                act(self.sim, deserialize_message(data, kind))
        except DifferenceFoundError:
            raise
        except Exception:
            return  # refused then, refused now

    def change(self, what: str, details: Mapping[str, Any]) -> bool:
        """Carry out a change that came by no topic; True if sim time is 0 again."""
        if what in ControllersAgain.KINDS:
            self._controllers.change(what, details)
        elif what == "set":
            self._fields.set(details["name"], details["value"])
        elif what in changes.KINDS:
            if what == changes.RESET and details["scope"] & changes.TIME:
                self._reset(self.sim.seed, lambda: changes.repeat(self.sim, what, details))
                return True
            try:
                changes.repeat(self.sim, what, details)
            except DifferenceFoundError:
                raise
            except Exception:
                return False  # refused then, refused now
        elif what == "physics_reset":
            self.sim.physics.stop_motion()
        elif what == "reset":
            self._reset(int(details["seed"]))
            return True
        elif what == "load_world":
            self._load(str(details["world"]), details.get("plugins", True))
            return True
        return False

    def close(self) -> None:
        """The run is over."""
        self.sim.close()

    def _reset(self, seed: int, again: Callable[[], None] | None = None) -> None:
        has_new_seed = seed != self.sim.seed
        with self._watch.held():
            if again is not None:
                again()
            else:
                self.sim.reset(seed)
        self._publishers.restart()
        if has_new_seed:
            self._rewire()
        else:
            self._watch.look()
        self.start_anew()

    def _load(self, world: str, plugins: bool) -> None:
        same = world == self.sim.scene.file
        scene = load_scene(world, skip_missing=self.sim.scene.skip_missing)
        if same:
            add_urdfs(scene, self.urdf)
        with self._watch.held():
            self.sim.load(scene, plugins)
        self._rewire()
        self.start_anew()

    def _world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        if now != before:
            self._rewire()

    def _rewire(self) -> None:
        self._watch.accept()
        self._wire()
        self._publishers.become(self._topics.publications, self.sim.time_ns)
        silence_unheard(self.sim)
        self._fields.use(self.sim)
        self._publishers.publish(TF_STATIC, self.sim.time_ns)
        self._publishers.publish_constants(self.sim.time_ns)

    def _wire(self) -> None:
        self._topics = build_topics(self.sim, self._parameters.bridge)
        self._inputs = {item.name: item for item in self._topics.subscriptions}


def _nobody(port: Any, count: int) -> None:
    """Nobody comes."""
