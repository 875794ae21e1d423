"""Drives a session, without a node and without DDS, by the commands and changes that a recording tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rclpy.serialization import deserialize_message

from ros_bridge import overlays
from ros_bridge.control.field_parameters import FieldParameters
from ros_bridge.control.simulation_interfaces import changes
from ros_bridge.control.world_topics import EDITS
from ros_bridge.node.parameter_file import NODE_NAME
from ros_bridge.node.parameters import Parameters
from ros_bridge.node.wiring import Wiring
from ros_bridge.recorder.controllers_again import ControllersAgain
from ros_bridge.topics.interface import CLOCK, MARKERS, STATUS, build_topics
from sim_core.scene import Scene, load_scene
from sim_core.scene.urdf.spawn import add_urdfs
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

ABOUT_THE_RUN = frozenset((CLOCK, STATUS, MARKERS))


def is_reading(topic: str) -> bool:
    """Whether a topic tells of the world; the others go by wall time, or by who listened."""
    return topic not in ABOUT_THE_RUN and not topic.startswith(overlays.PREFIX)


class Player:
    """One world with its topics, which does what was done.

    Attributes:
        session: of the world.
        inputs: the topics that command it, by name.
    """

    def __init__(
        self, scene: Scene, parameters: Parameters, make_port: Callable[..., Any], urdf: Sequence[str] = ()
    ) -> None:
        """Build it; nothing moves yet.

        Args:
            scene: the world.
            parameters: of the simulation and its topics.
            make_port: makes what takes the messages, as `publishing.Port`.
            urdf: robots that were added to the world, as `add_urdfs` takes them.
        """
        sim = Simulation(scene, parameters.simulation)
        make_topics = partial(build_topics, sim, parameters.bridge)
        self.session = Session(sim)
        self._wiring = Wiring(self.session, make_topics(), make_topics, make_port)
        self.session.followers = (self._wiring,)
        self._fields = FieldParameters(self.session.inbox, self.session.journal.change)
        self._fields.use(sim)
        self._controllers = ControllersAgain(sim)
        self._urdf = urdf

    @property
    def sim(self) -> Simulation:
        """The simulation."""
        return self.session.sim

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The topics that command the world, by name, as `records.Subscription`."""
        return self._wiring.inputs

    def takes(self, topic: str) -> bool:
        """Whether it is a topic that commands the simulation or changes its world."""
        return topic in self.inputs or topic.removeprefix(f"/{NODE_NAME}/") in EDITS

    def command(self, topic: str, data: bytes) -> None:
        """Carry out a message on an input topic, or on one that edits the world; refusals change nothing."""
        name = topic.removeprefix(f"/{NODE_NAME}/")
        try:
            if topic in self.inputs:
                item = self.inputs[topic]
                item.apply(deserialize_message(data, item.message_type))
            elif name in EDITS:
                kind, act = EDITS[name]
                act(self.sim, deserialize_message(data, kind))
        except Exception:
            return  # refused then, refused now

    def change(self, what: str, details: Mapping[str, Any]) -> None:
        """Carry out a change that came by no topic; refusals change nothing."""
        if what in ControllersAgain.KINDS:
            self._controllers.change(what, details)
        elif what == "set":
            self._fields.set(details["name"], details["value"])
        elif what == changes.RESET and details["scope"] & changes.TIME:
            self.session.restart(lambda: changes.repeat(self.sim, what, details), what)
        elif what in changes.KINDS:
            try:
                changes.repeat(self.sim, what, details)
            except Exception:
                return  # refused then, refused now
        elif what == "physics_reset":
            self.session.stop_motion()
        elif what == "reset":
            self.session.seed = int(details["seed"])
            self.session.reset()
        elif what == "load_world":
            self._load(str(details["world"]), details.get("plugins", True))

    def close(self) -> None:
        """The run is over."""
        self.sim.close()

    def _load(self, world: str, plugins: bool) -> None:
        same = world == self.sim.scene.file
        scene = load_scene(world, skip_missing=self.sim.scene.skip_missing)
        if same:
            add_urdfs(scene, self._urdf)
        self.session.load(scene, world, plugins)
