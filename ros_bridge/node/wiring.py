"""The topics of a world on ROS, which become others when the world does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ros_bridge.node.inbox import Inbox
from ros_bridge.node.listening import Listening
from ros_bridge.node.startup import silence_unheard
from ros_bridge.processes.lockstep import LockStep
from ros_bridge.recorder.run_notes import RunNotes
from ros_bridge.topics.commands import CommandGate
from ros_bridge.topics.interface import CLOCK, MARKERS, STATUS, TF_STATIC
from ros_bridge.topics.publishing import Port, Publishers
from ros_bridge.topics.records import Topics
from sim_core.session.simulation import Simulation


class Wiring:
    """Publishes and listens to the topics of the world that there is now.

    Attributes:
        topics: all of them, as data.
        publishers: sends what is published.
        listening: hears what is listened to.
    """

    def __init__(
        self,
        node: Any,
        sim: Simulation,
        topics: Topics,
        notes: RunNotes,
        inbox: Inbox,
        gate: CommandGate,
        lockstep: LockStep,
        answered: Callable[[str, int], None],
        stands_waiting: Callable[[], bool],
    ) -> None:
        """From now on there are publishers and subscriptions.

        Args:
            node: has them.
            sim: the simulation.
            topics: those of its world.
            notes: told what is published and what comes.
            inbox: what comes is carried out between two steps.
            gate: carries commands out.
            lockstep: who is in lock-step.
            answered: told robot and sim time of each answer in lock-step.
            stands_waiting: whether the simulation waits for controllers at present.
        """
        self.topics = topics
        self._sim, self._notes, self._inbox = sim, notes, inbox
        self._stands_waiting = stands_waiting
        self.publishers = Publishers(node, topics.publications, self._changed, notes.make_port)
        self.listening = Listening(
            node, inbox.put, gate, lockstep, lambda: sim.time_ns, notes.command, answered
        )
        self.listening.become(topics.subscriptions)
        silence_unheard(sim)

    def become(self, topics: Topics) -> None:
        """Have these topics from now on; those that stay keep their publishers and subscriptions."""
        self.topics = topics
        self.publishers.become(topics.publications, self._sim.time_ns)
        silence_unheard(self._sim)
        self.listening.become(topics.subscriptions)
        topics.markers.remake()  # who shows the world must forget what was there

    def publish(self, name: str) -> None:
        """Publish a topic now, if somebody listens."""
        self.publishers.publish(name, self._sim.time_ns)

    def publish_markers(self) -> None:
        """Publish the markers of the whole world."""
        self.topics.markers.everything = True
        self.publish(MARKERS)

    def remake_markers(self) -> None:
        """The world looks otherwise."""
        self.topics.markers.remake()
        self.topics.overlays.remake()
        self.publish(MARKERS)

    def publish_constants(self) -> None:
        """Publish what is said once."""
        self.publish(TF_STATIC)
        if self._notes.is_on:
            self.publishers.publish_constants(self._sim.time_ns)

    def start_anew(self) -> None:
        """Time is 0: say so, and what is said once."""
        self.topics.overlays.remake()
        self.publish(CLOCK)
        self.publish_constants()
        self.publish_markers()

    def _changed(self, port: Port, count: int) -> None:
        """Somebody subscribed or went; called in the thread of ROS."""
        self._inbox.put(partial(self._set_subscribers, port, count))

    def _set_subscribers(self, port: Port, count: int) -> None:
        if not self.publishers.set_subscribers(port, count):
            return
        name = port.publication.name
        if name == MARKERS:
            self.publish_markers()
        elif name == STATUS or port.publication.is_constant:
            self.publish(name)
        elif self._stands_waiting():
            self.publishers.send_again(port, self._sim.time_ns, self._sim.sample)
