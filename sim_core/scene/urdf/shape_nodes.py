"""Nodes for the shapes of links: geometries, appearances, poses."""

from __future__ import annotations

from sim_core.base.geometry import ZERO, Pose, axis_angle_from_rotation
from sim_core.scene.gazebo.found import FluidForce
from sim_core.scene.node import Node
from sim_core.scene.node_types import node_type
from sim_core.scene.robot_description import GeometryElement, Inertial, JointElement, LinkElement, LinkShape
from sim_core.scene.urdf.mesh_urls import local_url

DEFAULT_COLOUR = (0.7, 0.7, 0.7, 1.0)
_SIZES = {
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "height"),
    "capsule": ("radius", "height"),
    "cone": ("bottomRadius", "height"),
    "plane": ("size",),
}
"""Fields of geometry nodes for the numbers of an element, by its kind."""


def node_of(
    type_name: str, of: LinkElement | JointElement | LinkShape | Inertial | FluidForce, **fields: object
) -> Node:
    """Return a new node with the place of its element in the file."""
    found = node_type(type_name)
    assert found is not None
    node = Node(found, of.source)
    for name, value in fields.items():
        node[name] = value
    return node


def place(node: Node, pose: Pose) -> None:
    """Set the pose of a node."""
    if pose.position != ZERO:
        node["translation"] = pose.position
    rotation = axis_angle_from_rotation(pose.rotation)
    if rotation[3] != 0.0:
        node["rotation"] = rotation


def placed(shape: LinkShape, node: Node) -> Node:
    """Return the node of a shape, in a Pose unless it is at the origin."""
    if shape.origin == Pose():
        return node
    pose = node_of("Pose", shape, children=[node])
    place(pose, shape.origin)
    return pose


def shape_node(shape: LinkShape) -> Node:
    """Return the Shape of a visual, at the origin."""
    look = shape.look
    if look.is_of_file and shape.geometry.kind == "mesh" and not shape.geometry.part:
        mesh = node_of("CadShape", shape, url=[local_url(shape.geometry.url, shape.source.file)])
        if not look.casts_shadows:
            mesh["castShadows"] = False
        return _scaled(shape, mesh)
    geometry = geometry_node(shape)
    scaled = geometry.type_name == "Transform"
    seen = geometry["children"][0] if scaled else geometry
    if scaled:
        geometry["children"] = []
    node = node_of("Shape", shape, appearance=_appearance(shape), geometry=seen)
    if not look.casts_shadows:
        node["castShadows"] = False
    if not scaled:
        return node
    geometry["children"] = [node]
    return geometry


def geometry_node(shape: LinkShape) -> Node:
    """Return a geometry at the origin, within a Transform if it is scaled."""
    geometry: GeometryElement = shape.geometry
    size = geometry.size
    if geometry.kind == "mesh":
        mesh = node_of("Mesh", shape, url=[local_url(geometry.url, shape.source.file)])
        if geometry.part:
            mesh["name"] = geometry.part
        return _scaled(shape, mesh)
    if geometry.kind == "ellipsoid":
        sphere = node_of("Sphere", shape, radius=1.0, subdivision=3)
        return node_of("Transform", shape, scale=size, children=[sphere])
    if geometry.kind == "faces":
        corners = [number for face in geometry.faces for number in (*face, -1)]
        points = node_of("Coordinate", shape, point=list(geometry.points))
        return node_of("IndexedFaceSet", shape, coord=points, coordIndex=corners)
    if geometry.kind == "grid":
        rows, columns = len(geometry.heights), len(geometry.heights[0])
        return node_of(
            "ElevationGrid",
            shape,
            height=[each for row in geometry.heights for each in row],
            xDimension=columns,
            yDimension=rows,
            xSpacing=size[0] / (columns - 1),
            ySpacing=size[1] / (rows - 1),
        )
    fields = _SIZES[geometry.kind]
    values = (size,) if fields == ("size",) else size
    return node_of(geometry.kind.capitalize(), shape, **dict(zip(fields, values, strict=True)))


def _scaled(shape: LinkShape, mesh: Node) -> Node:
    """Return a mesh, in a Transform if it has a scale."""
    scale_of = shape.geometry.size
    if scale_of == (1.0, 1.0, 1.0):
        return mesh
    return node_of("Transform", shape, scale=scale_of, children=[mesh])


def _appearance(shape: LinkShape) -> Node:
    look = shape.look
    red, green, blue, alpha = look.colour or DEFAULT_COLOUR
    appearance = node_of(
        "PBRAppearance",
        shape,
        baseColor=(red, green, blue),
        roughness=look.roughness,
        metalness=look.metalness,
    )
    if alpha != 1.0:
        appearance["transparency"] = 1.0 - alpha
    if any(look.emissive):
        appearance["emissiveColor"] = look.emissive
    for field, url in (
        ("baseColorMap", look.texture),
        ("normalMap", look.normal_map),
        ("roughnessMap", look.roughness_map),
        ("metalnessMap", look.metalness_map),
        ("emissiveColorMap", look.emissive_map),
    ):
        if url:
            appearance[field] = node_of("ImageTexture", shape, url=[local_url(url, shape.source.file)])
    return appearance
