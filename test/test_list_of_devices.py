"""docs/devices.md says what the devices declare."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_list_of_devices_is_up_to_date() -> None:
    program = "import list_devices; print(list_devices.text(), end='')"
    made = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT / "docs",
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")
    assert made.stdout == found, "run docs/list_devices.py"
