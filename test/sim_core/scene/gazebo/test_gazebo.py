"""Sensors and the differential drive of Gazebo's tags."""

import math
from collections.abc import Callable

import pytest
from sensor_msgs.msg import CameraInfo

from ros_bridge.devices.cameras import camera_info
from sim_core.base.config import FaultConfig, SimulationConfig
from sim_core.base.errors import SceneErrors
from sim_core.base.geometry import IDENTITY
from sim_core.scene.robot_settings import with_device_settings
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
    assert {(item.name, item.value) for item in sim.scene.device_settings if not item.layout} == {
        ("topic", "/scan"),
        ("point_cloud_topic", "/scan/points"),
        ("sampling_period", 0.1),
        ("frame_id", "laser"),
    }
    assert lidar.period_ns == 100_000_000
    sim.sample([lidar])
    ranges = lidar.value.ravel()
    for angle, found in enumerate(ranges):
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
    imu = next(each for each in sim.scene.composites if each.kind == "imu")
    assert (imu.kind, imu.settings) == ("imu", {"topic": "/imu/data"})
    assert sim.robot("r")["imu_gyro"].period_ns == 10_000_000
    assert not sim.scene.warnings


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
    warning = spawned(robot('<sensor name="m" type="thermal_camera"/>')).scene.warnings[0]
    assert 'without effect: sensor "thermal_camera"' in str(warning)


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 6.28), (0.0, 3.0), (-3.14, 3.14), (-math.pi, math.pi), (-1.0, 2.0), (-3.2, 3.2)],
)
def test_rays_stand_at_the_angles_that_are_written(spawned: Spawned, low: float, high: float) -> None:
    """The face of the wall is 2.9 m to the left; the device stands as its link does."""
    angles = f"<samples>90</samples><resolution>2</resolution><min_angle>{low}</min_angle>"
    angles += f"<max_angle>{high}</max_angle>"
    scan = (
        f"<ray><scan><horizontal>{angles}</horizontal></scan><range><min>0.1</min><max>8</max></range></ray>"
    )
    sim = spawned(robot(f'<sensor name="scanner" type="ray">{scan}</sensor>'), world=WORLD)
    lidar = sim.robot("r")["scanner"]
    assert lidar.frame.pose().rotation == pytest.approx(IDENTITY)
    sim.sample([lidar])
    for index, found in enumerate(lidar.value.ravel()):
        angle = low + (high - low) * index / 179
        exact = 2.9 / math.sin(angle) if math.sin(angle) > 2.9 / 8.0 else math.inf
        if abs(exact) < 4.5:  # on the wall, which ends 4.5 m to each side
            assert found == pytest.approx(exact, rel=1e-4), angle
        elif math.sin(angle) < 0.3:
            assert found == math.inf, angle


def test_layers_lie_between_the_vertical_angles_that_are_written(spawned: Spawned) -> None:
    """From 1 m above the floor down by 0.2 and 0.4 rad it is 1/sin away."""
    across = (
        "<horizontal><samples>3</samples><min_angle>-0.1</min_angle><max_angle>0.1</max_angle></horizontal>"
    )
    up = "<vertical><samples>3</samples><min_angle>-0.4</min_angle><max_angle>0</max_angle></vertical>"
    scan = f"<lidar><scan>{across}{up}</scan><range><min>0.1</min><max>9</max></range></lidar>"
    floor = (
        "#VRML_SIM R2025a utf8\nWorldInfo { }\nSolid { children Shape { geometry Plane { size 40 40 } } }\n"
    )
    sensor = f'<sensor name="scanner" type="gpu_lidar">{scan}<pose>0 0 0.5 0 0 0</pose></sensor>'
    sim = spawned(robot(sensor), place="@0,0,0,0", world=floor)
    lidar = sim.robot("r")["scanner"]
    sim.sample([lidar])
    exact = [math.inf, 1.0 / math.sin(0.2), 1.0 / math.sin(0.4)]
    assert lidar.value[:, 1].tolist() == pytest.approx(exact, rel=1e-4)


def test_a_view_of_more_than_a_turn_is_refused(spawned: Spawned) -> None:
    scan = "<scan><horizontal><min_angle>1</min_angle><max_angle>0</max_angle></horizontal></scan>"
    with pytest.raises(SceneErrors, match="angles from 1 to 0, expected max_angle from min_angle"):
        spawned(robot(f'<sensor name="s2" type="lidar"><lidar>{scan}</lidar></sensor>'))


CAMERA = """<sensor name="eye" type="camera"><camera><horizontal_fov>1.2</horizontal_fov>
<image><width>64</width><height>48</height><format>R8G8B8</format></image><clip><near>0.1</near><far>9</far></clip>
{}</camera></sensor>"""


def test_distortion_is_that_of_the_camera_model(spawned: Spawned) -> None:
    """D counts in focal lengths, as `<distortion>` does: k1, k2, p1, p2, and 0 for k3."""
    k = "<k1>-0.25</k1><k2>0.12</k2><k3>0</k3><p1>-0.0003</p1><p2>0.0005</p2><center>0.5 0.5</center>"
    sim = spawned(robot(CAMERA.format(f"<distortion>{k}</distortion>")))
    info = CameraInfo()
    camera_info(info, sim.robot("r")["eye"].view)
    assert list(info.d) == pytest.approx([-0.25, 0.12, -0.0003, 0.0005, 0.0])
    assert not sim.scene.warnings


def noise(mean: float, deviation: float, more: str = "") -> str:
    return f'<noise type="gaussian"><mean>{mean}</mean><stddev>{deviation}</stddev>{more}</noise>'


