"""Loading of SDF files of Gazebo as scenes."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import quoteattr

from sim_core.base.errors import Mistake, SceneError, SceneErrors, bounded
from sim_core.base.geometry import Pose
from sim_core.scene.gazebo.detachable import passive_connector
from sim_core.scene.gazebo.found import LAYOUT
from sim_core.scene.gazebo.tags import GazeboTags, Tag
from sim_core.scene.node import Node
from sim_core.scene.robot_description import RobotDescription
from sim_core.scene.scene import DeviceSetting, Scene
from sim_core.scene.sdf.builtin_models import BUILTIN
from sim_core.scene.sdf.buoyancy import Buoyancy, buoyancy_of
from sim_core.scene.sdf.classic_state import model_poses
from sim_core.scene.sdf.documents import Document, Library
from sim_core.scene.sdf.link_forces import wind_of
from sim_core.scene.sdf.models import INSIDE, ModelReader
from sim_core.scene.sdf.scopes import SEPARATOR, Scope, ScopeReader, problems_of, unused
from sim_core.scene.sdf.shared_topics import drop_shared_topics
from sim_core.scene.sdf.surfaces import DEFAULT_NAME, PLAIN, contact_properties
from sim_core.scene.sdf.unread_elements import without_effect
from sim_core.scene.sdf.values import flag
from sim_core.scene.sdf.world import scenery, world_info
from sim_core.scene.sdf.world_joints import nest_joined
from sim_core.scene.sdf.world_lights import light_node
from sim_core.scene.urdf.reader import read_urdf
from sim_core.scene.urdf.spawn import add_friction, put_in
from sim_core.scene.x3d.scenery_item import Item

MODEL_WORLD = '<sdf version="1.6"><world name="{name}"/></sdf>'
"""World for a model that is opened by itself, with the built-in models."""


def load_sdf(path: str | Path, arguments: Mapping[str, str] | None = None) -> Scene:
    """Read a world of Gazebo, or a model, which is then put on a plane under the sun.

    Args:
        path: path of the file; xacro is recognized from its text.
        arguments: values of its `<xacro:arg>`, by name.

    Raises:
        SceneErrors: the file cannot be read, or all problems found in it.
    """
    library = Library()
    document = library.read_file(Path(path), arguments)
    return _scene(library, document)


def parse_sdf(text: str, file: str = "<sdf>") -> Scene:
    """Read the text of an SDF file without xacro.

    Raises:
        SceneErrors: all problems found in it.
    """
    library = Library()
    return _scene(library, library.parse(text, Path(file)))


def _scene(library: Library, document: Document) -> Scene:
    world = document.root.first("world")
    holder, by = document.root, document
    if world is None:
        if holder.first("model", "light", "include") is None:
            raise SceneErrors([SceneError(*holder.source, "SDF without a world and without a model", "one")])
        stage = MODEL_WORLD.format(name=quoteattr(document.path.stem)[1:-1])
        by = library.parse(stage, document.path.with_name("<stage>"))
        world = by.root.first("world")
    assert world is not None
    reader = _WorldReader(library, document)
    try:
        return reader.read_world(world, by, None if holder.first("world") is not None else holder)
    except (SceneError, SceneErrors) as error:
        raise SceneErrors(problems_of(error)) from None


class _WorldReader:
    def __init__(self, library: Library, document: Document) -> None:
        self.library = library
        self.warnings = library.warnings
        self.document = document
        self.scene = Scene(file=str(document.path))
        self.problems: list[SceneError] = []
        self.scopes = ScopeReader(library)
        self.buoyancy = Buoyancy()
        self.urdf: list[tuple[Tag, Document, Path]] = []
        self.tops: list[tuple[str, RobotDescription, Node]] = []
        self.models = ModelReader.from_library(library, surfaces={DEFAULT_NAME: PLAIN})

    def read_world(self, tag: Tag, by: Document, alone: Tag | None) -> Scene:
        """Return the scene of a world; `alone` contains models that are added to it."""
        info = world_info(tag, by, self.warnings)
        self.scene.nodes = [info, *scenery(tag, self.warnings)]
        plugins = self._plugins_of_world(tag)
        self.models.tags.append(plugins)
        self.models.links.wind = wind_of(tag, plugins)
        world = Scope("world", by, tag.source)
        self._read_models(world, tag, by)
        if alone is not None:
            for name in BUILTIN:
                built_in = self.library.built_in(name)
                self._read_models(world, built_in.root, built_in)
            self._read_models(world, alone, self.document)
        for light in tag.all("light"):
            self._add_light(light_node(light, Pose(), self.warnings))
        for light, _, pose in self.scopes.lights:
            self._add_light(light_node(light, Pose(), self.warnings, pose))
        self.buoyancy = buoyancy_of(plugins)
        self.scene.nodes += self.buoyancy.fluids
        nest_joined(world, self.warnings)
        stated = model_poses(tag, self.warnings)
        for scope in world.models.values():
            pose = stated.get(scope.name) or self.models.frames.of_model(world, scope)
            self._add_model(scope, pose)
        self._close_detachable_joints()
        info["contactProperties"] = contact_properties(self.models.links.surfaces)
        for robot in self.urdf:
            self._add_urdf(*robot, world.models)
        if self.problems:
            raise SceneErrors(self.problems)
        self.warnings += self.buoyancy.warnings()
        roots = [each.root.item for each in self.library.documents.values()]
        self.warnings += without_effect(roots, self.models.tags, self.library.read_ids)
        self.scene.warnings = bounded_mistakes(self.warnings)
        drop_shared_topics(self.scene)
        # also applies to robots that are added later
        layout = DeviceSetting("", "", "layout", LAYOUT, self.scene.file)
        self.scene.device_settings.insert(0, layout)
        return self.scene

    def _read_models(self, world: Scope, tag: Tag, by: Document) -> None:
        above = (self.document.path,)
        for _, item in tag.item.children:
            made: Scope | None = None
            if item.name == "include" and (path := self._urdf_of(item, by)) is not None:
                self.urdf.append((self._claim(item), by, path))
            elif item.name in ("model", "include"):
                read = self.scopes.model if item.name == "model" else self.scopes.include
                with self._collected():
                    made = read(self._claim(item), by, above)
            elif item.name == "frame":
                part = self.scopes.part(self._claim(item), by)
                world.frames[part.name] = part
            elif item.name == "joint":
                part = self.scopes.part(self._claim(item), by)
                world.joints[part.name] = part
            elif item.name == "light" and tag.item.name != "world":
                self._add_light(light_node(self._claim(item), Pose(), self.warnings))
            if made is not None:
                made.name = unused(made.name, world.models)
                world.models[made.name] = made

    def _urdf_of(self, include: Item, by: Document) -> Path | None:
        uri = include.first("uri")
        return self.library.urdf(uri.content.strip(), by) if uri is not None else None

    def _add_urdf(self, tag: Tag, by: Document, path: Path, taken: Container[str]) -> None:
        """Add the robot of an included URDF file to the scene, in the pose of the include."""
        with self._collected():
            model, warnings = read_urdf(path)
            model.name = unused(tag.word("name") or model.name, taken)
            tag.all("uri")
            model.pinned = model.pinned or flag(tag, "static")
            place = self.scopes.read_pose(tag, by).pose * model.start
            node = put_in(self.scene, model, path, place, warnings)
            self.warnings += warnings
            self.buoyancy.immerse(node, model.name, model.root)
            add_friction(self.scene, model)

    def _plugins_of_world(self, tag: Tag) -> GazeboTags:
        """Return the plugins of the world; those that do not enable default functions are listed as
        without effect."""
        plugins = [("", item) for _, item in tag.item.children if item.name == "plugin"]
        holder = Item("gazebo", tag.source, {}, plugins)
        return GazeboTags(Item("world", tag.source, {}, [("", holder)]), self.library.read_ids)

    def _claim(self, item: Item) -> Tag:
        return Tag(item, self.library.read_ids)

    def _add_model(self, scope: Scope, pose: Pose) -> None:
        """Add the robots and solids of a model to the scene."""
        with self._collected():
            for model, type_name in self.models.describe(scope):
                place = pose * model.start
                node = put_in(self.scene, model, scope.by.path, place, self.warnings, type_name)
                self.buoyancy.immerse(node, scope.name, model.root)
                self.tops.append((scope.name, model, node))

    def _close_detachable_joints(self) -> None:
        """Give the other models of detachable joints their ends of these."""
        for _, robot, _ in self.tops:
            for joint in robot.detachable_joints:
                link = joint.link.replace(SEPARATOR, INSIDE)
                ends = (_link(node, link, model) for name, model, node in self.tops if name == joint.model)
                end = next((each for each in ends if each is not None), None)
                if end is None:
                    found = f'detachable joint to "{joint.model}::{joint.link}", which is no link'
                    self.warnings.append(Mistake(*joint.source, found, "without effect"))
                else:
                    end["children"] = [*end["children"], passive_connector(joint, robot.name)]

    @contextmanager
    def _collected(self) -> Iterator[None]:
        """Collect the problems of one model, so that those of the others are found too."""
        try:
            yield
        except (SceneError, SceneErrors) as error:
            self.problems += problems_of(error)

    def _add_light(self, node: Node | None) -> None:
        if node is not None:
            self.scene.nodes.append(node)


def bounded_mistakes(warnings: list[SceneError]) -> list[SceneError]:
    """Return the warnings, with a limited number of each kind about each file."""
    mistakes = [each for each in warnings if isinstance(each, Mistake)]
    return [*bounded(mistakes), *(each for each in warnings if not isinstance(each, Mistake))]


def _link(top: Node, name: str, model: RobotDescription) -> Node | None:
    """Return the solid of a link of a model with this top node."""
    if name == model.root:
        return top
    return next((each for each in top.walk() if each.is_a("Solid") and each["name"] == name), None)
