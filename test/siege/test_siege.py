"""Short forms of the siege; the programs beside this file run as long as one likes, the soak by hand only."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import below, is_there
from waiting import wait_until

SIEGE = Path(__file__).resolve().parent
WAYS = ("4 threads", "beside", "file", "recorded")


@pytest.mark.parametrize(
    "words",
    [
        ("readers.py", "--tries", "1000"),
        ("flood.py", "--seconds", "3", "--rate", "1000", "--world", "wall_follower"),
        ("killer.py", "--seconds", "0"),
        ("determinism.py", "devices/camera", "--seconds", "0.32", "--ways", *WAYS),
    ],
    ids=lambda words: words[0].removesuffix(".py"),
)
def test_nothing_goes_wrong(words: tuple[str, ...]) -> None:
    command = [sys.executable, str(SIEGE / words[0]), *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_readers_stopped_by_ctrl_c_say_so_in_a_line() -> None:
    command = [sys.executable, str(SIEGE / "readers.py"), "--only", "motion", "--workers", "2"]
    program = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    )
    try:
        wait_until(lambda: len(below(program.pid)) == 2, "the processes that try")
        trying = below(program.pid)
        os.killpg(program.pid, signal.SIGINT)
        said = program.communicate(timeout=60.0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
    assert (program.returncode, *said) == (130, "", "stopped\n")
    assert not any(map(is_there, trying))
