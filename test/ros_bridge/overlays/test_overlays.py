"""Content of the overlays, against geometry."""

import math
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import CameraInfo
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.devices.cameras import camera_info, to_optical
from ros_bridge.overlays import OVERLAYS, PREFIX, overlay_class
from ros_bridge.overlays.primitives import MarkerMaker, Primitives
from ros_bridge.overlays.publishing import Overlays
from sim_core.base.config import SimulationConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

HEAD = "#VRML_SIM R2025a utf8\n"
FLOOR = 'Solid { name "floor" boundingObject Plane { size 10 10 } }\n'


def simulation(
    text: str, info: str = "basicTimeStep 4", config: SimulationConfig | None = None
) -> Simulation:
    return Simulation(parse_scene(f"{HEAD}WorldInfo {{ {info} }}\n{text}", "w.wbt"), config)


def shown(sim: Simulation, name: str) -> dict[str, np.ndarray]:
    """Ends of lines, (n, 2, 3), or dots, (n, 3), by namespace."""
    return {
        each.namespace: each.points if each.are_dots else each.points.reshape(-1, 2, 3)
        for each in overlay_class(name)(sim).primitives()
        if len(each.points)
    }


WALL = """Solid { name "wall" translation 3 0 0.5 children DEF W Shape { geometry Box { size 0.2 4 1 } }
  boundingObject USE W }
"""
SEER = """Robot { name "r" translation 0.5 0.1 0.5 rotation 0 0 1 0.3 children [
  DistanceSensor { translation 0.2 0 0 type "laser" lookupTable [ 0 1000 0, 5 0 0 ] }
  DistanceSensor { name "back" rotation 0 0 1 3.141592653589793 lookupTable [ 0 1000 0, 2 0 0 ] }
] }
"""


def test_a_ray_ends_where_the_line_meets_the_wall() -> None:
    """The face of the wall is at x = 2.9: a ray from p along (cos 0.3, sin 0.3) meets it at p + t·d."""
    rays = shown(simulation(WALL + SEER), "sensor_rays")
    direction = np.array((math.cos(0.3), math.sin(0.3), 0.0))
    start = np.array((0.5, 0.1, 0.5)) + 0.2 * direction
    hit = start + (2.9 - start[0]) / direction[0] * direction
    front, back = rays["DistanceSensor"]
    assert front == pytest.approx(np.array((start, hit)), abs=1e-9)
    assert back[1] - back[0] == pytest.approx(-2.0 * direction, abs=1e-9)  # meets nothing: its whole range
    assert rays["beyond"] == pytest.approx(np.array([(hit, start + 5.0 * direction)]), abs=1e-9)


def test_rays_are_there_in_fast_2d_and_say_what_the_sensor_measures() -> None:
    wheels = "".join(
        f"HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }} device "
        f'RotationalMotor {{ name "{y}" }} endPoint Solid {{ name "w{y}" translation 0 {y} 0 '
        "rotation 1 0 0 1.5707963267948966 boundingObject Cylinder { radius 0.1 height 0.02 } "
        "physics Physics { } } } "
        for y in (0.2, -0.2)
    )
    robot = SEER.replace("children [", f"children [ {wheels}").replace(
        "] }\n", "] boundingObject Cylinder { radius 0.1 height 0.1 } physics Physics { } }\n"
    )
    sim = simulation(WALL + robot, config=SimulationConfig(physics="fast2d"))
    assert sim.physics.can.rolling is not None
    sim.run(0.1)
    sensor: Any = sim.robot("r")["distance sensor"]
    (start, end), back = shown(sim, "sensor_rays")["DistanceSensor"]
    assert np.linalg.norm(end - start) == pytest.approx(sensor.sample(sim.time_ns).rays[0], abs=1e-9)
    assert end[0] == pytest.approx(2.9, abs=1e-9)
    assert np.linalg.norm(back[1] - back[0]) == pytest.approx(2.0)


def test_a_lidar_in_a_round_room_has_all_its_rays_on_the_wall() -> None:
    """All points are at the radius of a sphere around the lidar; no ray misses it."""
    room = """Solid { name "ball" translation 1 1 1 children Shape { geometry Sphere { radius 0.5 } } }
    Robot { name "r" translation 3 1 1 rotation 0 0 1 3.14159265 children Lidar { numberOfLayers 2
      horizontalResolution 64 fieldOfView 3 maxRange 4 near 0.01 minRange 0.01 verticalFieldOfView 0.2 } }"""
    rays = shown(simulation(room), "sensor_rays")
    ends = rays["Lidar"][:, 1]
    lengths = np.linalg.norm(ends - (3.0, 1.0, 1.0), axis=1)
    met = lengths < 4.0 - 1e-9
    assert 0 < met.sum() < len(met) == 128
    assert np.linalg.norm(ends[met] - 1.0, axis=1) == pytest.approx(0.5, abs=0.02)  # the ball has faces
    assert len(rays["beyond"]) == met.sum()
    assert np.linalg.norm(rays["beyond"][:, 1] - (3.0, 1.0, 1.0), axis=1) == pytest.approx(4.0)


