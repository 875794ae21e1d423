"""Robots from xacro files: their arguments, what they include, and what is wrong with them."""

from pathlib import Path

import pytest

from ros_bridge.cli.convert import convert
from ros_bridge.cli.world_check import check_file
from ros_bridge.cli.world_info import Loading, describe_world
from sim_core.base.errors import OdesimError, SceneErrors
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene
from sim_core.scene.robot_description import RobotDescription
from sim_core.scene.urdf.mesh_urls import local_url
from sim_core.scene.urdf.reader import parse_urdf, read_urdf
from sim_core.scene.urdf.spawn import Placement, SpawnRequest, parse_argument
from sim_core.session.load_world import load_world

FLOOR = find_world("urdf/floor")
NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
WHEEL = f"""<robot {NAMESPACE}>
  <xacro:macro name="wheel" params="name y">
    <link name="${{name}}"/>
    <joint name="${{name}}_joint" type="continuous">
      <parent link="body"/><child link="${{name}}"/><origin xyz="0 ${{y}} 0"/><axis xyz="0 1 0"/>
    </joint>
  </xacro:macro>
</robot>
"""
CAR = f"""<?xml version="1.0"?>
<robot name="car" {NAMESPACE}>
  <xacro:arg name="wheels" default="2"/>
  <xacro:include filename="INCLUDED"/>
  <link name="body"/>
  <xacro:property name="n" value="$(arg wheels)"/>
  <xacro:macro name="row" params="i">
    <xacro:if value="${{i &lt; n}}">
      <xacro:wheel name="wheel${{i}}" y="${{i * 0.25}}"/>
      <xacro:row i="${{i + 1}}"/>
    </xacro:if>
  </xacro:macro>
  <xacro:row i="0"/>
</robot>
"""


def written(folder: Path, included: str = "parts/wheel.xacro", name: str = "car.urdf") -> Path:
    """A car whose wheels another file describes; its ending says nothing of xacro."""
    (folder / "parts").mkdir()
    (folder / "parts" / "wheel.xacro").write_text(WHEEL)
    file = folder / name
    file.write_text(CAR.replace("INCLUDED", included))
    return file


def wheels(model: RobotDescription) -> dict[str, float]:
    """How far to the left each wheel is, m."""
    return {joint.child: joint.origin.position[1] for joint in model.joints.values()}


def test_macros_arguments_and_included_files_make_the_robot(tmp_path: Path) -> None:
    file = written(tmp_path)
    model, warnings = read_urdf(file)
    assert (model.name, wheels(model), warnings) == ("car", {"wheel0": 0.0, "wheel1": 0.25}, [])
    model, _ = read_urdf(file, {"wheels": "3"})
    assert wheels(model) == {"wheel0": 0.0, "wheel1": 0.25, "wheel2": 0.5}


def test_the_file_is_only_read(tmp_path: Path) -> None:
    file = written(tmp_path)
    before = file.read_bytes()
    read_urdf(file)
    file.chmod(0o444)
    read_urdf(file)
    assert file.read_bytes() == before


def test_find_looks_for_packages_above_the_file(tmp_path: Path) -> None:
    package = tmp_path / "src" / "my_parts"
    package.mkdir(parents=True)
    (package / "package.xml").write_text("<package/>")
    (package / "wheel.xacro").write_text(WHEEL)
    file = tmp_path / "car.xacro"
    file.write_text(CAR.replace("INCLUDED", "$(find my_parts)/wheel.xacro"))
    with pytest.raises(SceneErrors, match='package "my_parts" is not above the file'):
        read_urdf(file)
    file = file.rename(tmp_path / "src" / "car.xacro")
    assert len(read_urdf(file)[0].joints) == 2


@pytest.mark.parametrize("where", ["above", "beside"])
def test_a_package_is_called_what_its_manifest_says(tmp_path: Path, where: str) -> None:
    """As an archive of a repository is unpacked: `my_parts-main`; also for meshes."""
    package = tmp_path / "my_parts-main"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text(
        "<!-- <name>other</name> --><package format='3'><name> my_parts </name>"
    )
    (package / "wheel.xacro").write_text(WHEEL)
    (tmp_path / "my_parts").mkdir()
    (tmp_path / "my_parts" / "package.xml").write_text("<package><name>another</name></package>")
    file = tmp_path / "mine" / "car.xacro" if where == "beside" else package / "urdf" / "car.xacro"
    file.parent.mkdir(exist_ok=True)
    file.write_text(CAR.replace("INCLUDED", "$(find my_parts)/wheel.xacro"))
    assert set(wheels(read_urdf(file)[0])) == {"wheel0", "wheel1"}
    assert local_url("package://my_parts/wheel.xacro", str(file)) == str(package / "wheel.xacro")
    assert local_url("package://my_parts-main/x", str(file)) == "package://my_parts-main/x"


