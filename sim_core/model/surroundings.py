"""Surroundings of a scene: background, fog and Viewpoint."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.model.appearance import Rgb
from sim_core.model.frames import view_of
from sim_core.model.solids import pose_at_start
from sim_core.scene.meshes.node_files import IRRADIANCE, SKY, FileReference, file_of
from sim_core.scene.node import NO_SOURCE, Node, Source
from sim_core.scene.scene import Scene

PAN_AND_TILT, MOUNTED, TRACKING = "Pan and Tilt Shot", "Mounted Shot", "Tracking Shot"
"""Ways in which a Viewpoint follows a solid."""
_PART = re.compile(r"(?:\\.|[^:\\])+")


class Background(NamedTuple):
    """Background node.

    Attributes:
        colour: of the sky; None: not given.
        luminosity: factor of its light.
        pictures: of the sides of a cube: front, back, left, right, top, bottom; empty: not all six are given.
        irradiance: pictures of its light, likewise.
    """

    colour: Rgb | None
    luminosity: float
    pictures: tuple[FileReference, ...]
    irradiance: tuple[FileReference, ...] = ()


class Fog(NamedTuple):
    """Fog node with a positive visibility range.

    Attributes:
        kind: increase with distance: LINEAR, EXPONENTIAL or EXPONENTIAL2.
        visibility: m, above 0.
        colour: of everything farther away.
    """

    kind: str
    visibility: float
    colour: Rgb


class Viewpoint(NamedTuple):
    """Viewpoint node; the default values are those of a world without one.

    Attributes:
        pose: X_WV without following: it looks along x, z is up.
        field_of_view: rad, of the longer side of a picture.
        near, far: clipping distances, m; far 0: no limit.
        exposure: factor of all light.
        occlusion: range of ambient occlusion in high-quality pictures, m; 0: none.
        follow: the solid that it follows; None: none.
        how: one of the ways above, or "None".
        start: X_WS of that solid in the scene.
        source: place of the node.
    """

    pose: Pose = Pose((-10.0, 0.0, 0.0))
    field_of_view: float = math.pi / 4.0
    near: float = 0.05
    far: float = 0.0
    exposure: float = 1.0
    occlusion: float = 2.0
    follow: NodeId | None = None
    how: str = "None"
    start: Pose = Pose()
    source: Source = NO_SOURCE


class Surroundings(NamedTuple):
    """Surroundings of a scene; None: there is none, or it is invisible."""

    background: Background | None
    fog: Fog | None
    viewpoint: Viewpoint


def surroundings_of(scene: Scene) -> Surroundings:
    """Return the first node of each kind in a scene, as they are now."""
    nodes: dict[str, Node] = {}
    for node in scene.walk():
        if node.type_name in ("Background", "Fog"):
            nodes.setdefault(node.type_name, node)
    return Surroundings(
        _background(nodes["Background"]) if "Background" in nodes else None,
        _fog(nodes["Fog"]) if "Fog" in nodes else None,
        viewpoint_of(scene, viewpoint_node(scene)),
    )


def followed(scene: Scene, path: str) -> Node | None:
    """Return the solid at the end of `name:name:name`, each a Solid below the previous one; None: none.

    A backslash precedes a colon or a backslash that is part of a name.
    """
    wanted = [re.sub(r"\\(.)", r"\1", part) for part in _PART.findall(path)]
    for node in scene.walk():
        if node.is_a("Solid") and node["name"] == (wanted[-1] if wanted else None):
            names = [above["name"] for above in node.ancestors() if above.is_a("Solid")][::-1]
            if [*names, node["name"]] == wanted:
                return node
    return None


def _background(node: Node) -> Background:
    return Background(
        node["skyColor"][0] if node["skyColor"] else None,
        node["luminosity"],
        _sides(node, SKY),
        _sides(node, IRRADIANCE),
    )


def _sides(node: Node, fields: Sequence[str]) -> tuple[FileReference, ...]:
    return tuple(file_of(node, field) for field in fields) if all(node[field] for field in fields) else ()


def _fog(node: Node) -> Fog | None:
    visibility = node["visibilityRange"]
    return Fog(node["fogType"], visibility, node["color"]) if visibility > 0.0 else None


def viewpoint_node(scene: Scene) -> Node | None:
    """Return the first Viewpoint, or None."""
    return next((node for node in scene.nodes if node.type_name == "Viewpoint"), None)


def viewpoint_of(scene: Scene, node: Node | None) -> Viewpoint:
    """Return the record of a Viewpoint as it is now; of None the default."""
    if node is None:
        return Viewpoint()
    solid = followed(scene, node["follow"]) if node["follow"] else None
    return Viewpoint(
        view_of(node),
        node["fieldOfView"],
        node["near"],
        node["far"],
        node["exposure"],
        node["ambientOcclusionRadius"],
        solid.id if solid is not None else None,
        node["followType"],
        pose_at_start(solid) if solid is not None else Pose(),
        node.source,
    )
