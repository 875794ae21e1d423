"""Pages of robot windows over HTTP: their files and no others, and texts both ways."""

import json
import queue
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ros_bridge.viewer.window_server import API, KEPT, WindowServer

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
    return server.show("fleet/left", folder / "panel.html")


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
    server.hear("other", "not for this one")
    for number in range(KEPT + 2):
        server.hear("fleet/left", f"line\n{number}")
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=20.0)
    connection.request("GET", f"{path}/stream", headers={"Last-Event-ID": str(KEPT - 1)})
    stream = connection.getresponse()
    lines = [stream.fp.readline().decode().strip() for _ in range(6)]
    assert lines[0] == f"id: {KEPT}"
    assert [json.loads(lines[n].removeprefix("data: ")) for n in (1, 4)] == [
        f"line\n{KEPT}",
        f"line\n{KEPT + 1}",
    ]
    server.hear("fleet/left", "later")
    assert stream.fp.readline().decode().strip() == f"id: {KEPT + 2}"
