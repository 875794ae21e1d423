"""Old worlds: what they describe is what the model reads, and what the converted ones describe, corner by
corner and step by step."""

import random
from pathlib import Path

import numpy as np
import pytest
from old_and_new import assert_same, things

from sim_core.model.frames import pose_of
from sim_core.model.geometry import TriangleMesh
from sim_core.model.world_model import WorldModel
from sim_core.scene import Scene, load_scene, parse_scene, write_scene
from sim_core.scene.node import CURRENT_AXES
from sim_core.scene.older.axes_conversion import to_current_axes
from sim_core.scene.older.legacy import convert_old
from sim_core.session.simulation import Simulation

NUE = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
OLD = "#VRML_SIM V6.0 utf8\n"
R2021 = "#VRML_SIM R2021b utf8\n"
NEW = "#VRML_SIM R2025a utf8\n"

SHAPES = (
    "Box { size 1 2 3 }",
    "Box { }",
    "Sphere { radius 0.5 }",
    "Cylinder { radius 0.3 height 2 }",
    "Capsule { radius 0.2 height 1 }",
    "Cone { bottomRadius 0.4 height 2 }",
    "Plane { size 3 5 }",
    "ElevationGrid { xDimension 3 zDimension 2 xSpacing 0.5 zSpacing 2 height [ 0 1 2 3 4 5 ] }",
    "IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 2 3, -1 4 2 ] } coordIndex [ 0 1 2 -1 ] }",
    'Mesh { url "a.stl" }',
)
PICTURE = 'appearance Appearance { texture ImageTexture { url "a.png" } }'
DEVICES = (
    *("Camera", "RangeFinder", "Lidar", "Radar", "Emitter", "Receiver", "Connector", "TouchSensor"),
    *("LightSensor", "Pen", "GPS", "Compass", "Gyro", "Accelerometer", "InertialUnit", "LED", "Track"),
)


def converted(text: str, file: str = "old.wbt") -> Scene:
    scene = parse_scene(text, file)
    convert_old(scene)
    return scene


def restated(text: str) -> Scene:
    """As a file of today."""
    scene = converted(text)
    to_current_axes(scene)
    return scene


def check_same(body: str, header: str = OLD, turn: np.ndarray = NUE) -> Scene:
    """The same things at the same places: for the model, in a file of today, and after reading that."""
    text = header + body
    expected = things(parse_scene(text).nodes, "old")
    read = converted(text)
    assert_same(expected, things(read.nodes, "model"), turn)
    assert write_scene(read) == write_scene(converted(write_scene(read))), "it is saved as it was read"
    scene = restated(text)
    assert_same(expected, things(scene.nodes, "new"), turn)
    assert_same(expected, things(scene.nodes, "model"), turn)
    again = parse_scene(write_scene(scene))
    assert_same(expected, things(again.nodes, "new"), turn)
    return scene


