"""The topics of a session's world: published after its steps, and updated when the world changes.

With a node they are on ROS; without one, messages go to the given ports, and commands are passed in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ros_bridge.interface.interface import WorldTopics
from ros_bridge.topics.names import CLOCK, DIAGNOSTICS, MARKERS, RESTARTS, SCENE, STATUS
from ros_bridge.topics.publishing import Port, Publishers
from ros_bridge.topics.records import Subscription
from sim_core.session.robot import Robot
from sim_core.session.session import Follower, Session


class SessionTopics(Follower):
    """Publishes the topics of the current world, and holds the topics it subscribes to.

    Attributes:
        topics: all of them, as data.
        inputs: topics that command the simulation, by name.
        publishers: all publishers.
        observes: time of the next publication.
    """

    def __init__(
        self,
        session: Session,
        topics: WorldTopics,
        make_topics: Callable[[], WorldTopics],
        make_port: Callable[..., Any] = Port,
        node: Any = None,
    ) -> None:
        """Create the publishers.

        Args:
            session: session whose world is published.
            topics: topics of its world.
            make_topics: builds the topics again for another world.
            make_port: makes the receiver of a topic's messages, such as `publishing.Port`.
            node: owner of the publishers; None: the ports need none.
        """
        self._session, self._make_topics = session, make_topics
        self._use_topics(topics)
        self.publishers = Publishers(node, self.topics.publications, self._subscribers_changed, make_port)
        self.observes = self.publishers.schedule
        disable_unpublished_sensors(session)

    def after_step(self, now_ns: int) -> None:
        """Publish what is due."""
        self.publishers.publish_due(now_ns)

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """Update topics and markers to the current robots."""
        if self._robots_now() != self._robots:
            self._rebuild_topics()
        self.topics.markers.rebuild()
        self.topics.overlays.rebuild()
        self.topics.shown.rebuild()
        self.publish_topic(MARKERS)

    def check_world(self) -> None:
        """Refuse a world whose topics cannot be created.

        Raises:
            ConfigError: two topics have the same name, or a name is too long.
        """
        self._make_topics()

    def world_loaded(self, is_trusted: bool) -> None:
        """Replace the topics by those of another world."""
        self._rebuild_topics()

    def time_is_zero(self, before_ns: int) -> None:
        """Publish that time has restarted, and the constant topics."""
        self.publishers.restart_schedule(self._session.sim.time_ns)
        self.topics.overlays.rebuild()
        self.publish_topic(RESTARTS)
        self.publish_topic(CLOCK)
        self.publishers.publish_constants(self._session.sim.time_ns)
        self.publish_markers()
        self.topics.shown.request_all()

    def answer_topics(self, robot: str) -> list[str]:
        """Return the topics on which a robot's controllers answer in lock-step: its own, its fleet's."""
        return self._answers[robot]

    def publish_topic(self, name: str) -> None:
        """Publish a topic now, if it has subscribers."""
        self.publishers.publish_topic(name, self._session.sim.time_ns)

    def publish_markers(self) -> None:
        """Publish the markers of the whole world."""
        self.topics.markers.everything = True
        self.publish_topic(MARKERS)

    def _rebuild_topics(self) -> None:
        """Rebuild the topics; those that stay keep their publishers."""
        self._use_topics(self._make_topics())
        self.publishers.replace(self.topics.publications, self._session.sim.time_ns)
        disable_unpublished_sensors(self._session)
        self.topics.markers.rebuild()  # subscribers must drop the markers of the previous world
        self.topics.shown.rebuild()
        self.publishers.publish_constants(self._session.sim.time_ns)

    def _use_topics(self, topics: WorldTopics) -> None:
        self.topics = topics
        self.inputs: dict[str, Subscription] = {item.name: item for item in topics.subscriptions}
        self._robots = self._robots_now()
        self._answers: dict[str, list[str]] = {}
        for item in topics.subscriptions:
            for robot in item.robots if item.answers_lockstep else ():
                self._answers.setdefault(robot, []).append(item.name)

    def _robots_now(self) -> tuple[int, list[tuple[Robot, int]]]:
        """Return what the topics depend on: robots with their parts, and rows in the engine's arrays."""
        sim = self._session.sim
        build = 0 if sim.rolled is None else sim.physics.builds
        return build, [(robot, robot.remakes) for robot in sim.robots.values()]

    def _subscribers_changed(self, port: Port, count: int) -> None:
        """Handle a change of subscribers; called in the ROS thread."""
        self._session.inbox.put(partial(self._set_subscribers, port, count))

    def _set_subscribers(self, port: Port, count: int) -> None:
        if self.publishers.set_subscribers(port, count):
            port.is_repeating = True  # what is published for new subscribers is not recorded
            self._publish_missed(port)
            port.is_repeating = False

    def _publish_missed(self, port: Port) -> None:
        """Publish for a new subscriber of a topic what others have received before."""
        name, sim = port.publication.name, self._session.sim
        if name == MARKERS:
            self.publish_markers()
        elif name == SCENE:
            self.topics.shown.request_all()
        elif name in (STATUS, DIAGNOSTICS) or (
            port.publication.is_constant and not port.publication.always_on
        ):
            self.publish_topic(name)
        elif self._session.waited_for:
            self.publishers.publish_again(port, sim.time_ns, sim.step_ns, sim.sample)


def disable_unpublished_sensors(session: Session) -> None:
    """Disable sensors that are on no topic."""
    for robot in session.sim.robots.values():
        for sensor in robot.sensors():
            if sensor.demand is None:
                sensor.demand = _no_demand


def _no_demand() -> bool:
    """Return that a sensor without topic has no demand."""
    return False
