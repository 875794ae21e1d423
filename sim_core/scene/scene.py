"""The scene: one loaded world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import AxisAngle, Vec3
from sim_core.base.trust import NO_PLUGIN, Permission, TrustIssue, permission_of_world, trust_issues_of_world
from sim_core.base.turns import NO_TURN, Turn
from sim_core.scene.assets import Assets
from sim_core.scene.def_index import DefIndex
from sim_core.scene.node import Node
from sim_core.scene.proto.expansion import is_shown
from sim_core.scene.wbt.header import Header

ENU = "ENU"
MADE_BY_TEMPLATE = " (as made by its template)"
"""Suffix of the name of a PROTO file, for nodes of a body made by template statements."""


class WorldAxes(NamedTuple):
    """Axes of the world of a file.

    Attributes:
        system: ENU, NUE or EUN.
        world: rotation from its coordinates to ENU.
        body: rotation from the axes of its robots to FLU.
        north: unit vector to the north in the axes of the file.
    """

    system: str = ENU
    world: Turn = NO_TURN
    body: Turn = NO_TURN
    north: Vec3 = (0.0, 1.0, 0.0)


ENU_AXES = WorldAxes()


@dataclass(frozen=True)
class ExternProto:
    """An EXTERNPROTO line: the URL of the definition of a PROTO node."""

    url: str
    importable: bool = False
    line: int = 0
    column: int = 0

    @cached_property
    def name(self) -> str:
        """Name of the PROTO node: the last part of the URL without `.proto`."""
        return self.url.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".proto")


class DeviceSetting(NamedTuple):
    """A parameter of a robot, a device or the simulation that a file sets in addition to nodes."""

    robot: str
    """Empty: a parameter of the simulation."""
    device: str
    """Empty: a parameter of the robot."""
    name: str
    value: Any
    where: str
    """`file:line:column`"""
    layout: str = ""
    """The setting applies only to this layout of ROS names; empty: to all."""


class Composite(NamedTuple):
    """Several devices of a robot that a file combines into one topic."""

    robot: str
    kind: str
    """`imu`: gyro, accelerometer and inertial unit; `rgbd`: camera and range finder."""
    devices: tuple[str, ...]
    """Device names."""
    settings: Mapping[str, Any]
    """`topic`, `frame_id` and `always_on` as of a device, as far as the file sets them."""
    defaults: Mapping[str, Any] = MappingProxyType({})
    """The same for the layout `gazebo` of ROS names, as far as the file does not set them."""


class DriverPlugin(NamedTuple):
    """A Python class that drives a robot according to a file, as webots_ros2's driver does."""

    robot: str
    type_name: str
    """`package.module.Class`"""
    properties: Mapping[str, str]
    always_on: Mapping[str, float]
    """Sampling periods in s of the devices that are enabled before it starts, by device name."""
    file: str
    """The file that requires it."""
    where: str
    """`file:line:column`"""


class Folded(NamedTuple):
    """An instance of a PROTO without nodes, because it equals another one except for its name and its
    place.

    Attributes:
        like: the other instance, a root node.
        name, translation, rotation: values of its fields.
        after: last root node above it in the file.
    """

    like: Node
    name: str
    translation: Vec3
    rotation: AxisAngle
    after: Node


@dataclass
class Scene:
    """A world: its root nodes in file order and the data of its file.

    Attributes:
        nodes: root nodes; code that changes the list must replace `Node.arrangement`.
        warnings: one line for each old or ineffective part of the file.
        skip_missing: missing files cause warnings, also where the physics needs them.
        is_lenient: errors that Webots only warns of are warnings, also in nodes that are added later.
        device_settings, composites: of robots from URDF files.
        plugins: of robots from URDF files; they run beside the world, and are not in snapshots.
        headers: of the PROTO files that were read, and of files of nodes, by file.
        axes: axes of the world, see `axes.assign_axes`.
        folded: robots that are held as arrays, in file order; only if loaded with `instanced`.
        numbers: numbers of nodes for templates and supervisors; each is used once.
        snapshot: file of the snapshot that contains its text; empty: it is in `file`.
    """

    file: str = "<created>"
    header: Header = field(default_factory=Header)
    extern_protos: list[ExternProto] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    warnings: list[SceneError] = field(default_factory=list)
    skip_missing: bool = False
    is_lenient: bool = False
    headers: dict[str, Header] = field(default_factory=dict)
    axes: WorldAxes = ENU_AXES
    device_settings: list[DeviceSetting] = field(default_factory=list)
    composites: list[Composite] = field(default_factory=list)
    plugins: list[DriverPlugin] = field(default_factory=list)
    folded: list[Folded] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1), compare=False, repr=False)
    snapshot: str = ""
    _default_info: Node = field(default_factory=lambda: Node.create("WorldInfo"), repr=False)
    _def_index: DefIndex | None = field(default=None, init=False, compare=False, repr=False)

    @cached_property
    def assets(self) -> Assets:
        """Search places for files that are needed later; nothing is downloaded then."""
        return Assets.for_world(self.file)

    def trust_issues(self) -> list[TrustIssue]:
        """Return reasons not to start its controllers and its plug-in; empty: they may start."""
        return trust_issues_of_world(self.file, self.snapshot)

    def trust_issues_of_plugin(self) -> list[TrustIssue]:
        """Return reasons not to run its physics plug-in; empty: it may run, or the world names none."""
        return [] if self.world_info["physics"] in NO_PLUGIN else self.trust_issues()

    def permission(self) -> Permission | None:
        """Return the permission to start its controllers and its plug-in; None: it is refused, with a
        message."""
        return permission_of_world(self.file, self.snapshot)

    @property
    def world_info(self) -> Node:
        """The WorldInfo node; if the file has none, one with all defaults that is not part of `nodes`."""
        for node in self.nodes:
            if node.type_name == "WorldInfo":
                return node
        return self._default_info

    def header_of(self, file: str) -> Header:
        """Return the header of a file that contains nodes; the current header for a file that was not
        read."""
        if file == self.file:
            return self.header
        return self.headers.get(file.removesuffix(MADE_BY_TEMPLATE), Header())

    def find_def(self, name: str) -> Node | None:
        """Return the first node with this DEF name in file order; copies made by USE are not considered."""
        return self.def_index.given(name)

    @property
    def def_index(self) -> DefIndex:
        """Present index of DEF names."""
        if self._def_index is None or self._def_index.is_outdated:
            self._def_index = DefIndex(self.nodes)
        return self._def_index

    def holds(self, node: Node) -> bool:
        """Return whether a node is in the scene."""
        while node.parent is not None:
            node = node.parent
        return node in self.nodes

    def shown(self, node: Node) -> Node:
        """Return the node itself if it is in the scene, else the first node that represents it there: for
        a parameter of a PROTO instance, the first node in the expanded instance."""
        found = [each for each in (node, *node.linked_nodes()) if is_shown(each) and self.holds(each)]
        if not found or found[0] is node:
            return node
        holder = next((each for each in node.ancestors() if is_shown(each)), None)
        return next((each for each in found if any(one is holder for one in each.ancestors())), found[0])

    def walk(self) -> Iterator[Node]:
        """Yield every node, each before its children, including copies made by USE."""
        for node in self.nodes:
            yield from node.walk()
