"""Robots without Physics that move as their wheels turn (Webots reference, Physics, kinematic mode).

Such a robot has two parallel HingeJoints with wheels of one radius; neither it nor its wheels have Physics.
It keeps its height, nothing pushes it, and at an obstacle it and its wheels stand still.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3
from sim_core.base.state import Resettable, State, Stateful
from sim_core.devices.drives.differential_drive import DifferentialDrive, SignedWheel
from sim_core.devices.drives.planar_motion import PlanarBase, twist_from_wheels
from sim_core.devices.motors.motor import Motor
from sim_core.engines.world_view import World
from sim_core.model.device_spec import DeviceAxis, NodeSpec, RobotSpec

LEVEL = 0.5
"""Sine of the slope up to which the axis of a wheel that rolls on the ground may be tilted."""


@dataclass(eq=False)
class KinematicState(State):
    """True if an obstacle blocked the robot in the last step."""

    is_blocked: bool = False


class KinematicDrive(Resettable):
    """Moves a robot without Physics; `step` is called in phase 1, after the motors.

    Attributes:
        robot_name: name of the robot.
    """

    state: KinematicState

    def __init__(self, robot: NodeSpec, drive: DifferentialDrive, world: World) -> None:
        self.robot_name: str = robot["name"]
        self._base = PlanarBase(robot, world, drive.centre)
        self._drive = drive
        self.state = KinematicState()

    def parts(self) -> tuple[Stateful, ...]:
        """Return the base that moves the robot."""
        return (self._base,)

    @property
    def is_blocked(self) -> bool:
        """True if an obstacle blocked the robot in the last step."""
        return self.state.is_blocked

    def set_drive(self, drive: DifferentialDrive) -> None:
        """Replace the drive after wheels were replaced or moved."""
        self._base.set_centre(drive.centre)
        self._drive = drive

    def move_robot(self) -> None:
        """Move the robot as its motors turn its wheels in this step; at an obstacle stop the wheels."""
        drive = self._drive
        speeds = _mean_speed(drive.left), _mean_speed(drive.right)
        free = self._base.move(twist_from_wheels(*speeds, drive.wheel_radius, drive.wheel_separation))
        if free and not self.state.is_blocked:
            return
        self.state.is_blocked = not free
        for wheel in drive.left + drive.right:
            if isinstance(wheel.motor, Motor):
                speed = wheel.motor.commanded_velocity if free else 0.0
                wheel.motor.axis.drive(speed, wheel.motor.available_effort)

    def reset(self) -> None:
        """Return to the start, after the world was reset."""
        self._base.reset()
        self.state = KinematicState()


def is_kinematic(robot: NodeSpec, drive: DifferentialDrive) -> bool:
    """Return True if the drive moves the robot: neither the robot nor its wheels have Physics."""
    motors = [wheel.motor for wheel in drive.left + drive.right]
    return robot["physics"] is None and all(
        isinstance(motor, Motor) and not motor.axis.spec.is_dynamic for motor in motors
    )


def immobility_warning(robot: RobotSpec, motors: Iterable[Motor], world: World) -> SceneError | None:
    """Return the warning that a robot whose motors turn wheels or propellers never moves, or None.

    Without Physics only a `KinematicDrive` moves a robot; call this for robots without one. An arm, whose
    base stands still on purpose, gets no warning, nor does a robot that is part of another. A robot with
    Physics is not pushed by wheels that have none.
    """
    if robot.holder is not None:
        return None
    places = [(motor, motor.spec.axis) for motor in motors if motor.spec.axis is not None]
    if robot["physics"] is not None or world.is_dynamic(robot.id):
        return _idle_wheels(robot, places)
    moving = [(motor, "propeller") for motor, place in places if place.joint_type == "Propeller"]
    wheels = [(motor, axis) for motor, place in places if (axis := _wheel_axis(place)) is not None]
    # a single wheel across the robot is a flywheel
    if len(wheels) > 1 or any(abs(axis[1]) > LEVEL for _, axis in wheels):
        moving += [(motor, "wheel") for motor, _ in wheels]
    if not moving:
        return None
    motor, turned = moving[0]
    found = f'{robot.path} has no Physics and never moves; its motor "{motor.name}" turns a {turned}'
    return SceneError(*robot.source, found, "physics Physics { } in it")


def _idle_wheels(robot: RobotSpec, places: Iterable[tuple[Motor, DeviceAxis]]) -> SceneError | None:
    """Return the warning that wheels of a robot with Physics have no Physics, or None.

    One such wheel alone may be a flywheel, or a round head that nods.
    """
    wheels = [motor for motor, place in places if _wheel_axis(place) is not None]
    idle = [f'"{motor.name}"' for motor in wheels if not motor.axis.spec.is_dynamic]
    if len(wheels) < 2 or not idle:
        return None
    found = f"{robot.path}: the wheels of {', '.join(idle)} have no Physics: they turn, but move nothing"
    return SceneError(*robot.source, found, "physics Physics { } in the Solid of each wheel")


def _wheel_axis(place: DeviceAxis) -> Vec3 | None:
    """Return the axis, in the robot's frame, of a wheel that rolls on the ground; of a steered wheel, of
    its fork."""
    wheel = place.visible_wheel
    if wheel is not None and abs(wheel.axis[2]) > LEVEL:
        return None  # a turntable, or the neck of a head
    wheel = wheel or place.steered
    return wheel.axis if wheel is not None else None


def _mean_speed(side: tuple[SignedWheel, ...]) -> float:
    """Return the commanded forward speed of a side's wheels in this step, rad/s."""
    total = 0.0
    for wheel in side:
        if isinstance(wheel.motor, Motor):
            total += wheel.sign * wheel.motor.commanded_velocity
    return total / len(side)