class Worlds:
    """Random old worlds: shapes, devices, joints and lights in nested frames."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def vector(self) -> str:
        return " ".join(f"{self.random.uniform(-2, 2):.3f}" for _ in range(3))

    def pose(self) -> str:
        turn = self.random.choice(("", f"rotation {self.vector()} {self.random.uniform(-3, 3):.3f}"))
        return self.random.choice(("", f"translation {self.vector()}")) + " " + turn

    def shape(self) -> str:
        look = self.random.choice(("", PICTURE))
        return f"Shape {{ {look} geometry {self.random.choice(SHAPES)} }}"

    def tree(self, depth: int) -> str:
        kind = self.random.randrange(9 if depth else 2)
        inside = f"children [ {' '.join(self.tree(depth - 1) for _ in range(2))} ]" if depth else ""
        if kind == 0:
            return self.shape()
        if kind == 1:
            return (
                f"SpotLight {{ location {self.vector()} direction {self.vector()} }} DirectionalLight {{ }}"
            )
        if kind == 2:
            scale = " ".join(f"{self.random.uniform(0.5, 2):.3f}" for _ in range(3))
            return f"Transform {{ {self.pose()} scale {scale} {inside} }}"
        if kind == 3:
            return f"{self.random.choice(DEVICES)} {{ {self.pose()} {inside} }}"
        if kind == 4:
            rays = self.random.choice((1, 4))
            return f"DistanceSensor {{ {self.pose()} numberOfRays {rays} {inside} }}"
        if kind == 5:
            axis = self.random.choice(
                ("", f"jointParameters HingeJointParameters {{ axis {self.vector()} }}")
            )
            return f"HingeJoint {{ {axis} endPoint Solid {{ {self.pose()} {inside} }} }}"
        if kind == 6:
            return f"SliderJoint {{ endPoint Solid {{ {self.pose()} {inside} }} }}"
        if kind == 7:
            return f"Servo {{ translation {self.vector()} rotation {self.vector()} 0 {inside} }}"
        bounds = f"boundingObject Group {{ children [ {self.shape()} Transform {{ {self.pose()} }} ] }}"
        mass = f"physics Physics {{ centerOfMass [ {self.vector()} ] }}"
        return f"Solid {{ {self.pose()} {bounds} {mass} {inside} }}"

    def world(self) -> str:
        parts = [self.tree(2) for _ in range(3)]
        parts.append(f"Robot {{ {self.pose()} children [ {self.tree(3)} ] }}")
        parts.append(f"DifferentialWheels {{ {self.pose()} children [ {self.tree(2)} ] }}")
        parts.append(f"Viewpoint {{ position {self.vector()} orientation {self.vector()} 0.7 }}")
        return "\n".join(parts)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_moves_in_random_worlds(seed: int) -> None:
    check_same(Worlds(seed).world())


@pytest.mark.parametrize("seed", range(10))
def test_friction_that_tells_sides_apart_keeps_the_axes_of_boxes(seed: int) -> None:
    friction = "WorldInfo { contactProperties ContactProperties { coulombFriction [ 1 0.5 ] } }\n"
    scene = check_same(friction + Worlds(seed).world())
    sizes = {
        node["size"] for solid in scene.walk() if solid.is_a("Solid") and solid["boundingObject"] is not None
        for node in solid["boundingObject"].walk() if node.type_name == "Box" and node.is_set("size")
    }  # fmt: skip
    assert sizes <= {(1.0, 2.0, 3.0)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("look", ["", PICTURE])
def test_every_shape_alone(shape: str, look: str) -> None:
    check_same(
        f"Shape {{ {look} geometry {shape} }} Robot {{ children Shape {{ {look} geometry {shape} }} }}"
    )


def test_an_old_grid_without_points_is_none() -> None:
    (record,) = WorldModel(converted(OLD + "Shape { geometry ElevationGrid { } }")).visible.records
    assert isinstance(record.geometry, TriangleMesh) and len(record.geometry.triangles) == 0


@pytest.mark.parametrize("device", [*DEVICES, "DistanceSensor"])
def test_every_device_faces_as_before(device: str) -> None:
    check_same(f"Robot {{ rotation 0 1 0 0.3 children {device} {{ rotation 0 1 0 0.4 }} }}")


TWINS = [
    ("Solid { translation 1 2 3 rotation 0 1 0 0.5 }", "Solid { translation 3 1 2 rotation 0 0 1 0.5 }"),
    ("Robot { translation 1 2 3 }", "Robot { translation 3 1 2 rotation 0 0 1 3.141592653589793 }"),
    ("Robot { rotation 0 1 0 1.5 }", "Robot { rotation 0 0 -1 1.641592653589793 }"),
    ("PointLight { location 1 2 3 }", "PointLight { location 3 1 2 }"),
    (
        "Solid { boundingObject Box { size 1 2 3 } physics Physics { mass 1 density -1 "
        "centerOfMass 1 2 3 inertiaMatrix [ 0 0 0 1 2 3 0.1 0.2 0.3 ] } }",
        "Solid { boundingObject Box { size 3 1 2 } physics Physics { mass 1 density -1 "
        "centerOfMass [ 3 1 2 ] inertiaMatrix [ 3 1 2 0.2 0.3 0.1 ] } }",
    ),
    (
        "Fluid { streamVelocity 1 2 3 }",
        "Fluid { streamVelocity 3 1 2 }",
    ),
    ("Background { skyColor 0 0 1 }", "Background { skyColor 0 0 1 }"),
    ("WorldInfo { gravity 0 -3.7 0 }", "WorldInfo { gravity 3.7 }"),
    ("WorldInfo { gravity 0.1 -3.7 0 }", "WorldInfo { gravity 0 0.1 -3.7 }"),
    ('WorldInfo { northDirection 1 0 0 fast2d "enki" }', 'WorldInfo { fast2d "enki" }'),
    ("WorldInfo { gpsReference 1 2 3 }", "WorldInfo { gpsReference 3 1 2 }"),
    ('Supervisor { name "s" }', 'Robot { name "s" supervisor TRUE rotation 0 0 1 3.141592653589793 }'),
    ("CustomRobot { }", "Robot { rotation 0 0 1 3.141592653589793 }"),
    ("HyperGate { translation 0 1 0 }", "Solid { translation 0 0 1 }"),
    ('ColladaShape { url "a.dae" }', 'Pose { rotation 0.5773502691896258 0.5773502691896258 '
     '0.5773502691896258 2.0943951023931953 children CadShape { url "a.dae" } }'),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), TWINS)
def test_a_node_and_its_twin_of_today(old: str, new: str) -> None:
    (node,) = restated(OLD + old).nodes
    (twin,) = parse_scene(NEW + new).nodes
    assert_fields_equal(node, twin)


def assert_fields_equal(a, b) -> None:  # type: ignore[no-untyped-def]
    assert a.type_name == b.type_name
    assert set(a.fields) == set(b.fields), (a.fields, b.fields)
    for name, value in a.fields.items():
        other = b.fields[name]
        pairs = list(zip(value, other, strict=True)) if isinstance(value, list) else [(value, other)]
        for x, y in pairs:
            if hasattr(x, "fields"):
                assert_fields_equal(x, y)
            elif isinstance(x, (tuple, float)):
                assert x == pytest.approx(y, abs=1e-12), name
            else:
                assert x == y, name


def test_an_axis_that_is_not_written_is_that_of_the_old_frame() -> None:
    scene = restated(
        OLD + "Robot { children [ HingeJoint { endPoint Solid { } } SliderJoint { } Hinge2Joint { } ] }"
    )
    hinge, slider, both = scene.nodes[0]["children"]
    assert hinge["jointParameters"]["axis"] == (0.0, -1.0, 0.0)
    assert slider["jointParameters"]["axis"] == (-1.0, 0.0, 0.0)
    assert both["jointParameters2"]["axis"] == (-1.0, 0.0, 0.0)


def test_sensors_of_single_axes_lose_the_same_axis() -> None:
    (robot,) = restated(OLD + "Robot { children [ Compass { yAxis FALSE } Gyro { xAxis FALSE } ] }").nodes
    compass, gyro = robot["children"]
    assert [compass[axis] for axis in ("xAxis", "yAxis", "zAxis")] == [True, True, False]
    assert [gyro[axis] for axis in ("xAxis", "yAxis", "zAxis")] == [True, False, True]


def test_a_camera_for_ranges_becomes_a_range_finder() -> None:
    text = 'Robot { children Camera { type "range-finder" near 0.1 far 5 width 32 gaussianNoise 32 } }'
    (finder,) = converted(OLD + text).nodes[0]["children"]
    assert finder.type_name == "RangeFinder"
    assert (finder["minRange"], finder["maxRange"], finder["width"], finder["noise"]) == (0.1, 5.0, 32, 0.125)


def test_distance_sensors_of_webots_6_are_infra_red_by_default() -> None:
    text = 'Robot { children [ DistanceSensor { } DistanceSensor { type "sonar" } ] }'
    assert [node["type"] for node in converted(OLD + text).nodes[0]["children"]] == ["infra-red", "sonar"]
    assert not converted("#VRML_SIM R2019a utf8\n" + text).nodes[0]["children"][0].is_set("type")


@pytest.mark.parametrize(
    ("header", "info", "point"),
    [  # where x = 1, y = 2, z = 3 is in ENU
        ("V6.0", "", (3, 1, 2)),
        ("R2020a", "", (3, 1, 2)),
        ("R2020b", "", (1, 2, 3)),
        ("R2021a", "", (1, 2, 3)),
        ("R2021b", 'coordinateSystem "NUE"', (3, 1, 2)),
        ("R2021b", 'coordinateSystem "ENU"', (1, 2, 3)),
        ("R2021b", 'coordinateSystem "EUN"', (-1, 3, 2)),
        ("V6.0", "gravity 0 0 -9.81", (-2, 1, 3)),
        ("V6.0", "northDirection 0 0 1", (-1, 3, 2)),
        ("R2025a", 'coordinateSystem "NUE"', (3, 1, 2)),
        ("R2025a", "", (1, 2, 3)),
    ],
)
def test_what_is_up_and_north(header: str, info: str, point: tuple[float, ...]) -> None:
    scene = converted(f"#VRML_SIM {header} utf8\nWorldInfo {{ {info} }} Solid {{ translation 1 2 3 }}")
    assert pose_of(scene.nodes[1]).position == point
    assert scene.nodes[1]["translation"] == (1.0, 2.0, 3.0)
    to_current_axes(scene)
    assert scene.nodes[1]["translation"] == point
    assert not scene.world_info.is_set("northDirection")


def test_a_north_that_is_no_axis_is_kept() -> None:
    scene = restated(OLD + "WorldInfo { northDirection 1 0 1 }")
    assert scene.world_info["northDirection"] == (1.0, 1.0, 0.0)


def test_robots_of_worlds_whose_z_was_up_keep_their_frames() -> None:
    inside = "DistanceSensor { } Camera { } Shape { geometry Cylinder { } }"
    text = f"Robot {{ rotation 0 0 1 0.5 children [ {inside} ] }}"
    (robot,) = restated(R2021 + text).nodes
    sensor, camera, shape = robot["children"]
    assert robot["rotation"] == (0.0, 0.0, 1.0, 0.5)
    assert not sensor.is_set("rotation")
    assert camera.is_set("rotation") and shape.type_name == "Pose"


def test_todays_worlds_of_other_axes_are_turned_at_the_roots() -> None:
    text = (
        'WorldInfo { coordinateSystem "NUE" } Robot { children Camera { } } Shape { geometry Cylinder { } }'
    )
    scene = restated(NEW + text)
    _, robot, shape = scene.nodes
    assert robot["rotation"] == pytest.approx((3**-0.5, 3**-0.5, 3**-0.5, 2 * np.pi / 3))
    assert not robot["children"][0].is_set("rotation")
    assert shape.type_name == "Pose" and not shape["children"][0]["geometry"].is_set("height")


OLD_WORLD = """WorldInfo { gravity 0 -9.81 0 basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { } }
Solid { name "a" translation 0.2 1 0.1 rotation 1 0 0 0.3 boundingObject Box { size 0.2 0.3 0.4 }
  physics Physics { density -1 mass 2 centerOfMass 0.01 0 0.02 } angularVelocity 1 2 3 }
