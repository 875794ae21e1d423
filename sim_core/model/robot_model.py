"""URDF model of a robot in a scene: its parts as links with masses, shapes and joints.

A joint is named after its motor or position sensor, as on `/R/joint_states`. Left out is what URDF cannot
express: cones and other shapes, loops, springs. A joint with several axes becomes a chain of revolute joints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, rotate_back
from sim_core.base.ids import NodeId
from sim_core.model.geometry import Box, Capsule, Cylinder, FileMesh, Sphere
from sim_core.model.joint_frames import axis_spec, parameter_nodes
from sim_core.model.kinematics import WHEELS
from sim_core.model.physics import read_physics
from sim_core.model.robot_parts import RobotPart
from sim_core.model.shapes import ShapeRecord, own_bounding_shapes, visible_shapes_of
from sim_core.scene.node import Node
from sim_core.scene.robot_description import (
    FREE,
    GeometryElement,
    Inertial,
    JointElement,
    Limit,
    LinkElement,
    LinkShape,
    Material,
    RobotDescription,
)


def robot_model(parts: Sequence[RobotPart]) -> RobotDescription:
    """Build the model of a robot from its parts."""
    robot = parts[0].solid
    model = RobotDescription(robot["name"], parts[0].name)
    model.pinned = robot["physics"] is None
    shapes: dict[NodeId, list[ShapeRecord]] = {}
    for record in visible_shapes_of(robot):
        if record.solid is not None:
            shapes.setdefault(record.solid, []).append(record)
    for part in parts:
        stands = model.pinned and _is_fixed(part)
        link = LinkElement(part.name, None if stands else _inertial(part.solid))
        link.visuals = [each for record in shapes.get(part.solid.id, ()) for each in _shapes(record)]
        link.collisions = [
            LinkShape(each.geometry, each.origin)
            for record in own_bounding_shapes(part.solid)
            for each in _shapes(record)
        ]
        model.links[link.name] = link
        for joint in _joints(part):
            name, number = joint.name, 1
            while joint.name in model.joints:
                number += 1
                joint.name = f"{name}_{number}"
            model.joints[joint.name] = joint
            if joint.child not in model.links:
                model.links[joint.child] = LinkElement(joint.child)
    return model


def _is_fixed(part: RobotPart) -> bool:
    """Return whether there is no joint between a part and the robot's body."""
    above: RobotPart | None = part
    while above is not None:
        if above.joint is not None:
            return False
        above = above.parent
    return True


def _inertial(solid: Node) -> Inertial | None:
    if solid["physics"] is None:
        return None
    mass = read_physics(solid, list(own_bounding_shapes(solid)), None, []).mass
    return Inertial(mass.mass, mass.inertia, Pose(mass.centre))


def _joints(part: RobotPart) -> Iterator[JointElement]:
    """Iterate over the joint to a part, preceded by that to the frame on its axis."""
    if part.parent is None:
        return
    if part.joint is None:
        yield JointElement(f"{part.name}_joint", "fixed", part.parent.name, part.name, part.pose)
        return
    if part.turns:
        yield from _chain(part)
        return
    if part.axis is None:
        yield JointElement(f"{part.name}_joint", FREE, part.parent.name, part.name, part.pose)
        return
    child = part.name if part.to_axle is None else part.axle
    origin = part.at_zero()
    joint = JointElement(axis_name(part), "continuous", part.parent.name, child, origin)
    joint.axis = rotate_back(origin.rotation, part.axis)
    _set_limits(joint, part)
    yield joint
    if part.to_axle is not None:
        yield JointElement(f"{part.name}_joint", "fixed", child, part.name, part.to_axle.inverse())


def _chain(part: RobotPart) -> Iterator[JointElement]:
    """Iterate over a revolute joint for each axis, and the fixed joint to the part."""
    assert part.parent is not None and part.to_axle is not None
    before = part.parent.name
    for index, turn in enumerate(part.turns):
        joint = JointElement(axis_name(part, index), "continuous", before, turn.frame, Pose(turn.origin))
        joint.axis = turn.axis
        _set_limits(joint, part, index)
        yield joint
        before = turn.frame
    yield JointElement(f"{part.name}_fixed", "fixed", before, part.name, part.to_axle.inverse())


