"""The local sockets that controllers connect to.

A Unix domain socket in a folder that only this user can access: `/tmp/odesim-UID/PID/controllers`; on request
also a TCP port on this machine only. The thread of the simulation accepts, reads and answers: its inbox wakes
it when something arrives.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ros_bridge.base.connection_limits import max_connections, too_many_connections
from sim_core.base.errors import ConfigError
from sim_core.base.inbox import Inbox
from webots_api.controller.connection import OVER_TCP
from webots_api.controller.wire import CHUNK, Incoming, WireError, pack

SOCKET_NAME = "controllers"
LONGEST_PLACE = 50
"""Longest path of the folder for temporary files: a socket's path may have 107 characters (unix(7))."""
LOOPBACK = "127.0.0.1"
BACKLOG = 1024
"""Controllers that may wait to be accepted while a world is loaded."""
SEND_SECONDS = 5
"""Seconds of wall time after which a controller that does not read its answer is disconnected."""


class ControllerConnection(Protocol):
    """One controller's connection.

    Attributes:
        is_open: whether it has not been requested to end yet.
        expected: description of valid messages.

    """

    is_open: bool
    expected: str

    def send(self, message: dict[str, Any]) -> None:
        """Send an answer; ignore a controller that has gone."""

    def read(self) -> bool:
        """Read what is available without waiting; return False at the end of the connection.

        Raises:
            WireError: the data are not a valid message.
        """

    def close(self) -> None:
        """Close the connection."""


def received_now(peer: socket.socket) -> bytes | None:
    """Return what is available without waiting; None: nothing yet, empty: the connection has ended."""
    try:
        return peer.recv(CHUNK, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None
    except OSError:
        return b""


class OdesimConnection:
    """Connection of a controller that uses odesim's own protocol.

    Attributes:
        is_open: whether it has not been requested to end yet.
    """

    expected = "a message as docs/other_languages.md has it"

    def __init__(self, received: Callable[[ControllerConnection, Any], object], peer: socket.socket) -> None:
        """`received` is called with the connection and its next message."""
        self._received, self._peer = received, peer
        self._incoming = Incoming()
        self.is_open = True
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))

    def send(self, message: dict[str, Any]) -> None:
        """Send an answer; ignore a controller that has gone."""
        try:
            self._peer.sendall(pack(message))
        except OSError:  # its end is noticed when reading
            self.is_open = False
            self._shut_down()

    def read(self) -> bool:
        """Read complete messages available without waiting; return False at the end of the connection.

        Raises:
            WireError: the data are not a valid message.
        """
        data = received_now(self._peer)
        if not data:
            return data is None
        self._incoming.feed(data)
        try:
            while (message := self._incoming.take()) is not None:
                self._received(self, message)
        except WireError as error:
            self.send({"error": f"found {error}, expected {self.expected}"})
            raise
        return True

    def close(self) -> None:
        """Close the connection."""
        self.is_open = False
        self._shut_down()
        self._peer.close()

    def _shut_down(self) -> None:
        with suppress(OSError):  # the peer may have closed it already
            self._peer.shutdown(socket.SHUT_RDWR)


