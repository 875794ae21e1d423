"""Messages of cameras and range finders: pixels, models that match the pictures, frames."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from pictures import needs_gl
from PIL import Image as Pillow
from rosbags.typesys import Stores, get_typestore
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, PointCloud2
from std_msgs.msg import Float64

from ros_bridge.devices import make_bridge
from ros_bridge.interface.interface import build_topics, describe
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.outcomes import OutcomeLog
from ros_bridge.topics.records import InCdr
from sim_core.base.geometry import rotate
from sim_core.scene import parse_scene
from sim_core.session.pipeline import decoded
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

BALL = """Solid {{ name "{0}" translation {1} recognitionColors [ {0} ] children Shape {{
  appearance Appearance {{ material Material {{ diffuseColor 0 0 0 emissiveColor {0} }} }}
  geometry Sphere {{ radius 0.05 }} }} }}"""
BALLS = {"1 0 0": (3.0, 0.8, 0.4), "0 1 0": (4.0, -1.0, 0.3), "0 0 1": (2.5, 0.1, -0.5)}
PLACE = "translation 0.3 -0.2 0.1 rotation 0 0 1 0.1"


def simulation(devices: str, nodes: str = "") -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }} {nodes} Robot {{ name "r" {PLACE} children [ {devices} ] }}"""
    return Simulation(parse_scene(text, "w.wbt"))


def messages(sim: Simulation, device: str) -> dict[str, Any]:
    sim.step()
    sim.close()
    found = {}
    for output in make_bridge(sim.robot("r")[device]).outputs():
        message = found[output.name] = output.message_type()
        output.constants(message)
        output.fill(message, sim.robot("r")[device].reading)
    return found


def pixels(message: Any) -> np.ndarray:
    return np.frombuffer(message.data, np.uint8).reshape(message.height, message.width, -1)


@needs_gl
def test_balls_are_where_camera_info_projects_them() -> None:
    nodes = "".join(BALL.format(colour, " ".join(map(str, at))) for colour, at in BALLS.items())
    sim = simulation("Camera { width 320 height 240 fieldOfView 1 recognition Recognition { } }", nodes)
    got = messages(sim, "camera")
    assert {name: type(message) for name, message in got.items()} == {
        "image_color": Image,
        "image_color/compressed": CompressedImage,
        "camera_info": CameraInfo,
        "recognitions": PointCloud2,
    }
    image, info = got["image_color"], got["camera_info"]
    assert (image.encoding, image.step, image.width, image.height) == ("bgra8", 1280, 320, 240)
    shown = pixels(image)
    matrix = np.array(info.p).reshape(3, 4)
    assert list(info.k) == list(matrix[:, :3].ravel())
    assert (info.distortion_model, list(info.d)) == ("plumb_bob", [0.0] * 5)
    cloud = got["recognitions"]
    assert [field.name for field in cloud.fields[:3]] == ["x", "y", "z"]
    objects = np.frombuffer(cloud.data, np.float32).reshape(-1, len(cloud.fields))
    assert len(objects) == 3
    pose = sim.robot("r")["camera"].frame.pose()
    for row, channel, place in zip(objects, (2, 1, 0), BALLS.values(), strict=True):
        x, y, z = pose.inverse().apply(place)
        optical = (-y, -z, x)
        assert row[:3] == pytest.approx(optical, abs=1e-6)
        u, v, w = matrix @ (*optical, 1.0)
        rows, columns = np.nonzero(shown[..., channel] > 127)
        assert (columns.mean(), rows.mean()) == pytest.approx((u / w, v / w), abs=0.5)
        left, top, right, bottom = row[6:10]
        assert ((left + right) / 2, (top + bottom) / 2) == pytest.approx((u / w, v / w), abs=0.05)


@needs_gl
def test_compressed_is_the_same_picture() -> None:
    nodes = BALL.format("1 0.5 0", "1 0 0").replace("0.05", "0.3")
    got = messages(simulation("Camera { width 80 height 60 }", nodes), "camera")
    assert "jpeg" in got["image_color/compressed"].format
    decoded = np.asarray(Pillow.open(io.BytesIO(bytes(got["image_color/compressed"].data))))
    raw = pixels(got["image_color"])[..., 2::-1]
    assert np.abs(decoded.astype(int) - raw).mean() < 3.0


@needs_gl
def test_black_and_white_is_mono8() -> None:
    got = messages(simulation('Camera { width 8 height 6 type "black and white" }'), "camera")
    image = got["image_color"]
    assert (image.encoding, image.step, len(image.data)) == ("mono8", 8, 48)


@needs_gl
def test_depth_and_points_fit_the_model() -> None:
    shape = "Shape { geometry Box { size 1 20 20 } }"
    wall = f"Solid {{ translation 2.5 0 0 rotation 0 0 1 0.1 children {shape} }}"
    got = messages(simulation("RangeFinder { width 40 height 30 maxRange 9 }", wall), "range-finder")
    image, info, cloud = got["image"], got["camera_info"], got["point_cloud"]
    assert (image.encoding, image.step) == ("32FC1", 160)
    depth = np.frombuffer(image.data, np.float32).reshape(30, 40)
    points = np.frombuffer(cloud.data, np.float32).reshape(30, 40, 3)
    assert (cloud.height, cloud.width, cloud.is_dense) == (30, 40, False)
    v, u = np.mgrid[0:30, 0:40]
    fx, cx, fy, cy = info.k[0], info.k[2], info.k[4], info.k[5]
    assert points[..., 0] == pytest.approx(depth, abs=1e-6)
    assert points[..., 1] == pytest.approx(-(u - cx) / fx * depth, abs=1e-5)
    assert points[..., 2] == pytest.approx(-(v - cy) / fy * depth, abs=1e-5)
    assert 2.0 * math.atan(40 / 2 / fx) == pytest.approx(0.785398)


