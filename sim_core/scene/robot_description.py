"""Descriptions of robots common to URDF and SDF: links, and joints that connect them to a tree. SI units.

In URDF the frame of a link is that of its parent joint, at the joint's position 0
(http://wiki.ros.org/urdf/XML); in SDF it may be anywhere (http://sdformat.org/spec).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sim_core.base.geometry import IDENTITY, ZERO, Mat3, Pose, Vec3, multiply, transposed
from sim_core.scene.gazebo.found import (
    Detachable,
    FluidForce,
    PluginsFound,
    RobotSetting,
    Rotor,
    TouchTarget,
)
from sim_core.scene.node import NO_SOURCE, Node, Source
from sim_core.scene.wbt.lexer import quoted

Rgba = tuple[float, float, float, float]
TURNING = ("revolute", "continuous")
MOVING = (*TURNING, "prismatic")
HERE = Pose()
FREE = "floating"


@dataclass(frozen=True)
class GeometryElement:
    """A shape, centred on its frame; round shapes are along z.

    Attributes:
        kind: `box`, `sphere`, `cylinder`, `capsule`, `mesh`; of SDF also `plane`, `cone`, `ellipsoid`,
            `faces` and `grid`.
        size: of a box x, y, z; of a sphere the radius; of a mesh its scale; of a plane x and y; of an
            ellipsoid its radii; of a grid x and y between its ends; of others radius and length.
        url: URL of a mesh.
        part: of a mesh the name of the only geometry to use from its file; empty: all.
        points, faces: of `faces` the corners, and the indices of the corners of each face, anticlockwise.
        heights: of a grid the rows, in order of increasing y, each in order of increasing x.
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
    """Appearance of a visual.

    Attributes:
        colour: colour; None: grey.
        texture: URL of the picture that replaces the colour; the other maps are URLs, too.
        is_of_file: True: a mesh has the colours of its file.
        casts_shadows: True: the visual casts shadows.
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
    """A visual or a collision: a geometry with a pose in its link.

    Attributes:
        material: contact material of a collision; empty: that of its link.
    """

    geometry: GeometryElement
    origin: Pose = HERE
    look: Material = GREY
    source: Source = NO_SOURCE
    material: str = ""


@dataclass(frozen=True)
class Inertial:
    """Mass in kg, inertia in kg·m² about the centre of mass, in the axes of `origin`.

    Attributes:
        density: density of the collisions in kg/m³, which replaces all other values; 0: none.
        falls: True: gravity acts on it.
    """

    mass: float
    inertia: Mat3
    origin: Pose = HERE
    source: Source = NO_SOURCE
    density: float = 0.0
    falls: bool = True

    def in_link(self) -> Inertial:
        """Return the same inertia in the axes of the link."""
        rotation = self.origin.rotation
        return replace(
            self, inertia=turned_inertia(self.inertia, rotation), origin=Pose(self.origin.position)
        )


@dataclass
class LinkElement:
    """A rigid part; without `inertial` it has no mass."""

    name: str
    inertial: Inertial | None = None
    visuals: list[LinkShape] = field(default_factory=list)
    collisions: list[LinkShape] = field(default_factory=list)
    fluid_forces: list[FluidForce] = field(default_factory=list)
    source: Source = NO_SOURCE


@dataclass(frozen=True)
class Limit:
    """Limits of a joint: rad, N·m, rad/s, or m, N, m/s; `lower` and `upper` are infinite without a limit."""

    lower: float
    upper: float
    effort: float | None
    velocity: float | None


@dataclass(frozen=True)
class Mimic:
    """The joint position is `multiplier` times that of another joint, plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class JointElement:
    """A joint between two links; `origin` is the child's frame in the parent's, at position 0.

    Attributes:
        kind: `fixed`, `revolute`, `continuous`, `prismatic`; of SDF also `ball` and `universal`; and
            `floating`, which only the writer uses.
        axis: unit vector in the child's frame.
        anchor: a point of the axis in the child's frame.
        spring: N·m/rad or N/m, towards position 0.
        second: second axis of `universal`, with its own limit and damping.
        closes_loop: the child is already the child of another joint.
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
    source: Source = NO_SOURCE
    anchor: Vec3 = ZERO
    spring: float = 0.0
    second: JointElement | None = None
    closes_loop: bool = False


@dataclass(frozen=True)
class DeviceTag:
    """A `<device>` of a `<webots>` tag.

    Attributes:
        reference: name of a link, a motor or a sensor.
        name: name of the device: that of the reference, unless several are on one link.
        settings: ROS parameters of the device by name; sampling_period has the unit of the tag.
        defaults: additional parameters for the layout `gazebo` of ROS names.
        fields: text of the node's fields.
    """

    reference: str
    type_name: str
    enabled: bool = True
    settings: dict[str, object] = field(default_factory=dict)
    fields: str = ""
    source: Source = NO_SOURCE
    fields_source: Source = NO_SOURCE
    name: str = ""
    defaults: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class CompositeTag:
    """A `<plugin>` of a `<webots>` tag that combines devices.

    Attributes:
        kind: see `Composite`.
        devices: device types by device name.
        settings, defaults: as in `DeviceTag`.
    """

    kind: str
    devices: dict[str, str]
    settings: dict[str, object]
    source: Source
    defaults: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class PluginTag:
    """A `<plugin>` of a `<webots>` tag that is a Python class.

    Attributes:
        type_name: `package.module.Class`.
        properties: texts of its elements by element name.
    """

    type_name: str
    properties: dict[str, str]
    source: Source


@dataclass(frozen=True)
class ControlTag:
    """A `<joint>` of `<ros2_control>`.

    Attributes:
        initial: position at the start in rad or m; None: not given.
        limits: lowest and highest command, infinite if not limited, by interface: `position`,
            `velocity`, `effort`.
    """

    joint: str
    initial: float | None
    limits: dict[str, tuple[float, float]]
    source: Source


@dataclass
class RobotDescription:
    """Description of a robot.

    Attributes:
        root: name of the link without parent joint.
        links, joints: by name, in file order.
        lights: lights by link name.
        self_collides: its links collide with each other.
        actuated: names of the joints that have a motor according to other tags; None: no such tags.
        devices, composites, plugins: from `<webots>` tags.
        control: by joint name, from `<ros2_control>`.
        settings: parameters of the robot, from Gazebo plugins.
        motors, rotors: fields of motors by joint name, and propellers, from Gazebo plugins.
        fluid_forces: forces of air and water on links, from Gazebo plugins.
        detachable_joints: joints to other models, from Gazebo plugins.
        fields: fields of the robot's node, from Gazebo plugins.
        is_about_another: it has no links; its tags apply to a robot that is in the world.
        friction: coefficients by link name, from `<gazebo>` tags.
        pinned: True: fixed to the world.
        start: pose of the root link in the root frame of the file.
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
    fluid_forces: list[FluidForce] = field(default_factory=list)
    detachable_joints: list[Detachable] = field(default_factory=list)
    fields: dict[str, object] = field(default_factory=dict)
    is_about_another: bool = False
    friction: dict[str, float] = field(default_factory=dict)
    pinned: bool = False
    start: Pose = HERE
    source: Source = NO_SOURCE

    def add_plugins(self, found: PluginsFound) -> None:
        """Add the results of Gazebo plugins."""
        self.settings, self.motors = found.settings, found.motors
        self.rotors, self.fields = [*found.rotors.values(), *found.thrusters], found.robot
        self.fluid_forces, self.detachable_joints = found.fluid_forces, found.detachable_joints
        self.devices += [
            DeviceTag(
                each.parent, "Connector", fields=each.fields(self.name), source=each.source, name=each.device
            )
            for each in found.detachable_joints
        ]
        if found.touch is not None:
            self._look_for(found.touch)

    def _look_for(self, target: TouchTarget) -> None:
        """Give a target to all contact sensors; without one the plugin has no effect."""
        fields = f" touchTarget {quoted(target.name)} touchTime {target.seconds:.17g}"
        sensors = [tag for tag in self.devices if tag.type_name == "TouchSensor"]
        if not sensors:
            target.plugin.ignore()
        for number, tag in enumerate(self.devices):
            if tag.type_name == "TouchSensor":
                first = {"touched_topic": target.topic} if tag is sensors[0] else {}
                self.devices[number] = replace(
                    tag, fields=tag.fields + fields, settings={**tag.settings, **first}
                )

    def joints_below(self) -> dict[str, list[JointElement]]:
        """Return the joints of the tree by their parent link, in file order."""
        below: dict[str, list[JointElement]] = {name: [] for name in self.links}
        for joint in self.joints.values():
            if not joint.closes_loop:
                below[joint.parent].append(joint)
        return below

    def rigid_group(self, top: str) -> Iterator[tuple[LinkElement, Pose]]:
        """Yield a link and all links fixed to it, each after its parent, with their poses in its frame."""
        below = self.joints_below()
        pending = [(top, Pose())]
        while pending:
            name, pose = pending.pop()
            yield self.links[name], pose
            fixed = [joint for joint in below[name] if joint.kind == "fixed"]
            pending += [(joint.child, pose * joint.origin) for joint in reversed(fixed)]


def turned_inertia(inertia: Mat3, rotation: Mat3) -> Mat3:
    """Return R·I·Rᵀ: the inertia in the axes of the frame to which the rotation leads."""
    if rotation == IDENTITY:
        return inertia
    return multiply(multiply(rotation, inertia), transposed(rotation))
