"""Where everything of a scene is: by the rules of old files, by those of today, and as the model reads it.

The first two know nothing of how scenes are turned: only what each node means in each of the two conventions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sim_core.base.geometry import Pose, Vec3, rotation_from_axis_angle
from sim_core.base.turns import MATRICES, turned
from sim_core.model.frames import own_sizes_of, pose_of, vector_of, view_of, world_vector_of
from sim_core.model.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    ElevationGrid,
    IndexedFaceSet,
    Plane,
    Sphere,
)
from sim_core.model.geometry_nodes import geometry_of, placement_of
from sim_core.model.joint_frames import anchor_in_frame, axis_in_frame
from sim_core.scene import Node

Points = np.ndarray

FACES = {  # directions that a node looks along, by convention, and the one that is up for it
    "old": {
        **dict.fromkeys(("Camera", "RangeFinder", "Lidar", "Radar"), ((0, 0, -1), (0, 1, 0))),
        **dict.fromkeys(("Emitter", "Receiver", "Connector", "TouchSensor"), ((0, 0, 1), (0, 1, 0))),
        **dict.fromkeys(("DistanceSensor", "LightSensor"), ((1, 0, 0), None)),
        "Pen": ((0, -1, 0), None),
        "Robot": ((0, 0, -1), (0, 1, 0)),
        "DifferentialWheels": ((0, 0, -1), (0, 1, 0)),
        "Viewpoint": ((0, 0, -1), (0, 1, 0)),
        "Track": ((1, 0, 0), (0, 1, 0)),
    },
    "new": {
        **dict.fromkeys(
            ("Camera", "RangeFinder", "Lidar", "Radar", "Emitter", "Receiver", "Connector", "TouchSensor"),
            ((1, 0, 0), (0, 0, 1)),
        ),
        **dict.fromkeys(("DistanceSensor", "LightSensor"), ((1, 0, 0), None)),
        "Pen": ((0, 0, -1), None),
        "Robot": ((1, 0, 0), (0, 0, 1)),
        "DifferentialWheels": ((1, 0, 0), (0, 0, 1)),
        "Viewpoint": ((1, 0, 0), (0, 0, 1)),
        "Track": ((1, 0, 0), (0, 0, 1)),
    },
}


FACES["model"] = FACES["new"]


class Thing(NamedTuple):
    """Points that belong to one node, in the world."""

    what: str
    points: Points


def things(nodes: list[Node], rules: str) -> list[Thing]:
    """Every shape, device, joint and light of a scene; rules: `old`, `new` or `model`."""
    found: list[Thing] = []
    for node in nodes:
        found += _things(node, np.eye(4), rules)
    return found


def assert_same(old: list[Thing], new: list[Thing], turn: np.ndarray) -> None:
    """Every thing of the old scene is where the turned world has it in the new one."""
    assert [each.what for each in old] == [each.what for each in new]
    for a, b in zip(old, new, strict=True):
        expected = a.points @ turn.T
        assert len(expected) == len(b.points), a.what
        if a.what in ("Box", "Sphere", "Cylinder", "Capsule", "Cone", "Plane", "ElevationGrid"):
            for point in expected:  # the same corners, in any order
                assert np.linalg.norm(b.points - point, axis=1).min() < 1e-9, a.what
        else:
            np.testing.assert_allclose(b.points, expected, atol=1e-9, err_msg=a.what)


def _things(node: Node, above: np.ndarray, rules: str) -> Iterator[Thing]:
    frame = above
    name = node.type_name
    by_model = rules == "model"
    if node.is_a("Pose"):
        frame = above @ (_model_pose(node) if by_model else _pose(node))
    if name in FACES[rules]:
        place = frame
        if name == "Viewpoint":
            place = above @ (_matrix(view_of(node)) if by_model else _pose(node, "position", "orientation"))
        front, up = FACES[rules][name]
        yield Thing(name, _apply(place, [(0, 0, 0), front, *([up] if up else [])]))
    if node.is_a("Geometry"):
        yield Thing(name, _apply(frame, GEOMETRIES[rules](node)))
    if node.is_a("Light"):
        if node.has_field("location"):
            yield Thing(name, _apply(above, [vector_of(node, "location") if by_model else node["location"]]))
        if node.has_field("direction"):
            in_world = name == "DirectionalLight"  # its direction is one of the world
            read = world_vector_of if in_world else vector_of
            way = read(node, "direction") if by_model else node["direction"]
            yield Thing(name, _turned(np.eye(4) if in_world else above, [way]))
    if name in ("HingeJoint", "SliderJoint"):
        parameters = node["jointParameters"]
        default = (1, 0, 0) if name == "HingeJoint" else (0, 0, 1)
        axis = np.array(parameters["axis"] if parameters else default, float)
        axis = np.array(axis_in_frame(node, 0)) if by_model else axis / np.linalg.norm(axis)
        yield Thing(name, _turned(above, [axis]))
        if name == "HingeJoint":
            anchor = parameters["anchor"] if parameters else (0, 0, 0)
            yield Thing(name, _apply(above, [anchor_in_frame(node) if by_model else anchor]))
    if name == "Servo":
        axis = np.array(node["rotation"][:3])
        axis = np.array(axis_in_frame(node, 0)) if by_model else axis / np.linalg.norm(axis)
        yield Thing(name, _turned(frame, [axis]))
    if name == "Physics" and node["centerOfMass"]:
        (centre,) = node["centerOfMass"]
        yield Thing(name, _apply(above, [turned(node.axes.above, centre) if by_model else centre]))
    for field in sorted(node.fields):
        value = node.fields[field]
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, Node):
                yield from _things(child, frame, rules)


def _pose(node: Node, position: str = "translation", rotation: str = "rotation") -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = np.array(rotation_from_axis_angle(node[rotation])).reshape(3, 3)
    pose[:3, 3] = node[position]
    if node.has_field("scale"):
        pose[:3, :3] = pose[:3, :3] @ np.diag(node["scale"])
    return pose


def _apply(frame: np.ndarray, points: object) -> Points:
    return np.array(points, dtype=float) @ frame[:3, :3].T + frame[:3, 3]


def _turned(frame: np.ndarray, vectors: object) -> Points:
    return np.array(vectors, dtype=float) @ frame[:3, :3].T


def _new_points(node: Node) -> list[tuple[float, float, float]]:
    name = node.type_name
    signs = (-0.5, 0.5)
    if name == "Box":
        x, y, z = node["size"]
        return [(a * x, b * y, c * z) for a, b, c in itertools.product(signs, signs, signs)]
    if name == "Sphere":
        r = node["radius"]
        return [(x * r, y * r, z * r) for x, y, z in (*np.eye(3), *-np.eye(3))]
    if name in ("Cylinder", "Capsule"):
        r, h = node["radius"], node["height"]
        return [(a * r, b * r, c * h) for a, b, c in itertools.product((-1, 1), (-1, 1), signs)]
    if name == "Cone":
        r, h = node["bottomRadius"], node["height"]
        return [(a * r, b * r, -h / 2) for a, b in itertools.product((-1, 1), (-1, 1))] + [(0.0, 0.0, h / 2)]
    if name == "Plane":
        x, y = node["size"]
        return [(a * x, b * y, 0.0) for a, b in itertools.product(signs, signs)] + [(0.0, 0.0, 1.0)]
    if name == "ElevationGrid":
        columns, rows = node["xDimension"], node["yDimension"]
        return [
            (i * node["xSpacing"], j * node["ySpacing"], node["height"][i + j * columns])
            for j, i in itertools.product(range(rows), range(columns))
        ]
    if name == "IndexedFaceSet":
        return list(node["coord"]["point"])
    return [(1, 2, 3)]  # of a Mesh, whose points stand in its own file


def _old_points(node: Node) -> list[tuple[float, float, float]]:
    name = node.type_name
    if name == "ElevationGrid":
        columns, rows = node["xDimension"], node["zDimension"]
        return [
            (i * node["xSpacing"], node["height"][i + j * columns], j * node["zSpacing"])
            for j, i in itertools.product(range(rows), range(columns))
        ]
    if name in ("Cylinder", "Capsule", "Cone", "Plane"):
        return [(x, z, y) for x, y, z in _new_points(node)]  # each is the same for both signs of x and y
    return _new_points(node)


def _model_points(node: Node) -> list[Vec3]:
    """Of the record that the model makes of a geometry, in the frame above it."""
    placing = placement_of(node)
    pose = Pose(turned(placing.turn, placing.shift), MATRICES[placing.turn])
    return [pose.apply(point) for point in _record_points(geometry_of(node))]


def _record_points(geometry: object) -> list[Vec3]:
    match geometry:
        case Box(size):
            return _new_points(Node.create("Box", size=size))
        case Sphere(radius):
            return _new_points(Node.create("Sphere", radius=radius))
        case Cylinder(radius, height) | Capsule(radius, height):
            return _new_points(Node.create("Cylinder", radius=radius, height=height))
        case Cone(radius, height):
            return _new_points(Node.create("Cone", bottomRadius=radius, height=height))
        case Plane(size):
            return _new_points(Node.create("Plane", size=size))
        case ElevationGrid() | IndexedFaceSet():
            return [(x, y, z) for x, y, z in geometry.points.tolist()]
    return [(1.0, 2.0, 3.0)]


def _model_pose(node: Node) -> np.ndarray:
    matrix = _matrix(pose_of(node))
    if node.has_field("scale"):
        matrix[:3, :3] = matrix[:3, :3] @ np.diag(own_sizes_of(node, node["scale"]))
    return matrix


def _matrix(pose: Pose) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(pose.rotation).reshape(3, 3)
    matrix[:3, 3] = pose.position
    return matrix


GEOMETRIES = {"old": _old_points, "new": _new_points, "model": _model_points}
