"""Panel with a table of all robots' poses and speeds."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from nav_msgs.msg import Odometry

from ros_bridge.base.transformations import euler_from_quaternion, of_message
from ros_bridge.topics.names import in_namespace
from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.robot_panel import GROUND_TRUTH

SHOWN_PERIOD = 0.2
MAX_ROBOTS = 24
"""Most robots subscribed to."""
COLUMNS = ("robot", "x m", "y m", "z m", "roll °", "pitch °", "yaw °", "m/s", "rad/s")


class PosePanel:
    """A row for each robot, while the checkbox is on."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._is_on = False
        box = context.server.gui.add_checkbox(
            "Show poses", False, hint="of all robots, from their topics ground_truth"
        )
        context.on_use(box, lambda event: self._switch(event.target.value))
        self._html = context.server.gui.add_html(poses_html({}))
        self._topics: dict[str, PolledTopic] = {}
        self._rows: dict[str, tuple[float, ...]] = {}
        self._next = 0.0

    def refresh(self, now: float) -> None:
        """Take new messages, show them five times a second."""
        if now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        wanted = self._context.robots[:MAX_ROBOTS] if self._is_on else ()
        for name in self._topics.keys() - set(wanted):
            self._topics.pop(name).close()
            self._rows.pop(name, None)
        for name in wanted:
            if name not in self._topics:
                self._topics[name] = PolledTopic(
                    self._context.watch, Odometry, in_namespace(name, GROUND_TRUTH)
                )
            for message in self._topics[name].take():
                self._rows[name] = row_of(message)
        self._html.content = poses_html(self._rows)

    def _switch(self, is_on: bool) -> None:
        self._is_on, self._next = is_on, 0.0


def row_of(message: Any) -> tuple[float, ...]:
    """Return x, y, z in m; roll, pitch, yaw in degrees (REP-103); speed in m/s and turn rate in rad/s."""
    place, turn = message.pose.pose.position, message.pose.pose.orientation
    angles = euler_from_quaternion(of_message(turn))
    linear, angular = message.twist.twist.linear, message.twist.twist.angular
    speeds = (math.hypot(linear.x, linear.y, linear.z), math.hypot(angular.x, angular.y, angular.z))
    return (place.x, place.y, place.z, *map(math.degrees, angles), *speeds)


def poses_html(rows: dict[str, tuple[float, ...]]) -> str:
    """Return the table."""
    heads = "".join(f"<th>{head}</th>" for head in COLUMNS)
    lines = "".join(
        f"<tr><td>{escape(name)}</td>{''.join(f'<td>{each:.3f}</td>' for each in row)}</tr>"
        for name, row in sorted(rows.items())
    )
    return f'<div class="odesim-table"><table id="odesim-pose-table"><tr>{heads}</tr>{lines}</table></div>'
