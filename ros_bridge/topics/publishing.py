"""Publishers that work only while they have subscribers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks

from ros_bridge.topics.conversions import fill_time, has_header
from ros_bridge.topics.names import graph_name
from ros_bridge.topics.qos import profile
from ros_bridge.topics.records import InCdr, Publication
from sim_core.base.clock import is_due
from sim_core.base.schedule import Schedule
from sim_core.devices import Sensor

AT_ONCE = Duration()


class Port:
    """A publisher with one message that is filled again each time.

    The number of subscribers arrives as an event, so that it need not be polled.

    Attributes:
        publication: what is published.
        wanted: it has subscribers, or is always on.
        is_repeating: the message published now was published before.
        is_pending: a publication waits for subscribers that have not confirmed the last message.
    """

    is_repeating = is_pending = False
    _filled_ns = -1

    def __init__(self, node: Any, publication: Publication, changed: Changed) -> None:
        self._subscribers = self._arrivals = self._known_arrivals = 0
        self._node = node
        self._open(publication, changed)
        self.bind(publication)

    def _open(self, publication: Publication, changed: Changed) -> None:
        def matched(info: Any) -> None:
            self._arrivals = info.total_count
            changed(self, info.current_count)

        callbacks = PublisherEventCallbacks(matched=matched)
        self._publisher = self._node.create_publisher(
            publication.message_type,
            graph_name(self._node, publication.name),
            profile(publication.qos),
            event_callbacks=callbacks,
        )
        self._send: Callable[[Any], None] = self._publisher.publish

    def destroy(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)

    def bind(self, publication: Publication) -> None:
        """Publish another publication of the same topic from now on."""
        self.publication = publication
        message: Any = InCdr() if publication.in_cdr else publication.message_type()
        self.message = message
        self._fill = publication.fill
        self._stamp: Any = None
        if not publication.in_cdr and has_header(publication.message_type):
            self._stamp = self.message.header.stamp
            self.message.header.frame_id = publication.frame_id
        publication.constants(self.message)

    @property
    def wanted(self) -> bool:
        """Whether it has subscribers or is always on."""
        return self.has_subscribers or self.publication.always_on

    @property
    def has_subscribers(self) -> bool:
        """Whether it has subscribers."""
        return self._subscribers > 0

    @property
    def has_several(self) -> bool:
        """Whether it has more than one subscriber."""
        return self._subscribers > 1

    def set_subscribers(self, count: int) -> bool:
        """Store the number of subscribers; return whether one is new, also if it has replaced another."""
        came = count > self._subscribers or self._arrivals > self._known_arrivals
        self._subscribers, self._known_arrivals = count, self._arrivals
        return came and count > 0

    def wait_for_subscribers(self, seconds: float) -> None:
        """Wait until reliable subscribers have confirmed the last message."""
        if self._subscribers and self.publication.qos.reliable:
            self._publisher.wait_for_all_acked(Duration(seconds=seconds))

    def publish_now(self, time_ns: int) -> None:
        """Publish the current state; if `in_turn`, wait while subscribers lack the last message."""
        waits = self.publication.in_turn and self._subscribers > 0
        self.is_pending = waits and not self._publisher.wait_for_all_acked(AT_ONCE)
        if not self.is_pending:
            self.publish(time_ns, time_ns)

    def publish(self, time_ns: int, source: Any) -> None:
        """Fill the message from a reading (or from the time) and send it."""
        self._send(self._filled(time_ns, source))

    def repeat(self, time_ns: int) -> None:
        """Send the last message again if it has this time stamp, to subscribers but not to recordings.

        Readings sent in parts are not repeated: a packet sent twice would be two packets.
        """
        if self._subscribers and self._filled_ns == time_ns and self.publication.each is None:
            self._publisher.publish(self._whole())

    def _filled(self, time_ns: int, source: Any) -> Any:
        self._filled_ns = time_ns
        if self._stamp is not None:
            fill_time(self._stamp, time_ns)
        self._fill(self.message, source)
        return self._whole()

    def _whole(self) -> Any:
        """Return the message in the form that rclpy accepts."""
        return self.message.data if self.publication.in_cdr else self.message

    def publish_reading(self, reading: Any) -> None:
        """Publish a sensor's reading, as one message or as one for each of its parts."""
        each = self.publication.each
        for part in (reading,) if each is None else each(reading):
            self.publish(reading.time_ns, part)


Changed = Callable[[Port, int], None]
"""Called with a port and its new number of subscribers."""
MakePort = Callable[[Any, Publication, Changed], Port]


class _Feed:
    """The ports that depend on one sensor: those of its readings, and of composites that need it sampled."""

    def __init__(self, sensor: Sensor) -> None:
        self._users: list[Port] = []
        self._listening: list[Port] = []
        self._wanted = False
        self._sensor = sensor
        sensor.demand = lambda: self._wanted

    def disconnect(self) -> None:
        """Stop publishing its readings."""
        self._sensor.demand = None
        self._sensor.remove_listener(self._publish)
        self._listening = []

    def add_port(self, port: Port) -> None:
        self._users.append(port)

    def recheck(self) -> None:
        """Update after a change of subscribers."""
        wanted = [port for port in self._users if port.wanted]
        self._wanted = bool(wanted)
        before = bool(self._listening)
        self._listening = [port for port in wanted if port.publication.trigger is self._sensor]
        if self._listening and not before:
            self._sensor.add_listener(self._publish)
        elif before and not self._listening:  # sampled for another message, so no listener is needed
            self._sensor.remove_listener(self._publish)

    def _publish(self, reading: Any) -> None:
        for port in self._listening:
            port.publish_reading(reading)


