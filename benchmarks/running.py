"""Programs of the package that run beside a benchmark."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.scenes import ROOT


@contextlib.contextmanager
def running(*words: str, **how: Any) -> Iterator[subprocess.Popen[str]]:
    """`python -m WORDS…`, interrupted at the end; `how`: more of what Popen takes."""
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, text=True, **how)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
