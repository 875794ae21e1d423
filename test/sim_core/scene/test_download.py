"""A download is there whole or not at all, and ends in time, whatever the server does."""

import os
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sim_core.scene import download as module
from sim_core.scene.assets import Assets, NotFoundError
from sim_core.scene.download import DownloadError, download

Serve = Callable[[Callable[[ssl.SSLSocket], None]], str]
HEAD = b"HTTP/1.1 200 OK\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nLocation: "


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Of this machine, signed by itself."""
    folder = tmp_path_factory.mktemp("certificate")
    names = (str(folder / "certificate.pem"), str(folder / "key.pem"))
    words = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=127.0.0.1",
    ]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", names[0], "-keyout", names[1]]
    subprocess.run(words, check=True, capture_output=True)
    return names


@pytest.fixture
def serve(certificate: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts a server that answers each connection so; returns its address."""
    monkeypatch.setenv("SSL_CERT_FILE", certificate[0])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    opened: list[Any] = []

    def start(answer: Callable[[ssl.SSLSocket], None]) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        opened.append(listener)

        def talk() -> None:
            while True:
                try:
                    plain, _ = listener.accept()
                    connection = context.wrap_socket(plain, server_side=True)
                    opened.append(connection)
                    connection.recv(4096)
                    answer(connection)
                except OSError:
                    if listener.fileno() < 0:
                        return

        threading.Thread(target=talk, daemon=True).start()
        return f"https://127.0.0.1:{listener.getsockname()[1]}/w.wbt"

    yield start
    for each in opened:
        each.close()


def says(data: bytes, politely: bool = True) -> Callable[[ssl.SSLSocket], None]:
    def answer(connection: ssl.SSLSocket) -> None:
        connection.sendall(data)
        if politely:
            connection.unwrap().close()
        else:
            os.close(connection.detach())

    return answer


def trickles(data: bytes) -> Callable[[ssl.SSLSocket], None]:
    def answer(connection: ssl.SSLSocket) -> None:
        connection.sendall(HEAD + data)
        while True:
            connection.sendall(b"X: y\r\n" if not data.endswith(b"\r\n\r\n") else b"x")
            time.sleep(0.05)

    return answer


def test_a_file_comes_whole(serve: Serve, tmp_path: Path) -> None:
    data = bytes(range(256)) * 1000
    announced = HEAD + b"Content-Length: %d\r\n\r\n" % len(data) + data
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(data) + data + b"\r\n0\r\n\r\n"
    for number, answer in enumerate((announced, chunked, HEAD + b"\r\n" + data)):
        file = tmp_path / "cache" / f"{number}.bin"
        download(serve(says(answer)), file)
        assert file.read_bytes() == data
    assert len(list((tmp_path / "cache").iterdir())) == 3


WRONG = {
    "broken off": (says(HEAD + b"Content-Length: 1000\r\n\r\nxx"), "found 2 bytes, expected the 1000"),
    "broken off in a chunk": (says(HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\nxx"), "IncompleteRead"),
    "broken off, not announced": (says(HEAD + b"\r\nxx", politely=False), "EOF"),
    "no status": (says(b"\0\xff\n\n"), ""),
    "nothing": (says(b""), "closed connection"),
    "a length that is none": (says(HEAD + b"Content-Length: abc\r\n\r\nxx"), "found Content-Length 'abc'"),
    "a length below 0": (says(HEAD + b"Content-Length: -5\r\n\r\nxx"), "found Content-Length '-5'"),
    "a chunk that is none": (says(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), ""),
    "too many headers": (says(HEAD + b"X: y\r\n" * 200 + b"\r\n"), "headers"),
    "a header too long": (says(HEAD + b"X: " + b"y" * 70000 + b"\r\n\r\n"), ""),
    "not there": (says(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), "Not Found"),
    "to http": (says(MOVED + b"http://127.0.0.1/x\r\n\r\n"), "expected https:"),
    "to a file": (says(MOVED + b"file:///etc/passwd\r\n\r\n"), "not allowed"),
    "to itself": (
        says(b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"),
        "infinite loop",
    ),
    "to nowhere": (says(MOVED + b"https://[\r\n\r\n"), ""),
    "announced too large": (says(HEAD + b"Content-Length: 99999999\r\n\r\nxx"), "more than 50 MiB"),
}


@pytest.mark.parametrize(("answer", "says"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_leaves_nothing_and_is_one_line(
    answer: Callable[[ssl.SSLSocket], None], says: str, serve: Serve, tmp_path: Path
) -> None:
    with pytest.raises(DownloadError) as caught:
        download(serve(answer), tmp_path / "cache" / "w.wbt")
    assert says in str(caught.value) and len(str(caught.value).splitlines()) == 1
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize(
    "head",
    [b"Content-Length: 1000000\r\n\r\n", b"\r\n", b""],
    ids=["announced", "without a length", "headers"],
)
def test_what_trickles_ends_in_time(
    head: bytes, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TOTAL_LIMIT", 1.0)
    begin = time.monotonic()
    with pytest.raises(DownloadError, match=r"took longer than 1 s|timed out"):
        download(serve(trickles(head)), tmp_path / "cache" / "w.wbt")
    assert time.monotonic() - begin < 15.0
    assert list((tmp_path / "cache").iterdir()) == []


def test_who_says_nothing_is_not_waited_for(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SILENCE_LIMIT", 0.5)
    with pytest.raises(DownloadError, match="timed out"):
        download(serve(lambda connection: None), tmp_path / "cache" / "w.wbt")


def test_more_than_the_limit_is_not_kept(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 2**20)
    with pytest.raises(DownloadError, match="more than 1 MiB"):
        download(serve(says(HEAD + b"\r\n" + b"x" * 2**21)), tmp_path / "cache" / "w.wbt")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1:99999/w.wbt", "https://a b/w.wbt", "https://ü\x01.example/w"]
)
def test_an_address_that_is_none_is_one_line(url: str, tmp_path: Path) -> None:
    assets = Assets(cache=tmp_path / "cache", may_download=True)
    with pytest.raises(NotFoundError) as caught:
        assets.find_file(url, None)
    assert len(str(caught.value).splitlines()) == 1


def test_what_broke_off_is_asked_for_again(serve: Serve, tmp_path: Path) -> None:
    """The cache has nothing of it."""
    answers = iter((b"Content-Length: 4\r\n\r\nxx", b"Content-Length: 4\r\n\r\nwhol"))
    url = serve(lambda connection: says(HEAD + next(answers))(connection))
    assets = Assets(cache=tmp_path / "cache", may_download=True)
    with pytest.raises(NotFoundError, match="found 2 bytes, expected the 4"):
        assets.find_file(url, None)
    assert assets.find_file(url, None).read_bytes() == b"whol"


def test_a_host_that_cannot_be_reached_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a world with a hundred PROTO files would wait a hundred times."""
    asked: list[str] = []

    def fail(url: str, file: Path) -> None:
        asked.append(url)
        raise DownloadError(f"{url}: no route", has_answered="answers" in url)

    monkeypatch.setattr("sim_core.scene.assets.download", fail)
    assets = Assets(cache=tmp_path / "cache", may_download=True)
    urls = [f"https://{host}.example/{name}" for host in ("silent", "answers") for name in ("a", "b")]
    for url in urls:
        with pytest.raises(NotFoundError, match=r"no route|did not answer"):
            assets.find_file(url, None)
    assert asked == [urls[0], *urls[2:]]


def test_a_closed_port_is_no_answer(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(DownloadError) as caught:
        download(f"https://127.0.0.1:{port}/a", tmp_path / "cache/a")
    assert not caught.value.has_answered
