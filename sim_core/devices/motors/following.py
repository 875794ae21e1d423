"""Motors without commands, which make their joints follow other joints.

The hidden field `follows` of such a motor names a motor or position sensor of the robot. Its joint follows
that device's joint: its position is multiplier·position + offset (a hidden field), as for the tag `mimic` of
a joint whose leader has no motor. There is no reaction on the other joint.
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
    """Coupling to a leading joint: the follower's position is multiplier·position + offset."""

    leader: JointAxis
    multiplier: float
    offset: float

    def velocity(self, axis: JointAxis, step: float) -> float:
        """Return the velocity that leads to the coupled position in `step` s if the leader keeps its own."""
        target = self.multiplier * (self.leader.position + self.leader.velocity * step) + self.offset
        return (target - axis.position) / step


def couple_followers(motors: Iterable[Motor], devices: Iterable[Device]) -> list[SceneError]:
    """Couple motors to the joints that they follow; return a warning for each missing joint."""
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
