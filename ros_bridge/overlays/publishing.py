"""Overlays as topics: visualization_msgs/MarkerArray, built only while they have subscribers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from visualization_msgs.msg import MarkerArray

from ros_bridge.overlays import OVERLAYS, PREFIX, overlay_class
from ros_bridge.overlays.primitives import MarkerMaker, Overlay
from ros_bridge.topics.publishing import Publishers
from ros_bridge.topics.qos import LATCHED
from ros_bridge.topics.records import Filler, Publication, filled_by
from sim_core.base.errors import OdesimError
from sim_core.session.simulation import Simulation

STILL_PERIOD = 0.5
"""Seconds of wall time between two messages while the world stands still."""
SHARE = 10.0
"""After a message of one of n overlays that took t seconds, its next one is sent n·SHARE·t later at the
earliest, so that all overlays together take at most a tenth of the simulation's time."""


class Overlays:
    """All overlays of a world; each is created at its first subscriber.

    Attributes:
        warn: receives a line about what cannot be shown.
    """

    def __init__(self, sim: Simulation, warn: Callable[[str], object]) -> None:
        self._sim, self.warn = sim, warn
        self._topics = {f"{PREFIX}{name}": _OverlayTopic(sim, name, self) for name in OVERLAYS}

    def publications(self) -> Iterator[Publication]:
        """Return the topics. They have no period in sim time: `publish` sends them."""
        for name, topic in self._topics.items():
            yield filled_by(topic, name, MarkerArray, qos=LATCHED, is_view=True, in_turn=True)

    def rebuild(self) -> None:
        """Create all overlays again: the world has changed."""
        for topic in self._topics.values():
            topic.rebuild()

    def publish(self, publishers: Publishers, now_ns: int) -> None:
        """Publish what is due; call it between two steps, some ten times a second of wall time."""
        wanted = [name for name in self._topics if publishers.is_wanted(name)]
        for name, topic in self._topics.items():
            topic.set_wanted(name in wanted)
            if name in wanted and topic.is_due(now_ns):
                start = time.monotonic()
                publishers.publish_topic(name, now_ns)
                topic.was_published(now_ns, start, SHARE * len(wanted))


class _OverlayTopic(Filler):
    """One overlay, and when it is due."""

    def __init__(self, sim: Simulation, name: str, all_: Overlays) -> None:
        self._sim, self._name, self._all = sim, name, all_
        self._overlay: Overlay | None = None
        self._maker = MarkerMaker()
        self._next = float("-inf")
        self._shown_ns = -1
        self._last = float("-inf")
        self._last_line = ""
        self._is_used = False

    def rebuild(self) -> None:
        self._overlay = None
        self._maker = MarkerMaker()
        self._shown_ns = -1

    def set_wanted(self, wanted: bool) -> None:
        """Start or stop the overlay, depending on whether it has subscribers."""
        if not (wanted or self._is_used):
            return
        self._is_used = wanted
        if self._overlay is None:
            self._overlay = self._make()
        if self._overlay is not None:
            self._overlay.set_wanted(wanted)

    def is_due(self, now_ns: int) -> bool:
        now = time.monotonic()
        return now >= (self._next if now_ns != self._shown_ns else max(self._next, self._last + STILL_PERIOD))

    def was_published(self, now_ns: int, start: float, share: float) -> None:
        """Note that a message was built and sent, from a wall time in s until now."""
        self._last, self._shown_ns = time.monotonic(), now_ns
        self._next = self._last + share * (self._last - start)

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill all marks; in case of an error only the marker that deletes all."""
        if self._overlay is None:
            self._overlay = self._make()
        try:
            primitives = list(self._overlay.primitives()) if self._overlay is not None else []
        except OdesimError as error:
            self._warn(error)
            primitives = []
        message.markers = self._maker.markers(primitives, time_ns)

    def _make(self) -> Overlay | None:
        try:
            return overlay_class(self._name)(self._sim)
        except OdesimError as error:
            self._warn(error)
            return None

    def _warn(self, error: OdesimError) -> None:
        line = " ".join(str(error).split())
        if line != self._last_line:
            self._last_line = line
            self._all.warn(line)
