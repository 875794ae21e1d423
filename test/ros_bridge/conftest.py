"""A small world with every device, a simulation in its own process, and a client on ROS."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from processes import ReadProcess, started
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 60.0
"""Seconds of wall time after which a condition that has not come true is a failure."""
ASK_AGAIN = 5.0
"""Seconds of wall time after which an answer is taken to be lost."""

WHEEL = """HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}
      device [ RotationalMotor {{ name "motor {side}" maxTorque 10 maxVelocity 20 }} {extra} ]
      endPoint Solid {{ name "wheel {side}" translation 0 {y} 0 rotation 1 0 0 1.5707963267948966
        boundingObject Cylinder {{ radius 0.1 height 0.02 }} physics Physics {{ density 500 }} }}
    }}"""

WORLD = (
    """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4
  contactProperties ContactProperties { material1 "caster" coulombFriction 0 } }
Solid { name "floor" children Shape { geometry Plane { size 40 40 } } boundingObject Plane { size 40 40 } }
Solid { name "wall" translation 3 0 0.5
  children DEF W Shape { geometry Box { size 0.2 4 1 } } boundingObject USE W }
Robot {
  name "robot1" translation 0 0 0.1 controller "CONTROLLER" synchronization SYNC
  children [
    Shape { appearance PBRAppearance { baseColor 1 0 0 }
      geometry DEF BODY Cylinder { radius 0.2 height 0.1 } }
    """
    + WHEEL.format(side="left", y=0.2, extra='PositionSensor { name "encoder" } Brake { name "brake" }')
    + WHEEL.format(side="right", y=-0.2, extra="")
    + """
    Solid { name "caster" translation 0.15 0 -0.08 contactMaterial "caster"
      boundingObject Sphere { radius 0.02 } physics Physics { } }
    DistanceSensor { name "ds" translation 0.2 0 0 type "sonar" lookupTable [ 0 1000 0.1, 5 0 0.1 ] }
    GPS { name "gps" accuracy 0.1 } Compass { name "compass" } Gyro { name "gyro" }
    Accelerometer { name "accelerometer" } InertialUnit { name "inertial unit" }
    SliderJoint {
      jointParameters JointParameters { axis 0 0 1 }
      device LinearMotor { name "lift" maxPosition 0.3 }
      endPoint Solid { name "fork" translation 0 0 0.1 physics Physics { density -1 mass 0.1 }
        boundingObject Box { size 0.05 0.05 0.05 } }
    }
  ]
  boundingObject USE BODY physics Physics { density 100 }
}
DifferentialWheels {
  name "old" translation 0 5 0.1 controller "void" axleLength 0.4 wheelRadius 0.1
  maxSpeed 10 slipNoise 0 encoderNoise 0 maxAcceleration 1e5
  children [ Servo { name "arm" translation 0 0 0.2 } ]
}
"""
)


@pytest.fixture
def world_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes the small world, with a controller and in lock-step where asked for."""

    def write(controller: str = "void", sync: bool = False) -> Path:
        (tmp_path / "worlds").mkdir(exist_ok=True)
        file = tmp_path / "worlds" / "small.wbt"
        text = WORLD.replace("CONTROLLER", controller).replace("SYNC", "TRUE" if sync else "FALSE")
        file.write_text(text, encoding="utf-8")
        return file

    return write


class SimProcess(ReadProcess):
    """`ros_bridge.node.run.run` in a process of its own."""

    CODE = (
        "import json, sys\n"
        "from ros_bridge.parameters.options import RunOptions\n"
        "from ros_bridge.node.run import run\n"
        "sys.exit(run(RunOptions(**json.loads(sys.argv[1]))))"
    )

    def __init__(self, world: Path, **options: Any) -> None:
        super().__init__(sys.executable, "-c", self.CODE, json.dumps({"world": str(world), **options}))

    def wait(self, seconds: float = LIMIT) -> int:
        """As of any process, within the limit of these tests."""
        return super().wait(seconds)


@pytest.fixture
def simulate() -> Iterator[Callable[..., SimProcess]]:
    """Starts simulations; what still runs at the end of the test is killed."""
    yield from started(SimProcess)


class Client:
    """A node of the test."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = Node("client", context=self.context)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)

    def until(self, condition: Callable[[], Any], what: str, limit: float = LIMIT) -> Any:
        """Spin until the condition holds; fails the test after a time limit."""
        end = time.monotonic() + limit
        while not (found := condition()):
            if time.monotonic() > end:
                pytest.fail(f"not within {limit:g} s: {what}")
            self._executor.spin_once(0.05)
        return found

    def listen(self, message_type: Any, topic: str, latched: bool = False, matched: bool = True) -> list[Any]:
        """A list that messages are appended to; returns when the publisher is there."""
        messages: list[Any] = []
        qos = QoSProfile(depth=200)
        if latched:
            qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
        self.node.create_subscription(message_type, topic, messages.append, qos)
        if matched:
            self.until(lambda: self.node.count_publishers(topic), f"a publisher of {topic}")
        return messages

    def speak(self, message_type: Any, topic: str, depth: int = 10) -> Any:
        """A publisher that the simulation hears; it keeps so many messages until they have arrived."""
        publisher = self.node.create_publisher(message_type, topic, depth)
        self.until(publisher.get_subscription_count, f"a subscriber of {topic}")
        return publisher

    def call(self, name: str, request: Any = None, kind: Any = Trigger) -> Any:
        """The answer of a service of the simulation.

        DDS may lose the first answer: a service that is ready here may not have found us yet. So ask again.
        """
        client = self.node.create_client(kind, f"/odesim/{name}")
        self.until(client.service_is_ready, f"the service {name}")
        futures: list[Any] = []

        def answered() -> Any:
            if time.monotonic() > asked + ASK_AGAIN * len(futures):
                futures.append(client.call_async(request or kind.Request()))
            return next((future for future in futures if future.done()), None)

        asked = time.monotonic()
        future = self.until(answered, f"the answer of {name}")
        self.node.destroy_client(client)
        return future.result()

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.close()
