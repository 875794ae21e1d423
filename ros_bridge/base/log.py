"""Log of a node, whose methods can be passed on, stored, and selected.

rclpy identifies a log call by its position in the source, and raises ValueError when a second line from there
has another severity: `say = log.info if well else log.error; say(line)` would end the run. In this module
each severity has its own position. Control sequences for terminals are written as escapes.
"""

from __future__ import annotations

from typing import Any

from sim_core.base.shown import shown


class Log:
    """Writes lines to the logger of a node."""

    def __init__(self, logger: Any) -> None:
        """`logger`: of rclpy, as returned by `node.get_logger()`."""
        self._logger = logger

    def info(self, line: str) -> None:
        """Log an event."""
        self._logger.info(shown(line))

    def warning(self, line: str) -> None:
        """Log a probable problem."""
        self._logger.warning(shown(line))

    def error(self, line: str) -> None:
        """Log a failure."""
        self._logger.error(shown(line))
