"""Accepts clients of Webots' protocol: by local sockets, one for each robot, and on request by TCP."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from ros_bridge.controller_api.api import ControllerApi
from ros_bridge.controller_api.server import listen_at, received_now
from ros_bridge.webots_protocol.connection import WebotsConnection
from ros_bridge.webots_protocol.layout import PacketError
from ros_bridge.webots_protocol.socket_folders import Instance, names_of
from ros_bridge.webots_protocol.versions import Version, version_of
from sim_core.session.robot import EXTERN_CONTROLLER

BACKLOG = 16
MAX_ROBOTS = 200
"""Most robots with sockets of their own: each has three to five."""
_GREETING = b"CTR"
_NAME = b"CTR\nRobot-Name: "
_CREDENTIALS = struct.Struct("iII")
"""Process, user and group of a peer (unix(7))."""


class WebotsServer:
    """The sockets of one simulation: for all robots, or for those whose controllers are started elsewhere.

    Args:
        connections: reads what clients send.
        api: the simulation.
        number: of the instance; None: the first free one, for robots whose controller is `<extern>`.
        version: of clients by TCP, which cannot be determined; None: no TCP.

    Attributes:
        instance: its folders.
        address: for clients by TCP; empty: none.

    Raises:
        ConfigError: the sockets cannot be created.
    """

    def __init__(self, api: ControllerApi, number: int | None, version: Version | None) -> None:
        self._api, self._connections = api, api.connections
        self._are_all_served = number is not None
        self.instance = Instance(number)
        self.address = ""
        self._served: dict[str, list[socket.socket]] = {}
        if version is not None:
            listener = listen_at(self.instance.number)
            self.address = f"tcp://127.0.0.1:{self.instance.number}"
            self._connections.listen(listener, self.address, partial(_Greeting, self, version))
        self.serve_robots()

    def serve_also(self, robot: str) -> None:
        """Serve also a robot whose controller the simulation starts."""
        self._serve_robots({*self._served, robot})

    def serve_robots(self) -> None:
        """Serve the present robots."""
        robots = self._api.all_robots()
        kept = self._served.keys() & robots
        wanted = [name for name, controller in robots.items()
                  if self._are_all_served or controller == EXTERN_CONTROLLER]  # fmt: skip
        self._serve_robots({*kept, *wanted[:MAX_ROBOTS]})

    def _serve_robots(self, wanted: set[str]) -> None:
        """Serve these robots and no others."""
        for name in self._served.keys() - wanted:
            for each in self._served.pop(name):
                self._connections.close_listener(each)
            self.instance.remove_folders(name)
        for name in wanted - self._served.keys():
            self._served[name] = []
            try:
                for path in self.instance.sockets(name):
                    self._served[name].append(self._listen(name, path))
            except OSError as error:
                found = f'controllers made for Webots cannot find robot "{name}"'
                self._api.warn(f"{found}: {error.strerror or error}")

    def _listen(self, robot: str, path: Path) -> socket.socket:
        """Return a local socket for the clients of a robot.

        Raises:
            OSError: it cannot be created; its path may be too long.
        """
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        listener.listen(BACKLOG)
        accept = partial(self._accept, robot, path.parent)
        self._connections.listen(listener, str(path), accept)
        return listener

    def close(self) -> None:
        """Remove the folders; the sockets are closed with the connections."""
        self.instance.close()

    def _accept(self, robot: str, folder: Path, peer: socket.socket) -> WebotsConnection | None:
        """Return the connection of a local client; None, with a line, if its version is not supported."""
        data = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        process, _, _ = _CREDENTIALS.unpack(data)
        version = version_of(process)
        if isinstance(version, str):
            self._api.warn(f'the connection of a client for robot "{robot}" is closed: {version}')
            return None
        return self.connected(peer, robot, version, folder)

    def connected(
        self, peer: socket.socket, robot: str, version: Version, folder: Path | None
    ) -> WebotsConnection | None:
        """Return the connection of a client whose robot is known; None: that has a controller already."""
        if robot not in self._api.free_robots():
            self._api.warn(f'a connection is closed: robot "{robot}" does not exist, or has a controller')
            return None
        return WebotsConnection(peer, robot, version, self._api, folder)

    def robot_of(self, name: str) -> str | None:
        """Return the robot requested by a client by TCP; empty: the only one."""
        robots = self._api.free_robots()
        if not name:
            return robots[0] if len(robots) == 1 else None
        folder = self.instance.path / "ipc"
        return next((each for each in robots if name in (each, *names_of(each, folder))), unquote(name))

    def replace(self, greeting: _Greeting, connection: WebotsConnection) -> None:
        """Replace the connection of a client that has sent the name of its robot."""
        self._connections.replace(greeting, connection)


class _Greeting:
    """A client by TCP that has not sent the name of its robot."""

    expected = "the greeting of a controller of Webots"

    def __init__(self, server: WebotsServer, version: Version, peer: socket.socket) -> None:
        self.is_open = True
        self._server, self._version, self._peer = server, version, peer
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self) -> bool:
        """Read the greeting, which arrives in one piece.

        Raises:
            PacketError: it is not valid.
        """
        data = received_now(self._peer)
        if not data:
            return data is None
        if not data.startswith(_GREETING):
            raise PacketError(repr(data[:20]))
        name = data.removeprefix(_NAME).decode(errors="replace") if data.startswith(_NAME) else ""
        robot = self._server.robot_of(name)
        connection = None
        if robot is not None:
            connection = self._server.connected(self._peer, robot, self._version, None)
        with suppress(OSError):  # its end is noticed when reading
            self._peer.sendall(b"FORBIDDEN" if connection is None else b"CONNECTED")
        if connection is None:
            return False
        self._server.replace(self, connection)
        return True

    def send(self, message: dict[str, object]) -> None:
        """Do nothing: it has no requests."""

    def close(self) -> None:
        """Close the connection."""
        self.is_open = False
        self._peer.close()
