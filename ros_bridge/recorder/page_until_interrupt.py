"""Shows a page that was made for it at an address of this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
NAME = "index.html"


class _Quiet(SimpleHTTPRequestHandler):
    """Serves the files of a folder, without log messages."""

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def shown_until_interrupted(make: Callable[[str], int]) -> int:
    """Make a page in a folder of its own, and serve it until Ctrl-C.

    Args:
        make: writes the page to a file, and returns an exit code.

    Returns:
        The exit code of `make`.
    """
    with tempfile.TemporaryDirectory(prefix="odesim_") as folder:
        page = Path(folder, NAME)
        code = make(str(page))
        if page.is_file():
            with ThreadingHTTPServer((HOST, 0), partial(_Quiet, directory=folder)) as server:
                print(f"open http://{HOST}:{server.server_port} in a browser; Ctrl-C ends", flush=True)
                with suppress(KeyboardInterrupt):
                    server.serve_forever()
        return code
