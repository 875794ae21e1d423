"""X3D files with a World: robots, motors and sensors, in the format of a simulator of a thesis of 2012.

    <World>
      <Transform translation="0 0.25 -10">
        <Shape>…</Shape> <Solid mu="0.5"><Box size="20 0.5 0.2"/></Solid>
      </Transform>
      <Robot objectName="robot1">
        <Solid><Box size="0.4 0.35 0.4"/></Solid>
        <Motor objectName="motor_left" maxForce="10" translation="0.25 0 0" rotation="1 0 0 0">…</Motor>
        <DistanceSensor objectName="ds_front" length="2"/> <GPS objectName="gps"/>
      </Robot>
    </World>

Collision shapes are in a Solid; Shapes are only visible. A Solid has a `mass` (kg) or a `density` (kg/m³), a
friction coefficient `mu`, `bounce` (0 to 1), and the `erp` and `cfm` of its contacts. One that has a mass or
a density moves, also outside of robots. For two in contact, `mu` is the smaller one, and other values that
both set are averaged.

A Motor rotates about the axis of its `rotation`, whatever the sign of that axis; its `position` (rad) is that
of the file. One with `maxForce` 0 is a caster, which is fixed here: with its `mu` it slides. The ground is
the plane y = 0. The centre of mass of each body is its reference point (4.2.2 of the thesis). A Robot without
a `controller` is controlled by any number of programs that connect.

Additional attributes of odesim: `basicTimeStep` (ms) of World, `controller` and
`synchronization` of Robot, `density` of Robot and Motor for their Solids, and of all moving elements
`centerOfMass`, `linearVelocity` and `angularVelocity`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sim_core.scene.node import Node
from sim_core.scene.x3d.scenery_item import Item
from sim_core.scene.x3d.x3d_shapes import read_geometry

if TYPE_CHECKING:
    from sim_core.scene.x3d.x3d_scenery import Builder

TIME_STEP = 5.0
"""ms."""
HULL_DENSITY, WHEEL_DENSITY, CASTER_DENSITY = 100.0, 500.0, 7800.0
"""In kg/m³; casters are of steel: their weight keeps robots on them."""
HULL_FRICTION = 0.1
"""Friction of hulls, and of elements with `mu`, except with the ground: robots slide off obstacles."""
LOOSE_FRICTION = 1.0
"""Friction of other moving elements without `mu`."""
SENSOR_LENGTH = 2.0
"""m."""
GROUND, HULL, LOOSE = "floor", "hull", "loose"
SURFACE = {"mu": "coulombFriction", "bounce": "bounce", "erp": "softERP", "cfm": "softCFM"}
"""Fields of ContactProperties by the attribute of a Solid."""
GROUND_SIZE = 20.0
VELOCITIES = ("linearVelocity", "angularVelocity")
OPEN_TO_ALL = "<extern>"
"""Controller of a Robot that names none."""


def read_world(builder: Builder, world: Item) -> list[Node]:
    """Return the nodes of a World, still in its axes; also set the WorldInfo."""
    builder.collides = False
    return _WorldMaker(builder).read_world(world)


class ContactSurface(NamedTuple):
    """Contact values of a Solid; None: not set.

    Attributes:
        kind: HULL for one of a robot, LOOSE for one that moves outside of robots.
    """

    kind: str = ""
    mu: float | None = None
    bounce: float | None = None
    erp: float | None = None
    cfm: float | None = None

    @property
    def name(self) -> str:
        """Name of the contact material, such as `mu 0.3 bounce 0.8`; `default` if no value is set."""
        stated = [f"{name} {value:.15g}" for name in SURFACE if (value := getattr(self, name)) is not None]
        return " ".join([self.kind] * (self.mu is None and bool(self.kind)) + stated) or "default"

    @property
    def friction(self) -> float:
        """Friction coefficient with the ground."""
        if self.mu is not None:
            return self.mu
        return HULL_FRICTION if self.kind == HULL else LOOSE_FRICTION


class _WorldMaker:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.walls = 0
        self.touches: dict[str, ContactSurface] = {}

    def read_world(self, world: Item) -> list[Node]:
        info = self.builder.info
        info["basicTimeStep"] = world.number("basicTimeStep", TIME_STEP)
        if "runRealTime" in world.fields:
            info["runRealTime"] = world.flag("runRealTime")
        ground = Node.create("Solid", name=GROUND, contactMaterial=GROUND)
        ground["boundingObject"] = Node.create("Plane", size=(GROUND_SIZE, GROUND_SIZE))
        nodes = [ground, *self.nodes(world)]
        info["contactProperties"] = list(_contact_nodes(list(self.touches.values())))
        return nodes

    def nodes(self, item: Item) -> list[Node]:
        """Return the nodes of the World, or of a group in it."""
        found = []
        solids = [child for _, child in item.children if child.name == "Solid"]
        for _, written in item.children:
            child = self.builder.original(written)
            if child.name == "Robot":
                found.append(self.robot_node(child))
            elif child.name == "Transform" and not child.fields.keys() & {"scale", "center"}:
                found.append(self.frame(child))
            elif child.name == "Group":
                found.append(Node.create("Group", children=self.nodes(child)))
            elif child.name != "Solid":
                seen = self.builder.build_node(written)
                found += [seen] if seen is not None else []
        if solids and item.name != "Transform":
            found.append(self.solid(solids, Item("Transform", item.source), []))
        return found

    def frame(self, item: Item) -> Node:
        """Return a Transform; with a Solid in it, it is an obstacle."""
        solids = [child for _, child in item.children if child.name == "Solid"]
        children = self.nodes(item)
        if solids:
            return self.solid(solids, item, children)
        return self.placed("Pose", item, children=children)

    def solid(self, solids: list[Item], item: Item, children: list[Node]) -> Node:
        self.walls += 1
        name = item.text("objectName", item.def_name or f"wall {self.walls}")
        node = self.placed("Solid", item, name=name, children=children)
        moves = any(solid.fields.keys() & {"mass", "density"} for solid in solids)
        density = HULL_DENSITY if moves else None
        self.bound(node, [(None, each) for each in solids], LOOSE if moves else "", density)
        self.motion(node, item)
        return node

    def robot_node(self, item: Item) -> Node:
        node = self.placed("Robot", item, name=item.text("objectName", "robot"))
        node.def_name = item.def_name
        node["controller"] = item.text("controller") or OPEN_TO_ALL
        if "synchronization" in item.fields:
            node["synchronization"] = item.flag("synchronization")
        self.body(node, item, HULL_DENSITY, HULL)
        return node

    def body(self, node: Node, item: Item, density: float, material: str = "") -> None:
        """Add the contents of its element to a robot, a wheel or a caster."""
        children: list[Node | None] = []
        solids: list[tuple[Item | None, Item]] = []
        for _, written in item.children:
            child = self.builder.original(written)
            if child.name == "Solid":
                solids.append((None, child))
            elif child.name == "Transform" and any(inner.name == "Solid" for _, inner in child.children):
                solids += [(child, inner) for _, inner in child.children if inner.name == "Solid"]
                seen = [self.part(inner) for _, inner in child.children if inner.name != "Solid"]
                children.append(self.placed("Pose", child, children=[each for each in seen if each]))
            else:
                children.append(self.part(written))
        node["children"] = [each for each in children if each is not None]
        if solids:
            self.bound(node, solids, material, item.number("density", density))
        self.motion(node, item)

    def motion(self, node: Node, item: Item) -> None:
        """Set centre of mass and velocities of a node."""
        centre = item.numbers("centerOfMass", 3)
        if centre is not None and node["physics"] is not None:
            node["physics"]["centerOfMass"] = [tuple(centre)]
        for field in VELOCITIES:
            velocity = item.numbers(field, 3)
            if velocity is not None:
                node[field] = tuple(velocity)

    def part(self, written: Item) -> Node | None:
        """Return an element of a robot: a motor, a sensor, or a visible shape."""
        item = self.builder.original(written)
        if item.name == "Motor":
            return self.motor(item) if item.number("maxForce", 10.0) > 0.0 else self.caster(item)
        if item.name == "DistanceSensor":
            length = item.number("length", SENSOR_LENGTH)
            if length <= 0.0:
                raise item.error("length", "a number above 0")
            node = self.placed("DistanceSensor", item, name=item.text("objectName", "distance sensor"))
            node["lookupTable"] = [(0.0, 0.0, 0.0), (length, length, 0.0)]
            node["aperture"] = 0.0
            node["children"] = self.builder.nodes(item)
            return node
        if item.name == "GPS":
            return self.placed("GPS", item, name=item.text("objectName", "gps"))
        return self.builder.build_node(written)

    def motor(self, item: Item) -> Node:
        """Return a hinge with a motor and the parts that it rotates."""
        name = item.text("objectName", "motor")
        anchor = tuple(item.numbers("translation", 3) or (0.0, 0.0, 0.0))
        parameters = Node.create("HingeJointParameters", axis=_axis(item), anchor=anchor)
        low, high = item.number("minStop"), item.number("maxStop")
        if low < high and -math.pi <= low <= 0.0 <= high <= math.pi:  # wider stops have no effect
            parameters["minStop"], parameters["maxStop"] = low, high
        if position := item.number("position"):
            parameters["position"] = position
        motor = Node.create("RotationalMotor", name=name, maxTorque=item.number("maxForce", 10.0))
        wheel = self.placed("Solid", item, name=f"{name} wheel")
        self.body(wheel, item, WHEEL_DENSITY)
        joint = Node.create("HingeJoint", jointParameters=parameters, device=[motor], endPoint=wheel)
        for node in (joint, parameters, motor):
            node.source = item.source
        return joint

    def caster(self, item: Item) -> Node:
        """Return a Solid with the parts of a Motor without force; a Pose if it has no mass of its own."""
        node = self.placed("Solid", item, name=item.text("objectName", "caster"))
        self.body(node, item, CASTER_DENSITY)
        if node["physics"] is not None:
            return node
        return self.placed("Pose", item, children=[each.copy() for each in node["children"]])

    def bound(
        self, node: Node, solids: list[tuple[Item | None, Item]], kind: str, density: float | None
    ) -> None:
        """Set the boundingObject of a Solid, its material, and its mass if it has a density.

        Elements with other values than the first one become Solids within it.
        """
        parts: dict[tuple[object, ...], list[tuple[Item | None, Item]]] = {}
        for number, (place, solid) in enumerate(solids):
            key = (
                self.contact_surface(solid, kind),
                solid.fields.get("density"),
                "mass" in solid.fields and number,
            )
            parts.setdefault(key, []).append((place, solid))
        first, *others = parts.values()
        self.fill_node(node, first, kind, density)
        for number, part in enumerate(others, 1):
            inner = Node.create("Solid", name=f"{node['name']} part {number}")
            inner.source = part[0][1].source
            self.fill_node(inner, part, kind, density)
            node["children"] = [*node["children"], inner]

    def fill_node(
        self, node: Node, solids: list[tuple[Item | None, Item]], kind: str, density: float | None
    ) -> None:
        """Set the geometries of elements with the same values in a Solid."""
        bounds: list[Node] = []
        for place, solid in solids:
            bounds += [
                geometry if place is None else self.placed("Pose", place, children=[geometry])
                for geometry in self.geometries(solid)
            ]
        if bounds:
            node["boundingObject"] = bounds[0] if len(bounds) == 1 else Node.create("Group", children=bounds)
        stated = solids[0][1]
        material = self.contact_surface(stated, kind).name
        if material != "default":
            node["contactMaterial"] = material
        if density is None:
            return
        if "mass" in stated.fields:
            node["physics"] = Node.create("Physics", density=-1.0, mass=_positive(stated, "mass"))
        else:
            node["physics"] = Node.create("Physics", density=_positive(stated, "density", density))
        node["physics"]["centerOfMass"] = [(0.0, 0.0, 0.0)]

    def contact_surface(self, solid: Item, kind: str) -> ContactSurface:
        """Return the contact values of a Solid, and store them for the ContactProperties."""
        values = {name: solid.number(name) for name in SURFACE if name in solid.fields}
        for name, value in values.items():
            most = 1.0 if name in ("bounce", "erp") else math.inf
            if not 0.0 <= value <= most:
                raise solid.error(name, "0 to 1" if most == 1.0 else "0 or more")
        contact_surface = ContactSurface(kind, **values)
        if contact_surface.name != "default":
            self.touches.setdefault(contact_surface.name, contact_surface)
        return contact_surface

    def geometries(self, solid: Item) -> Iterator[Node]:
        for _, written in solid.children:
            geometry = read_geometry(self.builder, self.builder.original(written))
            if geometry is not None:
                geometry.source = written.source
                yield geometry

    def placed(self, type_name: str, item: Item, **fields: Any) -> Node:
        """Return a node with the pose of an element."""
        node = Node.create(type_name, **self.builder.pose_fields(item), **fields)
        node.source = item.source
        return node


def _axis(item: Item) -> tuple[float, ...]:
    """Return the axis of a Motor, with its sign chosen so that its largest component is positive."""
    axis = tuple((item.numbers("rotation", 4) or (0.0, 0.0, 1.0, 0.0))[:3])
    if not any(axis):
        raise item.error("rotation", "an axis that is not zero")
    return axis if max(axis, key=abs) > 0.0 else tuple(-value + 0.0 for value in axis)


def _positive(item: Item, name: str, default: float = 0.0) -> float:
    value = item.number(name, default)
    if value <= 0.0:
        raise item.error(name, "a number above 0")
    return value


def _contact_nodes(touches: list[ContactSurface]) -> Iterator[Node]:
    """Yield ContactProperties of all Solids with contact values: with the ground, with others, with each
    other."""
    for number, contact_surface in enumerate(touches):
        low = (
            contact_surface.friction
            if contact_surface.kind == LOOSE
            else min(contact_surface.friction, HULL_FRICTION)
        )
        yield _contact(contact_surface, GROUND, ContactSurface(), contact_surface.friction)
        yield _contact(contact_surface, "default", ContactSurface(), low)
        for other in touches[number:]:
            yield _contact(contact_surface, other.name, other, min(low, other.friction))


def _contact(contact_surface: ContactSurface, material: str, other: ContactSurface, friction: float) -> Node:
    node = Node.create("ContactProperties", material1=contact_surface.name, material2=material)
    node["coulombFriction"], node["bounce"] = [friction], 0.0
    for name in ("bounce", "erp", "cfm"):
        stated = [value for each in (contact_surface, other) if (value := getattr(each, name)) is not None]
        if stated:
            node[SURFACE[name]] = sum(stated) / len(stated)
    return node
