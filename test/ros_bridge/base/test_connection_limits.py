"""More connections than file descriptors: one line, and earlier connections are still served."""

from __future__ import annotations

import logging
import resource
import socket

import pytest
from waiting import wait_until

from ros_bridge.base.connection_limits import LOOP, max_connections, shorten_loop_messages
from ros_bridge.controller_api import server as server_module
from ros_bridge.controller_api.server import Connections, ControllerServer
from sim_core.base.inbox import Inbox
from webots_api.controller.wire import Incoming, pack, receive


def test_half_of_the_descriptors_are_for_connections() -> None:
    assert max_connections() == resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2


def test_the_event_loop_says_once_that_it_can_accept_none(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger(LOOP)
    before = list(log.filters)
    shorten_loop_messages("viewer")
    try:
        for _ in range(100):
            try:
                raise OSError(24, "Too many open files")
            except OSError as error:
                log.error("socket.accept() out of system resource\nsocket: 5", exc_info=error)
        log.error("something else")
    finally:
        log.filters[:] = before
    first, other = caplog.records
    assert first.getMessage().startswith("viewer: no file descriptor") and first.exc_info is None
    assert other.getMessage() == "something else"


def test_controllers_beyond_the_limit_are_let_go_and_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_module, "max_connections", lambda: 3)
    inbox, said = Inbox(), []
    connections = Connections(inbox, lambda _: None, said.append)
    server = ControllerServer(connections, lambda connection, message: connection.send(message), port=0)
    host, port = server.address.removeprefix("tcp://").split(":")
    peers = [socket.create_connection((host, int(port)), timeout=20.0) for _ in range(8)]
    try:
        wait_until(lambda: all(_is_over(peer, inbox) for peer in peers[3:]), "five are let go")
        assert len(said) == 1 and "found more than 3 connections" in said[0]
        peers[0].sendall(pack({"do": "hello"}))
        inbox.poll()
        assert receive(peers[0], Incoming()) == {"do": "hello"}
        peers[1].close()
        inbox.poll()
        peers.append(socket.create_connection((host, int(port)), timeout=20.0))
        inbox.poll()
        peers[-1].sendall(pack({"do": "again"}))
        inbox.poll()
        assert receive(peers[-1], Incoming()) == {"do": "again"}
    finally:
        connections.close()
        server.close()
        for peer in peers:
            peer.close()


def _is_over(peer: socket.socket, inbox: Inbox) -> bool:
    inbox.poll()
    peer.setblocking(False)
    try:
        return peer.recv(1) == b""
    except BlockingIOError:
        return False
