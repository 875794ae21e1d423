"""gz-sim's Buoyancy of a world, uniform or in layers, as Fluid and ImmersionProperties without drag.

Each link has the buoyancy ρ·V·g at the centre of the volume V of its collisions; in layers each part of the
volume has the density of its layer. Layers are overlapping fluids here: each reaches up to its top, and its
density is the difference to the layer above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sim_core.base.errors import SceneError
from sim_core.scene.gazebo.tags import GazeboTags, Tag
from sim_core.scene.node import Node
from sim_core.scene.sdf.scopes import SEPARATOR
from sim_core.scene.sdf.values import finite
from sim_core.scene.x3d.scenery_item import Item

WATER = 1000.0
"""Density of water, kg/m³."""
DENSEST = 1e8
"""Largest density that is accepted, kg/m³."""
HIGHEST = 1e6
"""Top in m of a fluid that is everywhere."""
SUPPORTED = ("Box", "Capsule", "Cylinder", "Sphere")
"""Collision shapes whose volume below a surface can be computed."""


@dataclass
class Buoyancy:
    """Fluids of a world.

    Attributes:
        fluids: Fluid nodes.
        enabled: beginnings of the names `model::nested::link::` of links with buoyancy; empty: all links.
        without: collisions without buoyancy, because their type is not in `SUPPORTED`.
    """

    fluids: list[Node] = field(default_factory=list)
    enabled: tuple[str, ...] = ()
    without: list[Node] = field(default_factory=list)

    def immerse(self, node: Node, model: str, root: str) -> None:
        """Give the solids of a model buoyancy.

        Args:
            node: top node of the model.
            model: its name in the world.
            root: name of the link of the top node.
        """
        for solid in node.walk() if self.fluids else ():
            owner = _link_of(solid)  # collisions of another material are in a solid fixed to their link
            if owner is not None and solid["boundingObject"] is not None:
                link = root if owner is node else owner["name"]
                if self._is_enabled(f"{model}{SEPARATOR}{link.replace('/', SEPARATOR)}"):
                    solid["immersionProperties"] = [
                        Node.create("ImmersionProperties", fluidName=each["name"]) for each in self.fluids
                    ]
                    bounds = solid["boundingObject"].walk()
                    self.without += [
                        each for each in bounds if each.is_a("Geometry") and not _is_supported(each)
                    ]

    def _is_enabled(self, link: str) -> bool:
        return not self.enabled or any(f"{link}{SEPARATOR}".startswith(each) for each in self.enabled)

    def warnings(self) -> list[SceneError]:
        """Return one warning about collisions without buoyancy, if there are any."""
        if not self.without:
            return []
        kinds = ", ".join(sorted({each.type_name for each in self.without}))
        found = f"no buoyancy of {len(self.without)} collisions: {kinds}"
        return [SceneError(*self.without[0].source, found, f"one of {', '.join(SUPPORTED)}")]


def _link_of(solid: Node) -> Node | None:
    """Return the link that moves a solid; None: it is no solid, or nothing moves it."""
    if not solid.is_a("Solid"):
        return None
    solids = (each for each in (solid, *solid.ancestors()) if each.is_a("Solid"))
    return next((each for each in solids if each["physics"] is not None), None)


def _is_supported(geometry: Node) -> bool:
    return geometry.type_name in SUPPORTED


def buoyancy_of(plugins: GazeboTags) -> Buoyancy:
    """Read the buoyancy plugins of a world.

    Raises:
        SceneError: a number is invalid.
    """
    for _, item in plugins.inside("plugin"):
        if _is_buoyancy(item):
            tag = plugins.claim(item)
            enabled = tuple(f"{each.text}{SEPARATOR}" for each in tag.all("enable"))
            return Buoyancy(list(_fluids(tag)), enabled)
    return Buoyancy()


def _is_buoyancy(item: Item) -> bool:
    name, file = item.fields.get("name", ""), item.fields.get("filename", "")
    return name.endswith("::Buoyancy") or "buoyancy-system" in file


def _fluids(tag: Tag) -> Iterator[Node]:
    """Yield the fluids, the densest first; a layer less dense than the one above is listed as without
    effect."""
    graded = tag.first("graded_buoyancy")
    if graded is None:
        yield _fluid("fluid", finite(tag, "uniform_fluid_density", WATER, 0.0, DENSEST), HIGHEST)
        return
    layers = [
        (
            finite(each, "above_depth", 0.0, -HIGHEST, HIGHEST),
            finite(each, "density", WATER, 0.0, DENSEST),
            each,
        )
        for each in graded.all("density_change")
    ]
    layers.sort(key=lambda layer: layer[0])
    below = finite(graded, "default_density", WATER, 0.0, DENSEST)
    for number, (bottom, density, change) in enumerate(layers):
        if density > below:
            change.ignore()
            continue
        yield _fluid(f"fluid_{number + 1}", below - density, bottom)
        below = density
    yield _fluid("fluid", below, HIGHEST)


def _fluid(name: str, density: float, top: float) -> Node:
    """Return a fluid below a level, without limits to the sides."""
    return Node.create(
        "Fluid",
        name=name,
        density=density,
        viscosity=0.0,
        translation=(0.0, 0.0, top),
        boundingObject=Node.create("Plane"),
    )
