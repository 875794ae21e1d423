"""What docs/snapshots.md shows works as it is printed."""

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "snapshots.md").read_text(encoding="utf-8")


def test_the_example_goes_on_to_the_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.search(r"<!-- test: snapshots -->\n```python\n(.*?)```", TEXT, re.DOTALL)
    assert found
    monkeypatch.chdir(tmp_path)
    exec(found[1], {})
    assert (tmp_path / "two_seconds.snapshot").is_file()
