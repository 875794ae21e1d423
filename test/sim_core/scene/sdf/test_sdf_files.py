"""Where files are looked for, and how models come into worlds."""

from pathlib import Path

import pytest

from sim_core.base.errors import ConfigError, SceneErrors
from sim_core.scene import load_scene, parse_scene
from sim_core.scene.robot_files import add_robot_file
from sim_core.scene.sdf.uris import find, model_file

BALL = """<sdf version="1.9"><model name="ball"><link name="l"><collision name="c">
<geometry><sphere><radius>0.2</radius></sphere></geometry></collision></link></model></sdf>"""


def put(path: Path, text: str = BALL) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing that this machine has is found."""
    for name in ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.mark.parametrize(
    "variable", ["GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH"]
)
def test_folders_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    file = put(tmp_path / "there" / "ball" / "model.sdf")
    world = tmp_path / "elsewhere" / "worlds" / "w.sdf"
    assert find("model://ball", world) is None
    monkeypatch.setenv(variable, f"/no/such:{tmp_path / 'there'}")
    assert find("model://ball/model.sdf", world) == file


def test_folders_above_the_file(tmp_path: Path) -> None:
    file = put(tmp_path / "pkg" / "models" / "big ball" / "model.sdf")
    world = tmp_path / "pkg" / "worlds" / "deep" / "w.sdf"
    for uri in (
        "model://big ball/model.sdf",
        "model://big%20ball/model.sdf",
        "\n  model://big ball/model.sdf \n",
    ):
        assert find(uri, world) == file
    beside = tmp_path / "pkg" / "models" / "other" / "model.sdf"
    assert find("model://big ball/model.sdf", beside) == file
    assert find("../models/big ball/model.sdf", world.parent) == file
    assert find(f"file://{file}", world) == file


def test_packages_of_ros(tmp_path: Path) -> None:
    file = put(tmp_path / "src" / "toys" / "meshes" / "ball.stl")
    put(tmp_path / "src" / "toys" / "package.xml", "<package><name>toys</name></package>")
    world = tmp_path / "src" / "worlds" / "w.sdf"
    assert find("package://toys/meshes/ball.stl", world) == file
    assert find("model://toys/meshes/ball.stl", world) == file


def test_the_cache_of_fuel_has_the_newest_version(tmp_path: Path) -> None:
    cache = tmp_path / "home" / ".gz" / "fuel" / "fuel.gazebosim.org" / "someone" / "models" / "red ball"
    put(cache / "2" / "model.sdf")
    newest = put(cache / "10" / "model.sdf")
    uri = "https://fuel.gazebosim.org/1.0/Someone/models/Red Ball"
    assert find(uri, tmp_path / "w.sdf") == newest.parent
    assert find(f"{uri}/2", tmp_path / "w.sdf") == cache / "2"
    assert find(f"{uri}/tip/files/model.sdf", tmp_path / "w.sdf") == newest


def test_the_file_for_the_highest_version(tmp_path: Path) -> None:
    for name in ("model.sdf", "model-1_4.sdf", "model-1_10.sdf"):
        put(tmp_path / "m" / name)
    put(
        tmp_path / "m" / "model.config",
        """<model><sdf version="1.4">model-1_4.sdf</sdf><sdf version="1.10">model-1_10.sdf</sdf>
        <sdf version="1.9">model.sdf</sdf></model>""",
    )
    assert model_file(tmp_path / "m") == tmp_path / "m" / "model-1_10.sdf"


def test_a_model_by_itself_stands_on_a_plane_in_the_sun(tmp_path: Path) -> None:
    scene = load_scene(put(tmp_path / "model.sdf"))
    assert [node["name"] for node in scene.nodes if node.is_a("Solid")] == ["ground_plane", "ball"]
    assert sum(node.type_name == "DirectionalLight" for node in scene.nodes) == 2  # one from all sides


def test_a_file_is_known_by_what_stands_in_it(tmp_path: Path) -> None:
    for name in ("a.world", "b.txt", "c.xml"):
        assert any(node.is_a("Solid") for node in load_scene(put(tmp_path / name)).nodes)


WORLD = '#VRML_SIM R2025a utf8\nWorldInfo { }\nSolid { name "ball2" }\n'


def test_a_model_is_put_into_any_world(tmp_path: Path) -> None:
    scene = parse_scene(WORLD)
    file = put(tmp_path / "model.sdf")
    ball = add_robot_file(scene, f"{file}@1,2,,0.5")
    assert ball["translation"] == pytest.approx((1.0, 2.0, 0.2))  # its lowest point is on the ground
    with pytest.raises(SceneErrors, match='a second model named "ball"'):
        add_robot_file(scene, str(file))
    with pytest.raises(ConfigError, match="expected x,y"):
        add_robot_file(scene, f"{file}@somebody")


def test_a_model_keeps_its_surface_in_a_world_of_webots(tmp_path: Path) -> None:
    """Nothing bounces that says nothing, though Webots' own default does."""
    scene = parse_scene(WORLD)
    add_robot_file(scene, str(put(tmp_path / "model.sdf")))
    bounces = {
        frozenset((node["material1"], node["material2"])): node["bounce"]
        for node in scene.world_info["contactProperties"]
    }
    assert bounces == {frozenset(("SDF",)): 0.0, frozenset(("SDF", "default")): 0.0}


def test_a_world_is_no_model(tmp_path: Path) -> None:
    file = put(tmp_path / "w.sdf", '<sdf version="1.9"><world name="w"/></sdf>')
    with pytest.raises(SceneErrors, match="SDF without a model"):
        add_robot_file(parse_scene(WORLD), str(file))


def test_xacro_in_a_world(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    text = """<sdf version="1.9" xmlns:xacro="http://ros.org/wiki/xacro"><world name="w">
    <xacro:macro name="ball" params="n"><model name="b${n}"><static>1</static><link name="l"/></model>
    </xacro:macro>
    <xacro:ball n="1"/><xacro:ball n="2"/></world></sdf>"""
    scene = load_scene(put(tmp_path / "w.sdf", text))
    assert [node["name"] for node in scene.nodes if node.is_a("Solid")] == ["b1", "b2"]


def test_an_include_of_urdf(tmp_path: Path) -> None:
    """A robot in the pose of the include, by its name; static: fixed to the world."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    robot = f'<robot name="arm"><link name="a">{mass}</link><link name="b">{mass}</link><joint name="j" \
type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    put(tmp_path / "models" / "arm" / "model.urdf", robot)
    config = '<?xml version="1.0"?><model><name>arm</name><sdf version="1.6">model.urdf</sdf></model>'
    put(tmp_path / "models" / "arm" / "model.config", config)
    uri = "<uri>model://arm</uri>"
    world = f"""<sdf version="1.9"><world name="w"><include>{uri}<pose>1 2 3 0 0 0</pose></include>
<include>{uri}<name>two</name><static>1</static></include></world></sdf>"""
    scene = load_scene(put(tmp_path / "worlds" / "w.sdf", world))
    one, two = (node for node in scene.nodes if node.is_a("Robot"))
    assert (one["name"], one["translation"], two["name"]) == ("arm", (1.0, 2.0, 3.0), "two")
    assert one["physics"] is not None
    assert two["physics"] is None
    assert not scene.warnings
