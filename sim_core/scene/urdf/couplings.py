"""`<mimic>`: motors that follow the same commands, and motors that follow the position of another joint."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.scene.robot_description import JointElement, Limit, RobotDescription

SEPARATOR = "::"


class Coupling(NamedTuple):
    """Relation of a motor to its leader; the limits are those of the whole group.

    Attributes:
        name: name common to motors with the same commands; empty: it follows a position.
        follows: joint whose position it follows; empty: it follows commands.
        offset: offset of its position.
    """

    name: str = ""
    multiplier: float = 1.0
    limit: Limit | None = None
    ends: tuple[float, float] | None = None
    follows: str = ""
    offset: float = 0.0


def couplings(
    model: RobotDescription, warnings: list[SceneError], has_motor: Callable[[JointElement], bool]
) -> dict[str, Coupling]:
    """Return the couplings of joints that mimic others, and of those others, by joint name.

    If the leader has a motor, and there is no offset, both follow the same commands; else the follower has
    a motor that keeps it at the position given by the leader. A mimic with the multiplier 0 is ignored with a
    warning.
    """
    found: dict[str, Coupling] = {}
    for joint in model.joints.values():
        if joint.mimic is None:
            continue
        leader = model.joints[joint.mimic.joint]
        factor = joint.mimic.multiplier
        reason = ""
        if factor == 0.0:
            reason = "with the multiplier 0"
        elif leader.kind == "fixed":
            reason = f'of "{leader.name}", which is fixed,'
        elif SEPARATOR in leader.name + joint.name:
            reason = f'with "{SEPARATOR}" in a name'
        if reason:
            text = f'joint "{joint.name}": a mimic {reason} is not simulated, the joint moves independently'
            warnings.append(SceneError(*joint.source, text))
            continue
        if joint.mimic.offset == 0.0 and has_motor(leader):
            found.setdefault(leader.name, Coupling(leader.name))
            found[joint.name] = _following(joint, leader, factor)._replace(name=leader.name)
        else:
            offset = joint.mimic.offset
            following = _following(joint, leader, factor, offset)
            found[joint.name] = following._replace(follows=leader.name, offset=offset)
    return found


def _following(joint: JointElement, leader: JointElement, factor: float, offset: float = 0.0) -> Coupling:
    limit = leader.limit
    if limit is None:
        return Coupling(multiplier=factor)
    low, high = sorted((limit.lower * factor + offset, limit.upper * factor + offset))
    velocity = (limit.velocity or 10.0) * abs(factor)
    effort = joint.limit.effort if joint.limit is not None else limit.effort
    return Coupling("", factor, Limit(low, high, effort, velocity), (low, high))
