"""What is open is for this user, or for this machine; the table is in docs/security.md."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ros_bridge.controller_api.server import Connections, ControllerServer
from ros_bridge.viewer.viewer import ViewOptions
from ros_bridge.viewer.window_server import WindowServer
from sim_core.base.inbox import Inbox

POST = b"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.org\r\nContent-Length: 2\r\n\r\n{}"


class Served:
    """A server of controllers, and what has reached it."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.complaints: list[str] = []
        self.inbox = Inbox()
        self.connections = Connections(
            self.inbox, lambda _: self.messages.append(None), self.complaints.append
        )
        self.server = ControllerServer(
            self.connections, lambda _, message: self.messages.append(message), port=0
        )
        self.port = int(self.server.address.rpartition(":")[2])


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.connections.close()
    made.server.close()


def listens_at(port: int) -> set[str]:
    """The addresses at which somebody on this machine listens at a TCP port, in hexadecimal (proc_net(5))."""
    found = set()
    for kind in ("tcp", "tcp6"):
        with open(f"/proc/net/{kind}", encoding="ascii") as lines:
            for line in list(lines)[1:]:
                address, number = line.split()[1].split(":")
                if int(number, 16) == port and line.split()[3] == "0A":
                    found.add(address)
    return found


LOOPBACK = {"0100007F"}
ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
REACH = """
import socket, sys
kind, place = sys.argv[1:]
made = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET)
made.settimeout(20)
made.connect(place if kind == "unix" else ("127.0.0.1", int(place)))
"""
"""Connects to a socket of this machine."""
HEAR = """
import time, rclpy
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
rclpy.init()
node, heard = rclpy.create_node("another"), []
node.create_subscription(Clock, "/clock", heard.append, qos_profile_sensor_data)
end = time.monotonic() + 60
while not heard and time.monotonic() < end:
    rclpy.spin_once(node, timeout_sec=0.1)
print("heard", len(heard) > 0)
"""
"""Waits for the clock of a simulation."""
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")


def as_another(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What comes of a command of another user."""
    return subprocess.run(
        command,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def reaches(kind: str, place: Path | int) -> bool:
    """Whether another user of this machine can connect there."""
    done = as_another("/usr/bin/python3", "-I", "-c", REACH, kind, str(place))
    assert not done.returncode or re.search("PermissionError|FileNotFoundError", done.stderr), done.stderr
    return not done.returncode


@pytest.fixture
def window(tmp_path: Path) -> Iterator[int]:
    """The port of a robot's window."""
    (tmp_path / "w.html").write_text("<html></html>", encoding="utf-8")
    server = WindowServer(lambda robot, text: None)
    port = urlsplit(server.serve_page("robot", tmp_path / "w.html")).port
    assert port is not None
    yield port
    server.close()


@pytest.fixture
def viewer() -> Iterator[int]:
    """The port of a viewer."""
    pytest.importorskip("viser", reason="needs the Python package viser")
    from ros_bridge.base.page_server import make_server

    server = make_server(ViewOptions().host, 0)
    yield server.get_port()
    server.stop()


def sockets_of(process: int) -> set[tuple[str, str]]:
    """The sockets of a process for networks: (tcp, tcp6, udp or udp6, address and port in hexadecimal)."""
    held = set()
    for each in Path(f"/proc/{process}/fd").iterdir():
        try:
            held |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(each)))
        except OSError:  # it has been closed
            continue
    found = set()
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{kind}").read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            if words[9] in held:
                found.add((kind, words[1]))
    return found


def test_you_reach_what_is_yours(served: Served, window: int, viewer: int) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(str(served.server.path))
    for port in (served.port, window, viewer):
        socket.create_connection(("127.0.0.1", port), timeout=20).close()


@as_root
def test_another_user_reaches_what_is_for_this_machine(served: Served, window: int, viewer: int) -> None:
    assert not reaches("unix", served.server.path)
    assert all(reaches("tcp", port) for port in (served.port, window, viewer))


@pytest.fixture
def running(simulate: Callable[..., Any]) -> Any:
    world = ROOT / "worlds" / "wall_follower.wbt"
    simulation = simulate(str(world), mode="realtime", controllers=False)
    simulation.until_it_says("running, the first step", 60.0)
    return simulation


def test_topics_are_for_this_machine_and_no_page_of_the_web_reaches_them(running: Any) -> None:
    """A page speaks TCP only, at which a run does not listen; and to another machine nothing is open."""
    sockets = sockets_of(running.process.pid)
    assert {kind for kind, _ in sockets} == {"udp"}
    addresses = {place.partition(":")[0] for _, place in sockets}
    assert addresses == LOOPBACK


@as_root
def test_topics_are_for_other_users_of_this_machine(running: Any) -> None:
    paths = os.pathsep.join(filter(None, sys.path))
    given = {name: os.environ[name] for name in ("ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE")}
    given |= {"PYTHONPATH": paths, "ROS_LOG_DIR": "/tmp/odesim-nobody", "HOME": "/nonexistent"}
    if as_another("/usr/bin/env", sys.executable, "-c", "import rclpy", **given).returncode:
        pytest.skip("another user cannot read Python or its packages here")
    done = as_another(sys.executable, "-c", HEAR, **given)
    assert "heard True" in done.stdout, done.stderr


def test_the_socket_of_controllers_is_for_this_user(served: Served) -> None:
    for folder in (served.server.path.parent, served.server.path.parent.parent):
        assert folder.stat().st_mode & 0o077 == 0


def test_the_port_of_controllers_is_for_this_machine(served: Served) -> None:
    assert listens_at(served.port) == LOOPBACK


def test_a_page_of_the_web_cannot_speak_to_the_port_of_controllers(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as page:
        page.sendall(POST)
        end = time.monotonic() + 20.0
        while not served.messages and time.monotonic() < end:
            served.inbox.wait(1.0)
        assert served.messages == [None]  # it was let go, unheard
    assert len(served.complaints) == 1 and "the connection is closed" in served.complaints[0]


def test_robot_windows_are_for_this_machine(tmp_path: Path) -> None:
    (tmp_path / "w.html").write_text("<html></html>", encoding="utf-8")
    server = WindowServer(lambda robot, text: None)
    try:
        port = urlsplit(server.serve_page("robot", tmp_path / "w.html")).port
        assert port is not None and listens_at(port) == LOOPBACK
    finally:
        server.close()


def test_foxglove_is_for_this_machine_unless_told_otherwise() -> None:
    pytest.importorskip("foxglove", reason="needs the Python package foxglove-sdk")
    from ros_bridge.foxglove.guard import Guard
    from ros_bridge.foxglove.server import FoxgloveOptions

    door = Guard(FoxgloveOptions().host, 0, ("127.0.0.1", 1))
    try:
        assert listens_at(door.port) == LOOPBACK
    finally:
        door.close()


def test_a_viewer_is_for_this_machine_unless_told_otherwise() -> None:
    pytest.importorskip("viser", reason="needs the Python package viser")
    from ros_bridge.base.page_server import make_server

    server = make_server(ViewOptions().host, 0)
    try:
        assert listens_at(server.get_port()) == LOOPBACK
    finally:
        server.stop()
