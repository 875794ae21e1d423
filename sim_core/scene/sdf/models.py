"""A model as robots and solids: each group of connected links is one, a tree from its root."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.geometry import Pose, roll_pitch_yaw
from sim_core.scene.gazebo.cameras import PictureTopics
from sim_core.scene.gazebo.plugins import read_plugins
from sim_core.scene.gazebo.sensors import gazebo_sensors
from sim_core.scene.gazebo.tags import GazeboTags, Tag
from sim_core.scene.robot_description import JointElement, RobotDescription
from sim_core.scene.sdf.documents import Library
from sim_core.scene.sdf.frames import Frames
from sim_core.scene.sdf.joints import Ends, JointReader, reversed_joint
from sim_core.scene.sdf.links import LinkReader
from sim_core.scene.sdf.scopes import SEPARATOR, WORLD, Element, Scope, unused
from sim_core.scene.sdf.surfaces import Friction
from sim_core.scene.sdf.trees import HERE, FlatModel, groups_of, tree_of
from sim_core.scene.sdf.world_lights import light_node
from sim_core.scene.urdf.extensions import actuated_joints
from sim_core.scene.urdf.structure import BASE, make_root, mimic_mistakes
from sim_core.scene.x3d.scenery_item import Item

INSIDE = "/"
"""Separator of the name of a nested model and a name in it: `::` would couple motors; ROS uses it, too."""
_PUBLISHERS = re.compile(
    r"joint-state-publisher|JointStatePublisher|joint_state_publisher|pose-publisher|lift-drag|LiftDrag"
)
"""Plugins that name joints but do not move them."""


@dataclass
class ModelReader:
    """Makes descriptions of models.

    Attributes:
        read_ids: ids of the elements that were read.
        tags: tags of the described models, which list the unread ones.
        topics: picture topics of all models.
    """

    warnings: list[SceneError]
    read_ids: set[int]
    frames: Frames
    links: LinkReader
    joints: JointReader
    tags: list[GazeboTags] = field(default_factory=list)
    topics: PictureTopics = field(default_factory=PictureTopics)

    @classmethod
    def from_library(
        cls, library: Library, plain: str = "", surfaces: dict[str, Friction] | None = None
    ) -> ModelReader:
        """Return a reader of the models of some files.

        Args:
            library: the files.
            plain, surfaces: see `LinkReader`.
        """
        frames = Frames(library.warnings)
        links = LinkReader(library.warnings, frames, plain, {} if surfaces is None else surfaces)
        joints = JointReader(library.warnings, frames)
        return cls(library.warnings, library.read_ids, frames, links, joints)

    def describe(self, scope: Scope) -> Iterator[tuple[RobotDescription, str]]:
        """Yield the robots and solids of a model, the one with its canonical link first, and their node
        types.

        The `start` of each is the pose of its root in the frame of the model.

        Raises:
            SceneError: a number is invalid.
        """
        flat = FlatModel(canonical=full_name("", self.frames.canonical(scope)))
        self._flatten(flat, scope, "", HERE)
        if not flat.links:
            self.warnings.append(Mistake(*scope.source, f'model "{scope.name}" without links', "left out"))
            return
        _rename_sensors(flat)
        groups = groups_of(flat)
        groups.sort(key=lambda group: flat.canonical not in group)
        for number, group in enumerate(groups):
            model = tree_of(flat, group, scope)
            if number:
                model.name = f"{scope.name}{INSIDE}{model.root}"
            plugins = [each for each in flat.plugins if _group_of_plugin(each, flat, groups) is group]
            self._add_devices(model, flat, plugins)
            moves = any(joint.kind != "fixed" for joint in model.joints.values())
            is_robot = moves or model.devices or model.settings
            yield model, "Robot" if is_robot else "Solid"

    def _add_devices(self, model: RobotDescription, flat: FlatModel, plugins: list[Item]) -> None:
        """Add the devices and the drive of its sensors and plugins to a robot."""
        tags = [
            Item("gazebo", item.source, {"reference": name}, [("", item)])
            for name, item in flat.sensors
            if name in model.links
            or (name in model.joints and not self._is_reversed(name, item, model, flat))
        ]
        if plugins:
            tags.append(Item("gazebo", plugins[0].source, {}, [("", each) for each in plugins]))
        robot = Item("robot", model.source, {"name": model.name}, [("", each) for each in tags])
        gazebo = GazeboTags(robot, self.read_ids)
        self.tags.append(gazebo)
        sensors, fused = gazebo_sensors(gazebo, model.links, self.topics, model.joints)
        model.devices += sensors
        model.composites += fused
        moving = [joint.name for joint in model.joints.values() if joint.kind != "fixed"]
        found = read_plugins(gazebo, moving, list(model.links))
        model.add_plugins(found)
        named = {
            text
            for plugin in plugins
            if not _PUBLISHERS.search(plugin.fields.get("filename", "") + plugin.fields.get("name", ""))
            for text in _texts(plugin)
        }
        model.actuated = (actuated_joints(robot, model.devices, model.motors) or set()) | named
        model.actuated &= model.joints.keys()
        self.warnings += mimic_mistakes(model)
        base = next((str(each.value) for each in model.settings if each.name == "base_frame"), "")
        if not (base in model.links and make_root(model, base)):
            make_root(model, BASE)
        for name in model.links:
            made = [light_node(tag, HERE, self.warnings) for tag in flat.lights.get(name, ())]
            model.lights[name] = [node for node in made if node is not None]

    def _is_reversed(self, joint: str, sensor: Item, model: RobotDescription, flat: FlatModel) -> bool:
        """Return whether the parent of a sensor's joint is below it in the tree, with a warning."""
        is_reversed = model.joints[joint].child != flat.joints[joint].child
        if is_reversed:
            found = f'sensor "{sensor.fields["name"]}" in the joint "{joint}", whose child is the root'
            self.warnings.append(Mistake(*sensor.source, found, "left out"))
        return is_reversed

    def _flatten(self, flat: FlatModel, scope: Scope, prefix: str, at: Pose) -> None:
        """Add a model and those nested in it to the flat model.

        Args:
            prefix: prefix of its names.
            at: its pose in the whole model.
        """
        for part in scope.links.values():
            name = full_name(prefix, part.name)
            flat.links[name] = self.links.read_link(name, scope, part, scope.has_wind)
            flat.poses[name] = at * self.frames.frame_pose(scope, part.name)
            if scope.is_static or part.is_static:
                flat.static_links.add(name)
            flat.lights[name] = part.tag.all("light")
            for sensor in part.tag.all("sensor"):
                placed = self.links.pose_in_link(scope, part, sensor)
                flat.sensors.append((name, self._resolved(sensor, placed)))
            flat.plugins += [self._named(each, scope, prefix) for each in part.tag.all("plugin")]
        for name, model in scope.models.items():
            model.is_static |= scope.is_static
            model.has_wind |= scope.has_wind
            self._flatten(flat, model, f"{prefix}{name}{INSIDE}", at * self.frames.of_model(scope, model))
        for part in scope.joints.values():
            joint = self._joint(flat, scope, part, prefix, at)
            if joint is not None:
                flat.joints[joint.name] = joint
            for sensor in part.tag.all("sensor"):
                if joint is not None:
                    in_model = at * self.frames.frame_pose(scope, part.name)
                    in_child = flat.poses[joint.child].inverse() * in_model if joint.child != WORLD else HERE
                    placed = in_child * self.links.pose_in_link(scope, part, sensor)
                    flat.sensors.append((joint.name, self._resolved(sensor, placed)))
        flat.plugins += [self._named(each, scope, prefix) for each in scope.plugins]

    def _joint(
        self, flat: FlatModel, scope: Scope, part: Element, prefix: str, at: Pose
    ) -> JointElement | None:
        ends = []
        part.tag.all("parent", "child")
        for end in ("parent", "child"):
            end_name = part.tag.word(end) or (part.tag.first(end) or part.tag).attribute("link")
            end_name = (
                end_name.removeprefix(f"{scope.name}{SEPARATOR}") if end_name not in scope.links else end_name
            )
            link = WORLD if end_name == WORLD else full_name(prefix, self.frames.attached(scope, end_name))
            if link != WORLD and link not in flat.links:
                found = f'{end} of joint "{part.name}" is "{end_name}", which is no link'
                self.warnings.append(Mistake(*part.tag.source, found, "left out"))
                return None
            ends.append(link)
        parent, child = ends
        if parent == child:
            found = f'joint "{part.name}" joins "{child}" with itself'
            self.warnings.append(Mistake(*part.tag.source, found, "left out"))
            return None
        poses = [HERE if link == WORLD else flat.poses[link] for link in ends]
        name = full_name(prefix, part.name)
        joint = self.joints.read_joint(name, scope, part, at, Ends(parent, child, *poses))
        if joint is not None and joint.mimic is not None:
            leader = full_name(prefix, joint.mimic.joint.replace(SEPARATOR, INSIDE))
            joint.mimic = replace(joint.mimic, joint=leader)
        return reversed_joint(joint) if joint is not None and child == WORLD else joint

    def _resolved(self, sensor: Tag, placed: Pose) -> Item:
        """Return a copy of a sensor whose pose is relative to its link."""
        item = sensor.item
        name = sensor.attribute("name") or sensor.attribute("type") or "sensor"
        children = [(at, child) for at, child in item.children if child.name != "pose"]
        if placed != HERE:
            words = (*placed.position, *roll_pitch_yaw(placed.rotation))
            text = " ".join(f"{value:.17g}" for value in words)
            children.insert(0, ("", Item("pose", item.source, {}, content=text)))
        self._count(item)
        return Item(item.name, item.source, {**item.fields, "name": name}, children, content=item.content)

    def _named(self, plugin: Tag, scope: Scope, prefix: str) -> Item:
        """Return a copy of a plugin in which links and joints have their full names."""
        known = {*scope.links, *scope.joints}

        def copy(item: Item) -> Item:
            text = item.content.strip()
            if (prefix and text in known) or SEPARATOR in text:
                text = full_name(prefix, text)
            else:
                text = item.content
            children = [(at, copy(child)) for at, child in item.children]
            return Item(item.name, item.source, item.fields, children, content=text)

        self._count(plugin.item)
        return copy(plugin.item)

    def _count(self, item: Item) -> None:
        """Mark the original of a copy as read: the copy lists unread tags."""
        pending = [item]
        while pending:
            each = pending.pop()
            self.read_ids.add(id(each))
            pending += [child for _, child in each.children]


def full_name(prefix: str, name: str) -> str:
    """Return the full name of a link or a joint of a nested model."""
    return prefix + name.replace(SEPARATOR, INSIDE)


def _rename_sensors(flat: FlatModel) -> None:
    """Give each sensor a name that is unique in the model."""
    taken: set[str] = set()
    for link, item in flat.sensors:
        name = item.fields["name"]
        if name in taken:
            name = unused(f"{link}_{name}", taken)
            item.fields["name"] = name
        taken.add(name)


def _group_of_plugin(plugin: Item, flat: FlatModel, groups: list[set[str]]) -> set[str]:
    """Return the group to which a plugin belongs: that of the joints or links that it names, else the
    first."""
    for text in _texts(plugin):
        link = flat.joints[text].child if text in flat.joints else text
        found = next((group for group in groups if link in group and link != WORLD), None)
        if found is not None:
            return found
    return groups[0]


def _texts(item: Item) -> Iterator[str]:
    """Yield the texts of the elements within an element."""
    for _, child in item.children:
        yield child.content.strip()
        yield from _texts(child)
