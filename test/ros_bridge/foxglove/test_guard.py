"""Access control of the Foxglove server, which forwards all bytes."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("foxglove", reason="needs the Python package foxglove-sdk")

import foxglove
from foxglove_client import FoxgloveClient
from websockets.exceptions import InvalidStatus

from ros_bridge.foxglove.guard import APP, Guard, hidden_address, is_admitted, read_head
from sim_core.base.errors import ConfigError

TOKEN = "the-token_of.this-server"
PAGE = "https://lichtblick.example"


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    inner = hidden_address()
    context = foxglove.Context()
    made = foxglove.start_server(name="behind", host=inner, port=0, context=context)
    schema = foxglove.Schema(name="std_msgs/msg/String", encoding="ros2msg", data=b"string data\n")
    channel = foxglove.Channel("/big", schema=schema, message_encoding="cdr", context=context)
    yield inner, made.port, channel
    made.stop()


@pytest.fixture(scope="module")
def door(server: Any) -> Iterator[Guard]:
    made = Guard("127.0.0.1", 0, server[:2], pages=(f"{PAGE}/",))
    yield made
    made.close()


def comes_in(port: int, path: str = "", origin: str | None = None) -> bool:
    try:
        client = FoxgloveClient(f"ws://127.0.0.1:{port}{path}", origin=origin)
    except InvalidStatus as error:
        assert error.response.status_code == 403
        return False
    client.until(lambda: client.info, "the server")
    client.close()
    return True


@pytest.mark.parametrize("origin", [None, APP, PAGE, "http://localhost:8080", "file://"])
def test_programs_foxglove_and_pages_of_this_machine_come_in(door: Guard, origin: str | None) -> None:
    assert comes_in(door.port, origin=origin)


@pytest.mark.parametrize("origin", ["https://example.org", "null", "https://app.foxglove.dev.example.org"])
def test_pages_of_strangers_stay_out(door: Guard, origin: str) -> None:
    assert not comes_in(door.port, origin=origin)


@pytest.mark.parametrize("origin", ["http://[", "", "http://127.0.0.1.example.org", "http://foxglove.dev"])
def test_what_is_no_page_of_ours(origin: str) -> None:
    assert not is_admitted(origin, ())


def test_from_elsewhere_only_who_has_the_token_comes_in(server: Any) -> None:
    door = Guard("0.0.0.0", 0, server[:2], TOKEN)
    try:
        assert not comes_in(door.port) and not comes_in(door.port, "/?token=another")
        assert comes_in(door.port, f"/?token={TOKEN}")
        assert not comes_in(door.port, f"/?token={TOKEN}", origin="https://example.org")
    finally:
        door.close()


def test_the_older_name_of_the_protocol_is_understood(door: Guard) -> None:
    client = FoxgloveClient(f"ws://127.0.0.1:{door.port}", ["foxglove.websocket.v1"])
    assert client.protocol == "foxglove.websocket.v1"
    client.until(lambda: client.channels, "the channels")
    client.close()


def test_large_messages_go_through_whole(server: Any, door: Guard) -> None:
    channel = server[2]
    client = FoxgloveClient(f"ws://127.0.0.1:{door.port}")
    client.subscribe("/big")
    client.until(channel.has_sinks, "the subscription")
    data = bytes(range(256)) * 20_000
    channel.log(data, log_time=5)
    assert client.until(lambda: client.messages.get("/big"), "the message") == [(5, data)]
    client.close()


@pytest.mark.parametrize(
    "said", [b"\r\n\r\n", b"GET /\r\n\r\n", b"\x16\x03\x01\x00\xff\r\n\r\n", b"A B HTTP/1.1\r\nx\r\n\r\n"]
)
def test_what_is_no_request_is_refused(door: Guard, said: bytes) -> None:
    with socket.create_connection(("127.0.0.1", door.port), timeout=20) as raw:
        raw.sendall(said)
        assert raw.recv(100).startswith(b"HTTP/1.1 403")


def test_a_head_that_does_not_end_is_let_go(door: Guard) -> None:
    with socket.create_connection(("127.0.0.1", door.port), timeout=20) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\n" + b"x" * 70_000)
        with contextlib.suppress(ConnectionResetError):
            assert raw.recv(100) == b""


def test_headers_are_read_whatever_their_letters() -> None:
    lines = b"ORIGIN: x", b"Sec-WebSocket-Protocol: a", b"sec-websocket-protocol: b", b"", b""
    head = b"\r\n".join((b"GET /?token=a HTTP/1.1", *lines))
    assert read_head(head) == ("GET", "/?token=a", {"origin": "x", "sec-websocket-protocol": "a, b"})
    with pytest.raises(ValueError, match="Origin"):
        read_head(b"GET / HTTP/1.1\r\nOrigin: x\r\nOrigin: y\r\n\r\n")


def test_a_port_that_is_taken_and_an_address_that_is_none(server: Any) -> None:
    one = Guard("127.0.0.1", 0, server[:2])
    two = Guard("127.0.0.1", one.port, server[:2])
    assert two.port > one.port
    for each in (one, two):
        each.close()
        each.close()
    with pytest.raises(ConfigError, match=r"^--host 192\.0\.2\.1: "):
        Guard("192.0.2.1", 0, server[:2])
    with pytest.raises(ConfigError, match="--port: found 70000, expected 0 to 65535"):
        Guard("127.0.0.1", 70000, server[:2])


def test_behind_the_door_nobody_guesses_the_address() -> None:
    assert len({hidden_address() for _ in range(200)}) > 190
    assert all(address.startswith("127.") for address in (hidden_address() for _ in range(20)))
