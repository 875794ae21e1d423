"""A short run of the fuzzer; `test/fuzz_scene.py` runs as long as one likes."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_broken_files_give_a_scene_or_our_own_errors() -> None:
    command = [sys.executable, str(ROOT / "test/fuzz_scene.py"), "--seconds", "4"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("0 went wrong\n") and not done.stdout.startswith("0 tries")
