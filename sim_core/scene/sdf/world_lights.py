"""`<light>` as the lights of Webots."""

from __future__ import annotations

import math

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, norm, normalized, rotate
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.node import Node
from sim_core.scene.node_types import node_type
from sim_core.scene.sdf.values import colour, finite, flag, pose_of, vector

TYPES = {"directional": "DirectionalLight", "point": "PointLight", "spot": "SpotLight"}
DOWN: Vec3 = (0.0, 0.0, -1.0)
_WIDEST = math.pi / 2.0


def light_node(tag: Tag, outer: Pose, warnings: list[SceneError], own: Pose | None = None) -> Node | None:
    """Return a light; None: it has another type.

    Args:
        tag: its element.
        outer: pose of the frame that contains its pose.
        own: its pose, which replaces the one in the element.

    Raises:
        SceneError: a number is invalid.
    """
    name = TYPES.get(tag.attribute("type") or tag.word("type") or "point")
    found = node_type(name or "")
    if name is None or found is None:
        kind = tag.attribute("type")
        warnings.append(SceneError(*tag.source, f'light of type "{kind}" is left out', ", ".join(TYPES)))
        return None
    pose = tag.first("pose")
    if own is None:
        own = Pose() if pose is None else pose_of(pose, warnings)
    placed = outer * own
    node = Node(found, tag.source)
    tag.all("specular", "visualize")
    for each in tag.all("spot"):  # Gazebo saves it for lights of all types, with zeros
        each.all("inner_angle", "outer_angle", "falloff")
    red, green, blue, _ = colour(tag, "diffuse") or (1.0, 1.0, 1.0, 1.0)
    node["color"] = (red, green, blue)
    node["intensity"] = finite(tag, "intensity", 1.0, 0.0)
    node["on"] = flag(tag, "light_on", True)
    node["castShadows"] = flag(tag, "cast_shadows")
    direction = vector(tag, "direction", DOWN)
    if name != "PointLight":
        node["direction"] = rotate(placed.rotation, normalized(direction) if norm(direction) > 0.0 else DOWN)
    else:
        tag.all("direction")
    if name == "DirectionalLight":
        for each in tag.all("attenuation"):
            # the light of a distant source is not attenuated
            each.all("range", "constant", "linear", "quadratic")
        return node
    node["location"] = placed.position
    if (fading := tag.first("attenuation")) is not None:
        constant = finite(fading, "constant", 1.0, 0.0)
        linear, quadratic = finite(fading, "linear", 1.0, 0.0), finite(fading, "quadratic", 0.0, 0.0)
        node["attenuation"] = (constant, linear, quadratic)
        node["radius"] = finite(fading, "range", 10.0, 0.0, 1e9)
    if name == "SpotLight" and (spot := tag.first("spot")) is not None:
        inner, outer_angle = finite(spot, "inner_angle", 0.0, 0.0), finite(spot, "outer_angle", 0.0, 0.0)
        node["cutOffAngle"] = min(outer_angle / 2.0, _WIDEST)  # SDF measures the full angle
        node["beamWidth"] = min(inner / 2.0, _WIDEST)
    return node
