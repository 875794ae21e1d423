"""Writer of robot descriptions as URDF text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree import ElementTree

from sim_core.base.geometry import IDENTITY, ZERO, Pose, roll_pitch_yaw
from sim_core.scene.robot_description import (
    MOVING,
    Inertial,
    JointElement,
    LinkElement,
    LinkShape,
    Rgba,
    RobotDescription,
)

NO_END = 1e9
"""Limit of a slider without limit: URDF requires a number."""
_LENGTHS = {"cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}


_NAMES = {
    "link": ("name",),
    "joint": ("name",),
    "parent": ("link",),
    "child": ("link",),
    "mimic": ("joint",),
}
"""Attributes that name links and joints, by element."""


def write_urdf(model: RobotDescription, prefix: str = "") -> str:
    """Return the URDF text; reading it again gives the same links and joints.

    Args:
        model: description of the robot.
        prefix: prefix of the names of links and joints.
    """
    robot = ElementTree.Element("robot", name=model.name)
    colours = _materials(robot, model)
    for link in model.links.values():
        _link(robot, link, colours)
    for joint in model.joints.values():
        _joint(robot, joint)
    for element in robot.iter() if prefix else ():
        for attribute in _NAMES.get(element.tag, ()):
            if attribute in element.attrib:
                element.set(attribute, prefix + element.attrib[attribute])
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding="unicode") + "\n"


def _materials(robot: ElementTree.Element, model: RobotDescription) -> dict[Rgba, str]:
    """Write one material for each colour and return their names."""
    names: dict[Rgba, str] = {}
    for shape in (shape for link in model.links.values() for shape in link.visuals):
        if shape.look.colour is not None and shape.look.colour not in names:
            names[shape.look.colour] = f"colour_{len(names) + 1}"
            material = ElementTree.SubElement(robot, "material", name=names[shape.look.colour])
            ElementTree.SubElement(material, "color", rgba=_numbers(shape.look.colour))
    return names


def _link(robot: ElementTree.Element, link: LinkElement, colours: dict[Rgba, str]) -> None:
    element = ElementTree.SubElement(robot, "link", name=link.name)
    if link.inertial is not None:
        _inertial(element, link.inertial)
    for shape in link.visuals:
        visual = _shape(element, "visual", shape)
        if shape.look.colour is not None:
            ElementTree.SubElement(visual, "material", name=colours[shape.look.colour])
    for shape in link.collisions:
        _shape(element, "collision", shape)


def _inertial(link: ElementTree.Element, inertial: Inertial) -> None:
    of = inertial.in_link()
    element = ElementTree.SubElement(link, "inertial")
    _origin(element, of.origin)
    ElementTree.SubElement(element, "mass", value=_number(of.mass))
    xx, xy, xz, _, yy, yz, _, _, zz = of.inertia
    values = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    ElementTree.SubElement(element, "inertia", {name: _number(value) for name, value in values.items()})


def _shape(link: ElementTree.Element, tag: str, shape: LinkShape) -> ElementTree.Element:
    element = ElementTree.SubElement(link, tag)
    _origin(element, shape.origin)
    holder = ElementTree.SubElement(element, "geometry")
    geometry = shape.geometry
    if geometry.kind == "box":
        ElementTree.SubElement(holder, "box", size=_numbers(geometry.size))
    elif geometry.kind == "mesh":
        mesh = ElementTree.SubElement(holder, "mesh", filename=geometry.url)
        if geometry.size != (1.0, 1.0, 1.0):
            mesh.set("scale", _numbers(geometry.size))
    else:
        names = _LENGTHS[geometry.kind]
        sizes = {name: _number(size) for name, size in zip(names, geometry.size, strict=True)}
        ElementTree.SubElement(holder, geometry.kind, sizes)
    return element


def _joint(robot: ElementTree.Element, joint: JointElement) -> None:
    element = ElementTree.SubElement(robot, "joint", name=joint.name, type=joint.kind)
    ElementTree.SubElement(element, "parent", link=joint.parent)
    ElementTree.SubElement(element, "child", link=joint.child)
    _origin(element, joint.origin)
    if joint.kind not in MOVING:
        return
    ElementTree.SubElement(element, "axis", xyz=_numbers(joint.axis))
    limit = joint.limit
    if limit is not None:
        values = {"effort": limit.effort, "velocity": limit.velocity}
        if joint.kind != "continuous":
            values |= {"lower": max(limit.lower, -NO_END), "upper": min(limit.upper, NO_END)}
        numbers = {name: _number(value) for name, value in values.items() if value is not None}
        ElementTree.SubElement(element, "limit", numbers)
    if joint.damping or joint.friction:
        dynamics = {"damping": _number(joint.damping), "friction": _number(joint.friction)}
        ElementTree.SubElement(element, "dynamics", dynamics)


def _origin(element: ElementTree.Element, pose: Pose) -> None:
    if pose == Pose():
        return
    origin = ElementTree.SubElement(element, "origin")
    if pose.position != ZERO:
        origin.set("xyz", _numbers(pose.position))
    if pose.rotation != IDENTITY:
        origin.set("rpy", _numbers(roll_pitch_yaw(pose.rotation)))


def _numbers(values: Sequence[float]) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    """Return the shortest text that is read as the same number."""
    if math.isinf(value):
        return repr(math.copysign(NO_END, value))
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
