"""Names of topics and frames in a layout, and their replacement by a robot's own parameters."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ros_bridge.interface.interface import describe
from ros_bridge.parameters.parameter_file import Value
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.topics.layouts import LAYOUTS
from ros_bridge.topics.records import Topic
from sim_core.base.errors import ConfigError
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

WHEEL = """HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 Y 0.05 }
  device RotationalMotor { name "NAME" }
  endPoint Solid { translation 0 Y 0.05 rotation 1 0 0 1.5708 name "NAME wheel"
    boundingObject Cylinder { radius 0.05 height 0.02 } physics Physics { } } }
"""
WHEELS = "".join(WHEEL.replace("Y", y).replace("NAME", name) for name, y in (("l", "0.1"), ("r", "-0.1")))
ROOM = f"""#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 }}
Robot {{ name "bot" controller "<extern>" children [
  {WHEELS}
  Lidar {{ name "LDS-01" numberOfLayers 1 }}
  Lidar {{ name "rear" numberOfLayers 1 }}
  Camera {{ name "eye" }}
  RangeFinder {{ name "depth" translation 0.1 0 0 }}
  Gyro {{ name "gyro" }}
  Accelerometer {{ name "accelerometer" }}
  GPS {{ name "gps" }}
  Compass {{ name "compass" }}
] boundingObject Box {{ size 0.1 0.1 0.1 }} physics Physics {{ }} battery [ 10 20 ] }}
"""
OTHER = ROOM.split("\n", 2)[2].replace('"bot"', '"two"').replace("Robot {", "Robot { translation 3 0 0", 1)
Topics = Callable[..., dict[str, Topic]]


@pytest.fixture
def topics(tmp_path: Path) -> Topics:
    """Return the topics of a world with these parameters, by name."""

    def of(text: str = ROOM, **values: Any) -> dict[str, Topic]:
        (tmp_path / "room.wbt").write_text(text)
        sim = load_world(tmp_path / "room.wbt")
        given = [Value(tuple(name.split("__")), value, f"f.yaml:3:{name}") for name, value in values.items()]
        parameters = build_parameters(
            given, {name: list(robot.devices) for name, robot in sim.robots.items()}
        )
        found = describe(Simulation(sim.scene, parameters.simulation), parameters.bridge)
        return {info.name: info for info in found}

    return of


def test_nav2_has_the_names_that_nav2_and_the_teleops_expect(topics: Topics) -> None:
    """Names as in the parameter and launch files of Nav2 and TurtleBot3."""
    found = topics(layout="nav2")
    types = {
        "/cmd_vel": "geometry_msgs/msg/Twist or geometry_msgs/msg/TwistStamped",
        "/odom": "nav_msgs/msg/Odometry",
        "/scan": "sensor_msgs/msg/LaserScan",
        "/scan/points": "sensor_msgs/msg/PointCloud2",
        "/rear/scan": "sensor_msgs/msg/LaserScan",
        "/imu/data": "sensor_msgs/msg/Imu",
        "/camera/image_raw": "sensor_msgs/msg/Image",
        "/camera/image_raw/compressed": "sensor_msgs/msg/CompressedImage",
        "/camera/camera_info": "sensor_msgs/msg/CameraInfo",
        "/camera/depth/image_raw": "sensor_msgs/msg/Image",
        "/camera/depth/camera_info": "sensor_msgs/msg/CameraInfo",
        "/camera/depth/points": "sensor_msgs/msg/PointCloud2",
        "/joint_states": "sensor_msgs/msg/JointState",
        "/battery_state": "sensor_msgs/msg/BatteryState",
        "/robot_description": "std_msgs/msg/String",
    }
    assert {name: found[name].type for name in types if name in found} == types
    assert found["/odom"].frame_id == "odom"
    assert found["/scan"].frame_id == "LDS_01"
    assert found["/camera/image_raw"].frame_id == "eye_optical"
    assert not any("/bot/" in name for name in found)


def test_webots_ros2_has_its_names_and_frames(topics: Topics) -> None:
    """Names as in the plugins of webots_ros2_driver without settings in a URDF file."""
    found = topics(layout="webots_ros2")
    frames = {
        "/bot/LDS_01": "LDS_01",
        "/bot/LDS_01/point_cloud": "LDS_01",
        "/bot/eye/image_color": "eye",
        "/bot/eye/camera_info": "eye",
        "/bot/depth/image": "depth",
        "/bot/depth/camera_info": "depth",
        "/bot/depth/point_cloud": "depth",
        "/bot/gps": "gps",
        "/bot/gps/speed": "",
        "/bot/gps/speed_vector": "",
        "/bot/compass/north_vector": "compass",
        "/odom": "odom",
        "/joint_states": "",
        "/cmd_vel": "",
        "/imu": "gyro",
    }
    assert {name: found[name].frame_id for name in frames if name in found} == frames


def test_odesim_is_what_holds_without_a_word(topics: Topics) -> None:
    layouts: list[dict[str, str]] = [
        {},
        {"layout": "odesim"},
        {"layout": "nav2", "robots__bot__layout": "odesim"},
    ]
    first, *others = ([topic.row for topic in topics(**each).values()] for each in layouts)
    assert others == [first, first]


def test_a_robot_can_be_elsewhere_and_at_no_place(topics: Topics) -> None:
    assert {"/fleet/a/odom", "/fleet/a/eye/image_color"} <= set(topics(robots__bot__namespace="/fleet/a/"))
    found = topics(robots__bot__namespace="", robots__bot__frame_prefix="", robots__bot__odom_frame="o")
    assert {"/odom", "/eye/image_color", "/joint_command"} <= set(found)
    assert (found["/odom"].frame_id, found["/eye/image_color"].frame_id) == ("o", "eye_optical")


def test_ends_of_topics_are_as_they_are_written(topics: Topics) -> None:
    """Suffixes such as webots_ros2's `<imageSuffix>`, appended to the topic unchanged."""
    found = topics(
        robots__bot__eye__topic="/front",
        robots__bot__eye__image_suffix="/rgb",
        robots__bot__eye__camera_info_suffix="_info",
        robots__bot__depth__point_cloud_suffix="/points",
        robots__bot__depth__image_suffix="/raw",
    )
    expected = {"/front/rgb", "/front/rgb/compressed", "/front_info", "/bot/depth/points", "/bot/depth/raw"}
    assert expected <= set(found)


