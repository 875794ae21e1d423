"""A car takes AckermannDrive, with and without a stamp, over DDS; needs the package ackermann_msgs."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ackermann_msgs", reason="ackermann_msgs is not installed")

from ackermann_msgs.msg import AckermannDrive, AckermannDriveStamped
from nav_msgs.msg import Odometry

WORLD = """#VRML_SIM R2025a utf8
EXTERNPROTO "Ute.proto"
WorldInfo { basicTimeStep 5 }
Solid { name "floor" boundingObject Plane { size 200 200 } }
Ute { controller "<extern>" synchronization FALSE }
"""
WHEELBASE = 2.9


def test_a_car_drives_the_circle_of_its_steering_angle(
    tmp_path: Path, simulate: Callable[..., Any], client: Any
) -> None:
    """ω = v·tan δ/L, for the message without a stamp and then for the one with it."""
    (tmp_path / "car.wbt").write_text(WORLD)
    simulate(tmp_path / "car.wbt")
    heard = client.listen(Odometry, "/ute/odom")

    def drives(message: Any, speed: float, angle: float) -> None:
        publisher = client.node.create_publisher(type(message), "/ute/cmd_ackermann", 10)
        client.until(publisher.get_subscription_count, f"a subscription of {type(message).__name__}")
        publisher.publish(message)

        def now() -> bool:
            twist = heard[-1].twist.twist if heard else Odometry().twist.twist
            turn = speed * math.tan(angle) / WHEELBASE
            return abs(twist.linear.x - speed) < 0.05 and abs(twist.angular.z - turn) < 0.02

        client.until(now, f"{speed} m/s at {angle} rad")
        client.node.destroy_publisher(publisher)

    drives(AckermannDrive(speed=1.5, steering_angle=0.2), 1.5, 0.2)
    stamped = AckermannDriveStamped()
    stamped.drive.speed, stamped.drive.steering_angle = 1.0, -0.3
    drives(stamped, 1.0, -0.3)
