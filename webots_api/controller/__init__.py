"""Webots' Python interface for controllers, based on the lock-step protocol of odesim.

Classes and methods have the names and meanings of Webots' reference manual; see `docs/webots_controllers.md`
for what is not supported. Nothing here needs ROS.
"""

from .ansi_codes import AnsiCodes
from .declared import DeclaredDevice, DeclaredSensor
from .device import Device, Sensor
from .differential_wheels import DifferentialWheels
from .display import Display
from .field import Field
from .indicators import LED, Microphone, Pen, Speaker
from .joint_devices import Brake, Motor, PositionSensor, Servo
from .lidar import Lidar, LidarPoint
from .motion import Motion
from .node import ContactPoint, Node
from .operator_devices import Joystick, Keyboard, Mouse, MouseState
from .pictures import Camera, CameraRecognitionObject, RangeFinder
from .proto import Proto
from .radio import Emitter, Receiver
from .robot import Robot
from .simple_sensors import (
    GPS,
    Accelerometer,
    Altimeter,
    Compass,
    Connector,
    DistanceSensor,
    Gyro,
    InertialUnit,
    LightSensor,
    Radar,
    RadarTarget,
    TouchSensor,
    VacuumGripper,
)
from .supervisor import Supervisor
