"""Sensors that measure a few numbers."""

from __future__ import annotations

import math

from .device import HasLookupTable, NumberSensor, Sensor, VectorSensor, number_field


class Accelerometer(HasLookupTable, VectorSensor):
    """Measures acceleration, m/s², including gravity."""


class Gyro(Accelerometer):
    """Measures angular velocity, rad/s."""


class Compass(Accelerometer):
    """Measures the direction to north, a unit vector in the device's axes."""


class Altimeter(NumberSensor):
    """Measures height, m."""


class GPS(Sensor):
    """Measures position, m, or latitude and longitude in degrees and altitude in m."""

    LOCAL = 0
    WGS84 = 1

    def getValues(self) -> list[float]:
        reading = self._reading("getValues")
        return [math.nan] * 3 if reading is None else list(reading[:3])

    def getSpeed(self) -> float:
        reading = self._reading("getSpeed")
        return math.nan if reading is None else float(reading[3])

    def getSpeedVector(self) -> list[float]:
        reading = self._reading("getSpeedVector")
        return [math.nan] * 3 if reading is None else list(reading[4:7])

    def getCoordinateSystem(self) -> int:
        return self.WGS84 if self._info.get("is_geographic") else self.LOCAL

    @staticmethod
    def convertToDegreesMinutesSeconds(decimalDegree: float) -> str:
        """Return degrees, minutes and seconds as text, each with its sign, as Webots does."""
        degrees = int(decimalDegree)
        rest = (decimalDegree - degrees) * 60.0
        minutes = int(rest)
        seconds = int((rest - minutes) * 60.0)
        return f"{degrees}° {minutes}′ {seconds}″"

    value = values = property(getValues)
    speed = property(getSpeed)
    speed_vector = property(getSpeedVector)
    coordinate_system = property(getCoordinateSystem)


class InertialUnit(Sensor):
    """Measures orientation in the world."""

    def getRollPitchYaw(self) -> list[float]:
        reading = self._reading("getRollPitchYaw")
        return [math.nan] * 3 if reading is None else list(reading[:3])

    def getQuaternion(self) -> list[float]:
        """Return the quaternion x, y, z, w."""
        reading = self._reading("getQuaternion")
        return [math.nan] * 4 if reading is None else list(reading[3:7])

    getNoise = number_field("noise")

    roll_pitch_yaw = property(getRollPitchYaw)
    quaternion = property(getQuaternion)
    noise = property(getNoise)


class DistanceSensor(HasLookupTable, NumberSensor):
    """Measures distance to obstacles, converted by the lookup table."""

    GENERIC = 0
    INFRA_RED = 1
    SONAR = 2
    LASER = 3

    def getType(self) -> int:
        kinds = {"infra-red": self.INFRA_RED, "sonar": self.SONAR, "laser": self.LASER}
        return kinds.get(str(self._field("type", "generic")).lower(), self.GENERIC)

    getAperture = number_field("aperture")

    def getMaxValue(self) -> float:
        return float(max((row[1] for row in self._field("lookupTable", [])), default=math.inf))

    def getMinValue(self) -> float:
        return float(min((row[1] for row in self._field("lookupTable", [])), default=0.0))

    type = property(getType)
    aperture = property(getAperture)
    max_value = property(getMaxValue)
    min_value = property(getMinValue)


class LightSensor(HasLookupTable, NumberSensor):
    """Measures irradiance, converted by the lookup table."""


class TouchSensor(HasLookupTable, Sensor):
    """A bumper or a force sensor."""

    BUMPER = 0
    FORCE = 1
    FORCE3D = 2

    def getType(self) -> int:
        kinds = {"force": self.FORCE, "force-3d": self.FORCE3D}
        return kinds.get(str(self._field("type", "bumper")).lower(), self.BUMPER)

    def getValue(self) -> float:
        reading = self._reading()
        if reading is None or isinstance(reading, list):
            return math.nan
        return float(reading)

    def getValues(self) -> list[float]:
        reading = self._reading("getValues")
        return list(reading) if isinstance(reading, list) else [math.nan] * 3

    type = property(getType)
    value = property(getValue)
    values = property(getValues)


class PresenceSensor(Sensor):
    """A device that detects presence; `enablePresence` is another name for `enable`."""

    def enablePresence(self, samplingPeriod: int) -> None:
        self.enable(samplingPeriod)

    def disablePresence(self) -> None:
        self.disable()

    def getPresenceSamplingPeriod(self) -> int:
        return self.getSamplingPeriod()


class Connector(PresenceSensor):
    """A docking mechanism."""

    def getPresence(self) -> int:
        reading = self._reading("getPresence")
        return -1 if reading is None else int(reading[0])

    def isLocked(self) -> bool:
        reading = self._connection.values.get(self._tag)
        return bool(self._get("locked", self._field("isLocked", False) if reading is None else reading[1]))

    def lock(self) -> None:
        self._set("locked", True)
        self._say("lock")

    def unlock(self) -> None:
        self._set("locked", False)
        self._say("unlock")

    presence = property(getPresence)


class VacuumGripper(PresenceSensor):
    """Holds objects that touch it."""

    def turnOn(self) -> None:
        self._set("on", True)
        self._say("turn_on")

    def turnOff(self) -> None:
        self._set("on", False)
        self._say("turn_off")

    def isOn(self) -> bool:
        return bool(self._get("on", self._field("isOn", False)))

    def getPresence(self) -> bool:
        return bool(self._reading("getPresence"))

    presence = property(getPresence)


class RadarTarget:
    """A target found by a radar."""

    def __init__(self, distance: float, received_power: float, speed: float, azimuth: float) -> None:
        self.distance = distance
        self.received_power = received_power
        self.speed = speed
        self.azimuth = azimuth

    def getDistance(self) -> float:
        return self.distance

    def getReceivedPower(self) -> float:
        return self.received_power

    def getSpeed(self) -> float:
        return self.speed

    def getAzimuth(self) -> float:
        return self.azimuth


class Radar(Sensor):
    """Measures distance, power, speed and azimuth of targets."""

    def getTargets(self) -> list[RadarTarget]:
        return [RadarTarget(*each) for each in self._reading("getTargets") or ()]

    def getNumberOfTargets(self) -> int:
        return len(self._reading("getNumberOfTargets") or ())

    getMinRange = number_field("minRange")
    getMaxRange = number_field("maxRange")
    getHorizontalFov = number_field("horizontalFieldOfView")
    getVerticalFov = number_field("verticalFieldOfView")

    targets = property(getTargets)
    number_of_targets = property(getNumberOfTargets)
    min_range = property(getMinRange)
    max_range = property(getMaxRange)
    horizontal_fov = property(getHorizontalFov)
    vertical_fov = property(getVerticalFov)
