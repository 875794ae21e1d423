"""Files are written completely or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sim_core.base.atomic_file import atomic_file

ROOT = Path(__file__).parents[3]
SAVE = """
import resource, sim_core
sim = sim_core.load_world("worlds/w.wbt")
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))  # the kernel refuses what is longer, as on a full disk
try:
    sim.supervisor.save("worlds/w.wbt")
except sim_core.OdesimError as error:
    print(error)
"""


def test_a_file_is_replaced_at_the_end_and_keeps_its_mode_and_its_links(tmp_path: Path) -> None:
    file, link = tmp_path / "w.wbt", tmp_path / "link.wbt"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    with atomic_file(link) as part:
        part.write_text("new")
        assert file.read_text() == "old" and part.suffix == ".wbt"
    assert link.is_symlink() and file.read_text() == "new" and file.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [link, file]


def test_an_unfinished_file_is_removed(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), atomic_file(tmp_path / "new") as part:
        part.write_text("half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_world_that_cannot_be_saved_is_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "worlds/w.wbt"
    file.parent.mkdir()
    text = f'#VRML_SIM R2025a utf8\nWorldInfo {{ info [ "{"x" * 1000}" ] }}\nSolid {{ }}\n'
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", SAVE],
        cwd=tmp_path,
        env={
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        },  # Python must not write files of its own
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "worlds/w.wbt: cannot be written: File too large, expected a place for it\n"
    assert file.read_text() == text and list(file.parent.iterdir()) == [file]
