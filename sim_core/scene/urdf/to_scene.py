"""A model to a Robot node: links become Solids, joints HingeJoints and SliderJoints with motors and sensors.

- A motor has the name of its joint, its PositionSensor that name and `_sensor`; a joint without motor has a
  PositionSensor of the joint's name. So `/R/joint_states` and commands speak of joints as the URDF does.
- A joint has a motor unless its effort limit is 0, or other tags give motors to other joints only.
- A rigid group of links whose topmost link weighs nothing has the mass of the next link on its top Solid.
- `<mimic>` makes coupled motors, which obey each other's commands, by the hidden field `coupling`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import (
    ZERO,
    Pose,
    add,
    axis_angle_from_rotation,
    multiply,
    rotate,
    rotation_from_axis_angle,
    scale,
)
from sim_core.scene.loader import parse_scene
from sim_core.scene.node import Node, Source
from sim_core.scene.node_types import all_node_types, did_you_mean, node_type
from sim_core.scene.urdf.mesh_urls import local_url
from sim_core.scene.urdf.model import (
    DeviceTag,
    GeometryElement,
    Inertial,
    JointElement,
    Limit,
    LinkElement,
    LinkShape,
    RobotDescription,
)

DEFAULT_COLOUR = (0.7, 0.7, 0.7, 1.0)
MOTOR_SUFFIX = "_sensor"
FARTHEST_STOP = 1e9
"""rad or m, beyond which a limit is none."""


def robot_node(model: RobotDescription, warnings: list[SceneError]) -> Node:
    """The Robot node of a model, its body at the origin; it waits for no controller.

    Raises:
        SceneErrors, SceneError: a device tag names no type of device, or fields that this has not.
    """
    return _SceneBuilder(model, warnings).robot()


def _friction_material(model: RobotDescription, link: str) -> str:
    """Contact material of a link with a friction of its own."""
    return f"{model.name}/{link}"


def contact_properties(model: RobotDescription) -> list[Node]:
    """What says how the links that have such a material rub."""
    return [
        Node.create(
            "ContactProperties", material1=_friction_material(model, link), coulombFriction=[coefficient]
        )
        for link, coefficient in model.friction.items()
    ]


class _SceneBuilder:
    def __init__(self, model: RobotDescription, warnings: list[SceneError]) -> None:
        self.model = model
        self.warnings = warnings
        self.below = model.joints_below()
        self.masses = self._masses()
        self.couplings = couplings(model, warnings, self._has_motor)
        self.tags: dict[str, list[DeviceTag]] = {}
        for tag in model.devices:
            if tag.enabled and tag.type_name:
                self.tags.setdefault(tag.reference, []).append(tag)

    def robot(self) -> Node:
        robot = self._solid(self.model.links[self.model.root], "Robot")
        robot["name"] = self.model.name
        robot["controller"] = "<extern>"
        robot["synchronization"] = False
        # Each link is made before those below it, without recursion: chains may be long.
        solids = {self.model.root: robot}
        pending = [self.model.root]
        while pending:
            name = pending.pop()
            for joint in self.below[name]:
                child = self.model.links[joint.child]
                solids[child.name] = self._solid(child)
                _append(solids[name], self._joint(joint, solids[child.name]))
                pending.append(joint.child)
        return robot

    def _own_tag(self, link: LinkElement) -> DeviceTag | None:
        """The tag that makes the link itself a device."""
        return next((tag for tag in self.tags.get(link.name, ()) if tag.name == link.name), None)

    def _device(self, tag: DeviceTag) -> Node:
        """A device node with the fields of its tag.

        Raises:
            SceneErrors, SceneError: the tag names no type of device, or fields that this has not.
        """
        found = node_type(tag.type_name)
        if found is None or not (found.is_a("Solid") and found.is_a("Device")):
            known = [
                name for name, each in all_node_types().items() if each.is_a("Solid") and each.is_a("Device")
            ]
            hint = did_you_mean(tag.type_name, known)
            raise SceneError(
                *tag.source, f'device type "{tag.type_name}"', "the name of a sensor's node", hint
            )
        device = _fields_of(tag)
        device["name"] = tag.name
        return device

    def _solid(self, link: LinkElement, type_name: str = "Solid") -> Node:
        own = self._own_tag(link) if type_name == "Solid" else None
        solid = _node(type_name, link) if own is None else self._device(own)
        solid["name"] = link.name
        for tag in self.tags.get(link.name, ()):
            if tag is not own:
                _append(solid, self._device(tag))
        for shape in link.visuals:
            _append(solid, _placed(shape, self._shape(shape)))
        bounds = [_placed(shape, self._geometry(shape)) for shape in link.collisions]
        if bounds:
            solid["boundingObject"] = bounds[0] if len(bounds) == 1 else _node("Group", link, children=bounds)
        if link.name in self.masses:
            solid["physics"] = _physics(self.masses[link.name])
        if link.name in self.model.friction:
            solid["contactMaterial"] = _friction_material(self.model, link.name)
        return solid

    def _masses(self) -> dict[str, Inertial]:
        """What each link weighs, as far as it may move; see the module's text about tops."""
        moving = [joint.child for joint in self.model.joints.values() if joint.kind != "fixed"]
        masses: dict[str, Inertial] = {}
        for top in [self.model.root, *moving]:
            group = list(self.model.rigid_group(top))
            if top == self.model.root and self.model.pinned:
                continue
            first = next(((link, pose) for link, pose in group if link.inertial is not None), None)
            if first is None:
                what = "stands still" if top == self.model.root else "follows its joint and has no inertia"
                link = self.model.links[top]
                self.warnings.append(SceneError(*link.source, f'link "{top}" has no mass: it {what}'))
                continue
            masses |= {link.name: link.inertial for link, _ in group if link.inertial is not None}
            if top not in masses:
                link, pose = first
                mass = masses.pop(link.name)
                masses[top] = Inertial(mass.mass, mass.inertia, pose * mass.origin, mass.source)
        return masses

    def _has_motor(self, joint: JointElement) -> bool:
        if self.model.actuated is not None:
            return joint.name in self.model.actuated
        return joint.limit is None or joint.limit.effort != 0.0

    def _joint(self, joint: JointElement, child: Node) -> Node:
        """The node in the parent link that holds the child: the child itself if it is fixed."""
        origin = joint.origin
        turns = joint.kind != "prismatic"
        low, high = self._ends(joint)
        if joint.kind != "fixed" and low == high:
            found = f'joint "{joint.name}" from {low:g} to {high:g} cannot move: it is fixed'
            self.warnings.append(SceneError(*joint.source, found))
        start = self._start(joint, low, high)
        axis = rotate(origin.rotation, joint.axis)
        if start != 0.0 and turns:
            turn = rotation_from_axis_angle((*axis, start))
            origin = Pose(origin.position, multiply(turn, origin.rotation))
        elif start != 0.0:
            origin = Pose(add(origin.position, scale(axis, start)), origin.rotation)
        _place(child, origin)
        if joint.kind == "fixed" or low == high:
            return child
        parameters = _node("HingeJointParameters" if turns else "JointParameters", joint, axis=axis)
        if turns and origin.position != ZERO:
            parameters["anchor"] = origin.position
        values = {"position": start, "dampingConstant": joint.damping, "staticFriction": joint.friction}
        if abs(low) <= FARTHEST_STOP and abs(high) <= FARTHEST_STOP:
            values |= {"minStop": low, "maxStop": high}
        for field, value in values.items():
            if value != 0.0:
                parameters[field] = value
        return _node(
            "HingeJoint" if turns else "SliderJoint",
            joint,
            jointParameters=parameters,
            device=self._devices(joint, turns),
            endPoint=child,
        )

    def _start(self, joint: JointElement, low: float, high: float) -> float:
        """As `<ros2_control>` says, else 0 if the limits hold it, else in their middle; mimics as led."""
        if joint.mimic is not None and joint.name in self.couplings:
            leader = self.model.joints[joint.mimic.joint]
            return self._start(leader, *self._ends(leader)) * joint.mimic.multiplier
        control = self.model.control.get(joint.name)
        if control is not None and control.initial is not None:
            if low <= control.initial <= high:
                return control.initial
            found = f'initial_value {control.initial:g} of joint "{joint.name}" past {low:g} and {high:g}'
            self.warnings.append(SceneError(*control.source, found))
        return 0.0 if low <= 0.0 <= high else (low + high) / 2.0

    def _ends(self, joint: JointElement) -> tuple[float, float]:
        coupling = self.couplings.get(joint.name)
        if coupling is not None and coupling.ends is not None:
            return coupling.ends
        limit = joint.limit
        return (limit.lower, limit.upper) if limit is not None else (-float("inf"), float("inf"))

    def _devices(self, joint: JointElement, turns: bool) -> list[Node]:
        coupling = self.couplings.get(joint.name, Coupling(""))
        if not self._has_motor(joint) and not coupling.name:
            return [_node("PositionSensor", joint, name=joint.name)]
        motor = _node("RotationalMotor" if turns else "LinearMotor", joint, name=joint.name)
        if coupling.name:
            motor["coupling"] = coupling.name
        if coupling.multiplier != 1.0:
            motor["multiplier"] = coupling.multiplier
        effort = "maxTorque" if turns else "maxForce"
        for field, value in self.model.motors.get(joint.name, {}).items():
            motor[effort if field == "maxTorque" else field] = value
        limit = coupling.limit or joint.limit
        for field, most in (("maxVelocity", limit.velocity), (effort, limit.effort)) if limit else ():
            if most:
                motor[field] = min(most, motor[field]) if motor.is_set(field) else most
        low, high = self._ends(joint)
        control = self.model.control.get(joint.name)
        commands = {} if control is None else control.limits
        least, most = commands.get("position", (low, high))
        low, high = max(low, least), min(high, most)
        if low > -1e9 and high < 1e9:
            motor["minPosition"], motor["maxPosition"] = low, high
        for interface, field in (
            ("velocity", "maxVelocity"),
            ("effort", effort),
        ):
            least, most = commands.get(interface, (0.0, float("inf")))
            if max(-least, most) < motor[field]:
                motor[field] = max(-least, most)
        return [motor, _node("PositionSensor", joint, name=joint.name + MOTOR_SUFFIX)]

    def _shape(self, shape: LinkShape) -> Node:
        red, green, blue, alpha = shape.colour or DEFAULT_COLOUR
        look = _node("PBRAppearance", shape, baseColor=(red, green, blue), roughness=1.0, metalness=0.0)
        if alpha != 1.0:
            look["transparency"] = 1.0 - alpha
        if shape.texture:
            url = local_url(shape.texture, shape.source.file)
            look["baseColorMap"] = _node("ImageTexture", shape, url=[url])
        geometry = self._geometry(shape)
        if geometry.type_name != "Transform":
            return _node("Shape", shape, appearance=look, geometry=geometry)
        mesh = geometry["children"][0]
        geometry["children"] = []
        geometry["children"] = [_node("Shape", shape, appearance=look, geometry=mesh)]
        return geometry

    def _geometry(self, shape: LinkShape) -> Node:
        geometry: GeometryElement = shape.geometry
        size = geometry.size
        if geometry.kind == "box":
            return _node("Box", shape, size=size)
        if geometry.kind == "sphere":
            return _node("Sphere", shape, radius=size[0])
        if geometry.kind == "mesh":
            mesh = _node("Mesh", shape, url=[local_url(geometry.url, shape.source.file)])
            return mesh if size == (1.0, 1.0, 1.0) else _node("Transform", shape, scale=size, children=[mesh])
        return _node(geometry.kind.capitalize(), shape, radius=size[0], height=size[1])


