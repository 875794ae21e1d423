"""Collisions become contact joints: the hot loop of a step.

Wheels and balls on a floor are worked out here by formula, one contact each; a wheel touches with its mid-plane,
for the two contacts on its rims would turn a robot by several percent too little. Everything else goes through
ODE's spaces: one for what stands still, never collided with itself, and one that holds a space for each robot.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from struct import Struct
from typing import Any, NamedTuple

import ode

from sim_core.geometry import Vec3, cross, dot, norm, normalized, rotate, scale, subtract
from sim_core.physics.keeper import Keeper
from sim_core.physics.shapes import Floor, Shape
from sim_core.physics.surfaces import Surface, Surfaces
from sim_core.scene import Node

FLOOR_BIT = 1
"""Category of the floors that wheels and balls are set on by formula."""
SLIDES_FROM = 1e-6
"""Square of the sliding speed (m²/s²) from which friction points against the motion."""
STEEPEST = 0.25
"""Square of the sine of the tilt from which a wheel is taken to lie on its side."""
ALL_BITS = 0xFFFFFFFF

# position, one column of the rotation, linear and angular velocity out of a body's state
_COLUMN = [
    Struct("<3d8x" + f"{8 * k}xd{8 * (3 - k)}x" * 3 + "32x3d8x3d8x") for k in range(3)
]
_CENTRE = Struct("<3d8x96x32x3d8x3d8x")
_WHOLE = Struct("<3d8x3d8x3d8x3d8x32x3d8x3d8x")


class ContactPoint(NamedTuple):
    """One contact of the last step; the normal points into `first`, away from `second`."""

    position: Vec3
    normal: Vec3
    depth: float
    first: Node
    second: Node


class Group:
    """What belongs to one tree of solids."""

    __slots__ = ("collides_with_itself", "joined")

    def __init__(self, collides_with_itself: bool) -> None:
        self.collides_with_itself = collides_with_itself
        self.joined: set[tuple[int, int]] = set()


class Contacts:
    """Finds what touches, and tells ODE."""

    def __init__(self, world: Any, surfaces: Surfaces, keeper: Keeper) -> None:
        self.keeper = keeper
        self.world = world
        self.surfaces = surfaces
        self.joints = ode.JointGroup()
        self.still = ode.SimpleSpace()
        self.moving = ode.SimpleSpace()
        keeper.spaces += [self.still, self.moving]
        keeper.joints.append(self.joints)
        self.shapes: dict[Any, Shape] = {}
        self.groups: dict[Any, Group | None] = {}
        self.floors: list[Floor] = []
        self.self_colliding: list[list[Shape]] = []
        self.record: list[ContactPoint] | None = None
        self.pairs: list[tuple[Shape, Shape]] = []
        self.count = 0
        self.error: BaseException | None = None
        self._wheels: list[Any] = []
        self._balls: list[Any] = []
        self._others: list[tuple[Shape, Floor]] = []

    def set_on_floor(self, shape: Shape, floor: Floor) -> None:
        """Work out the contact of a wheel or a ball with a floor by formula in each step."""
        surface = self.surfaces.pair(shape.surface, floor.shape.surface)
        offset = shape.in_body()
        if floor.normal != (0.0, 0.0, 1.0) or surface.asymmetric:
            self._others.append((shape, floor))
            return
        centred = norm(offset.position) < 1e-12
        if shape.type_name == "Sphere":
            at = None if centred else offset.position
            self._balls.append((shape.view, shape.radius, floor.d, shape.body, surface, floor, shape, at))
            return
        axis = rotate(offset.rotation, (0.0, 0.0, 1.0))
        column = max(range(3), key=lambda k: abs(axis[k]))
        if shape.is_wheel and centred and abs(axis[column]) > 1.0 - 1e-9:
            unpack = _COLUMN[column].unpack_from
            self._wheels.append((unpack, shape.view, shape.radius, floor.d, shape.body, surface, floor, shape))
        else:
            self._others.append((shape, floor))

    def forget_floors(self, shapes: set[Shape]) -> None:
        """These shapes are floors no longer: they are going to move."""
        if not any(floor.shape in shapes for floor in self.floors):
            return
        self.floors = [floor for floor in self.floors if floor.shape not in shapes]
        self._wheels = [row for row in self._wheels if row[6].shape not in shapes]
        self._balls = [row for row in self._balls if row[5].shape not in shapes]
        self._others = [row for row in self._others if row[1].shape not in shapes]

    def collide(self) -> None:
        """Make the contact joints of this step."""
        self.count = 0
        if self.pairs:
            self.pairs.clear()
        if self.record is not None:
            self.record.clear()
        if self._wheels:
            self._collide_wheels()
        if self._balls:
            self._collide_balls()
        for shape, floor in self._others:
            if shape.body.isEnabled():
                self._touch(shape, floor.shape)
        ode.collide2(self.moving, self.still, None, self._near)
        self.moving.collide(None, self._near)
        for shapes in self.self_colliding:
            self._collide_with_itself(shapes)
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def _collide_wheels(self) -> None:
        world, joints, make, record = self.world, self.joints, ode.ContactJoint, self.record
        up = (0.0, 0.0, 1.0)
        for unpack, view, radius, height, body, surface, floor, shape in self._wheels:
            cx, cy, cz, ax, ay, az, vx, vy, vz, wx, wy, wz = unpack(view)
            tilt = az * az
            if tilt > STEEPEST:
                self._touch(shape, floor.shape)
                continue
            level = sqrt(1.0 - tilt)
            rz = -radius * level
            depth = height - cz - rz
            if depth < 0.0:
                continue
            along = radius * az / level
            rx, ry = along * ax, along * ay
            point = (cx + rx, cy + ry, cz + rz)
            if floor.centre is not None and not floor.is_under(point, depth):
                self._touch(shape, floor.shape)
                continue
            ux, uy = vx + wy * rz - wz * ry, vy + wz * rx - wx * rz
            speed = ux * ux + uy * uy
            bounces = wy * rx - wx * ry - vz > surface.bounce_speed
            if speed > SLIDES_FROM:
                contact = surface.bounce_slide if bounces else surface.slide
                speed = sqrt(speed)
                contact.setFDir1((ux / speed, uy / speed, 0.0))
            else:
                contact = surface.bounce_stick if bounces else surface.stick
            contact.setContactGeomParams(point, up, depth)
            make(world, joints, contact).attach(body, None)
            if record is not None:
                record.append(ContactPoint(point, up, depth, shape.solid, floor.shape.solid))

    def _collide_balls(self) -> None:
        world, joints, make, record = self.world, self.joints, ode.ContactJoint, self.record
        up = (0.0, 0.0, 1.0)
        centre, whole = _CENTRE.unpack_from, _WHOLE.unpack_from
        for view, radius, height, body, surface, floor, shape, at in self._balls:
            if at is None:
                cx, cy, cz, vx, vy, vz, wx, wy, wz = centre(view)
                ax = ay = 0.0
                az = -radius
            else:
                cx, cy, cz, a, b, c, d, e, f, g, h, i, vx, vy, vz, wx, wy, wz = whole(view)
                x, y, z = at
                ax, ay, az = a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z - radius
            depth = height - cz - az
            if depth < 0.0:
                continue
            point = (cx + ax, cy + ay, cz + az)
            if floor.centre is not None and not floor.is_under(point, depth):
                if depth < floor.thickness + 2.0 * radius:
                    self._touch(shape, floor.shape)
                continue
            contact = surface.stick
            if surface.needs_velocity:
                if not body.isEnabled():
                    continue
                ux, uy = vx + wy * az - wz * ay, vy + wz * ax - wx * az
                speed = ux * ux + uy * uy
                bounces = wy * ax - wx * ay - vz > surface.bounce_speed
                if speed > SLIDES_FROM:
                    contact = surface.bounce_slide if bounces else surface.slide
                    speed = sqrt(speed)
                    contact.setFDir1((ux / speed, uy / speed, 0.0))
                elif bounces:
                    contact = surface.bounce_stick
            contact.setContactGeomParams(point, up, depth)
            make(world, joints, contact).attach(body, None)
            if record is not None:
                record.append(ContactPoint(point, up, depth, shape.solid, floor.shape.solid))

    def _near(self, _: Any, geom1: Any, geom2: Any) -> None:
        """ODE found that two geoms, or spaces of geoms, may touch. It drops exceptions: they are kept for later."""
        try:
            first, second = self.shapes.get(geom1), self.shapes.get(geom2)
            if first is None or second is None:
                group = self.groups[geom1]
                if group is None or group is not self.groups[geom2]:
                    ode.collide2(geom1, geom2, None, self._near)
                return
            self._touch(first, second)
        except BaseException as error:
            self.error = self.error or error

    def _touch(self, first: Shape, second: Shape) -> None:
        """Contacts between two shapes that may touch."""
        body1, body2 = first.body, second.body
        if body1 is body2 or not (first.is_dynamic or second.is_dynamic):
            return
        if first.group is second.group and first.group is not None and not self._may_touch_itself(first, second):
            return
        if (body1 is None or not body1.isEnabled()) and (body2 is None or not body2.isEnabled()):
            return
        found = ode.collide(first.geom, second.geom)
        if not found:
            return
        surface = self.surfaces.pair(first.surface, second.surface)
        points = [each.getContactGeomParams() for each in found]
        if first.is_wheel:
            points = _on_mid_plane(first, points)
        if second.is_wheel:
            points = _on_mid_plane(second, points)
        if len(points) > surface.most:
            points.sort(key=lambda point: -point[2])
            del points[surface.most :]
        if first.is_dynamic and second.is_dynamic:
            self.pairs.append((first, second))
        self.count += len(points)
        for position, normal, depth, _, _ in points:
            contact = surface.stick
            if surface.needs_velocity:
                contact = _choose(surface, position, normal, first, second)
            contact.setContactGeomParams(position, normal, depth)
            ode.ContactJoint(self.world, self.joints, contact).attach(body1, body2)
            if self.record is not None:
                self.record.append(ContactPoint(position, normal, depth, first.solid, second.solid))

    def _may_touch_itself(self, first: Shape, second: Shape) -> bool:
        """Whether two shapes of one robot collide: never those of one link or of links that share a joint."""
        group = first.group
        if not group.collides_with_itself or first.link is second.link:
            return False
        return (id(first.link), id(second.link)) not in group.joined

    def _collide_with_itself(self, shapes: list[Shape]) -> None:
        for index, first in enumerate(shapes):
            for second in shapes[index + 1 :]:
                if self._may_touch_itself(first, second):
                    self._touch(first, second)


def _choose(surface: Surface, position: Vec3, normal: Vec3, first: Shape, second: Shape) -> Any:
    """The contact of a surface that fits the velocity at a point."""
    velocity: Vec3 = first.body.getPointVel(position) if first.body is not None else (0.0, 0.0, 0.0)
    if second.body is not None:
        velocity = subtract(velocity, second.body.getPointVel(position))
    approach = -dot(velocity, normal)
    bounces = approach > surface.bounce_speed
    if surface.asymmetric:
        direction = _texture_axis(surface, normal, first if surface.asymmetric == 1 else second)
    else:
        sliding = (
            velocity[0] + approach * normal[0],
            velocity[1] + approach * normal[1],
            velocity[2] + approach * normal[2],
        )
        if dot(sliding, sliding) < SLIDES_FROM:
            return surface.bounce_stick if bounces else surface.stick
        direction = normalized(sliding)
    contact = surface.bounce_slide if bounces else surface.slide
    contact.setFDir1(direction)
    return contact


def _texture_axis(surface: Surface, normal: Vec3, side: Shape) -> Vec3:
    """First friction direction of a shape whose friction is not the same all round.

    The axis of the shape that lies best in the contact plane (x, then y, then z), turned by frictionRotation.
    """
    r = side.geom.getRotation() if side.type_name != "Plane" else (side.link.start * side.pose).rotation
    axes = [(r[k], r[3 + k], r[6 + k]) for k in range(3)]
    if side.type_name == "Cylinder":
        axes = [cross(axes[2], normal), axes[0], axes[1]]
    axis = next((each for each in axes if norm(cross(each, normal)) > 0.5), axes[0])
    u = normalized(subtract(axis, scale(normal, dot(axis, normal))))
    angle = surface.turns[surface.asymmetric - 1]
    if angle == 0.0:
        return u
    v = cross(normal, u)
    return (
        cos(angle) * u[0] + sin(angle) * v[0],
        cos(angle) * u[1] + sin(angle) * v[1],
        cos(angle) * u[2] + sin(angle) * v[2],
    )


def _on_mid_plane(wheel: Shape, points: list[Any]) -> list[Any]:
    """Contacts on a wheel's tread moved to its mid-plane; those that then coincide become one, the deepest."""
    r = wheel.geom.getRotation()
    axis, centre = (r[2], r[5], r[8]), wheel.geom.getPosition()
    kept: list[Any] = []
    for point in sorted(points, key=lambda point: -point[2]):
        position, normal = point[0], point[1]
        if abs(dot(normal, axis)) < 0.5:
            position = subtract(position, scale(axis, dot(subtract(position, centre), axis)))
            if any(norm(subtract(position, other[0])) < 0.05 * wheel.radius for other in kept):
                continue
        kept.append((position, *point[1:]))
    return kept
