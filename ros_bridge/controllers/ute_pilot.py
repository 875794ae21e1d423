"""On-board computer of the ute: controls its actuators with PID, follows a route or its operator.

    odesim run ute

Its topics, below `/ute`:

- `actuators` (sensor_msgs/JointState, every 25 ms): wheel encoder counts; measured accelerator, steering and
  brake; the steering angle computed from the wheels; V of the potentiometers of accelerator and brake.
- `info` (diagnostic_msgs/DiagnosticArray, every 25 ms): PID settings and set points, the mode, the clutch.
- `set_points` (sensor_msgs/JointState, in): `steering` in rad, `accelerator`, `brake` from 0 to 1.
- `set_points_answer` (diagnostic_msgs/DiagnosticStatus): result of each message that has a
  `header.frame_id`: that as `name`, the level OK or ERROR, and the reason of a refusal.
- `heartbeat` (std_msgs/Header, in), `heartbeat_echo`: each beat is sent back unchanged.
- `urgent_stop` (std_msgs/Bool, in): true stops the ute at once, until false arrives. It has its own thread,
  so that many messages on other topics do not delay it.

Parameters: `mode` (manual, automatic), `clutch` (false disconnects the steering motor), `route` (x1, y1, x2,
y2 … in m from the start), `cruise_speed` in m/s, and `<actuator>.<setting>` of `pid.PidSettings`, such as
`steering.kp`. Invalid values are refused.
"""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Header

from ros_bridge.base.ros_thread import RosThread, SpunNode
from ros_bridge.base.transformations import euler_from_quaternion, of_message
from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run
from ros_bridge.controllers.ute_law import (
    READINGS,
    REAR,
    STROKE,
    UteLaw,
    UteReadings,
    computed_steering,
    potentiometer,
    steering_angle,
)
from sim_core.base.errors import CommandError

PERIOD = 0.025
"""s of sim time between two sets of readings."""
COUNTS_PER_TURN = 1024
"""Counts of the wheel encoders per turn."""
ROUTE = (30.0, 0.0, 40.0, 10.0, 30.0, 20.0, 0.0, 20.0, -10.0, 10.0, 0.0, 0.0)
MANY = 1000
"""Queue length of set points and answers, so that none is lost while the pilot is busy."""


