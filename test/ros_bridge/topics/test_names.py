"""ROS names of robots and devices: legal, unique, and the same for the same file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ros_bridge.cli.world_check import build
from ros_bridge.interface.interface import build_topics
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.names import kind_of, legal_name, legal_path, robot_names, ros_names
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("ds_front", "ds_front"),
        ("left wheel", "left_wheel"),
        ("e-puck", "e_puck"),
        ("8ball", "n8ball"),
        ("_a__b_", "a_b"),
        ("é", "e"),
        ("caméra à gauche", "camera_a_gauche"),
        ("ﬁn½ １", "fin1_2_1"),
        ("相机2", "n2"),
        ("相机", ""),
        ("робот", ""),
        ("", ""),
    ],
)
def test_names_become_letters_digits_and_single_underscores(name: str, legal: str) -> None:
    assert legal_name(name) == legal


@given(st.text())
def test_a_legal_name_stays_as_it_is(name: str) -> None:
    legal = legal_name(name)
    assert legal_name(legal) == legal
    assert not legal[:1].isdigit() and "__" not in legal
    assert all(c.isascii() and (c.isalnum() or c == "_") for c in legal)


KINDS = {"相机": "camera", "カメラ": "camera", "gps": "gps", "位置": "gps", "": "led", "робот": "robot"}


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (KINDS, ["camera1", "camera2", "gps", "gps1", "led1", "robot1"]),
        (
            dict.fromkeys(("camera(1)", "camera_1", "camera-1"), "camera"),
            ["camera_1_2", "camera_1", "camera_1_3"],
        ),
        (dict.fromkeys(("相机", "camera1", "camera2"), "camera"), ["camera3", "camera1", "camera2"]),
        (dict.fromkeys(("é", "è", "e_2"), "led"), ["e", "e_3", "e_2"]),
    ],
)
def test_names_stay_different(kinds: dict[str, str], expected: list[str]) -> None:
    assert list(ros_names(kinds).values()) == expected


def test_robots_keep_their_namespaces() -> None:
    names = ("fleet/e-puck", "fleet/机器人", "机器人", "/机器人/二", "fleet/robot1")
    expected = ["fleet/e_puck", "fleet/robot2", "robot1", "robot2", "fleet/robot1"]
    assert list(robot_names(names).values()) == expected


@given(st.lists(st.text(alphabet="ab_- éя1/相", max_size=4), unique=True, max_size=12))
def test_every_list_of_names_becomes_as_many_legal_ones(names: list[str]) -> None:
    kinds = dict.fromkeys(names, "led")
    legal, robots = ros_names(kinds), robot_names(names)
    for found, rule in ((legal, legal_name), (robots, legal_path)):
        assert list(found) == names and len(set(found.values())) == len(names)
        assert all(rule(each) == each for each in found.values())
        assert all(found[name] == name for name in names if name and rule(name) == name)
    more = ros_names(kinds | {"zz": "led"})
    assert all(more[name] == legal[name] for name in names)  # later things do not change earlier names


def test_kinds_of_devices_are_their_types_in_small_letters() -> None:
    types = ("GPS", "DistanceSensor", "LED", "RotationalMotor", "InertialUnit")
    expected = ["gps", "distance_sensor", "led", "rotational_motor", "inertial_unit"]
    assert [kind_of(each) for each in types] == expected


WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Robot {
  name "机器人" controller "<none>"
  children [ Camera { name "相机" } GPS { name "位置" }
    Camera { name "camera(1)" } Camera { name "camera_1" } ]
}
DEF TWO Robot { translation 1 0 0 name "é" controller "<none>" children GPS { name "gps é" } }
DEF THREE Robot { translation 2 0 0 name "робот" controller "<none>" }
"""
LINES = [
    'robot "机器人" is "robot1" on ROS (w.wbt:3:1)',
    'robot "робот" is "robot2" on ROS (w.wbt:9:1)',
    '机器人: Camera "相机" is "camera1" on ROS (w.wbt:5:14)',
    '机器人: GPS "位置" is "gps1" on ROS (w.wbt:5:35)',
    '机器人: Camera "camera(1)" is "camera_1_2" on ROS (w.wbt:6:5)',
]


@pytest.fixture
def sim(tmp_path: Path) -> Simulation:
    (tmp_path / "w.wbt").write_text(WORLD, encoding="utf-8")
    return build(load_scene(tmp_path / "w.wbt"), tmp_path / "w.wbt")[0]


def topics_of(sim: Simulation) -> set[str]:
    return {each.name for each in build_topics(sim, BridgeParams()).publications}


def test_a_world_with_names_in_any_script_has_topics_and_says_how_they_are_called(sim: Simulation) -> None:
    said: list[str] = []
    told: set[str] = set()
    for _ in range(2):  # rebuilt after an edit
        build_topics(sim, BridgeParams(), warn=said.append, warned=told)
    assert [line.replace(str(Path(sim.scene.file).parent) + "/", "") for line in said] == LINES
    pictures = {f"/robot1/{each}/image_color" for each in ("camera1", "camera_1", "camera_1_2")}
    assert pictures | {"/robot1/gps1", "/e/gps_e", "/robot2/ground_truth"} <= topics_of(sim)
    assert set(sim.robots) == {"机器人", "é", "робот"} and sim.robot("机器人")["相机"].name == "相机"


def test_edits_follow_the_same_rule(sim: Simulation, tmp_path: Path) -> None:
    """After an import and a removal the topics are those of the saved world, loaded."""
    robot = 'Robot { translation 3 0 0 name "車" controller "<none>" children GPS { name "位" } }'
    sim.supervisor.import_text(robot)
    sim.step()
    assert {"/robot2/ground_truth", "/robot3/gps1"} <= topics_of(sim)
    sim.supervisor.remove("THREE")
    sim.step()
    saved = sim.supervisor.save(tmp_path / "saved.wbt")
    assert topics_of(Simulation(load_scene(saved))) == topics_of(sim)
    assert {"/robot1/gps1", "/e/gps_e", "/robot2/gps1"} <= topics_of(sim)
