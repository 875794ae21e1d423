"""Files from elsewhere, and trusted files."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from foreign import WORLD, new_home, project

from sim_core.base import trust
from sim_core.base.trust import (
    ORIGIN,
    TRUSTED,
    from_elsewhere,
    permission_of_world,
    trust_issues_of_modules,
    trust_issues_of_sdf,
    trust_issues_of_urdf,
    trust_issues_of_world,
    why_foreign,
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return new_home(tmp_path, monkeypatch)


def test_files_of_the_user_are_trusted_anywhere(home: Path, tmp_path: Path) -> None:
    for folder in (home / "mine", tmp_path / "mine"):
        assert trust_issues_of_world(project(folder)) == []


def test_a_download_is_not_trusted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = project(home / "Downloads" / "theirs")
    assert permission_of_world(world) is None is permission_of_world(world)
    (line,) = capsys.readouterr().err.splitlines()  # once
    assert str(world) in line and "left out" in line and f"--trust trusts {world.parent.parent}" in line


@pytest.mark.parametrize(
    "place", ["worlds/w.wbt", "worlds/sub/w.wbt", "worlds/sub/deeper/w.wbt", "other/w.wbt"]
)
def test_the_project_is_where_its_programs_are(place: str, home: Path) -> None:
    """Controllers and plug-ins of a world in a folder of `worlds` are beside `worlds`."""
    world = project(home / "Downloads" / "theirs", place)
    (issue,) = trust_issues_of_world(world)
    assert issue.project == home / "Downloads" / "theirs"
    trust.trust(issue.project)
    assert trust_issues_of_world(world) == []


def test_a_world_among_the_downloads_starts_no_programs_of_the_home(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its project is the home folder, which belongs to the user and contains the working directory."""
    (home / "controllers").mkdir()
    world = home / "Downloads" / "w.wbt"
    world.write_text(WORLD, encoding="utf-8")
    (home / "work").mkdir()
    for folder in (home, home / "work", home / "Downloads"):
        monkeypatch.chdir(folder)
        assert trust_issues_of_world(world)


def _in_a_folder_of_ones_own_name(home: Path, patch: pytest.MonkeyPatch) -> Path:
    (home / ".config").mkdir()
    text = '# made by xdg-user-dirs\nXDG_DOWNLOAD_DIR="$HOME/Load"\n'
    (home / ".config" / "user-dirs.dirs").write_text(text, encoding="utf-8")
    return project(home / "Load" / "theirs")


def _said_by_the_environment(home: Path, patch: pytest.MonkeyPatch) -> Path:
    patch.setenv("XDG_DOWNLOAD_DIR", str(home / "there"))
    return project(home / "there" / "theirs")


def _in_the_cache(home: Path, patch: pytest.MonkeyPatch) -> Path:
    return project(home / ".cache" / "odesim" / "theirs")


def _by_url(home: Path, patch: pytest.MonkeyPatch) -> Path:
    world = project(home / "theirs")
    try:
        os.setxattr(world, ORIGIN, b"https://example.org/w.wbt")
    except OSError:
        pytest.skip("this file system keeps no marks")
    return world


