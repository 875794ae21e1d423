"""Sizes that worlds with y up give to PROTO files that come along: along the axes of the file."""

from pathlib import Path

import pytest
from extents import filled_box

from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

SIZED = {
    "WoodenBox { translation 0 1 0 size 0.8 0.1 0.2 }": (0.8, 0.1, 0.2),
    "SolidBox { translation 0 1 0 size 0.8 0.1 0.2 }": (0.8, 0.1, 0.2),
    "CardboardBox { translation 0 1 0 size 0.8 0.1 0.2 }": (0.8, 0.1, 0.2),
    "Wall { size 3 2 0.1 }": (3.0, 2.0, 0.1),
    "Wall { rotation 0 1 0 1.5707963267948966 size 3 2 0.1 }": (0.1, 2.0, 3.0),
    "Table { size 2 0.7 1 }": (2.0, 0.7, 1.0),
    "Desk { size 2 0.7 1 }": (2.0, 0.7, 1.0),
    "RectangleArena { floorSize 4 1 wallHeight 0.3 wallThickness 0.05 }": (4.1, 0.3, 1.1),
    "Floor { size 4 1 }": (4.0, 0.0, 1.0),
    "UnevenTerrain { size 40 3 20 }": (40.0, 3.0, 20.0),
}
"""The lengths that each fills along x, y (up) and z."""


def load(text: str, tmp_path: Path, version: str = "R2019b", info: str = "") -> Simulation:
    file = tmp_path / "w.wbt"
    file.write_text(f"#VRML_SIM {version} utf8\nWorldInfo {{ {info} }}\nDEF IT {text}", encoding="utf-8")
    return Simulation(load_scene(file, lenient=True))


def lengths(sim: Simulation) -> list[float]:
    """Those that it fills along x, y and z of a world in NUE: they are north, up and east."""
    it = sim.scene.find_def("IT")
    assert it is not None
    low, high = filled_box(sim, it)
    east, north, up = high - low
    return [north, up, east]


@pytest.mark.parametrize("text", SIZED)
def test_sizes_of_an_old_world_lie_along_its_axes(text: str, tmp_path: Path) -> None:
    assert lengths(load(text, tmp_path)) == pytest.approx(SIZED[text], abs=0.025)  # boxes have flaps


def test_in_a_world_with_z_up_what_lies_by_its_rotation_has_sizes_with_y_up(tmp_path: Path) -> None:
    upright = "Wall { rotation 1 0 0 1.5707963267948966 size 3 2 0.1 }"  # of R2021b, whose PROTO had y up
    for text, expected in ((upright, [0.1, 2.0, 3.0]), ("Wall { size 0.1 3 2 }", [3.0, 2.0, 0.1])):
        assert lengths(load(text, tmp_path, "R2021b")) == pytest.approx(expected), text


def test_a_world_of_today_with_y_up_has_sizes_of_today(tmp_path: Path) -> None:
    sim = load(
        "Wall { rotation 1 0 0 -1.5707963267948966 size 0.1 3 2 }",
        tmp_path,
        "R2023b",
        'coordinateSystem "NUE"',
    )
    assert lengths(sim) == pytest.approx([0.1, 2.0, 3.0])


@pytest.mark.parametrize("text", ["Wall { }", "Wall { size 1 1 1 }", "Table { }", "Floor { }"])
def test_a_size_set_later_is_in_the_axes_of_the_file_and_is_saved_so(text: str, tmp_path: Path) -> None:
    sim = load(text, tmp_path)
    size = (4.0, 1.0) if text.startswith("Floor") else (4.0, 0.5, 1.0)
    sim.supervisor.set("IT", "size", size)
    sim.step()
    expected = [size[0], 0.5 if len(size) == 3 else 0.0, 1.0]
    assert sim.supervisor.get("IT", "size") == size and lengths(sim) == pytest.approx(expected)
    saved = sim.supervisor.save(tmp_path / "saved.wbt")
    assert lengths(Simulation(load_scene(saved, lenient=True))) == pytest.approx(expected)


@pytest.mark.parametrize(("name", "height"), [("Pioneer3dx", 0.0975), ("Nao", 0.334), ("Youbot", 0.12)])
def test_a_default_place_is_above_the_ground_of_a_world_with_y_up(
    name: str, height: float, tmp_path: Path
) -> None:
    for version, place in (("R2019b", (0.0, height, 0.0)), ("R2025a", (0.0, 0.0, height))):
        sim = load(f"{name} {{ }}", tmp_path, version)
        it = sim.scene.find_def("IT")
        assert it is not None and it["translation"] == place
        (robot,) = sim.robots.values()
        assert robot.frame.pose().position == pytest.approx((0.0, 0.0, height))
    placed = load(f"{name} {{ translation 1 0.5 2 }}", tmp_path).scene.find_def("IT")
    assert placed is not None and placed["translation"] == (1.0, 0.5, 2.0)
