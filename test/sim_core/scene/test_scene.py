"""Scenes: finding nodes, defaults, names of declared PROTO nodes."""

import pytest

from sim_core.scene import ExternProto, Node, Scene, parse_scene


def test_world_info_is_the_files_or_one_with_defaults() -> None:
    scene = Scene()
    assert scene.world_info["gravity"] == 9.81 and scene.world_info is scene.world_info
    assert scene.nodes == []
    info = Node.create("WorldInfo", basicTimeStep=8)
    scene.nodes.append(info)
    assert scene.world_info is info


def test_find_def_takes_the_first_and_no_copies() -> None:
    scene = parse_scene("#VRML_SIM R2025a utf8\nDEF A Pose { children DEF B Gyro { } } USE A DEF B Group { }")
    assert scene.find_def("A") is scene.nodes[0]
    assert scene.find_def("B") is scene.nodes[0]["children"][0]
    assert scene.find_def("C") is None


def test_walk_goes_through_all_roots_and_copies() -> None:
    scene = parse_scene("#VRML_SIM R2025a utf8\nDEF A Pose { children Gyro { } } USE A")
    assert [node.type_name for node in scene.walk()] == ["Pose", "Gyro", "Pose", "Gyro"]


@pytest.mark.parametrize("url", ["Foo.proto", "../p/Foo.proto", "https://h/a/Foo.proto", "C:\\p\\Foo.proto"])
def test_a_proto_is_named_after_its_file(url: str) -> None:
    assert ExternProto(url).name == "Foo"
