"""The topics of a session's world: published after its steps, and others when the world is another.

With a node they are on ROS; without one they go where their ports put them, and commands are handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ros_bridge.interface.interface import WorldTopics
from ros_bridge.topics.names import CLOCK, DIAGNOSTICS, MARKERS, RESTARTS, SCENE, STATUS, TF_STATIC
from ros_bridge.topics.publishing import Port, Publishers
from ros_bridge.topics.records import Subscription
from sim_core.session.robot import Robot
from sim_core.session.session import Follower, Session


class Wiring(Follower):
    """Publishes the topics of the world that there is now, and knows what it listens to.

    Attributes:
        topics: all of them, as data.
        inputs: those that command the simulation, by name.
        publishers: sends what is published.
        observes: when something is published next.
    """

    def __init__(
        self,
        session: Session,
        topics: WorldTopics,
        make_topics: Callable[[], WorldTopics],
        make_port: Callable[..., Any] = Port,
        node: Any = None,
    ) -> None:
        """From now on there are publishers.

        Args:
            session: whose world it is.
            topics: its topics.
            make_topics: makes them anew when it is another world.
            make_port: makes what takes the messages of a topic, as `publishing.Port`.
            node: has the publishers; None: the ports need none.
        """
        self._session, self._make_topics = session, make_topics
        self._take(topics)
        self.publishers = Publishers(node, self.topics.publications, self._subscribers_changed, make_port)
        self.observes = self.publishers.schedule
        silence_unheard(session)

    def after_step(self, now_ns: int) -> None:
        """Publish what is due."""
        self.publishers.publish_due(now_ns)

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """Have the topics of the robots of now, and show the world as it is now."""
        if self._robots_now() != self._robots:
            self._rewire()
        self.topics.markers.remake()
        self.topics.overlays.remake()
        self.topics.shown.remake()
        self.publish(MARKERS)

    def check_world(self) -> None:
        """Refuse a world whose topics cannot all be there.

        Raises:
            ConfigError: two of them would have one name, or one a long one.
        """
        self._make_topics()

    def world_loaded(self, is_trusted: bool) -> None:
        """Have the topics of another world."""
        self._rewire()

    def time_is_zero(self, before_ns: int) -> None:
        """Say so, and what is said once."""
        self.publishers.restart(self._session.sim.time_ns)
        self.topics.overlays.remake()
        self.publish(RESTARTS)
        self.publish(CLOCK)
        self._publish_constants()
        self.publish_markers()
        self.topics.shown.come()

    def answer_topics(self, robot: str) -> list[str]:
        """On which topics a robot's controllers answer in lock-step: its own, its fleet's."""
        return self._answers[robot]

    def publish(self, name: str) -> None:
        """Publish a topic now, if somebody listens."""
        self.publishers.publish(name, self._session.sim.time_ns)

    def publish_markers(self) -> None:
        """Publish the markers of the whole world."""
        self.topics.markers.everything = True
        self.publish(MARKERS)

    def _rewire(self) -> None:
        """Other topics; those that stay keep their publishers."""
        self._take(self._make_topics())
        self.publishers.become(self.topics.publications, self._session.sim.time_ns)
        silence_unheard(self._session)
        self.topics.markers.remake()  # who shows the world must forget what was there
        self.topics.shown.remake()
        self._publish_constants()

    def _take(self, topics: WorldTopics) -> None:
        self.topics = topics
        self.inputs: dict[str, Subscription] = {item.name: item for item in topics.subscriptions}
        self._robots = self._robots_now()
        self._answers: dict[str, list[str]] = {}
        for item in topics.subscriptions:
            for robot in item.robots if item.answers_lockstep else ():
                self._answers.setdefault(robot, []).append(item.name)

    def _robots_now(self) -> tuple[int, list[tuple[Robot, int]]]:
        """Whose topics there are, of which parts; in which build of the engine's arrays they have rows."""
        sim = self._session.sim
        build = 0 if sim.rolled is None else sim.physics.builds
        return build, [(robot, robot.remakes) for robot in sim.robots.values()]

    def _publish_constants(self) -> None:
        """Publish what is said once."""
        self.publish(TF_STATIC)
        self.publishers.publish_constants(self._session.sim.time_ns)

    def _subscribers_changed(self, port: Port, count: int) -> None:
        """Somebody subscribed or went; called in the thread of ROS."""
        self._session.inbox.put(partial(self._set_subscribers, port, count))

    def _set_subscribers(self, port: Port, count: int) -> None:
        if self.publishers.set_subscribers(port, count):
            port.is_repeating = True  # what is said because somebody came is in no recording
            self._say_again(port)
            port.is_repeating = False

    def _say_again(self, port: Port) -> None:
        """Tell who has come to a topic what others were told before."""
        name, sim = port.publication.name, self._session.sim
        if name == MARKERS:
            self.publish_markers()
        elif name == SCENE:
            self.topics.shown.come()
        elif name in (STATUS, DIAGNOSTICS) or port.publication.is_constant:
            self.publish(name)
        elif self._session.waited_for:
            self.publishers.send_again(port, sim.time_ns, sim.step_ns, sim.sample)


def silence_unheard(session: Session) -> None:
    """Sample no sensor that is on no topic."""
    for robot in session.sim.robots.values():
        for sensor in robot.sensors():
            if sensor.demand is None:
                sensor.demand = _nobody


def _nobody() -> bool:
    """The demand for a sensor that nobody can hear."""
    return False
