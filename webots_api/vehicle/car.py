"""A car: functions beyond those of a driver."""

from __future__ import annotations

from . import parameters, wheels
from .driver import Driver


class Car(Driver):
    """The car and its driver."""

    TRACTION, PROPULSION, FOUR_BY_FOUR = range(3)
    COMBUSTION_ENGINE, ELECTRIC_ENGINE = parameters.COMBUSTION, parameters.ELECTRIC
    PARALLEL_HYBRID_ENGINE = parameters.PARALLEL_HYBRID
    POWER_SPLIT_HYBRID_ENGINE = parameters.POWER_SPLIT_HYBRID
    WHEEL_FRONT_RIGHT, WHEEL_FRONT_LEFT, WHEEL_REAR_RIGHT, WHEEL_REAR_LEFT, WHEEL_NB = range(5)

    def getType(self) -> int:
        """Return which wheels are driven, as in Webots; not the type of the node."""
        if len(self._driven) == 2:
            return self.FOUR_BY_FOUR
        return self.TRACTION if wheels.FRONT in self._driven else self.PROPULSION

    def getEngineType(self) -> int:
        return self._car.engine

    def getTrackFront(self) -> float:
        return self._car.front_track

    def getTrackRear(self) -> float:
        return self._car.rear_track

    def getWheelbase(self) -> float:
        return self._car.wheelbase

    def getFrontWheelRadius(self) -> float:
        return self._car.front_radius

    def getRearWheelRadius(self) -> float:
        return self._car.rear_radius

    def getWheelEncoder(self, wheel_index: int) -> float:
        """Return the angle by which a wheel has turned, rad."""
        return float(self._sensors[wheel_index].getValue())

    def getWheelSpeed(self, wheel_index: int) -> float:
        """Return the mean speed of a wheel in the last step, rad/s."""
        return self._speeds[wheel_index]

    def setRightSteeringAngle(self, angle: float) -> None:
        """Steer the right wheel only; wheel speeds are not adapted."""
        self._angles[0] = float(angle)
        self._steer[0].setPosition(float(angle))

    def getRightSteeringAngle(self) -> float:
        return self._angles[0]

    def setLeftSteeringAngle(self, angle: float) -> None:
        """Steer the left wheel only; wheel speeds are not adapted."""
        self._angles[1] = float(angle)
        self._steer[1].setPosition(float(angle))

    def getLeftSteeringAngle(self) -> float:
        return self._angles[1]

    def setIndicatorPeriod(self, period: float) -> None:
        self._lights.period = float(period)

    def getIndicatorPeriod(self) -> float:
        return self._lights.period

    def getBackwardsLights(self) -> bool:
        return self._lights.is_on("backwards")

    def getBrakeLights(self) -> bool:
        return self._lights.is_on("brake")

    def enableLimitedSlipDifferential(self, enable: bool) -> None:
        """Set whether slipping wheels get less of the engine's torque."""
        self._limits_slip = bool(enable)
        for differential in self._differentials.values():
            differential.reset()

    def enableIndicatorAutoDisabling(self, enable: bool) -> None:
        """Set whether steering back switches the indicator off."""
        self._lights.turns_off = bool(enable)

    backwards_lights = property(getBackwardsLights)
    brake_lights = property(getBrakeLights)
    engine_type = property(getEngineType)
    front_wheel_radius = property(getFrontWheelRadius)
    rear_wheel_radius = property(getRearWheelRadius)
    indicator_period = property(getIndicatorPeriod, setIndicatorPeriod)
    left_steering_angle = property(getLeftSteeringAngle, setLeftSteeringAngle)
    right_steering_angle = property(getRightSteeringAngle, setRightSteeringAngle)
    track_front = property(getTrackFront)
    track_rear = property(getTrackRear)
    wheelbase = property(getWheelbase)
    type = property(getType)
