"""Where the Viewpoint is while it follows a solid (Webots reference, Viewpoint)."""

from __future__ import annotations

import re
from typing import Protocol

from sim_core.base.geometry import Pose, add, cross, norm, normalized, subtract
from sim_core.model.frames import pose_of, view_of
from sim_core.scene import Node, Scene
from sim_core.sensing.raycast.frames import Frame

DEFAULT = Pose((-10.0, 0.0, 0.0))
"""Without a Viewpoint: from the west, looking east."""
_PART = re.compile(r"(?:\\.|[^:\\])+")


class World(Protocol):
    """Knows where solids are."""

    def frame(self, node: Node) -> Frame:
        """The frame of a solid."""


def viewpoint_pose(scene: Scene, world: World) -> Pose:
    """X_WV of the Viewpoint now: it looks along x, z is up.

    A `Tracking Shot` shifts it as the solid that `follow` names has been shifted since the start, a `Mounted
    Shot` carries it along as if it were fixed to the solid, and a `Pan and Tilt Shot` turns it to the solid.
    `followSmoothness` is not used: the camera is where it would come to rest.
    """
    node = next((node for node in scene.nodes if node.type_name == "Viewpoint"), None)
    if node is None:
        return DEFAULT
    own = view_of(node)
    solid = followed(scene, node["follow"]) if node["follow"] else None
    if solid is None or node["followType"] == "None":
        return own
    now = world.frame(solid).pose()
    if node["followType"] == "Pan and Tilt Shot":
        return turned_to(own, now)
    start = pose_at_start(solid)
    if node["followType"] == "Mounted Shot":
        return now * start.inverse() * own
    shifted = add(own.position, subtract(now.position, start.position))
    return Pose(shifted, own.rotation)


def followed(scene: Scene, path: str) -> Node | None:
    """The solid at the end of `name:name:name`, each a Solid below the one before; None: there is none.

    A backslash stands before a colon or a backslash that is part of a name.
    """
    wanted = [re.sub(r"\\(.)", r"\1", part) for part in _PART.findall(path)]
    for node in scene.walk():
        if node.is_a("Solid") and node["name"] == (wanted[-1] if wanted else None):
            names = [above["name"] for above in node.ancestors() if above.is_a("Solid")][::-1]
            if [*names, node["name"]] == wanted:
                return node
    return None


def pose_at_start(solid: Node) -> Pose:
    """X_WS of a solid as its fields say."""
    pose = Pose()
    for node in (solid, *solid.ancestors()):
        if node.is_a("Pose"):
            pose = pose_of(node) * pose
    return pose


def turned_to(eye: Pose, target: Pose) -> Pose:
    """The same place, looking at a target with z as far up as it goes; as it was if it stands on it."""
    ahead = subtract(target.position, eye.position)
    side = cross((0.0, 0.0, 1.0), ahead)
    if norm(ahead) == 0.0 or norm(side) < 1e-9 * norm(ahead):
        return eye
    x, y = normalized(ahead), normalized(side)
    z = cross(x, y)
    return Pose(eye.position, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))
