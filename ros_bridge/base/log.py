"""The log of a node, whose methods may be passed on, kept, and chosen from.

rclpy knows the place in the source that a line is logged from, and raises ValueError when a second line from
there has another severity: `say = log.info if well else log.error; say(line)` ends the run. From here each
severity has a place of its own. What would steer the terminal is written as escapes.
"""

from __future__ import annotations

from typing import Any

from sim_core.base.shown import shown


class Log:
    """Says lines by the logger of a node."""

    def __init__(self, logger: Any) -> None:
        """`logger`: that of rclpy, as `node.get_logger()`."""
        self._logger = logger

    def info(self, line: str) -> None:
        """Say what happens."""
        self._logger.info(shown(line))

    def warning(self, line: str) -> None:
        """Say what is probably not as it was meant."""
        self._logger.warning(shown(line))

    def error(self, line: str) -> None:
        """Say what has failed."""
        self._logger.error(shown(line))