Solid { name "b" translation 1 1 0 rotation 0 0 1 1.2 boundingObject Cylinder { radius 0.1 height 0.3 }
  physics Physics { density 700 } linearVelocity 0 0 1 }
Robot { name "r" translation 3 0.3 0 rotation 0 1 0 0.7 children [
    Servo { name "s" translation 0.3 0 0 rotation 0 1 0 0.2 maxForce 1
      boundingObject Box { size 0.1 0.1 0.4 } physics Physics { } }
    Accelerometer { } Gyro { } GPS { } Compass { } InertialUnit { }
    DistanceSensor { rotation 0 1 0 1.5708 type "generic" lookupTable [ 0 0 0, 9 9 0 ]
      aperture 0.3 numberOfRays 5 }
  ]
  boundingObject Box { size 0.4 0.3 0.6 } physics Physics { } }
Solid { name "wall" translation 3 0 -4 boundingObject Box { size 20 3 0.2 } }
DifferentialWheels { name "d" translation 0 0 5 axleLength 0.3 wheelRadius 0.1 slipNoise 0 maxAcceleration 50
  encoderResolution 100 encoderNoise 0 }
"""
NEW_WORLD = """WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { } }
Solid { name "a" translation 0.1 0.2 1 rotation 0 1 0 0.3 boundingObject Box { size 0.4 0.2 0.3 }
  physics Physics { density -1 mass 2 centerOfMass [ 0.02 0.01 0 ] } angularVelocity 3 1 2 }
