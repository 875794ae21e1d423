"""Driving a car: the functions of a human driver."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import lights, wheels
from .cockpit import Cockpit
from .engine import engine_rpm, output_torque
from .parameters import CarParameters, read_parameters

if TYPE_CHECKING or __package__ != "vehicle":
    from webots_api.controller import Motor, Robot, Supervisor
    from webots_api.controller.connection import fail, print_error
else:  # in a controller the folder of both packages is on the path
    from controller import Robot, Supervisor
    from controller.connection import fail, print_error

KMH = 3.6
"""km/h per m/s."""
WHEELS = ("right_front", "left_front", "right_rear", "left_rear")
SLOWEST = 1e-3
"""Speed in rad/s below which the brake acts as a damper; above it, its torque is constant."""


class Driver(Supervisor):
    """The driver of an instance of the PROTO `Car`.

    Speeds are in km/h; steering angles in rad, positive to the right.
    """

    INDICATOR_OFF, INDICATOR_RIGHT, INDICATOR_LEFT = lights.OFF, lights.RIGHT, lights.LEFT
    SPEED, TORQUE = range(2)
    UNDEFINED_CONTROL_MODE = -1
    DOWN, SLOW, NORMAL, FAST = range(4)

    def __init__(self) -> None:
        super().__init__()
        self._car = self._parameters()
        self._step_ms = int(self.getBasicTimeStep())
        self._steer = [self._needed(f"{side}_steer") for side in ("right", "left")]
        self._steer_sensors = [self._needed(f"{side}_steer_sensor") for side in ("right", "left")]
        self._sensors = [self._needed(f"{name}_sensor") for name in WHEELS]
        self._brakes = [self._needed(f"{name}_brake") for name in WHEELS]
        self._motors: dict[int, Motor] = {
            wheel: self.devices[f"{name}_wheel"]  # type: ignore[misc] # it is a motor
            for wheel, name in enumerate(WHEELS)
            if f"{name}_wheel" in self.devices
        }
        self._driven = [axle for axle in (wheels.FRONT, wheels.REAR) if all(k in self._motors for k in axle)]
        if not self._driven:
            fail(f'robot "{self.getName()}" has no motors at the wheels of an axle, expected those of a car')
        for sensor in (*self._steer_sensors, *self._sensors):
            sensor.enable(self._step_ms)
        for motor in self._motors.values():
            motor.setPosition(math.inf)
            motor.setVelocity(0.0)
        self._lights = lights.Lights(self.devices)
        self._cockpit = Cockpit(self.devices, self._step_ms)
        self._angle = 0.0
        self._angles = [0.0, 0.0]
        self._mode = self.UNDEFINED_CONTROL_MODE
        self._cruising = self._throttle = self._brake = self._rpm = 0.0
        self._gear = 0
        self._differentials = {name: wheels.Differential() for name in ("front", "rear", "central")}
        self._limits_slip = True
        self._positions = [math.nan] * 4
        self._speeds = [0.0] * 4
        self._acceleration = 0.0

    @staticmethod
    def isInitialisationPossible() -> bool:
        """Return whether the robot of this controller is a car."""
        before = Robot.created
        robot = before or Supervisor()
        Robot.created = before  # only for the query: the controller may make its own
        try:
            read_parameters(robot.getCustomData())
        except ValueError:
            return False
        return True

    def step(self, time_step: int | None = None) -> int:
        """Make a step of the basic time step; return -1 if the simulation has ended."""
        self._lights.blink(self.getTime())
        torque = self._mode == self.TORQUE
        backwards = self._gear < 0 if torque else self._mode == self.SPEED and self._cruising < 0.0
        self._lights.set("backwards", backwards)
        self._cockpit.wipe(self.getTime())
        self._cockpit.show(abs(self.getCurrentSpeed()), self._rpm)
        if torque:
            self._push()
        if self._brake > 0.0:
            for brake, speed in zip(self._brakes, self._speeds, strict=True):
                brake.setDampingConstant(self._brake * self._car.brake_coefficient / max(abs(speed), SLOWEST))
        ended = super().step(self._step_ms)
        self._measure()
        return ended

    # ---- steering

    def setSteeringAngle(self, steeringAngle: float) -> None:
        """Set the steering angle at the centre of the front axle; wheels follow Ackermann's condition."""
        if math.isnan(steeringAngle):
            print_error(
                "Error: Driver.setSteeringAngle() called with an invalid 'steeringAngle' argument (NaN)"
            )
            return
        self._angle = float(steeringAngle)
        self._angles = list(wheels.steered(self._angle, self._car.wheelbase, self._car.front_track))
        for motor, angle in zip(self._steer, self._angles, strict=True):
            motor.setPosition(angle)
        self._cockpit.steer(self._angle)
        self._lights.steered(self._angle)
        if self._lights.indicator == lights.OFF:
            self._cockpit.indicate(lights.OFF)
        if self._mode == self.SPEED:
            self.setCruisingSpeed(self._cruising)

    def getSteeringAngle(self) -> float:
        """Return the present mean of both wheels' angles."""
        return (self._steer_sensors[0].getValue() + self._steer_sensors[1].getValue()) / 2.0

    # ---- speed

    def setCruisingSpeed(self, cruisingSpeed: float) -> None:
        """Drive at a speed without the engine; the wheel speeds follow from the curve."""
        if math.isnan(cruisingSpeed):
            print_error(
                "Error: Driver.setCruisingSpeed() called with an invalid 'cruisingSpeed' argument (NaN)"
            )
            return
        driven = [wheel for axle in self._driven for wheel in axle]
        rims = wheels.speeds(self._ways(), driven, cruisingSpeed / KMH)
        for wheel, speed in rims.items():
            radius = self._radius(wheel)
            if radius <= 0.0:
                print_error("Error: Driver.setCruisingSpeed(): the radius of the wheels is not known")
                break
            self._motors[wheel].setVelocity(speed / radius)
            if self._mode == self.TORQUE:
                self._motors[wheel].setPosition(math.inf)
        self._cruising = float(cruisingSpeed)
        self._mode = self.SPEED

    def getTargetCruisingSpeed(self) -> float:
        return self._cruising

    def getCurrentSpeed(self) -> float:
        """Return the speed according to the driven wheels, km/h."""
        driven = [wheel for axle in self._driven for wheel in axle]
        return KMH * sum(self._speeds[wheel] * self._radius(wheel) for wheel in driven) / len(driven)

    # ---- engine

    def setThrottle(self, throttle: float) -> None:
        """Drive with the engine, with a fraction of its torque, 0 to 1."""
        self._throttle = self._part("setThrottle", "throttle", throttle)
        self._mode = self.TORQUE

    def getThrottle(self) -> float:
        return self._throttle

    def setBrakeIntensity(self, brakeIntensity: float) -> None:
        """Brake all wheels with a fraction of the maximum torque, 0 to 1."""
        self._brake = self._part("setBrakeIntensity", "brakeIntensity", brakeIntensity)
        self._lights.set("brake", self._brake > 0.0)
        if self._brake == 0.0:
            for brake in self._brakes:
                brake.setDampingConstant(0.0)

    def getBrakeIntensity(self) -> float:
        return self._brake

    def setGear(self, gear: int) -> None:
        """Set the gear. -1: reverse, 0: neutral, 1 and more: forward."""
        highest = self.getGearNumber() - 1
        if not -1 <= gear <= highest:
            print_error(f"Error: Driver.setGear() called with gear {gear}, expected -1 to {highest}")
        self._gear = max(-1, min(highest, int(gear)))

    def getGear(self) -> int:
        return 0 if self._cruises("getGear") else self._gear

    def getGearNumber(self) -> int:
        """Return the number of gears, including the reverse gear."""
        return len(self._car.gear_ratios)

    def getRpm(self) -> float:
        return 0.0 if self._cruises("getRpm") else self._rpm

    def getControlMode(self) -> int:
        return self._mode

    # ---- lights and wipers

    def setIndicator(self, indicator: int) -> None:
        self._lights.indicate(int(indicator), self._angle)
        self._cockpit.indicate(int(indicator))

    def getIndicator(self) -> int:
        return self._lights.indicator

    def setHazardFlashers(self, hazardFlasher: bool) -> None:
        self._lights.hazard = bool(hazardFlasher)

    def getHazardFlashers(self) -> bool:
        return self._lights.hazard

    def setDippedBeams(self, state: bool) -> None:
        self._lights.dipped = bool(state)
        self._lights.set("front", bool(state))
        self._lights.set("rear", bool(state))

    def getDippedBeams(self) -> bool:
        return self._lights.dipped

    def setAntifogLights(self, state: bool) -> None:
        self._lights.set("antifog", bool(state))

    def getAntifogLights(self) -> bool:
        return self._lights.is_on("antifog")

    def setWiperMode(self, mode: int) -> None:
        self._cockpit.set_wipers(int(mode))

    def getWiperMode(self) -> int:
        return self._cockpit.wipers

    setWipersMode, getWipersMode = setWiperMode, getWiperMode
    setBrake, getBrake = setBrakeIntensity, getBrakeIntensity

    # ---- within

    def _parameters(self) -> CarParameters:
        try:
            return read_parameters(self.getCustomData())
        except ValueError as error:
            fail(f'robot "{self.getName()}" is no car: {error}')

    def _needed(self, name: str) -> Any:
        found = self.devices.get(name)
        if found is None:
            fail(f'robot "{self.getName()}" has no device "{name}", expected those of the PROTO Car')
        return found

    def _part(self, method: str, name: str, value: float) -> float:
        """Return a number limited to 0 to 1."""
        if not 0.0 <= value <= 1.0:
            print_error(f"Error: Driver.{method}() called with {name} {value}, expected 0 to 1")
        return max(0.0, min(1.0, float(value))) if value == value else 0.0

    def _cruises(self, method: str) -> bool:
        if self._mode != self.SPEED:
            return False
        print_error(f"Error: Driver.{method}(): there is no engine while the car drives at a cruising speed")
        return True

    def _radius(self, wheel: int) -> float:
        return self._car.front_radius if wheel in wheels.FRONT else self._car.rear_radius

    def _ways(self) -> tuple[float, ...]:
        car = self._car
        return wheels.path_lengths(self._angle, car.wheelbase, car.front_track, car.rear_track)

    def _measure(self) -> None:
        """Compute the speeds of the wheels in the last step."""
        seconds = self._step_ms / 1e3
        positions = [float(sensor.getValue()) for sensor in self._sensors]
        turned = [now - before for now, before in zip(positions, self._positions, strict=True)]
        speeds = [0.0 if math.isnan(angle) else angle / seconds for angle in turned]
        changes = [(now - before) / seconds for now, before in zip(speeds, self._speeds, strict=True)]
        self._positions, self._speeds, self._acceleration = positions, speeds, max(map(abs, changes))
        self._rpm = engine_rpm(self._car, self._gear, sum(speeds) / 4.0)

    def _push(self) -> None:
        """Apply the engine's torque, distributed to the driven wheels."""
        torque = output_torque(self._car, self._gear, self._throttle, self._rpm, self._acceleration)
        ways, speeds = self._ways(), self._speeds
        axles = dict(zip(("front", "rear"), (wheels.FRONT, wheels.REAR), strict=True))
        parts = {name: 1.0 for name, axle in axles.items() if axle in self._driven}
        if len(parts) == 2:
            (a, b), (c, d) = axles["front"], axles["rear"]
            rolled = ways[a] + ways[b], ways[c] + ways[d]
            rims = [(speeds[k] + speeds[j]) * self._radius(k) for k, j in ((a, b), (c, d))]
            parts["front"] = self._share("central", *rolled, *rims)
            parts["rear"] = 1.0 - parts["front"]
        for name, part in parts.items():
            right, left = axles[name]
            of_right = self._share(name, ways[right], ways[left], speeds[right], speeds[left])
            self._motors[right].setTorque(torque * part * of_right)
            self._motors[left].setTorque(torque * part * (1.0 - of_right))

    def _share(self, name: str, first_way: float, second_way: float, first: float, second: float) -> float:
        differential = self._differentials[name]
        if self._limits_slip:
            differential.update_share(first_way, second_way, first, second)
        return differential.share(first_way, second_way)

    antifog_lights = property(getAntifogLights, setAntifogLights)
    brake_intensity = property(getBrakeIntensity, setBrakeIntensity)
    control_mode = property(getControlMode)
    current_speed = property(getCurrentSpeed)
    dipped_beams = property(getDippedBeams, setDippedBeams)
    gear = property(getGear, setGear)
    gear_number = property(getGearNumber)
    hazard_flashers = property(getHazardFlashers, setHazardFlashers)
    indicator = property(getIndicator, setIndicator)
    rpm = property(getRpm)
    steering_angle = property(getSteeringAngle, setSteeringAngle)
    target_cruising_speed = property(getTargetCruisingSpeed, setCruisingSpeed)
    throttle = property(getThrottle, setThrottle)
    wiper_mode = property(getWiperMode, setWiperMode)
