"""U: the ute and its operator, by the report: what its sensors tell, its clutch, its speed, its files."""

from __future__ import annotations

import math
import subprocess
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from cars import Car
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3Stamped
from pictures import ROOT
from processes import ODESIM
from sensor_msgs.msg import Imu, LaserScan

from ros_bridge.controllers.ute_law import (
    CLUTCH_TORQUE,
    COLUMN_RATIO,
    DRIVE_TORQUE,
    SERVO,
    SPEEDS,
    STROKE,
    UteLaw,
    computed_steering,
    potentiometer,
    speed_at,
    steering_angle,
)
from ros_bridge.devices.lidar import LidarBridge
from ros_bridge.operator.files import SensorFile, read_rows
from ros_bridge.operator.sensors import ALARMS, TABLES
from sim_core import SimulationConfig
from sim_core.base.geometry import quaternion_from_rotation, rotate_back, rotation_from_roll_pitch_yaw
from sim_core.base.shipped import shipped_worlds
from sim_core.devices.inertial.gps import satellite_positions, visible_directions
from sim_core.scene import load_scene, parse_scene
from sim_core.session.simulation import Simulation

HEAD = "#VRML_SIM R2025a utf8\n"
KMH = 1.0 / 3.6


def test_the_laser_tells_how_strong_each_return_is() -> None:
    """361 samples 0.5° apart, up to 80 m: factor of the surface times cos of the angle to its normal."""
    red, distance = 0.5, 4.0
    look = f"appearance Appearance {{ material Material {{ diffuseColor {red} 0 0 }} }}"
    laser = (
        'Lidar { name "laser" horizontalResolution 361 fieldOfView 3.1503192998497647 numberOfLayers 1 '
        "tiltAngle 0 minRange 0.2 maxRange 80 }"
    )
    wall = f"Shape {{ {look} geometry Box {{ size 0.2 200 4 }} }}"
    text = (
        f'Pose {{ translation {distance + 0.1} 0 0 children {wall} }} Robot {{ name "r" children {laser} }}'
    )
    sim = Simulation(parse_scene(HEAD + text, "w.wbt"), SimulationConfig(sampling_period=0.0))
    device = sim.robot("r")["laser"]
    output, _ = LidarBridge(device).outputs()
    sim.step()
    message = LaserScan()
    output.constants(message)
    output.fill(message, device.reading)
    angles = np.radians(np.arange(361) * 0.5 - 90.0)
    with np.errstate(divide="ignore"):
        ranges = distance / np.cos(angles)
    seen = ranges < 80.0
    assert np.array(message.ranges)[seen] == pytest.approx(ranges[seen], rel=1e-5)
    expected = np.where(seen, (0.2 + 0.8 * red) * np.cos(angles), 0.0)
    assert np.array(message.intensities) == pytest.approx(expected, abs=1e-6)


def test_satellites_are_counted_where_the_sky_is_free(tmp_path: Path) -> None:
    """24 satellites go round twice in a sidereal day; a roof hides them all, a wall those behind it."""
    assert satellite_positions(0.0).shape == (24, 3)
    assert satellite_positions(86164.1) == pytest.approx(satellite_positions(0.0), abs=100_000.0)
    for seconds in range(0, 86_400, 7200):
        sky = visible_directions((-33.9, 151.2, 30.0), float(seconds))
        assert 4 <= len(sky) <= 12
        assert (sky[:, 2] >= math.sin(math.radians(10.0))).all()
        assert np.linalg.norm(sky, axis=1) == pytest.approx(1.0)
    free = len(visible_directions((-33.9, 151.2, 30.0), 0.032))
    west = int((visible_directions((-33.9, 151.2, 30.0), 0.032)[:, 0] < 0.0).sum())
    for around, count in (
        ("", free),
        ("Solid { translation 0 0 5 boundingObject Box { size 900 900 1 } }", 0),
        ("Solid { translation -1 0 0 boundingObject Box { size 1 900 900 } }", free - west),
    ):
        info = 'WorldInfo { gpsCoordinateSystem "WGS84" gpsReference -33.9 151.2 30 }'
        text = f'{HEAD}{info} {around} Robot {{ name "r" children GPS {{ name "gps" }} }}'
        sim = Simulation(parse_scene(text, "w.wbt"))
        sim.step()
        assert sim.robot("r")["gps"].satellites(32_000_000) == pytest.approx(
            count, abs=count not in (0, free)
        )