def test_a_radar_points_at_its_target() -> None:
    world = """Solid { name "t" translation 4 1 0 radarCrossSection 10 boundingObject Sphere { radius 1e-3 } }
    Robot { name "r" children Radar { maxRange 20 } }"""
    ((start, end),) = shown(simulation(world), "sensor_rays")["Radar"]
    assert start.tolist() == [0.0, 0.0, 0.0]
    assert end == pytest.approx((4.0, 1.0, 0.0), abs=2e-3)


NOISY = SEER.replace("0 1000 0, 5 0 0", "0 1000 0.2, 5 0 0.1").replace(
    "children [", 'children [ Lidar { noise 0.01 type "rotating" defaultFrequency 20 }'
)


def measured(sim: Simulation, looks: bool) -> list[bytes]:
    """Return what all sensors measure in 40 steps, with overlays drawn after each or without."""
    overlays = [overlay_class(name)(sim) for name in OVERLAYS]
    values: list[Any] = []
    for _ in range(40):
        sim.step()
        for overlay in overlays if looks else ():
            overlay.set_wanted(True)
            list(overlay.primitives())
        values += [sensor.value for sensor in sim.robot("r").sensors()]
    return [np.asarray(value).tobytes() if value is not None else b"" for value in values]


def test_rays_that_are_shown_change_no_reading() -> None:
    """A run with overlays measures bitwise the same as one without, also after a snapshot."""
    assert measured(simulation(WALL + NOISY), True) == measured(simulation(WALL + NOISY), False)
    sim = simulation(WALL + NOISY)
    measured(sim, True)
    snapshot = sim.snapshot()
    shown = measured(sim, True)
    sim.restore(snapshot)
    assert measured(sim, False) == shown


BOX = """Solid { name "box" translation 1 2 0.15 boundingObject Box { size 0.6 0.4 0.3 }
  physics Physics { density -1 mass 2 } }
"""


def test_a_box_at_rest_touches_the_floor_with_its_corners() -> None:
    """Corners at (1 ± 0.3, 2 ± 0.2), z = 0 but for what it sinks in; normals up."""
    sim = simulation(FLOOR + BOX, "basicTimeStep 4 physicsDisableTime 0")
    overlay = overlay_class("contact_points")(sim)
    overlay.set_wanted(True)
    sim.run(1.0)
    found = {marks.namespace: marks.points for marks in overlay.primitives()}
    corners = sorted((1.0 + x, 2.0 + y) for x in (-0.3, 0.3) for y in (-0.2, 0.2))
    points = np.array(sorted(found["points"].tolist(), key=lambda point: (point[0] > 1.0, point[1])))
    assert points[:, :2] == pytest.approx(np.array(corners), abs=1e-3)
    assert points[:, 2] == pytest.approx(0.0, abs=2e-3)
    lines = found["normals"].reshape(-1, 2, 3)
    assert lines[:, 1] - lines[:, 0] == pytest.approx(np.tile((0.0, 0.0, 0.05), (4, 1)), abs=1e-9)
    overlay.set_wanted(False)
    sim.step()
    assert not list(overlay.primitives())


def test_centres_of_mass_of_a_body_with_an_offset_and_of_a_whole() -> None:
    """Two cubes of one robot: 1 kg with its centre 0.1 m ahead of the solid's origin, and 3 kg 1 m above."""
    robot = """Robot { name "r" translation 1 0 2 rotation 0 0 1 1.5707963267948966 children HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 1 } endPoint Solid { translation 0 0 1
        boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 3 } } }
      boundingObject Box { size 0.1 0.1 0.1 }
      physics Physics { density -1 mass 1 centerOfMass 0.1 0 0 } }"""
    found = shown(simulation(robot), "centres_of_mass")
    assert found["bodies"] == pytest.approx(np.array([(1.0, 0.1, 2.0), (1.0, 0.0, 3.0)]), abs=1e-9)
    assert found["crosses"].mean(axis=1) == pytest.approx(np.repeat(found["bodies"], 3, axis=0), abs=1e-9)
    assert found["wholes"] == pytest.approx(np.array([(1.0, 0.025, 2.75)]), abs=1e-9)


