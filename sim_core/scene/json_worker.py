"""Worker processes that answer each line of JSON with another within a time limit.

The program limits its own process (memory, files, processor time). This module ends the process when it
takes too long or answers too much, and detects when it ends by itself.
"""

from __future__ import annotations

import json
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

START_LIMIT = 20.0
"""Wall time in s within which the process must be ready."""
LARGEST_ANSWER = 512 * 2**20
"""Bytes of a line."""


class WorkerError(Exception):
    """The process gave no answer; the text is for the user."""


class JsonWorker:
    """A worker process; it is running when the constructor returns."""

    def __init__(self, program: Path, cwd: str | None = None) -> None:
        """Start the process.

        Args:
            program: Python file of this package that writes a line of JSON when it is ready.
            cwd: working directory; None: the present one.

        Raises:
            WorkerError: it did not start, or reports that a package is `missing`.
        """
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-B", str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=cwd,
            process_group=0,  # Ctrl-C at the terminal reaches only the parent process, which ends this one
        )
        self._read(START_LIMIT)

    def ask(self, job: Mapping[str, Any], limit: float) -> dict[str, Any]:
        """Return the answer to a job.

        Args:
            job: plain data.
            limit: wall time in s; after it, and after any exception, the process is ended.

        Raises:
            WorkerError: there is no answer.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            self.close()
            raise WorkerError("its process ended") from None
        except BaseException:
            self.close()
            raise
        return self._read(limit)

    @property
    def is_running(self) -> bool:
        """True while the process is running."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process; may be called again."""
        self._process.kill()
        self._process.communicate()

    def _read(self, limit: float) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(self._line(limit))
        except ValueError:
            self.close()
            raise WorkerError("its process gave an answer that is not JSON") from None
        except BaseException:
            self.close()
            raise
        if "missing" in answer:
            self.close()
            raise WorkerError(answer["missing"])
        return answer

    def _line(self, limit: float) -> bytes:
        assert self._process.stdout is not None
        end = time.monotonic() + limit
        data = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not data.endswith(b"\n"):
                left = end - time.monotonic()
                if left <= 0.0 or not selector.select(left):
                    raise WorkerError(f"took longer than {limit:g} s")
                part = self._process.stdout.read1(1 << 20)  # type: ignore[attr-defined]
                if not part:
                    raise WorkerError(self._why_it_ended())
                data += part
                if len(data) > LARGEST_ANSWER:
                    raise WorkerError(f"answered more than {LARGEST_ANSWER >> 20} MiB")
        return bytes(data)

    def _why_it_ended(self) -> str:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            code = 0
        if code == -signal.SIGXCPU:
            return "took too much time"
        return "its process ended: too much memory or time"
