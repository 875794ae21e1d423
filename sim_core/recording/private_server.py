"""A server of viser that cannot be reached from other networks."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import viser


class PrivateServer(viser.ViserServer):
    """A server that opens no tunnel: any browser could otherwise ask viser to make it public through one."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Return None, as if the tunnel could not be opened."""
        return None


def open_server(host: str, port: int, **options: Any) -> PrivateServer:
    """Start a server without output; viser prints a box with its address even if it is not verbose."""
    with redirect_stdout(io.StringIO()):
        return PrivateServer(host, port, verbose=False, **options)