def _node(type_name: str, of: LinkElement | JointElement | LinkShape | Inertial, **fields: object) -> Node:
    """A node that stands where its element does."""
    found = node_type(type_name)
    assert found is not None
    node = Node(found, of.source)
    for name, value in fields.items():
        node[name] = value
    return node


def _append(parent: Node, child: Node) -> None:
    parent["children"] = [*parent["children"], child]


def _place(node: Node, pose: Pose) -> None:
    if pose.position != ZERO:
        node["translation"] = pose.position
    rotation = axis_angle_from_rotation(pose.rotation)
    if rotation[3] != 0.0:
        node["rotation"] = rotation


def _placed(shape: LinkShape, node: Node) -> Node:
    """The node of a shape, in a Pose unless it is at the origin."""
    if shape.origin == Pose():
        return node
    pose = _node("Pose", shape, children=[node])
    _place(pose, shape.origin)
    return pose


def _physics(inertial: Inertial) -> Node:
    of = inertial.in_link()
    physics = _node("Physics", inertial, density=-1.0, mass=of.mass, centerOfMass=[of.origin.position])
    xx, xy, xz, _, yy, yz, _, _, zz = of.inertia
    if any(of.inertia):
        physics["inertiaMatrix"] = [(xx, yy, zz), (xy, xz, yz)]
    return physics


