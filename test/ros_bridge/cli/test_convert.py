"""`odesim convert`: what it writes simulates as what it read; what it refuses, it refuses in one line."""

from pathlib import Path

import numpy as np
import pytest
from rover_files import sdf, urdf

from ros_bridge.cli.__main__ import main
from ros_bridge.cli.convert import convert
from ros_bridge.cli.world_info import Loading, describe_world
from sim_core.base.shipped import find_world, shipped_worlds
from sim_core.scene import load_scene, write_scene
from sim_core.session.simulation import Simulation

OLD = """#VRML_SIM V6.0 utf8
WorldInfo { gravity 0 -9.81 0 basicTimeStep 8 }
Solid { boundingObject Plane { } }
Robot { translation 0 0.5 0 rotation 1 0 0 0.2 children [ Servo { name "s" translation 0 0.2 0
    rotation 0 1 0 0 boundingObject Cylinder { radius 0.1 height 0.3 } physics Physics { } } GPS { } ]
  boundingObject Box { size 0.2 0.3 0.4 } physics Physics { } }
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "old.wbt"
    file.write_text(OLD)
    return file


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["convert", *words])
    return (code, *capsys.readouterr())


def positions(file: Path) -> list[tuple[float, ...]]:
    sim = Simulation(load_scene(file))
    found = []
    for _ in range(50):
        sim.step(4)
        found.append(sim.robot("robot").frame.pose().position)
    return found


def test_the_new_file_simulates_as_the_old_one(old: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    new = old.with_name("new.wbt")
    code, out, err = run(capsys, str(old), str(new))
    assert code == 0 and err == ""
    assert f"warning: {old}:1:1: a world of version V6.0 in NUE axes; topics use ENU and FLU\n" in out
    assert new.read_text().startswith("#VRML_SIM R2025a utf8\n")
    np.testing.assert_allclose(positions(new), positions(old), atol=1e-9)
    assert not [each for each in load_scene(new).warnings if "axes" in str(each)]


def test_a_world_of_today_stays_as_it_is(old: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    first, second = old.with_name("first.wbt"), old.with_name("second.wbt")
    run(capsys, str(old), str(first))
    run(capsys, str(first), str(second))
    assert first.read_text() == second.read_text()


@pytest.mark.parametrize("ending", ["x3d", "wrl"])
def test_to_x3d_and_back(old: Path, capsys, ending: str) -> None:  # type: ignore[no-untyped-def]
    world = old.with_name("shapes.wbt")
    world.write_text(
        "#VRML_SIM R2025a utf8\nPose { translation 1 2 3 children Shape { geometry Cylinder { } } }"
    )
    middle, back = old.with_name(f"middle.{ending}"), old.with_name("back.wbt")
    assert run(capsys, str(world), str(middle))[0] == 0
    assert run(capsys, str(middle), str(back))[0] == 0
    scene = load_scene(back)
    (solid,) = [node for node in scene.walk() if node.type_name == "Solid"]
    sim = Simulation(scene)
    np.testing.assert_allclose(sim.physics.frame(solid.id).pose().position, (1, 2, 3), atol=1e-12)
    assert abs(sim.physics.frame(solid.id).pose().rotation[8]) == pytest.approx(1.0)


def test_nothing_is_written_over_without_force(old: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    new = old.with_name("new.wbt")
    new.write_text("mine")
    assert run(capsys, str(old), str(new)) == (
        2,
        "",
        f"{new}: there is such a file; --force writes over it\n",
    )
    assert new.read_text() == "mine"
    assert run(capsys, str(old), str(new), "--force")[0] == 0
    assert new.read_text() != "mine"


def test_never_onto_itself(old: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run(capsys, str(old), str(old), "--force")
    assert (code, out, err) == (2, "", f"{old}: found the file itself, expected another one to write to\n")
    assert old.read_text() == OLD


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("old.wbt", "new.obj", "new.obj: found the ending '.obj', expected .wbt or .x3d or .wrl"),
        ("missing.wbt", "new.wbt", "missing.wbt: no such file, expected a world file (.wbt)"),
        ("old.wbt", "nowhere/new.wbt", "nowhere/new.wbt: cannot be written: No such file or directory"),
    ],
)
def test_errors_are_one_line(old: Path, capsys, monkeypatch, source: str, target: str, expected: str) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(old.parent)
    assert run(capsys, source, target) == (2, "", expected + "\n")


def test_pictures_are_found_from_another_folder(old: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    world = old.with_name("picture.wbt")
    world.write_text(
        "#VRML_SIM R2025a utf8\nShape { appearance PBRAppearance { baseColorMap ImageTexture { "
        'url [ "a.png" "https://x.org/b.png" ] } } geometry Box { } }'
    )
    (old.parent / "sub").mkdir()
    new = old.parent / "sub" / "new.wbt"
    run(capsys, str(world), str(new))
    (texture,) = [node for node in load_scene(new).walk() if node.type_name == "ImageTexture"]
    assert texture["url"] == ["../a.png", "https://x.org/b.png"]


@pytest.mark.parametrize("world", shipped_worlds())
def test_what_was_converted_stays_as_it_is(world: str, tmp_path: Path) -> None:
    """From the axes of any format to those of today, and once more; X3D goes to X3D without loss, too."""
    first, second = tmp_path / "first.wbt", tmp_path / "second.wbt"
    convert(str(find_world(world)), str(first))
    convert(str(first), str(second))
    assert first.read_text() == second.read_text()
    if world.startswith("x3d/"):
        x3d = tmp_path / "same.x3d"
        assert convert(str(find_world(world)), str(x3d)) == (None, [])
        assert write_scene(load_scene(x3d)) == write_scene(load_scene(find_world(world)))


def test_robots_of_urdf_files_are_written_once_and_for_all(tmp_path: Path) -> None:
    first, second = tmp_path / "first.wbt", tmp_path / "second.wbt"
    floor = find_world("urdf/floor")
    convert(str(floor), str(first), urdf=[str(floor.with_name("rover.urdf"))])
    convert(str(first), str(second))
    assert first.read_text() == second.read_text() and "Robot {" in first.read_text()


def topics(file: Path, *how: str) -> list[dict[str, object]]:
    """The topics of the robots of a world."""
    described = describe_world(file, how)
    return [topic for topic in described["topics"] if topic["robot"]]


def test_a_robot_of_sdf_keeps_its_topics_and_rates_in_parameters(tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    """They are those of the same robot from URDF, too."""
    inside = sdf().replace('<sdf version="1.9">', "").replace("</sdf>", "")
    world, made = tmp_path / "w.sdf", tmp_path / "made.wbt"
    world.write_text(f'<sdf version="1.9"><world name="w">{inside}</world></sdf>')
    code, out, err = run(capsys, str(world), str(made))
    parameters = tmp_path / "made.yaml"
    assert code == 0 and err == ""
    assert f"{parameters}: written" in out
    expected = topics(world)
    assert topics(made, str(parameters)) == expected
    assert topics(made) != expected
    of_urdf = tmp_path / "rover.urdf"
    of_urdf.write_text(urdf())
    bare = tmp_path / "bare.sdf"
    bare.write_text('<sdf version="1.9"><world name="w"/></sdf>')
    described = describe_world(bare, (), Loading((str(of_urdf),)))
    assert [topic for topic in described["topics"] if topic["robot"]] == expected
