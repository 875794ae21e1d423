"""RGB-D: points at the hits of exact rays, with the colours of the objects, all of one time."""

import time
from typing import Any

import numpy as np
import pytest
from pictures import needs_gl
from sensor_msgs.msg import CameraInfo, Image, PointCloud2
from still_world import cast

from ros_bridge.composites.rgbd import RgbdPair, RgbdReading, find_pairs, rgbd_outputs
from ros_bridge.interface.interface import build_topics, describe
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.frames import OPTICAL
from ros_bridge.topics.publishing import Publishers
from sim_core.scene import parse_scene
from sim_core.sensing.raycast.ray_scene import RayScene
from sim_core.session.simulation import Simulation

LIMIT = 60.0
COLOURS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}


def thing(colour: str, geometry: str, place: str) -> str:
    light = " ".join(map(str, COLOURS[colour]))
    look = f"Appearance {{ material Material {{ diffuseColor 0 0 0 emissiveColor {light} }} }}"
    return (
        f'Solid {{ name "{colour}" translation {place} rotation 1 2 3 0.5'
        f" children Shape {{ appearance {look} geometry {geometry} }} }}\n"
    )


def make(
    finder: str = "width 80 height 60 fieldOfView 1", more: str = "", period: int = 10, camera: str = ""
) -> Simulation:
    text = (
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {period} }}\n"
        + thing("red", "Box { size 0.6 0.8 0.5 }", "2 0.4 0.3")
        + thing("green", "Sphere { radius 0.4 }", "2.5 -0.4 -0.2")
        + thing("blue", "Box { size 0.1 30 30 }", "6 0 0").replace("rotation 1 2 3 0.5", "")
        + 'Robot { name "r" translation 0.1 0.2 0 rotation 0 0 1 0.1 children [ Solid { name "head"'
        + " rotation 0 1 0 0.1 children ["
        + f' Camera {{ name "eye" width 80 height 60 fieldOfView 1 {camera} }}'
        + f' RangeFinder {{ name "depth" {finder} maxRange 20 }} ] }} {more} ] }}'
    )
    return Simulation(parse_scene(text, "w.wbt"))


def listen(sim: Simulation) -> tuple[RgbdPair, list[RgbdReading]]:
    (pair,) = find_pairs(sim.robot("r"))
    readings: list[RgbdReading] = []
    pair.demand = lambda: True
    pair.add_listener(readings.append)
    return pair, readings


def messages(pair: RgbdPair, reading: RgbdReading) -> dict[str, Any]:
    found = {}
    for output in rgbd_outputs(pair):
        message = found[output.name] = output.message_type()
        output.constants(message)
        output.fill(message, reading)
    return found


@needs_gl
def test_points_lie_on_things_and_have_their_colours() -> None:
    sim = make()
    pair, readings = listen(sim)
    sim.step()
    (reading,) = readings
    cloud = messages(pair, reading)["depth_registered/points"]
    assert isinstance(cloud, PointCloud2) and (cloud.height, cloud.width, cloud.point_step) == (60, 80, 16)
    assert [(field.name, field.offset) for field in cloud.fields] == [
        ("x", 0),
        ("y", 4),
        ("z", 8),
        ("rgb", 12),
    ]
    words = np.frombuffer(cloud.data, np.float32).reshape(60, 80, 4)
    bits = np.frombuffer(cloud.data, np.uint32).reshape(60, 80, 4)[..., 3]
    optical = pair.camera.frame.pose() * OPTICAL
    turn = np.array(optical.rotation).reshape(3, 3)
    points = words[..., :3].reshape(-1, 3).astype(float)
    points = points @ turn.T + optical.position
    distances = np.linalg.norm(points - optical.position, axis=1)
    rays = RayScene(sim.physics)
    ways = (points - optical.position) / distances[:, None]
    origins = np.tile(np.array(optical.position), (len(ways), 1))
    exact = cast(rays, origins, ways, visible=True).distances
    errors = np.abs(exact - distances)
    assert np.median(errors) < 1e-3 and np.mean(errors < 0.01) > 0.95  # the rest: edges
    well = errors < 0.01
    in_ball = np.linalg.norm(points - (2.5, -0.4, -0.2), axis=1) < 0.41
    names = np.where(points[:, 0] > 5.0, "blue", np.where(in_ball, "green", "red"))
    shares = []
    for name, (red, green, blue) in COLOURS.items():
        seen = bits.ravel()[well & (names == name)]
        channels = np.stack([seen >> 16 & 255, seen >> 8 & 255, seen & 255], axis=1) > 100
        assert len(seen) > 100 and (seen >> 24 == 0).all()
        shares.append((channels == np.array([red, green, blue], bool)).all(axis=1).mean())
    assert min(shares) > 0.95  # the rest: pixels of which another thing has a part
    sim.close()


