"""Who may open a WebSocket to the viewer."""

from collections.abc import Iterator
from typing import Any

import pytest

from ros_bridge.viewer.own_page import is_own_page

pytest.importorskip("viser", reason="needs the Python package viser")

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from ros_bridge.viewer.viewer import make_server


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    made = make_server("127.0.0.1", 0)
    yield made
    made.stop()


def opens(port: int, **headers: str) -> bool:
    """Whether a real client gets through a real handshake."""
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
