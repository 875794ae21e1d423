"""Texts of the panels."""

import re

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Log

from ros_bridge.base.page_server import make_server
from ros_bridge.node.run_mode import RunMode
from ros_bridge.node.status import fill_status
from ros_bridge.viewer.console_panel import console_html, line_html
from ros_bridge.viewer.panel import set_choices
from ros_bridge.viewer.robot_panel import robot_name_of, robots_of
from ros_bridge.viewer.run_panel import head_html
from ros_bridge.viewer.sim_link import read_status
from ros_bridge.viewer.topic_panel import topics_html
from ros_bridge.viewer.tree.outline import FieldText, NodeOutline
from sim_core.base.errors import ConfigError


def test_the_status_is_read_as_it_was_filled():
    message = DiagnosticArray()
    mode = RunMode("realtime", 2.0, 8_000_000)
    mode.speed = 1.99
    fill_status(message, 0, mode, [])
    status = read_status(message)
    assert (status.mode, status.speed, status.wanted_speed, status.warning) == ("realtime", 1.99, 2.0, "")
    fill_status(message, 0, mode, ["robot1"])
    assert read_status(message).warning == "Waiting for robot1"


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("203.0.113.9", 0, "--host 203.0.113.9: "),  # an address for examples, RFC 5737
        ("127.0.0.1", 65536, "--port: found 65536, expected 0 to 65535"),
    ],
)
def test_an_address_that_cannot_be_is_refused(host, port, words):
    pytest.importorskip("viser")
    with pytest.raises(ConfigError, match=words):
        make_server(host, port)


def test_robots_are_known_by_their_ground_truth():
    odometry = "nav_msgs/msg/Odometry"
    topics = {
        "/b/ground_truth": odometry,
        "/a/ground_truth": odometry,
        "/a/odom": odometry,
        "/x/y/ground_truth": odometry,
        "/c/ground_truth": "std_msgs/msg/Bool",
    }
    assert robots_of(topics) == ("a", "b", "x/y")


@pytest.mark.parametrize(
    ("kind", "name", "robot"),
    [
        ("Robot", "fleet/8 ball", "fleet/n8_ball"),
        ("Supervisor", "e-puck", "e_puck"),
        ("Robot", "—", ""),
        ("Solid", "e-puck", ""),
    ],
)
def test_a_robot_in_the_scene_has_the_name_of_its_topics(kind, name, robot):
    outline = NodeOutline("#1", "", kind, fields=(FieldText("name", "SFString", name),))
    assert robot_name_of(outline) == robot


def test_text_from_others_stays_text():
    evil = "<script>alert(1)</script>"
    line = line_html(Log(name=evil, msg=evil, level=Log.ERROR))
    for html in (line, console_html([line]), topics_html({evil: evil}), head_html(0, evil, evil, evil, evil)):
        assert "<script" not in html


def test_the_head_shows_the_time_and_trouble_instead_of_warnings():
    html = head_html(61_002_000_000, "1.00 × real time", "late", "")
    assert "0:01:01:002" in html
    assert "late" in html
    assert "late" not in head_html(0, "", "late", "gone")


def test_rows_of_the_head_keep_their_height_while_they_say_nothing():
    assert not re.search("<div[^>]*></div>", head_html(0, "1.00 × real time", "", ""))


def test_what_is_chosen_stays_chosen_while_it_is_away():
    class List:
        options, value = ("none",), "none"

    chosen = List()
    set_choices(chosen, ("a", "b"))
    assert chosen.options == ("none", "a", "b")
    chosen.value = "b"
    set_choices(chosen, ("a",))
    assert (chosen.options, chosen.value) == (("none", "b", "a"), "b")
