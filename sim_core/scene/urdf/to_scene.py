"""Conversion of a description to a Robot node: links to Solids, joints to HingeJoints and SliderJoints.

- Joints have motors and sensors. A motor has the name of its joint, its PositionSensor that name and
  `_sensor`; a joint without motor has a PositionSensor of the joint's name. So `/R/joint_states` and commands
  use the joint names of the URDF.
- A joint has a motor unless its effort limit is 0, or other tags give motors only to other joints.
- A rigid group of links whose top link has no mass has the mass of the next link on its top Solid.
- A joint that closes a loop ends in a SolidReference.
- `<mimic>` makes coupled motors, which follow each other's commands, by the hidden field `coupling`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from sim_core.base.errors import SceneError
from sim_core.base.geometry import (
    ZERO,
    Pose,
    add,
    multiply,
    rotate,
    rotation_from_axis_angle,
    scale,
    subtract,
)
from sim_core.scene.gazebo.flows import with_one_added_mass
from sim_core.scene.gazebo.found import Rotor
from sim_core.scene.gazebo.rotors import SUFFIX
from sim_core.scene.loader import parse_scene
from sim_core.scene.node import Node, Source
from sim_core.scene.node_types import all_node_types, did_you_mean, node_type
from sim_core.scene.robot_description import (
    DeviceTag,
    Inertial,
    JointElement,
    LinkElement,
    LinkShape,
    RobotDescription,
)
from sim_core.scene.urdf.couplings import Coupling, couplings
from sim_core.scene.urdf.shape_nodes import geometry_node, node_of, place, placed, shape_node

MOTOR_SUFFIX = "_sensor"
BALL = "ball"
_SEVERAL_AXES = (BALL, "universal")
FARTHEST_STOP = 1e9
"""Stop in rad or m from which on there is no limit."""


def robot_node(model: RobotDescription, warnings: list[SceneError], type_name: str = "Robot") -> Node:
    """Return the Robot node of a description, with its body at the origin; its controller is `<extern>`.

    Args:
        model: description of the robot.
        warnings: receives a line for each difference to the description.
        type_name: `Solid` for a model without movable joints and devices.

    Raises:
        SceneErrors, SceneError: a device tag has an unknown type or unknown fields.
    """
    return _SceneBuilder(model, warnings).robot_node(type_name)


def _friction_material(model: RobotDescription, link: str) -> str:
    """Return the contact material of a link with its own friction."""
    return f"{model.name}/{link}"


def contact_properties(model: RobotDescription) -> list[Node]:
    """Return the ContactProperties of the links with such a material."""
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

    def robot_node(self, type_name: str) -> Node:
        robot = self._solid(self.model.links[self.model.root], type_name)
        robot["name"] = self.model.name
        if type_name == "Robot":
            robot["controller"] = "<extern>"
            robot["synchronization"] = False
            for field, value in self.model.fields.items():
                robot[field] = value
            if self.model.self_collides:
                robot["selfCollision"] = True
        # Each link is made before those below it, without recursion, because chains may be long.
        solids = {self.model.root: robot}
        pending = [self.model.root]
        while pending:
            name = pending.pop()
            for joint in self.below[name]:
                child = self.model.links[joint.child]
                solids[child.name] = self._solid(child)
                _append(solids[name], self._joint(joint, solids[child.name]))
                for rotor in (each for each in self.model.rotors if each.joint == joint.name):
                    _append(solids[name], _propeller(rotor, joint))
                pending.append(joint.child)
        for joint in self.model.joints.values():
            if joint.closes_loop:
                end = node_of("SolidReference", joint, solidName=solids[joint.child]["name"])
                _append(solids[joint.parent], self._joint(joint, end))
        return robot

    def _own_tag(self, link: LinkElement) -> DeviceTag | None:
        """Return the tag that makes the link itself a device."""
        return next((tag for tag in self.tags.get(link.name, ()) if tag.name == link.name), None)

    def _device(self, tag: DeviceTag) -> Node:
        """Return a device node with the fields of its tag.

        Raises:
            SceneErrors, SceneError: the tag has an unknown type or unknown fields.
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
        solid = node_of(type_name, link) if own is None else self._device(own)
        solid["name"] = link.name
        touching = solid
        for tag in self.tags.get(link.name, ()):
            if tag is own:
                continue
            _append(solid, device := self._device(tag))
            if tag.type_name == "TouchSensor" and tag.name == link.name:  # of the robot's own link
                touching = device
        for shape in link.visuals:
            _append(solid, placed(shape, shape_node(shape)))
        for light in self.model.lights.get(link.name, ()):
            _append(solid, light)
        self._give_bounds(touching, link)
        if link.name in self.masses:
            solid["physics"] = _physics(self.masses[link.name])
            forces = [each for each in self.model.fluid_forces if each.link == link.name]
            if forces := with_one_added_mass([*link.fluid_forces, *forces]):
                solid["physics"]["fluidForces"] = [
                    node_of(each.type_name, each, **each.fields) for each in forces
                ]
        if link.name in self.model.friction:
            touching["contactMaterial"] = _friction_material(self.model, link.name)
        return solid

    def _give_bounds(self, solid: Node, link: LinkElement) -> None:
        """Set the bounding object of a solid; collisions of another material are in a solid fixed to it."""
        by_material: dict[str, list[LinkShape]] = {}
        for shape in link.collisions:
            by_material.setdefault(shape.material, []).append(shape)
        for number, (material, shapes) in enumerate(by_material.items()):
            holder = solid
            if number:
                holder = node_of("Solid", link, name=f"{solid['name']}_{number + 1}")
                _append(solid, holder)
            bounds = [placed(shape, geometry_node(shape)) for shape in shapes]
            holder["boundingObject"] = (
                bounds[0] if len(bounds) == 1 else node_of("Group", link, children=bounds)
            )
            if material:
                holder["contactMaterial"] = material

    def _masses(self) -> dict[str, Inertial]:
        """Return the inertia of each link that may move; see the rule about rigid groups above."""
        joints = self.model.joints.values()
        moving = [joint.child for joint in joints if joint.kind != "fixed" and not joint.closes_loop]
        masses: dict[str, Inertial] = {}
        for top in [self.model.root, *moving]:
            group = list(self.model.rigid_group(top))
            if top == self.model.root and self.model.pinned:
                masses |= self._weighed()
                continue
            first = next(((link, pose) for link, pose in group if link.inertial is not None), None)
            if first is None:
                what = "does not move" if top == self.model.root else "follows its joint and has no inertia"
                link = self.model.links[top]
                self.warnings.append(SceneError(*link.source, f'link "{top}" has no mass: it {what}'))
                continue
            masses |= {link.name: link.inertial for link, _ in group if link.inertial is not None}
            if top not in masses:
                link, pose = first
                mass = masses.pop(link.name)
                masses[top] = replace(mass, origin=pose * mass.origin)
        return masses

    def _weighed(self) -> dict[str, Inertial]:
        """Return the inertia of the links whose weight a ForceTorque measures although they cannot move."""
        tops = [tag.reference for tag in self.model.devices if tag.type_name == "ForceTorque"]
        links = [link for top in tops if top in self.model.links for link, _ in self.model.rigid_group(top)]
        return {link.name: link.inertial for link in links if link.inertial is not None}

    def _has_motor(self, joint: JointElement) -> bool:
        if self.model.actuated is not None:
            return joint.name in self.model.actuated
        return joint.limit is None or joint.limit.effort != 0.0

    def _joint(self, joint: JointElement, child: Node) -> Node:
        """Return the node in the parent link that contains the child: the child itself if it is fixed."""
        if joint.kind in _SEVERAL_AXES:
            return self._joint_of_several_axes(joint, child)
        origin = joint.origin
        turns = joint.kind != "prismatic"
        low, high = self._ends(joint)
        if joint.kind != "fixed" and low == high and not joint.closes_loop:
            found = f'joint "{joint.name}" from {low:g} to {high:g} cannot move: it is fixed'
            self.warnings.append(SceneError(*joint.source, found))
        start = self._start(joint, low, high)
        axis, anchor = rotate(origin.rotation, joint.axis), origin.apply(joint.anchor)
        if start != 0.0 and turns:
            turn = rotation_from_axis_angle((*axis, start))
            arm = rotate(turn, subtract(origin.position, anchor))
            origin = Pose(add(anchor, arm), multiply(turn, origin.rotation))
        elif start != 0.0:
            origin = Pose(add(origin.position, scale(axis, start)), origin.rotation)
        if not joint.closes_loop:
            place(child, origin)
            if joint.kind == "fixed" or low == high:
                return child
        parameters = node_of("HingeJointParameters" if turns else "JointParameters", joint, axis=axis)
        if turns and anchor != ZERO:
            parameters["anchor"] = anchor
        _set_dynamics(parameters, joint, start, low, high)
        return node_of(
            "HingeJoint" if turns else "SliderJoint",
            joint,
            jointParameters=parameters,
            device=self._devices(joint, turns),
            endPoint=child,
        )

    def _joint_of_several_axes(self, joint: JointElement, child: Node) -> Node:
        """Return a BallJoint, or the Hinge2Joint of two axes."""
        if not joint.closes_loop:
            place(child, joint.origin)
        anchor = joint.origin.apply(joint.anchor)
        if joint.kind == BALL:
            parameters = node_of("BallJointParameters", joint, anchor=anchor)
            return node_of("BallJoint", joint, jointParameters=parameters, endPoint=child)
        second = joint.second or joint
        first_axis, second_axis = (rotate(joint.origin.rotation, each.axis) for each in (joint, second))
        parameters = node_of("HingeJointParameters", joint, anchor=anchor, axis=first_axis)
        parameters2 = node_of("JointParameters", joint, axis=second_axis)
        for each, node in ((joint, parameters), (second, parameters2)):
            _set_dynamics(node, each, 0.0, *self._ends(each))
        return node_of(
            "Hinge2Joint",
            joint,
            jointParameters=parameters,
            jointParameters2=parameters2,
            device=[node_of("PositionSensor", joint, name=joint.name)],
            endPoint=child,
        )

    def _start(self, joint: JointElement, low: float, high: float) -> float:
        """Return the start position of `<ros2_control>`, else 0 if the limits allow it, else their middle
        or only end.

        Mimics start at the position given by their leaders.
        """
        if joint.mimic is not None and joint.name in self.couplings:
            leader = self.model.joints[joint.mimic.joint]
            start = self._start(leader, *self._ends(leader))
            return start * joint.mimic.multiplier + joint.mimic.offset
        control = self.model.control.get(joint.name)
        if control is not None and control.initial is not None:
            if low <= control.initial <= high:
                return control.initial
            found = f'initial_value {control.initial:g} of joint "{joint.name}" past {low:g} and {high:g}'
            self.warnings.append(SceneError(*control.source, found))
        if low <= 0.0 <= high:
            return 0.0
        return (low + high) / 2.0 if math.isfinite(high - low) else low if math.isfinite(low) else high

    def _ends(self, joint: JointElement) -> tuple[float, float]:
        coupling = self.couplings.get(joint.name)
        if coupling is not None and coupling.ends is not None:
            return coupling.ends
        limit = joint.limit
        return (limit.lower, limit.upper) if limit is not None else (-float("inf"), float("inf"))

    def _devices(self, joint: JointElement, turns: bool) -> list[Node]:
        coupling = self.couplings.get(joint.name, Coupling())
        if not self._has_motor(joint) and not coupling.name and not coupling.follows:
            return [node_of("PositionSensor", joint, name=joint.name)]
        motor = node_of("RotationalMotor" if turns else "LinearMotor", joint, name=joint.name)
        if coupling.name:
            motor["coupling"] = coupling.name
        if coupling.follows:
            motor["follows"], motor["offset"] = coupling.follows, coupling.offset
        if coupling.multiplier != 1.0:
            motor["multiplier"] = coupling.multiplier
        effort = "maxTorque" if turns else "maxForce"
        for field, value in self.model.motors.get(joint.name, {}).items():
            motor[effort if field == "maxTorque" else field] = value
        if "battery" in self.model.fields:  # only the load of the battery plugin uses its energy
            motor["consumptionFactor"] = 0.0
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
        for interface, field in (("velocity", "maxVelocity"), ("effort", effort)):
            least, most = commands.get(interface, (0.0, float("inf")))
            if max(-least, most) < motor[field]:
                motor[field] = max(-least, most)
        return [motor, node_of("PositionSensor", joint, name=joint.name + MOTOR_SUFFIX)]


