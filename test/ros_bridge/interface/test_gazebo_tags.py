"""Topics and frames set in `<gazebo>` tags of URDF files: used as written, without renaming links."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from ros_bridge.composites.transforms import edges
from ros_bridge.devices import make_bridge
from ros_bridge.interface.interface import describe
from ros_bridge.interface.robot_names import RobotNames
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.parameter_file import Value, world_values
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.topics.records import Topic
from sim_core.base.geometry import Pose
from sim_core.model.device_spec import device_names
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

WORLD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
MASS = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
OPTICAL = '<origin rpy="-1.5707963267948966 0 -1.5707963267948966"/>'


def link(name: str, parent: str, inside: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{name}"/>'
    return f'<link name="{name}"/><joint name="to {name}" type="fixed">{ends}{inside}</joint>'


def robot(sensors: str, links: str = "") -> str:
    tags = f'<gazebo reference="mount">{sensors}</gazebo>'
    mount = link("mount", "base_link")
    return f'<robot name="r"><link name="base_link">{MASS}</link>{mount}{links}{tags}</robot>'


Loaded = Callable[..., tuple[Simulation, BridgeParams]]


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    """A world with the robot of a URDF text, and its parameters in a layout."""

    def load(text: str, layout: str = "nav2") -> tuple[Simulation, BridgeParams]:
        (tmp_path / "r.urdf").write_text(text)
        (tmp_path / "w.wbt").write_text(WORLD)
        sim = load_world(tmp_path / "w.wbt", urdf=[str(tmp_path / "r.urdf")])
        values = [*world_values(sim.scene), Value(("layout",), layout, "here")]
        return sim, build_parameters(values, device_names(sim.scene)).bridge

    return load


def transforms(sim: Simulation, params: BridgeParams) -> dict[str, tuple[str, Pose]]:
    """Return parent and pose of each frame of the robot; no frame is duplicated."""
    names = RobotNames(sim.robot("r"), "r", params)
    static, moving = edges(sim, {"r": names.frames})
    found = {edge.child: (edge.parent, edge.pose()) for edge in static + moving}
    assert len(found) == len(static + moving)
    return found


def seen(infos: list[Topic], device: str) -> dict[str, str]:
    return {
        info.name: info.frame_id for info in infos if info.device == device and info.direction == "publish"
    }


CAMERA = '<sensor name="eye" type="{}"><topic>front/image_raw</topic>{}<camera>{}</camera></sensor>'


@pytest.mark.parametrize(
    ("frame", "inside", "expected"),
    [
        ("<gz_frame_id>mount_optical</gz_frame_id>", "", "mount_optical"),
        ("<ignition_frame_id>mount_optical</ignition_frame_id>", "", "mount_optical"),
        ("", "<optical_frame_id>mount_optical</optical_frame_id>", "mount_optical"),
        ("<gz_frame_id>mount</gz_frame_id>", "", "mount"),
        ("<gz_frame_id>nowhere</gz_frame_id>", "", "nowhere"),
    ],
)
def test_pictures_are_where_and_in_the_frame_that_is_written(
    loaded: Loaded, frame: str, inside: str, expected: str
) -> None:
    text = robot(CAMERA.format("camera", frame, inside), link("mount_optical", "mount", OPTICAL))
    sim, params = loaded(text)
    topics = seen(describe(sim, params), "eye")
    assert topics == dict.fromkeys(
        ("/front/image_raw", "/front/image_raw/compressed", "/front/camera_info"), expected
    )
    frames = transforms(sim, params)
    assert {"mount", "mount_optical"} <= set(frames)
    assert frames["mount_optical"][0] == "mount"
    if expected == "nowhere":  # then it is the optical frame of the camera: x right, y down, z ahead
        assert frames["nowhere"][0] == "eye"
        assert frames["nowhere"][1].apply((0.0, 0.0, 1.0)) == pytest.approx((1.0, 0.0, 0.0))


@pytest.mark.parametrize("layout", ["nav2", "webots_ros2", "odesim"])
def test_a_frame_is_as_written_in_each_layout_and_in_the_tree(loaded: Loaded, layout: str) -> None:
    text = robot(CAMERA.format("camera", "<gz_frame_id>lens</gz_frame_id>", ""))
    sim, params = loaded(text, layout)
    assert set(seen(describe(sim, params), "eye").values()) == {"lens"}
    assert "lens" in transforms(sim, params)


def test_the_camera_model_is_beside_the_pictures_or_where_it_is_written(loaded: Loaded) -> None:
    written = "<camera_info_topic>model/info</camera_info_topic>"
    sim, params = loaded(robot(CAMERA.format("camera", "", written)))
    assert "/model/info" in seen(describe(sim, params), "eye")
    sim, params = loaded(robot('<sensor name="eye" type="camera"><topic>camera</topic></sensor>'))
    assert {"/camera", "/camera_info"} <= set(seen(describe(sim, params), "eye"))
    two = robot(CAMERA.format("camera", "", "") + CAMERA.format("depth", "", "").replace("image_raw", "d"))
    sim, params = loaded(two.replace('name="eye" type="depth"', 'name="deep" type="depth"'))
    assert {"/front/d", "/front/d/camera_info", "/front/d/points"} == set(seen(describe(sim, params), "deep"))


def test_an_rgbd_camera_has_the_topics_of_gazebo(loaded: Loaded) -> None:
    sim, params = loaded(robot('<sensor name="k" type="rgbd_camera"><topic>kinect</topic></sensor>'))
    names = {info.name for info in describe(sim, params)}
    assert {f"/kinect/{end}" for end in ("image", "depth_image", "points", "camera_info")} <= names


CLASSIC = '<plugin name="p" filename="{}"><ros><namespace>n</namespace>{}</ros>{}</plugin>'


@pytest.mark.parametrize(
    ("kind", "plugin", "expected"),
    [
        (
            "camera",
            CLASSIC.format(
                "libgazebo_ros_camera.so", "", "<camera_name>c</camera_name><frame_name>f</frame_name>"
            ),
            {"/n/c/image_raw": "f", "/n/c/camera_info": "f"},
        ),
        (
            "camera",
            CLASSIC.format("libgazebo_ros_camera.so", "<remapping>image_raw:=seen</remapping>", ""),
            {"/n/seen": "s_optical", "/n/s/camera_info": "s_optical"},
        ),
        (
            "depth",
            CLASSIC.format("libgazebo_ros_camera.so", "<remapping>s/points:=/p</remapping>", ""),
            {"/n/s/depth/image_raw": "s_optical", "/p": "s"},
        ),
        (
            "ray",
            CLASSIC.format(
                "libgazebo_ros_ray_sensor.so",
                "<remapping>~/out:=scan</remapping>",
                "<output_type>sensor_msgs/LaserScan</output_type><frame_name>mount</frame_name>",
            ),
            {"/n/scan": "mount"},
        ),
        (
            "gps",
            CLASSIC.format("libgazebo_ros_gps_sensor.so", "<remapping>~/out:=fix</remapping>", ""),
            {"/n/fix": "world"},
        ),
        (
            "imu",
            CLASSIC.format(
                "libgazebo_ros_imu_sensor.so", "<argument>~/out:=imu</argument>", "<frame_name>i</frame_name>"
            ),
            {"/n/imu": "i"},
        ),
    ],
)
def test_plugins_of_classic_say_topics_and_frames(
    loaded: Loaded, kind: str, plugin: str, expected: dict[str, str]
) -> None:
    sim, params = loaded(robot(f'<sensor name="s" type="{kind}">{plugin}</sensor>'))
    found = {info.name: info.frame_id for info in describe(sim, params)}
    assert {name: found.get(name) for name in expected} == expected
    assert not sim.scene.warnings


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 6.28), (-3.14, 3.14), (0.0, 2.0 * math.pi * 359 / 360), (0.0, 3.0)]
)
@pytest.mark.parametrize("layout", ["nav2", "odesim"])
def test_a_scan_begins_and_ends_at_the_angles_that_are_written(
    loaded: Loaded, low: float, high: float, layout: str
) -> None:
    angles = f"<samples>360</samples><min_angle>{low}</min_angle><max_angle>{high}</max_angle>"
    sensor = f"""<sensor name="laser" type="gpu_lidar"><topic>scan</topic><gz_frame_id>mount</gz_frame_id>
