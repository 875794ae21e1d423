"""What recorded and compared topics have in common: messages as bytes, each of them once."""

from __future__ import annotations

from typing import Any

from ros_bridge.recorder.cdr import serialized
from ros_bridge.topics.publishing import Port


class SerializingPort(Port):
    """Hands messages on as bytes with a log time, save those that are sent again.

    A message is sent again because somebody came to listen, or because time stands still: that depends
    on wall time and is no part of what happened.
    """

    _last: tuple[int, bytes] = (-1, b"")

    def _serialized(self, time_ns: int, offset_ns: int, source: Any) -> tuple[bytes, int, bool]:
        """The message, its log time, and whether it is new."""
        data, log_time_ns = serialized(self._filled(time_ns, source)), time_ns + offset_ns
        if self.publication.trigger is not None:
            return data, log_time_ns, not self.is_repeating
        is_new = (log_time_ns, data) != self._last
        self._last = (log_time_ns, data)
        return data, log_time_ns, is_new
