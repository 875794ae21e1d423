"""The wall-avoider scene with any number of robots, all turning in small circles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim_core.base.geometry import Pose, rotate
from sim_core.engines.ode import PhysicsWorld
from sim_core.engines.ode.contacts.kernels import BALL, OTHER, WHEEL
from sim_core.model.geometry import Box, Cylinder, Plane, Sphere
from sim_core.scene import Scene, load_scene

WORLD = Path(__file__).resolve().parents[1] / "worlds" / "wall_avoiders.wbt"
SPEEDS = (-2.0, 4.0)
"""rad/s of the left and right wheel: a circle of 0.083 m at 2.4 rad/s."""
TORQUE = 10.0
SPACING = 1.4


def scene_with(count: int) -> Scene:
    """The arena with `count` copies of its first robot where they can circle without touching a wall."""
    scene = load_scene(WORLD)
    robots = [node for node in scene.nodes if node.is_a("Robot")]
    walls = [node for node in scene.nodes if node.type_name == "Solid" and node["name"].startswith("wall")]
    boxes = [(wall, wall["boundingObject"]["size"]) for wall in walls]
    scene.nodes = [node for node in scene.nodes if not node.is_a("Robot")]
    for x, y in _places(boxes, count):
        robot = robots[0].copy()
        robot["name"] = f"robot{len(scene.nodes)}"
        robot["translation"] = (x, y, robot["translation"][2])
        scene.nodes.append(robot)
    return scene


def _places(boxes: list[Any], count: int) -> list[tuple[float, float]]:
    """Grid points, row by row, that are clear of all walls."""
    found: list[tuple[float, float]] = []
    spacing = SPACING
    while len(found) < count:
        steps = int(18.0 / spacing)
        grid = [-9.0 + spacing * i for i in range(steps + 1)]
        found = [(x, y) for y in grid for x in grid if all(_distance(x, y, *box) > 0.6 for box in boxes)]
        spacing *= 0.95
    return found[:count]


def _distance(x: float, y: float, wall: Any, size: Any) -> float:
    """Distance in the plane from a point to a box."""
    pose = Pose.from_axis_angle(wall["translation"], wall["rotation"])
    px, py, _ = pose.inverse().apply((x, y, pose.position[2]))
    dx, dy = max(0.0, abs(px) - size[0] / 2), max(0.0, abs(py) - size[1] / 2)
    return (dx * dx + dy * dy) ** 0.5


def drive(world: PhysicsWorld, scene: Scene) -> list[Any]:
    """Set all wheel motors; returns the axes in file order."""
    axes = []
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
        _line("world", world.step_ns / 1e9, contacts.floors[0].d, world.gravity[2], world.built.world.cfm)
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
        mass = link.weight.physics.mass
        pose = (*link.start.apply(link.centre), *link.start.rotation)
        lines.append(_line("body", mass.mass, *mass.inertia, *pose))
    for shape in shapes:
        if shape.is_dynamic:
            continue
        if isinstance(shape.geometry, Plane):
            lines.append("floor")
        else:
            pose_ = shape.link.start * shape.pose
            lines.append(_line("wall", *shape.geometry.size, *pose_.position, *pose_.rotation))
    tops = list(dict.fromkeys(link.top for link in links if link in bodies))
    for group, top in enumerate(tops):
        own = [shape for shape in shapes if shape.link.top == top]
        lines.append(_line("space", group, len(own)))
        lines += [_shape(shape, bodies, numbers[id(shape)]) for shape in own]
    for index, joint in enumerate(world.built.reading.joints):
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
