"""Folders in which clients look, and detection of their version."""

import hashlib
import mmap
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from webots_client import pretend_version

from ros_bridge.webots_protocol import socket_folders
from ros_bridge.webots_protocol.socket_folders import Instance, encoded, names_of
from ros_bridge.webots_protocol.versions import R2022B, R2023A, R2023B, R2024A, R2025A, version_of
from sim_core.base.errors import ConfigError

MISSING = 65534


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(socket_folders, "TEMPORARY", tmp_path)
    monkeypatch.setenv("USER", "somebody")
    yield tmp_path


def test_a_robots_name_is_encoded_by_bytes() -> None:
    assert encoded("my robot/ü~._-1") == "my%20robot%2F%C3%BC~._-1"


@pytest.mark.parametrize("length", [58, 59, 70, 71])
def test_a_long_name_is_a_part_of_its_sha1(length: int) -> None:
    """In a path of 25 characters 58 may follow; clients of R2023b allow 70 and cut nothing."""
    name = "r" * length
    digest = hashlib.sha1(name.encode()).hexdigest()
    of_today = name if length <= 58 else digest[:58]
    of_r2023b = name if length <= 70 else digest
    found = names_of(name, Path("/tmp/webots/abcd/1234/ipc"))
    assert set(found) == {of_today, of_r2023b}


def test_each_simulation_has_a_number_and_folders_of_this_user_alone(temporary: Path) -> None:
    first, second = Instance(None), Instance(None)
    assert (first.number, second.number) == (1234, 1235)
    for folder in (first.path, first.path / "ipc", first.early_path):
        assert folder.stat().st_mode & 0o077 == 0
    with pytest.raises(ConfigError, match="another number"):
        Instance(1234)
    first.close()
    assert not first.path.exists() and not first.early_path.exists()
    third = Instance(1234)  # free again
    third.close()
    second.close()


def test_what_a_dead_simulation_left_is_used_again_and_webots_own_folder_is_left(temporary: Path) -> None:
    dead = Instance(1234)
    assert dead._lock is not None
    dead._lock.close()  # as at the end of its process
    own = temporary / "webots" / "somebody" / "1235"
    own.mkdir()
    again, other = Instance(None), Instance(None)
    assert (again.number, other.number) == (1234, 1236)
    again.close()
    other.close()


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../../a"])
def test_no_name_of_a_robot_leads_out_of_the_folder(temporary: Path, name: str) -> None:
    made = Instance(None)
    folder = made.path / "ipc"
    for path in made.sockets(name):
        assert path.parent.parent == folder and path.parent.resolve().parent == folder.resolve()
    made.remove_folders(name)
    assert folder.is_dir()
    made.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_another_users_folder_in_the_way_is_refused(temporary: Path) -> None:
    (temporary / "webots").mkdir()
    theirs = temporary / "webots" / "somebody"
    theirs.mkdir()
    os.chown(theirs, MISSING, MISSING)
    with pytest.raises(ConfigError, match="another user"):
        Instance(None)


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("R2025a", R2025A),
        ("R2024a", R2024A),
        ("R2023b revision 1", R2023B),
        ("planar camera", R2023A),
        ("spherical camera", R2022B),
        ("R2031a", "is of version R2031a"),
    ],
)
def test_the_library_of_a_process_says_its_version(tmp_path: Path, said: str, version: object) -> None:
    with pretend_version(tmp_path, said):
        found = version_of(os.getpid())
    assert found == version or str(version) in str(found)


def test_a_process_without_the_library_is_none() -> None:
    assert "no known libController" in str(version_of(os.getpid()))
    assert isinstance(version_of(0), str)


NODE_TYPES = {
    "Group": (14, 14),
    "Pose": (26, 31),
    "Transform": (32, 31),
    "Robot": (34, 33),
    "GPS": (44, 43),
    "RotationalMotor": (57, 56),
    "TouchSensor": (60, 59),
    "VacuumGripper": (61, 0),
    "Solid": (80, 78),
    "Microphone": (86, 84),
    "NoSuchNode": (0, 0),
}
"""Their numbers since R2023b, and before."""


def test_node_types_are_counted_as_in_the_headers_of_each_version() -> None:
    found = {name: (R2025A.node_number(name), R2023A.node_number(name)) for name in NODE_TYPES}
    assert found == NODE_TYPES


def test_the_mapped_file_is_closed_with_its_map(tmp_path: Path) -> None:
    """The helper of these tests: once it is unmapped, this process looks as before."""
    mapped: mmap.mmap = pretend_version(tmp_path, "R2025a")
    mapped.close()
    assert isinstance(version_of(os.getpid()), str)
