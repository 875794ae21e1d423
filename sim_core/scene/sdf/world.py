"""Parts of a `<world>` other than its models: step, gravity, place on Earth, sky, viewpoint."""

from __future__ import annotations

import math

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, axis_angle_from_rotation, rotation_from_roll_pitch_yaw
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.node import Node
from sim_core.scene.node_types import node_type
from sim_core.scene.sdf.documents import Document
from sim_core.scene.sdf.scopes import rules_of
from sim_core.scene.sdf.values import TRUE, colour, finite, pose_of, vector

GRAVITY: Vec3 = (0.0, 0.0, -9.8)
STEP = 0.001
"""s"""
RESTS = 1e-4
"""Speeds in m/s and rad/s below which a body may fall asleep: in current Gazebo bodies do not."""
VIEW = Pose((-6.0, 0.0, 6.0), rotation_from_roll_pitch_yaw(0.0, math.pi / 4.0, 0.0))
"""Default pose of the viewpoint."""
FIELD_OF_VIEW = math.pi / 3.0
"""Field of view of Gazebo's own camera in rad."""
GREY = (0.7, 0.7, 0.7)
AMBIENT = (0.4, 0.4, 0.4, 1.0)
SKY = (0.6, 0.75, 0.95)
FIELD = (5.5645e-6, 22.8758e-6, -42.3884e-6)
"""Default magnetic field in T."""
IGNORED = ("gui", "atmosphere", "audio", "wind", "state")
"""Elements that are ignored."""


def world_info(tag: Tag, by: Document, warnings: list[SceneError]) -> Node:
    """Return the WorldInfo.

    Raises:
        SceneError: a number is invalid.
    """
    info = _node("WorldInfo", tag)
    info["title"] = tag.attribute("name")
    profiles = tag.all("physics")
    physics = next((each for each in profiles if each.attribute("default").lower() in TRUE), None)
    physics = physics or (profiles[0] if profiles else None)
    gravity = vector(tag, "gravity", GRAVITY)
    field = vector(tag, "magnetic_field", FIELD)
    step = STEP
    if physics is not None:
        physics.all("real_time_factor", "real_time_update_rate", "max_contacts")
        step = finite(physics, "max_step_size", STEP, 1e-6)
        if rules_of(by.version).physics_has_gravity:
            gravity = vector(physics, "gravity", gravity)
            field = vector(physics, "magnetic_field", field)
    info["basicTimeStep"] = round(step * 1000.0, 9)
    is_down = gravity[:2] == (0.0, 0.0) and gravity[2] <= 0.0
    info["gravity"] = -gravity[2] if is_down else gravity
    info["magneticField"] = field
    info["physicsDisableLinearThreshold"] = info["physicsDisableAngularThreshold"] = RESTS
    _place_on_earth(tag.first("spherical_coordinates"), info)
    return info


def _place_on_earth(tag: Tag | None, info: Node) -> None:
    if tag is None:
        return
    tag.expect("surface_model", "EARTH_WGS84")
    tag.expect("world_frame_orientation", "ENU")
    info["gpsCoordinateSystem"] = "WGS84"
    names = ("latitude_deg", "longitude_deg", "elevation")
    latitude, longitude, elevation = (finite(tag, name, 0.0) for name in names)
    info["gpsReference"] = (latitude, longitude, elevation)
    info["gpsHeading"] = [math.radians(finite(tag, "heading_deg", 0.0))]


def scenery(tag: Tag, warnings: list[SceneError]) -> list[Node]:
    """Return Viewpoint, Background, ambient light and Fog.

    Raises:
        SceneError: a number is invalid.
    """
    tag.all(*IGNORED)
    nodes = [_viewpoint(tag, warnings)]
    scene = tag.first("scene")
    background = _node("Background", tag)
    nodes.append(background)
    background["skyColor"] = [GREY]
    ambient = AMBIENT if scene is None else colour(scene, "ambient") or AMBIENT
    if any(ambient[:3]):
        nodes.append(_light_from_all_sides(tag, ambient[:3]))
    if scene is None:
        return nodes
    scene.all("grid", "shadows", "origin_visual")
    shown = colour(scene, "background")
    sky = scene.first("sky")
    if sky is not None:
        sky.all("clouds", "time", "sunrise", "sunset", "cubemap_uri")
    rgb = SKY if sky is not None else shown[:3] if shown is not None else GREY
    background["skyColor"] = [rgb]
    fog = scene.first("fog")
    if fog is not None and fog.word("type") not in ("", "none"):
        nodes.append(_fog(fog))
    return nodes


def _light_from_all_sides(tag: Tag, rgb: Vec3) -> Node:
    """Return a light with only an ambient part."""
    node = _node("DirectionalLight", tag)
    strength = max(rgb)
    red, green, blue = rgb
    node["color"] = (red / strength, green / strength, blue / strength)
    node["ambientIntensity"], node["intensity"] = strength, 0.0
    return node


def _fog(tag: Tag) -> Node:
    node = _node("Fog", tag)
    node["color"] = (colour(tag, "color") or (1.0, 1.0, 1.0, 1.0))[:3]
    kind, density = tag.word("type"), finite(tag, "density", 1.0, 0.0)
    tag.all("start")
    node["fogType"] = {"quadratic": "EXPONENTIAL2", "linear": "LINEAR"}.get(kind, "EXPONENTIAL")
    farthest = finite(tag, "end", 100.0, 0.0)
    node["visibilityRange"] = farthest if kind == "linear" or density == 0.0 else 1.0 / density
    return node


def _viewpoint(tag: Tag, warnings: list[SceneError]) -> Node:
    """Return the camera of the `<gui>`; gz-sim has it in a plugin."""
    pose = tag.at("gui", "camera", "pose")
    seen = VIEW if pose is None else pose_of(pose, warnings)
    gui = tag.first("gui")
    for plugin in [] if gui is None else gui.all("plugin"):
        own = plugin.first("camera_pose")
        if pose is None and own is not None:
            seen = pose_of(own, warnings)
    node = _node("Viewpoint", tag)
    node["fieldOfView"] = FIELD_OF_VIEW
    node["position"] = seen.position
    node["orientation"] = axis_angle_from_rotation(seen.rotation)
    return node


def _node(type_name: str, tag: Tag) -> Node:
    found = node_type(type_name)
    assert found is not None
    return Node(found, tag.source)
