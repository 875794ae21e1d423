"""What a world says beside its models: step, gravity, light, place on Earth, and what has no effect."""

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sim_core.base.errors import SceneError
from sim_core.scene import Node, Scene, load_scene
from sim_core.session.simulation import Simulation

Read = Callable[..., Scene]
LINK = '<link name="l"><visual name="v"><geometry><box><size>1 1 1</size></box></geometry>{}</visual></link>'


def only(scene: Scene, type_name: str) -> Node:
    found = [node for node in scene.walk() if node.type_name == type_name]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<sdf version="1.9"><world name="w">', 9.8),
        ('<sdf version="1.6"><world name="w"><gravity>0 0 -1.62</gravity>', 1.62),
        ('<sdf version="1.5"><world name="w"><physics type="ode"><gravity>0 0 -3</gravity></physics>', 3.0),
        ('<sdf version="1.9"><world name="w"><gravity>1 0 -2</gravity>', (1.0, 0.0, -2.0)),
        ('<sdf version="1.9"><world name="w"><gravity>0 0 0</gravity>', 0.0),
    ],
)
def test_gravity(read: Read, head: str, expected: object) -> None:
    assert read("", head).world_info["gravity"] == expected


def test_gravity_that_is_tilted_moves_a_body_so(simulated: Callable[..., Simulation]) -> None:
    """s = a·t²/2 along each axis, to first order in the step."""
    head = '<sdf version="1.9"><world name="w"><gravity>1 2 -3</gravity>'
    sim = simulated('<model name="m"><link name="l"/></model>', head)
    body = next(node for node in sim.scene.nodes if node.is_a("Solid"))
    sim.run(1.0)
    assert sim.physics.frame(body.id).pose().position == pytest.approx((0.5, 1.0, -1.5), rel=2e-3)


def test_rates_that_steps_do_not_meet_are_kept_in_the_mean(simulated: Callable[..., Simulation]) -> None:
    """200 Hz with steps of 3 ms: 3 and 6 ms, and what touched in between is told; 1 kHz: each step."""
    sensors = "".join(
        f'<sensor name="{name}" type="{kind}"><update_rate>{rate}</update_rate></sensor>'
        for name, kind, rate in (("field", "magnetometer", 200), ("height", "altimeter", 1000))
    )
    head = '<sdf version="1.9"><world name="w"><physics><max_step_size>0.003</max_step_size></physics>'
    sim = simulated(f'<model name="m"><static>1</static><link name="l">{sensors}</link></model>', head)
    times: dict[str, list[int]] = {"field": [], "height": []}
    for name, found in times.items():
        sim.robot("m")[name].add_listener(lambda reading, found=found: found.append(reading.time_ns))
    sim.run(6.0)
    assert [len(found) for found in times.values()] == [1200, 2000]
    assert times["field"][:5] == [6_000_000, 12_000_000, 15_000_000, 21_000_000, 27_000_000]
    assert {b - a for a, b in pairwise(times["field"])} == {3_000_000, 6_000_000}


def test_a_link_that_gravity_does_not_pull_stays(simulated: Callable[..., Simulation]) -> None:
    still = '<model name="a"><link name="l"><gravity>false</gravity></link></model>'
    sim = simulated(f'{still}<model name="b"><pose>5 0 0 0 0 0</pose><link name="l"/></model>')
    sim.run(0.5)
    heights = [
        sim.physics.frame(node.id).pose().position[2] for node in sim.scene.nodes if node.is_a("Solid")
    ]
    assert heights == pytest.approx([0.0, -0.5 * 9.8 * 0.5**2], rel=0.01)


def test_the_default_profile_of_physics_says_the_step(read: Read) -> None:
    head = """<sdf version="1.9"><world name="w">
    <physics name="a"><max_step_size>0.01</max_step_size></physics>
    <physics name="b" default="true"><max_step_size>0.003</max_step_size></physics>"""
    assert read("", head).world_info["basicTimeStep"] == 3.0
    assert read("", '<sdf version="1.9"><world name="w">').world_info["basicTimeStep"] == 1.0


def test_a_place_on_earth(read: Read) -> None:
    info = read(
        """<spherical_coordinates><surface_model>EARTH_WGS84</surface_model><latitude_deg>47.4</latitude_deg>
        <longitude_deg>8.5</longitude_deg><elevation>488</elevation></spherical_coordinates>"""
    ).world_info
    assert (info["gpsCoordinateSystem"], info["gpsReference"]) == ("WGS84", (47.4, 8.5, 488.0))
    assert info["gpsHeading"] == [0.0]


