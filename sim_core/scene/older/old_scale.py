"""Conversion of the scale that solids had before R2023b into the sizes of their descendants.

Old Webots scaled a Solid with its descendants and its physics: lengths by s, masses by s³, spring and
damping constants of joints by s³, forces of linear motors by s⁴, torques and moments of inertia by s⁵
(`WbSolid`, `WbPhysics`, `WbHingeJoint`, `WbSliderJoint`, `WbDifferentialWheels` of its source). Here s is the
scale of all ancestors of the joint; only the constants of a suspension grow by s² of the end point's own
scale and all above it (`WbHingeJoint::applyToOdeSuspension` against `applyToOdeSpringAndDampingConstants`,
R2021b). Webots did not scale the springs of the second and third axis of a ball joint; they are scaled
here. Such a scale was uniform: Webots made others uniform. Measuring properties of devices (ranges, lookup
tables) were not scaled.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3
from sim_core.scene.meshes.node_files import FILE_NODES
from sim_core.scene.node import Node
from sim_core.scene.scene import ExternProto, Scene
from sim_core.scene.slots import through_slots
from sim_core.scene.wbt.writer import as_written

POWERS: dict[str, dict[str, int]] = {
    "Pose": {"translation": 1},
    "Skin": {"translation": 1, "scale": 1},
    "Box": {"size": 1},
    "Sphere": {"radius": 1},
    "Cylinder": {"height": 1, "radius": 1},
    "Capsule": {"height": 1, "radius": 1},
    "Cone": {"bottomRadius": 1, "height": 1},
    "Plane": {"size": 1},
    "ElevationGrid": {"height": 1, "xSpacing": 1, "ySpacing": 1, "zSpacing": 1, "thickness": 1},
    "Coordinate": {"point": 1},
    "PointLight": {"location": 1},
    "SpotLight": {"location": 1},
    "Propeller": {"centerOfThrust": 1},
    "TrackWheel": {"position": 1, "radius": 1},
    "Muscle": {"startOffset": 1, "endOffset": 1, "volume": 3},
    "Physics": {"centerOfMass": 1, "mass": 3, "inertiaMatrix": 5},
    "HingeJointParameters": {"anchor": 1},
    "BallJointParameters": {"anchor": 1},
    "JointParameters": {"springConstant": 3, "dampingConstant": 3},
    "RotationalMotor": {"maxTorque": 5, "maxForce": 5},
    "DifferentialWheels": {"axleLength": 1, "wheelRadius": 1, "maxForce": 5},
}
"""Power of s by which a field is scaled; for the class and those derived from it."""
SLIDING: dict[str, dict[str, int]] = {
    "JointParameters": {"position": 1, "minStop": 1, "maxStop": 1, "staticFriction": 4},
    "LinearMotor": {"minPosition": 1, "maxPosition": 1, "maxVelocity": 1, "acceleration": 1, "maxForce": 4},
}
"""Additional fields of joints and motors that move along an axis."""
TURNING: dict[str, dict[str, int]] = {"JointParameters": {"staticFriction": 5}}
"""Additional fields of joints and motors that rotate about an axis."""
SUSPENSION = ("suspensionSpringConstant", "suspensionDampingConstant")
"""Scaled by the square of the end point's scale."""
NONE_AT = {("Physics", "mass"): -1.0, ("LinearMotor", "acceleration"): -1.0}
"""Values that mean "none"."""


def bake_scales(scene: Scene) -> None:
    """Apply the scale of solids, and of their ancestors, to the sizes below; adds a warning for each.

    A Transform above a solid keeps a non-uniform scale: it would shear, and causes an error later.
    """
    changed: list[Node] = []
    for root in scene.nodes:
        _scale_tree(scene, root, 1.0, changed)
    if not changed:
        return
    for node in changed:
        for each in (*node.walk(), *node.ancestors()):
            each.proto = None  # its interface would state the old values again
    declare_protos(scene)


def uniform(scale: Vec3) -> float:
    """Return the one factor that Webots used for a scale: 0 counts as 1, and all are positive.

    If one of the three differs from the two others it is that one, else the first.
    """
    x, y, z = (abs(value) or 1.0 for value in scale)
    if x != y:
        return y if x == z else x
    return z