def _propeller(rotor: Rotor, joint: JointElement) -> Node:
    """Return a Propeller at the link of a joint, along its z axis or that of the joint."""
    axis = joint.axis if rotor.is_along_joint else (0.0, 0.0, 1.0)
    motor = node_of("RotationalMotor", joint, name=joint.name + SUFFIX)
    for field, value in rotor.motor.items():
        motor[field] = value
    return node_of(
        "Propeller",
        joint,
        shaftAxis=rotate(joint.origin.rotation, axis),
        centerOfThrust=joint.origin.position,
        thrustConstants=(rotor.thrust, 0.0),
        torqueConstants=(rotor.torque, 0.0),
        device=motor,
    )


def _set_dynamics(parameters: Node, joint: JointElement, start: float, low: float, high: float) -> None:
    """Set start position, stops, spring, damping and friction of a joint's parameters."""
    values = {
        "position": start,
        "springConstant": joint.spring,
        "dampingConstant": joint.damping,
        "staticFriction": joint.friction,
    }
    if abs(low) <= FARTHEST_STOP and abs(high) <= FARTHEST_STOP:
        values |= {"minStop": low, "maxStop": high}
    for field, value in values.items():
        if value != 0.0:
            parameters[field] = value


def _append(parent: Node, child: Node) -> None:
    parent["children"] = [*parent["children"], child]


def _physics(inertial: Inertial) -> Node:
    own = {} if inertial.falls else {"gravity": False}
    if inertial.density:
        return node_of("Physics", inertial, density=inertial.density, **own)
    of = inertial.in_link()
    physics = node_of(
        "Physics", inertial, density=-1.0, mass=of.mass, centerOfMass=[of.origin.position], **own
    )
    xx, xy, xz, _, yy, yz, _, _, zz = of.inertia
    if any(of.inertia):
        physics["inertiaMatrix"] = [(xx, yy, zz), (xy, xz, yz)]
    return physics


def _fields_of(tag: DeviceTag) -> Node:
    """Return a device node with the fields of its tag."""
    source: Source = tag.fields_source
    text = f"#VRML_SIM R2025a utf8\n{tag.type_name} {{ {tag.fields} }}\n"
    nodes = parse_scene(text, f"{source} <fields>").nodes
    if len(nodes) != 1:
        raise SceneError(
            *source, f"<fields> with a closing bracket too many: {len(nodes)} nodes", "fields alone"
        )
    nodes[0].source = tag.source
    return nodes[0]
