"""One loaded world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import AxisAngle, Vec3
from sim_core.base.trust import NO_PLUGIN, Doubt, Permission, doubts_about_world, permission_of_world
from sim_core.base.turns import KEEP, Turn
from sim_core.scene.assets import Assets
from sim_core.scene.def_index import DefIndex
from sim_core.scene.node import Node
from sim_core.scene.proto.expansion import is_shown
from sim_core.scene.wbt.header import Header

ENU = "ENU"
MADE_BY_TEMPLATE = " (as made by its template)"
"""Behind the name of a PROTO file, for nodes of a body that statements have made."""


class WorldAxes(NamedTuple):
    """What a file says about the axes of its world.

    Attributes:
        system: ENU, NUE or EUN.
        world: takes its coordinates to ENU.
        body: takes the axes of its robots to FLU.
        north: in the axes of the file.
    """

    system: str = ENU
    world: Turn = KEEP
    body: Turn = KEEP
    north: Vec3 = (0.0, 1.0, 0.0)


IN_ENU = WorldAxes()


@dataclass(frozen=True)
class ExternProto:
    """An EXTERNPROTO line: where the definition of a PROTO node is."""

    url: str
    importable: bool = False
    line: int = 0
    column: int = 0

    @cached_property
    def name(self) -> str:
        """Name of the node: the last part of the URL without `.proto`."""
        return self.url.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".proto")


class DeviceSetting(NamedTuple):
    """What a file says about a robot or a device beside its node: one of its parameters."""

    robot: str
    """Empty: the parameter is the simulation's own."""
    device: str
    """Empty: the parameter is the robot's own."""
    name: str
    value: Any
    where: str
    """`file:line:column`"""
    layout: str = ""
    """It counts only where names on ROS have this layout; empty: everywhere."""


class Composite(NamedTuple):
    """Several devices of a robot that a file puts together to one topic."""

    robot: str
    kind: str
    """`imu`: gyro, accelerometer and inertial unit; `rgbd`: camera and range finder."""
    devices: tuple[str, ...]
    """Their names."""
    settings: Mapping[str, Any]
    """`topic`, `frame_id` and `always_on` as of a device, as far as the file says them."""
    defaults: Mapping[str, Any] = MappingProxyType({})
    """The same where names on ROS have the layout `gazebo`, as far as the file does not say them."""


class DriverPlugin(NamedTuple):
    """A class in Python that a file wants to drive a robot, as webots_ros2's driver runs it."""

    robot: str
    type_name: str
    """`package.module.Class`"""
    properties: Mapping[str, str]
    always_on: Mapping[str, float]
    """Sampling periods in s of the devices that are on before it begins, by their names."""
    file: str
    """That asks for it."""
    where: str
    """`file:line:column`"""


class Folded(NamedTuple):
    """An instance of a PROTO that has no nodes, for it equals another one but for its name and its place.

    Attributes:
        like: the other one, a root node.
        name, translation, rotation: what its fields say.
        after: the last root node above it in the file.
    """

    like: Node
    name: str
    translation: Vec3
    rotation: AxisAngle
    after: Node


@dataclass
class Scene:
    """A world: its root nodes in file order and what stands above them.

    Attributes:
        nodes: who changes the list after names were looked up gives `Node.arrangement` another object.
        warnings: what was read but is old or has no effect; each shows as one line.
        skip_missing: files that are nowhere are warnings, also where the physics needs them.
        is_lenient: mistakes that Webots only warns of were passed over, and are in what comes later.
        device_settings, composites: of robots from URDF files.
        plugins: likewise; they run beside the world, and no snapshot has them.
        headers: of the PROTO files that were read, and of files of nodes, by file.
        axes: those of the world, see `axes.assign_axes`.
        folded: robots that are held as arrays, in file order; only if the load was told to (`instanced`).
        numbers: those by which templates and supervisors know nodes; each is given once.
        snapshot: the file of the snapshot that held its text; empty: `file` did.
    """

    file: str = "<created>"
    header: Header = field(default_factory=Header)
    extern_protos: list[ExternProto] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    warnings: list[SceneError] = field(default_factory=list)
    skip_missing: bool = False
    is_lenient: bool = False
    headers: dict[str, Header] = field(default_factory=dict)
    axes: WorldAxes = IN_ENU
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
        """Where the files are that come while it is used; nothing is downloaded then."""
        return Assets.for_world(self.file)

    def doubts(self) -> list[Doubt]:
        """Return why the world may not start its controllers and its plug-in; empty: it may."""
        return doubts_about_world(self.file, self.snapshot)

    def doubts_about_plugin(self) -> list[Doubt]:
        """Return why its physics plug-in may not run; empty: it may, or the world names none."""
        return [] if self.world_info["physics"] in NO_PLUGIN else self.doubts()

    def permission(self) -> Permission | None:
        """Return leave to start its controllers and its plug-in; None: it is said why there is none."""
        return permission_of_world(self.file, self.snapshot)

    @property
    def world_info(self) -> Node:
        """The WorldInfo node; if the file has none, one with all defaults that is not part of `nodes`."""
        for node in self.nodes:
            if node.type_name == "WorldInfo":
                return node
        return self._default_info

    def header_of(self, file: str) -> Header:
        """The header of a file that nodes say they stand in; of one that was not read, that of today."""
        if file == self.file:
            return self.header
        return self.headers.get(file.removesuffix(MADE_BY_TEMPLATE), Header())

    def find_def(self, name: str) -> Node | None:
        """The first node with this DEF name in file order; copies made by USE are not looked at."""
        return self.def_index.given(name)

    @property
    def def_index(self) -> DefIndex:
        """The DEF names of now."""
        if self._def_index is None or self._def_index.is_outdated:
            self._def_index = DefIndex(self.nodes)
        return self._def_index

    def holds(self, node: Node) -> bool:
        """Whether a node is in the scene."""
        while node.parent is not None:
            node = node.parent
        return node in self.nodes

    def shown(self, node: Node) -> Node:
        """The node itself if it stands in the scene, else the first that stands there for it: for one that a
        PROTO instance was given, the first in what that instance is."""
        found = [each for each in (node, *node.family()) if is_shown(each) and self.holds(each)]
        if not found or found[0] is node:
            return node
        holder = next((each for each in node.ancestors() if is_shown(each)), None)
        return next((each for each in found if any(one is holder for one in each.ancestors())), found[0])

    def walk(self) -> Iterator[Node]:
        """Every node, each before its children, copies made by USE among them."""
        for node in self.nodes:
            yield from node.walk()
