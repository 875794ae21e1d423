"""Motors that obey no commands: they keep their joints where the positions of other joints say.

The hidden field `follows` of such a motor names a motor or position sensor of the robot. Its joint has the
position of that one, times `multiplier` and with the hidden field `offset` added, as a mimic of a joint that
has no motor. The other joint feels nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from sim_core.base.errors import SceneError
from sim_core.devices.base import Device
from sim_core.devices.field_checks import finite_number
from sim_core.engines.world_view import JointAxis

if TYPE_CHECKING:
    from sim_core.devices.motors.motor import Motor


class Following(NamedTuple):
    """A joint that is followed: multiplier·position + offset is the position of the one that follows."""

    leader: JointAxis
    multiplier: float
    offset: float

    def velocity(self, axis: JointAxis, step: float) -> float:
        """That with which a joint is, in `step` seconds, where a leader of unchanged speed will say."""
        target = self.multiplier * (self.leader.position + self.leader.velocity * step) + self.offset
        return (target - axis.position) / step


def let_follow(motors: Iterable[Motor], devices: Iterable[Device]) -> list[SceneError]:
    """Let motors follow joints of a robot with these devices; says which joints are not there."""
    warnings = []
    places = {each.name: each.spec.axis for each in devices if each.spec.axis is not None}
    for motor in motors:
        followed: str = motor.spec.own.get("follows", "")
        place = places.get(followed) if followed else None
        motor.following = None
        if place is not None:
            leader, offset = motor.world.axis(*place.key), finite_number(motor.spec, "offset")
            motor.following = Following(leader, motor.multiplier, offset)
        elif followed:
            found = f'motor "{motor.name}" follows "{followed}"'
            warnings.append(
                SceneError(*motor.spec.source, found, "a motor or a position sensor of the robot")
            )
    return warnings
