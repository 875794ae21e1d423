"""Records of the sensors and plugins of Gazebo on a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.node import Source
from sim_core.scene.wbt.lexer import quoted

LAYOUT = "gazebo"
"""The layout of ROS names in which topics without a name get Gazebo's default names."""

Names = Sequence[str] | None
"""Names of the movable joints of a robot, in file order; None: not known."""
STRONGEST, FASTEST = 1e6, 1e3
"""Limits in N·m or N, rad/s or m/s of a joint without limits: Gazebo sets its velocity."""


class RobotSetting(NamedTuple):
    """A parameter of a robot.

    Attributes:
        device: name of the device; `diff_drive`, `ackermann` or `mecanum`: the drive of the robot; empty:
            the robot itself.
        name, value: of the parameter. `{world}` and `{robot}` in a text are replaced by their names.
        source: place in the file.
        layout: it applies only to this layout of ROS names; empty: to all.
    """

    device: str
    name: str
    value: object
    source: Source
    layout: str = ""


class Rotor(NamedTuple):
    """A propeller: thrust k·ω² along the z axis of the joint's link, with a reaction torque on its parent.

    Attributes:
        joint: name.
        thrust: k in N·s².
        torque: torque coefficient in N·m·s², about the negative z axis.
        motor: fields of the motor that is commanded with ω in rad/s.
        is_along_joint: the thrust is along the axis of the joint instead of the link's z axis.
    """

    joint: str
    thrust: float
    torque: float
    motor: dict[str, object]
    source: Source
    is_along_joint: bool = False


class FluidForce(NamedTuple):
    """A force of air or water on a link: a node in the field `fluidForces` of its Physics.

    Attributes:
        link: name.
        type_name, fields: of the node.
    """

    link: str
    type_name: str
    fields: dict[str, object]
    source: Source


FARTHEST, WIDEST = 1e9, 3.14169
"""Tolerances in m and rad of Connectors that attach in any pose."""


class Detachable(NamedTuple):
    """A fixed joint to another model that can be opened and closed.

    Attributes:
        device: name of its Connector on `parent`, a link.
        model, link: names of the other model and of its link.
    """

    device: str
    parent: str
    model: str
    link: str
    source: Source

    def key(self, robot: str) -> str:
        """Return the field `model` of its Connectors, which no other joint has."""
        return f"{robot}/{self.device}"

    def fields(self, robot: str) -> str:
        """Return the text of the other fields of the Connector on `parent`."""
        return (
            f'type "active" model {quoted(self.key(robot))} isLocked TRUE detachable TRUE snap FALSE '
            f"distanceTolerance {FARTHEST:g} axisTolerance {WIDEST:g} numberOfRotations 0"
        )


class TouchTarget(NamedTuple):
    """What the contact sensors of a robot look for.

    Attributes:
        plugin: the tag.
        name: part of its name; seconds: of contact without a break; topic: of the result.
    """

    plugin: Tag
    name: str
    seconds: float
    topic: str


@dataclass
class PluginsFound:
    """Results of the plugins of a robot.

    Attributes:
        settings: parameters of the robot.
        motors: fields of the motor by joint name, for joints with a motor.
        rotors: propellers by number in commands; thrusters: propellers without number.
        fluid_forces: forces on links.
        detachable_joints: joints to other models.
        touch: target of its contact sensors.
        robot: fields of the robot's node.
        links: names of the links of the robot; None: not known.
    """

    settings: list[RobotSetting] = field(default_factory=list)
    motors: dict[str, dict[str, object]] = field(default_factory=dict)
    rotors: dict[int, Rotor] = field(default_factory=dict)
    thrusters: list[Rotor] = field(default_factory=list)
    fluid_forces: list[FluidForce] = field(default_factory=list)
    detachable_joints: list[Detachable] = field(default_factory=list)
    touch: TouchTarget | None = None
    robot: dict[str, object] = field(default_factory=dict)
    links: Names = None

    def add_parameter(self, device: str, name: str, value: object, source: Source, layout: str = "") -> None:
        """Add a parameter; the first of a name is used."""
        if all((each.device, each.name, each.layout) != (device, name, layout) for each in self.settings):
            self.settings.append(RobotSetting(device, name, value, source, layout))

    def add_motor(self, joint: str, **fields: object) -> None:
        """Give a joint a motor with these fields."""
        self.motors.setdefault(joint, {}).update(fields)