class Connections:
    """Accepts and reads connections until `close`.

    Args:
        inbox: of the thread that reads and answers.
        ended: called with a connection that has ended.
        report_error: receives a line about an invalid message.
    """

    def __init__(
        self,
        inbox: Inbox,
        ended: Callable[[ControllerConnection], object],
        report_error: Callable[[str], object],
    ) -> None:
        self._inbox, self._ended, self._report_error = inbox, ended, report_error
        self._listeners: list[socket.socket] = []
        self._open: dict[ControllerConnection, tuple[socket.socket, str]] = {}
        self._most, self._is_full = max_connections(), False

    def listen(
        self,
        listener: socket.socket,
        place: str,
        connect: Callable[[socket.socket], ControllerConnection | None],
    ) -> None:
        """Accept connections at a socket.

        Args:
            listener: listening socket.
            place: its name in messages.
            connect: makes a connection from a socket; None: close it.
        """
        listener.setblocking(False)
        self._listeners.append(listener)
        self._inbox.watch(listener, partial(self._accept, listener, place, connect))

    def close_listener(self, listener: socket.socket) -> None:
        """Stop accepting connections at a socket."""
        self._listeners.remove(listener)
        self._inbox.ignore(listener)
        listener.close()

    def close(self) -> None:
        """Stop accepting connections, and tell open ones to end."""
        for each in list(self._listeners):
            self.close_listener(each)
        for connection, (peer, _) in self._open.items():
            self._inbox.ignore(peer)
            if connection.is_open:
                connection.send({"end": True})

    def replace(self, connection: ControllerConnection, other: ControllerConnection) -> None:
        """Read a socket for another connection from now on."""
        peer, place = self._open.pop(connection)
        self._inbox.ignore(peer)
        self._read_for(other, peer, place)

    def _accept(
        self,
        listener: socket.socket,
        place: str,
        connect: Callable[[socket.socket], ControllerConnection | None],
    ) -> None:
        try:
            peer, _ = listener.accept()
        except OSError:  # the peer has gone meanwhile
            return
        if len(self._open) >= self._most:
            peer.close()
            if not self._is_full:
                self._report_error(too_many_connections(place, self._most))
            self._is_full = True
            return
        peer.setblocking(True)
        connection = connect(peer)
        if connection is None:
            peer.close()
        else:
            self._read_for(connection, peer, place)

    def _read_for(self, connection: ControllerConnection, peer: socket.socket, place: str) -> None:
        self._open[connection] = (peer, place)
        self._inbox.watch(peer, partial(self._read, connection, place))

    def _read(self, connection: ControllerConnection, place: str) -> None:
        try:
            if not connection.read():
                self._end(connection)
        except WireError as error:
            self._report_error(
                f"{place}: found {error}, expected {connection.expected}; the connection is closed"
            )
            self._end(connection)

    def _end(self, connection: ControllerConnection) -> None:
        if connection not in self._open:
            return
        peer, _ = self._open.pop(connection)
        self._is_full = False
        self._inbox.ignore(peer)
        self._ended(connection)
        connection.close()


class ControllerServer:
    """The sockets for odesim's own controllers.

    Args:
        connections: accepts and reads.
        received: called with a connection and its next message.
        port: to listen at on the loopback address, 0: any free one; None: none.

    Attributes:
        path: the socket.
        address: of the port, `tcp://127.0.0.1:48230`; empty: there is none.

    Raises:
        ConfigError: the socket cannot be created.
    """

    def __init__(
        self,
        connections: Connections,
        received: Callable[[ControllerConnection, Any], object],
        port: int | None = None,
    ) -> None:
        folder = private_folder() / str(os.getpid())
        self.path = folder / SOCKET_NAME
        self.address = ""
        connect = partial(OdesimConnection, received)
        local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if port is not None:
                remote = listen_at(port)
                self.address = f"{OVER_TCP}{LOOPBACK}:{remote.getsockname()[1]}"
                connections.listen(remote, self.address, connect)
            running_servers()
            shutil.rmtree(folder, ignore_errors=True)  # left by a dead process with the same id
            folder.mkdir(mode=0o700)
            local.bind(str(self.path))
            local.listen(BACKLOG)
        except OSError as error:
            raise ConfigError(f"{self.path}: found {error}, expected a folder for a socket") from None
        connections.listen(local, str(self.path), connect)

    def close(self) -> None:
        """Remove the folder; the sockets are closed with the connections."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


def listen_at(port: int) -> socket.socket:
    """Return a socket that listens at a port on the loopback address only.

    Raises:
        ConfigError: the port is in use, or invalid.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # the port of a run that has just ended
    try:
        made.bind((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"--controller-port: found {port} ({error}), expected a free port, or 0 for any"
        ) from None
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited by accepted sockets
    made.listen(BACKLOG)
    return made


def private_folder() -> Path:
    """Return the folder of this user's simulations, which nobody else can access.

    Raises:
        ConfigError: something else has that name, or it cannot be created.
    """
    place = tempfile.gettempdir()
    folder = Path(place if len(place) < LONGEST_PLACE else "/tmp") / f"odesim-{os.getuid()}"
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError as error:
        raise ConfigError(f"{folder}: found {error.strerror}, expected a folder for a socket") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise ConfigError(
            f"{folder}: found something that others can access, expected a folder of this user only"
        )
    return folder


def running_servers() -> list[Path]:
    """Return the sockets of this user's running simulations, the newest last; remove those of dead ones."""
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