Solid { name "b" translation 0 1 1 rotation 1 0 0 1.2 boundingObject Cylinder { radius 0.1 height 0.3 }
  physics Physics { density 700 } linearVelocity 1 0 0 }
Robot { name "r" translation 0 3 0.3 rotation 0 0 1 3.841592653589793 children [
    Servo { name "s" translation 0 -0.3 0 rotation 0 0 1 0.2 maxForce 1
      boundingObject Box { size 0.4 0.1 0.1 } physics Physics { } }
    Accelerometer { } Gyro { } GPS { } Compass { } InertialUnit { }
    Pose { rotation 0 0 1 -1.5707963267948966 children Pose { rotation 1 0 0 1.5707963267948966
      children DistanceSensor { rotation 0 1 0 1.5708
      type "generic" lookupTable [ 0 0 0, 9 9 0 ]
      aperture 0.3 numberOfRays 5 }
    } }
  ]
  boundingObject Box { size 0.6 0.4 0.3 } physics Physics { } }
Solid { name "wall" translation -4 3 0 boundingObject Box { size 0.2 20 3 } }
DifferentialWheels { name "d" translation 5 0 0 rotation 0 0 1 3.141592653589793 axleLength 0.3
  wheelRadius 0.1 slipNoise 0 maxAcceleration 50 encoderResolution 100 encoderNoise 0 }