class UtePilot(Node):
    """The node; its control law is `ute_law.UteLaw`."""

    def __init__(self) -> None:
        super().__init__("pilot", parameter_overrides=READINGS_ALONE)
        self.law = UteLaw()
        self.stop_wanted = False
        self.declare_all()
        self.actuators = JointState(name=list(READINGS), position=[0.0] * len(READINGS))
        self.actuators_out = self.create_publisher(JointState, "actuators", 100)
        self.info_out = self.create_publisher(DiagnosticArray, "info", 100)
        self.answers_out = self.create_publisher(DiagnosticStatus, "set_points_answer", MANY)
        self.create_subscription(JointState, "set_points", self.take_set_points, MANY)
        echo = self.create_publisher(Header, "heartbeat_echo", 10)
        self.create_subscription(Header, "heartbeat", echo.publish, 10)
        self.stop_now = self.create_publisher(JointState, "joint_command", 1)
        self.stopper = UrgentStop(self)
        sensors = {"joint_states": JointState, "odom": Odometry}
        self.client = RobotClient(self, sensors, self.control, restart=self.law.restart)

    def destroy_node(self) -> None:
        """Stop the thread of the urgent stop too."""
        self.stopper.close()
        super().destroy_node()

    # ---- parameters

    def declare_all(self) -> None:
        """Declare the parameters, and apply their values from the command line."""
        self.add_on_set_parameters_callback(self.apply_parameters)
        self.declare_parameter("route", list(ROUTE))
        self.declare_parameter("cruise_speed", self.law.cruise_speed)
        for name, pid in self.law.pids.items():
            for setting, value in asdict(pid.settings).items():
                self.declare_parameter(f"{name}.{setting}", value)
        self.declare_parameter("mode", "automatic")
        self.declare_parameter("clutch", True)

    def apply_parameters(self, parameters: list[Any]) -> SetParametersResult:
        """Apply changes one after the other; the first invalid one is refused with the reason."""
        for parameter in parameters:
            try:
                self.apply_parameter(parameter.name, parameter.value)
            except (CommandError, TypeError, ValueError) as error:
                return SetParametersResult(successful=False, reason=f"{parameter.name}: {error}")
        return SetParametersResult(successful=True)

    def apply_parameter(self, name: str, value: Any) -> None:
        """Apply the change of one parameter.

        Raises:
            CommandError: the value is invalid.
        """
        actuator, _, setting = name.partition(".")
        if name == "mode":
            self.law.set_mode(value)
        elif name == "clutch":
            self.law.clutch = bool(value)
        elif name == "cruise_speed":
            if not (math.isfinite(value) and 0.0 <= value <= 30.0):
                raise CommandError(f"found {value:g} m/s, expected 0 to 30")
            self.law.cruise_speed = value
        elif name == "route":
            numbers = list(value)
            if len(numbers) < 2 or len(numbers) % 2 or not all(map(math.isfinite, numbers)):
                raise CommandError(f"found {len(numbers)} numbers, expected pairs x, y of finite numbers")
            self.law.route = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        elif actuator in self.law.pids:
            pid = self.law.pids[actuator]
            pid.settings = pid.settings.changed(setting, float(value))

    # ---- inputs

    def take_set_points(self, message: JointState) -> None:
        """Apply the operator's set points, or log why not; in both cases the sender gets an answer."""
        refused = ""
        try:
            if len(message.name) != len(message.position):
                raise CommandError(
                    f"found {len(message.position)} positions, expected {len(message.name)}, as names"
                )
            self.law.set_points(dict(zip(message.name, message.position, strict=True)))
        except CommandError as error:
            refused = str(error)
            self.get_logger().warning(f"set_points: refused: {error}", throttle_duration_sec=1.0)
        if message.header.frame_id:
            level = DiagnosticStatus.ERROR if refused else DiagnosticStatus.OK
            answer = DiagnosticStatus(level=level, name=message.header.frame_id, message=refused)
            self.answers_out.publish(answer)

    def stop_at_once(self, message: Bool) -> None:
        """Hold the wheels at once, before the next answer is due; called in a thread of its own."""
        self.stop_wanted = message.data
        if message.data:
            command = JointState(name=list(REAR), velocity=[0.0, 0.0])
            command.header.frame_id = "urgent_stop"
            self.stop_now.publish(command)

    # ---- every 25 ms

    def control(self, readings: dict[str, Any]) -> JointState:
        """Return the answer to one set of readings."""
        law = self.law
        if law.stopped != self.stop_wanted:
            law.stopped = self.stop_wanted
            self.get_logger().warning("urgent stop" if law.stopped else "urgent stop released")
        measured, turned = self.measure(readings)
        self.report(readings["joint_states"].header.stamp, measured, turned)
        commands = law.commands(measured, PERIOD)
        if (
            law.stopped
        ):  # hold the brakes at once: the torque of the law follows with the next set of readings
            commands.velocities.update(dict.fromkeys(REAR, 0.0))
            for name in REAR:
                del commands.efforts[name]
        nothing = [math.nan] * len(commands.velocities)
        return JointState(
            name=[*commands.velocities, *commands.efforts],
            velocity=[*commands.velocities.values(), *([math.nan] * len(commands.efforts))],
            effort=[*nothing, *commands.efforts.values()],
        )

    def measure(self, readings: dict[str, Any]) -> tuple[UteReadings, float]:
        """Return the readings by meaning, and the mean angle that the rear wheels have turned, rad."""
        joints, odom = readings["joint_states"], readings["odom"]
        position = dict(zip(joints.name, joints.position, strict=True))
        velocity = dict(zip(joints.name, joints.velocity, strict=True))
        pose = odom.pose.pose
        measured = UteReadings(
            position["left steering"],
            position["right steering"],
            position["accelerator"],
            position["brake"],
            velocity[REAR[0]],
            velocity[REAR[1]],
            pose.position.x,
            pose.position.y,
            euler_from_quaternion(of_message(pose.orientation))[2],
            odom.twist.twist.linear.x,
        )
        return measured, (position[REAR[0]] + position[REAR[1]]) / 2.0

    def report(self, stamp: Any, measured: UteReadings, turned: float) -> None:
        """Publish the state of the actuators and their commands."""
        self.actuators.header.stamp = stamp
        self.actuators.position = [
            float(math.floor(turned / math.tau * COUNTS_PER_TURN)),
            measured.accelerator / STROKE["accelerator"],
            steering_angle(measured),
            measured.brake / STROKE["brake"],
            computed_steering(measured),
            potentiometer("accelerator", measured.accelerator),
            potentiometer("brake", measured.brake),
        ]
        self.actuators_out.publish(self.actuators)
        if self.info_out.get_subscription_count():
            self.info_out.publish(self.info(stamp))

    def info(self, stamp: Any) -> DiagnosticArray:
        """Return PID settings and set points, one status for each actuator."""
        message = DiagnosticArray()
        message.header.stamp = stamp
        who = ", ".join(
            [
                self.law.mode,
                *(["urgent stop"] if self.law.stopped else []),
                *([] if self.law.clutch else ["clutch open"]),
            ]
        )
        for name, pid in self.law.pids.items():
            values = {**asdict(pid.settings), "set_point": pid.set_point}
            pairs = [KeyValue(key=key, value=repr(value)) for key, value in values.items()]
            message.status.append(DiagnosticStatus(name=name, message=who, values=pairs))
        return message


class UrgentStop:
    """Subscribes to `urgent_stop` with a node, an executor and a thread of its own, until `close`."""

    def __init__(self, pilot: UtePilot) -> None:
        self._node = SpunNode("urgent_stop", namespace=pilot.get_namespace(), use_global_arguments=False)
        self._node.create_subscription(Bool, "urgent_stop", pilot.stop_at_once, 1)
        self._thread = RosThread(self._node)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, before ROS is shut down."""
        self._thread.stop_spinning()
        self._node.destroy_node()


def main() -> int:
    """Run the pilot in the robot's namespace."""
    return run(UtePilot)


if __name__ == "__main__":
    sys.exit(main())