def _scale_tree(scene: Scene, node: Node, factor: float, changed: list[Node]) -> None:
    """Scale a tree by a factor, and by the scales within it."""
    if factor != 1.0:
        _scale(node, factor)
    if _is_scaled(node):
        given: Vec3 = node["scale"]
        own = uniform(given)
        text = f"{node.path()}: scale {' '.join(f'{value:g}' for value in given)}"
        if any(value != own for value in given):
            text += f", made uniform: {own:g}"
        found = f"{text}: worked into all sizes, masses, forces and torques below it"
        scene.warnings.append(
            SceneError(*node.source, found, "a Transform that scales shapes (since R2023b)")
        )
        node.unset("scale")
        changed.append(node)
        factor *= own
    if node.is_a("Joint"):
        _scale_suspension(node, factor)
    for child in node.child_nodes():
        _scale_tree(scene, child, factor, changed)
        if factor != 1.0:
            _scale_file_shape(child, factor)


def _is_scaled(node: Node) -> bool:
    """Return whether a node has a scale that applies to solids."""
    if not (node.is_a("Solid") or node.type_name == "Transform") or not node.is_set("scale"):
        return False
    x, y, z = node["scale"]
    if x == y == z == 1.0:
        return False
    return node.is_a("Solid") or (x == y == z > 0.0 and any(each.is_a("Solid") for each in node.walk()))


def _scale(node: Node, factor: float) -> None:
    """Multiply the fields of one node."""
    tables = [POWERS]
    joint = node.parent
    if joint is not None and joint.is_a("Joint"):
        tables.append(SLIDING if joint.type_name == "SliderJoint" else TURNING)
    for table in tables:
        for class_name, fields in table.items():
            if not node.is_a(class_name):
                continue
            for field, power in fields.items():
                if node.has_field(field) and node[field] != NONE_AT.get((class_name, field)):
                    value = _multiplied(node[field], factor**power)
                    if value != node[field]:
                        node[field] = value


def _scale_suspension(joint: Node, factor: float) -> None:
    """Multiply the constants of a joint's suspension by the square of its end point's whole scale."""
    parameters, end = joint["jointParameters"], through_slots(joint["endPoint"])
    if parameters is None or not parameters.is_a("HingeJointParameters"):
        return
    if end is not None and end.is_a("Solid") and _is_scaled(end):
        factor *= uniform(end["scale"])
    for field in SUSPENSION:
        if factor != 1.0 and parameters[field]:
            parameters[field] = parameters[field] * factor**2


def _scale_file_shape(node: Node, factor: float) -> None:
    """Put a shape whose triangles are in a file into a Transform."""
    geometry = node["geometry"] if node.type_name == "Shape" else node
    if geometry is None or geometry.type_name not in FILE_NODES:
        return
    if node.parent is None or node.parent.type_name == "Shape":
        return  # its Shape is scaled instead
    holder, field = node.parent, node.parent_field
    assert field is not None
    transform = Node.create("Transform", scale=(factor, factor, factor))
    transform.source = node.source
    value = holder.fields[field]
    node.parent = node.parent_field = None
    transform["children"] = [node]
    holder[field] = (
        [transform if each is node else each for each in value] if isinstance(value, list) else transform
    )


def _multiplied(value: Any, factor: float) -> Any:
    """Multiply a number, a vector or a list of either by a factor."""
    if isinstance(value, (tuple, list)):
        return type(value)(_multiplied(each, factor) for each in value)
    return value * factor


def declare_protos(scene: Scene) -> None:
    """Write EXTERNPROTO lines for the instances that will be saved as instances, and for no others."""
    used: dict[str, str] = {}
    pending = list(scene.nodes)
    while pending:
        node = pending.pop()
        _, values = as_written(node)
        if node.proto is not None:
            definition = node.proto.node_type.proto
            used[definition.name] = definition.file
        for value in values.values():
            pending += [
                each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Node)
            ]
    kept = [each for each in scene.extern_protos if each.importable or each.name in used]
    declared = {each.name for each in kept}
    folder = Path(scene.file).resolve().parent
    paths = (Path(os.path.relpath(used[name], folder)) for name in sorted(used.keys() - declared))
    scene.extern_protos = kept + [ExternProto(path.as_posix()) for path in paths]
