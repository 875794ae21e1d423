"""The same robot as URDF and as SDF is the same scene, and so is what is saved of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rover_files import sdf, urdf

from sim_core.scene import Node, Scene, load_scene, parse_scene, write_scene
from sim_core.scene.robot_files import add_robot_file
from sim_core.scene.sdf.reader import parse_sdf


@pytest.fixture
def placed(tmp_path: Path) -> Callable[[str, str], Scene]:
    """A world with the robot of a text."""

    def make(text: str, name: str) -> Scene:
        file = tmp_path / name
        file.write_text(text)
        scene = parse_scene(
            "#VRML_SIM R2025a utf8\nWorldInfo { contactProperties ContactProperties { bounce 0 } }"
        )
        add_robot_file(scene, f"{file}@1,2,0.3,0.5")
        return scene

    return make


def plain(node: Node) -> list[tuple[str, dict[str, object]]]:
    """What a tree says, numbers to 9 digits."""

    def value(each: object) -> object:
        if isinstance(each, float):
            return round(each, 9) + 0.0
        if isinstance(each, (tuple, list)):
            return tuple(value(part) for part in each if not isinstance(part, Node))
        return None if isinstance(each, Node) else each

    return [(each.type_name, {name: value(own) for name, own in each.fields.items()}) for each in node.walk()]


def test_the_same_robot_as_urdf_and_as_sdf(placed: Callable[[str, str], Scene]) -> None:
    first, second = placed(urdf(), "rover.urdf"), placed(sdf(), "rover.sdf")
    for one, two in zip(plain(first.nodes[-1]), plain(second.nodes[-1]), strict=True):
        assert one == two
    settings = [
        {(said.robot, said.device, said.name): said.value for said in each.device_settings if not said.layout}
        for each in (first, second)
    ]
    assert settings[0] == settings[1]


def test_a_saved_world_is_the_world_that_was_read(tmp_path: Path) -> None:
    inside = sdf().replace('<sdf version="1.9">', "").replace("</sdf>", "")
    scene = parse_sdf(f'<sdf version="1.9"><world name="w"><gravity>0 0 -3</gravity>{inside}</world></sdf>')
    file = tmp_path / "saved.wbt"
    file.write_text(write_scene(scene))
    again = load_scene(file)
    assert len(scene.nodes) == len(again.nodes)
    for one, two in zip(scene.nodes, again.nodes, strict=True):
        assert plain(one) == plain(two)
