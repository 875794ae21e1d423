"""Files from the network, over https, with a limit on their size."""

from __future__ import annotations

import os
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

LARGEST = 50 * 2**20
"""Bytes."""
TIME_LIMIT = 20.0
"""Seconds without an answer."""
CHUNK = 2**16


class DownloadError(Exception):
    """A file could not be had; never leaves this package."""


class _HttpsOnly(urllib.request.HTTPRedirectHandler):
    """Follows an answer to another address only if that is https too."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if not newurl.startswith("https://"):
            raise DownloadError(f"{req.full_url} leads to {newurl}, expected https:")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(url: str, file: Path) -> None:
    """Fetch a URL into a file, which is there whole or not at all; a bar on stderr if that is a terminal.

    Raises:
        DownloadError: no answer, too large, or the file cannot be written.
    """
    opener = urllib.request.build_opener(_HttpsOnly)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with (
            opener.open(url, timeout=TIME_LIMIT) as answer,
            tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part,
        ):
            try:
                _copy(answer, part, url)
                os.replace(part.name, file)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise
    except (OSError, ValueError, urllib.error.URLError) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(f"{url}: {reason}") from None


def _copy(answer: Any, part: Any, url: str) -> None:
    size = int(answer.headers.get("Content-Length") or 0)
    done = 0
    while chunk := answer.read(CHUNK):
        done += len(chunk)
        if max(done, size) > LARGEST:
            raise DownloadError(f"{url}: more than {LARGEST // 2**20} MiB")
        part.write(chunk)
        if sys.stderr.isatty():
            share = f"{100 * done // size:3d} %" if size else f"{done // 1024} KiB"
            print(f"\r{url}: {share}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
