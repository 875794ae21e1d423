"""Values that cannot be: the values that Webots takes for them, a line for each place, and a file kept."""

from typing import Any

import pytest

from sim_core.base.errors import MAX_PER_KIND, Mistake
from sim_core.scene import Scene
from sim_core.scene.loader import scene_from_text
from sim_core.scene.node import Node
from sim_core.scene.wbt.writer import write_scene

HEAD = "#VRML_SIM R2025a utf8\n"
HINGE = "HingeJoint {{ jointParameters HingeJointParameters {{ {} }} device {} endPoint Solid {{ }} }}"

ONE_FIELD: list[tuple[str, str, Any]] = [
    ("Box { size 0.05 1.95 -0.015 }", "size", (1.0, 1.0, 1.0)),
    ("Sphere { radius 0 }", "radius", 1.0),
    ("Cylinder { radius -1 }", "radius", 1.0),
    ("Cylinder { height 0 }", "height", 1.0),
    ("Cone { bottomRadius 0 }", "bottomRadius", 1.0),
    ("Capsule { radius 0 }", "radius", 1.0),
    ("Plane { size 0 5 }", "size", (1.0, 1.0)),
    ("ElevationGrid { xSpacing 0 }", "xSpacing", 1.0),
    ("Camera { width 0 }", "width", 1),
    ("Camera { height -4 }", "height", 1),
    ("Camera { fieldOfView 0 }", "fieldOfView", 0.7854),
    ("Camera { near 0 }", "near", 0.01),
    ("Camera { far -1 }", "far", 0.0),
    ("Camera { exposure -1 }", "exposure", 1.0),
    ("Lidar { numberOfLayers 0 }", "numberOfLayers", 1),
    ("Lidar { horizontalResolution 0 }", "horizontalResolution", 1),
    ("Lidar { minFrequency 0 }", "minFrequency", 0.01),
    ("RangeFinder { resolution 0 }", "resolution", -1.0),
    ("Recognition { maxRange 0 }", "maxRange", 100.0),
    ("Recognition { occlusion 7 }", "occlusion", 1),
    ("GPS { resolution 0 }", "resolution", -1.0),
    ("GPS { noiseCorrelation 2 }", "noiseCorrelation", 0.0),
    ("DistanceSensor { numberOfRays 0 }", "numberOfRays", 1),
    ("DistanceSensor { aperture -1 }", "aperture", 1.0),
    ("DistanceSensor { gaussianWidth 0 }", "gaussianWidth", 1.0),
    ("Emitter { maxRange 0 }", "maxRange", -1.0),
    ("Emitter { byteSize 4 }", "byteSize", 8),
    ("Receiver { bufferSize 0 }", "bufferSize", -1),
    ("RotationalMotor { maxVelocity -3 }", "maxVelocity", 3.0),
    ("RotationalMotor { maxTorque -3 }", "maxTorque", 10.0),
    ("LinearMotor { multiplier 0 }", "multiplier", 1.0),
    ("LinearMotor { acceleration -2 }", "acceleration", -1.0),
    ("HingeJointParameters { axis 0 0 0 }", "axis", (1.0, 0.0, 0.0)),
    ("JointParameters { axis 0 0 0 }", "axis", (0.0, 0.0, 1.0)),
    ("JointParameters { springConstant -2 }", "springConstant", 2.0),
    ("VacuumGripper { contactPoints 0 }", "contactPoints", 3),
    ("Connector { numberOfRotations -1 }", "numberOfRotations", 0),
    ("LED { color [ 2 0 -1 ] }", "color", [(1.0, 0.0, 0.0)]),
    ("PointLight { attenuation -1 0 0 }", "attenuation", (0.0, 0.0, 0.0)),
    ("Physics { mass -2 }", "mass", -1.0),
    ("Damping { linear 3 }", "linear", 1.0),
    ("ContactProperties { coulombFriction [ -2 ] }", "coulombFriction", [1.0]),
    ("WorldInfo { basicTimeStep 0 }", "basicTimeStep", 32.0),
    ("Robot { translation 0 0 -1.5e10 }", "translation", (0.0, 0.0, -1e9)),
]
RELATIONS: list[tuple[str, str, str, Any]] = [
    ("Camera { fieldOfView 4 }", "Camera", "fieldOfView", 0.7854),
    ("Camera { near 2 far 1 }", "Camera", "far", 3.0),
    ("Camera { near 1 recognition Recognition { maxRange 0.5 } }", "Recognition", "maxRange", 101.0),
    ("Camera { zoom Zoom { minFieldOfView 2 maxFieldOfView 1 } }", "Zoom", "minFieldOfView", 1.0),
    ("Camera { focus Focus { minFocalDistance 2 } }", "Focus", "minFocalDistance", 0.0),
    ("RangeFinder { minRange 2 maxRange 1 }", "RangeFinder", "minRange", 0.0),
    ("RangeFinder { minRange 1 maxRange 0 }", "RangeFinder", "maxRange", 2.0),
    ("RangeFinder { near 1 minRange 0.5 maxRange 2 }", "RangeFinder", "near", 0.5),
    ("Lidar { maxRange -1 }", "Lidar", "maxRange", 1.01),
    ("Lidar { minFrequency 9 maxFrequency 5 }", "Lidar", "minFrequency", 5.0),
    ("Lidar { maxFrequency 5 }", "Lidar", "defaultFrequency", 5.0),
    ("Radar { minRange 9 maxRange 5 }", "Radar", "minRange", 4.0),
    ("Emitter { range 9 maxRange 5 }", "Emitter", "range", 5.0),
    ("Emitter { channel 3 allowedChannels [ 4 5 ] }", "Emitter", "channel", 4),
    ('Connector { type "passive" isLocked TRUE }', "Connector", "isLocked", False),
    ("LED { gradual TRUE color [ 1 0 0, 0 1 0 ] }", "LED", "color", [(1.0, 0.0, 0.0)]),
    (HINGE.format("minStop 2 maxStop 1", "[ ]"), "HingeJointParameters", "minStop", 0.0),
    (HINGE.format("minStop 2 maxStop 1", "[ ]"), "HingeJointParameters", "maxStop", 0.0),
    (
        HINGE.format("position 0.5", "RotationalMotor { minPosition 1 maxPosition -1 }"),
        "RotationalMotor",
        "maxPosition",
        0.5,
    ),
    (
        HINGE.format("", "RotationalMotor { controlPID 0 -1 2 }"),
        "RotationalMotor",
        "controlPID",
        (10.0, 0.0, 2.0),
    ),
    ('HingeJoint { endPoint SolidReference { solidName "nobody" } }', "HingeJoint", "endPoint", None),
    (
        "Physics { mass 1 inertiaMatrix [ 1 1 -1, 0 0 0 ] }",
        "Physics",
        "inertiaMatrix",
        [(1, 1, 1), (0, 0, 0)],
    ),
    ("Physics { mass 1 inertiaMatrix [ 1 2 2 ] }", "Physics", "inertiaMatrix", [(1, 2, 2), (0, 0, 0)]),
    ("Physics { inertiaMatrix [ 1 2 2, 0 0 0 ] }", "Physics", "mass", 1.0),
    ("Physics { centerOfMass [ 1 0 0, 2 0 0 ] }", "Physics", "centerOfMass", [(1.0, 0.0, 0.0)]),
    ("Robot { battery [ 1 0 2 ] }", "Robot", "battery", []),
    (
        "ContactProperties { coulombFriction [ 1 2 3 4 5 ] }",
        "ContactProperties",
        "coulombFriction",
        [1, 2, 3, 4],
    ),
    (
        "DistanceSensor { lookupTable [ 0 1000 0 ] }",
        "DistanceSensor",
        "lookupTable",
        [(0.0, 1000.0, 0.0), (0.001, 1000.0, 0.0)],
    ),
    (
        "TouchSensor { lookupTable [ 1 1 0, 0 0 -1 ] }",
        "TouchSensor",
        "lookupTable",
        [(0.0, 0.0, 0.0), (1.0, 1.0, 0.0)],
    ),
    (
        "ElevationGrid { xDimension 1 yDimension 2 height [ 1 2 3 ] }",
        "ElevationGrid",
        "height",
        [1.0, 2.0],
    ),
]