def test_the_steering_angle_is_computed_from_the_wheels_beside_the_measured_one() -> None:
    car = Car(UteLaw())
    assert math.isnan(computed_steering(car.measured()))
    car.law.set_points({"steering": 0.2, "accelerator": 0.15})
    car.run(6.0)
    measured = car.measured()
    assert steering_angle(measured) == pytest.approx(0.2, abs=1e-3)
    assert computed_steering(measured) == pytest.approx(0.2, rel=0.05)


@pytest.mark.parametrize("name", STROKE)
def test_potentiometers_go_from_minus_to_plus_8_6_volts(name: str) -> None:
    car = Car(UteLaw())
    assert potentiometer(name, getattr(car.measured(), name)) == pytest.approx(-8.6)
    car.law.set_points({name: 0.5})
    car.run(5.0)
    assert potentiometer(name, getattr(car.measured(), name)) == pytest.approx(0.0, abs=0.1)
    assert potentiometer(name, STROKE[name]) == pytest.approx(8.6)


def test_an_open_clutch_frees_the_steering() -> None:
    """The motor moves it no more; what pushes the wheels does. Closed again, it goes to its set point."""
    car = Car(UteLaw())
    car.law.set_points({"steering": 0.2})
    car.run(2.0)
    assert steering_angle(car.measured()) == pytest.approx(0.2, abs=1e-3)
    car.law.clutch = False
    car.law.set_points({"steering": -0.2})
    car.run(2.0)
    assert steering_angle(car.measured()) == pytest.approx(0.2, abs=0.02)
    torque = {}
    for name in ("left steering", "right steering"):
        torque[name] = car.law.commands(car.measured(), 0.025).efforts[name]
    assert set(torque.values()) == {0.0}
    car.law.clutch = True
    car.run(2.0)
    assert steering_angle(car.measured()) == pytest.approx(-0.2, abs=1e-3)


def test_the_steering_motor_turns_the_column_at_50_rpm_and_its_clutch_slips_at_10_newton_metres() -> None:
    """1.4.1: 120 W at 2000 rpm and ±24 V, a gear of 40:1 with 90 %, so 20.6 N·m, and a clutch of 10 N·m."""
    assert pytest.approx(20.6, abs=0.1) == DRIVE_TORQUE
    car = Car(UteLaw())
    wheels = [car.robot[f"{side} steering"] for side in ("left", "right")]
    at_column = sum(each.spec["maxTorque"] for each in wheels) / COLUMN_RATIO / SERVO
    assert at_column == pytest.approx(min(DRIVE_TORQUE, CLUTCH_TORQUE)) == 10.0
    standing = 2 * 0.25 * 1700.0 * 9.81 * 0.11  # N·m: friction 1 at the outer rims of two of the four wheels
    assert standing / COLUMN_RATIO / SERVO == pytest.approx(8.0, rel=0.02), "what the column wants"
    car.law.set_points({"steering": 0.5})
    car.run(0.5)
    before = steering_angle(car.measured())
    car.run(1.0)
    expected = 2000.0 / 40.0 * math.tau / 60.0 / COLUMN_RATIO
    assert steering_angle(car.measured()) - before == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("name", ["steering", *STROKE])
def test_pid_controllers_put_out_up_to_24_volts(name: str) -> None:
    pid = UteLaw().pids[name]
    for way in (1.0, -1.0):
        pid.set_point = way * 1e6
        assert pid.update(0.0, 0.025) == way * 24.0
        assert speed_at(name, way * 12.0) == pytest.approx(way * SPEEDS[name] / 2.0)
        assert speed_at(name, way * 100.0) == way * SPEEDS[name], "no amplifier gives more"


