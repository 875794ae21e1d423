"""Which pages and programs may open a WebSocket to the viewer."""

import contextlib
import http.client
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from ros_bridge.base.own_page import has_token, is_own_page, new_token

pytest.importorskip("viser", reason="needs the Python package viser")

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from ros_bridge.base.page_server import make_server


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    made = make_server("127.0.0.1", 0)
    yield made
    made.stop()


def opens(port: int, **headers: str) -> bool:
    """Return whether a real client is admitted by a real handshake."""
    protocols = ["viser-v-test"]
    try:
        with connect(
            f"ws://127.0.0.1:{port}",
            origin=headers.pop("origin", None),  # type: ignore[arg-type]
            additional_headers=headers,
            subprotocols=protocols,  # type: ignore[arg-type]
        ):
            return True
    except InvalidStatus as error:
        assert error.response.status_code == 403
        return False


def test_who_talks_nonsense_is_one_line(server: Any, caplog: pytest.LogCaptureFixture) -> None:
    for words in (b"", b"\0\xff" * 9, b"GET / HTTP/1.1\r\n", b"\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.get_port()), timeout=20) as stranger:
            stranger.sendall(words)
            stranger.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionResetError):
                while stranger.recv(4096):
                    pass
    assert opens(server.get_port())
    said = [record for record in caplog.records if record.name.startswith("websockets")]
    assert said and not any(record.exc_info for record in said)
    assert all(len(record.getMessage().splitlines()) == 1 for record in said)


def test_the_own_page_and_programs_come_in(server: Any) -> None:
    port = server.get_port()
    assert opens(port)
    assert opens(port, origin=f"http://127.0.0.1:{port}")


@pytest.mark.parametrize(
    "origin",
    [
        "https://example.org",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://localhost:{port}",
        "null",
        "file://",
    ],
)
def test_the_pages_of_strangers_stay_out(server: Any, origin: str) -> None:
    assert not opens(server.get_port(), origin=origin.format(port=server.get_port()))


@pytest.mark.parametrize(
    ("origin", "host", "bound", "expected"),
    [
        (None, "127.0.0.1:8080", "127.0.0.1", True),
        ("http://localhost:8080", "localhost:8080", "127.0.0.1", True),
        ("http://localhost:9090", "localhost:9090", "127.0.0.1", True),  # through ssh -L 9090:...
        ("http://[::1]:8080", "[::1]:8080", "::1", True),
        ("http://robot.lan:8080", "robot.lan:8080", "0.0.0.0", True),
        ("http://10.0.0.7:8080", "10.0.0.7:8080", "10.0.0.7", True),
        ("http://evil.example:8080", "evil.example:8080", "127.0.0.1", False),  # DNS rebinding
        ("http://evil.example:8080", "robot.lan:8080", "0.0.0.0", False),
        ("http://127.0.0.1.evil.example:8080", "127.0.0.1:8080", "127.0.0.1", False),
        ("http://127.0.0.1:8080", None, "127.0.0.1", False),
        ("http://127.0.0.1:x", "127.0.0.1:8080", "127.0.0.1", False),
        ("", "", "127.0.0.1", False),
    ],
)
def test_whose_page_it_is(origin: str | None, host: str | None, bound: str, expected: bool) -> None:
    assert is_own_page(origin, host, bound) is expected


def test_the_page_itself_is_served_to_who_asks_for_it(server: Any) -> None:
    from urllib.request import urlopen

    with urlopen(f"http://127.0.0.1:{server.get_port()}/") as response:
        assert response.status == 200


TOKEN = "the-token_of.this-viewer"


@pytest.fixture(scope="module")
def open_to_others() -> Iterator[Any]:
    made = make_server("0.0.0.0", 0, TOKEN)
    yield made
    made.stop()


def page(port: int, path: str, **headers: str) -> tuple[int, str]:
    """Return the status code and the cookie of the answer to a request for a file of the page."""
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    asked.request("GET", path, headers=headers)
    answer = asked.getresponse()
    answer.read()
    return answer.status, answer.getheader("Set-Cookie") or ""


def test_from_elsewhere_only_who_has_the_token_comes_in(open_to_others: Any) -> None:
    port = open_to_others.get_port()
    assert page(port, "/") == (403, "") == page(port, "/?token=another")
    assert not opens(port) and not opens(port, origin=f"http://127.0.0.1:{port}")
    code, cookie = page(port, f"/?token={TOKEN}")
    assert code == 200 and "HttpOnly" in cookie and "SameSite=Strict" in cookie
    kept = cookie.split(";")[0]
    assert page(port, "/", Cookie=kept)[0] == 200
    assert opens(port, Cookie=kept, origin=f"http://127.0.0.1:{port}")
    assert not opens(port, Cookie=kept, origin="https://example.org")
    assert not opens(port, Cookie="odesim_viewer=another")


@pytest.mark.parametrize(
    ("path", "cookies", "expected"),
    [
        (f"/?token={TOKEN}", "", True),
        (f"/a.js?x=1&token={TOKEN}", "", True),
        ("/", f"a=b; odesim_viewer={TOKEN}", True),
        ("/", "", False),
        ("/?token=", "odesim_viewer=", False),
        (f"/{TOKEN}", "", False),
        ("//[", "\0;;=", False),
        ("/?token=\ud800", "", False),
    ],
)
def test_what_brings_the_token(path: str, cookies: str, expected: bool) -> None:
    assert has_token(TOKEN, path, cookies) is expected
    assert has_token("", path, cookies)


def test_this_machine_needs_none_and_others_each_time_another() -> None:
    assert new_token("127.0.0.1") == new_token("localhost") == new_token("::1") == ""
    assert len({new_token("0.0.0.0") for _ in range(9)} - {""}) == 9