def test_joint_axes_pass_through_the_anchor_and_turn_with_the_joint() -> None:
    """The first axis of a Hinge2Joint stays with the robot, the second moves with its end point."""
    robot = """Robot { name "r" translation 0 0 1 rotation 0 0 1 1.5707963267948966 children [
      HingeJoint { jointParameters HingeJointParameters { axis 1 0 0 anchor 0.5 0 0 }
        endPoint Solid { name "a" } }
      Hinge2Joint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 1 0 }
        jointParameters2 JointParameters { axis 0 1 0 } device RotationalMotor { name "m" maxVelocity 100 }
        endPoint Solid { name "b" translation 0 1 0 } }
      SliderJoint { jointParameters JointParameters { axis 0 0 1 }
        device LinearMotor { name "lift" maxVelocity 100 } endPoint Solid { name "c" translation 0 0 0.2 } }
    ] }"""
    sim = simulation(robot)
    motor: Any = sim.robot("r")["m"]
    lift: Any = sim.robot("r")["lift"]
    motor.set_position(math.pi / 2.0)
    lift.set_position(0.3)
    sim.run(1.0)
    found = shown(sim, "joint_axes")
    middles = found["turning"].mean(axis=1)
    assert middles == pytest.approx(np.array([(0.0, 0.5, 1.0), (-1.0, 0.0, 1.0), (-1.0, 0.0, 1.0)]), abs=1e-9)
    lines = found["turning"][:, 1] - found["turning"][:, 0]
    directions = np.array([(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)])
    # the robot's y axis is the world's -x; the joint has turned by a quarter more about z
    assert lines == pytest.approx(0.1 * directions, abs=1e-6)
    (slide,) = found["sliding"]
    assert slide.mean(axis=0) == pytest.approx((0.0, 0.0, 1.5), abs=1e-6)
    assert slide[1] - slide[0] == pytest.approx((0.0, 0.0, 0.1), abs=1e-9)


def test_the_edges_of_a_frustum_go_through_the_corners_of_the_picture() -> None:
    """u = fx·x/z + cx and v = fy·y/z + cy of CameraInfo: the outer corners of outer pixels; zoomed too."""
    camera_node = "Camera { width 64 height 48 near 0.1 far 2 zoom Zoom { } }"
    sim = simulation(f'Robot {{ name "r" translation 1 2 3 children {camera_node} }}')
    camera: Any = sim.robot("r")["camera"]
    frustums = overlay_class("frustums")(sim)
    for angle in (camera.fov, 1.2):
        camera.set_fov(angle)
        info = CameraInfo()
        camera_info(info, camera.view)
        fx, cx, fy, cy = info.k[0], info.k[2], info.k[4], info.k[5]
        (mark,) = frustums.primitives()
        lines = mark.points.reshape(-1, 2, 3) - (1.0, 2.0, 3.0)
        edges = [(a, b) for a, b in lines if abs(a[0] - b[0]) > 1.0]
        assert len(edges) == 4
        seen = set()
        for near, far in edges:
            assert (near[0], far[0]) == pytest.approx((0.1, 2.0))
            for point in (near, far):
                x, y, z = to_optical(tuple(point.tolist()))
                seen.add((round(fx * x / z + cx, 6), round(fy * y / z + cy, 6)))
        assert seen == {(-0.5, -0.5), (63.5, -0.5), (-0.5, 47.5), (63.5, 47.5)}


def test_the_field_of_view_of_a_lidar_ends_at_its_range() -> None:
    sim = simulation('Robot { name "r" children Lidar { fieldOfView 1 maxRange 3 minRange 0.5 } }')
    lines = shown(sim, "frustums")["Lidar"]
    lengths = np.linalg.norm(lines.reshape(-1, 3), axis=1)
    assert {round(length, 6) for length in lengths.tolist()} == {0.5, 3.0}
    angles = np.arctan2(lines[..., 1], lines[..., 0])
    assert (angles.min(), angles.max()) == pytest.approx((-0.5, 0.5), abs=1e-2)


def test_bounding_objects_are_as_large_as_they_say() -> None:
    world = """Robot { name "r" translation 1 0 0 rotation 0 0 1 1.5707963267948966
    boundingObject Group { children [
      Box { size 0.6 0.4 0.2 }
      Pose { translation 1 0 0 children Capsule { radius 0.1 height 0.4 } }
    ] } physics Physics { } }
    Solid { boundingObject Sphere { radius 0.3 } }"""
    found = shown(simulation(world), "bounding_objects")
    box = found["r"][:12].reshape(-1, 3)  # a box has twelve edges
    assert box.min(axis=0) == pytest.approx((0.8, -0.3, -0.1), abs=1e-9)
    assert box.max(axis=0) == pytest.approx((1.2, 0.3, 0.1), abs=1e-9)
    capsule = found["r"][12:].reshape(-1, 3) - (1.0, 1.0, 0.0)
    outside = capsule.copy()
    outside[:, 2] = np.maximum(np.abs(capsule[:, 2]) - 0.2, 0.0)
    assert np.linalg.norm(outside, axis=1) == pytest.approx(0.1, abs=1e-9)
    assert np.linalg.norm(found["world"].reshape(-1, 3), axis=1) == pytest.approx(0.3, abs=1e-9)


