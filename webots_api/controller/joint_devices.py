"""Motors, brakes and position sensors, the devices at joints."""

from __future__ import annotations

import math
from typing import TypeVar

from .device import Device, NumberSensor, number_field

Neighbour = TypeVar("Neighbour", bound=Device)


class _JointDevice(Device):
    ROTATIONAL = 0
    LINEAR = 1

    def getType(self) -> int:
        return self.LINEAR if self._info.get("is_linear") else self.ROTATIONAL

    def _at_joint(self, what: str, kind: type[Neighbour]) -> Neighbour | None:
        """Return the device of another kind at the same joint; None: there is none."""
        tag = self._info.get(what)
        return None if tag is None else kind(tag)

    type = property(getType)


class Motor(_JointDevice):
    """A rotational or linear motor."""

    def setPosition(self, position: float) -> None:
        """Move to a position; infinity: velocity control."""
        if self._numbers("setPosition", position=position):
            self._say("set_webots_position", float(position))
            self._set("position", self._within_limits(float(position), self.getMultiplier()))
            for motor in self._siblings():
                goal = position if math.isinf(position) else position * motor.getMultiplier()
                motor._set("position", motor._within_limits(goal))

    def setVelocity(self, velocity: float) -> None:
        """Set the speed of position control, or the velocity of velocity control."""
        if self._numbers("setVelocity", velocity=velocity):
            self._set("velocity", float(velocity))
            self._say("set_webots_velocity", float(velocity))
            for motor in self._siblings():
                motor._set("velocity", velocity * motor.getMultiplier())

    def setAcceleration(self, acceleration: float) -> None:
        if self._numbers("setAcceleration", acceleration=acceleration):
            self._set("acceleration", float(acceleration))
            self._say("set_acceleration", float(acceleration))

    def setAvailableTorque(self, torque: float) -> None:
        if self._numbers("setAvailableTorque", torque=torque):
            self._set("available", float(torque))
            self._say("set_available_effort", float(torque))

    def setTorque(self, torque: float) -> None:
        """Apply a torque (N·m) or a force (N) until the next `setPosition`."""
        if self._numbers("setTorque", torque=torque):
            self._say("set_webots_effort", float(torque))

    def setControlPID(self, p: float, i: float, d: float) -> None:
        if self._numbers("setControlPID", p=p, i=i, d=d):
            self._say("set_control_pid", float(p), float(i), float(d))

    setAvailableForce = setAvailableTorque
    setForce = setTorque

    def _siblings(self) -> list[Motor]:
        """Return the motors coupled with this one, see Webots reference, Motor, Coupled Motors."""
        coupled = self._info.get("coupled")
        return [Motor(tag) for tag in coupled] if coupled else []

    def _within_limits(self, position: float, factor: float = 1.0) -> float:
        """Return a position within the limits of a joint that moves `factor` times as far."""
        low, high = sorted((self.getMinPosition() / factor, self.getMaxPosition() / factor))
        is_free = low == high or math.isinf(position)
        return position if is_free else max(low, min(high, position))

    def getTargetPosition(self) -> float:
        """Return the target within the limits; for a coupled motor, times its own multiplier."""
        return float(self._get("position", self._info.get("target", math.nan)))

    def getVelocity(self) -> float:
        """Return the velocity set last."""
        return float(self._get("velocity", self.getMaxVelocity()))

    def getAcceleration(self) -> float:
        return float(self._get("acceleration", self._field("acceleration", -1.0)))

    getMinPosition = number_field("minPosition")
    """Minimum position; 0, as the maximum, if there are no limits."""

    getMaxPosition = number_field("maxPosition")

    def getMaxVelocity(self) -> float:
        return float(self._info.get("max_velocity", math.nan))

    def getMaxTorque(self) -> float:
        return float(self._info.get("max_effort", math.nan))

    def getAvailableTorque(self) -> float:
        return float(self._get("available", self.getMaxTorque()))

    getMaxForce = getMaxTorque
    getAvailableForce = getAvailableTorque

    getMultiplier = number_field("multiplier", 1.0)

    def enableTorqueFeedback(self, samplingPeriod: int) -> None:
        self._set("period", int(samplingPeriod))
        self._say("feedback", int(samplingPeriod))

    def disableTorqueFeedback(self) -> None:
        self.enableTorqueFeedback(0)
        self._connection.values.pop(self._tag, None)

    def getTorqueFeedback(self) -> float:
        value = self._connection.values.get(self._tag)
        return math.nan if value is None else float(value)

    def getTorqueFeedbackSamplingPeriod(self) -> int:
        return int(self._get("period", 0))

    enableForceFeedback = enableTorqueFeedback
    disableForceFeedback = disableTorqueFeedback
    getForceFeedback = getTorqueFeedback
    getForceFeedbackSamplingPeriod = getTorqueFeedbackSamplingPeriod

    def getType(self) -> int:
        return self.LINEAR if self._info["type"] == "LinearMotor" else self.ROTATIONAL

    def getBrake(self) -> Brake | None:
        return self._at_joint("brake", Brake)

    def getPositionSensor(self) -> PositionSensor | None:
        return self._at_joint("sensor", PositionSensor)

    target_position = property(getTargetPosition, setPosition)
    target_velocity = property(getVelocity, setVelocity)
    target_acceleration = property(getAcceleration, setAcceleration)
    available_torque = available_force = property(getAvailableTorque, setAvailableTorque)
    torque = force = property(None, setTorque)
    min_position = property(getMinPosition)
    max_position = property(getMaxPosition)
    max_velocity = property(getMaxVelocity)
    max_torque = max_force = property(getMaxTorque)
    multiplier = property(getMultiplier)
    torque_feedback = force_feedback = property(getTorqueFeedback)
    torque_feedback_sampling_period = force_feedback_sampling_period = property(
        getTorqueFeedbackSamplingPeriod, enableTorqueFeedback
    )
    type = property(getType)
    brake = property(getBrake)
    position_sensor = property(getPositionSensor)


