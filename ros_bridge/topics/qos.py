"""Quality of service of the topics: reliable and 10 deep, unless a parameter says otherwise."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rclpy.qos import QoSProfile

DEPTH = 10
ALL = 0
"""Depth of who keeps all messages that were not taken yet: a publisher that waits for it waits then."""


class Qos(NamedTuple):
    """What can be chosen for a topic."""

    reliable: bool = True
    depth: int = DEPTH
    transient_local: bool = False
    """The last `depth` messages also reach those who subscribe later."""

    def at_least(self, depth: int) -> Qos:
        """The same, this deep or deeper."""
        return self._replace(depth=max(self.depth, depth))


SENSOR = Qos()
COMMAND = Qos()
LATCHED = Qos(depth=1, transient_local=True)


@lru_cache
def profile(qos: Qos) -> QoSProfile:
    """As rclpy wants it."""
    from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST if qos.depth != ALL else HistoryPolicy.KEEP_ALL,
        depth=qos.depth,
        reliability=ReliabilityPolicy.RELIABLE if qos.reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if qos.transient_local else DurabilityPolicy.VOLATILE,
    )