@pytest.mark.parametrize(("part", "slips"), [(0.8, False), (1.3, True)])
def test_the_clutch_slips_at_its_torque(part: float, slips: bool, tmp_path: Path) -> None:
    """Of a car that floats, so that no tyre holds a wheel: both front wheels are turned at."""
    world = fast_track(tmp_path)
    world.write_text(world.read_text().replace("WorldInfo {", "WorldInfo { gravity 0 "))
    car = Car(UteLaw(), world)
    torque = part * CLUTCH_TORQUE * COLUMN_RATIO * SERVO / 2.0
    names = [f"front {side} wheel body" for side in ("left", "right")]
    nodes = [each for each in car.sim.scene.walk() if "name" in each.fields and each["name"] in names]
    assert len(nodes) == 2
    for _ in range(20):
        car.run(0.0)
        for node in nodes:
            car.sim.supervisor.add_torque(node, (0.0, 0.0, torque))
        car.sim.step()
    assert (steering_angle(car.measured()) > 0.1) is slips


@pytest.mark.parametrize(("speed", "heading", "spin"), [(30.0, 0.0, 0.0), (60.0, 0.0, 0.0), (40.0, 0.5, 5.0)])
def test_no_crash_moves_the_rods_of_the_pedals(
    speed: float, heading: float, spin: float, tmp_path: Path
) -> None:
    """Their spindles are self-locking: into a wall at up to 216 km/h, head on and aslant."""
    world = fast_track(tmp_path)
    with world.open("a") as file:
        file.write("\nWall { translation 12 0 0 size 1 40 3 }\n")
    car = Car(UteLaw(), world)
    asked = {"accelerator": 0.5, "brake": 0.3}
    car.law.set_points(asked)
    car.run(3.0)
    velocity = (speed * math.cos(heading), speed * math.sin(heading), 0.0)
    car.sim.supervisor.set_velocity("UTE", velocity, (0.0, 0.0, spin))
    for _ in range(200):
        car.sim.step()
        for name, part in asked.items():
            assert car.robot[name].position / STROKE[name] == pytest.approx(part, abs=1e-3)
    assert car.robot.frame.pose().position[0] < 12.0, "the wall stands"


def test_radar_and_panorama_look_out_of_the_shipped_car() -> None:
    """1.2: a millimetre radar and panoramic vision are among its sensors."""
    sim = Simulation(load_scene(shipped_worlds()["ute"]), SimulationConfig(synchronization=False))
    radar, panorama = (sim.robot("ute")[name] for name in ("radar", "panorama"))
    sim.run(0.2)
    (target,) = radar.reading.value
    ahead, aside = 52.0 - (2.9 / 2.0 + 2.46), -6.0
    assert target.distance == pytest.approx(math.hypot(ahead, aside), abs=0.5)
    assert target.azimuth == pytest.approx(math.atan2(aside, ahead), abs=0.05)
    assert 299_792_458.0 / (radar.spec["frequency"] * 1e9) < 0.01, "m: millimetre waves"
    assert panorama.spec["fieldOfView"] == pytest.approx(math.tau)
    assert panorama.spec["projection"] == "cylindrical"


@pytest.mark.parametrize(
    ("strength", "dip", "tilt", "alarm"),
    [
        (1.0, 0.0, 0.0, ""),
        (1.0, 0.0, 19.0, ""),
        (1.2, 0.0, 10.0, "disturbed"),
        (0.9, 0.0, 0.0, "disturbed"),
        (1.0, 0.2, 0.0, "disturbed"),
        (1.0, 0.0, 21.0, "tilted too far"),
        (1.0, 0.0, -25.0, "tilted too far"),
        (1.2, 0.0, 30.0, "disturbed, and tilted too far"),
    ],
)
def test_the_compass_warns_of_disturbance_and_of_tilt(
    strength: float, dip: float, tilt: float, alarm: str
) -> None:
    attitude = rotation_from_roll_pitch_yaw(math.radians(tilt), 0.0, 1.0)
    north, imu = Vector3Stamped(), Imu()
    field = (0.0, strength * math.cos(dip), -strength * math.sin(dip))
    north.vector.x, north.vector.y, north.vector.z = rotate_back(attitude, field)
    q = imu.orientation
    q.x, q.y, q.z, q.w = quaternion_from_rotation(attitude)
    heading, _, roll, number = TABLES["compass"].row({"compass/north_vector": north, "tilt": imu})
    assert ALARMS[number] == alarm
    assert (heading, roll) == pytest.approx((math.degrees(math.pi / 2.0 - 1.0), tilt))