"""


def test_both_move_the_same_and_their_sensors_read_the_same() -> None:
    old = Simulation(converted(OLD + OLD_WORLD))
    new = Simulation(parse_scene(NEW + NEW_WORLD))
    for sim in (old, new):
        sim.robot("r")["s"].set_position(0.8)
        sim.robot("d").drive.set_wheel_speeds(2.0, 3.0)  # type: ignore[union-attr]
    for _ in range(20):
        old.run(0.1)
        new.run(0.1)
        for name in ("a", "b", "r", "d"):
            first, second = (pose_in(sim, name) for sim in (old, new))
            np.testing.assert_allclose(first, second, atol=1e-9)
        for device in ("accelerometer", "gyro", "gps", "compass", "inertial unit", "distance sensor"):
            readings = [np.array(sim.robot("r")[device].value) for sim in (old, new)]
            np.testing.assert_allclose(*readings, atol=1e-7)
    assert np.linalg.norm(pose_in(old, "d")[9:11] - (5.0, 0.0)) > 0.1
    assert pose_in(old, "d")[9] < 5.0, "robots of old worlds drive along -z, which was west"


def pose_in(sim: Simulation, name: str) -> np.ndarray:
    (node,) = [each for each in sim.scene.walk() if each.is_a("Solid") and each["name"] == name]
    pose = sim.physics.frame(node.id).pose()
    return np.array([*pose.rotation, *pose.position])


CUP = """#VRML_SIM {version} utf8
PROTO Cup [ field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0 field MFNode inside [ ] ] {{
  Solid {{ translation IS translation rotation IS rotation children [
    Shape {{ geometry Cylinder {{ height 3 radius 1 }} }}
    Group {{ children IS inside }} ] }} }}