<lidar><scan><horizontal>{angles}</horizontal></scan></lidar></sensor>"""
    sim, params = loaded(robot(sensor), layout)
    device = sim.robot("r")["laser"]
    names = RobotNames(sim.robot("r"), "r", params)
    (output,) = [each for each in make_bridge(device, names.style(device)).outputs() if not each.name]
    assert (names.device_topic(device, ""), names.frame(device, output)) == ("/scan", "mount")
    message = output.message_type()
    output.constants(message)
    assert (message.angle_min, message.angle_max) == pytest.approx((low, high), abs=1e-6)
    assert message.angle_increment == pytest.approx((high - low) / 359)
    frames = transforms(sim, params)
    if layout == "nav2":  # the link keeps its name, and the device one of its own, at the same place
        assert (frames["mount"][0], frames["laser"]) == ("base_link", ("mount", Pose()))
    assert frames["mount" if layout == "nav2" else "r/mount"][1] == Pose()


def test_a_circle_as_written_starts_elsewhere_by_a_parameter(loaded: Loaded) -> None:
    angles = f"<samples>360</samples><min_angle>0</min_angle><max_angle>{2 * math.pi * 359 / 360}</max_angle>"
    sensor = f'<sensor name="laser" type="lidar"><scan><horizontal>{angles}</horizontal></scan></sensor>'
    sim, _ = loaded(robot(sensor))
    values = [*world_values(sim.scene), Value(("robots", "r", "laser", "angle_min"), -math.pi, "here")]
    params = build_parameters(values, device_names(sim.scene)).bridge
    device = sim.robot("r")["laser"]
    style = RobotNames(sim.robot("r"), "r", params).style(device)
    (output,) = [each for each in make_bridge(device, style).outputs() if not each.name]
    message = output.message_type()
    output.constants(message)
    assert message.angle_min == pytest.approx(-math.pi)
    assert message.angle_max == pytest.approx(math.pi - 2 * math.pi / 360)


def test_topics_of_the_drive_are_those_of_the_plugin(loaded: Loaded) -> None:
    cylinder = '<geometry><cylinder radius="0.05" length="0.02"/></geometry>'
    wheel = f'<collision><origin rpy="1.5707963 0 0"/>{cylinder}</collision>'
    joints = "".join(
        f'<link name="{n}">{MASS}{wheel}</link><joint name="{n}" type="continuous"><parent link="base_link"/>'
        f'<child link="{n}"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/></joint>'
        for n, y in (("l", 0.2), ("r", -0.2))
    )
    said = "<topic>go</topic><odom_topic>o</odom_topic><frame_id>start</frame_id>"
    said += "<child_frame_id>body</child_frame_id>"
    drive = f'<gazebo><plugin name="d" filename="gz-sim-diff-drive-system"><left_joint>l</left_joint>\
<right_joint>r</right_joint>{said}</plugin></gazebo>'
    kind = "gz-sim-joint-state-publisher-system"
    states = f'<gazebo><plugin name="j" filename="{kind}"><topic>js</topic></plugin></gazebo>'
    sim, params = loaded(robot("", joints + drive + states))
    found = {info.name: info.frame_id for info in describe(sim, params)}
    assert {"/go", "/o", "/js"} <= set(found) and not {"/cmd_vel", "/odom", "/joint_states"} & set(found)
    assert found["/o"] == "start"
    assert transforms(sim, params)["mount"][0] == "body"
