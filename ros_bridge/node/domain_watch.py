"""Says when another simulation has come into the ROS domain: both would obey the same topics and services."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

CLOCK = "/clock"


class DomainWatch:
    """Looks for a second clock.

    Args:
        node: of the simulation, which publishes one.
        warn: gets one line each time a second clock appears.
    """

    def __init__(self, node: Any, warn: Callable[[str], Any]) -> None:
        self._node, self._warn = node, warn
        self._shared = False

    def look(self) -> None:
        """See who publishes the time."""
        shared = self._node.count_publishers(CLOCK) > 1
        if shared and not self._shared:
            domain = os.environ.get("ROS_DOMAIN_ID") or "0"
            self._warn(
                f"{CLOCK}: found another publisher in ROS domain {domain}, expected this simulation alone; "
                "another ROS_DOMAIN_ID keeps two simulations apart"
            )
        self._shared = shared
