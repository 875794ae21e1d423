"""Reader of URDF text; finds all problems of a file, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from sim_core.base.errors import Mistake, SceneError, SceneErrors
from sim_core.base.geometry import ZERO, is_possible_inertia, norm, normalized
from sim_core.scene.files import read_text
from sim_core.scene.gazebo.found import PluginsFound
from sim_core.scene.gazebo.friction import friction_of_links
from sim_core.scene.gazebo.plugins import read_plugins
from sim_core.scene.gazebo.sensors import gazebo_sensors
from sim_core.scene.gazebo.tags import GazeboTags
from sim_core.scene.robot_description import (
    FREE,
    GREY,
    MOVING,
    GeometryElement,
    Inertial,
    JointElement,
    Limit,
    LinkElement,
    LinkShape,
    Material,
    Mimic,
    Rgba,
    RobotDescription,
)
from sim_core.scene.urdf.extensions import (
    actuated_joints,
    composite_tag,
    control_tags,
    device_tags,
    named_tags,
    not_simulated,
    plugin_tag,
)
from sim_core.scene.urdf.structure import checked_structure
from sim_core.scene.urdf.xacro_text import LARGEST, MADE, expand_xacro, find_xacro
from sim_core.scene.x3d.scenery_item import Item
from sim_core.scene.x3d.xml_reader import read_xml
from sim_core.scene.xml_attributes import length_of, name_of, number_of, origin_of, required, required_child

MAX_CHARACTERS = LARGEST
KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
_KNOWN = ("link", "joint", "material", "webots", "gazebo", "transmission", "ros2_control", "sensor")
_T = TypeVar("_T")


def read_urdf(
    path: str | Path, arguments: Mapping[str, str] | None = None
) -> tuple[RobotDescription, list[SceneError]]:
    """Return the robot of a URDF or xacro file, and warnings about parts without effect.

    Args:
        path: path of the file; xacro is recognized from its text, whatever its name.
        arguments: values of its `<xacro:arg>`, by name; None: it may be plain URDF.

    Raises:
        SceneErrors: the file cannot be read, or all problems found in it.
    """
    text = read_text(path, "a URDF file")
    if find_xacro(text, str(path), "") is None:
        if arguments:
            found = f"plain URDF, but arguments for xacro: {', '.join(arguments)}"
            raise SceneErrors([SceneError(str(path), 0, 0, found, "a xacro file")])
        return parse_urdf(text, str(path))
    text, warnings = expand_xacro(path, arguments or {})
    model, more = parse_urdf(text, f"{path}{MADE}")
    return model, warnings + more


def parse_urdf(text: str, file: str = "<urdf>") -> tuple[RobotDescription, list[SceneError]]:
    """Return the robot of a URDF text without xacro, and warnings about parts without effect.

    Raises:
        SceneErrors: all problems found in it.
    """
    if len(text) > MAX_CHARACTERS:
        raise SceneErrors([SceneError(file, 0, 0, f"{len(text)} characters", f"at most {MAX_CHARACTERS}")])
    refused = find_xacro(text, file, "plain URDF", "odesim run WORLD --urdf FILE reads xacro")
    if refused is not None:
        raise SceneErrors([refused])
    root = read_xml(text, file, with_content=True)
    if root.name != "robot":
        raise SceneErrors([SceneError(*root.source, f"<{root.name}>", "<robot name=…> as the root")])
    return _RobotReader(root).read_robot()


class _RobotReader:
    def __init__(self, root: Item) -> None:
        self.root = root
        self.problems: list[SceneError] = []
        self.warnings: list[SceneError] = []
        self.model = RobotDescription("", source=root.source)

    def read_robot(self) -> tuple[RobotDescription, list[SceneError]]:
        model = self.model
        model.name = self._try(name_of, self.root) or ""
        materials = Materials(self.warnings)
        for item in self._children("material"):
            self._try(materials.define, item)
        for item in self._children("link"):
            link = self._try(read_link, item, materials, self.warnings)
            if link is not None and self._is_new(link.name, model.links, item):
                model.links[link.name] = link
        for item in self._children("joint"):
            joint = self._try(_read_joint, item)
            if joint is not None and self._is_new(joint.name, model.joints, item):
                model.joints[joint.name] = joint
        tags = [self._try(device_tags, item) for item in self._in_webots("device")]
        model.devices = named_tags(tag for tag in tags if tag is not None)
        gazebo = GazeboTags(self.root)
        sensors, fused = self._try(gazebo_sensors, gazebo, model.links, None, model.joints) or ([], [])
        model.devices += sensors
        movable = [joint.name for joint in model.joints.values() if joint.kind in MOVING]
        names = (movable, list(model.links)) if model.links else (None, None)
        found = self._try(read_plugins, gazebo, *names) or PluginsFound()
        model.add_plugins(found)
        plugins = [self._try(composite_tag, item) for item in self._in_webots("plugin")]
        in_python = [plugin_tag(item) for item in self._in_webots("plugin")]
        model.plugins = [plugin for plugin in in_python if plugin is not None]
        model.composites = [composite for composite in plugins if composite is not None] + fused
        speaks = any(self._children(name) for name in ("webots", "ros2_control"))
        model.is_about_another = speaks and not model.links and not model.joints
        model.friction = self._try(friction_of_links, gazebo) or {}
        model.control = self._try(control_tags, self.root) or {}
        model.actuated = actuated_joints(self.root, model.devices, model.motors)
        for _, item in self.root.children:
            if item.name not in _KNOWN:
                self.warnings.append(SceneError(*item.source, f"<{item.name}> has no effect"))
        self.warnings += gazebo.without_effect() + not_simulated(self.root)
        if not self.problems:
            self.problems += checked_structure(model, self.warnings)
        if self.problems:
            raise SceneErrors(sorted(self.problems, key=lambda problem: (problem.line, problem.column)))
        return model, self.warnings

    def _children(self, name: str) -> list[Item]:
        return [item for _, item in self.root.children if item.name == name]

    def _in_webots(self, name: str) -> Iterator[Item]:
        for webots in self._children("webots"):
            yield from (item for _, item in webots.children if item.name == name)

    def _try(self, read: Callable[..., _T], *arguments: object) -> _T | None:
        try:
            return read(*arguments)
        except SceneError as error:
            self.problems.append(error)
        except SceneErrors as error:
            self.problems += error.problems
        return None

    def _is_new(self, name: str, known: dict[str, _T], item: Item) -> bool:
        if name not in known:
            return True
        first = known[name].source  # type: ignore[attr-defined] # links and joints have one
        found = f'a second {item.name} "{name}"'
        expected = f"a name of its own (the first is at {first.line}:{first.column})"
        self.problems.append(SceneError(*item.source, found, expected))
        return False


def _read_joint(item: Item) -> JointElement:
    name, kind = name_of(item), item.fields.get("type", "")
    if kind not in KINDS:
        raise item.error("type", f"one of {', '.join(KINDS)}")
    if kind == "planar":
        raise SceneError(*item.source, f'joint "{name}" of type planar', "a joint that is simulated")
    ends = [required(required_child(item, end), "link") for end in ("parent", "child")]
    joint = JointElement(name, kind, ends[0], ends[1], origin_of(item), source=item.source)
    if kind in MOVING:
        axis = item.first("axis")
        if axis is not None:
            x, y, z = axis.numbers("xyz", 3) or (1.0, 0.0, 0.0)
            if norm((x, y, z)) < 1e-9:
                raise axis.error("xyz", "a vector that is not zero")
            joint.axis = normalized((x, y, z))
        joint.limit = _read_limit(item, kind)
        dynamics = item.first("dynamics")
        if dynamics is not None:
            joint.damping = number_of(dynamics, "damping", 0.0, low=0.0)
            joint.friction = number_of(dynamics, "friction", 0.0, low=0.0)
        mimic = item.first("mimic")
        if mimic is not None:
            joint.mimic = Mimic(
                required(mimic, "joint"), number_of(mimic, "multiplier", 1.0), number_of(mimic, "offset", 0.0)
            )
    elif kind == FREE and joint.origin.position != ZERO:
        raise SceneError(*item.source, f'joint "{name}" of type floating', "no origin")
    return joint


def _read_limit(item: Item, kind: str) -> Limit | None:
    inf = float("inf")
    limit = item.first("limit")
    if limit is None:
        if kind == "continuous":
            return None
        found = f'joint "{item.fields.get("name", "")}" of type {kind} without <limit>'
        raise SceneError(*item.source, found, "<limit lower=… upper=… effort=… velocity=…/>")
    lower, upper = (-inf, inf) if kind == "continuous" else (limit.number("lower"), limit.number("upper"))
    if lower > upper:
        raise limit.error("lower", f"no more than upper, {upper:g}")
    effort, velocity = (
        number_of(limit, field, 0.0, low=0.0) if field in limit.fields else None
        for field in ("effort", "velocity")
    )
    return Limit(lower, upper, effort, velocity)


NO_INERTIA = (0.0,) * 9
_KINDS = ("box", "sphere", "cylinder", "capsule", "mesh")


class Materials:
    """Named colours and textures."""

    def __init__(self, warnings: list[SceneError]) -> None:
        self._warnings = warnings
        self._known: dict[str, tuple[Rgba | None, str]] = {}

    def define(self, item: Item) -> None:
        """Add a `<material>` of the robot.

        Raises:
            SceneError: it has no name, or its colour is invalid.
        """
        self._known[name_of(item)] = _look(item)

    def material_of(self, visual: Item) -> tuple[Rgba | None, str]:
        """Return colour and picture file of a visual."""
        item = visual.first("material")
        if item is None:
            return None, ""
        look = _look(item)
        name = item.fields.get("name", "").strip()
        if look != (None, ""):
            if name:
                self._known.setdefault(name, look)
            return look
        if name not in self._known:
            self._warnings.append(SceneError(*item.source, f'material "{name}" is not defined: it is grey'))
        return self._known.get(name, (None, ""))


def _look(item: Item) -> tuple[Rgba | None, str]:
    colour, texture = item.first("color"), item.first("texture")
    rgba = None
    if colour is not None:
        required(colour, "rgba")
        r, g, b, a = colour.numbers("rgba", 4) or (0.5, 0.5, 0.5, 1.0)
        if not all(0.0 <= value <= 1.0 for value in (r, g, b, a)):
            raise colour.error("rgba", "4 numbers from 0 to 1")
        rgba = (r, g, b, a)
    return rgba, texture.fields.get("filename", "") if texture is not None else ""


def read_link(item: Item, materials: Materials, warnings: list[SceneError]) -> LinkElement:
    """Read a link.

    Raises:
        SceneError: a part of it is invalid.
    """
    link = LinkElement(name_of(item), source=item.source)
    for _, part in item.children:
        if part.name == "inertial":
            link.inertial = _inertial(part, link.name, warnings)
        elif part.name in ("visual", "collision"):
            geometry = _geometry(part)
            look = Material(*materials.material_of(part)) if part.name == "visual" else GREY
            shape = LinkShape(geometry, origin_of(part), look, part.source)
            if 0.0 in geometry.size:  # dummy links are written in this way
                found = f'{part.name} of link "{link.name}" is a {geometry.kind} of size 0: left out'
                warnings.append(SceneError(*part.source, found))
            else:
                (link.visuals if part.name == "visual" else link.collisions).append(shape)
    return link


def _inertial(item: Item, link: str, warnings: list[SceneError]) -> Inertial | None:
    """Read the inertial; None for a mass of 0, with which dummy links are written."""
    mass_item, tensor = item.first("mass"), item.first("inertia")
    if mass_item is None:
        raise SceneError(*item.source, f'inertial of link "{link}" without <mass>', "<mass value=…/>")
    mass = number_of(mass_item, "value", low=0.0)
    if mass > 1e12:
        raise mass_item.error("value", "a mass in kg")
    if mass == 0.0:
        return None
    if tensor is None:
        warnings.append(
            SceneError(*item.source, f'link "{link}" without <inertia>: that of its collisions is used')
        )
        return Inertial(mass, NO_INERTIA, origin_of(item), item.source)
    xx, yy, zz, xy, xz, yz = (
        number_of(tensor, name, 0.0) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    inertia = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
    if not is_possible_inertia(inertia, mass):  # Gazebo and Webots go on with another one, too
        inertia, used = (xx, 0.0, 0.0, 0.0, yy, 0.0, 0.0, 0.0, zz), "ixy, ixz and iyz are left out"
        if not is_possible_inertia(inertia, mass):
            inertia, used = NO_INERTIA, "that of its collisions is used"
        found = f'inertia of link "{link}" is impossible for {mass:g} kg'
        warnings.append(Mistake(*tensor.source, found, used))
    return Inertial(mass, inertia, origin_of(item), item.source)


def _geometry(item: Item) -> GeometryElement:
    holder = item.first("geometry")
    shape = holder.first(*_KINDS) if holder is not None else None
    if shape is None:
        other = holder.children[0][1].name if holder is not None and holder.children else "no geometry"
        raise SceneError(*(holder or item).source, f"{item.name} with {other}", "one of " + ", ".join(_KINDS))
    if shape.name == "box":
        required(shape, "size")
        size = tuple(shape.numbers("size", 3) or ())
        if not all(0.0 <= length < 1e9 for length in size):
            raise shape.error("size", "3 lengths in m of 0 or more")
        return GeometryElement("box", size)
    if shape.name == "sphere":
        return GeometryElement("sphere", (length_of(shape, "radius"),))
    if shape.name == "mesh":
        x, y, z = shape.numbers("scale", 3) or (1.0, 1.0, 1.0)
        return GeometryElement("mesh", (x, y, z), required(shape, "filename"))
    return GeometryElement(shape.name, (length_of(shape, "radius"), length_of(shape, "length")))
