"""Topics defined by `<plugin>` tags of webots_ros2's URDF files."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pictures import needs_gl
from sensor_msgs.msg import Imu, PointCloud2

from ros_bridge.composites.tagged import tagged
from ros_bridge.interface.interface import describe
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.parameter_file import world_values
from ros_bridge.parameters.parameters import build_parameters
from sim_core.base.errors import SceneErrors
from sim_core.model.device_spec import device_names
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation
from sim_core.session.snapshot_file import read_run

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 9.81 }
Solid { translation 3 0 0 children Shape { geometry Box { size 0.2 9 9 } } }
Robot { name "bot" rotation 0 0 1 0.3 children [
  InertialUnit { name "unit" } Gyro { name "turn rate" }
  Solid { name "head" children Accelerometer { name "weight" } }
  Camera { name "eye" width 8 height 6 fieldOfView 1 }
  RangeFinder { name "depth" width 8 height 6 fieldOfView 1 maxRange 9 } ] }
"""
TAGS = """<robot name="Any name"><webots>
<plugin type="webots_ros2_driver::Ros2IMU"><enabled>true</enabled><topicName>/imu</topicName>
<updateRate>20</updateRate><alwaysOn>true</alwaysOn><frameName>imu_link</frameName>
<inertialUnitName>unit</inertialUnitName><gyroName>turn rate</gyroName>
<accelerometerName>weight</accelerometerName></plugin>
<plugin type="webots_ros2_driver::Ros2RGBD"><topicName>points</topicName><rangeFinder>depth</rangeFinder>
<camera>eye</camera></plugin>
<plugin type="webots_ros2_control::Ros2Control"/>
</webots></robot>"""


@pytest.fixture
def world(tmp_path: Path) -> Callable[[str], Simulation]:
    """Return a world with a robot, and the settings of a URDF text for it."""

    def make(tags: str) -> Simulation:
        (tmp_path / "bot.urdf").write_text(tags)
        (tmp_path / "w.wbt").write_text(WORLD)
        return load_world(tmp_path / "w.wbt", urdf=[str(tmp_path / "bot.urdf")])

    return make


def test_the_imu_of_a_plugin_tag_has_its_topic_frame_and_rate(world: Callable[[str], Simulation]) -> None:
    sim = world(TAGS)
    infos = {info.name: info for info in describe(sim, BridgeParams())}
    imu = infos["/imu"]
    assert (imu.type, imu.frame_id, imu.period) == ("sensor_msgs/msg/Imu", "imu_link", 0.05)
    assert "/bot/imu" not in infos
    points = infos["/bot/points"]
    assert (points.type, points.frame_id) == ("sensor_msgs/msg/PointCloud2", "bot/eye")
    robot = sim.robot("bot")
    publication = next(tagged(sim.scene.composites, robot, "/bot", {}))
    assert publication.always_on
    sim.run(0.05)
    sim.sample(list(publication.sensors))
    message = Imu()
    publication.constants(message)
    publication.fill(message, sim.time_ns)
    assert message.orientation.z == pytest.approx(math.sin(0.15))
    assert message.linear_acceleration.z == pytest.approx(9.81)
    assert message.angular_velocity.z == 0.0


@needs_gl
def test_the_points_of_an_rgbd_tag_lie_ahead_on_the_wall(world: Callable[[str], Simulation]) -> None:
    """x ahead, y left, z up: the wall x = 2.9 in the world, the robot turned left by 0.3."""
    sim = world(TAGS)
    points = next(
        each
        for each in tagged(sim.scene.composites, sim.robot("bot"), "/bot", {"eye": "e", "unit": "u"})
        if each.message_type is PointCloud2
    )
    assert points.trigger is not None
    pair, readings = points.trigger, []
    pair.demand = lambda: True
    pair.add_listener(readings.append)
    robot = sim.robot("bot")
    sim.sample([robot["eye"], robot["depth"]])
    for _ in range(200):
        if readings:
            break
        sim.step()
        sim.sample([robot["eye"], robot["depth"]])
    message = PointCloud2()
    points.constants(message)
    points.fill(message, readings[0])
    x, y, z, _ = np.frombuffer(message.data, np.float32).reshape(-1, 4).T
    assert x * math.cos(0.3) - y * math.sin(0.3) == pytest.approx(2.9, rel=1e-3)
    assert (y[0], z[0]) > (0.0, 0.0)  # the first pixel is the upper left one


def test_what_is_put_together_is_in_a_snapshot(world: Callable[[str], Simulation], tmp_path: Path) -> None:
    sim = world(TAGS)
    file = sim.snapshot().save(tmp_path / "run.snapshot")
    assert read_run(file).composites == tuple(sim.scene.composites)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "turn rate",
            "spin",
            r'2:1: the Gyro "spin" of a imu plugin, expected one of .*: "turn rate"',
        ),
        ("<camera>eye</camera>", "", r"6:1: webots_ros2_driver::Ros2RGBD with 1 devices, expected 2 or more"),
    ],
)
def test_a_wrong_plugin_tag_is_refused(
    world: Callable[[str], Simulation], old: str, new: str, line: str
) -> None:
    with pytest.raises(SceneErrors, match=line):
        world(TAGS.replace(old, new))


def test_a_camera_tag_says_how_its_topics_end(world: Callable[[str], Simulation]) -> None:
    """The suffix is appended to the device's topic as written, as in webots_ros2."""
    ros = "<topicName>/front</topicName><imageSuffix>/raw</imageSuffix>"
    ros += "<cameraInfoSuffix>_info</cameraInfoSuffix>"
    depth = "<ros><pointCloudSuffix>/points</pointCloudSuffix></ros>"
    sim = world(
        f'<robot name="bot"><webots><device reference="eye" type="Camera"><ros>{ros}</ros></device>'
        f'<device reference="depth" type="RangeFinder">{depth}</device></webots></robot>'
    )
    values = world_values(sim.scene)
    params = build_parameters(values, device_names(sim.scene)).bridge
    names = {info.name for info in describe(sim, params)}
    assert {"/front/raw", "/front/raw/compressed", "/front_info", "/bot/depth/points"} <= names
    sim.close()