class Publishers:
    """All ports of a world.

    Attributes:
        ports: by topic name.
        schedule: of the ports that `publish_due` handles; the same object for good.
    """

    def __init__(
        self, node: Any, publications: Iterable[Publication], changed: Changed, make_port: MakePort = Port
    ) -> None:
        self._node, self._changed, self._make_port = node, changed, make_port
        self._feeds: dict[Sensor, _Feed] = {}
        self.schedule: Schedule[Port] = Schedule()
        self.ports = {item.name: make_port(node, item, changed) for item in publications}
        self._wire(0)

    def replace(self, publications: Iterable[Publication], time_ns: int) -> None:
        """Replace the publications; topics that stay keep their subscribers."""
        wanted = {item.name: item for item in publications}
        for name in [name for name in self.ports if name not in wanted]:
            self.ports.pop(name).destroy()
        for name, publication in wanted.items():
            port = self.ports.get(name)
            if port is not None and port.publication.message_type is publication.message_type:
                port.bind(publication)
                continue
            if port is not None:
                port.destroy()
            self.ports[name] = self._make_port(self._node, publication, self._changed)
        self._wire(time_ns)

    def set_subscribers(self, port: Port, count: int) -> bool:
        """Store the number of subscribers of a topic; return whether one is new."""
        came = port.set_subscribers(count)
        for sensor in port.publication.sensors:
            if sensor in self._feeds:  # missing if the topic has ended meanwhile
                self._feeds[sensor].recheck()
        return came

    def publish_due(self, time_ns: int) -> None:
        """Publish what is published periodically and due now."""
        for port in self.schedule.due(time_ns):
            if port.wanted and all(sensor.is_powered for sensor in port.publication.sensors):
                port.publish_now(time_ns)

    def publish_pending(self, time_ns: int) -> None:
        """Publish what had to wait for slow subscribers, if they are ready."""
        for port in self._in_turn:
            if port.is_pending and port.wanted:
                port.publish_now(time_ns)

    def is_wanted(self, name: str) -> bool:
        """Return whether a topic has subscribers or is always on."""
        return name in self.ports and self.ports[name].wanted

    def publish_topic(self, name: str, time_ns: int) -> None:
        """Publish a topic now, if it has subscribers."""
        port = self.ports.get(name)
        if port is not None and port.wanted:
            port.publish_now(time_ns)

    def publish_again(
        self, port: Port, now_ns: int, step_ns: int, sample: Callable[[list[Sensor]], None]
    ) -> None:
        """Publish what was due now on a topic that has got a subscriber since.

        Other subscribers receive a reading twice then, except one that is sent in parts.

        Args:
            port: the topic.
            port: the topic.
            now_ns: current sim time; the simulation stands still.
            step_ns: length of its steps.
            sample: makes sensors that were not sampled take their reading of now.
        """
        publication = port.publication
        trigger = publication.trigger
        is_off = not all(sensor.is_powered for sensor in publication.sensors)
        if is_off or (publication.each is not None and port.has_several):
            return
        before = trigger.reading if trigger is not None else None
        for sensor in publication.sensors:
            if not isinstance(sensor, Sensor):
                continue  # a pair of devices, which is notified of their readings
            is_due_now = sensor.sample_clock.due_ns == now_ns
            if is_due_now and (sensor.reading is None or sensor.reading.time_ns != now_ns):
                sample([sensor])
        if trigger is not None:
            if trigger.reading is not before:
                return  # published like every reading
            if trigger.reading is not None and trigger.reading.time_ns == now_ns:
                port.publish_reading(trigger.reading)
        elif publication.period_ns is not None and is_due(now_ns, publication.period_ns, step_ns):
            port.publish(now_ns, now_ns)

    def repeat(self, robot: str, time_ns: int) -> None:
        """Send again what was published of a robot at this time, which is now."""
        for port in self._of_robot.get(robot, ()):
            if not port.publication.is_constant:
                port.repeat(time_ns)

    def publish_constants(self, time_ns: int) -> None:
        """Publish constant topics that have subscribers or are always on."""
        for port in self.ports.values():
            if port.publication.is_constant and port.wanted:
                port.publish_now(time_ns)

    def wait_for_subscribers(self, seconds: float) -> None:
        """Wait until subscribers have received what was published, at most `seconds` in total."""
        end = time.monotonic() + seconds
        for port in self.ports.values():
            left = end - time.monotonic()
            if left <= 0.0:
                return
            port.wait_for_subscribers(left)

    def restart_schedule(self, now_ns: int) -> None:
        """Restart the schedule: sim time is 0 again, or the run begins at a later time."""
        self.schedule.restart_periods()
        if now_ns:
            self.schedule.set_timers({}, now_ns)

    def _wire(self, time_ns: int) -> None:
        for feed in self._feeds.values():
            feed.disconnect()
        self.schedule.clear()
        self._feeds = {}
        self._in_turn = [port for port in self.ports.values() if port.publication.in_turn]
        self._of_robot: dict[str, list[Port]] = {}
        for port in self.ports.values():
            publication = port.publication
            self._of_robot.setdefault(publication.robot, []).append(port)
            for sensor in publication.sensors:
                if sensor not in self._feeds:
                    self._feeds[sensor] = _Feed(sensor)
                self._feeds[sensor].add_port(port)
            if publication.trigger is None and publication.period_ns is not None:
                self.schedule.add(port, publication.period_ns, time_ns - time_ns % publication.period_ns)
        for feed in self._feeds.values():
            feed.recheck()
