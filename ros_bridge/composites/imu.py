"""`/R/imu`: one sensor_msgs/Imu from the Gyro, Accelerometer and InertialUnit on one solid."""

from __future__ import annotations

from typing import Any

from sensor_msgs.msg import Imu

from ros_bridge.devices.imu_parts import FILL, mark_absent
from ros_bridge.topics.conversions import fill_time
from ros_bridge.topics.records import Filler, Publication, filled_by
from sim_core.base.clock import common_period
from sim_core.devices import Sensor
from sim_core.session.robot import Robot


class ImuFiller(Filler):
    """Fills an Imu from readings of the same time.

    Attributes:
        sensors: the parts, the first of each type.
        period_ns: time after which all of them have a new reading, or nearly so, see `common_period`.
    """

    def __init__(self, sensors: list[Sensor]) -> None:
        self.sensors = tuple(sensors)
        self.period_ns = common_period(
            [sensor.period_ns for sensor in sensors], sensors[0].world.clock.step_ns
        )
        self._is_late = any(sensor.is_late for sensor in sensors)
        parts = [FILL[type(sensor)] for sensor in sensors]
        self._present = tuple(name for name, _ in parts)
        self._fill = [(sensor, fill) for sensor, (_, fill) in zip(sensors, parts, strict=True)]

    def constants(self, message: Any) -> None:
        """Mark the parts that no sensor measures."""
        mark_absent(message, self._present)

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill all parts; if readings are delayed, the stamp is that of the oldest."""
        for sensor, fill in self._fill:
            if sensor.reading is not None:
                fill(message, sensor.reading)
        if self._is_late:
            stamps = [sensor.reading.time_ns for sensor in self.sensors if sensor.reading is not None]
            fill_time(message.header.stamp, min(stamps, default=time_ns))

    def publication(self, name: str, frame: str, robot: str, always_on: bool = False) -> Publication:
        """Return its topic."""
        return filled_by(
            *(self, name, Imu),
            period_ns=self.period_ns,
            sensors=self.sensors,
            frame_id=frame,
            always_on=always_on,
            robot=robot,
        )


def find_imu(robot: Robot) -> ImuFiller | None:
    """Find a robot's IMU: the first solid that carries at least two of the three parts; None: no IMU."""
    solids: dict[Any, dict[type, Sensor]] = {}
    for device in robot.devices.values():
        if type(device) in FILL and isinstance(device, Sensor):
            solids.setdefault(device.spec.above[0], {}).setdefault(type(device), device)
    for kinds in solids.values():
        if len(kinds) >= 2:
            return ImuFiller(list(kinds.values()))
    return None
