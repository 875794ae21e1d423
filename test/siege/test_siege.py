"""Short forms of the siege; the programs beside this file run as long as one likes, the soak by hand only."""

import subprocess
import sys
from pathlib import Path

import pytest

SIEGE = Path(__file__).resolve().parent
WAYS = ("4 threads", "beside", "file", "recorded")


@pytest.mark.parametrize(
    "words",
    [
        ("readers.py", "--tries", "1000"),
        ("flood.py", "--seconds", "3", "--rate", "1000", "--world", "wall_follower"),
        ("killer.py", "--seconds", "0"),
        ("determinism.py", "wall_follower", "devices/camera", "--seconds", "0.32", "--ways", *WAYS),
    ],
    ids=lambda words: words[0].removesuffix(".py"),
)
def test_nothing_goes_wrong(words: tuple[str, ...]) -> None:
    command = [sys.executable, str(SIEGE / words[0]), *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
