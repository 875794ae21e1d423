"""Access control in front of foxglove-sdk's server, which has none.

It reads the request that opens a WebSocket (RFC 6455, 4.1), refuses unauthorised ones with 403, and then
forwards bytes in both directions. Browsers send the origin of the requesting page in `Origin`: admitted are
pages of this machine, files, Foxglove's own app, and those that the user names; programs that are not
browsers send none. If other machines can connect, they must send a token in the address.

The server itself listens at a loopback address and port that no page can guess.

Foxglove's protocol has two names, `foxglove.sdk.v1` and, before 2025, `foxglove.websocket.v1`; for topics and
messages of clients both are the same. The server supports only the first name, so this module translates it
for clients that use the other.
"""

from __future__ import annotations

import asyncio
import errno
import secrets
import threading
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from ros_bridge.base.connection_limits import shorten_loop_messages
from ros_bridge.base.own_page import has_token, is_loopback
from sim_core.base.errors import ConfigError

LAST_PORT = 65535
LONGEST_HEAD = 16384
"""Largest request without body, bytes."""
HEAD_LIMIT = 10.0
"""Seconds in which it must arrive."""
PIECE = 1 << 18
END = b"\r\n\r\n"
PROTOCOL, OLDER = "foxglove.sdk.v1", "foxglove.websocket.v1"
PROTOCOL_HEADER = "sec-websocket-protocol"
APP = "https://app.foxglove.dev"
FILES = "file"
"""Scheme of the pages of desktop programs."""

Headers = dict[str, str]


def hidden_address() -> str:
    """Return a random loopback address, one of 16 million (RFC 1122, 3.2.1.3)."""
    return f"127.{secrets.randbelow(256)}.{secrets.randbelow(256)}.{1 + secrets.randbelow(254)}"


def is_admitted(origin: str | None, pages: Sequence[str]) -> bool:
    """Return whether the requesting page, if it is one, is admitted.

    Args:
        origin: header `Origin` of the request; None: there is none.
        pages: origins that the user named, such as `https://lichtblick.example`.
    """
    if origin is None or origin in (APP, *(page.rstrip("/") for page in pages)):
        return True
    try:
        page = urlsplit(origin)
        host = page.hostname or ""
    except ValueError:
        return False
    return page.scheme == FILES or is_loopback(host)


def read_head(head: bytes) -> tuple[str, str, Headers]:
    """Parse method, path and headers (with lower-case names) of a request.

    Raises:
        ValueError: it is not a request, or repeats a header that must be unique.
    """
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, version = first.split(" ")
    if not version.startswith("HTTP/1."):
        raise ValueError(version)
    headers: Headers = {}
    for line in filter(None, lines):
        name, colon, value = line.partition(":")
        key = name.strip().lower()
        if not colon or (key == "origin" and key in headers):
            raise ValueError(line)
        headers[key] = f"{headers[key]}, {value.strip()}" if key in headers else value.strip()
    return method, path, headers


class Guard:
    """Listens at an address and port, in its own thread.

    Attributes:
        port: port at which it listens.
    """

    def __init__(
        self, host: str, port: int, inner: tuple[str, int], token: str = "", pages: Sequence[str] = ()
    ) -> None:
        """Start listening.

        Args:
            host: the address.
            port: first port to try; 0: any free one.
            inner: address and port of the server behind it.
            token: token that clients must send; empty: none.
            pages: see `is_admitted`.

        Raises:
            ConfigError: the address does not exist, or no port is free.
        """
        if not 0 <= port <= LAST_PORT:
            raise ConfigError(f"--port: found {port}, expected 0 to {LAST_PORT}")
        self._inner, self._token, self._pages = inner, token, pages
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        try:
            self._server = self._loop.run_until_complete(self._listen(host, port))
        except ConfigError:
            self._loop.close()
            raise
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, name="foxglove", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening and close all connections."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self, host: str, port: int) -> asyncio.Server:
        shorten_loop_messages("foxglove")
        for number in [0] if port == 0 else range(port, LAST_PORT + 1):
            try:
                return await asyncio.start_server(self._handle_connection, host, number, limit=LONGEST_HEAD)
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise ConfigError(f"--host {host}: {error.strerror or error}") from None
        raise ConfigError(f"--port: found no free port from {port} on")

    async def _end(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(OSError, EOFError, asyncio.LimitOverrunError, TimeoutError, asyncio.CancelledError):
                await self._serve(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await asyncio.wait_for(reader.readuntil(END), HEAD_LIMIT)
        refusal, is_older = self._check_request(head)
        if refusal:
            body = f"{refusal}\n".encode()
            writer.write(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            await writer.drain()
            writer.write_eof()
            await asyncio.wait_for(reader.read(), HEAD_LIMIT)
            return
        inner_reader, inner_writer = await asyncio.open_connection(*self._inner, limit=PIECE)
        try:
            inner_writer.write(_renamed(head, OLDER, PROTOCOL) if is_older else head)
            if is_older:
                writer.write(_renamed(await inner_reader.readuntil(END), PROTOCOL, OLDER))
            ways = {
                asyncio.ensure_future(_pass(reader, inner_writer)),
                asyncio.ensure_future(_pass(inner_reader, writer)),
            }
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            inner_writer.close()

    def _check_request(self, head: bytes) -> tuple[str, bool]:
        """Return why a request is refused (empty: it is not), and whether it uses the older protocol name."""
        try:
            _, path, headers = read_head(head)
        except ValueError:
            return "This is not a request that opens a WebSocket.", False
        if not is_admitted(headers.get("origin"), self._pages):
            return "This page is not admitted; odesim view --foxglove --origin admits it.", False
        if not has_token(self._token, path, ""):
            return "The address needs a token: ws://HOST:PORT/?token=…", False
        names = [name.strip() for name in headers.get(PROTOCOL_HEADER, "").split(",")]
        return "", OLDER in names and PROTOCOL not in names


async def _pass(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Forward data; a slow receiver makes the sender wait."""
    while data := await source.read(PIECE):
        target.write(data)
        await target.drain()
    with suppress(OSError):
        target.write_eof()


def _renamed(head: bytes, name: str, other: str) -> bytes:
    """Return a request or an answer with another name of the protocol."""
    lines = head.split(b"\r\n")
    for number, line in enumerate(lines):
        if line.lower().startswith(f"{PROTOCOL_HEADER}:".encode()):
            lines[number] = line.replace(name.encode(), other.encode())
    return b"\r\n".join(lines)
