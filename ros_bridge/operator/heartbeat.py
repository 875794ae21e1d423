"""Monitoring of the link to the ute by messages that are sent back."""

from __future__ import annotations

import time
from typing import Any

from std_msgs.msg import Header

PERIOD = 0.5
"""Seconds of wall time between two beats."""
LIMIT = 2.0
"""Seconds of wall time without an answer after which the link counts as lost."""


class Heartbeat:
    """Sends numbered beats, and stores when the last one came back.

    Attributes:
        round_trip: duration of the last round trip, s; None before the first.
    """

    def __init__(self, node: Any, robot: str) -> None:
        self.round_trip: float | None = None
        self._sent: dict[str, float] = {}
        self._number = 0
        self._heard: float | None = None
        self._out = node.create_publisher(Header, f"{robot}/heartbeat", 10)
        node.create_subscription(Header, f"{robot}/heartbeat_echo", self._echo, 10)
        self._name = node.get_name()

    def beat(self, now: float) -> None:
        """Send a beat; `now`: wall time in s."""
        self._number += 1
        word = f"{self._name} {self._number}"
        self._sent[word] = now
        for old in [each for each, sent in self._sent.items() if now - sent > 10.0 * LIMIT]:
            del self._sent[old]
        self._out.publish(Header(frame_id=word))

    def receive_echo(self, word: str, now: float) -> None:
        """Note that a beat came back."""
        sent = self._sent.pop(word, None)
        if sent is not None:  # None: sent by another operator
            self.round_trip = now - sent
            self._heard = now

    def state(self, now: float) -> str:
        """Return the state of the link, alive, lost or without an answer yet, with numbers."""
        if self._heard is None:
            return "link: no answer yet"
        silent = now - self._heard
        if silent > LIMIT:
            return f"link: lost, silent for {silent:.1f} s"
        return f"link: alive, round trip {1e3 * (self.round_trip or 0.0):.1f} ms"

    def is_alive(self, now: float) -> bool:
        """Return whether a beat has come back within the limit."""
        return self._heard is not None and now - self._heard <= LIMIT

    def _echo(self, message: Header) -> None:
        self.receive_echo(message.frame_id, time.monotonic())