def test_lights_stand_and_shine_as_their_poses_turn_them(read: Read) -> None:
    scene = read(
        f"""<light name="a" type="spot"><pose>1 2 3 0 {-math.pi / 2.0} 0</pose><diffuse>1 0 0 1</diffuse>
        <intensity>0.5</intensity><direction>0 0 -1</direction>
        <spot><outer_angle>1</outer_angle></spot></light>
        <model name="m"><link name="l"><light name="b" type="point"><pose>0 0 2 0 0 0</pose></light>
        </link></model>"""
    )
    spot = only(scene, "SpotLight")
    assert spot["location"] == (1.0, 2.0, 3.0)
    assert spot["direction"] == pytest.approx((1.0, 0.0, 0.0))
    assert (spot["color"], spot["intensity"], spot["cutOffAngle"]) == ((1.0, 0.0, 0.0), 0.5, 0.5)
    point = only(scene, "PointLight")
    assert point.parent is not None
    assert (point.parent["name"], point["location"]) == ("m", (0.0, 0.0, 2.0))


@pytest.mark.parametrize(
    ("material", "colour"),
    [
        ("<diffuse>0.1 0.2 0.3 1</diffuse><ambient>1 1 1 1</ambient>", (0.1, 0.2, 0.3)),
        ("<script>Gazebo/Red</script>", (1.0, 0.0, 0.0)),
        ("<script><uri>file://media/x</uri><name>Gazebo/Blue</name></script>", (0.0, 0.0, 1.0)),
        ("<ambient>0.5 0.5 0 1</ambient>", (0.5, 0.5, 0.0)),
    ],
)
def test_colours(read: Read, material: str, colour: tuple[float, float, float]) -> None:
    inside = f'<model name="m"><static>1</static>{LINK.format(f"<material>{material}</material>")}</model>'
    assert only(read(inside), "PBRAppearance")["baseColor"] == pytest.approx(colour)


def test_what_is_half_transparent(read: Read) -> None:
    scene = read(
        f'<model name="m"><static>1</static>{LINK.format("<transparency>0.4</transparency>")}</model>'
    )
    assert only(scene, "PBRAppearance")["transparency"] == pytest.approx(0.4)


GEOMETRIES = {
    "<cylinder><radius>0.1</radius><length>2</length></cylinder>": "Cylinder",
    "<capsule><radius>0.1</radius><length>2</length></capsule>": "Capsule",
    "<sphere><radius>0.1</radius></sphere>": "Sphere",
    "<plane><normal>0 0 1</normal><size>3 4</size></plane>": "Plane",
    "<ellipsoid><radii>1 2 3</radii></ellipsoid>": "IndexedFaceSet",
    "<cone><radius>1</radius><length>2</length></cone>": "IndexedFaceSet",
    "<polyline><point>0 0</point><point>2 0</point><point>2 1</point><height>3</height></polyline>": (
        "IndexedFaceSet"
    ),
}


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_every_geometry_collides_and_is_seen(simulated: Callable[..., Simulation], geometry: str) -> None:
    sim = simulated(
        f"""<model name="m"><static>1</static><link name="l">
        <visual name="v"><geometry>{geometry}</geometry></visual>
        <collision name="c"><geometry>{geometry}</geometry></collision></link></model>"""
    )
    solid = next(node for node in sim.scene.nodes if node.is_a("Solid"))
    assert solid["boundingObject"].type_name == GEOMETRIES[geometry]
    assert not sim.physics.warnings
    assert len(solid["children"]) == 1


def test_a_heightmap_is_as_high_as_its_picture_is_bright(tmp_path: Path) -> None:
    """White is the size's z; the picture's first row is that of the largest y."""
    picture = np.array([[0, 0, 255], [0, 51, 0], [0, 0, 0]], np.uint8)
    Image.fromarray(picture).save(tmp_path / "hill.png")
    shape = "<heightmap><uri>hill.png</uri><size>4 4 10</size><pos>1 0 2</pos></heightmap>"
    file = tmp_path / "w.sdf"
    file.write_text(
        f"""<sdf version="1.9"><world name="w"><model name="m"><static>1</static><link name="l">
        <collision name="c"><geometry>{shape}</geometry></collision></link></model></world></sdf>"""
    )
    grid = only(load_scene(file), "ElevationGrid")
    assert grid["height"] == pytest.approx([0, 0, 0, 0, 2, 0, 0, 0, 10])
    assert (grid["xSpacing"], grid["ySpacing"]) == (2.0, 2.0)
    assert grid.parent is not None
    assert grid.parent["translation"] == (-1.0, -2.0, 2.0)