def _world(*nodes: str) -> Scene:
    return scene_from_text(HEAD + "\n".join(nodes), "w.wbt", lenient=True)


def _mistakes(scene: Scene) -> list[Mistake]:
    return [each for each in scene.warnings if isinstance(each, Mistake)]


def _node(scene: Scene, type_name: str) -> Node:
    return next(each for each in scene.walk() if each.type_name == type_name)


@pytest.mark.parametrize(("text", "field", "value"), ONE_FIELD, ids=[each[0] for each in ONE_FIELD])
def test_a_value_out_of_range(text: str, field: str, value: Any) -> None:
    scene = _world(text)
    (node,) = scene.nodes
    assert node[field] == value
    (mistake,) = _mistakes(scene)
    assert str(mistake).startswith(f"w.wbt:2:1: {node.type_name}.{field} is ")
    assert mistake.used.startswith("using ") and mistake.expected


@pytest.mark.parametrize(
    ("text", "kind", "field", "value"), RELATIONS, ids=[f"{each[0]} {each[2]}" for each in RELATIONS]
)
def test_values_that_cannot_be_together(text: str, kind: str, field: str, value: Any) -> None:
    scene = _world(text)
    assert _node(scene, kind)[field] == value
    assert any(f"{kind}.{field} is " in str(each) for each in _mistakes(scene))


@pytest.mark.parametrize("text", [each[0] for each in (*ONE_FIELD, *RELATIONS)])
def test_the_saved_world_says_what_the_file_says(text: str) -> None:
    assert write_scene(_world(text)) == write_scene(scene_from_text(HEAD + text, "w.wbt"))


def test_what_is_assigned_after_a_reset_is_saved() -> None:
    scene = _world("Sphere { radius 0 }")
    scene.nodes[0]["radius"] = 3.0
    assert "radius 3" in write_scene(scene)


def test_copies_made_by_use_are_reset_and_stay_copies() -> None:
    scene = _world("DEF S Sphere { radius 0 }", "USE S")
    assert [each["radius"] for each in scene.nodes] == [1.0, 1.0]
    assert "USE S" in write_scene(scene) and "radius 0" in write_scene(scene)


def test_one_line_for_each_place_and_not_too_many() -> None:
    scene = _world(
        *[f"Sphere {{ radius -{number} }}" for number in range(3 * MAX_PER_KIND)], "Camera { width 0 }"
    )
    spheres = [each for each in _mistakes(scene) if "Sphere" in str(each)]
    assert len(spheres) == MAX_PER_KIND + 1
    assert f"{2 * MAX_PER_KIND} more like this one" in str(spheres[-1])
    assert len(_mistakes(scene)) == len(spheres) + 1


def test_who_does_not_ask_for_it_gets_the_values_of_the_file() -> None:
    scene = scene_from_text(HEAD + "Sphere { radius 0 }", "w.wbt")
    assert scene.nodes[0]["radius"] == 0.0 and not scene.warnings