def test_the_imu_has_a_name_and_a_frame(topics: Topics) -> None:
    found = topics(robots__bot__imu_topic="/imu", robots__bot__imu_frame="imu_link")
    assert found["/imu"].frame_id == "imu_link"
    assert "/bot/imu" not in found


@pytest.mark.parametrize("layout", ["nav2", "webots_ros2"])
def test_a_second_robot_is_named_as_in_layout_odesim(topics: Topics, layout: str) -> None:
    """The robot with the most devices has the names that are for one robot, also if it is not the first."""
    both = ROOM.replace("Robot {", 'Robot { name "two" children [ GPS { name "gps" } ] } Robot {', 1)
    alone, beside, separate = topics(layout=layout), topics(both, layout=layout), topics(both)
    for robot, expected in (("bot", alone), ("two", separate)):
        names = {name for name, topic in expected.items() if topic.robot == robot}
        assert {name for name, topic in beside.items() if topic.robot == robot} == names
        assert names


def test_two_robots_need_namespaces_and_frames(topics: Topics) -> None:
    both = ROOM + OTHER
    with pytest.raises(ConfigError, match=r"frame odom: found both .* robots\.two\.layout.* set another"):
        topics(both, layout="nav2", robots__two__layout="nav2")
    with pytest.raises(ConfigError, match=r"topic /joint_states: found both .* robots\.two\.layout"):
        topics(both, layout="nav2", robots__two__frame_prefix="two/")
    found = topics(both, layout="nav2", robots__two__frame_prefix="two/", robots__two__namespace="two")
    assert (found["/two/scan"].frame_id, found["/scan"].frame_id) == ("two/LDS_01", "LDS_01")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("layout", "nav", 'found "nav", expected odesim, nav2, webots_ros2 or gazebo (did you mean "nav2"?)'),
        ("robots__bot__namespace", "8/x", "expected a namespace such as fleet/left"),
        ("robots__bot__root_frame", "earth", "expected world, map or none"),
        ("robots__bot__publish_tf", "some", "expected all, odom or none"),
        ("robots__bot__odom_frame", "", "expected letters, digits"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(topics: Topics, name: str, value: str, expected: str) -> None:
    with pytest.raises(ConfigError) as refused:
        topics(**{name: value})
    assert expected in str(refused.value) and str(refused.value).startswith("f.yaml:3:")


def test_layouts_name_nodes_and_topics_that_there_are(topics: Topics) -> None:
    """A row for a topic that no device has would have no effect."""
    plain = {name.removeprefix("/bot/") for name in topics()}
    devices = {"Lidar": "LDS_01", "Camera": "eye", "RangeFinder": "depth", "GPS": "gps"}
    devices |= {"RotationalMotor": "l", "LinearMotor": "l"}
    for layout in LAYOUTS.values():
        assert set(layout.topics) <= plain
        assert set(layout.bases) <= set(devices)
        for kind, suffix in [*layout.suffixes, *layout.device_frames]:
            if not suffix.startswith("recognitions"):
                assert f"{devices[kind]}/{suffix}".rstrip("/") in plain, (kind, suffix)