@needs_gl
def test_all_messages_are_of_the_camera_and_agree() -> None:
    """The points agree with the two pictures and the camera model."""
    sim = make()
    pair, readings = listen(sim)
    sim.step()
    found = messages(pair, readings[0])
    colour, depth = found["rgb/image_rect_color"], found["depth_registered/image_rect"]
    assert isinstance(colour, Image) and (colour.encoding, depth.encoding) == ("bgra8", "32FC1")
    assert (colour.width, colour.height) == (depth.width, depth.height) == (80, 60)
    info = found["depth_registered/camera_info"]
    assert isinstance(info, CameraInfo) and info == found["rgb/camera_info"]
    fx, _, cx, _, fy, cy = info.k[:6]
    z = np.frombuffer(depth.data, np.float32).reshape(60, 80)
    rows, columns = np.mgrid[:60, :80]
    wanted = np.stack([(columns - cx) / fx * z, (rows - cy) / fy * z, z], axis=2)
    words = np.frombuffer(found["depth_registered/points"].data, np.float32).reshape(60, 80, 4)
    assert np.allclose(words[..., :3], wanted, atol=1e-5)
    sim.close()


@needs_gl
def test_after_zooming_points_and_pictures_are_still_of_one_model() -> None:
    """The range finder does not zoom: its picture is registered to the camera's new angle."""
    zoom = "zoom Zoom { minFieldOfView 0.3 maxFieldOfView 1 }"
    sim = make("width 320 height 240 fieldOfView 1", camera=zoom)
    pair, readings = listen(sim)
    for angle in (1.0, 0.5):
        pair.camera.set_fov(angle)
        sim.step()
        found = messages(pair, readings[-1])
        info = found["depth_registered/camera_info"]
        assert info == found["rgb/camera_info"]
        fx, _, cx, _, fy, cy = info.k[:6]
        assert fx == pytest.approx(40.0 / np.tan(angle / 2.0))
        words = np.frombuffer(found["depth_registered/points"].data, np.float32).reshape(60, 80, 4)
        z = words[..., 2]
        rows, columns = np.mgrid[:60, :80]
        wanted = np.stack([(columns - cx) / fx * z, (rows - cy) / fy * z, z], axis=2)
        assert np.allclose(words[..., :3], wanted, atol=1e-5)
        bits = np.frombuffer(found["depth_registered/points"].data, np.uint32).reshape(60, 80, 4)[..., 3]
        is_wall = (bits & 255 > 100) & (bits >> 16 & 255 < 100) & (bits >> 8 & 255 < 100)
        assert is_wall.sum() > 500
        # Blue pixels have the depth of the blue wall, save those whose edges another thing has a part of.
        assert (z[is_wall] > 4.5).mean() > 0.97 and (z[~is_wall] < 4.5).mean() > 0.9
    sim.close()