"""


def load(folder: Path, world: str, version: str) -> Scene:
    (folder / "protos").mkdir()
    (folder / "worlds").mkdir()
    (folder / "protos" / "Cup.proto").write_text(CUP.format(version=version))
    file = folder / "worlds" / "w.wbt"
    file.write_text(world)
    return load_scene(file)


def axis_of(scene: Scene, radius: float) -> np.ndarray:
    """Direction of the cylinder of a radius: between its ends."""
    for thing in things(scene.nodes, "model"):
        if (
            thing.what == "Cylinder"
            and abs(np.ptp(thing.points, axis=0)).max() > 0
            and len(thing.points) == 8
        ):
            edge = thing.points[1] - thing.points[0]
            if abs(np.linalg.norm(thing.points[2] - thing.points[0]) - 2 * radius) < 1e-9:
                return edge / np.linalg.norm(edge)
    raise AssertionError("no such cylinder")


@pytest.mark.parametrize(
    ("world", "proto", "expected"),
    [
        ("V6.0", "V6.0", (0, 0, 1)),
        ("R2025a", "R2020a", (0, 1, 0)),  # in an old frame that the world places as it is
        ("V6.0", "R2025a", (0, 0, 1)),
        ("R2025a", "R2025a", (0, 0, 1)),
    ],
)
def test_a_proto_is_as_old_as_its_file(
    tmp_path: Path, world: str, proto: str, expected: tuple[float, ...]
) -> None:
    inside = "Shape { geometry Cylinder { height 2 radius 0.5 } }"
    text = f'#VRML_SIM {world} utf8\nEXTERNPROTO "../protos/Cup.proto"\n'
    text += f"Cup {{ translation 1 2 3 inside {inside} }}"
    scene = load(tmp_path, text, proto)
    np.testing.assert_allclose(axis_of(scene, 1.0), expected, atol=1e-9)
    np.testing.assert_allclose(axis_of(scene, 0.5), (0, 0, 1), atol=1e-9)
    assert scene.nodes[0]["translation"] == (1.0, 2.0, 3.0)
    assert scene.nodes[0].proto is not None, "it keeps its interface"
    assert write_scene(scene) == write_scene(load_scene(scene.file))
    before = things(scene.nodes, "model")
    to_current_axes(scene)
    assert scene.nodes[0]["translation"] == ((3.0, 1.0, 2.0) if world == "V6.0" else (1.0, 2.0, 3.0))
    assert_same(before, things(scene.nodes, "model"), np.eye(3))
    again = parse_scene(write_scene(scene), scene.file)
    assert not [each for each in again.warnings if "converted" in str(each)]
    assert_same(things(scene.nodes, "new"), things(again.nodes, "new"), np.eye(3))


@pytest.mark.parametrize("rotation", ["1 0 0 1.5707963267948966", "0 0 1 0.3"])
def test_a_proto_of_today_in_an_old_world_stands_up(tmp_path: Path, rotation: str) -> None:
    """In worlds whose z was up, PROTO nodes with y up were laid on their backs, and others were not."""
    text = f'{R2021}EXTERNPROTO "../protos/Cup.proto"\nCup {{ rotation {rotation} }}'
    np.testing.assert_allclose(axis_of(load(tmp_path, text, "R2025a"), 1.0), (0, 0, 1), atol=1e-9)


def test_instances_whose_pose_alone_was_old_stay_instances(tmp_path: Path) -> None:
    text = (
        '#VRML_SIM V6.0 utf8\nEXTERNPROTO "../protos/Cup.proto"\nCup { translation 1 2 3 rotation 0 1 0 1 }'
    )
    scene = load(tmp_path, text, "R2025a")
    before = things(scene.nodes, "model")
    to_current_axes(scene)
    assert_same(before, things(scene.nodes, "new"), np.eye(3))
    assert "EXTERNPROTO" in write_scene(scene)
    again = parse_scene(write_scene(scene), scene.file)
    assert_same(things(scene.nodes, "new"), things(again.nodes, "new"), np.eye(3))


def test_an_instance_that_no_line_declared_is_declared(tmp_path: Path) -> None:
    scene = load(tmp_path, "#VRML_SIM R2020a utf8\nCup { } Cup { }", "R2025a")
    to_current_axes(scene)
    assert [each.url for each in scene.extern_protos] == ["../protos/Cup.proto"]
    again = parse_scene(write_scene(scene), scene.file)
    assert again.warnings == []


def test_worlds_in_other_axes_say_so() -> None:
    scene = converted(OLD, "w.wbt")
    assert str(scene.warnings[0]) == "w.wbt:1:1: a world of version V6.0 in NUE axes; topics use ENU and FLU"
    assert scene.header.version == "V6.0"
    to_current_axes(scene)
    assert scene.header.version == "R2025a"


@pytest.mark.parametrize("version", ["R2022a", "R2023b", "R2025a"])
def test_worlds_in_todays_axes_pass_as_they_are(version: str) -> None:
    text = f"#VRML_SIM {version} utf8\nWorldInfo {{ }} Robot {{ translation 1 2 3 }}"
    scene = converted(text)
    assert scene.warnings == [] and scene.header.version == version
    assert all(node.axes == CURRENT_AXES for node in scene.walk())
    to_current_axes(scene)
    assert scene.nodes[1].equals(parse_scene(text).nodes[1]) and scene.header.version == version


@pytest.mark.parametrize("up", ["X_UP", "Y_UP", "Z_UP"])
def test_the_numbers_of_an_old_collada_file_count_as_they_stand(tmp_path: Path, up: str) -> None:
    """Until R2021 Webots replaced the root matrix of a file, in which its unit and up axis were."""
    (tmp_path / "m.dae").write_text(
        f"""<?xml version="1.0"?>
        <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><unit name="u" meter="0.01"/><up_axis>{up}</up_axis></asset>
        <library_geometries><geometry id="g" name="g"><mesh>
        <source id="p"><float_array id="f" count="9">0 0 0 1 2 3 -1 4 2</float_array><technique_common>
        <accessor source="#f" count="3" stride="3"><param name="X" type="float"/>
        <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
        </mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n">
        <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
    )
    shape = "Transform { translation 5 6 7 children Shape { geometry %s } }"
    faces = "IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 2 3, -1 4 2 ] } coordIndex [ 0 1 2 -1 ] }"
    found = []
    for geometry in ('Mesh { url "m.dae" }', faces):
        file = tmp_path / "w.wbt"
        file.write_text(R2021 + 'WorldInfo { coordinateSystem "NUE" }\n' + shape % geometry)
        (record,) = WorldModel(load_scene(file)).visible.records
        assert isinstance(record.geometry, TriangleMesh)
        (corners,) = record.geometry.triangles
        found.append(
            [record.offset.apply(tuple(p * s for p, s in zip(c, record.scale, strict=True))) for c in corners]
        )
    assert np.array(found[0]) == pytest.approx(np.array(found[1]), abs=1e-9)