class Servo(Motor):
    """A joint and its motor in one node, for worlds from before Webots 7.2; its position in the file is 0.

    The position infinity means velocity control, minus infinity the same in the opposite direction.
    """

    INFINITY = math.inf

    def setControlP(self, p: float) -> None:
        """Set the gain of position control, 1/s."""
        self.setControlPID(p, 0.0, 0.0)

    def enablePosition(self, samplingPeriod: int) -> None:
        """Measure the position with a period in ms."""
        self._set("position_period", int(samplingPeriod))
        self._set("measured", math.nan)
        self._say("position", int(samplingPeriod))

    def disablePosition(self) -> None:
        self.enablePosition(0)

    def getPosition(self) -> float:
        """Return the position, rad or m; NaN until one sampling period after `enablePosition`."""
        return float(self._get("measured", math.nan))

    def getPositionSamplingPeriod(self) -> int:
        return int(self._get("position_period", 0))

    def getType(self) -> int:
        return self.LINEAR if self._field("type", "") == "linear" else self.ROTATIONAL

    setMotorForce = Motor.setAvailableForce
    enableMotorForceFeedback = Motor.enableForceFeedback
    disableMotorForceFeedback = Motor.disableForceFeedback
    getMotorForceFeedback = Motor.getForceFeedback
    getMotorForceFeedbackSamplingPeriod = Motor.getForceFeedbackSamplingPeriod
    type = property(getType)


class Brake(_JointDevice):
    """A brake at a joint."""

    def setDampingConstant(self, dampingConstant: float) -> None:
        if self._numbers("setDampingConstant", dampingConstant=dampingConstant):
            self._say("set_damping", float(dampingConstant))

    def getMotor(self) -> Motor | None:
        return self._at_joint("motor", Motor)

    def getPositionSensor(self) -> PositionSensor | None:
        return self._at_joint("sensor", PositionSensor)

    damping_constant = property(None, setDampingConstant)
    motor = property(getMotor)
    position_sensor = property(getPositionSensor)


class PositionSensor(_JointDevice, NumberSensor):
    """Measures the position of a joint, rad or m."""

    def getMotor(self) -> Motor | None:
        return self._at_joint("motor", Motor)

    def getBrake(self) -> Brake | None:
        return self._at_joint("brake", Brake)

    motor = property(getMotor)
    brake = property(getBrake)
