"""`odesim teleop`: drives a robot from a terminal, with the keys of teleop_twist_keyboard.

A terminal reports keys that are pressed and repeated, not their release. So the robot stops when no key was
received for longer than the delay of the key repetition.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ros_bridge.base.signals import handled_signals
from ros_bridge.topics.names import in_namespace
from sim_core.base.errors import ConfigError, hint

MOTIONS = {
    "u": (1.0, 1.0),
    "i": (1.0, 0.0),
    "o": (1.0, -1.0),
    "j": (0.0, 1.0),
    "k": (0.0, 0.0),
    "l": (0.0, -1.0),
    "m": (-1.0, -1.0),
    ",": (-1.0, 0.0),
    ".": (-1.0, 1.0),
    "up": (1.0, 0.0),
    "down": (-1.0, 0.0),
    "left": (0.0, 1.0),
    "right": (0.0, -1.0),
    " ": (0.0, 0.0),
}
"""Factors of the forward speed and of the turn rate to the left, by key."""
SPEEDS = {
    "q": (1.1, 1.1),
    "z": (0.9, 0.9),
    "w": (1.1, 1.0),
    "x": (0.9, 1.0),
    "e": (1.0, 1.1),
    "c": (1.0, 0.9),
}
"""Factors by which keys change the two speeds."""
ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
"""Last characters of the sequences of arrow keys, after ESC [ or ESC O."""
ENDS = ("\x03", "\x04")
"""Ctrl-C, if it is not a signal, and Ctrl-D."""
HELD = 0.7
"""Seconds for which a key counts as held; the delay of key repetition is up to 0.66 s."""
PERIOD = 0.1
FOUND_LIMIT = 5.0
"""Seconds of wall time to search for the robot."""
HELP = """\
   u  i  o    arrows too      q/z  both speeds up/down by 10 %
   j  k  l    k, space: stop  w/x  speed ahead, e/c  turning
   m  ,  .    Ctrl-C ends     The robot stops when the key is released.
"""


class Driver:
    """Converts keys to motions.

    Args:
        linear: m/s. angular: rad/s.
    """

    def __init__(self, linear: float, angular: float) -> None:
        self.linear, self.angular = linear, angular
        self._factors = (0.0, 0.0)
        self._until = float("-inf")

    def press(self, key: str, now: float) -> bool:
        """Process a key at a wall time in s; return False if it has no meaning."""
        if key in SPEEDS:
            linear, angular = SPEEDS[key]
            self.linear *= linear
            self.angular *= angular
        elif key in MOTIONS:
            self._factors = MOTIONS[key]
            self._until = now + HELD
        else:
            return False
        return True

    def motion(self, now: float) -> tuple[float, float]:
        """Return the forward speed in m/s and the turn rate in rad/s; zeros if no key is held."""
        if now >= self._until:
            return 0.0, 0.0
        forward, left = self._factors
        return forward * self.linear, left * self.angular


def keys_in(text: str) -> list[str]:
    """Return the keys for a terminal's characters; unknown escape sequences are ignored."""
    found: list[str] = []
    index = 0
    while index < len(text):
        if text[index] == "\x1b" and text[index + 1 : index + 2] in ("[", "O"):
            end = index + 2
            while end < len(text) and not text[end].isalpha() and text[end] != "~":
                end += 1
            found += [ARROWS[text[end]]] if text[end : end + 1] in ARROWS else []
            index = end + 1
            continue
        found.append(text[index].lower())
        index += 1
    return found


def teleop(robot: str, linear: float, angular: float, ros_args: Sequence[str]) -> int:
    """Drive a robot until Ctrl-C or Ctrl-D.

    Returns:
        Exit code 0.

    Raises:
        ConfigError: stdin is no terminal, a speed is not positive, or there is no such robot.
    """
    for name, value in (("linear", linear), ("angular", angular)):
        if not 0.0 < value < float("inf"):
            raise ConfigError(f"--{name}: found {value}, expected a number above 0")
    if not sys.stdin.isatty():
        raise ConfigError("odesim teleop reads keys: found no terminal at its input, expected one")
    from geometry_msgs.msg import Twist
    from rclpy.node import Node

    from ros_bridge.base.context import make_context
    from ros_bridge.base.shutdown import call_within, time_limit

    context = make_context(ros_args)
    node = Node("odesim_teleop", context=context, start_parameter_services=False)
    try:
        topic = in_namespace(_found(node, robot.strip("/")), "cmd_vel")
        publisher = node.create_publisher(Twist, topic, 10)
        print(f"{topic}\n{HELP}", flush=True)
        with handled_signals() as stop_asked, raw_terminal():
            _drive(publisher, Twist(), Driver(linear, angular), stop_asked)
    finally:
        with time_limit(4.0):
            call_within(0.5, node.destroy_node, context.try_shutdown)
    return 0


@contextmanager
def raw_terminal() -> Iterator[None]:
    """Context in which keys are received immediately and not displayed; Ctrl-C remains a signal."""
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    try:
        tty.setcbreak(fd)
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _drive(publisher: Any, message: Any, driver: Driver, stop_asked: Any) -> None:
    """Publish ten times a second while a key is held, and once when it is released."""
    running = True

    def stop() -> None:
        nonlocal running
        running = False

    stop_asked(stop)
    sent = (0.0, 0.0)
    while running:
        if select.select([sys.stdin], [], [], PERIOD)[0]:
            data = os.read(sys.stdin.fileno(), 1024)
            keys = keys_in(data.decode("utf-8", "replace"))
            if not data or any(key in ENDS for key in keys):
                stop()
                continue
            for key in keys:
                if driver.press(key, time.monotonic()) and key in SPEEDS:
                    print(f"{driver.linear:.3f} m/s, {driver.angular:.3f} rad/s", flush=True)
        motion = driver.motion(time.monotonic())
        if motion != (0.0, 0.0) or motion != sent:
            _send(publisher, message, motion)
            sent = motion
    if sent != (0.0, 0.0):
        _send(publisher, message, (0.0, 0.0))
        from rclpy.duration import Duration

        publisher.wait_for_all_acked(Duration(seconds=0.3))


def _send(publisher: Any, message: Any, motion: tuple[float, float]) -> None:
    message.linear.x, message.angular.z = motion
    publisher.publish(message)


def _found(node: Any, robot: str) -> str:
    """Return the robot's ROS name once its /cmd_vel has a subscriber.

    Raises:
        ConfigError: there is no subscriber in time.
    """
    end = time.monotonic() + FOUND_LIMIT
    while True:
        kinds = dict(node.get_topic_names_and_types())
        names = [name for name in kinds if name.endswith("/cmd_vel") and node.count_subscribers(name)]
        robots = sorted(name.removesuffix("cmd_vel").strip("/") for name in names)
        if robot in robots:
            return robot
        if time.monotonic() > end:
            named = ", ".join(name or "/ (a robot without a namespace)" for name in robots)
            known = f"found {named}" if robots else "found no robot that drives"
            raise ConfigError(f'robot "{robot}": {known}, expected one of that name{hint(robot, robots)}')
        time.sleep(PERIOD)
