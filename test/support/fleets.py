"""Runs of fleets without DDS, whose messages are looked at."""

from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.serialization import deserialize_message

from ros_bridge.interface.interface import build_topics
from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.parameters.parameters import Parameters
from ros_bridge.topics.publishing import Port
from ros_bridge.topics.records import Publication
from sim_core.scene import Scene
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation


class FleetRun:
    """A run of which the last message on each topic is kept."""

    def __init__(self, scene: Scene, params: Parameters) -> None:
        self.sim = Simulation(scene, params.simulation)
        self.told: dict[str, Any] = {}
        told = self.told

        class Kept(Port):
            wanted = True

            def _open(self, publication: Publication, changed: Callable[[Port, int], None]) -> None:
                pass

            def destroy(self) -> None:
                pass

            def publish(self, time_ns: int, source: Any) -> None:
                told[self.publication.name] = (self.publication, self._filled(time_ns, source))

        self.session = Session(self.sim)
        make = partial(build_topics, self.sim, params.bridge)
        self.session_topics = SessionTopics(self.session, make(), make, Kept)
        self.session.set_followers(self.session_topics)

    def last(self, topic: str) -> Any:
        """The last message on a topic."""
        publication, message = self.told[topic]
        return deserialize_message(message, publication.message_type) if publication.in_cdr else message

    def submit(self, topic: str, message: Any) -> Any:
        """Have a message carried out, as if it had come."""
        return self.session.pipeline.submit(self.session_topics.inputs[topic].command(message))

    def steps(self, count: int) -> None:
        """Go on by so many steps."""
        for _ in range(count):
            self.session.step()

    @property
    def places(self) -> list[Any]:
        """Where the robots are that are objects."""
        return [robot.frame.pose() for robot in self.sim.robots.values()]