@needs_gl
def test_depth_of_another_size_and_angle_is_registered() -> None:
    """A wall straight ahead has one depth; beyond the range finder's narrower view there is none."""
    sim = make("width 48 height 36 fieldOfView 0.6")
    sim.supervisor.set("r", "rotation", (0.0, 1.0, 0.0, -0.1))  # the head looks along x
    for name in ("red", "green"):
        sim.supervisor.remove(f'Solid "{name}"')
    _, readings = listen(sim)
    sim.step()
    depth = readings[0].depth
    assert depth.shape == (60, 80)
    inside = np.isfinite(depth)
    assert depth[inside] == pytest.approx(5.95 - 0.1, abs=1e-3)
    half = np.tan(0.3) / np.tan(0.5) * 40  # columns from the middle to the edge of the narrower view
    assert inside[30].sum() == pytest.approx(2 * half, abs=1.01)
    assert np.isnan(depth[:, 0]).all() and np.isnan(depth[0]).all()
    sim.close()


@needs_gl
def test_in_real_time_colour_and_depth_are_of_one_time_too() -> None:
    """Pictures arrive when they are drawn; the two sensors stay in step and lose no pair for good."""
    sim = make(period=2)
    pair, readings = listen(sim)
    for sensor in (pair.camera, pair.finder):
        sensor.waits = False
    end = time.monotonic() + LIMIT
    while len(readings) < 10 and time.monotonic() < end:
        sim.step()
        camera, finder = pair.camera.reading, pair.finder.reading
        if readings:
            assert readings[-1].time_ns <= min(camera.time_ns, finder.time_ns)
    assert len(readings) == 10
    times = [reading.time_ns for reading in readings]
    assert times == sorted(set(times))
    sim.close()


def test_topics_are_there_for_devices_at_one_place() -> None:
    far = 'Camera { name "far" translation 0.01 0 0 } RangeFinder { name "far depth" translation 0 0.1 0 }'
    sim = make(more=far)
    found = {info.name: info for info in describe(sim, BridgeParams())}
    names = [name for name in found if "rgbd" in name]
    assert sorted(names) == [
        "/r/rgbd/depth_registered/camera_info",
        "/r/rgbd/depth_registered/image_rect",
        "/r/rgbd/depth_registered/points",
        "/r/rgbd/rgb/camera_info",
        "/r/rgbd/rgb/image_rect_color",
    ]
    assert {found[name].frame_id for name in names} == {"r/eye_optical"}
    sim.close()


@pytest.mark.parametrize("fields", ["lens Lens { radialCoefficients 0.1 0 }", 'projection "cylindrical"'])
def test_what_is_no_pinhole_is_no_part_of_a_pair(fields: str) -> None:
    sim = make(f"width 80 height 60 fieldOfView 1 {fields}")
    assert not list(find_pairs(sim.robot("r")))
    sim.close()


def test_making_the_topics_again_makes_no_second_pair() -> None:
    sim = make()
    assert list(find_pairs(sim.robot("r"))) == list(find_pairs(sim.robot("r")))
    assert len(sim.robot("r")["eye"].listeners) == 1
    sim.close()


class Kept:
    """A port that stores what is published, instead of a publisher."""

    def __init__(self, publication: Any, *_: Any) -> None:
        self.publication = publication
        self.has_several = self.is_repeating = False
        self.readings: list[Any] = []
        self.count = 0

    def publish_reading(self, reading: Any) -> None:
        self.readings.append(reading)


@needs_gl
def test_who_comes_while_the_world_stands_gets_the_points_of_now() -> None:
    """In lock-step, where the simulation waits for the controller: one message, of the present time."""
    sim = make()
    publications = build_topics(sim, BridgeParams()).publications
    (points,) = (each for each in publications if each.name == "/r/rgbd/depth_registered/points")
    publishers = Publishers(None, [], lambda *_: None)
    kept: list[RgbdReading] = []
    pair: Any = points.trigger
    pair.demand = lambda: True
    pair.add_listener(kept.append)
    for device in (pair.camera, pair.finder):
        device.demand = lambda: False  # nobody listened
    sim.step()
    port: Any = Kept(points)
    publishers.publish_again(port, sim.time_ns, sim.step_ns, sim.sample)
    assert [each.time_ns for each in (*kept, *port.readings)] == [sim.time_ns]
    publishers.publish_again(port, sim.time_ns, sim.step_ns, sim.sample)
    assert [each.time_ns for each in port.readings] == [sim.time_ns]
    sim.close()
