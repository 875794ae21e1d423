"""Worlds in other axes are refused, and only by the check, not by the parser."""

import pytest

from sim_core.errors import SceneError
from sim_core.scene import parse_scene
from sim_core.scene.legacy import check_axes


@pytest.mark.parametrize("version", ["R2022a", "R2023b", "R2025a"])
def test_worlds_in_todays_axes_pass(version: str) -> None:
    check_axes(parse_scene(f"#VRML_SIM {version} utf8\nWorldInfo {{ }}"))
    check_axes(parse_scene(f"#VRML_SIM {version} utf8\n"))


@pytest.mark.parametrize("version", ["V6.0", "R2021b"])
def test_old_worlds_are_refused(version: str) -> None:
    scene = parse_scene(f"#VRML_SIM {version} utf8\nWorldInfo {{ }}", "old.wbt")
    with pytest.raises(
        SceneError, match=rf"^old.wbt:1:1: a world of version {version}, expected R2022a or later"
    ):
        check_axes(scene)


def test_other_coordinate_systems_are_refused() -> None:
    scene = parse_scene('#VRML_SIM R2025a utf8\n\nWorldInfo { coordinateSystem "NUE" }', "w.wbt")
    with pytest.raises(SceneError, match=r'^w.wbt:3:1: coordinateSystem "NUE", expected "ENU"'):
        check_axes(scene)
