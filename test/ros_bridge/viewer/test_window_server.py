"""Pages of robot windows over HTTP: access to their own files only, and texts in both directions."""

import contextlib
import json
import queue
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from waiting import wait_until

from ros_bridge.viewer import window_server
from ros_bridge.viewer.window_server import API, KEPT_MESSAGES, WindowServer

PAGE = """<html><head><title>panel</title></head><script type="module">
import RobotWindow from 'https://cyberbotics.com/wwi/R2023b/RobotWindow.js';
</script></html>"""


@pytest.fixture
def said() -> queue.Queue[tuple[str, str]]:
    return queue.Queue()


@pytest.fixture
def server(said: queue.Queue[tuple[str, str]]) -> Iterator[WindowServer]:
    made = WindowServer(lambda robot, text: said.put((robot, text)))
    yield made
    made.close()


@pytest.fixture
def address(server: WindowServer, tmp_path: Path) -> str:
    folder = tmp_path / "panel"
    folder.mkdir()
    (folder / "panel.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return server.serve_page("fleet/left", folder / "panel.html")


def ask(
    address: str, path: str = "", method: str = "GET", body: str | None = None, **headers: str
) -> tuple[int, str]:
    parts = urlsplit(address)
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=20.0)
    connection.request(method, path or parts.path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_a_page_gets_its_interface_from_here(address: str) -> None:
    status, text = ask(address)
    assert status == 200
    assert "cyberbotics.com" not in text
    assert f"import RobotWindow from '{API}'" in text
    assert '"robot": "fleet/left"' in text
    status, script = ask(address, API)
    assert status == 200
    assert "export default class RobotWindow" in script


@pytest.mark.parametrize("name", ["../secret.txt", "%2e%2e/secret.txt", "link.txt", "", "other.html"])
def test_nothing_but_the_files_of_the_window_is_served(address: str, name: str) -> None:
    status, text = ask(address, f"{urlsplit(address).path.rsplit('/', 1)[0]}/{name}")
    assert status == 404
    assert "secret" not in text


def test_pages_of_strangers_are_refused(address: str, said: queue.Queue[tuple[str, str]]) -> None:
    path = urlsplit(address).path.rsplit("/", 1)[0]
    assert ask(address, Host="evil.example")[0] == 403  # a name that leads here
    for origin in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        assert ask(address, f"{path}/send", "POST", "drive", **origin)[0] == 403
    assert said.empty()


def test_texts_go_both_ways(server: WindowServer, address: str, said: queue.Queue[tuple[str, str]]) -> None:
    parts = urlsplit(address)
    path = parts.path.rsplit("/", 1)[0]
    own = f"http://{parts.netloc}"
    assert ask(address, f"{path}/send", "POST", "go\nleft", Origin=own)[0] == 200
    assert said.get(timeout=20.0) == ("fleet/left", "go\nleft")
    server.send("other", "not for this one")
    for number in range(KEPT_MESSAGES + 2):
        server.send("fleet/left", f"line\n{number}")
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=20.0)
    connection.request("GET", f"{path}/stream", headers={"Last-Event-ID": str(KEPT_MESSAGES - 1)})
    stream = connection.getresponse()
    lines = [stream.fp.readline().decode().strip() for _ in range(6)]
    assert lines[0] == f"id: {KEPT_MESSAGES}"
    assert [json.loads(lines[n].removeprefix("data: ")) for n in (1, 4)] == [
        f"line\n{KEPT_MESSAGES}",
        f"line\n{KEPT_MESSAGES + 1}",
    ]
    server.send("fleet/left", "later")
    assert stream.fp.readline().decode().strip() == f"id: {KEPT_MESSAGES + 2}"


def answer(address: str, request: bytes) -> bytes:
    """Return the answer to bytes, in which HERE is replaced by the server's address."""
    parts = urlsplit(address)
    with socket.create_connection((str(parts.hostname), parts.port), timeout=20.0) as connection:
        with contextlib.suppress(OSError):  # the server may close the connection before all is sent
            connection.sendall(request.replace(b"HERE", parts.netloc.encode()))
            connection.shutdown(socket.SHUT_WR)
        found = b""
        while part := connection.recv(65536):
            found += part
    return found


HEAD = b" HTTP/1.1\r\nHost: HERE\r\nOrigin: http://HERE\r\n"
STRANGE = {
    "a character 0": (b"GET /window0/%00" + HEAD + b"\r\n", b" 404 "),
    "a long name": (b"GET /window0/" + b"a" * 5000 + HEAD + b"\r\n", b" 404 "),
    "a folder of a file": (b"GET /window0/panel.html/x" + HEAD + b"\r\n", b" 404 "),
    "no slash": (b"GET foo\r\n", b"Error response"),
    "no path": (b"GET\r\n", b"Error response"),
    "no address": (b"GET //[::1" + HEAD + b"\r\n", b" 404 "),
    "nothing": (b"", b""),
    "no text": (b"\0\xff\r\n\r\n", b"Error response"),
    "a length in other digits": (b"POST /window0/send" + HEAD + b"Content-Length: \xb2\r\n\r\n", b" 413 "),
    "a length beyond all": (
        b"POST /window0/send" + HEAD + b"Content-Length: " + b"9" * 6000 + b"\r\n\r\n",
        b" 413 ",
    ),
    "a place to post to": (b"POST /window0" + HEAD + b"Content-Length: 0\r\n\r\n", b" 404 "),
}


@pytest.mark.parametrize("what", STRANGE)
def test_strange_requests_are_answered_and_nothing_is_said(
    what: str, address: str, capfd: pytest.CaptureFixture[str]
) -> None:
    request, found = STRANGE[what]
    assert found in answer(address, request)
    assert ask(address)[0] == 200
    assert capfd.readouterr().err == ""


def test_who_comes_beyond_the_limit_is_let_go_and_others_are_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(window_server, "max_connections", lambda: 3)
    (tmp_path / "panel.html").write_text(PAGE, encoding="utf-8")
    server = WindowServer(lambda robot, text: None)
    try:
        address = server.serve_page("r", tmp_path / "panel.html")
        parts = urlsplit(address)
        idle = [socket.create_connection((str(parts.hostname), parts.port), timeout=20.0) for _ in range(6)]
        assert [connection.recv(1) for connection in idle[3:]] == [b""] * 3
        for connection in idle:
            connection.close()
        asked = b"GET /window0/panel.html" + HEAD + b"\r\n"
        wait_until(lambda: answer(address, asked).startswith(b"HTTP/"), "those who are there have gone")
    finally:
        server.close()
    assert capfd.readouterr().err == ""
