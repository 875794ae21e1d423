"""Lists in documents are those that programs make: of devices, of parameters, of PROTO files."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("program", "page"),
    [
        ("list_devices", "devices.md"),
        ("list_parameters", "parameters.md"),
        ("list_protos", "protos.md"),
    ],
)
def test_the_list_is_up_to_date(program: str, page: str) -> None:
    made = subprocess.run(
        [sys.executable, "-c", f"import {program}; print({program}.text(), end='')"],
        cwd=ROOT / "docs",
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert made.stdout == found, f"run docs/{program}.py"
