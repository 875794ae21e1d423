"""What is open is for this user, or for this machine; the table is in docs/security.md."""

from __future__ import annotations

import queue
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ros_bridge.controller_api.server import Server
from ros_bridge.viewer.viewer import ViewOptions
from ros_bridge.viewer.window_server import WindowServer

POST = b"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.org\r\nContent-Length: 2\r\n\r\n{}"


class Served:
    """A server of controllers, and what has reached it."""

    def __init__(self) -> None:
        self.messages: queue.Queue[Any] = queue.Queue()
        self.complaints: list[str] = []
        self.server = Server(lambda _, message: self.messages.put(message), self.complaints.append, port=0)
        self.port = int(self.server.address.rpartition(":")[2])


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    yield made
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


def test_the_socket_of_controllers_is_for_this_user(served: Served) -> None:
    for folder in (served.server.path.parent, served.server.path.parent.parent):
        assert folder.stat().st_mode & 0o077 == 0


def test_the_port_of_controllers_is_for_this_machine(served: Served) -> None:
    assert listens_at(served.port) == LOOPBACK


def test_a_page_of_the_web_cannot_speak_to_the_port_of_controllers(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as page:
        page.sendall(POST)
        assert served.messages.get(timeout=20) is None  # it was let go, unheard
    assert len(served.complaints) == 1 and "its sender is let go" in served.complaints[0]


def test_robot_windows_are_for_this_machine(tmp_path: Path) -> None:
    (tmp_path / "w.html").write_text("<html></html>", encoding="utf-8")
    server = WindowServer(lambda robot, text: None)
    try:
        port = urlsplit(server.show("robot", tmp_path / "w.html")).port
        assert port is not None and listens_at(port) == LOOPBACK
    finally:
        server.close()


def test_a_viewer_is_for_this_machine_unless_told_otherwise() -> None:
    pytest.importorskip("viser", reason="needs the Python package viser")
    from ros_bridge.viewer.viewer import make_server

    server = make_server(ViewOptions().host, 0)
    try:
        assert listens_at(server.get_port()) == LOOPBACK
    finally:
        server.stop()