def test_colours_are_those_of_the_book_and_light_sensors_point_at_their_lights() -> None:
    """Red before what is met and green beyond it, yellow for light sensors, black joints, pink cameras."""
    world = """PointLight { location 1 0 2 radius 5 } PointLight { location 90 0 2 radius 5 }
    PointLight { location 0 0 3 on FALSE } DirectionalLight { }
    Solid { translation 2 0 0 boundingObject Box { size 0.2 9 9 } }
    Robot { name "r" children [ LightSensor { name "ls" }
      DistanceSensor { name "ds" type "laser" lookupTable [ 0 0 0, 4 4 0 ] } Camera { name "eye" }
      Connector { name "c" translation 0 1 0 numberOfRotations 2 }
      HingeJoint { jointParameters HingeJointParameters { } endPoint Solid { } } ] }"""
    sim = simulation(world)
    names = ("sensor_rays", "frustums", "joint_axes", "connector_axes", "bounding_objects")
    found = {name: {each.namespace: each for each in overlay_class(name)(sim).primitives()} for name in names}
    rays, axes = found["sensor_rays"], found["connector_axes"]
    assert (rays["DistanceSensor"].colour, rays["beyond"].colour) == ((1, 0, 0), (0, 1, 0))
    assert rays["LightSensor"].colour == (1, 1, 0)
    assert rays["LightSensor"].points.tolist() == [[0, 0, 0], [1, 0, 2]]
    assert found["frustums"]["Camera"].colour == (1, 0, 1)
    assert found["joint_axes"]["turning"].colour == (0, 0, 0)
    assert found["bounding_objects"]["world"].colour == (1, 1, 1)
    assert [axes[name].colour for name in ("y", "z", "alignments")] == [(0, 1, 0), (0, 0, 1), (0, 0, 0)]
    ends = axes["alignments"].points[1::2] - (0.0, 1.0, 0.0)
    assert np.sign(np.round(ends, 9)).tolist() == [[0, 1, 0], [0, -1, 0]]
    assert axes["z"].points[1] == pytest.approx((0.0, 1.0, 0.05))


def test_lights_are_where_they_are_and_yellow() -> None:
    world = """PointLight { location 1 2 3 color 1 0 0 }
    Robot { name "r" translation 0 0 1 children SpotLight { direction 1 0 0 cutOffAngle 0.5 on FALSE } }
    DirectionalLight { direction 0 1 -1 }"""
    marks = {each.namespace: each for each in overlay_class("lights")(simulation(world)).primitives()}
    assert marks["PointLight"].colour == (1.0, 1.0, 0.0)
    assert marks["PointLight"].points[::2] == pytest.approx(np.tile((1.0, 2.0, 3.0), (14, 1)))
    spot = marks["SpotLight"].points.reshape(-1, 2, 3)[14:]  # behind the star
    arm = spot[-1, 1] - (0.0, 0.0, 1.0)
    assert math.acos(arm[0] / np.linalg.norm(arm)) == pytest.approx(0.5)
    assert marks["SpotLight"].colour[0] == marks["SpotLight"].colour[1] < 0.5  # off: grey
    first, second = marks["DirectionalLight"].points[:2]
    assert (second - first) / np.linalg.norm(second - first) == pytest.approx(
        (0.0, math.sqrt(0.5), -math.sqrt(0.5))
    )


def test_a_message_replaces_the_one_before() -> None:
    maker = MarkerMaker()
    two, one = np.zeros((4, 3)), np.ones((2, 3))
    first = maker.markers(
        [Primitives("a", two, (1.0, 0.0, 0.0)), Primitives("b", one, (0.0, 1.0, 0.0), True)], 5
    )
    assert [marker.action for marker in first] == [Marker.DELETEALL, Marker.ADD, Marker.ADD]
    assert (first[1].type, first[2].type) == (Marker.LINE_LIST, Marker.SPHERE_LIST)
    second = maker.markers(
        [Primitives("a", one, (1.0, 0.0, 0.0)), Primitives("c", two[:0], (1.0, 1.0, 1.0))], 6
    )
    assert [(marker.ns, len(marker.points)) for marker in second[1:]] == [("a", 2)]
    assert second[1].points[0].x == 1.0


def test_what_cannot_be_shown_is_said_once_and_hurts_nobody() -> None:
    sim = simulation("PointLight { ambientIntensity 3 }")
    overlays = Overlays(sim, str)
    said: list[str] = []
    overlays.warn = said.append
    (lights,) = (item for item in overlays.publications() if item.name == f"{PREFIX}lights")
    for _ in range(2):
        message = MarkerArray()
        lights.fill(message, 0)
        assert [marker.action for marker in message.markers] == [Marker.DELETEALL]
    assert len(said) == 1
    assert "ambientIntensity" in said[0]