def _set_limits(joint: JointElement, part: RobotPart, index: int = 0) -> None:
    """Set limits, damping and friction of an axis."""
    assert part.joint is not None
    low, high, effort, velocity = _limits(part, index)
    bounded = math.isfinite(low) and math.isfinite(high)
    joint.kind = "prismatic" if part.slides else "revolute" if bounded else "continuous"
    joint.limit = Limit(low, high, effort, velocity)
    spec = axis_spec(parameter_nodes(part.joint)[index])
    joint.damping, joint.friction = spec.damping, spec.friction


def devices_at(joint: Node, index: int = 0) -> list[Node]:
    """Return the motors and position sensors at an axis of a joint, motors first."""
    if joint.type_name == "Servo":
        return [joint]
    devices = joint[f"device{index + 1}" if index else "device"] if joint.is_a("Joint") else []
    motors = [node for node in devices if node.is_a("Motor")]
    return motors + [node for node in devices if node.type_name == "PositionSensor"]


def axis_name(part: RobotPart, index: int = 0) -> str:
    """Return the joint name of an axis, as on `/R/joint_states`."""
    joint = part.joint
    assert joint is not None
    devices = devices_at(joint, index)
    if devices:
        name: str = devices[0]["name"]
        return name
    if joint.type_name == "Solid" and joint["name"] in WHEELS:
        return str(joint["name"])
    return f"{part.name}_joint_{index + 1}" if index else f"{part.name}_joint"


def _limits(part: RobotPart, index: int) -> tuple[float, float, float, float]:
    """Return lower and upper limit (infinite: none), effort and velocity; without a motor the latter are
    0."""
    joint = part.joint
    assert joint is not None
    spec = axis_spec(parameter_nodes(joint)[index])
    low, high = (spec.min_stop, spec.max_stop) if spec.has_stops else (-math.inf, math.inf)
    motors = [node for node in devices_at(joint, index) if node.type_name != "PositionSensor"]
    if joint.type_name == "Solid" and joint["name"] in WHEELS:
        robot = next(node for node in joint.ancestors() if node.is_a("Robot"))
        return low, high, robot["maxForce"], robot["maxSpeed"]
    if not motors:
        return low, high, 0.0, 0.0
    motor = motors[0]
    ends = (motor["minPosition"], motor["maxPosition"])
    if ends != (0.0, 0.0):
        low, high = max(low, ends[0]), min(high, ends[1])
    effort = next(motor[name] for name in ("maxTorque", "maxForce") if motor.has_field(name))
    return low, high, effort, motor["maxVelocity"]


def _shapes(record: ShapeRecord) -> Iterator[LinkShape]:
    """Convert a shape to URDF; a capsule becomes a cylinder and two spheres."""
    pose = record.offset
    x, y, z = (abs(value) for value in record.scale)
    colour = record.appearance.mean_colour if record.appearance is not None else None

    def shape(kind: str, size: tuple[float, ...], at: Vec3 = (0.0, 0.0, 0.0), url: str = "") -> LinkShape:
        return LinkShape(
            GeometryElement(kind, size, url), Pose(pose.apply(at), pose.rotation), Material(colour)
        )

    match record.geometry:
        case Box((a, b, c)):
            yield shape("box", (a * x, b * y, c * z))
        case Sphere(radius):
            yield shape("sphere", (radius * max(x, y, z),))
        case Cylinder(radius, height):
            yield shape("cylinder", (radius * max(x, y), height * z))
        case Capsule(radius, height):
            ball, end = (radius * max(x, y),), height * z / 2.0
            yield shape("cylinder", (*ball, height * z))
            yield shape("sphere", ball, (0.0, 0.0, end))
            yield shape("sphere", ball, (0.0, 0.0, -end))
        case FileMesh(file) if file is not None:
            with suppress(SceneError):  # reported when the world was read
                yield shape("mesh", record.scale, url=f"file://{file.find_file().resolve()}")
