"""The sensors of the ute as tables: messages of a row, and columns.

Names, columns and periods follow the thesis that the ute is based on. Every row starts with its time stamp in
milliseconds of sim time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped, Vector3Stamped
from sensor_msgs.msg import Imu, JointState, LaserScan, NavSatFix

from ros_bridge.base.transformations import euler_from_quaternion, euler_matrix, of_message
from ros_bridge.controllers.ute_law import READINGS

GPS_COLUMNS = (
    "timestamp_ms",
    "latitude_deg",
    "longitude_deg",
    "altitude_m",
    "ttcourse_deg",
    "speedog_m_s",
    "vspeed_m_s",
    "sigma_lati_m",
    "sigma_longi_m",
    "sigma_alti_m",
    "mode",
    "satellites",
)
BEAMS = 361
DISTURBED, TILTED = 1, 2
ALARMS = ("", "disturbed", "tilted too far", "disturbed, and tilted too far")
"""Alarms of the compass, by number."""
MAX_DISTURBANCE = 0.05
"""Largest relative deviation of the magnetic field from the Earth's, in strength or inclination."""
MAX_TILT = math.radians(20.0)
"""Largest tilt of a compass that compensates its heading for tilt, rad."""
CONTROLLERS = ("steering", "accelerator", "brake")
CONTROLLER_VALUES = ("kp", "ki", "kd", "se_min", "se_max", "y_min", "y_max", "set_point")

Messages = Mapping[str, Any]
"""By topic; all have the same stamp."""


@dataclass(frozen=True)
class SensorTable:
    """One file of the operator.

    Attributes:
        title: first line of the file.
        topics: topic below the robot's name → message type; a row needs one message of each, of one time.
        period: s of sim time between two rows.
        columns: names with units.
        row: returns the cells after the time stamp.
        texts: columns with text; all others have numbers.
    """

    title: str
    topics: Mapping[str, Any]
    period: float
    columns: tuple[str, ...]
    row: Callable[[Messages], list[Any]]
    texts: tuple[str, ...] = ()


def gps_table(number: int) -> SensorTable:
    """Return the table of a GPS; true track course clockwise from north."""
    topic, velocity, status = f"gps{number}", f"gps{number}/velocity", f"gps{number}/status"

    def row(messages: Messages) -> list[Any]:
        fix, moving = messages[topic], messages[velocity].twist.linear
        course = math.degrees(math.atan2(moving.x, moving.y)) % 360.0
        speed = math.hypot(moving.x, moving.y)
        north, east, up = (math.sqrt(fix.position_covariance[index]) for index in (4, 0, 8))
        place = [fix.latitude, fix.longitude, fix.altitude]
        seen = {pair.key: int(pair.value) for pair in messages[status].status[0].values}
        satellites = seen["satellites"]
        return [*place, course, speed, moving.z, north, east, up, fix.status.status, satellites]

    topics = {topic: NavSatFix, velocity: TwistStamped, status: DiagnosticArray}
    return SensorTable(f"GPS {number}", topics, 0.2, GPS_COLUMNS, row)


def laser_table(number: int) -> SensorTable:
    """Return the table of a laser scanner: ranges in m from right to left, `inf` without hit, and intensities
    from 0 to 1."""
    topic = f"laser{number}"
    ranges = [f"range_{index}_m" for index in range(BEAMS)]
    columns = ("timestamp_ms", *ranges, *(f"intensity_{index}" for index in range(BEAMS)))
    title = f"laser {number}, {BEAMS} ranges over 180° and their intensities"

    def row(messages: Messages) -> list[Any]:
        scan = messages[topic]
        return [*scan.ranges, *scan.intensities]

    return SensorTable(title, {topic: LaserScan}, 0.2, columns, row)


def _compass(messages: Messages) -> list[Any]:
    """Return tilt-compensated heading clockwise from north; pitch, bow up; roll, right side down; alarm."""
    roll, pitch, _ = _attitude(messages["tilt"].orientation)
    vector = messages["compass/north_vector"].vector
    north = (euler_matrix(roll, pitch, 0.0)[:3, :3] @ (vector.x, vector.y, vector.z)).tolist()
    alarm = DISTURBED * (abs(math.hypot(*north) - 1.0) > MAX_DISTURBANCE or abs(north[2]) > MAX_DISTURBANCE)
    alarm += TILTED * (max(abs(pitch), abs(roll)) > MAX_TILT)
    heading = math.degrees(math.atan2(north[1], north[0])) % 360.0
    return [heading, -math.degrees(pitch), math.degrees(roll), alarm]


def _actuators(messages: Messages) -> list[Any]:
    state = messages["actuators"]
    values = dict(zip(state.name, state.position, strict=True))
    return [int(values["counts"]), *(values[name] for name in READINGS[1:])]


def _info(messages: Messages) -> list[Any]:
    by_name = {status.name: status for status in messages["info"].status}
    cells: list[Any] = []
    for name in CONTROLLERS:
        values = {pair.key: pair.value for pair in by_name[name].values}
        cells += [float(values[key]) for key in CONTROLLER_VALUES]
    return [*cells, by_name["steering"].message]


def _ins(messages: Messages) -> list[Any]:
    imu = messages["imu"]
    roll, pitch, _ = _attitude(imu.orientation)
    a, g = imu.linear_acceleration, imu.angular_velocity
    return [math.degrees(roll), -math.degrees(pitch), a.x, a.y, a.z, g.x, g.y, g.z]


def _attitude(q: Any) -> tuple[float, float, float]:
    """Return roll, pitch and yaw in rad of a geometry_msgs/Quaternion."""
    return euler_from_quaternion(of_message(q))


TABLES: dict[str, SensorTable] = {
    "gps1": gps_table(1),
    "gps2": gps_table(2),
    "laser1": laser_table(1),
    "laser2": laser_table(2),
    "compass": SensorTable(
        "compass",
        {"compass/north_vector": Vector3Stamped, "tilt": Imu},
        0.1,
        ("timestamp_ms", "heading_deg", "pitch_deg", "roll_deg", "alarm"),
        _compass,
    ),
    "actuators": SensorTable(
        "wheel encoder and actuators",
        {"actuators": JointState},
        0.025,
        (
            *("timestamp_ms", "counts", "accelerator", "steering_rad", "brake"),
            *("computed_steering_rad", "accelerator_V", "brake_V"),
        ),
        _actuators,
    ),
    "info": SensorTable(
        "PID settings and set points",
        {"info": DiagnosticArray},
        0.025,
        ("timestamp_ms", *(f"{name}_{value}" for name in CONTROLLERS for value in CONTROLLER_VALUES), "mode"),
        _info,
        ("mode",),
    ),
    "ins": SensorTable(
        "inertial navigation system",
        {"imu": Imu},
        0.01,
        (
            *("timestamp_ms", "bank_deg", "elev_deg", "ax_m_s2", "ay_m_s2", "az_m_s2"),
            *("gx_rad_s", "gy_rad_s", "gz_rad_s"),
        ),
        _ins,
    ),
}
"""By file name."""
