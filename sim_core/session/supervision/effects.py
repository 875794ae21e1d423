"""What a change of a field does to a running simulation."""

from __future__ import annotations

from enum import Enum

from sim_core.scene import Node


class Effect(Enum):
    """What follows a change."""

    PLACE = "the solid is put there"
    VELOCITY = "the solid gets this velocity"
    JOINT = "the joint gets this position"
    LOOK = "only what is seen changes"
    LIGHT = "lights are read anew"
    REBUILD = "the physics is built anew, the state is kept"
    REFUSED = "it is refused"


LOOKS = (
    "Appearance", "PBRAppearance", "Material", "ImageTexture", "TextureTransform", "TextureCoordinate",
    "Normal", "Color", "Background", "Fog", "Viewpoint", "Cubemap", "Lens", "LensFlare", "Focus", "Zoom",
    "Recognition", "Shape",
)  # fmt: skip
"""Nodes that no force depends on."""

ONLY_AT_START = {
    "WorldInfo": (
        "basicTimeStep",
        "physics",
        "randomSeed",
        "fast2d",
        "coordinateSystem",
        "optimalThreadCount",
    ),
    "Robot": ("controller", "controllerArgs", "synchronization", "battery", "supervisor"),
}
"""Fields that count when the world is loaded."""

REMEMBERED = {
    "WorldInfo": ("title", "info", "window", "FPS", "lineScale", "dragForceScale", "dragTorqueScale"),
    "Robot": ("customData", "window", "showWindow", "remoteControl"),
    "Solid": ("model", "description", "locked", "recognitionColors", "translationStep", "rotationStep"),
}
"""Fields that nothing depends on while the simulation runs."""

JOINT_POSITIONS = {"jointParameters": 0, "jointParameters2": 1, "jointParameters3": 2}


def effect_of(node: Node, field: str) -> Effect:
    """What a change of this field does."""
    if any(node.is_a(kind) and field in fields for kind, fields in ONLY_AT_START.items()):
        return Effect.REFUSED
    if field == "name" and (node.is_a("Robot") or node.is_a("Device")):
        return Effect.REFUSED
    if any(node.is_a(kind) and field in fields for kind, fields in REMEMBERED.items()):
        return Effect.LOOK
    if node.is_a("Light"):
        return Effect.LIGHT
    if node.is_a("Solid") and field in ("linearVelocity", "angularVelocity"):
        return Effect.VELOCITY
    if node.is_a("Solid") and field in ("translation", "rotation"):
        return Effect.PLACE
    if field == "position" and node.parent_field in JOINT_POSITIONS:
        return Effect.JOINT
    if node.is_a("Device") and (not node.is_a("Solid") or field in _own_fields(node)):
        return Effect.REFUSED
    if node.type_name in LOOKS or (_is_only_seen(node) and field != "boundingObject"):
        return Effect.LOOK
    return Effect.REBUILD


def why_refused(node: Node, field: str) -> tuple[str, str]:
    """What was found and what was expected, for a change that is refused."""
    if field == "name":
        return f"a change of {node.path()}.name", "another field: its topics and commands go by that name"
    kind = "a device is made from its fields" if node.is_a("Device") else "the field counts"
    when = "when the world is loaded: save the world with the new value, and load it"
    return f"a change of {node.path()}.{field}", f"{kind} {when}"


def _own_fields(node: Node) -> set[str]:
    """The fields that make a node a device, beside those of every Solid."""
    from sim_core.scene import node_type

    solid = node_type("Solid")
    return set(node.node_type.fields) - set(solid.fields if solid is not None else ())


def _is_only_seen(node: Node) -> bool:
    """Whether a node is part of a Shape that stands in no bounding object, or carries nothing else."""
    for each in (node, *node.ancestors()):
        if each.parent_field in ("boundingObject", "physics"):
            return False
        if each.is_a("Solid"):
            break
    if node.is_a("Geometry") or (node.parent is not None and node.parent.is_a("Geometry")):
        return True
    if not node.is_a("Group"):
        return False
    return not node.is_a("Solid") and all(
        not (below.is_a("Solid") or below.is_a("Joint") or below.is_a("Light")) for below in node.walk()
    )
