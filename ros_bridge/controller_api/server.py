"""The local sockets that controllers connect to.

A Unix domain socket in a folder that only this user may enter: `/tmp/odesim-UID/PID/controllers`; where it
is asked for, a TCP port of this machine alone too. Each connection has a thread that only reads messages and
hands them to the simulation's thread; that one answers.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import struct
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sim_core.base.errors import ConfigError
from webots_api.controller.connection import OVER_TCP
from webots_api.controller.wire import WireError, pack, receive

SOCKET_NAME = "controllers"
LONGEST_PLACE = 50
"""Letters of the folder of temporary files: the path of a socket may have 107 (unix(7))."""
LOOPBACK = "127.0.0.1"
SEND_SECONDS = 5
"""Wall time after which a controller that does not take its answer is given up."""


class Connection:
    """One controller's connection; the thread of the simulation answers by `send`."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer
        self.is_open = True
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))

    def send(self, message: dict[str, Any]) -> None:
        """Answer; a controller that is gone gets nothing."""
        try:
            self._peer.sendall(pack(message))
        except OSError:
            self.close()

    def receive(self) -> Any:
        """The next message; None: there will be no more.

        Raises:
            WireError: what came is no message.
        """
        try:
            return receive(self._peer)
        except OSError:
            return None

    def close(self) -> None:
        """No more of it."""
        self.is_open = False
        with suppress(OSError):  # it may have gone first
            self._peer.shutdown(socket.SHUT_RDWR)
        self._peer.close()


class Server:
    """Accepts connections until `close`.

    Args:
        received: called with a connection and its next message, None at its end, in the connection's thread.
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
        received: Callable[[Connection, Any], object],
        complain: Callable[[str], object],
        port: int | None = None,
    ) -> None:
        self._received, self._complain = received, complain
        folder = private_folder() / str(os.getpid())
        self.path = folder / SOCKET_NAME
        self.address = ""
        self._sockets = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)]
        try:
            if port is not None:
                self._sockets.append(listen_at(port))
                self.address = f"{OVER_TCP}{LOOPBACK}:{self._sockets[-1].getsockname()[1]}"
            running_servers()
            shutil.rmtree(folder, ignore_errors=True)  # of a dead process that had our number
            folder.mkdir(mode=0o700)
            self._sockets[0].bind(str(self.path))
            self._sockets[0].listen(64)
        except OSError as error:
            raise ConfigError(f"{self.path}: found {error}, expected a place for a socket") from None
        self._is_open = True
        for each, place in zip(self._sockets, (str(self.path), self.address), strict=False):
            threading.Thread(target=self._accept, args=(each, place), name="controllers", daemon=True).start()

    def close(self) -> None:
        """Take no more connections; those there are stay."""
        if not self._is_open:
            return
        self._is_open = False
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        shutil.rmtree(self.path.parent, ignore_errors=True)

    def _accept(self, listener: socket.socket, place: str) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            connection = Connection(peer)
            threading.Thread(
                target=self._read, args=(connection, place), name="controller", daemon=True
            ).start()

    def _read(self, connection: Connection, place: str) -> None:
        while True:
            try:
                message = connection.receive()
            except WireError as error:
                found = f"found {error}, expected a message as docs/other_languages.md has it"
                self._complain(f"{place}: {found}; its sender is let go")
                connection.send({"error": found})
                message = None
            self._received(connection, message)
            if message is None:
                return


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
    made.listen(64)
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
