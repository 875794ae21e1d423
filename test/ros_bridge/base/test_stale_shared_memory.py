"""With a real participant of Fast DDS, whose files are linked into a folder of the test."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ros_bridge.base.middleware import LOCALHOST, PROFILES, RANGE, SHARED_MEMORY, remove_stale

CODE = """
import rclpy, sys
rclpy.init()
node = rclpy.create_node("sleeper")
print("up", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="odesim_test_", dir=SHARED_MEMORY))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    monkeypatch.setenv(RANGE, LOCALHOST)
    for name in PROFILES:  # so rmw_fastrtps takes shared memory
        monkeypatch.delenv(name, raising=False)
    process = subprocess.Popen(
        [sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    yield process
    process.kill()
    process.communicate()


def mapped(process: subprocess.Popen[str]) -> list[Path]:
    """Return the files of Fast DDS in shared memory that a process has open."""
    lines = Path(f"/proc/{process.pid}/maps").read_text().splitlines()
    return sorted({Path(line.split()[-1]) for line in lines if f"{SHARED_MEMORY}/fastdds_" in line})


def test_segments_of_the_living_and_young_ones_stay_those_of_the_dead_go(
    folder: Path, sleeper: subprocess.Popen[str]
) -> None:
    segments = [path for path in mapped(sleeper) if "port" not in path.name]
    if not segments:
        pytest.skip("no Fast DDS with shared memory here")
    files = [path.with_name(path.name + end) for path in segments for end in ("", "_el")]
    for path in files:
        os.link(path, folder / path.name)  # the lock is the file's, not the name's
    foreign = folder / "sem.fastdds_port7001_mutex"
    foreign.touch()
    before = sorted(os.listdir(folder))
    try:
        assert remove_stale(folder, young=0.0) == 0
        sleeper.kill()
        sleeper.wait()
        assert remove_stale(folder, young=3600.0) == 0
        assert sorted(os.listdir(folder)) == before
        assert remove_stale(folder, young=0.0) == len(segments)
        assert os.listdir(folder) == [foreign.name]
    finally:
        for path in files:
            path.unlink(missing_ok=True)


def test_without_the_folder_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert remove_stale(tmp_path / "none") == 0


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.touch()
    link = tmp_path / f"fastdds_{'0' * 16}_el"
    link.symlink_to(target)
    assert remove_stale(tmp_path, young=0.0) == 0
    assert link.is_symlink()
