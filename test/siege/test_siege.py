"""Short forms of the siege; each program beside this file runs as long as one likes."""

import subprocess
import sys
from pathlib import Path

SIEGE = Path(__file__).resolve().parent


def test_broken_files_are_read_or_refused_in_one_line() -> None:
    command = [sys.executable, str(SIEGE / "readers.py"), "--seconds", "15"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" tries, 0 went wrong\n"), done.stdout
