"""`<mimic>`: which motors follow which."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.scene.robot_description import JointElement, Limit, RobotDescription

SEPARATOR = "::"


class Coupling(NamedTuple):
    """What a motor's coupling is called and how it follows; the limits go with those of its leader."""

    name: str
    multiplier: float = 1.0
    limit: Limit | None = None
    ends: tuple[float, float] | None = None


def couplings(
    model: RobotDescription, warnings: list[SceneError], has_motor: Callable[[JointElement], bool]
) -> dict[str, Coupling]:
    """The joints that mimic others, and those others, by name.

    A mimic with an offset, of a joint without motor, or with the multiplier 0 is none: a warning says so.
    """
    found: dict[str, Coupling] = {}
    for joint in model.joints.values():
        if joint.mimic is None:
            continue
        leader = model.joints[joint.mimic.joint]
        factor = joint.mimic.multiplier
        reason = ""
        if joint.mimic.offset != 0.0:
            reason = "with an offset"
        elif factor == 0.0:
            reason = "with the multiplier 0"
        elif not has_motor(leader):
            reason = f'of "{leader.name}", which has no motor,'
        elif SEPARATOR in leader.name + joint.name:
            reason = f'with "{SEPARATOR}" in a name'
        if reason:
            text = f'joint "{joint.name}": a mimic {reason} is not simulated, the joint moves by itself'
            warnings.append(SceneError(*joint.source, text))
            continue
        found.setdefault(leader.name, Coupling(leader.name))
        found[joint.name] = _following(joint, leader, factor)
    return found


def _following(joint: JointElement, leader: JointElement, factor: float) -> Coupling:
    limit = leader.limit
    if limit is None:
        return Coupling(leader.name, factor)
    low, high = sorted((limit.lower * factor, limit.upper * factor))
    velocity = (limit.velocity or 10.0) * abs(factor)
    effort = joint.limit.effort if joint.limit is not None else limit.effort
    return Coupling(leader.name, factor, Limit(low, high, effort, velocity), (low, high))
