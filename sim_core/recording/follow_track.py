"""Where what the Viewpoint follows goes, second by second of an animation."""

from __future__ import annotations

from typing import Any

from sim_core.base.geometry import Pose
from sim_core.recording.filmed import Filmed
from sim_core.recording.follow import followed
from sim_core.scene import Node

DIGITS = 6
KINDS = ("Tracking Shot", "Mounted Shot", "Pan and Tilt Shot")


class FollowTrack:
    """The poses of the followed solid, each when it differs from the one before.

    Attributes:
        name: what is followed first; empty: nothing.
        kinds: how, one for each stretch in which one solid is followed in one way.
        poses: rows (second, number of the kind, x, y, z, and a quaternion w, x, y, z).
    """

    def __init__(self, sim: Filmed) -> None:
        self._sim = sim
        self._asked: tuple[str, str] = ("", "")
        self._solid: Node | None = None
        self.name = ""
        self.kinds: list[str] = []
        self.poses: list[list[float]] = []

    def forget(self) -> None:
        """The world has changed: look for the solid anew."""
        self._asked = ("", "")

    def look(self, second: float) -> None:
        """Note where it is now."""
        node = next((node for node in self._sim.scene.nodes if node.type_name == "Viewpoint"), None)
        asked = (node["follow"], node["followType"]) if node is not None else ("", "")
        if asked != self._asked:
            self._asked = asked
            self._turn_to(*asked)
        if self._solid is not None:
            row = [float(len(self.kinds) - 1), *_numbers(self._sim.physics.frame(self._solid).pose())]
            if not self.poses or self.poses[-1][1:] != row:
                self.poses.append([round(second, DIGITS), *row])

    def _turn_to(self, path: str, kind: str) -> None:
        solid = followed(self._sim.scene, path) if path and kind in KINDS else None
        if solid is not None and (solid is not self._solid or kind != self.kinds[-1]):
            self.kinds.append(kind)
            self.name = self.name or str(solid["name"])
        self._solid = solid


def pan_and_tilt_target(sim: Filmed, viewpoint: Node | None) -> Any:
    """The solid's place, m, if the Viewpoint turns to one; else None."""
    if viewpoint is None or viewpoint["followType"] != "Pan and Tilt Shot" or not viewpoint["follow"]:
        return None
    solid = followed(sim.scene, viewpoint["follow"])
    return None if solid is None else sim.physics.frame(solid).pose().position


def _numbers(pose: Pose) -> list[float]:
    x, y, z, w = pose.quaternion
    return [round(each, DIGITS) + 0.0 for each in (*pose.position, w, x, y, z)]
