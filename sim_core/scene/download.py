"""Downloads over https, complete or not at all, with limits on size and time."""

from __future__ import annotations

import http.client
import os
import ssl
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

from sim_core.base.shown import StyledText, shown

LARGEST = 50 * 2**20
"""Bytes."""
SILENCE_LIMIT = 20.0
"""Longest wall time in s without a byte."""
TOTAL_LIMIT = 600.0
"""Longest wall time in s for a file, with all redirections."""
CHUNK = 2**16


class DownloadError(Exception):
    """A file could not be downloaded; never leaves this package.

    Attributes:
        has_answered: True if the host of the URL has answered.
    """

    def __init__(self, text: str, has_answered: bool = True) -> None:
        self.has_answered = has_answered
        super().__init__(text)


def download(url: str, file: Path) -> None:
    """Download a URL into a file, complete or not at all; shows a progress bar if stderr is a terminal.

    Raises:
        DownloadError: no answer, an incomplete one, too large, too slow, or the file cannot be written.
    """
    request = urllib.request.build_opener(_HttpsOnly, _handler(time.monotonic() + TOTAL_LIMIT))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with (
            request.open(url, timeout=min(SILENCE_LIMIT, TOTAL_LIMIT)) as answer,
            tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part,
        ):
            try:
                _copy(answer, part, url)
                part.flush()
                os.replace(part.name, file)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = " ".join(str(getattr(error, "reason", None) or error).split()) or type(error).__name__
        has_answered = not isinstance(error, URLError) or isinstance(error, HTTPError)
        raise DownloadError(f"{url}: {reason}", has_answered) from None


class _HttpsOnly(urllib.request.HTTPRedirectHandler):
    """Follows redirections only to https addresses."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if not newurl.startswith("https://"):
            raise DownloadError(f"{req.full_url} redirects to {newurl}, expected https:")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _handler(end: float) -> urllib.request.HTTPSHandler:
    """Return a handler whose reads end at a time of `time.monotonic`, even if single bytes still arrive."""

    class Timed(ssl.SSLSocket):
        def recv_into(self, *args: Any, **kwargs: Any) -> int:
            left = end - time.monotonic()
            if left <= 0.0:
                raise TimeoutError(f"took longer than {TOTAL_LIMIT:g} s")
            self.settimeout(min(SILENCE_LIMIT, left))
            self.suppress_ragged_eofs = False
            return super().recv_into(*args, **kwargs)

    context = ssl.create_default_context()
    context.sslsocket_class = Timed
    # An end that the server did not announce is a broken connection.
    context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
    return urllib.request.HTTPSHandler(context=context)


def _copy(answer: Any, part: Any, url: str) -> None:
    announced = answer.headers.get("Content-Length")
    if announced is not None and not (announced.isascii() and announced.isdigit()):
        raise DownloadError(f"{url}: found Content-Length {announced!r}, expected a whole number")
    size = int(announced or 0)
    done = 0
    is_shown = sys.stderr.isatty()
    while chunk := answer.read1(CHUNK):
        done += len(chunk)
        if max(done, size) > LARGEST:
            raise DownloadError(f"{url}: more than {LARGEST // 2**20} MiB")
        part.write(chunk)
        if is_shown:
            share = f"{100 * done // size:3d} %" if size else f"{done // 1024} KiB"
            print(StyledText(f"\r{shown(url)}: {share}"), end="", file=sys.stderr)
    if is_shown:
        print(file=sys.stderr)
    if announced is not None and done != size:
        raise DownloadError(f"{url}: found {done} bytes, expected the {size} that were announced")
