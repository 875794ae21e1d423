"""Files that are no worlds, and how long a world takes."""

import time
from pathlib import Path

import pytest

from sim_core.base.errors import SceneErrors
from sim_core.scene import load_scene
from sim_core.scene.loader import world_info_of

GOOD = b'#VRML_SIM R2025a utf8\nRobot { name "caf\xc3\xa9" }\n'


def message(path: Path) -> str:
    with pytest.raises(SceneErrors) as caught:
        load_scene(path)
    assert len(caught.value.problems) == 1
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_utf8_is_read_with_and_without_a_mark(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "w.wbt"
    path.write_bytes(start + GOOD)
    scene = load_scene(str(path))
    assert scene.file == str(path) and scene.nodes[0]["name"] == "café"
    assert scene.nodes[0].where == f"{path}:2:1"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ": an empty file, expected a world file (.wbt)"),
        (b" \n ", ": an empty file, expected a world file (.wbt)"),
        (GOOD + b"\n# \xff", ":4:3: byte 0xff, which is not UTF-8, expected text in UTF-8"),
        (
            b"\x7fELF\x02\x01\x01\x00\x00",
            ":1:1: header '\\x7fELF\\x02\\x01\\x01\\x00\\x00', expected a first line",
        ),
        (b"Robot { }", ":1:1: header 'Robot { }', expected a first line like \"#VRML_SIM R2025a utf8\""),
        (b"\nRobot { }", ':1:1: no header, expected a first line like "#VRML_SIM R2025a utf8"'),
        (b"#VRML V2.0 utf8\n", ":1:1: header '#VRML V2.0 utf8', expected"),
    ],
)
def test_files_that_are_no_worlds(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "w.wbt"
    path.write_bytes(data)
    assert message(path).startswith(expected)


def test_the_world_info_alone_needs_no_other_file(tmp_path: Path) -> None:
    path = tmp_path / "w.wbt"
    head = '#VRML_SIM R2025a utf8\nEXTERNPROTO "nowhere/A.proto" # WorldInfo { }\nA { name "WorldInfo {" } '
    for info, title in ((' DEF INFO WorldInfo { info [ "}" ] title "t" }', "t"), ("", "")):
        path.write_text(f"{head}{info} A {{ }}", encoding="utf-8")
        assert world_info_of(path)["title"] == title
    path.write_text(f"{head} WorldInfo {{\ntitle 3 }} A {{ }}", encoding="utf-8")
    with pytest.raises(SceneErrors, match=r"w\.wbt:4:7: "):
        world_info_of(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert message(tmp_path / "no.wbt") == ": no such file, expected a world file (.wbt)"
    assert message(tmp_path) == ": a folder, expected a world file (.wbt)"
    with pytest.raises(SceneErrors):
        load_scene("a\0b")


def test_a_large_terrain_loads_in_reasonable_time(tmp_path: Path) -> None:
    path = tmp_path / "terrain.wbt"
    heights = " ".join(str(index * 0.001) for index in range(100_000))
    path.write_text(f"#VRML_SIM R2025a utf8\nShape {{ geometry ElevationGrid {{ height [ {heights} ] }} }}\n")
    start = time.process_time()
    scene = load_scene(path)
    assert time.process_time() - start < 5.0
    assert len(scene.nodes[0]["geometry"]["height"]) == 100_000
