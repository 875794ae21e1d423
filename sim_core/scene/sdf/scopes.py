"""Scopes of names of nested and included models; their poses are resolved in `frames.py`.

Differences between versions of SDF are in `VersionRules`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from sim_core.base.errors import Mistake, SceneError, SceneErrors
from sim_core.base.geometry import Pose
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.node import Source
from sim_core.scene.sdf.documents import Document, Library, Version
from sim_core.scene.sdf.uris import where_to_put
from sim_core.scene.sdf.values import TRUE, flag, pose_of

MODEL = "__model__"
WORLD = "world"
SEPARATOR = "::"


class VersionRules(NamedTuple):
    """Rules of an older version of SDF that differ from the current ones.

    Attributes:
        frame_attribute: attribute with the reference frame of a pose, if there is no `relative_to`.
        axes_in_model: axes of joints are in the model's frame unless the file states otherwise.
        physics_has_gravity: gravity and magnetic field are in `<physics>`.
    """

    frame_attribute: str = "relative_to"
    axes_in_model: bool = False
    physics_has_gravity: bool = False


def rules_of(version: Version) -> VersionRules:
    """Return the rules of a version."""
    return VersionRules("relative_to" if version >= (1, 7) else "frame", version <= (1, 4), version <= (1, 5))


class WrittenPose(NamedTuple):
    """A pose as written.

    Attributes:
        pose: pose of the element in its reference frame.
        relative_to: name of the reference frame; empty: the default of its kind of element.
        home: name of the frame that `__model__` means for it; a different one in merged models.
    """

    pose: Pose = Pose()
    relative_to: str = ""
    home: str = MODEL


HERE = WrittenPose()


@dataclass(frozen=True)
class Element:
    """A link, a joint or a frame of a model.

    Attributes:
        name: name in its scope.
        tag: its element.
        by: file that contains it.
        attached_to: name of the element to which a frame is attached.
        is_static: it is static even if its model is not.
    """

    name: str
    tag: Tag
    by: Document
    place: WrittenPose
    attached_to: str = ""
    is_static: bool = False


@dataclass
class Scope:
    """A model and its scope of names.

    Attributes:
        place: pose in the scope above.
        has_wind: the wind acts on its links and nested models.
        placement: name of the frame in it that `place` positions; empty: `__model__`.
        canonical: name of its canonical link; empty: the first.
        models: nested models.
        plugins: plugins of the model.
        source: its place; of an included model that of the `<include>`.
    """

    name: str
    by: Document
    source: Source
    place: WrittenPose = HERE
    placement: str = ""
    canonical: str = ""
    is_static: bool = False
    self_collides: bool = False
    has_wind: bool = False
    links: dict[str, Element] = field(default_factory=dict)
    joints: dict[str, Element] = field(default_factory=dict)
    frames: dict[str, Element] = field(default_factory=dict)
    models: dict[str, Scope] = field(default_factory=dict)
    plugins: list[Tag] = field(default_factory=list)

    def all_links(self) -> Iterator[tuple[str, Element]]:
        """Yield all links with their names in the scope, those of nested models after its own."""
        yield from self.links.items()
        for name, model in self.models.items():
            yield from ((f"{name}{SEPARATOR}{each}", part) for each, part in model.all_links())


@dataclass
class ScopeReader:
    """Reads models, and those that they include."""

    library: Library
    lights: list[tuple[Tag, Document, Pose]] = field(default_factory=list)

    @property
    def warnings(self) -> list[SceneError]:
        """List that receives a line for each part that is left out."""
        return self.library.warnings

    def model(self, tag: Tag, by: Document, above: tuple[Path, ...]) -> Scope:
        """Read a `<model>`.

        Raises:
            SceneErrors, SceneError: a number in it is invalid, or an included file cannot be read.
        """
        scope = Scope(
            tag.attribute("name") or "model",
            by,
            tag.source,
            self.read_pose(tag, by),
            tag.attribute("placement_frame"),
            tag.attribute("canonical_link"),
            flag(tag, "static"),
            flag(tag, "self_collide"),
            flag(tag, "enable_wind"),
            plugins=tag.all("plugin"),
        )
        tag.all("allow_auto_disable")
        for kind, parts in (("link", scope.links), ("joint", scope.joints), ("frame", scope.frames)):
            for each in tag.all(kind):
                self._add(parts, self.part(each, by))
        for each in tag.all("model"):
            self._nest(scope, self.model(each, by, above))
        for each in tag.all("include"):
            inner = self.include(each, by, above)
            if inner is not None and each.attribute("merge").lower() in TRUE:
                self._merge(scope, inner)
            elif inner is not None:
                self._nest(scope, inner)
        return scope

    def include(self, tag: Tag, by: Document, above: tuple[Path, ...]) -> Scope | None:
        """Read the model of an `<include>`; None: it is a light, or a warning gives the reason.

        Raises:
            SceneErrors, SceneError: the file exists and cannot be read.
        """
        uri, place = tag.word("uri"), self.read_pose(tag, by)
        tag.all("name", "static", "placement_frame", "plugin")
        if tag.first("params") is not None:
            tag.all("params")[0].ignore()
        found = self._included(tag, uri, by, above, place) if uri else None
        if found is None:
            return None
        for light in found.root.all("light"):
            own = light.first("pose")
            pose = place.pose if tag.first("pose") is not None or own is None else pose_of(own, [])
            self.lights.append((light, found, pose))
        model = found.root.first("model")
        if model is None:
            if not found.root.all("light"):
                self._leave_out(tag, f'include "{uri}" holds no model', "left out")
            return None
        scope = self.model(model, found, (*above, found.path))
        scope.source = tag.source
        scope.name = tag.word("name") or scope.name
        if tag.first("pose") is not None:
            scope.place = place
        scope.placement = tag.word("placement_frame") or scope.placement
        scope.is_static = flag(tag, "static", scope.is_static)
        scope.plugins = [*scope.plugins, *tag.all("plugin")]
        return scope

    def _included(
        self, tag: Tag, uri: str, by: Document, above: tuple[Path, ...], place: WrittenPose
    ) -> Document | None:
        """Return the file of an `<include>`; None: a warning gives the reason."""
        try:
            found = self.library.include(uri, by, above)
        except SceneErrors as error:
            self._leave_out(tag, f'include "{uri}": {error.problems[0]}', "left out")
            return None
        if found is None:
            x, y, z = place.pose.position
            where = f"(pose {x:g} {y:g} {z:g}; put it at {where_to_put(uri, by.path)})"
            mistake = Mistake(*tag.source, f'include "{uri}" is not here', "left out", f"its model {where}")
            self.warnings.append(mistake)
        return found

    def read_pose(self, tag: Tag, by: Document) -> WrittenPose:
        """Read the `<pose>` of an element.

        Raises:
            SceneError: a number in it is invalid.
        """
        pose = tag.first("pose")
        if pose is None:
            return HERE
        return WrittenPose(pose_of(pose, self.warnings), frame_of(pose, by))

    def part(self, tag: Tag, by: Document) -> Element:
        """Read a link, a joint or a frame.

        Raises:
            SceneError: a number in its pose is invalid.
        """
        return Element(
            tag.attribute("name") or tag.item.name,
            tag,
            by,
            self.read_pose(tag, by),
            tag.attribute("attached_to"),
            tag.item.name == "link" and (flag(tag, "static") or flag(tag, "kinematic")),
        )

    def _add(self, parts: dict[str, Element], part: Element) -> None:
        kind = part.tag.item.name
        if part.name == WORLD:
            self._leave_out(part.tag, f'a {kind} called "{WORLD}", as the world is', "left out")
        elif part.name in parts:
            self._leave_out(part.tag, f'a second {kind} "{part.name}"', "left out")
        else:
            parts[part.name] = part

    def _nest(self, scope: Scope, inner: Scope) -> None:
        inner.name = unused(inner.name, scope.models)
        scope.models[inner.name] = inner

    def _merge(self, scope: Scope, inner: Scope) -> None:
        """Add the contents of a model to the one that includes it; a frame represents the included model's
        own."""
        home = unused(f"__merged_{inner.name}__", scope.frames)
        anchor = Element(home, Tag(inner.by.root.item, self.library.read_ids), inner.by, inner.place)
        scope.frames[home] = anchor
        for theirs, ours in (
            (inner.frames, scope.frames),
            (inner.links, scope.links),
            (inner.joints, scope.joints),
        ):
            for part in theirs.values():
                at = part.place._replace(home=home) if part.place.home == MODEL else part.place
                self._add(ours, replace(part, place=at))
        for model in inner.models.values():
            model.place = model.place._replace(home=home)
            self._nest(scope, model)
        scope.plugins = [*scope.plugins, *inner.plugins]

    def _leave_out(self, tag: Tag, found: str, done: str) -> None:
        self.warnings.append(Mistake(*tag.source, found, done))


def frame_of(pose: Tag, by: Document) -> str:
    """Return the reference frame of a `<pose>`; empty: the default of its kind of element."""
    return pose.attribute("relative_to") or pose.attribute(rules_of(by.version).frame_attribute)


def unused(name: str, taken: Container[str]) -> str:
    """Return a name, or the same with a number, that is not among the names taken."""
    if name not in taken:
        return name
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def problems_of(error: SceneError | SceneErrors) -> list[SceneError]:
    """Return one problem or several as a list."""
    return list(error.problems) if isinstance(error, SceneErrors) else [error]
