"""Writes the homework of a class of thirty: nineteen solve the exercise, eleven fail, each in its own way.

    python3 examples/grading/make_class.py class

The folder is made new. `odesim test examples/grading/course --submissions class` grades it.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

STUDENTS = (
    *("abe", "ada", "ben", "bo", "cleo", "cy", "dan", "dora", "eli", "eva", "finn", "flo", "gil", "gwen"),
    *("hal", "ida", "ian", "jo", "kai", "kim", "lea", "leo", "mia", "max", "nia", "noa", "oda", "pia"),
    *("ron", "sue"),
)
BEGIN = """\
import math

from controller import Robot

robot = Robot()
step = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
for motor in motors:
    motor.setPosition(math.inf)
    motor.setVelocity(0.0)
"""
SENSOR = """\
sensor = robot.getDevice("ps0")
sensor.enable(step)
"""

STOPS_AT_ONCE = """
speed = SPEED
while robot.step(step) != -1:
    if sensor.getValue() > THRESHOLD:
        speed = 0.0
    for motor in motors:
        motor.setVelocity(speed)
"""
SLOWS_DOWN = """
near = False
while robot.step(step) != -1:
    near = near or sensor.getValue() > THRESHOLD
    free = max(0.0, 1.0 - sensor.getValue() / THRESHOLD)
    for motor in motors:
        motor.setVelocity(0.0 if near else min(SPEED, 1.0 + SPEED * free))
"""
COUNTS_TURNS = """
encoder = robot.getDevice("left wheel sensor")
encoder.enable(step)
while robot.step(step) != -1:
    metres = encoder.getValue() * 0.02
    for motor in motors:
        motor.setVelocity(SPEED if metres < 0.8 and sensor.getValue() < THRESHOLD else 0.0)
"""
WITH_A_CLASS = """

class Driver:
    def __init__(self, speed, threshold):
        self.speed, self.threshold = speed, threshold

    def drive(self):
        if sensor.getValue() > self.threshold:
            self.speed = 0.0
        for motor in motors:
            motor.setVelocity(self.speed)


driver = Driver(SPEED, THRESHOLD)
while robot.step(step) != -1:
    driver.drive()
"""
RIGHT = (STOPS_AT_ONCE, SLOWS_DOWN, COUNTS_TURNS, WITH_A_CLASS)

GOES = """
for motor in motors:
    motor.setVelocity(SPEED)
while robot.step(step) != -1:
    pass
"""
WRONG = {
    "crash": BEGIN + "for _ in range(10):\n    robot.step(step)\nprint(1 / 0)\n",
    "hang": BEGIN + "robot.step(step)\nwhile True:\n    pass\n",
    "nan": BEGIN + "while robot.step(step) != -1:\n    for motor in motors:\n"
    "        motor.setVelocity(math.inf - math.inf)\n",
    "wrong topic": """\
import sys

from rclpy.node import Node
from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run
from geometry_msgs.msg import Twist
from sensor_msgs.msg import Range


class Driver(Node):
    def __init__(self):
        super().__init__("driver", parameter_overrides=READINGS_ALONE)
        self.publisher = self.create_publisher(Twist, "cmd_val", 10)
        self.client = RobotClient(self, {"ps0": Range}, self.drive)

    def drive(self, readings):
        command = Twist()
        command.linear.x = 0.1
        self.publisher.publish(command)
        return {}


sys.exit(run(Driver))
""",
    "teleport by a service": """\
import rclpy
from controller import Robot
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

robot = Robot()
robot.step(16)
rclpy.init()
node = rclpy.create_node("helper")
service = node.create_client(SetParameters, "/odesim/set_parameters")
service.wait_for_service()
place = Parameter("ROBOT.translation", value=[0.8, 0.0, 0.0]).to_parameter_msg()
answer = service.call_async(SetParameters.Request(parameters=[place]))
while robot.step(16) != -1:
    rclpy.spin_once(node, timeout_sec=0.0)
""",
    "teleport by a supervisor": """\
from controller import Supervisor

robot = Supervisor()
robot.step(16)
robot.getSelf().getField("translation").setSFVec3f([0.8, 0.0, 0.0])
while robot.step(16) != -1:
    pass
""",
    "too slow": BEGIN + GOES.replace("SPEED", "0.5"),
    "syntax error": BEGIN + "while robot.step(step) != -1\n    pass\n",
    "exits at once": '"""I had no time."""\n',
    "drives into the wall": BEGIN + GOES.replace("SPEED", "6.0"),
    "garbage": "import os\n\nfrom controller import Robot\n\nrobot = Robot()\nwhile robot.step(16) != -1:\n"
    "    os.write(1, os.urandom(2000))\n",
}
FIRST_WRONG = 2
"""Every student from this one on in steps of this many hands in the next of `WRONG`."""


def homeworks() -> dict[str, tuple[str, str]]:
    """Return for each student what is special about the controller, "" for a right one, and its source."""
    kinds = iter(WRONG.items())
    found = {}
    for index, student in enumerate(STUDENTS):
        kind, source = next(kinds, ("", "")) if index % FIRST_WRONG == 1 else ("", "")
        if not kind:
            law = RIGHT[index % len(RIGHT)]
            speed, threshold = 5.0 + 0.05 * index, 110.0 + index
            source = (
                BEGIN + SENSOR + law.replace("SPEED", f"{speed:g}").replace("THRESHOLD", f"{threshold:g}")
            )
        found[student] = kind, source
    return found


def main() -> None:
    """Write the folder that the command line names."""
    if len(sys.argv) != 2:
        sys.exit(textwrap.dedent(__doc__ or "").strip())
    folder = Path(sys.argv[1])
    for student, (kind, source) in homeworks().items():
        file = folder / student / "controllers" / "drive" / "drive.py"
        file.parent.mkdir(parents=True)
        file.write_text(source, encoding="utf-8")
        print(f"{student}: {kind or 'right'}")


if __name__ == "__main__":
    main()
