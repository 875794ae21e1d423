"""`<link>`: inertial, visuals with their materials, collisions."""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.base.inertia import is_possible_inertia
from sim_core.scene.urdf.elements import length_of, name_of, number_of, origin_of, required
from sim_core.scene.urdf.model import Geometry, Inertial, Link, Rgba, Shape
from sim_core.scene.x3d.scenery_item import Item

NO_INERTIA = (0.0,) * 9
_KINDS = ("box", "sphere", "cylinder", "capsule", "mesh")


class Materials:
    """The colours and textures that have names."""

    def __init__(self, warnings: list[SceneError]) -> None:
        self._warnings = warnings
        self._known: dict[str, tuple[Rgba | None, str]] = {}

    def define(self, item: Item) -> None:
        """Take in a `<material>` of the robot.

        Raises:
            SceneError: it has no name, or its colour is none.
        """
        self._known[name_of(item)] = _look(item)

    def of(self, visual: Item) -> tuple[Rgba | None, str]:
        """Colour and picture file of a visual."""
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
            self._warnings.append(SceneError(*item.source, f'material "{name}" is defined nowhere: grey'))
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


def read_link(item: Item, materials: Materials, warnings: list[SceneError]) -> Link:
    """A link.

    Raises:
        SceneError: a part of it is wrong.
    """
    link = Link(name_of(item), source=item.source)
    for _, part in item.children:
        if part.name == "inertial":
            link.inertial = _inertial(part, link.name, warnings)
        elif part.name == "visual":
            colour, texture = materials.of(part)
            link.visuals.append(Shape(_geometry(part), origin_of(part), colour, texture, part.source))
        elif part.name == "collision":
            link.collisions.append(Shape(_geometry(part), origin_of(part), source=part.source))
    return link


def _inertial(item: Item, link: str, warnings: list[SceneError]) -> Inertial | None:
    """None for a mass of 0, which is how dummy links are written."""
    mass_item, tensor = item.first("mass"), item.first("inertia")
    if mass_item is None:
        raise SceneError(*item.source, f'inertial of link "{link}" without <mass>', "<mass value=…/>")
    mass = number_of(mass_item, "value", low=0.0)
    if mass > 1e12:
        raise mass_item.error("value", "a mass in kg")
    if mass == 0.0:
        return None
    if tensor is None:
        warnings.append(SceneError(*item.source, f'link "{link}" without <inertia>: that of its collisions'))
        return Inertial(mass, NO_INERTIA, origin_of(item), item.source)
    xx, yy, zz, xy, xz, yz = (
        number_of(tensor, name, 0.0) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    inertia = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
    if not any(inertia):
        warnings.append(SceneError(*tensor.source, f'inertia 0 of link "{link}": that of its collisions'))
    elif not is_possible_inertia(inertia) and min(xx, yy, zz) > 0.0:
        found = f'inertia of link "{link}" is not positive definite: ixy, ixz and iyz are left out'
        warnings.append(SceneError(*tensor.source, found))
        inertia = (xx, 0.0, 0.0, 0.0, yy, 0.0, 0.0, 0.0, zz)
    elif not is_possible_inertia(inertia):
        found = f'inertia of link "{link}" ixx {xx:g} iyy {yy:g} izz {zz:g} ixy {xy:g} ixz {xz:g} iyz {yz:g}'
        raise SceneError(*tensor.source, found, "a positive definite matrix")
    return Inertial(mass, inertia, origin_of(item), item.source)


def _geometry(item: Item) -> Geometry:
    holder = item.first("geometry")
    shape = holder.first(*_KINDS) if holder is not None else None
    if shape is None:
        other = holder.children[0][1].name if holder is not None and holder.children else "no geometry"
        raise SceneError(*(holder or item).source, f"{item.name} with {other}", "one of " + ", ".join(_KINDS))
    if shape.name == "box":
        required(shape, "size")
        size = tuple(shape.numbers("size", 3) or ())
        if not all(0.0 < length < 1e9 for length in size):
            raise shape.error("size", "3 lengths in m above 0")
        return Geometry("box", size)
    if shape.name == "sphere":
        return Geometry("sphere", (length_of(shape, "radius"),))
    if shape.name == "mesh":
        x, y, z = shape.numbers("scale", 3) or (1.0, 1.0, 1.0)
        if 0.0 in (x, y, z):
            raise shape.error("scale", "3 numbers that are not 0")
        return Geometry("mesh", (x, y, z), required(shape, "filename"))
    return Geometry(shape.name, (length_of(shape, "radius"), length_of(shape, "length")))
