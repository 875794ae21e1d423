"""Panel of the selected robot: followed by the camera, driven by keys or buttons while they are held."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry

from ros_bridge.topics.names import in_namespace, legal_path
from ros_bridge.viewer.key_script import pad_html
from ros_bridge.viewer.keys import motion_of
from ros_bridge.viewer.panel import NOTHING, ViewerContext, set_choices
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.tree.outline import ROOT, NodeOutline, read_outline

STILL = (0.0, 0.0)
COMMAND_PERIOD = 0.1
FOLLOW_PERIOD = 0.05
DISCOVERY_TIME = 3.0
"""Seconds in which no other robot is found before the one that is there counts as the only one."""
MIN_CAMERA_CHANGE = 2e-5
"""Smallest relative change of a camera's coordinates that viser sends; a robot far away moves by less."""
ROBOTS = ("Robot", "DifferentialWheels", "Supervisor")
GROUND_TRUTH = "ground_truth"
"""Every robot has this topic, so the list of robots is read from it."""


class RobotPanel:
    """Selects a robot.

    It drives while a key or button is held, and stops when that is released or the browser has gone.

    """

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        gui = context.server.gui
        self._chosen = NOTHING
        self._found: tuple[tuple[str, ...], float] = ((), 0.0)  # all robots, and since when
        self._only = ""  # a robot that was chosen because it is the only one
        self._dropdown = gui.add_dropdown("Robot", (NOTHING,))
        context.on_use(self._dropdown, self._pick)
        self._follow = gui.add_checkbox("Follow", False)
        context.on_use(self._follow, lambda event: self._set_follow(event.target.value))
        gui.add_html(pad_html())
        self._linear = gui.add_slider("m/s", 0.05, 2.0, 0.05, 0.3)
        self._angular = gui.add_slider("rad/s", 0.1, 5.0, 0.1, 1.0)
        self._truth: PolledTopic | None = None
        self._seen_at: np.ndarray | None = None
        self._publisher: Any = None
        self._picked = ""
        self._motion = STILL
        self._next_command = self._next_follow = 0.0

    def refresh(self, now: float) -> None:
        """List the robots, move the camera, repeat the command."""
        set_choices(self._dropdown, self._context.robots, gone=False)
        if self._chosen not in (NOTHING, *self._context.robots):
            self._choose(NOTHING)
        self._choose_only(now)
        self._follow_selection()
        if self._truth is not None and now >= self._next_follow:
            self._next_follow = now + FOLLOW_PERIOD
            for message in self._truth.take():
                self._move_cameras(message.pose.pose.position)
        motion = self._wanted_motion()
        if motion != self._motion or (motion != STILL and now >= self._next_command):
            self._next_command = now + COMMAND_PERIOD
            self._motion = motion
            self._send()

    def _choose_only(self, now: float) -> None:
        """Choose the robot of a world that has no other, once: who then chooses none is asked no more."""
        robots = self._context.robots
        if robots != self._found[0]:
            self._found = (robots, now)
        if now - self._found[1] < DISCOVERY_TIME:
            return
        only = robots[0] if len(robots) == 1 else ""
        if only != self._only:
            self._only = only
            if only and self._chosen == NOTHING:
                self._dropdown.value = only
                self._choose(only)

    def _follow_selection(self) -> None:
        """Select here the robot that is selected in the scene or in the tree."""
        outline = self._context.selection.outline
        if outline is None or outline.name == self._picked:
            return
        self._picked = outline.name
        robot = self._path_of(outline)
        if robot in self._context.robots and robot != self._chosen:
            self._dropdown.value = robot
            self._choose(robot)

    def _pick(self, event: Any) -> None:
        """Choose a robot; if somebody did so in the list, its node is selected too, for window and fields."""
        robot = event.target.value
        self._choose(robot)
        if robot != NOTHING and event.client is not None:
            self._context.link.read_parameter(f"{ROOT}.all", partial(self._look_for_node, robot))

    def _look_for_node(self, robot: str, text: str | None) -> None:
        """Read the nodes whose name can be that of the robot."""
        for name, title in json.loads(text or "[]"):
            if legal_path(title.partition(' "')[2].removesuffix('"')) == robot.rpartition("/")[2]:
                self._context.link.read_parameter(f"{name}.outline", partial(self._select_robot, robot))

    def _select_robot(self, robot: str, text: str | None) -> None:
        outline = None if text is None else read_outline(text)
        if outline is not None and self._path_of(outline) == robot == self._chosen:
            self._context.selection.select(outline.name)

    def _path_of(self, outline: NodeOutline) -> str:
        """Return the ROS name of a Robot node with the namespace of the simulation."""
        return f"{self._context.link.namespace}/{robot_name_of(outline)}".removeprefix("/")

    def close(self) -> None:
        """Stop the robot."""
        if self._motion != STILL:
            self._motion = STILL
            self._send()

    def _choose(self, robot: str) -> None:
        if robot == self._chosen:
            return
        self.close()
        if self._publisher is not None:
            self._context.node.destroy_publisher(self._publisher)
            self._publisher = None
        self._chosen = robot
        if self._context.keyboard is not None:
            self._context.keyboard.is_driving = robot != NOTHING
        if robot != NOTHING:
            self._publisher = self._context.node.create_publisher(Twist, in_namespace(robot, "cmd_vel"), 10)
        self._set_follow(self._follow.value)

    def _set_follow(self, follow: bool) -> None:
        if self._truth is not None:
            self._truth.close()
            self._truth = None
        self._seen_at = None
        if follow and self._chosen != NOTHING:
            self._truth = PolledTopic(self._context.watch, Odometry, in_namespace(self._chosen, GROUND_TRUTH))

    def _move_cameras(self, position: Any) -> None:
        """Move every browser's camera by the robot's motion; the first time, point it at the robot."""
        place = np.array((position.x, position.y, position.z))
        step = None if self._seen_at is None else place - self._seen_at
        cameras = [client.camera for client in self._context.server.get_clients().values()]
        away = max((float(np.abs(camera.position).max()) for camera in cameras), default=0.0)
        if step is not None and float(np.abs(step).max()) < max(1e-4, MIN_CAMERA_CHANGE * away):
            return
        self._seen_at = place
        for camera in cameras:
            moved = place - np.array(camera.look_at) if step is None else step
            camera.position = np.array(camera.position) + moved

    def _wanted_motion(self) -> tuple[float, float]:
        """Return m/s ahead and rad/s to the left from the held keys."""
        if self._publisher is None or self._context.keyboard is None:
            return STILL
        forward, left = motion_of(self._context.keyboard.keys)
        return forward * self._linear.value, left * self._angular.value

    def _send(self) -> None:
        if self._publisher is not None:
            message = Twist()
            message.linear.x, message.angular.z = (float(speed) for speed in self._motion)
            self._publisher.publish(message)


def robot_name_of(outline: NodeOutline) -> str:
    """Return the ROS name of a Robot node; empty: no robot, or its name depends on its place in the world."""
    names = [field.text for field in outline.fields if field.name == "name"]
    found = legal_path(names[0]) if outline.type in ROBOTS and names else ""
    return "" if found.endswith("/") else found


def robots_of(topics: dict[str, str]) -> tuple[str, ...]:
    """Return the robots that have topics, by namespace: `robot1`, `fleet/robot1`; `/`: the root namespace."""
    found = (
        name.removesuffix(GROUND_TRUTH).strip("/") or "/"
        for name, kind in topics.items()
        if name.endswith(f"/{GROUND_TRUTH}") and kind == "nav_msgs/msg/Odometry"
    )
    return tuple(sorted(found))
