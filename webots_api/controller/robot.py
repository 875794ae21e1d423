"""The robot of this controller."""

from __future__ import annotations

import math
import sys
import time
from typing import Any

from . import constants
from .connection import connection, print_error
from .declared import DeclaredDevice, DeclaredSensor
from .device import Device
from .display import Display
from .indicators import LED, Microphone, Pen, Speaker
from .joint_devices import Brake, Motor, PositionSensor, Servo
from .lidar import Lidar
from .operator_devices import Joystick, Keyboard, Mouse
from .pictures import Camera, RangeFinder
from .radio import Emitter, Receiver
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
    TouchSensor,
    VacuumGripper,
)
from .user_input import (
    JOYSTICK_AXIS,
    JOYSTICK_BUTTON,
    JOYSTICK_POV,
    KEY,
    MOUSE_CLICK,
    MOUSE_MOVE,
    NO_EVENT,
    events_of,
    first_event,
)

CLASSES: dict[str, type[Device]] = {
    "Accelerometer": Accelerometer, "Altimeter": Altimeter, "Brake": Brake, "Camera": Camera,
    "Compass": Compass, "Connector": Connector, "Display": Display, "DistanceSensor": DistanceSensor,
    "Emitter": Emitter, "GPS": GPS, "Gyro": Gyro, "InertialUnit": InertialUnit, "LED": LED, "Lidar": Lidar,
    "LightSensor": LightSensor, "LinearMotor": Motor, "Microphone": Microphone, "Pen": Pen,
    "PositionSensor": PositionSensor, "Radar": Radar, "RangeFinder": RangeFinder, "Receiver": Receiver,
    "RotationalMotor": Motor, "Servo": Servo, "Speaker": Speaker, "TouchSensor": TouchSensor,
    "VacuumGripper": VacuumGripper,
}  # fmt: skip
"""Classes of devices by node type."""
OLD_NAMES = CLASSES.keys() - {"LinearMotor", "RotationalMotor"} | {"Motor", "Skin"}
"""Names X in the methods `getX` and `createX` of old controllers, with their classes."""

KEY_PERIOD = 0.02
"""Seconds of wall time between two queries of the keys."""


def device_class(description: dict[str, Any]) -> type[Device]:
    """Return the class of a device by its description; the base class if it is not simulated."""
    if description["type"] in CLASSES:
        return CLASSES[description["type"]]
    if "channels" in description:
        return DeclaredSensor
    return DeclaredDevice if "commands" in description else Device


