"""A robot as URDF and SDF see it: links, and joints that make a tree of them. SI units.

In URDF the frame of a link is that of the joint it hangs on, at the joint's position 0
(http://wiki.ros.org/urdf/XML); in SDF it may be anywhere (http://sdformat.org/spec).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sim_core.base.geometry import IDENTITY, ZERO, Mat3, Pose, Vec3, multiply, transposed
from sim_core.scene.gazebo.found import PluginsFound, RobotSetting, Rotor
from sim_core.scene.node import NOWHERE, Node, Source

Rgba = tuple[float, float, float, float]
TURNING = ("revolute", "continuous")
MOVING = (*TURNING, "prismatic")
HERE = Pose()
FREE = "floating"


@dataclass(frozen=True)
class GeometryElement:
    """A shape, centred, round ones along z.

    Attributes:
        kind: `box`, `sphere`, `cylinder`, `capsule`, `mesh`; of SDF also `plane`, `cone`, `ellipsoid`,
            `faces` and `grid`.
        size: of a box x, y, z; of a sphere the radius; of a mesh its scale; of a plane x and y; of an
            ellipsoid its radii; of a grid x and y between its ends; of the others radius and length.
        url: of a mesh.
        part: of a mesh the name of the one geometry in its file that is meant; empty: all.
        points, faces: of `faces` the corners, and for each face those that are its own, anticlockwise.
        heights: of a grid the rows, from the lowest y on, each from the lowest x on.
    """

    kind: str
    size: tuple[float, ...]
    url: str = ""
    part: str = ""
    points: tuple[Vec3, ...] = ()
    faces: tuple[tuple[int, ...], ...] = ()
    heights: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Material:
    """What the surface of a visual looks like.

    Attributes:
        colour: None: grey.
        texture: the picture in place of the colour; of the others the maps of their names, all as URLs.
        is_of_file: a mesh has the colours that its file says.
        casts_shadows: it does.
    """

    colour: Rgba | None = None
    texture: str = ""
    roughness: float = 1.0
    metalness: float = 0.0
    emissive: Vec3 = (0.0, 0.0, 0.0)
    normal_map: str = ""
    roughness_map: str = ""
    metalness_map: str = ""
    emissive_map: str = ""
    is_of_file: bool = False
    casts_shadows: bool = True


GREY = Material()


@dataclass(frozen=True)
class LinkShape:
    """A visual or a collision: a geometry at a place in its link.

    Attributes:
        material: of a collision the contact material; empty: that of its link.
    """

    geometry: GeometryElement
    origin: Pose = HERE
    look: Material = GREY
    source: Source = NOWHERE
    material: str = ""


@dataclass(frozen=True)
class Inertial:
    """Mass in kg, inertia in kg·m² about the centre of mass, in the axes of `origin`.

    Attributes:
        density: kg/m³ of the collisions, in place of all these; 0: none.
        falls: gravity pulls it.
    """

    mass: float
    inertia: Mat3
    origin: Pose = HERE
    source: Source = NOWHERE
    density: float = 0.0
    falls: bool = True

    def in_link(self) -> Inertial:
        """The same, in the axes of the link."""
        rotation = self.origin.rotation
        return replace(
            self, inertia=turned_inertia(self.inertia, rotation), origin=Pose(self.origin.position)
        )


@dataclass
class LinkElement:
    """A rigid part; without `inertial` it weighs nothing."""

    name: str
    inertial: Inertial | None = None
    visuals: list[LinkShape] = field(default_factory=list)
    collisions: list[LinkShape] = field(default_factory=list)
    source: Source = NOWHERE


@dataclass(frozen=True)
class Limit:
    """rad, N·m, rad/s, or m, N, m/s; `lower` and `upper` are infinite where there is no end."""

    lower: float
    upper: float
    effort: float | None
    velocity: float | None


@dataclass(frozen=True)
class Mimic:
    """The joint is at `multiplier` times the position of another, plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class JointElement:
    """Joins two links; `origin` is the child's frame in the parent's, at position 0.

    Attributes:
        kind: `fixed`, `revolute`, `continuous`, `prismatic`; of SDF also `ball` and `universal`; or
            `floating`, which only the writer makes.
        axis: unit vector in the child's frame.
        anchor: a point of the axis in the child's frame.
        spring: N·m/rad or N/m, towards position 0.
        second: of `universal` the second axis, with limit and damping of its own.
        closes_loop: the child hangs on another joint already.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose = HERE
    axis: Vec3 = (1.0, 0.0, 0.0)
    limit: Limit | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    source: Source = NOWHERE
    anchor: Vec3 = ZERO
    spring: float = 0.0
    second: JointElement | None = None
    closes_loop: bool = False


@dataclass(frozen=True)
class DeviceTag:
    """A `<device>` of a `<webots>` tag.

    Attributes:
        reference: name of a link, a motor or a sensor.
        name: of the device; that of the reference, unless several are on one link.
        settings: parameters of the device on ROS by their names here; sampling_period is as it was written.
        defaults: those that it has beside where names on ROS have the layout `gazebo`.
        fields: text of the node's fields.
    """

    reference: str
    type_name: str
    enabled: bool = True
    settings: dict[str, object] = field(default_factory=dict)
    fields: str = ""
    source: Source = NOWHERE
    fields_source: Source = NOWHERE
    name: str = ""
    defaults: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class CompositeTag:
    """A `<plugin>` of a `<webots>` tag that fuses devices.

    Attributes:
        kind: see `Composite`.
        devices: their types by their names.
        settings, defaults: as of a `DeviceTag`.
    """

    kind: str
    devices: dict[str, str]
    settings: dict[str, object]
    source: Source
    defaults: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class PluginTag:
    """A `<plugin>` of a `<webots>` tag that is a class in Python.

    Attributes:
        type_name: `package.module.Class`.
        properties: texts of its elements, as they are written, by their names.
    """

    type_name: str
    properties: dict[str, str]
    source: Source


@dataclass(frozen=True)
class ControlTag:
    """A `<joint>` of `<ros2_control>`.

    Attributes:
        initial: position at the start, rad or m; None: it does not say.
        limits: lowest and highest command, infinite where there is none, by the interface: `position`,
            `velocity`, `effort`.
    """

    joint: str
    initial: float | None
    limits: dict[str, tuple[float, float]]
    source: Source


@dataclass
class RobotDescription:
    """A robot.

    Attributes:
        root: name of the link that hangs on no joint.
        links, joints: by name, in file order.
        lights: of links by name.
        self_collides: its links collide with each other.
        actuated: the joints that have a motor as other tags say; None: they say nothing.
        devices, composites, plugins: from `<webots>` tags.
        control: of joints by name, from `<ros2_control>`.
        settings: parameters of the robot, from plugins of Gazebo.
        motors, rotors: fields of the motors of joints by name, and what pushes, likewise.
        fields: of the robot's node, likewise.
        is_about_another: it has no links; its tags are about a robot that is in the world.
        friction: coefficient of links by name, from `<gazebo>` tags.
        pinned: fixed to the world.
        start: pose of the root in the frame that the file calls its root.
    """

    name: str
    root: str = ""
    links: dict[str, LinkElement] = field(default_factory=dict)
    joints: dict[str, JointElement] = field(default_factory=dict)
    lights: dict[str, list[Node]] = field(default_factory=dict)
    self_collides: bool = False
    actuated: set[str] | None = None
    devices: list[DeviceTag] = field(default_factory=list)
    composites: list[CompositeTag] = field(default_factory=list)
    plugins: list[PluginTag] = field(default_factory=list)
    control: dict[str, ControlTag] = field(default_factory=dict)
    settings: list[RobotSetting] = field(default_factory=list)
    motors: dict[str, dict[str, object]] = field(default_factory=dict)
    rotors: list[Rotor] = field(default_factory=list)
    fields: dict[str, object] = field(default_factory=dict)
    is_about_another: bool = False
    friction: dict[str, float] = field(default_factory=dict)
    pinned: bool = False
    start: Pose = HERE
    source: Source = NOWHERE

    def take_plugins(self, found: PluginsFound) -> None:
        """Have what plugins of Gazebo say."""
        self.settings, self.motors = found.settings, found.motors
        self.rotors, self.fields = [*found.rotors.values(), *found.thrusters], found.robot

    def joints_below(self) -> dict[str, list[JointElement]]:
        """The joints of the tree by their parent link, in file order."""
        below: dict[str, list[JointElement]] = {name: [] for name in self.links}
        for joint in self.joints.values():
            if not joint.closes_loop:
                below[joint.parent].append(joint)
        return below

    def rigid_group(self, top: str) -> Iterator[tuple[LinkElement, Pose]]:
        """A link and all that are fixed to it, each after its parent, with their poses in its frame."""
        below = self.joints_below()
        pending = [(top, Pose())]
        while pending:
            name, pose = pending.pop()
            yield self.links[name], pose
            fixed = [joint for joint in below[name] if joint.kind == "fixed"]
            pending += [(joint.child, pose * joint.origin) for joint in reversed(fixed)]


def turned_inertia(inertia: Mat3, rotation: Mat3) -> Mat3:
    """R·I·Rᵀ: the inertia in the axes of the frame that the rotation leads to."""
    if rotation == IDENTITY:
        return inertia
    return multiply(multiply(rotation, inertia), transposed(rotation))
