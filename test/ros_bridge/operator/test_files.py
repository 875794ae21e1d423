"""The operator's files: rows of messages of one time, separate folders, each number against a formula."""

import csv
import math
from datetime import datetime
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import TwistStamped, Vector3Stamped
from sensor_msgs.msg import Imu, NavSatFix

from ros_bridge.operator.files import RecordingFiles, SensorFile, new_folder
from ros_bridge.operator.sensors import TABLES
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import quaternion_from_rotation as quaternion
from sim_core.base.geometry import rotate_back, rotation_from_roll_pitch_yaw

NOW = datetime(2026, 3, 4, 5, 6, 7)


def rows_of(path: Path) -> tuple[str, list[dict[str, str]], str]:
    first, *table, last = path.read_text(encoding="utf-8").splitlines()
    return first, list(csv.DictReader(table)), last


def fix() -> NavSatFix:
    message = NavSatFix(latitude=-33.5, longitude=151.25, altitude=30.5)
    message.position_covariance[0], message.position_covariance[4] = 0.04, 0.09
    message.position_covariance[8] = 0.25
    return message


def velocity(x: float, y: float) -> TwistStamped:
    message = TwistStamped()
    message.twist.linear.x, message.twist.linear.y, message.twist.linear.z = x, y, 0.5
    return message


def satellites(count: int) -> DiagnosticArray:
    values = [KeyValue(key="satellites", value=str(count))]
    return DiagnosticArray(status=[DiagnosticStatus(values=values)])


def test_a_gps_row(tmp_path: Path) -> None:
    """Course clockwise from north: 3 m/s east and −3 m/s north is 135°; sigmas are roots of variances."""
    file = SensorFile(tmp_path, "gps1", TABLES["gps1"], NOW)
    file.receive("gps1", 200_000_000, fix())
    assert file.rows == 0
    file.receive("gps1/velocity", 200_000_000, velocity(3.0, -3.0))
    file.receive("gps1/status", 200_000_000, satellites(9))
    file.close(NOW)
    first, (row,), last = rows_of(file.path)
    assert first == "# GPS 1, from 2026-03-04 05:06:07"
    assert last == "# ended 2026-03-04 05:06:07, 1 rows"
    numbers = {name: float(value) for name, value in row.items() if value}
    assert numbers == pytest.approx(
        {
            "timestamp_ms": 200.0,
            "latitude_deg": -33.5,
            "longitude_deg": 151.25,
            "altitude_m": 30.5,
            "ttcourse_deg": 135.0,
            "speedog_m_s": math.hypot(3.0, 3.0),
            "vspeed_m_s": 0.5,
            "sigma_lati_m": 0.3,
            "sigma_longi_m": 0.2,
            "sigma_alti_m": 0.5,
            "mode": -2.0,  # NavSatStatus: unknown
            "satellites": 9.0,
        }
    )


def test_rows_are_joined_by_stamp_whatever_the_order_and_written_once(tmp_path: Path) -> None:
    file = SensorFile(tmp_path, "gps1", TABLES["gps1"], NOW)
    for stamp in (200, 400, 600):
        file.receive("gps1", stamp * 1_000_000, fix())
        file.receive("gps1/status", stamp * 1_000_000, satellites(9))
    for stamp in (200, 600):  # the velocity of 400 ms is lost
        file.receive("gps1/velocity", stamp * 1_000_000, velocity(1.0, 0.0))
    for topic, message in (("gps1", fix()), ("gps1/velocity", velocity(1.0, 0.0))):  # sent again
        file.receive(topic, 600_000_000, message)
    file.close(NOW)
    assert [row["timestamp_ms"] for row in rows_of(file.path)[1]] == ["200", "600"]


@pytest.mark.parametrize(
    ("heading", "pitch", "roll"), [(0.0, 0.0, 0.0), (75.0, 10.0, -5.0), (310.0, -19.0, 8.0)]
)
def test_a_compass_row_takes_the_tilt_out(tmp_path: Path, heading: float, pitch: float, roll: float) -> None:
    """The north vector of a tilted device, made by rotating north (+y) into it."""
    attitude = rotation_from_roll_pitch_yaw(
        math.radians(roll), -math.radians(pitch), math.radians(90.0 - heading)
    )
    north, tilt = Vector3Stamped(), Imu()
    north.vector.x, north.vector.y, north.vector.z = rotate_back(attitude, (0.0, 1.0, 0.0))
    q = tilt.orientation
    q.x, q.y, q.z, q.w = quaternion(attitude)
    found = TABLES["compass"].row({"compass/north_vector": north, "tilt": tilt})
    assert found == pytest.approx([heading, pitch, roll, 0], abs=1e-6)


def test_no_folder_is_used_twice(tmp_path: Path) -> None:
    tables = [("ins", TABLES["ins"])]
    first, second = (new_folder(tmp_path / "runs", "ute", NOW) for _ in range(2))
    assert (first.name, second.name) == ("ute_2026-03-04_05-06-07", "ute_2026-03-04_05-06-07_2")
    recordings = [RecordingFiles(tmp_path / "runs", "ute", tables) for _ in range(2)]
    assert recordings[0].folder != recordings[1].folder
    for each in recordings:
        assert each.close().endswith("ins 0 rows")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="expected a folder that can be written"):
        new_folder(tmp_path / "file", "ute", NOW)
