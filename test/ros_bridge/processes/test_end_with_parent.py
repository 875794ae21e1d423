import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

from waiting import wait_until

from ros_bridge.processes import end_with_parent

RUN = [sys.executable, "-I", "-S", end_with_parent.__file__]
LIMIT = 60.0


def is_running(process_id: int) -> bool:
    """Return whether a process runs; false also for a zombie."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_command_runs_with_its_arguments_and_exit_code() -> None:
    command = [
        *RUN,
        str(os.getpid()),
        sys.executable,
        "-c",
        "import sys; print(sys.argv[1:]); sys.exit(3)",
        "a b",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (done.returncode, done.stdout) == (3, "['a b']\n")


def test_a_command_that_is_not_there_is_one_line() -> None:
    command = [*RUN, str(os.getpid()), "/no/such/program"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == end_with_parent.COMMAND_NOT_STARTED
    assert done.stderr == "/no/such/program: No such file or directory\n"


def test_the_command_is_not_started_if_the_parent_has_gone() -> None:
    somebody_else = os.getppid()
    command = [*RUN, str(somebody_else), "echo", "started"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (done.returncode, done.stdout) == (end_with_parent.COMMAND_NOT_STARTED, "")


def test_the_command_dies_when_its_parent_is_killed() -> None:
    parent_code = f"""
        import os, subprocess, sys
        child = subprocess.Popen([*{RUN!r}, str(os.getpid()), "sleep", "1000"])
        print(child.pid, flush=True)
        child.wait()
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(parent_code)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert is_running(child)
    parent.send_signal(signal.SIGKILL)
    parent.wait(LIMIT)
    parent.stdout.close()
    wait_until(lambda: not is_running(child), "the end of the child")