def _fields_of(tag: DeviceTag) -> Node:
    """A device node with the fields of its tag."""
    source: Source = tag.fields_source
    text = f"#VRML_SIM R2025a utf8\n{tag.type_name} {{ {tag.fields} }}\n"
    nodes = parse_scene(text, f"{source} <fields>").nodes
    if len(nodes) != 1:
        raise SceneError(*source, f"<fields> that end before their end: {len(nodes)} nodes", "fields alone")
    nodes[0].source = tag.source
    return nodes[0]


SEPARATOR = "::"


class Coupling(NamedTuple):
    """What a motor's coupling is called and how it follows; the limits go with those of its leader."""

    name: str
    multiplier: float = 1.0
    limit: Limit | None = None
    ends: tuple[float, float] | None = None


def couplings(
    model: RobotDescription, warnings: list[SceneError], has_motor: Callable[[JointElement], bool]
) -> dict[str, Coupling]:
    """The joints that mimic others, and those others, by name.

    A mimic with an offset, of a joint without motor, or with the multiplier 0 is none: a warning says so.
    """
    found: dict[str, Coupling] = {}
    for joint in model.joints.values():
        if joint.mimic is None:
            continue
        leader = model.joints[joint.mimic.joint]
        factor = joint.mimic.multiplier
        reason = ""
        if joint.mimic.offset != 0.0:
            reason = "with an offset"
        elif factor == 0.0:
            reason = "with the multiplier 0"
        elif not has_motor(leader):
            reason = f'of "{leader.name}", which has no motor,'
        elif SEPARATOR in leader.name + joint.name:
            reason = f'with "{SEPARATOR}" in a name'
        if reason:
            text = f'joint "{joint.name}": a mimic {reason} is not simulated, the joint moves by itself'
            warnings.append(SceneError(*joint.source, text))
            continue
        found.setdefault(leader.name, Coupling(leader.name))
        found[joint.name] = _following(joint, leader, factor)
    return found


def _following(joint: JointElement, leader: JointElement, factor: float) -> Coupling:
    limit = leader.limit
    if limit is None:
        return Coupling(leader.name, factor)
    low, high = sorted((limit.lower * factor, limit.upper * factor))
    velocity = (limit.velocity or 10.0) * abs(factor)
    effort = joint.limit.effort if joint.limit is not None else limit.effort
    return Coupling(leader.name, factor, Limit(low, high, effort, velocity), (low, high))
