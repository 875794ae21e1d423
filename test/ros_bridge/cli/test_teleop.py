"""Driving from a terminal: what keys do, and a robot that moves while a key comes and then stops."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry

from ros_bridge.cli.teleop import HELD, Driver, _found, keys_in
from sim_core.base.errors import ConfigError

ROOT = Path(__file__).resolve().parents[3]


def test_keys_of_a_terminal():
    assert keys_in("iJ\x1b[A\x1bOB ") == ["i", "j", "up", "down", " "]
    assert keys_in("\x1b[3~k\x1b[1;5C\x03") == ["k", "right", "\x03"]


def test_a_motion_lasts_as_long_as_a_key_is_held():
    driver = Driver(0.5, 2.0)
    assert driver.motion(0.0) == (0.0, 0.0)
    assert driver.press("u", 0.0)
    assert driver.motion(0.9 * HELD) == (0.5, 2.0)
    assert driver.motion(1.1 * HELD) == (0.0, 0.0)
    driver.press("down", 10.0)
    assert driver.motion(10.0) == (-0.5, 0.0)
    driver.press("k", 10.1)
    assert driver.motion(10.1) == (0.0, 0.0)
    assert not driver.press("?", 10.2)


def test_speeds_change_by_a_tenth():
    driver = Driver(1.0, 1.0)
    for key in "qwc":
        assert driver.press(key, 0.0)
    driver.press("o", 0.0)
    assert driver.motion(0.0) == pytest.approx((1.21, -0.99))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("robot1",), "odesim teleop reads keys: found no terminal at its input, expected one"),
        (("robot1", "--linear", "nan"), "--linear: found nan, expected a number above 0"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(words, line):
    command = [sys.executable, "-m", "ros_bridge.cli", "teleop", *words]
    ended = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", line + "\n")


def test_a_robot_drives_while_a_key_comes_and_then_stops(world_file, simulate, client):
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        pytest.skip(f"needs a pseudo-terminal: {error}")
    simulation = simulate(world_file(), controllers=False)
    truth = client.listen(Odometry, "/robot1/ground_truth")
    teleop = subprocess.Popen(
        [sys.executable, "-m", "ros_bridge.cli", "teleop", "robot1"],
        cwd=ROOT, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    os.close(theirs)
    try:
        assert teleop.stdout is not None
        assert teleop.stdout.readline() == b"/robot1/cmd_vel\n"
        last = 0.0

        def is_driving() -> bool:
            nonlocal last
            if time.monotonic() > last + 0.1:
                last = time.monotonic()
                os.write(ours, b"i")
            return bool(truth) and truth[-1].twist.twist.linear.x > 0.1

        client.until(is_driving, "robot1 driving")
        client.until(lambda: abs(truth[-1].twist.twist.linear.x) < 1e-3, "robot1 standing")
        client.until(is_driving, "robot1 driving again")
        os.write(ours, b"\x04")  # Ctrl-D; a terminal makes a signal of Ctrl-C only for its own session
        assert teleop.wait() == 0
        client.until(lambda: abs(truth[-1].twist.twist.linear.x) < 1e-3, "robot1 standing at the end")
    finally:
        teleop.kill()
        teleop.wait()
        os.close(ours)
    client.call("quit")
    assert simulation.wait() == 0


def test_a_robot_without_a_namespace_is_called_by_a_slash(client, monkeypatch):
    """As in the layout nav2."""
    client.node.create_subscription(Twist, "/cmd_vel", print, 1)
    monkeypatch.setattr("ros_bridge.cli.teleop.FOUND_LIMIT", 0.0)
    client.until(lambda: client.node.count_subscribers("/cmd_vel"), "our own subscription")
    assert _found(client.node, "") == ""
    with pytest.raises(ConfigError, match=r'robot "bot": found / \(a robot without a namespace\)'):
        _found(client.node, "bot")
