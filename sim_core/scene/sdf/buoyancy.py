"""gz-sim's Buoyancy of a world, uniform or in layers, as Fluid and ImmersionProperties without any drag.

Each link is lifted by ρ·V·g at the centre of the volume V of its collisions; in layers each part of the
volume has the density of its layer. A layer is made of two fluids here: one up to its top, of the density by
which it is denser than what is above, in all that is above.
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
"""kg/m³"""
DENSEST = 1e8
"""kg/m³"""
HIGHEST = 1e6
"""m: top of what is everywhere."""
LIFTED = ("Box", "Capsule", "Cylinder", "Sphere")
"""Collisions whose volume under a surface is known."""


@dataclass
class Buoyancy:
    """The fluids of a world.

    Attributes:
        fluids: their nodes.
        enabled: beginnings of the names `model::nested::link::` of what is lifted; empty: all.
        without: collisions that are not lifted, for they are none of `LIFTED`.
    """

    fluids: list[Node] = field(default_factory=list)
    enabled: tuple[str, ...] = ()
    without: list[Node] = field(default_factory=list)

    def immerse(self, node: Node, model: str, root: str) -> None:
        """Let the solids of a model be lifted.

        Args:
            node: the topmost.
            model: its name in the world.
            root: name of the link that it is.
        """
        for solid in node.walk() if self.fluids else ():
            if solid.is_a("Solid") and solid["physics"] is not None and solid["boundingObject"] is not None:
                link = root if solid is node else solid["name"]
                if self._is_enabled(f"{model}{SEPARATOR}{link.replace('/', SEPARATOR)}"):
                    solid["immersionProperties"] = [
                        Node.create("ImmersionProperties", fluidName=each["name"]) for each in self.fluids
                    ]
                    bounds = solid["boundingObject"].walk()
                    self.without += [
                        each for each in bounds if each.is_a("Geometry") and not _is_lifted(each)
                    ]

    def _is_enabled(self, link: str) -> bool:
        return not self.enabled or any(f"{link}{SEPARATOR}".startswith(each) for each in self.enabled)

    def warnings(self) -> list[SceneError]:
        """One line about what is not lifted, where there is any."""
        if not self.without:
            return []
        kinds = ", ".join(sorted({each.type_name for each in self.without}))
        found = f"no buoyancy of {len(self.without)} collisions: {kinds}"
        return [SceneError(*self.without[0].source, found, f"one of {', '.join(LIFTED)}")]


def _is_lifted(geometry: Node) -> bool:
    return geometry.type_name in LIFTED


def buoyancy_of(plugins: GazeboTags) -> Buoyancy:
    """What the plugins of a world say.

    Raises:
        SceneError: a number is none.
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
    """The densest first; a layer that is less dense than what is above it is left to be named."""
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
    """A fluid below a level without end."""
    return Node.create(
        "Fluid",
        name=name,
        density=density,
        viscosity=0.0,
        translation=(0.0, 0.0, top),
        boundingObject=Node.create("Plane"),
    )
