"""`<link>`: masses, visuals, collisions, lights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.geometry import Pose, is_possible_inertia
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.sdf.materials import look_of
from sim_core.scene.sdf.scopes import Part, Placed, Scope, frame_of
from sim_core.scene.sdf.shapes import geometry_of
from sim_core.scene.sdf.surfaces import PLAIN, Surface, surface_of
from sim_core.scene.sdf.values import TRUE, finite, flag, pose_of
from sim_core.scene.urdf.model import GREY, Inertial, LinkElement, LinkShape

UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
NONE = (0.0,) * 9
WATER = 1000.0
"""kg/m³, of what does not say its density."""
HEAVIEST = 1e12

PlaceInside = Callable[[Scope, Part, Placed], Pose]


@dataclass
class LinkReader:
    """Reads links.

    Attributes:
        warnings: get what is left out.
        inside: poses of what is in a link, see `Frames.inside`.
        default_material: name of the contact material of surfaces that say nothing.
        surfaces: those that were met, by the names of their materials.
    """

    warnings: list[SceneError]
    inside: PlaceInside
    default_material: str = ""
    surfaces: dict[str, Surface] = field(default_factory=dict)

    def read(self, name: str, scope: Scope, part: Part) -> LinkElement:
        """A link by the name that it shall have.

        Raises:
            SceneError: a number in it is none.
        """
        tag = part.tag
        tag.all("enable_wind", "self_collide", "kinematic", "static", "must_be_base_link")
        if not flag(tag, "gravity", True):
            tag.all("gravity")[0].ignore()
        link = LinkElement(name, self._inertial(scope, part, name), source=tag.source)
        for visual in tag.all("visual"):
            place, look = self.place(scope, part, visual), look_of(visual, part.by)
            made = geometry_of(visual, part.by, self.warnings)
            if made is not None:
                link.visuals.append(LinkShape(made[0], place * made[1], look, visual.source))
        for collision in tag.all("collision"):
            place, material = self.place(scope, part, collision), self._material(collision)
            made = geometry_of(collision, part.by, self.warnings)
            if made is not None:
                shape = LinkShape(made[0], place * made[1], GREY, collision.source, material)
                link.collisions.append(shape)
        return link

    def place(self, scope: Scope, part: Part, tag: Tag) -> Pose:
        """X_LS of an element in a link.

        Raises:
            SceneError: a number is none.
        """
        pose = tag.first("pose")
        if pose is None:
            return Pose()
        placed = Placed(pose_of(pose, self.warnings), frame_of(pose, part.by))
        return self.inside(scope, part, placed)

    def _material(self, collision: Tag) -> str:
        surface = surface_of(collision)
        name = self.default_material if surface == PLAIN else surface.name
        if surface != PLAIN or name:
            self.surfaces.setdefault(name, surface)
        return name

    def _inertial(self, scope: Scope, part: Part, link: str) -> Inertial | None:
        """Without a tag 1 kg and 1 kg·m² about each axis."""
        tag = part.tag.first("inertial")
        if tag is None:
            return Inertial(1.0, UNIT, source=part.tag.source)
        place = self.place(scope, part, tag)
        if tag.attribute("auto").lower() in TRUE:
            return Inertial(0.0, NONE, place, tag.source, density=self._density(part.tag, tag))
        mass = finite(tag, "mass", 1.0)
        if not 0.0 < mass < HEAVIEST:
            self._warn(tag, f'mass {mass:g} of link "{link}"', "it has none")
            return None
        tensor = tag.first("inertia")
        if tensor is None:
            return Inertial(mass, UNIT, place, tag.source)
        xx, yy, zz = (finite(tensor, name, 1.0) for name in ("ixx", "iyy", "izz"))
        xy, xz, yz = (finite(tensor, name, 0.0) for name in ("ixy", "ixz", "iyz"))
        inertia = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
        if not is_possible_inertia(inertia):
            self._warn(tensor, f'inertia of link "{link}" is not positive definite', "that of its collisions")
            inertia = NONE
        return Inertial(mass, inertia, place, tag.source)

    def _density(self, link: Tag, inertial: Tag) -> float:
        """Of a link whose inertia is that of its collisions; where they differ that of the first."""
        usual = finite(inertial, "density", WATER, 0.0)
        densities = [finite(each, "density", usual, 0.0) for each in link.all("collision")]
        return densities[0] if densities else usual

    def _warn(self, tag: Tag, found: str, used: str) -> None:
        self.warnings.append(Mistake(*tag.source, found, used))
