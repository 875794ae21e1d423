"""Files of ros_gz_bridge, and the topic names they set."""

from pathlib import Path

import pytest

from ros_bridge.interface.interface import build_topics, describe
from ros_bridge.parameters.bridge_file import BridgedTopic, BridgeNode, read_bridge_file
from ros_bridge.parameters.parameter_file import Value, world_values
from ros_bridge.parameters.parameters import build_parameters
from sim_core.base.errors import ConfigError
from sim_core.scene import parse_scene
from sim_core.scene.robot_files import add_robot_file
from sim_core.session.simulation import Simulation

LIST = """# of a package for Gazebo
- topic_name: "cmd_vel"
  ros_type_name: "geometry_msgs/msg/TwistStamped"
  gz_type_name: "gz.msgs.Twist"
  direction: ROS_TO_GZ
- ros_topic_name: "scan"
  gz_topic_name: "/world/my world/model/r/link/a/sensor/eye/0/scan"
  ros_type_name: "sensor_msgs/msg/LaserScan"
  lazy: true
"""


def test_names_are_pairs_or_one_for_both(tmp_path: Path) -> None:
    file = tmp_path / "bridge.yaml"
    file.write_text(LIST)
    assert read_bridge_file(file) == [
        BridgedTopic("/cmd_vel", "/cmd_vel", "geometry_msgs/msg/TwistStamped", f"{file}:2"),
        BridgedTopic(
            "/world/my_world/model/r/link/a/sensor/eye/n0/scan",
            "/scan",
            "sensor_msgs/msg/LaserScan",
            f"{file}:6",
        ),
    ]
    file.write_text("")
    assert read_bridge_file(file) == []


@pytest.mark.parametrize(
    ("topic", "expanded"),
    [("chatter", "/demo/chatter"), ("/chatter", "/chatter"), ("~/chatter", "/demo/bridge/chatter")],
)
def test_a_namespace_changes_names_on_ros_and_those_of_gazebo_if_asked(
    tmp_path: Path, topic: str, expanded: str
) -> None:
    """As in the README of ros_gz_bridge, "Using ROS namespace with the Bridge"."""
    file = tmp_path / "bridge.yaml"
    file.write_text(f"- topic_name: {topic!r}\n")
    (both,) = read_bridge_file(file, BridgeNode("/demo", "bridge", expands_gazebo=True))
    assert (both.ros, both.gazebo) == (expanded, expanded)
    (plain,) = read_bridge_file(file, BridgeNode("/demo", "bridge"))
    assert plain.ros == expanded
    assert not plain.gazebo.startswith("/demo")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\n", "bridge.yaml:1: found no list, expected one of topics"),
        ("- topic_name: a\n- 3\n", "bridge.yaml:2: found no table, expected topic_name"),
        ("- ros_type_name: a\n", "bridge.yaml:1: found no topic, expected topic_name, or ros_topic_name and"),
    ],
)
def test_what_is_no_such_list_is_refused(tmp_path: Path, text: str, line: str) -> None:
    (tmp_path / "bridge.yaml").write_text(text)
    with pytest.raises(ConfigError) as refused:
        read_bridge_file(tmp_path / "bridge.yaml")
    assert line in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.yaml: cannot be read"):
        read_bridge_file(tmp_path / "none.yaml")


MASS = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
WHEELS = "".join(
    f"""<link name="{name}l">{MASS}<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="{name}" type="continuous"><parent link="a"/><child link="{name}l"/><origin xyz="0 {y} 0"/>
<axis xyz="0 1 0"/></joint>"""
    for name, y in (("l", 0.2), ("r", -0.2))
)
DRIVE = """<plugin name="gz::sim::systems::DiffDrive" filename="x"><left_joint>l</left_joint>
<right_joint>r</right_joint><frame_id>odom</frame_id></plugin>"""
SENSOR = '<sensor name="eye" type="gpu_lidar"/><sensor name="imu" type="imu"/>'
ROBOT = f"""<robot name="bot"><link name="a">{MASS}</link>{WHEELS}<gazebo>{DRIVE}</gazebo>
<gazebo reference="a">{SENSOR}</gazebo></robot>"""


@pytest.fixture
def scene_file(tmp_path: Path) -> Path:
    file = tmp_path / "bot.urdf"
    file.write_text(ROBOT)
    return file


def names(scene_file: Path, *values: Value, told: list[str] | None = None) -> dict[str, str]:
    """Return the topics of the robot with the frames in their headers."""
    scene = parse_scene('#VRML_SIM R2025a utf8\nWorldInfo { title "w 1" }')
    add_robot_file(scene, str(scene_file))
    sim = Simulation(scene)
    devices = {name: list(robot.devices) for name, robot in sim.robots.items()}
    parameters = build_parameters([*world_values(scene), *values], devices)
    sim = Simulation(scene, parameters.simulation)
    if told is not None:
        build_topics(sim, parameters.bridge, warn=told.append)
    return {each.name: each.frame_id for each in describe(sim, parameters.bridge) if each.robot}


def test_the_layout_gazebo_has_the_names_of_gazebo(scene_file: Path) -> None:
    found = names(scene_file, Value(("layout",), "gazebo", "--layout"))
    place = "/world/w_1/model/bot/link/a/sensor"
    assert {
        "/model/bot/cmd_vel",
        "/model/bot/odometry",
        "/model/bot/joint/l/cmd_vel",
        f"{place}/eye/scan",
        f"{place}/eye/scan/points",
        f"{place}/imu/imu",
    } <= set(found)
    assert found["/model/bot/odometry"] == "odom"


def test_without_it_files_alone_name_topics(scene_file: Path) -> None:
    found = names(scene_file)
    assert {"/bot/cmd_vel", "/bot/odom", "/bot/eye", "/bot/imu"} <= set(found)
    assert found["/bot/odom"] == "bot/odom"


def test_topics_have_the_names_that_the_file_gives(scene_file: Path, tmp_path: Path) -> None:
    """A missing topic is reported once, one that always exists never."""
    file = tmp_path / "bridge.yaml"
    file.write_text(
        """- { gz_topic_name: /model/bot/cmd_vel, ros_topic_name: go, ros_type_name: geometry_msgs/msg/Twist }
- { gz_topic_name: /world/w_1/model/bot/link/a/sensor/imu/imu, ros_topic_name: /imu/data }
- { topic_name: /model/bot/tf, ros_type_name: tf2_msgs/msg/TFMessage }
- { topic_name: /eye/image, ros_type_name: sensor_msgs/msg/Image }
"""
    )
    told: list[str] = []
    found = names(scene_file, Value(("bridge_file",), str(file), "--bridge"), told=told)
    assert {"/go", "/imu/data", "/model/bot/odometry"} <= set(found)
    assert "/model/bot/cmd_vel" not in found
    assert [line for line in told if "bridge" in line] == [
        f"{file}:4: no topic /eye/image that could be published as /eye/image"
    ]


def test_two_topics_of_one_name_are_refused(scene_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "bridge.yaml"
    file.write_text("- { gz_topic_name: /model/bot/cmd_vel, ros_topic_name: /model/bot/odometry }\n")
    with pytest.raises(ConfigError, match="topic /model/bot/odometry: found both for"):
        names(scene_file, Value(("bridge_file",), str(file), "--bridge"))
