"""libController is found in the documented places and order, with its version."""

from pathlib import Path

import pytest

from ros_bridge.controller_api.libcontroller import fetched_home, find_libcontroller

PLACES = ("webots", "prefix", "data/odesim/libcontroller")


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """WEBOTS_HOME, a ROS prefix and the data folder, all of them empty."""
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "webots"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'other'}:{tmp_path / 'prefix'}")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "other/share/other").mkdir(parents=True)
    return tmp_path


def install(home: Path, content: bytes = b"\x7fELF", version: str = "") -> None:
    for folder in ("lib/controller", "resources", "share/webots_ros2_driver"):
        (home / folder).mkdir(parents=True)
    (home / "lib/controller/libController.so").write_bytes(content)
    if version:
        (home / "resources/version.txt").write_text(version)


def test_the_first_of_the_places_counts(places: Path) -> None:
    assert find_libcontroller() is None
    assert fetched_home() == places / PLACES[2]
    for name in reversed(PLACES):
        install(places / name)
        found = find_libcontroller()
        assert found is not None and found.home == places / name
        assert found.folder == places / name / "lib/controller"


def test_headers_and_python_packages_of_a_ros_prefix(places: Path) -> None:
    install(places / "prefix")
    packages = places / "prefix/lib/python3.12/site-packages"
    (packages / "controller").mkdir(parents=True)
    (packages / "controller/wb.py").touch()
    found = find_libcontroller()
    assert found is not None
    assert (found.include, found.python) == (places / "prefix/include/webots", packages)


@pytest.mark.parametrize(
    ("content", "text", "version"),
    [
        (b"a\0R2025a\0b", "R2023b", "R2025a"),
        (b"R2023b revision 1", "", "R2023b"),
        (b"nothing", "R2023a\n", "R2023a"),
        (b"nothing", "a text", ""),
        (b"nothing", "", ""),
    ],
)
def test_version_is_that_of_the_library_else_of_the_file(
    places: Path, content: bytes, text: str, version: str
) -> None:
    install(places / "webots", content, text)
    found = find_libcontroller()
    assert found is not None and (found.version, found.python) == (version, None)
