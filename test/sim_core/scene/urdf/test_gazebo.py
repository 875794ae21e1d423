"""Sensors and the differential drive of Gazebo's tags."""

import math
from collections.abc import Callable

import pytest

from sim_core.base.errors import SceneErrors
from sim_core.session.simulation import Simulation

Spawned = Callable[..., Simulation]
MASS = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial>'
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 2 }
Solid { translation 0 3 0 children DEF W Shape { geometry Box { size 9 0.2 9 } } boundingObject USE W }
"""


def robot(sensor: str, more: str = "") -> str:
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="s"/><origin xyz="0 0 0.5"/></joint>'
    gazebo = f'<gazebo reference="s">{sensor}</gazebo>'
    return f'<robot name="r"><link name="world"/><joint name="w" type="fixed"><parent link="world"/><child \
link="a"/></joint><link name="a">{MASS}</link><link name="s"/>{joint}{gazebo}{more}</robot>'


def test_a_lidar_has_the_samples_angles_and_ranges_of_its_scan(spawned: Spawned) -> None:
    """From 0 to 90° to the left; the last ray meets the wall, its face 2.9 m away, head on."""
    scan = (
        "<horizontal><samples>91</samples><min_angle>0</min_angle><max_angle>1.5707963267948966</max_angle>"
    )
    text = f"""<sensor name="scanner" type="gpu_lidar"><topic>scan</topic><update_rate>10</update_rate>
<gz_frame_id>laser</gz_frame_id><lidar><scan>{scan}</horizontal></scan>
<range><min>0.1</min><max>5</max></range></lidar></sensor>"""
    sim = spawned(robot(text), world=WORLD)
    lidar = sim.robot("r")["scanner"]
    assert {(item.name, item.value) for item in sim.scene.device_settings} == {
        ("topic", "/scan"),
        ("sampling_period", 0.1),
        ("frame_id", "laser"),
    }
    assert lidar.period_ns == 100_000_000
    sim.sample([lidar])
    ranges = lidar.value.ravel()
    degrees = [*range(91)]
    left = ranges if abs(ranges[-1] - 2.9) < abs(ranges[0] - 2.9) else ranges[::-1]  # as rays are counted
    for angle, found in zip(degrees, left, strict=True):
        exact = 2.9 / math.sin(math.radians(angle)) if angle else math.inf
        assert found == (pytest.approx(exact, rel=1e-4) if exact < 5.0 else math.inf)


def test_each_type_becomes_its_device(spawned: Spawned) -> None:
    view = "<camera><horizontal_fov>1.2</horizontal_fov><image><width>32</width><height>24</height></image>"
    view += "<clip><near>0.2</near><far>8</far></clip></camera><pose>0.1 0 0 0 0 0</pose>"
    sensors = (
        f'<sensor name="eye" type="camera">{view}</sensor>'
        f'<sensor name="kinect" type="rgbd_camera">{view}</sensor>'
        '<sensor name="imu" type="imu"><topic>imu/data</topic><update_rate>100</update_rate></sensor>'
        '<sensor name="fix" type="navsat"/><sensor name="touch" type="contact"/>'
    )
    sim = spawned(robot(sensors), world=WORLD)
    devices = sim.robot("r").devices
    assert {name: device.spec.type_name for name, device in devices.items()} == {
        "s": "TouchSensor",
        "eye": "Camera",
        "kinect": "Camera",
        "kinect_depth": "RangeFinder",
        "imu_inertialunit": "InertialUnit",
        "imu_gyro": "Gyro",
        "imu_accelerometer": "Accelerometer",
        "fix": "GPS",
    }
    eye, depth = sim.robot("r")["eye"].spec, sim.robot("r")["kinect_depth"].spec
    assert (eye["width"], eye["height"], eye["fieldOfView"], eye["near"], eye["far"]) == (32, 24, 1.2, 0.2, 8)
    assert (depth["minRange"], depth["maxRange"]) == (0.2, 8.0)
    assert sim.robot("r")["eye"].frame.pose().position == pytest.approx((0.1, 0.0, 0.5))
    (imu,) = sim.scene.composites
    assert (imu.kind, imu.settings) == ("imu", {"topic": "/imu/data"})
    assert sim.robot("r")["imu_gyro"].period_ns == 10_000_000
    assert not sim.scene.warnings


def test_a_diff_drive_plugin_says_how_the_robot_drives(spawned: Spawned) -> None:
    plugin = """<gazebo><plugin filename="gz-sim-diff-drive-system" name="gz::sim::systems::DiffDrive">
<left_joint>l</left_joint><right_joint>r</right_joint><wheel_separation>0.4</wheel_separation></plugin></gazebo>"""
    settings = spawned(robot("", plugin)).scene.device_settings
    assert [(item.device, item.name, item.value) for item in settings] == [
        ("diff_drive", "left", ["l"]),
        ("diff_drive", "right", ["r"]),
        ("diff_drive", "wheel_separation", 0.4),
    ]


@pytest.mark.parametrize(
    ("sensor", "line"),
    [
        ('<sensor type="imu"/>', "<sensor> without name"),
        (
            '<sensor name="i" type="imu"><update_rate>fast</update_rate></sensor>',
            'value "fast"',
        ),
    ],
)
def test_a_wrong_sensor_is_refused(spawned: Spawned, sensor: str, line: str) -> None:
    with pytest.raises(SceneErrors, match=line):
        spawned(robot(sensor))


def test_another_type_is_one_warning(spawned: Spawned) -> None:
    warning = spawned(robot('<sensor name="m" type="magnetometer"/>')).scene.warnings[0]
    assert '<gazebo> sensor "magnetometer" has no effect' in str(warning)
