"""Asks the simulation to put the robot near the wall."""

import rclpy
from controller import Robot
from std_srvs.srv import Trigger

robot = Robot()
robot.step(16)
rclpy.init()
node = rclpy.create_node("finn")
reset = node.create_client(Trigger, "/odesim/reset")
reset.wait_for_service()
answer = reset.call_async(Trigger.Request())
while robot.step(16) != -1:
    rclpy.spin_once(node, timeout_sec=0.0)
