import sys
from pathlib import Path

import pytest

from sim_core.base import shipped
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import find_world, share_dir, shipped_worlds


def test_the_share_folder_of_the_source_tree_is_complete() -> None:
    assert {"worlds", "config", "launch", "package.xml"} <= {path.name for path in share_dir().iterdir()}


def test_a_shipped_world_is_found_by_its_name_with_or_without_ending() -> None:
    worlds = shipped_worlds()
    assert {"go_to_pose", "wall_avoiders", "wall_follower"} <= set(worlds)
    for name, path in worlds.items():
        assert find_world(name) == find_world(f"{name}{path.suffix}") == path
        assert find_world(f"worlds/{name}{path.suffix}").resolve() == path.resolve()
        assert path.is_absolute() and path.is_file()


def test_a_file_goes_before_a_shipped_world_of_the_same_name(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wall_follower.wbt").write_text("#VRML_SIM R2025a utf8\n")
    assert find_world("wall_follower.wbt").resolve() == tmp_path / "wall_follower.wbt"


def test_a_missing_path_is_returned() -> None:
    assert str(find_world("somewhere/else.wbt")) == "somewhere/else.wbt"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r'no world "wall_folower".*did you mean "wall_follower"'):
        find_world("wall_folower")


@pytest.mark.parametrize("code", ["lib/python3.12/site-packages", "local/lib/python3.12/dist-packages"])
def test_an_installed_package_finds_its_share_folder_above_its_code(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "CODE", tmp_path / code)
    share = (tmp_path / code).parents[2] / "share/odesim"
    (share / "worlds").mkdir(parents=True)
    assert share_dir() == share


def test_otherwise_it_is_in_the_prefix_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "CODE", tmp_path / "elsewhere")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    (tmp_path / "prefix/share/odesim/worlds").mkdir(parents=True)
    assert share_dir() == tmp_path / "prefix/share/odesim"
