"""The local sockets that controllers connect to.

A Unix domain socket in a folder that only this user may enter: `/tmp/odesim-UID/PID/controllers`; where it
is asked for, a TCP port of this machine alone too. The thread of the simulation accepts, reads and answers:
whatever comes wakes it in its inbox.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ros_bridge.base.crowds import most_connections, too_many
from sim_core.base.errors import ConfigError
from sim_core.base.inbox import Inbox
from webots_api.controller.connection import OVER_TCP
from webots_api.controller.wire import CHUNK, Incoming, WireError, pack

SOCKET_NAME = "controllers"
LONGEST_PLACE = 50
"""Letters of the folder of temporary files: the path of a socket may have 107 (unix(7))."""
LOOPBACK = "127.0.0.1"
BACKLOG = 1024
"""Controllers that may wait to be accepted while a world is loaded."""
SEND_SECONDS = 5
"""Wall time after which a controller that does not take its answer is given up."""


class Connection:
    """One controller's connection.

    Attributes:
        is_open: it has not been told yet that it is over.
    """

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer
        self._incoming = Incoming()
        self.is_open = True
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))

    def send(self, message: dict[str, Any]) -> None:
        """Answer; a controller that is gone gets nothing."""
        try:
            self._peer.sendall(pack(message))
        except OSError:  # its end comes when it is read
            self.is_open = False
            self._shut_down()

    def receive(self) -> Iterator[dict[str, Any] | None]:
        """The messages that have come in full, of what can be read without waiting; None: there are no more.

        Raises:
            WireError: what came is no message.
        """
        try:
            data = self._peer.recv(CHUNK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            yield None
            return
        self._incoming.feed(data)
        while (message := self._incoming.take()) is not None:
            yield message

    def close(self) -> None:
        """No more of it."""
        self.is_open = False
        self._shut_down()
        self._peer.close()

    def _shut_down(self) -> None:
        with suppress(OSError):  # it may have gone first
            self._peer.shutdown(socket.SHUT_RDWR)


class ControllerServer:
    """Accepts connections until `close`.

    Args:
        inbox: of the thread that reads and answers.
        received: called with a connection and its next message, None at its end.
        complain: says in one line what is wrong with a message.
        port: to listen at on the loopback, 0: any that is free; None: at no port.

    Attributes:
        path: the socket.
        address: that of the port, `tcp://127.0.0.1:48230`; empty: there is none.

    Raises:
        ConfigError: there is no place for it.
    """

    def __init__(
        self,
        inbox: Inbox,
        received: Callable[[Connection, Any], object],
        complain: Callable[[str], object],
        port: int | None = None,
    ) -> None:
        self._inbox, self._received, self._complain = inbox, received, complain
        folder = private_folder() / str(os.getpid())
        self.path = folder / SOCKET_NAME
        self.address = ""
        self._sockets = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)]
        self._connections: dict[Connection, socket.socket] = {}
        self._most, self._is_full = most_connections(), False
        try:
            if port is not None:
                self._sockets.append(listen_at(port))
                self.address = f"{OVER_TCP}{LOOPBACK}:{self._sockets[-1].getsockname()[1]}"
            running_servers()
            shutil.rmtree(folder, ignore_errors=True)  # of a dead process that had our number
            folder.mkdir(mode=0o700)
            self._sockets[0].bind(str(self.path))
            self._sockets[0].listen(BACKLOG)
        except OSError as error:
            raise ConfigError(f"{self.path}: found {error}, expected a place for a socket") from None
        self._is_open = True
        for each, place in zip(self._sockets, (str(self.path), self.address), strict=False):
            each.setblocking(False)
            inbox.watch(each, partial(self._accept, each, place))

    def close(self) -> None:
        """Take no more connections; those that are open are told that it is over."""
        if not self._is_open:
            return
        self._is_open = False
        for each in self._sockets:
            self._inbox.ignore(each)
            each.close()
        for connection, peer in self._connections.items():
            self._inbox.ignore(peer)
            if connection.is_open:
                connection.send({"end": True})
        shutil.rmtree(self.path.parent, ignore_errors=True)

    def _accept(self, listener: socket.socket, place: str) -> None:
        try:
            peer, _ = listener.accept()
        except OSError:  # it has gone meanwhile
            return
        if len(self._connections) >= self._most:
            peer.close()
            if not self._is_full:
                self._complain(too_many(place, self._most))
            self._is_full = True
            return
        peer.setblocking(True)
        connection = Connection(peer)
        self._connections[connection] = peer
        self._inbox.watch(peer, partial(self._read, connection, place))

    def _read(self, connection: Connection, place: str) -> None:
        try:
            for message in connection.receive():
                if message is None:
                    self._end(connection)
                else:
                    self._received(connection, message)
        except WireError as error:
            found = f"found {error}, expected a message as docs/other_languages.md has it"
            self._complain(f"{place}: {found}; its sender is let go")
            connection.send({"error": found})
            self._end(connection)

    def _end(self, connection: Connection) -> None:
        peer = self._connections.pop(connection, None)
        if peer is not None:
            self._is_full = False
            self._inbox.ignore(peer)
            self._received(connection, None)
            connection.close()


def listen_at(port: int) -> socket.socket:
    """A socket that listens at a port of this machine alone.

    Raises:
        ConfigError: the port is taken, or no number of a port.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # of a run that has just ended
    try:
        made.bind((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"--controller-port: found {port} ({error}), expected a free port, or 0 for any"
        ) from None
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # those that it accepts have it too
    made.listen(BACKLOG)
    return made


def private_folder() -> Path:
    """The folder of this user's simulations, which nobody else may enter.

    Raises:
        ConfigError: there is something else of that name, or no place for it.
    """
    place = tempfile.gettempdir()
    folder = Path(place if len(place) < LONGEST_PLACE else "/tmp") / f"odesim-{os.getuid()}"
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError as error:
        raise ConfigError(f"{folder}: found {error.strerror}, expected a place for a socket") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise ConfigError(
            f"{folder}: found something that others may enter, expected a folder of this user alone"
        )
    return folder


def running_servers() -> list[Path]:
    """The sockets of this user's simulations that run, the newest last; what dead ones left is removed."""
    found: list[tuple[float, Path]] = []
    for folder in private_folder().iterdir():
        path = folder / SOCKET_NAME
        try:
            os.kill(int(folder.name), 0)
            found.append((path.stat().st_mtime, path))
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except (ValueError, OSError):
            continue
    return [path for _, path in sorted(found)]
