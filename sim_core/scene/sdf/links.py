"""`<link>`: masses, visuals, collisions, lights."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import atan2

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.geometry import Pose, Vec3, cross, dot, is_possible_inertia, multiply, rotate, rotate_back
from sim_core.scene.gazebo.found import FluidForce
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.robot_description import GREY, Inertial, LinkElement, LinkShape
from sim_core.scene.sdf.frames import Frames
from sim_core.scene.sdf.joints import axis_in_scope
from sim_core.scene.sdf.link_forces import added_mass
from sim_core.scene.sdf.materials import appearance_of
from sim_core.scene.sdf.scopes import Element, Scope, WrittenPose, frame_of
from sim_core.scene.sdf.shapes import geometry_of
from sim_core.scene.sdf.surfaces import PLAIN, Friction, surface_of
from sim_core.scene.sdf.values import TRUE, finite, flag, pose_of

UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
NONE = (0.0,) * 9
WATER = 1000.0
"""Density in kg/m³ of a link that does not set one."""
HEAVIEST = 1e12
DIGITS = 9
"""Decimal digits of directions and angles of friction."""

UP: Vec3 = (0.0, 0.0, 1.0)
EXPRESSED_IN = ("expressed_in", "gz:expressed_in", "ignition:expressed_in")


@dataclass
class LinkReader:
    """Reads links.

    Attributes:
        warnings: receives a line for each part that is left out.
        frames: resolves the poses.
        default_material: name of the contact material of surfaces without values.
        surfaces: surfaces found so far, by material name.
        wind: fields of the Wind of links; empty: there is none.
    """

    warnings: list[SceneError]
    frames: Frames
    default_material: str = ""
    surfaces: dict[str, Friction] = field(default_factory=dict)
    wind: dict[str, object] = field(default_factory=dict)

    def read_link(self, name: str, scope: Scope, part: Element, has_wind: bool = False) -> LinkElement:
        """Read a link, which gets this name; `has_wind`: the wind acts on its model.

        Raises:
            SceneError: a number in it is invalid.
        """
        tag = part.tag
        tag.all("self_collide", "kinematic", "static", "must_be_base_link")
        inertial = self._inertial(scope, part, name)
        if inertial is not None:
            inertial = replace(inertial, falls=flag(tag, "gravity", True))
        link = LinkElement(name, inertial, source=tag.source, fluid_forces=added_mass(tag, name))
        if (flag(tag, "enable_wind") or has_wind) and self.wind:
            link.fluid_forces.append(FluidForce(name, "Wind", self.wind, tag.source))
        for visual in tag.all("visual"):
            place, look = self.pose_in_link(scope, part, visual), appearance_of(visual, part.by)
            made = geometry_of(visual, part.by, self.warnings)
            if made is not None:
                link.visuals.append(LinkShape(made[0], place * made[1], look, visual.source))
        for collision in tag.all("collision"):
            place = self.pose_in_link(scope, part, collision)
            material = self._material(scope, part, collision, place)
            made = geometry_of(collision, part.by, self.warnings)
            if made is not None:
                shape = LinkShape(made[0], place * made[1], GREY, collision.source, material)
                link.collisions.append(shape)
        return link

    def pose_in_link(self, scope: Scope, part: Element, tag: Tag) -> Pose:
        """Return X_LS of an element in a link.

        Raises:
            SceneError: a number is invalid.
        """
        pose = tag.first("pose")
        if pose is None:
            return Pose()
        placed = WrittenPose(pose_of(pose, self.warnings), frame_of(pose, part.by))
        return self.frames.inside(scope, part, placed)

    def _material(self, scope: Scope, part: Element, collision: Tag, place: Pose) -> str:
        def turned(first: Tag, direction: Vec3) -> tuple[Vec3, float]:
            return self._first_direction(scope, part, place, first, direction)

        surface = surface_of(collision, turned)
        name = self.default_material if surface == PLAIN else surface.name
        if surface != PLAIN or name:
            self.surfaces.setdefault(name, surface)
        return name

    def _first_direction(
        self, scope: Scope, part: Element, place: Pose, first: Tag, direction: Vec3
    ) -> tuple[Vec3, float]:
        """Return the first friction direction of a collision, in its frame, and its rotation about the
        normal.

        If it is given in another link's frame, it does not rotate with a wheel: then it is the wheel's axle,
        rotated by the angle between both at the contact with the ground.
        """
        named = next((first.attribute(name) for name in EXPRESSED_IN if first.attribute(name)), "")
        link = self.frames.frame_pose(scope, part.name).rotation
        other = self.frames.frame_pose(scope, named).rotation if named else link
        joint = next((each for each in scope.joints.values() if each.tag.word("child") == part.name), None)
        axle = None
        if named not in ("", part.name) and joint is not None:
            axle = axis_in_scope(self.frames, scope, joint, joint.tag.first("axis"))
        if axle is None:
            in_model = (
                rotate(other, direction) if named else rotate(multiply(link, place.rotation), direction)
            )
            return rotate_back(multiply(link, place.rotation), in_model), 0.0
        wanted, up = rotate(other, direction), rotate(other, UP)
        turn = atan2(-dot(wanted, cross(up, axle)), dot(wanted, axle))
        return rotate_back(multiply(link, place.rotation), axle), turn

    def _inertial(self, scope: Scope, part: Element, link: str) -> Inertial | None:
        """Read the inertial; without a tag 1 kg and 1 kg·m² about each axis."""
        tag = part.tag.first("inertial")
        if tag is None:
            return Inertial(1.0, UNIT, source=part.tag.source)
        place = self.pose_in_link(scope, part, tag)
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
        if not is_possible_inertia(inertia, mass):
            found = f'inertia of link "{link}" is impossible for {mass:g} kg'
            self._warn(tensor, found, "that of its collisions is used")
            inertia = NONE
        return Inertial(mass, inertia, place, tag.source)

    def _density(self, link: Tag, inertial: Tag) -> float:
        """Return the density of a link whose inertia is that of its collisions; of several, the first."""
        default = finite(inertial, "density", WATER, 0.0)
        densities = [finite(each, "density", default, 0.0) for each in link.all("collision")]
        return densities[0] if densities else default

    def _warn(self, tag: Tag, found: str, used: str) -> None:
        self.warnings.append(Mistake(*tag.source, found, used))


def _rounded(direction: Vec3) -> Vec3:
    """Return a direction without rounding errors, so that equal surfaces get one name."""
    x, y, z = (round(value, DIGITS) + 0.0 for value in direction)
    return x, y, z
