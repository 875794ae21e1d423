"""A server of viser that is offered to nobody elsewhere."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import viser


class PrivateServer(viser.ViserServer):
    """It opens no tunnel: viser can hand a server out to the world through one, and any browser may ask."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        """As if the tunnel could not be opened."""
        return None


def open_server(host: str, port: int, **options: Any) -> PrivateServer:
    """A server, in silence: viser prints a box with its address, whether or not it is verbose."""
    with redirect_stdout(io.StringIO()):
        return PrivateServer(host, port, verbose=False, **options)
