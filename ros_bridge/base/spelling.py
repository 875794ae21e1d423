"""Commands as the user must type them in the environment of this process."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

PACKAGE = "odesim"


def odesim_command(*words: str) -> str:
    """A command of odesim: `ros2 run odesim sim …` where a ROS installation has it and nothing else does."""
    return " ".join((*_program(), *words))


def topic_command(*words: str) -> str:
    """What `ros2 topic` and `odesim topic` both do, by the first where ROS's command line is installed."""
    return " ".join(("ros2", "topic", *words)) if shutil.which("ros2") else odesim_command("topic", *words)


def activation() -> str:
    """What makes `odesim` a command in another terminal; empty where nothing needs to."""
    script = Path(sys.executable).with_name("activate")
    if shutil.which(PACKAGE) or not script.exists() or _program() != (PACKAGE,):
        return ""
    here = Path.cwd()
    return f", after `source {script.relative_to(here) if script.is_relative_to(here) else script}`"


def _program() -> tuple[str, ...]:
    is_there = shutil.which(PACKAGE) or Path(sys.executable).with_name(PACKAGE).exists()
    return (PACKAGE,) if is_there or not shutil.which("ros2") else ("ros2", "run", PACKAGE, "sim")