@pytest.mark.parametrize(
    "make",
    [_in_a_folder_of_ones_own_name, _said_by_the_environment, _in_the_cache, _by_url],
    ids=lambda make: make.__name__,
)
def test_other_signs_of_files_from_elsewhere(
    make: Callable[[Path, pytest.MonkeyPatch], Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make(home, monkeypatch).resolve()
    assert from_elsewhere(world, world.parent.parent)
    (issue,) = trust_issues_of_world(world)
    trust.trust(issue.project)
    assert trust_issues_of_world(world) == []


def test_files_of_another_user_are_not_trusted(tmp_path: Path) -> None:
    owner = tmp_path.stat().st_uid
    assert why_foreign(tmp_path, owner + 1) == (
        "belongs to another user" if owner else ""
    )  # but not to the administrator
    assert why_foreign(tmp_path, owner) == "" == why_foreign(tmp_path / "nowhere", owner)


def test_write_permissions_are_ignored(home: Path) -> None:
    world = project(home / "on_a_disk_of_another_system")
    for path in (world, *world.parent.parent.rglob("*")):
        path.chmod(0o777)
    assert trust_issues_of_world(world) == []


def test_the_project_of_the_working_directory_is_trusted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = project(home / "Downloads" / "theirs")
    monkeypatch.chdir(world.parent)
    assert trust_issues_of_world(world) == []
    monkeypatch.chdir(home)
    assert trust_issues_of_world(world)


def test_a_world_without_programs_needs_no_trust(home: Path) -> None:
    world = home / "Downloads" / "theirs" / "worlds" / "w.wbt"
    world.parent.mkdir(parents=True)
    world.write_text(WORLD, encoding="utf-8")
    assert trust_issues_of_world(world) == []


def test_trust_is_stored_for_this_project_only(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (project(home / "Downloads" / name) for name in ("first", "second"))
    trust.trust(first.parent.parent)
    monkeypatch.setattr(trust, "_trusted_now", set())  # as in another process
    assert TRUSTED.file.read_text(encoding="utf-8").split() == [str(first.parent.parent)]
    assert trust_issues_of_world(first) == [] and trust_issues_of_world(second)


def test_a_folder_that_cannot_be_stored_is_trusted_in_this_process(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = project(home / "Downloads" / "two\nlines")
    trust.trust(world.parent.parent)
    assert trust_issues_of_world(world) == [] and not TRUSTED.file.exists()
    monkeypatch.setattr(trust, "_trusted_now", set())
    assert trust_issues_of_world(world)


def test_a_snapshot_is_checked_like_its_world(home: Path) -> None:
    """A snapshot from elsewhere starts no programs of the user's own project; one of the project does."""
    world = project(home / "mine")
    foreign, own = home / "Downloads" / "s.snapshot", home / "mine" / "s.snapshot"
    for file in (foreign, own):
        file.touch()
    (issue,) = trust_issues_of_world(world, str(foreign))
    assert (issue.file, issue.project) == (foreign, home / "Downloads")
    assert trust_issues_of_world(world, str(own)) == []


def test_an_impossible_file_name_is_no_error() -> None:
    for name in ("a\0b", "/" + "n" * 5000):
        assert (
            trust_issues_of_world(name) == [] == trust_issues_of_urdf(name) == trust_issues_of_modules(name)
        )


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ('<robot name="r"><webots/></robot>', False),
        ('<robot name="r"><webots><plugin type="a.B"/></webots></robot>', True),
        ('<robot name="${1}"/>', True),
        ('<robot name="$(arg n)"/>', True),
        ('<robot name="r"><xacro:include filename="a"/></robot>', True),
    ],
)
def test_a_urdf_file_needs_trust_if_it_has_programs(text: str, asks: bool, home: Path) -> None:
    """Its project is its package."""
    package = home / "Downloads" / "robots" / "package"
    urdf = package / "resource" / "r.urdf"
    urdf.parent.mkdir(parents=True)
    (package / "package.xml").touch()
    urdf.write_text(text, encoding="utf-8")
    issues = trust_issues_of_urdf(urdf)
    assert [each.project for each in issues] == [package] * asks


@pytest.mark.parametrize(
    ("inside", "asks"),
    [("", False), ('<plugin filename="gz-sim-physics-system"/>', False), ('<x y="$(arg z)"/>', True)],
)
def test_an_sdf_file_needs_trust_if_it_has_xacro(inside: str, asks: bool, home: Path) -> None:
    """Its plugins belong to Gazebo, and none runs."""
    file = home / "Downloads" / "w.sdf"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'<sdf version="1.9">{inside}</sdf>', encoding="utf-8")
    assert bool(trust_issues_of_urdf(file)) is bool(trust_issues_of_sdf(file)) is asks
    other = home / "Downloads" / "w.wbt"
    other.write_text('#VRML_SIM R2025a utf8\nWorldInfo { title "$(arg z)" }', encoding="utf-8")
    assert trust_issues_of_sdf(other) == []