def test_noise_is_that_of_the_devices(spawned: Spawned) -> None:
    """A camera's counts in parts of white, a lidar's in parts of its range; others have it as parameters."""
    axes = "".join(f"<{axis}>{noise(0.1, 0.02, '<bias_mean>0.4</bias_mean>')}</{axis}>" for axis in "xyz")
    scan = (
        "<scan><horizontal><samples>5</samples></horizontal></scan><range><min>0.1</min><max>8</max></range>"
    )
    position = f"<horizontal>{noise(0, 0.3)}</horizontal><vertical>{noise(0, 0.3)}</vertical>"
    sensors = (
        CAMERA.format(noise(0, 0.007))
        + f'<sensor name="scanner" type="lidar"><lidar>{scan}{noise(0.2, 0.04)}</lidar></sensor>'
        + f'<sensor name="i" type="imu"><imu><angular_velocity>{axes}</angular_velocity></imu></sensor>'
        + f'<sensor name="g" type="navsat"><navsat><position_sensing>{position}</position_sensing></navsat>'
        + "</sensor>"
    )
    sim = spawned(robot(sensors))
    devices = sim.robot("r").devices
    assert devices["eye"].spec["noise"] == 0.007
    assert devices["scanner"].spec["noise"] == pytest.approx(0.04 / 8.0)
    assert devices["g"].spec["accuracy"] == 0.3
    config = with_device_settings(SimulationConfig(), sim.scene)
    faults = {name: config.device("r", name).faults for name in ("scanner", "i_gyro", "i_accelerometer")}
    assert faults["scanner"] == FaultConfig(bias=0.2)
    assert faults["i_gyro"] == FaultConfig(gaussian=0.02, bias=0.5)
    assert faults["i_accelerometer"] == FaultConfig()
    assert not sim.scene.warnings


@pytest.mark.parametrize(
    ("sensor", "named"),
    [
        (CAMERA.format(noise(0.1, 0.1)), 'camera/noise/mean of sensor "eye"'),
        (CAMERA.format(noise(0, 0.1, "<bias_stddev>1</bias_stddev>")), "camera/noise/bias_stddev"),
        (CAMERA.format("<noise><type>salt</type></noise>"), 'camera/noise of sensor "eye"'),
        (CAMERA.format("<distortion><k3>0.1</k3></distortion>"), "camera/distortion/k3"),
        (CAMERA.format("<distortion><center>0.4 0.5</center></distortion>"), "camera/distortion/center"),
        (
            CAMERA.format("<lens><type>stereographic</type></lens><trigger_topic>t</trigger_topic>"),
            "camera/lens/type of",
        ),
        (CAMERA.format("").replace("R8G8B8", "L8"), "camera/image/format"),
        (
            '<sensor name="k" type="rgbd"><camera><distortion><k1>1</k1></distortion></camera></sensor>',
            "distortion",
        ),
        (
            f'<sensor name="i" type="imu"><imu><angular_velocity><x>{noise(0, 1)}</x></angular_velocity>'
            "</imu></sensor>",
            'imu/angular_velocity of sensor "i"',
        ),
        (
            '<sensor name="i" type="imu"><plugin filename="libx.so"/></sensor>',
            'plugin "libx.so" of sensor "i"',
        ),
        (
            '<sensor name="i" type="imu"><pose relative_to="a">0 0 1 0 0 0</pose></sensor>',
            'pose of sensor "i"',
        ),
        ("<material>Gazebo/Red</material><kp>1e6</kp>", "material, kp"),
        ("<mu1>0.5</mu1><mu2>0.4</mu2>", "without effect: mu2"),
    ],
)
def test_what_no_device_has_is_named(spawned: Spawned, sensor: str, named: str) -> None:
    (warning,) = spawned(robot(sensor)).scene.warnings
    assert named in str(warning) and "\n" not in str(warning)


def test_what_is_always_so_is_not_named(spawned: Spawned) -> None:
    sensor = '<sensor name="i" type="imu"><always_on>1</always_on><visualize>true</visualize></sensor>'
    plugin = '<plugin filename="gz-sim-sensors-system" name="S"><render_engine>ogre2</render_engine></plugin>'
    assert not spawned(robot(sensor + plugin + "<mu1>0.5</mu1><mu2>0.5</mu2>")).scene.warnings


def test_a_sensor_does_not_take_the_name_of_a_link(spawned: Spawned) -> None:
    """One at the place of its link of the same name is that link; any other one has a name of its own."""
    placed = '<sensor name="s" type="navsat"><pose>0 0 1 0 0 0</pose></sensor>'
    assert list(spawned(robot(placed)).robot("r").devices) == ["s_sensor"]
    sim = spawned(robot('<sensor name="s" type="navsat"/>'))
    assert (
        sim.robot("r")["s"].spec.id == next(node for node in sim.scene.walk() if node.type_name == "GPS").id
    )


def test_intrinsics_go_before_the_field_of_view(spawned: Spawned) -> None:
    """fx = width/(2·tan(angle/2)); a centre elsewhere is named."""
    inside = "<intrinsics><fx>100</fx><fy>100</fy><cx>80</cx><cy>50</cy><s>0</s></intrinsics>"
    size = "<image><width>160</width><height>120</height></image><horizontal_fov>2</horizontal_fov>"
    sensor = f'<sensor name="eye" type="camera"><camera>{size}<lens>{inside}</lens></camera></sensor>'
    sim = spawned(robot(sensor))
    assert sim.robot("r")["eye"].spec["fieldOfView"] == pytest.approx(2.0 * math.atan(0.8))
    (warning,) = sim.scene.warnings
    assert str(warning).endswith('camera/lens/intrinsics/cy of sensor "eye"')