def volume(faces: Node) -> float:
    """Of a closed mesh whose faces are anticlockwise seen from outside: Σ a·(b × c)/6 over triangles."""
    points, corners, total = faces["coord"]["point"], faces["coordIndex"], 0.0
    face: list[int] = []
    for corner in corners:
        if corner >= 0:
            face.append(corner)
            continue
        for one, two in pairwise(face[1:]):
            (a, b, c), (d, e, f), (g, h, i) = (points[each] for each in (face[0], one, two))
            total += (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / 6.0
        face = []
    return total


@pytest.mark.parametrize(
    ("geometry", "expected", "tolerance"),
    [
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", 4.0 / 3.0 * math.pi * 6.0, 0.04),
        ("<cone><radius>1</radius><length>2</length></cone>", math.pi * 2.0 / 3.0, 0.02),
        (
            "<polyline><point>0 0</point><point>2 1</point><point>2 0</point><height>3</height></polyline>",
            3.0,
            1e-9,
        ),
    ],
)
def test_the_volume_of_what_is_made_of_faces(
    read: Read, geometry: str, expected: float, tolerance: float
) -> None:
    collision = f'<collision name="c"><geometry>{geometry}</geometry></collision>'
    scene = read(f'<model name="m"><static>1</static><link name="l">{collision}</link></model>')
    assert volume(only(scene, "IndexedFaceSet")) == pytest.approx(expected, rel=tolerance)


def test_a_link_without_inertial_weighs_a_kilogram(read: Read) -> None:
    physics = only(read('<model name="m"><link name="l"/></model>'), "Physics")
    assert physics["mass"] == 1.0
    assert physics["inertiaMatrix"] == [(1.0, 1.0, 1.0), (0.0, 0.0, 0.0)]


def test_mass_that_is_calculated_from_a_density(read: Read) -> None:
    scene = read(
        """<model name="m"><link name="l"><inertial auto="true"><density>300</density></inertial>
        <collision name="c"><geometry><box><size>1 1 2</size></box></geometry></collision></link></model>"""
    )
    assert only(scene, "Physics").fields == {"density": 300.0}


def test_inertia_is_in_the_axes_of_its_pose(read: Read) -> None:
    """A quarter turn about z swaps x and y."""
    scene = read(
        f"""<model name="m"><link name="l"><inertial><pose>0.1 0 0 0 0 {math.pi / 2.0}</pose><mass>2</mass>
        <inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial></link></model>"""
    )
    physics = only(scene, "Physics")
    assert physics["centerOfMass"] == [(0.1, 0.0, 0.0)]
    assert physics["inertiaMatrix"][0] == pytest.approx((2.0, 1.0, 2.5))


def test_what_has_no_effect_is_told_in_one_line(read: Read) -> None:
    scene = read(
        """<gui><plugin name="a" filename="b"/></gui><road name="r"/><actor name="x"/>
        <model name="m"><link name="l"><fancy>1</fancy></link>
        <link name="k"><fancy>1</fancy></link></model>"""
    )
    told = [
        str(each) for each in scene.warnings if isinstance(each, SceneError) and "without effect" in str(each)
    ]
    assert len(told) == 1
    assert all(name in told[0] for name in ("world/road", "world/actor", "link/fancy (2 times)"))
    assert "gui" not in told[0]


def test_sensors_stand_where_their_frames_say(read: Read) -> None:
    scene = read(
        """<model name="m"><link name="a"/><frame name="f"><pose>0 0 1 0 0 0</pose></frame>
        <link name="b"><pose>1 0 0 0 0 0</pose>
        <sensor name="s" type="gpu_lidar"><pose relative_to="f">0 0 0.5 0 0 0</pose></sensor></link>
        <joint name="j" type="fixed"><parent>a</parent><child>b</child></joint></model>"""
    )
    assert only(scene, "Lidar")["translation"] == pytest.approx((-1.0, 0.0, 1.5))


def test_a_topic_has_one_publisher(read: Read) -> None:
    sensor = '<link name="l"><sensor name="s" type="gpu_lidar"><topic>scan</topic></sensor></link>'
    scene = read(f'<model name="a">{sensor}</model><model name="b">{sensor}</model>')
    topics = {each.robot for each in scene.device_settings if each.value == "/scan"}
    assert topics == {"a"}
    assert any("/scan" in str(each) for each in scene.warnings)


@pytest.mark.parametrize(("centre", "expected"), [("true", (-5.0, -1.0, 0.5)), ("false", (0.0, 0.0, 0.0))])
def test_a_part_of_a_mesh_may_be_centred(
    tmp_path: Path, centre: str, expected: tuple[float, float, float]
) -> None:
    """The middle of its bounding box, from x 0 to 5, y 0 to 2, z -1 to 0, becomes the origin, scaled."""
    rows = ["o a", "v 0 0 0", "v 5 0 0", "v 3 2 -1", "f 1 2 3"]
    (tmp_path / "m.obj").write_text("\n".join(rows))
    mesh = "<uri>m.obj</uri><scale>2 1 1</scale><submesh><name>a</name><center>{}</center></submesh>"
    world = tmp_path / "w.sdf"
    world.write_text(
        f"""<sdf version="1.9"><world name="w"><model name="m"><static>1</static><link name="l">
        <visual name="v"><geometry><mesh>{mesh.format(centre)}</mesh></geometry></visual></link></model>
        </world></sdf>"""
    )
    places = [node["translation"] for node in load_scene(world).walk() if node.type_name == "Pose"]
    assert (places or [(0.0, 0.0, 0.0)]) == [pytest.approx(expected)]
