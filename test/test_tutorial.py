"""The tutorial, followed as a reader would: every command and file of its chapters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from domains import free_domain

ROOT = Path(__file__).resolve().parent.parent


def test_every_chapter_can_be_followed() -> None:
    pytest.importorskip("gymnasium")
    chapters = sorted((ROOT / "docs" / "tutorial").glob("[0-9]*.md"))
    with free_domain() as domain:
        ended = subprocess.run(
            [sys.executable, str(ROOT / "docs" / "follow_tutorial.py")],
            env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert [line.split()[0] for line in ended.stdout.splitlines()] == [chapter.stem for chapter in chapters]


def test_a_chapter_that_is_wrong_is_told(tmp_path: Path) -> None:
    """A line that no command says, a command that fails, and one that should: the script is no yes-man."""
    script = (ROOT / "docs" / "follow_tutorial.py").read_text(encoding="utf-8")
    (tmp_path / "follow.py").write_text(script, encoding="utf-8")
    (tmp_path / "tutorial").mkdir()
    for text, word in (
        ("```bash\necho five\n```\n\n```text\nsix\n```\n", "expected the line\nsix"),
        ("```bash\nfalse\n```\n", "`false` failed"),
        ("<!-- fails -->\n```bash\ntrue\n```\n", "should have failed"),
    ):
        (tmp_path / "tutorial" / "1_wrong.md").write_text(text, encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, str(tmp_path / "follow.py")],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 1
        assert word in ended.stderr
