"""Commands as the user must type them in the environment of this process."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

PACKAGE = "odesim"


def odesim_command(*words: str) -> str:
    """Return a command of odesim: `ros2 run odesim sim …` if only a ROS installation provides it."""
    return " ".join((*_program(), *words))


def topic_command(*words: str) -> str:
    """Return a command of `ros2 topic`, or of `odesim topic` if the command line of ROS is not installed."""
    return " ".join(("ros2", "topic", *words)) if shutil.which("ros2") else odesim_command("topic", *words)


def activation() -> str:
    """Return the command that makes `odesim` available in another terminal; empty: none is needed."""
    script = Path(sys.executable).with_name("activate")
    if shutil.which(PACKAGE) or not script.exists() or _program() != (PACKAGE,):
        return ""
    here = Path.cwd()
    return f", after `source {script.relative_to(here) if script.is_relative_to(here) else script}`"


def _program() -> tuple[str, ...]:
    is_there = shutil.which(PACKAGE) or Path(sys.executable).with_name(PACKAGE).exists()
    return (PACKAGE,) if is_there or not shutil.which("ros2") else ("ros2", "run", PACKAGE, "sim")