def test_a_binary_file_holds_what_a_csv_file_holds(tmp_path: Path) -> None:
    now, table = datetime(2026, 3, 4, 5, 6, 7), TABLES["info"]
    files = [SensorFile(tmp_path, "info", table, now, binary=binary) for binary in (False, True)]
    names = ("kp", "ki", "kd", "se_min", "se_max", "y_min", "y_max", "set_point")
    for number in (25, 50):
        message = DiagnosticArray()
        for actuator in ("steering", "accelerator", "brake"):
            values = [KeyValue(key=name, value=str(number + place)) for place, name in enumerate(names)]
            message.status.append(DiagnosticStatus(name=actuator, message="manual", values=values))
        for file in files:
            file.receive("info", number * 1_000_000, message)
    for file in files:
        file.close(now)
    text, binary = (file.path.read_bytes() for file in files)
    assert text.splitlines()[:2] == binary.splitlines()[:2]
    assert all(each.endswith(b"# ended 2026-03-04 05:06:07, 2 rows\n") for each in (text, binary))
    rows = read_rows(files[1].path, table)
    assert rows["timestamp_ms"].tolist() == [25.0, 50.0]
    assert rows["brake_kd"].tolist() == [27.0, 52.0]
    assert rows["mode"].tolist() == [b"manual", b"manual"]


def test_the_operator_ends_when_its_input_ends(tmp_path: Path) -> None:
    """And its files are ended: nobody could end them later."""
    command = [*ODESIM, "operator", "--folder", str(tmp_path), "--binary"]
    done = subprocess.run(
        command, input="select ins\nformat csv\n", cwd=ROOT, capture_output=True, text=True, timeout=120.0
    )
    assert done.returncode == 0 and "ins 0 rows" in done.stdout
    (file,) = tmp_path.rglob("ins.*")
    assert file.suffix == ".bin" and b"# ended" in file.read_bytes()


def fast_track(folder: Path) -> Path:
    """The shipped car on a plane without end."""
    world = shipped_worlds()["ute"]
    text = world.read_text(encoding="utf-8").replace('"../', f'"{world.parent.parent}/')
    lines = [line for line in text.splitlines() if not line.startswith(("Wall {", "SolidBox {"))]
    file = folder / "track.wbt"
    file.write_text("\n".join(lines).replace("size 120 80", "size 6000 6000"), encoding="utf-8")
    return file


def test_more_than_90_km_an_hour(tmp_path: Path) -> None:
    """Full throttle on a straight: past 90 km/h, and straight on. Then a bend of 300 m by itself."""
    car = Car(UteLaw(), fast_track(tmp_path))
    car.law.set_points({"accelerator": 1.0})
    car.run(45.0)
    assert car.speed > 90.0 * KMH
    x, y, _ = car.robot.frame.pose().position
    assert x > 500.0 and abs(y) < 5.0
    radius = 300.0
    turns = [index * math.pi / 36.0 for index in range(37)]
    car.law.route = tuple((x + radius * math.sin(a), y + radius * (1.0 - math.cos(a))) for a in turns)
    car.law.cruise_speed = 92.0 * KMH
    car.law.set_mode("automatic")
    car.track.clear()
    car.run(20.0)
    assert car.speed > 90.0 * KMH
    off = [abs(math.dist(place, (x, y + radius)) - radius) for place in car.track]
    assert max(off) < 5.0
