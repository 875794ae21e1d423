"""`<state>`: poses saved by Gazebo Classic, where they replace the poses of models; gz-sim ignores them."""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.sdf.values import pose_of

CLASSIC = "ode"
"""The type of `<physics>` that Classic writes."""
_OF_GZ = ("gz-sim", "ignition-gazebo", "gz::", "ignition::")


def model_poses(world: Tag, warnings: list[SceneError]) -> dict[str, Pose]:
    """Return poses in the world by model name; empty: the file is not one of Classic, or has no state.

    Raises:
        SceneError: a number is invalid.
    """
    state = world.first("state")
    if state is None or not _is_classic(world):
        return {}
    poses = {}
    for model in state.all("model"):
        pose = model.first("pose")
        if pose is not None:
            poses[model.attribute("name")] = pose_of(pose, warnings)
    if poses:
        found = f"poses of models are taken from <state>, as in Gazebo Classic ({len(poses)} poses)"
        warnings.append(SceneError(*state.source, found))
    return poses


def _is_classic(world: Tag) -> bool:
    physics = world.first("physics")
    names = [
        item.fields.get("filename", "") + item.fields.get("name", "")
        for _, item in world.item.children
        if item.name == "plugin"
    ]
    of_gz = any(word in name for name in names for word in _OF_GZ)
    return physics is not None and physics.attribute("type") == CLASSIC and not of_gz