def test_pictures_are_in_the_optical_frame_and_tf_knows_it() -> None:
    sim = simulation('Camera { name "eye" } RangeFinder { name "depth" }')
    topics = {topic.name: topic for topic in build_topics(sim, BridgeParams()).publications}
    for name in ("/r/eye/image_color", "/r/eye/camera_info", "/r/eye/image_color/compressed"):
        assert topics[name].frame_id == "r/eye_optical"
    assert topics["/r/depth/image"].frame_id == "r/depth_optical"
    assert topics["/r/depth/point_cloud"].frame_id == "r/depth"
    assert len(describe(sim, BridgeParams())) > 5
    message = InCdr()
    topics["/tf_static"].fill(message, 0)
    sent = get_typestore(Stores.ROS2_KILTED).deserialize_cdr(message.data, "tf2_msgs/msg/TFMessage")
    (edge,) = [each for each in sent.transforms if each.child_frame_id == "r/eye_optical"]
    assert edge.header.frame_id == "r/eye"


def test_optical_axes_are_those_of_rep_103() -> None:
    from ros_bridge.devices.cameras import to_optical
    from ros_bridge.topics.frames import OPTICAL

    assert rotate(OPTICAL.rotation, (0.0, 0.0, 1.0)) == (1.0, 0.0, 0.0)  # z looks ahead
    assert rotate(OPTICAL.rotation, (1.0, 0.0, 0.0)) == (0.0, -1.0, 0.0)  # x to the right
    assert rotate(OPTICAL.rotation, (0.0, 1.0, 0.0)) == (0.0, 0.0, -1.0)  # y down
    assert to_optical((1.0, 2.0, 3.0)) == (-2.0, -3.0, 1.0)


@needs_gl
def test_spherical_pictures_claim_no_pinhole() -> None:
    got = messages(simulation('Camera { width 8 height 6 projection "spherical" }'), "camera")
    info = got["camera_info"]
    assert (info.distortion_model, info.k[0]) == ("spherical", 0.0)


ZOOM = "zoom Zoom { minFieldOfView 0.2 maxFieldOfView 1.2 }"
FOCUS = "focus Focus { focalDistance 1 focalLength 0.5 maxFocalDistance 4 }"


def command(sim: Simulation, suffix: str, value: float) -> list[str]:
    """Send a number to a topic of the camera; return the log lines."""
    said: list[str] = []
    (entry,) = [each for each in make_bridge(sim.robot("r")["camera"]).inputs() if each.name == suffix]
    assert entry.message_type is Float64
    command = decoded(f"/r/camera/{suffix}", entry.decode, Float64(data=value))
    OutcomeLog(said.append).log(f"/r/camera/{suffix}", Session(sim).pipeline.submit(command))
    return said


@needs_gl
def test_camera_info_follows_the_zoom_of_its_picture() -> None:
    nodes = "".join(BALL.format(colour, f"{x} {y / 2} {z / 2}") for colour, (x, y, z) in BALLS.items())
    sim = simulation(f"Camera {{ width 320 height 240 fieldOfView 1 {ZOOM} }}", nodes)
    camera = sim.robot("r")["camera"]
    outputs = {each.name: each for each in make_bridge(camera).outputs()}
    info, image = CameraInfo(), Image()
    for message, suffix in ((info, "camera_info"), (image, "image_color")):
        outputs[suffix].constants(message)
    for angle in (1.0, 0.6, 0.8):
        assert command(sim, "fov", angle) == []
        sim.step()
        outputs["camera_info"].fill(info, camera.reading)
        outputs["image_color"].fill(image, camera.reading)
        matrix = np.array(info.p).reshape(3, 4)
        assert matrix[0, 0] == pytest.approx(160.0 / math.tan(angle / 2.0), rel=1e-12)
        assert list(info.k) == list(matrix[:, :3].ravel())
        shown = pixels(image)
        pose = camera.frame.pose()
        for channel, (px, py, pz) in zip((2, 1, 0), BALLS.values(), strict=True):
            x, y, z = pose.inverse().apply((px, py / 2, pz / 2))
            u, v, w = matrix @ (-y, -z, x, 1.0)
            rows, columns = np.nonzero(shown[..., channel] > 127)
            if not (5.0 < u / w < 314.0 and 5.0 < v / w < 234.0):
                continue  # zoomed out of the picture
            assert (columns.mean(), rows.mean()) == pytest.approx((u / w, v / w), abs=0.5)
    sim.close()


@pytest.mark.parametrize(
    ("suffix", "value", "said"),
    [
        ("fov", math.nan, "found nan, expected a finite number"),
        ("fov", 1.5, "found 1.5, expected 0.2 to 1.2 rad"),
        ("focal_distance", 5.0, "found 5, expected 0 to 4 m"),
        ("exposure", -1.0, "found -1, expected a number above 0"),
    ],
)
def test_a_refused_setting_names_topic_found_and_expected(suffix: str, value: float, said: str) -> None:
    sim = simulation(f"Camera {{ {ZOOM} {FOCUS} }}")
    before = sim.robot("r")["camera"].view
    assert command(sim, suffix, value) == [f"/r/camera/{suffix}: refused: r.camera.{suffix}: {said}"]
    assert sim.robot("r")["camera"].view is before


def test_topics_are_those_that_the_camera_has() -> None:
    def topics(fields: str) -> set[str]:
        bridge = make_bridge(simulation(f"Camera {{ {fields} }}").robot("r")["camera"])
        return {each.name for each in bridge.inputs()}

    assert topics("") == {"exposure"}
    assert topics(f"{ZOOM} {FOCUS}") == {"exposure", "fov", "focal_distance"}
