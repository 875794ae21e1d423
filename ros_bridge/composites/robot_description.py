"""`/R/robot_description`: the URDF of a robot for RViz and robot_state_publisher.

Its links are the frames of `/tf`, its joints those of `/R/joint_states`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ros_bridge.topics.records import Filler
from sim_core.model.robot_model import robot_model
from sim_core.model.robot_parts import RobotPart
from sim_core.scene.urdf.writer import write_urdf


class RobotDescriptionFiller(Filler):
    """Fills std_msgs/String; the text is generated at the first message."""

    def __init__(self, parts: Sequence[RobotPart]) -> None:
        self._parts = parts
        self._text: str | None = None

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill the description, which does not change."""
        if self._text is None:
            self._text = write_urdf(robot_model(self._parts))
        message.data = self._text