class Robot:
    """The robot: its devices, and steps of the simulation."""

    MODE_SIMULATION = 0
    MODE_CROSS_COMPILATION = 1
    MODE_REMOTE_CONTROL = 2
    EVENT_QUIT = -1
    EVENT_NO_EVENT, EVENT_MOUSE_CLICK, EVENT_MOUSE_MOVE = NO_EVENT, MOUSE_CLICK, MOUSE_MOVE
    EVENT_KEYBOARD, EVENT_JOYSTICK_BUTTON, EVENT_JOYSTICK_AXIS = KEY, JOYSTICK_BUTTON, JOYSTICK_AXIS
    EVENT_JOYSTICK_POV = JOYSTICK_POV

    created: Robot | None = None

    def __init__(self) -> None:
        if Robot.created is not None:
            print("Error: only one Robot instance can be created per controller process.", file=sys.stderr)
        Robot.created = self
        self._connection = connection()
        self._robot: dict[str, Any] = self._connection.world["robot"]
        self._by_name: dict[str, Device] = {}
        self._by_tag: list[Device] = []
        self.keyboard = Keyboard()
        self.mouse = Mouse()
        self.joystick = Joystick()

    def _all_devices(self) -> list[Device]:
        """Devices in the order of their tags, including those added by a supervisor."""
        for tag in range(len(self._by_tag), len(self._connection.devices)):
            each = self._connection.devices[tag]
            self._by_tag.append(device_class(each)(tag))
            self._by_name.setdefault(each["name"], self._by_tag[-1])
        return self._by_tag

    @property
    def devices(self) -> dict[str, Device]:
        """Devices by name."""
        self._all_devices()
        return self._by_name

    # ---- time

    def step(self, time_step: int | None = None) -> int:
        """Step the simulation by a time in ms; return -1 if the simulation has ended."""
        if time_step is None:
            time_step = int(self.getBasicTimeStep())
        if time_step < 0:
            print_error(f"Error: Robot.step() called with a negative time step ({time_step} ms)")
            return 0
        sys.stdout.flush()
        return self._connection.step(int(time_step))

    def stepBegin(self, time_step: int) -> int:
        """Carry out the whole step; readings are those of its end."""
        return self.step(time_step)

    def stepEnd(self) -> int:
        return -1 if self._connection.ended else 0

    def cleanup(self) -> None:
        """Do nothing: the connection is closed when the controller ends."""

    def getTime(self) -> float:
        return self._connection.time

    def getBasicTimeStep(self) -> float:
        """Return the basic time step in ms."""
        return float(self._connection.world["step"])

    # ---- what it is

    def getName(self) -> str:
        return str(self._robot["name"])

    def getModel(self) -> str:
        return str(self._robot["model"])

    def getSynchronization(self) -> bool:
        return bool(self._robot["synchronization"])

    def getSupervisor(self) -> bool:
        return bool(self._robot["supervisor"])

    def getCustomData(self) -> str:
        return self._connection.custom

    def setCustomData(self, data: str) -> None:
        self._connection.custom = str(data)
        self._connection.command(-1, "custom", str(data))

    getData, setData = getCustomData, setCustomData

    def getMode(self) -> int:
        return self.MODE_SIMULATION

    def setMode(self, mode: int, arg: str = "") -> None:
        print_error("Robot.setMode(): there is no real robot to control")

    def getType(self) -> int:
        return constants.NODE_NUMBERS["ROBOT"]

    def getProjectPath(self) -> str:
        return str(self._connection.world["project"])

    def getWorldPath(self) -> str:
        return str(self._connection.world["file"])

    def getControllerName(self) -> str:
        return str(self._robot["controller"])

    def getControllerArguments(self) -> str:
        return " ".join(self._robot["arguments"])

    def getUrdf(self, prefix: str = "") -> str:
        return str(self._connection.call("urdf", prefix) or "")

    # ---- devices

    def getDevice(self, name: str) -> Any:
        found = self.devices.get(name)
        if found is None:
            print_error(f'Device "{name}" was not found on robot "{self.getName()}"')
        return found

    def getDeviceByIndex(self, index: int) -> Any:
        if not 0 <= index < self.getNumberOfDevices():
            print_error(f"Error: Robot.getDeviceByIndex() called with index {index}, expected 0 to "
                     f"{self.getNumberOfDevices() - 1}")  # fmt: skip
            return None
        return self._all_devices()[index]

    def getNumberOfDevices(self) -> int:
        return len(self._connection.devices)

    def __getattr__(self, name: str) -> Any:
        """Return methods such as `getDistanceSensor("ds0")`, which Webots keeps for old controllers."""
        if name.startswith("get") and name[3:] in OLD_NAMES:
            return self.getDevice
        if name.startswith("create") and name[6:] in OLD_NAMES:
            return self.getDevice
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def getKeyboard(self) -> Keyboard:
        return self.keyboard

    def getMouse(self) -> Mouse:
        return self.mouse

    def getJoystick(self) -> Joystick:
        return self.joystick

    def keyboardEnable(self, samplingPeriod: int) -> None:
        self.keyboard.enable(samplingPeriod)

    def keyboardDisable(self) -> None:
        self.keyboard.disable()

    def keyboardGetKey(self) -> int:
        return self.keyboard.getKey()

    # ---- battery

    def batterySensorEnable(self, samplingPeriod: int) -> None:
        self._connection.set(-1, "battery_period", int(samplingPeriod))
        self._connection.command(-1, "battery", int(samplingPeriod))
        if samplingPeriod <= 0:
            self._connection.set(-1, "battery", math.nan)

    def batterySensorDisable(self) -> None:
        self.batterySensorEnable(0)

    def batterySensorGetSamplingPeriod(self) -> int:
        return int(self._connection.setting(-1, "battery_period", 0))

    def batterySensorGetValue(self) -> float:
        """Return the energy in J; -1: the robot has no battery."""
        return float(self._connection.setting(-1, "battery", math.nan))

    # ---- the robot's window

    def wwiSendText(self, text: str) -> None:
        """Send a text to the robot window with the next step: topic `window/from_controller` of the robot."""
        self._connection.set(-1, "window", True)
        self._connection.command(-1, "window", str(text))

    def wwiReceiveText(self) -> str | None:
        """Return the oldest text from the robot window, topic `window/to_controller`; None: there is none."""
        if not self._connection.setting(-1, "window"):
            self._connection.set(-1, "window", True)
            self._connection.command(-1, "window")
        return self._connection.window.pop(0) if self._connection.window else None

    wwiSend, wwiReceive = wwiSendText, wwiReceiveText

    # ---- what is not there

    def setRobotWindow(self, name: str) -> None:
        print_error("Robot.setRobotWindow(): not supported, expected the field window of the robot")

    def waitForUserInputEvent(self, event_type: int, timeout: int) -> int:
        """Wait without stepping for input of the user, at most a time in ms; return the event."""
        if event_type & self.EVENT_KEYBOARD and not self.keyboard.getSamplingPeriod():
            print_error("Error: Robot.waitForUserInputEvent() called for a keyboard that is not enabled")
            return self.EVENT_NO_EVENT
        end = time.monotonic() + timeout / 1e3
        self._connection.call("input")
        before = dict(self._connection.input)
        while not self._connection.ended and (left := end - time.monotonic()) > 0.0:
            time.sleep(min(left, KEY_PERIOD))
            self._connection.call("input")
            now = self._connection.input
            if events := event_type & sum(events_of(kind, before[kind], now[kind]) for kind in now):
                return first_event(events)
            before = dict(now)
        return self.EVENT_QUIT if self._connection.ended else self.EVENT_NO_EVENT

    def waitForUserInputEventBegin(self, event_type: int, timeout: int) -> int:
        return self.waitForUserInputEvent(event_type, timeout)

    def waitForUserInputEventEnd(self) -> int:
        return self.EVENT_NO_EVENT

    basic_time_step = property(getBasicTimeStep)
    name = property(getName)
    model = property(getModel)
    time = property(getTime)
    number_of_devices = property(getNumberOfDevices)
    custom_data = property(getCustomData, setCustomData)
    mode = property(getMode, setMode)
    type = property(getType)
    synchronization = property(getSynchronization)
    supervisor = property(getSupervisor)
    project_path = property(getProjectPath)
    world_path = property(getWorldPath)
    battery_value = property(batterySensorGetValue)
