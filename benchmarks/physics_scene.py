"""Robots that all turn in small circles, and their scene for the C program."""

from __future__ import annotations

from typing import Any

from sim_core.base.geometry import rotate
from sim_core.engines.ode import PhysicsWorld
from sim_core.engines.ode.contacts.kernels import BALL, OTHER, WHEEL
from sim_core.model.geometry import Box, Cylinder, Plane, Sphere
from sim_core.scene import Scene

SPEEDS = (-2.0, 4.0)
"""rad/s of the left and right wheel: a circle of 0.083 m at 2.4 rad/s."""
TORQUE = 10.0


def drive(world: PhysicsWorld, scene: Scene) -> list[Any]:
    """Set all wheel motors; returns the axes in file order."""
    axes: list[Any] = []
    for joint in (node for node in scene.walk() if node.type_name == "HingeJoint"):
        axis = world.axis(joint.id)
        axis.drive(SPEEDS[len(axes) % 2], TORQUE)
        axes.append(axis)
    return axes


def baseline_scene(world: PhysicsWorld) -> str:
    """The same bodies, geoms, spaces, joints and contacts for physics_baseline.c, in the same order."""
    contacts, links = world.built.contacts, world.built.reading.links
    bodies = {link: index for index, link in enumerate(world.built.bodies)}
    surfaces: list[str] = []
    still = next(iter(contacts.floors)).shape
    lines = [
        _line(
            "world", world.built.seconds, contacts.floors[0].d, world.model.gravity[2], world.built.world.cfm
        )
    ]
    shapes = list(contacts.shapes.values())

    def surface_number(shape: Any) -> int:
        text = _surface(contacts.surfaces.pair(shape.surface, still.surface))
        if text not in surfaces:
            surfaces.append(text)
        return surfaces.index(text)

    numbers = {id(shape): surface_number(shape) for shape in shapes if shape.is_dynamic}
    lines += surfaces
    for link in bodies:
        assert link.weight is not None
        mass = link.weight.physics.mass
        pose = (*link.start.apply(link.centre), *link.start.rotation)
        lines.append(_line("body", mass.mass, *mass.inertia, *pose))
    for shape in shapes:
        if shape.is_dynamic:
            continue
        if isinstance(shape.geometry, Plane):
            lines.append("floor")
        else:
            assert isinstance(shape.geometry, Box)
            pose_ = shape.link.start * shape.pose
            lines.append(_line("wall", *shape.geometry.size, *pose_.position, *pose_.rotation))
    tops = list(dict.fromkeys(link.top for link in links if link in bodies))
    for group, top in enumerate(tops):
        own = [shape for shape in shapes if shape.link.top == top]
        lines.append(_line("space", group, len(own)))
        lines += [_shape(shape, bodies, numbers[id(shape)]) for shape in own]
    for index, joint in enumerate(world.built.reading.joints):
        assert joint.parent is not None and joint.child is not None
        frame = joint.parent.start * joint.record.frame
        anchor = frame.apply(joint.record.anchor)
        axis = rotate(frame.rotation, joint.record.axes[0])
        ends = (bodies[joint.child], bodies[joint.parent])
        lines.append(_line("hinge", *ends, *anchor, *axis, SPEEDS[index % 2], TORQUE))
    return "\n".join(lines) + "\n"


def _shape(shape: Any, bodies: dict[Any, int], surface: int) -> str:
    offset = shape.in_body()
    axis = rotate(offset.rotation, (0.0, 0.0, 1.0))
    column = max(range(3), key=lambda k: abs(axis[k]))
    size = (shape.radius, 0.0, 0.0)
    match shape.geometry:
        case Box(size):
            pass
        case Cylinder(radius, height):
            size = (radius, height, 0.0)
    body = bodies[shape.link.dynamic_ancestor()]
    x, y, z, _, rounding_about_z = shape.half_extents()
    kind = WHEEL if shape.is_wheel else BALL if isinstance(shape.geometry, Sphere) else OTHER
    extents = (x, y, z, rounding_about_z)
    place = (*offset.position, *offset.rotation, *extents)
    return _line(type(shape.geometry).__name__, body, *size, *place, kind, column, surface, surface)


def _surface(surface: Any) -> str:
    stick, bounce = surface.stick, surface.bounce_stick
    values = (stick.getMu(), stick.getSoftERP(), stick.getSoftCFM())
    bounces = (bounce.getBounce(), surface.bounce_speed, bounce.getSoftERP(), bounce.getSoftCFM())
    return _line("surface", *values, *bounces, float(surface.needs_velocity), *surface.shares)


def _line(word: str, *numbers: float) -> str:
    return " ".join([word, *(repr(number) for number in numbers)])