def test_find_knows_the_packages_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share = tmp_path / "ros" / "share" / "my_parts"
    share.mkdir(parents=True)
    (share / "wheel.xacro").write_text(WHEEL)
    (tmp_path / "home").mkdir()
    file = tmp_path / "home" / "car.xacro"
    file.write_text(CAR.replace("INCLUDED", "$(find my_parts)/wheel.xacro"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    assert len(read_urdf(file)[0].joints) == 2


BAD = {
    "no such file": (
        '<xacro:include filename="none.xacro"/>',
        "car.xacro: xacro: No such file or directory:",
    ),
    "no such argument": (
        '<link name="$(arg none)"/>',
        "car.xacro: xacro: Undefined substitution argument none",
    ),
    "no such macro": ("<xacro:none/>", "car.xacro: xacro: unknown macro name: xacro:none"),
    "no such name": (
        '<link name="${none}"/>',
        "car.xacro: xacro: name 'none' is not defined when evaluating expression 'none'",
    ),
    "a macro without end": (
        '<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>',
        "car.xacro: xacro: macros that do not end",
    ),
    "not well-formed": ("<link", "car.xacro:2:20: not well-formed (invalid token), expected"),
    "an included file that is not well-formed": (
        '<xacro:include filename="broken.xacro"/>',
        "broken.xacro:1:8: no element found, expected well-formed XML",
    ),
    "wrong when expanded": (
        '<link name="a"/><xacro:property name="j" value="k"/><joint name="${j}" type="screw"/>',
        ':3: joint.type "screw", expected one of',
    ),
}


@pytest.mark.parametrize(("inside", "line"), BAD.values(), ids=list(BAD))
def test_what_is_wrong_is_one_line_with_its_file(tmp_path: Path, inside: str, line: str) -> None:
    (tmp_path / "broken.xacro").write_text("<robot>")
    file = tmp_path / "car.xacro"
    file.write_text(f'<robot name="r" {NAMESPACE}>\n<!-- xacro -->{inside}</robot>')
    with pytest.raises(SceneErrors) as caught:
        read_urdf(file)
    (problem,) = caught.value.problems
    assert line in str(problem)
    assert problem.file in (str(file), f"{file} (as made by xacro)", str(tmp_path / "broken.xacro"))
    assert "\n" not in str(problem)


def test_what_xacro_warns_of_is_a_warning(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "car.xacro"
    file.write_text(
        f'<robot name="r" {NAMESPACE}><link name="a"/><xacro:include filename="parts*.xacro"/></robot>'
    )
    _, warnings = read_urdf(file)
    assert [str(each) for each in warnings] == [
        f'{file}: xacro: Include tag\'s filename spec "{tmp_path}/parts*.xacro" matched no files.'
    ]
    assert capfd.readouterr() == ("", "")


def test_values_for_a_plain_file_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "plain.urdf"
    file.write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(SceneErrors, match="plain URDF, but arguments for xacro: wheels"):
        read_urdf(file, {"wheels": "2"})


def test_text_that_came_from_afar_is_not_expanded() -> None:
    with pytest.raises(SceneErrors, match=r'f:1:29: xacro \("\$\{"\), expected plain URDF'):
        parse_urdf('<robot name="r"><link name="${n}"/></robot>', "f")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.xacro", SpawnRequest("a.xacro")),
        ("a.xacro n:=4", SpawnRequest("a.xacro", values={"n": "4"})),
        ("a.xacro@1,2 n:=4 name:=b", SpawnRequest("a.xacro", Placement(1.0, 2.0), {"n": "4", "name": "b"})),
        ("a.xacro title:=two words n:=", SpawnRequest("a.xacro", values={"title": "two words", "n": ""})),
        ("my file.xacro n:=4", SpawnRequest("my file.xacro", values={"n": "4"})),
    ],
)
def test_values_stand_behind_the_file_and_the_place(text: str, expected: SpawnRequest) -> None:
    assert parse_argument(text) == expected


def test_run_check_info_and_convert_read_it(tmp_path: Path) -> None:
    file = written(tmp_path)
    file.write_text(file.read_text().replace('name="car"', 'name="$(arg name)"'))
    robot = f"{file}@1,2 wheels:=3 name:=car"
    sim = load_world(FLOOR, urdf=[robot, f"{file}@1,-2 name:=other"])
    assert list(sim.robots) == ["car", "other"]
    assert len(check_file(FLOOR, Loading([robot])).errors) == 0
    (car,) = describe_world(FLOOR, how=Loading([robot]))["robots"]
    assert [each["name"] for each in car["devices"]].count("wheel2_joint") == 1
    target = tmp_path / "made.wbt"
    convert(str(FLOOR), str(target), urdf=[robot])
    (made,) = (node for node in load_scene(target).nodes if node.is_a("Robot"))
    assert made["name"] == "car"
    assert made["translation"][:2] == (1.0, 2.0)


def test_a_robot_in_place_of_a_world_says_how_to_put_it_into_one(tmp_path: Path) -> None:
    with pytest.raises(OdesimError, match="odesim run urdf/floor --urdf FILE"):
        load_scene(written(tmp_path))
