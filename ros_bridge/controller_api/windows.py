"""Robot windows: texts between a controller and its user's window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from rclpy.qos import QoSProfile
from std_msgs.msg import String

from ros_bridge.controller_api.api import ControllerApi
from ros_bridge.topics.names import robot_names
from ros_bridge.topics.qos import Qos, profile

KEPT: QoSProfile = profile(Qos(depth=100, transient_local=True))
"""QoS with which later subscribers receive earlier texts."""
RECEIVED: QoSProfile = profile(Qos(depth=100))


class Windows:
    """The topics of robots whose controllers use windows, created at their first use.

    `/R/window/from_controller` carries texts of the controller, `/R/window/to_controller` those to it.
    """

    def __init__(
        self,
        node: Any,
        put: Callable[[Callable[[], Any]], None],
        api: ControllerApi,
        robots: Callable[[], Iterable[str]],
    ) -> None:
        """`robots`: returns the names of the present robots."""
        self._node, self._put, self._api, self._robots = node, put, api, robots
        self._publishers: dict[str, Any] = {}

    def open(self, robot: str) -> None:
        """Create publisher and subscription for a robot."""
        if robot in self._publishers:
            return
        prefix = f"{robot_names(self._robots())[robot]}/window"
        self._publishers[robot] = self._node.create_publisher(String, f"{prefix}/from_controller", KEPT)
        receive = partial(self._receive, robot)
        self._node.create_subscription(String, f"{prefix}/to_controller", receive, RECEIVED)

    def send(self, robot: str, text: str) -> None:
        """Publish a text of a controller."""
        self.open(robot)
        self._publishers[robot].publish(String(data=text))

    def _receive(self, robot: str, message: Any) -> None:
        text = str(message.data)
        self._put(lambda: self._api.receive_from_window(robot, text))
