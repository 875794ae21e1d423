"""Pose of the Viewpoint while it follows a solid (Webots reference, Viewpoint)."""

from __future__ import annotations

from sim_core.base.geometry import Pose, Vec3, add, cross, norm, normalized, subtract
from sim_core.base.ids import NodeId
from sim_core.engines.world_view import World
from sim_core.model.surroundings import MOUNTED, PAN_AND_TILT, TRACKING, Viewpoint

DIGITS = 6
KINDS = (TRACKING, MOUNTED, PAN_AND_TILT)


def viewpoint_pose(world: World) -> Pose:
    """Return the present pose X_WV of the Viewpoint: it looks along x, z is up."""
    return followed_pose(world, world.model.surroundings.viewpoint)


def followed_pose(world: World, view: Viewpoint) -> Pose:
    """Return the pose X_WV of a Viewpoint for the present poses of the solids.

    A `Tracking Shot` is translated as the solid in `follow` has been since the start, a `Mounted Shot` moves
    as if it were fixed to the solid, and a `Pan and Tilt Shot` rotates towards the solid. `followSmoothness`
    is ignored: the camera is where it would come to rest.
    """
    if view.follow is None or view.how == "None":
        return view.pose
    now = world.frame(view.follow).pose()
    if view.how == PAN_AND_TILT:
        return looking_at(view.pose, now)
    if now == view.start:
        return view.pose
    if view.how == MOUNTED:
        return now * view.start.inverse() * view.pose
    shifted = add(now.position, subtract(view.pose.position, view.start.position))
    return Pose(shifted, view.pose.rotation)


def viewpoint_field_pose(world: World, view: Viewpoint, wanted: Pose) -> Pose:
    """Return the pose in the fields of a Viewpoint for which `followed_pose` returns the pose X_WV now.

    The rotation of a `Pan and Tilt Shot` depends on the solid alone.
    """
    if view.follow is None or view.how not in (TRACKING, MOUNTED):
        return wanted
    now = world.frame(view.follow).pose()
    if view.how == MOUNTED:
        return view.start * now.inverse() * wanted
    shift = subtract(now.position, view.start.position)
    return Pose(subtract(wanted.position, shift), wanted.rotation)


def looking_at(eye: Pose, target: Pose) -> Pose:
    """Return a pose at the same position that looks at a target, with z up; the pose itself if that is
    undefined."""
    ahead = subtract(target.position, eye.position)
    side = cross((0.0, 0.0, 1.0), ahead)
    if norm(ahead) == 0.0 or norm(side) < 1e-9 * norm(ahead):
        return eye
    x, y = normalized(ahead), normalized(side)
    z = cross(x, y)
    return Pose(eye.position, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))


class FollowTrack:
    """Recorded poses of the followed solid, without repetitions.

    Attributes:
        name: name of the first followed solid; empty: none.
        kinds: how it is followed, one for each period in which one solid is followed in one way.
        poses: rows (second, number of the kind, x, y, z, and a quaternion w, x, y, z).
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._solid: NodeId | None = None
        self.name = ""
        self.kinds: list[str] = []
        self.poses: list[list[float]] = []

    def record(self, second: float) -> None:
        """Record the present pose."""
        view = self._world.model.surroundings.viewpoint
        solid = view.follow if view.how in KINDS else None
        if solid is not None:
            if solid != self._solid or view.how != self.kinds[-1]:
                self.kinds.append(view.how)
                self.name = self.name or self._world.model.solid(solid).name
            row = [float(len(self.kinds) - 1), *_numbers(self._world.frame(solid).pose())]
            if not self.poses or self.poses[-1][1:] != row:
                self.poses.append([round(second, DIGITS), *row])
        self._solid = solid


def pan_and_tilt_target(world: World) -> Vec3 | None:
    """Return the position of the solid towards which the Viewpoint rotates, m; None if it does not."""
    view = world.model.surroundings.viewpoint
    if view.how != PAN_AND_TILT or view.follow is None:
        return None
    return world.frame(view.follow).pose().position


def _numbers(pose: Pose) -> list[float]:
    x, y, z, w = pose.quaternion
    return [round(each, DIGITS) + 0.0 for each in (*pose.position, w, x, y, z)]
