"""Fields that Camera and RangeFinder have in common."""

from __future__ import annotations

import math

from sim_core.base.errors import SceneError
from sim_core.devices.field_checks import number_at_least, refuse
from sim_core.scene import Node
from sim_core.sensing.picture_view import LensModel

MOST_PIXELS = 8192
"""Of a side."""
PROJECTIONS = ("planar", "cylindrical", "spherical")
SMALLEST_NEAR = 1e-4
"""m; nearer than this the depths of what is seen could not be told apart."""


def size_of(node: Node) -> tuple[int, int]:
    """Width and height in pixels.

    Raises:
        DeviceError: one of them is not possible.
    """
    for field in ("width", "height"):
        if not 1 <= node[field] <= MOST_PIXELS:
            raise refuse(node, field, node[field], f"a whole number from 1 to {MOST_PIXELS}")
    return node["width"], node["height"]


def projection_of(node: Node) -> str:
    """The projection; the old field `spherical` counts where `projection` is not set.

    Raises:
        DeviceError: there is no such projection.
    """
    if node["spherical"] and not node.is_set("projection"):
        return "spherical"
    name: str = node["projection"].lower()
    if name not in PROJECTIONS:
        expected = " or ".join(f'"{each}"' for each in PROJECTIONS)
        raise refuse(node, "projection", f'"{node["projection"]}"', expected)
    return name


def angle_of(node: Node, projection: str) -> float:
    """`fieldOfView` in rad: above 0, below π for a planar projection, at most 2π for others.

    Raises:
        DeviceError: it is not.
    """
    angle: float = node["fieldOfView"]
    if projection == "planar":
        if not 0.0 < angle < math.pi:
            raise refuse(node, "fieldOfView", angle, "an angle above 0 and below π for a planar projection")
    elif not 0.0 < angle <= 2.0 * math.pi + 1e-4:
        raise refuse(node, "fieldOfView", angle, "an angle above 0 and at most 2π")
    return min(angle, 2.0 * math.pi)


def near_of(node: Node) -> float:
    """`near` in m; what is written smaller than 0.1 mm is 0.1 mm.

    Raises:
        DeviceError: it is negative, or not finite.
    """
    return max(number_at_least(node, "near", 0.0), SMALLEST_NEAR)


def lens_of(node: Node, projection: str) -> LensModel | None:
    """The lens; None: there is none, or it bends nothing.

    Raises:
        DeviceError: a value that is not possible, or the projection is not planar.
    """
    lens = node["lens"]
    if lens is None:
        return None
    centre = tuple(lens["center"])
    if not all(0.0 <= each <= 1.0 for each in centre):
        raise refuse(lens, "center", centre, "numbers from 0 to 1")
    model = LensModel(centre, tuple(lens["radialCoefficients"]), tuple(lens["tangentialCoefficients"]))
    if not any((*model.radial, *model.tangential)):
        return None
    if projection != "planar":
        raise refuse(node, "projection", f'"{projection}"', '"planar", for a lens')
    return model


WITHOUT_EFFECT = ("lensFlare", "ambientOcclusionRadius", "bloomThreshold")
"""Fields of a Camera that are not simulated."""


def fields_without_effect(node: Node) -> list[SceneError]:
    """One line about each kind of thing that a Camera's fields ask for and do not get."""
    kinds = node.node_type.fields
    asked = [name for name in WITHOUT_EFFECT if node[name] not in (kinds[name].default, None)]
    found = []
    if asked:
        what = f"{node.type_name}.{', '.join(asked)}"
        found.append(SceneError(*node.source, what, "nothing: not simulated yet"))
    if node["focus"] is not None and projection_of(node) != "planar":
        what = f'{node.type_name}.focus with the projection "{projection_of(node)}"'
        found.append(SceneError(*node.source, what, '"planar": all is sharp in this picture'))
    return found
