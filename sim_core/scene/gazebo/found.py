"""What sensors and plugins of Gazebo say of a robot, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sim_core.scene.node import Source

LAYOUT = "gazebo"
"""Of the names on ROS: those that Gazebo gives its topics where files give none."""

Names = Sequence[str] | None
"""Of the joints of a robot that can move, in file order; None: it is not known which there are."""
STRONGEST, FASTEST = 1e6, 1e3
"""N·m or N, rad/s or m/s: limits of a joint that is to have none, for Gazebo sets its velocity."""


class RobotSetting(NamedTuple):
    """A parameter of a robot.

    Attributes:
        device: of which it is one; `diff_drive`, `ackermann` or `mecanum`: of how the robot drives; empty: of
            the robot itself.
        name, value: of the parameter. In a text `{world}` and `{robot}` stand for the names of these.
        source: where it stands.
        layout: it counts only where names on ROS have this layout; empty: everywhere.
    """

    device: str
    name: str
    value: object
    source: Source
    layout: str = ""


class Rotor(NamedTuple):
    """What pushes a joint's link with its speed: k·ω² along the link's z axis, and turns its parent back.

    Attributes:
        joint: name.
        thrust: k in N·s².
        torque: of ω², N·m·s², against the z axis.
        motor: fields of the motor that is told ω in rad/s.
        is_along_joint: it pushes along the axis of the joint in place of the link's z axis.
    """

    joint: str
    thrust: float
    torque: float
    motor: dict[str, object]
    source: Source
    is_along_joint: bool = False


@dataclass
class PluginsFound:
    """What the plugins of a robot say.

    Attributes:
        settings: of the robot.
        motors: the joints that have a motor, by name, with fields of it.
        rotors: by their numbers in commands; thrusters: those that have no number.
        robot: fields of the robot's node.
    """

    settings: list[RobotSetting] = field(default_factory=list)
    motors: dict[str, dict[str, object]] = field(default_factory=dict)
    rotors: dict[int, Rotor] = field(default_factory=dict)
    thrusters: list[Rotor] = field(default_factory=list)
    robot: dict[str, object] = field(default_factory=dict)

    def set(self, device: str, name: str, value: object, source: Source, layout: str = "") -> None:
        """Have a parameter; the first of a name counts."""
        if all((each.device, each.name, each.layout) != (device, name, layout) for each in self.settings):
            self.settings.append(RobotSetting(device, name, value, source, layout))

    def drive_by(self, joint: str, **fields: object) -> None:
        """Let a joint have a motor with these fields."""
        self.motors.setdefault(joint, {}).update(fields)
