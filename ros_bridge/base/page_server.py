"""The viser server of a page that shows a world."""

from __future__ import annotations

import socket
from typing import Any

from ros_bridge.base.own_page import foreign_pages_refused
from sim_core.base.errors import ConfigError

PORT = 8080
LAST_PORT = 65535


def make_server(host: str, port: int, token: str = "") -> Any:
    """Return an empty viser server, which the token gives access to.

    Raises:
        ConfigError: viser is not installed, or the address does not exist.
    """
    try:
        from sim_core.recording.private_server import open_server
    except ImportError as error:
        raise ConfigError(f"the viewer needs the Python package viser: pip install viser ({error})") from None
    try:  # viser itself would search for a free port without end
        with socket.socket() as probe:
            probe.bind((host, 0))
    except OSError as error:
        raise ConfigError(f"--host {host}: {error.strerror or error}") from None
    if not 0 <= port <= LAST_PORT:
        raise ConfigError(f"--port: found {port}, expected 0 to {LAST_PORT}")
    with foreign_pages_refused(host, token):
        server = open_server(host, port, label="odesim")
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
    return server
