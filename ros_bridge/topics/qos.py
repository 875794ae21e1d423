"""Quality of service of the topics: reliable with depth 10, unless set by a parameter."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rclpy.qos import QoSProfile

DEPTH = 10
ALL = 0
"""Depth of a subscriber that keeps all messages until taken: a publisher that waits for it blocks."""


class Qos(NamedTuple):
    """Selectable settings of a topic."""

    reliable: bool = True
    depth: int = DEPTH
    transient_local: bool = False
    """Whether the last `depth` messages are also sent to later subscribers."""

    def at_least(self, depth: int) -> Qos:
        """Return the same settings with at least this depth."""
        return self._replace(depth=max(self.depth, depth))


SENSOR = Qos()
COMMAND = Qos()
LATCHED = Qos(depth=1, transient_local=True)


@lru_cache
def profile(qos: Qos) -> QoSProfile:
    """Convert to rclpy's type."""
    from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST if qos.depth != ALL else HistoryPolicy.KEEP_ALL,
        depth=qos.depth,
        reliability=ReliabilityPolicy.RELIABLE if qos.reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if qos.transient_local else DurabilityPolicy.VOLATILE,
    )
