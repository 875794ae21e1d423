"""Controllers in Webots' Python, started by a real simulation."""

import re
import socket
import struct
import subprocess
import sys
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controller_runs import run_project, said, write_controllers
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Int32MultiArray, String

from webots_api.controller.connection import PROTOCOL
from webots_api.controller.wire import Incoming, WireError, pack, receive, unpack

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., list[str]]


@pytest.fixture
def run_controller(tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any]) -> Run:
    """Runs the small world, or another text, with a controller of this source; what it printed."""

    def run(source: str, duration: float = 0.1, world: str | None = None) -> list[str]:
        sim = run_project(
            tmp_path, simulate, world or world_file("mine", sync=True), {"mine": source}, duration
        )
        assert sim.code == 0, sim.lines
        return said(sim, "robot1")

    return run


def test_a_sensor_is_sampled_from_enable_on_at_its_period(run_controller: Run) -> None:
    """4 ms steps, a period of 8 ms: NaN until 8 ms after `enable`, then a new value every 8 ms."""
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
robot.step(4)
gps = robot.getDevice("gps")
gps.enable(8)
print("value", robot.getTime(), gps.getValues()[0])
while robot.step(4) != -1:
    print("value", robot.getTime(), gps.getValues()[0])
print("over")
"""
    )
    values = [line.split()[1:] for line in lines if line.startswith("value")]
    times = [float(time) for time, _ in values]
    assert times == pytest.approx([0.004 * k for k in range(1, 26)])
    assert [text for _, text in values[:2]] == ["nan", "nan"]
    seen = [text for _, text in values[2:]]
    assert "nan" not in seen
    assert all(seen[k] == seen[k + 1] for k in range(0, len(seen) - 1, 2))
    assert len(set(seen[::2])) == len(seen[::2])  # its noise is new each time
    assert lines[-1] == "over"


def test_a_scan_is_blank_between_the_next_step_and_its_first_sample(run_controller: Run) -> None:
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
lidar, camera, depths = (robot.getDevice(name) for name in ("lidar", "camera", "depths"))
for device in (lidar, camera, depths):
    device.enable(8)
lidar.enablePointCloud()
print(lidar.getRangeImage(), lidar.getPointCloud(), camera.getImage(), depths.getRangeImage())
robot.step(4)
print(lidar.getRangeImage(), len(lidar.getPointCloud()), camera.getImage(), depths.getRangeImage())
lidar.disable()
robot.step(4)
lidar.enable(4)
print(lidar.getRangeImage())
robot.step(4)
print(len(lidar.getRangeImage()), 0.0 in lidar.getRangeImage(), lidar.getPointCloud()[0].x == 0.0)
""",
        world="""
WorldInfo { basicTimeStep 4 }
Robot { name "robot1" controller "mine" children [
  Lidar { name "lidar" horizontalResolution 3 numberOfLayers 2 }
  Camera { name "camera" width 1 height 2 }
  RangeFinder { name "depths" width 2 height 1 }
] }
""",
    )
    lines = [line for line in lines if "not enabled" not in line]
    assert lines[0] == "None None None None"
    assert lines[1] == f"{[0.0] * 6} 6 {bytes(8)!r} {[0.0, 0.0]}"
    assert lines[2:] == ["None", "6 False False"]


def test_straight_ahead_is_in_the_middle_of_a_scan_and_left_is_before_it(run_controller: Run) -> None:
    """Of a rotating head too: 2 m ahead a post, 1 m to the left another; columns are 2π/360 apart."""
    post = 'Solid { name "%s" translation %s children Shape { geometry Cylinder { radius 0.05 height 1 } } }'
    lidar = (
        'Lidar { name "%s" %s fieldOfView 6.283185307 horizontalResolution 360 numberOfLayers 1 maxRange 9 }'
    )
    kinds = lidar % ("fixed", "") + lidar % ("rotating", 'type "rotating" defaultFrequency 10')
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
lidars = [robot.getDevice(name) for name in ("fixed", "rotating")]
for lidar in lidars:
    lidar.enable(100)
    lidar.enablePointCloud()
robot.step(400)
for lidar in lidars:
    image, cloud = lidar.getRangeImage(), lidar.getPointCloud()
    for post in (range(60, 120), range(150, 210)):
        hit = [k for k in post if image[k] < 5]
        nearest = min(hit, key=image.__getitem__)
        point = cloud[nearest]
        print(sum(hit) / len(hit), image[nearest], point.x, point.y)
""",
        duration=1.0,
        world="WorldInfo { basicTimeStep 4 } "
        + post % ("ahead", "2 0 0")
        + post % ("left", "0 1 0")
        + 'Robot { name "robot1" controller "mine" children [ '
        + kinds
        + " ] }",
    )
    found = [[float(word) for word in line.split()] for line in lines]
    for (left, near, x, y), (ahead, far, front, beside) in (found[:2], found[2:]):
        assert (left, ahead) == (pytest.approx(89.5, abs=1.0), pytest.approx(179.5, abs=1.0))
        assert (near, far) == (pytest.approx(0.95, abs=2e-3), pytest.approx(1.95, abs=2e-3))
        assert (x, y, front, beside) == pytest.approx((0.0, 0.95, 1.95, 0.0), abs=0.04)


def test_a_step_of_the_controller_may_be_longer_and_is_rounded_up(run_controller: Run) -> None:
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
print("time", robot.getTime())
while robot.step(18) != -1:
    print("time", robot.getTime())
"""
    )
    assert [float(line.split()[1]) for line in lines] == pytest.approx([0.02 * k for k in range(6)])


def test_a_motor_turns_at_the_velocity_once_the_position_is_infinite(run_controller: Run) -> None:
    """Without a position it stands; with an infinite one, of either sign, angle = velocity·time."""
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
left, right = robot.getDevice("motor left"), robot.getDevice("motor right")
encoder = left.getPositionSensor()
encoder.enable(4)
left.setVelocity(2.0)
right.setVelocity(2.0)
robot.step(200)
print("angle", encoder.getValue())
for motor in (left, right):
    motor.setPosition(float("inf"))
robot.step(1000)
print("angle", encoder.getValue())
for motor in (left, right):
    motor.setPosition(-float("inf"))
    motor.setVelocity(-1.0)
robot.step(1000)
print("angle", encoder.getValue())
left.setVelocity(2.0)
left.setPosition(encoder.getValue() + 0.5)
right.setPosition(float("nan"))
right.setVelocity(0)
robot.step(1000)
print("turned", encoder.getValue())
""",
        duration=5.0,
    )
    before, after, last = (float(line.split()[1]) for line in lines if line.startswith("angle"))
    turned = next(float(line.split()[1]) for line in lines if line.startswith("turned"))
    assert before == pytest.approx(0.0, abs=1e-3)
    assert after - before == pytest.approx(2.0, rel=0.01)
    assert last - after == pytest.approx(-1.0, rel=0.02)
    assert turned - last == pytest.approx(0.5, abs=0.01)
    assert any(re.search(r"setPosition\(\).*'position'.*NaN", line) for line in lines)


ALL_SENSORS = """
import hashlib
from controller import Robot
robot = Robot()
left, right = robot.getDevice("motor left"), robot.getDevice("motor right")
for motor in (left, right):
    motor.setPosition(float("inf"))
    motor.enableTorqueFeedback(4)
left.setVelocity(3.0)
right.setVelocity(2.0)
sensors = [robot.getDevice(name) for name in ("ds", "gps", "compass", "gyro", "accelerometer", "encoder")]
unit = robot.getDevice("inertial unit")
for sensor in [*sensors, unit]:
    sensor.enable(4)
hashed = hashlib.sha256()
while robot.step(4) != -1:
    values = [s.getValues() if hasattr(s, "getValues") else s.getValue() for s in sensors]
    values += [unit.getRollPitchYaw(), unit.getQuaternion(), left.getTorqueFeedback()]
    hashed.update(repr((robot.getTime(), values)).encode())
    if sensors[0].getValue() < 100:
        left.setVelocity(-3.0)
print("hash", hashed.hexdigest())
print("last", values)
"""


def test_two_runs_are_identical(run_controller: Run) -> None:
    first, second = (run_controller(ALL_SENSORS, duration=2.0) for _ in range(2))
    assert first == second
    assert "nan" not in first[-1]


PAIR = """
WorldInfo { basicTimeStep 10 }
Robot { name "robot1" controller "mine" children [ Emitter { name "emitter" channel 3 } ] }
Robot { name "robot2" translation 2 0 0 controller "ear" children [ Receiver { name "receiver" channel 3 } ] }
"""


def test_packets_go_from_robot_to_robot(tmp_path: Path, simulate: Callable[..., Any]) -> None:
    """Sent in one step they are there after it; the strength is 1/r²."""
    mouth = """
from controller import Robot
robot = Robot()
emitter = robot.getDevice("emitter")
emitter.send([1.5, -2.0, 3.25])
emitter.send("hello")
emitter.send(b"\\x00\\x01")
while robot.step(10) != -1:
    pass
"""
    ear = """
from controller import Robot
robot = Robot()
receiver = robot.getDevice("receiver")
receiver.enable(10)
robot.step(10)
print(receiver.getQueueLength(), receiver.getFloats(), receiver.getSignalStrength())
print(receiver.getEmitterDirection())
receiver.nextPacket()
print(receiver.getString(), receiver.getBytes())
receiver.nextPacket()
print(receiver.getBytes())
receiver.nextPacket()
receiver.nextPacket()
while robot.step(10) != -1:
    pass
"""
    sim = run_project(tmp_path, simulate, PAIR, {"mine": mouth, "ear": ear})
    lines = said(sim, "robot2")
    assert lines[0] == "3 [1.5, -2.0, 3.25] 0.25"
    assert lines[1] == "[-1.0, 0.0, 0.0]"
    assert lines[2] == "hello b'hello\\x00'"
    assert lines[3] == "b'\\x00\\x01'"
    assert len(lines) == 4  # a queue that is empty stays so, and nothing is said, as in Webots


SPEEDS = """
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "robot1" controller "mine" children [
  SliderJoint { endPoint Solid { name "by hand" linearVelocity 0 0 -2 children GPS { name "by hand" } } }
  SliderJoint { endPoint Solid { name "body" linearVelocity 0 0 3 boundingObject Sphere { radius 0.1 }
    physics Physics { damping Damping { linear 0 } } children GPS { name "body" } } } ] }
"""


def test_the_speed_of_a_gps_without_physics_is_known_from_its_second_reading_on(run_controller: Run) -> None:
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
gps = [robot.getDevice(name) for name in ("by hand", "body")]
for each in gps:
    each.enable(10)
for _ in range(3):
    print(*(round(each.getSpeed(), 9) for each in gps), gps[0].getSpeedVector()[2])
    robot.step(10)
""",
        world=SPEEDS,
    )
    assert lines == ["nan nan nan", "nan 3.0 nan", "2.0 3.0 -2.0"]


COUPLED = """
WorldInfo { basicTimeStep 10 }
Robot { name "robot1" controller "mine" children [
  HingeJoint { device RotationalMotor { name "g::a" multiplier 2 minPosition -3 maxPosition 1 }
               endPoint Solid { name "a" } }
  HingeJoint { device RotationalMotor { name "g::b" multiplier -1 minPosition -0.5 maxPosition 1.5 }
               endPoint Solid { name "b" } }
  Receiver { name "ear" } Compass { name "compass" } ] }
"""


def test_what_is_told_of_targets_empty_queues_sensors_put_off_and_no_battery(run_controller: Run) -> None:
    """Limits hold for the joint, which goes `multiplier` times as far as the motor is told; see Webots'
    motor.c, receiver.c and gps.c."""
    lines = run_controller(
        """
from controller import GPS, Robot
robot = Robot()
a, b, ear = (robot.getDevice(name) for name in ("g::a", "g::b", "ear"))
robot.batterySensorEnable(10)
ear.enable(10)
compass = robot.getDevice("compass")
compass.enable(10)
for position in (0.25, 7, -7, -float("inf")):
    a.setPosition(position)
    print(a.getTargetPosition(), b.getTargetPosition())
b.setVelocity(-1.5)
print(a.getVelocity(), b.getVelocity())
robot.step(10)
print(robot.batterySensorGetValue(), ear.getDataSize(), ear.getEmitterDirection(), ear.getBytes())
print(*map(GPS.convertToDegreesMinutesSeconds, (10.513, -10.513)), sep=", ")
north = compass.getValues()
compass.disable()
robot.step(10)
print(compass.getSamplingPeriod(), round(north[0] ** 2 + north[1] ** 2, 9), compass.getValues() == north)
""",
        world=COUPLED,
    )
    said = [line for line in lines if "Error" not in line and "clamped" not in line]
    assert said == [
        *("0.25 -0.25", "0.5 -0.5", "-1.5 1.5", "-inf -inf", "-3.0 -1.5", "-1.0 -1 [] b''"),
        "10° 30′ 46″, -10° -30′ -46″",
        "0 1.0 True",
    ]


CROWDED = """
WorldInfo { basicTimeStep 10 }
Robot { name "robot1" controller "mine" children [
  Emitter { name "mouth" range 3 maxRange 5 allowedChannels [ 0 2 -1 ] bufferSize 6 }
] }
Robot { name "robot2" controller "ear" children Receiver { name "ear" channel 2 bufferSize 5 } }
"""


def test_limits_of_emitters_and_receivers_are_those_of_webots(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """emitter.c and receiver.c: ranges go up to maxRange, channels are allowed or refused, a queue of unread
    packets takes no more than `bufferSize`, next_packet on an empty queue does nothing."""
    mouth = """
from controller import Robot
robot = Robot()
mouth = robot.getDevice("mouth")
for range in (4, 9, -1, -2):
    mouth.setRange(range)
    print(mouth.getRange())
for channel in (2, 1, -1, -2):
    mouth.setChannel(channel)
    print(mouth.getChannel())
print(mouth.getBufferSize(), mouth.send(b"12345"), mouth.send(b"12"), mouth.send(b"1"), mouth.send(b""))
robot.step(10)
print(mouth.send(b"67"), mouth.send(b""))
robot.step(10)
"""
    ear = """
from controller import Robot
robot = Robot()
ear = robot.getDevice("ear")
ear.enable(10)
ear.nextPacket()
robot.step(30)
print(ear.getQueueLength(), ear.getBytes(), ear.getChannel())
ear.setChannel(-1)
ear.disable()
robot.step(10)
print(ear.getQueueLength())
ear.nextPacket()
print(ear.getQueueLength(), ear.getChannel(), ear.getDataSize())
"""
    sim = run_project(tmp_path, simulate, CROWDED, {"mine": mouth, "ear": ear}, 0.1)
    assert sim.code == 0, sim.lines
    spoken = [line for line in said(sim, "robot1") if "Error" not in line]
    assert spoken == [
        *("4.0", "5.0", "5.0", "5.0", "2", "2", "-1", "-1"),
        *("6 1 0 1 0", "1 0"),
    ]
    heard = [line for line in said(sim, "robot2") if "Error" not in line]
    assert heard == ["1 b'12345' 2", "1", "0 -1 -1"]  # b"1" finds room for none of its bytes, nor does b"67"


TALKER = """
WorldInfo { basicTimeStep 32 }
Robot { name "robot1" controller "mine" children Speaker { name "speaker" } }
"""


def test_a_speaker_tells_at_once_what_it_plays(run_controller: Run, tmp_path: Path) -> None:
    """Webots' speaker.c keeps itself what was played and spoken, and hears later what is over."""
    sound = tmp_path / "controllers" / "mine" / "beep.wav"
    sound.parent.mkdir(parents=True)
    with wave.open(str(sound), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(2 * 4000))  # half a second
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
speaker = robot.getDevice("speaker")
def say():
    print(speaker.isSpeaking(), speaker.isSoundPlaying("beep.wav"), speaker.isSoundPlaying(None))
robot.step(32)
say()
print(speaker.setLanguage("fr-FR"), speaker.setLanguage("xx-XX"), speaker.getLanguage())
print(speaker.setEngine("pico"), speaker.setEngine("other"), speaker.getEngine())
speaker.speak("Hello!", 0.1)
say()
robot.step(32)
say()
speaker.stop()
speaker.playSound(speaker, speaker, "beep.wav", 2.0, 1.0, 0.0, False)
say()
robot.step(320)
say()
robot.step(320)
say()
speaker.playSound(speaker, speaker, "beep.wav", 1.0, 1.0, 0.0, True)
robot.step(32)
speaker.stop("beep.wav")
say()
""",
        duration=1.0,
        world=TALKER,
    )
    said = [line for line in lines if "texts are not heard" not in line]
    assert any("Warning: Speaker: found volume 2" in line for line in said)
    assert [line for line in said if "Warning" not in line] == [
        *("False False False", "True False fr-FR", "True False pico"),
        *("True False True", "True False True", "False True True", "False True True"),
        *("False False False", "False False False"),
    ]


DRY = """
WorldInfo { basicTimeStep 32 }
Robot { name "robot1" controller "mine" battery [ 1 2 1 ] cpuConsumption 10 children GPS { name "gps" } }
"""


def test_an_empty_battery_is_told_once_and_then_it_is_over(run_controller: Run) -> None:
    """1 J/(10 W·0.032 s) = 3.1: in the fourth step it is empty, of which sensors tell nothing any more; the
    battery does, whatever its sampling period."""
    lines = run_controller(
        """
from controller import Robot
robot = Robot()
robot.batterySensorEnable(96)
gps = robot.getDevice("gps")
gps.enable(32)
def say(answer):
    print(answer, f"{robot.getTime():.3f}", round(robot.batterySensorGetValue(), 6))
for _ in range(6):
    say(robot.step(32))
""",
        duration=0.5,
        world=DRY,
    )
    said = [line for line in lines if "battery is empty" not in line]
    assert said == [
        *("0 0.032 nan", "0 0.064 nan", "0 0.096 0.04", "0 0.128 0.0", "-1 0.128 0.0", "-1 0.128 0.0"),
    ]


ROOM = """
WorldInfo { basicTimeStep 32 }
Viewpoint { }
Background { skyColor [ 0 0 1 ] }
DirectionalLight { direction 1 0 -1 ambientIntensity 1 }
Solid { translation 2 1.5 0 children DEF BOX Shape { appearance PBRAppearance {
  baseColor 1 0 0 roughness 1 metalness 0 } geometry Box { size 0.1 3 3 } } boundingObject USE BOX }
Robot { name "robot1" controller "mine" children [
  Camera { name "camera" width 16 height 8 fieldOfView 1 }
  RangeFinder { name "depth" width 16 height 8 fieldOfView 1 maxRange 10 }
  Lidar { name "lidar" horizontalResolution 16 fieldOfView 1 numberOfLayers 1 maxRange 10 }
  Display { name "display" width 4 height 3 } ] }
"""


def test_pictures_and_scans_go_from_left_to_right(run_controller: Run) -> None:
    """A red wall 1.95 m ahead stands on the left (+y) alone."""
    lines = run_controller(
        """
from controller import Camera, RangeFinder, Robot
robot = Robot()
camera, depth, lidar = (robot.getDevice(name) for name in ("camera", "depth", "lidar"))
print(camera.getImage(), lidar.getRangeImage())
for sensor in (camera, depth, lidar):
    sensor.enable(32)
lidar.enablePointCloud()
robot.step(32)
image, width = camera.getImage(), camera.getWidth()
print(len(image), [Camera.imageGetRed(image, width, x, 4) > 100 for x in (1, 14)])
array = camera.getImageArray()
print(len(array), len(array[0]), array[1][4][0] == Camera.imageGetRed(image, width, 1, 4))
print(depth.getRangeImage()[4 * 16 + 1], depth.getRangeImageArray()[14][4])
ranges, points = lidar.getRangeImage(), lidar.getPointCloud()
print(points[0].x, points[0].y > 0, ranges[15], len(ranges), lidar.getNumberOfPoints())
display = robot.getDevice("display")
display.setColor(0xFF0000)
display.fillRectangle(0, 0, 2, 3)
display.imageSave(None, "shown.png")
print(camera.saveImage("seen.png", 100))
robot.step(32)
""",
        duration=1.0,
        world=ROOM,
    )
    lines = [line for line in lines if "not enabled" not in line]
    assert lines[0] == "None None"
    assert lines[1] == f"{16 * 8 * 4} [True, False]"
    assert lines[2] == "16 8 True"
    near, far = lines[3].split()
    assert float(near) == pytest.approx(1.95, abs=1e-3)
    assert far == "inf"
    x, is_left, right, count, points = lines[4].split()
    assert float(x) == pytest.approx(1.95, abs=1e-3)
    assert (is_left, right, count, points) == ("True", "inf", "16", "16")
    assert lines[5] == "0"


def test_a_camera_zooms_focuses_and_takes_in_more_light(run_controller: Run) -> None:
    """A wall 0.5 m high, 1.95 m ahead: the picture there is 1.95·tan(angle/2) m high, in 8 rows."""
    world = ROOM.replace(
        'Camera { name "camera"',
        'Camera { name "plain" } Camera { focus Focus { focalDistance 1.9 focalLength 5 maxFocalDistance 3 }'
        ' zoom Zoom { minFieldOfView 0.5 maxFieldOfView 2 } name "camera"',
    ).replace("3 3 } }", "3 0.5 } }")
    lines = run_controller(
        """
from controller import Camera, Robot
robot = Robot()
camera, plain = robot.getDevice("camera"), robot.getDevice("plain")
camera.enable(32)
print(camera.getFov(), camera.getMinFov(), camera.getMaxFov(), camera.getExposure())
print(camera.getFocalDistance(), camera.getFocalLength(), camera.getMinFocalDistance(),
      camera.getMaxFocalDistance())
def seen():
    robot.step(32)
    image = camera.getImage()
    return [Camera.imageGetRed(image, 16, 2, y) > 100 for y in range(8)], Camera.imageGetRed(image, 16, 2, 4)
rows, bright = seen()
print("wide", sum(rows))
camera.setFocalDistance(2.5)
camera.setFov(0.5)
camera.setExposure(0.1)
print(camera.getFov(), camera.getExposure(), camera.getFocalDistance())
rows, dark = seen()
print("dark", dark < bright)
camera.exposure = 1.0
print("narrow", sum(seen()[0]))
camera.setFov(3.0)
camera.setFov(float("nan"))
camera.setExposure(-1.0)
camera.setFocalDistance(4.0)
plain.setFov(1.0)
plain.setFocalDistance(1.0)
print(camera.getFov(), camera.getExposure(), camera.getFocalDistance(), plain.getMinFov(), plain.getMaxFov())
robot.step(32)
""",
        duration=1.0,
        world=world,
    )
    assert lines[:2] == ["1.0 0.5 2.0 1.0", "1.9 5.0 0.0 3.0"]
    # The picture is 1.07 m and then 0.50 m high: the middles of 4 and of 8 rows see the wall.
    assert lines[2:6] == ["wide 4", "0.5 0.1 2.5", "dark True", "narrow 8"]
    complaints = lines[6:12]
    assert [
        'setFov(): "camera": found 3, expected 0.5 to 2 rad' in complaints[0],
        "setFov() called with an invalid 'fov' argument (NaN)" in complaints[1],
        'setExposure(): "camera": found -1, expected a number above 0' in complaints[2],
        'setFocalDistance(): "camera": found 4, expected 0 to 3 m' in complaints[3],
        'setFov(): "plain" has no node in its field zoom' in complaints[4],
        'setFocalDistance(): "plain" has no node in its field focus' in complaints[5],
    ] == [True] * 6
    assert lines[12] == "0.5 1.0 2.5 0.785398 0.785398"


def test_files_of_displays_and_cameras_are_beside_the_controller(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    from PIL import Image

    source = """
from controller import Robot
robot = Robot()
display = robot.getDevice("display")
display.setColor(0xFF0000)
display.fillRectangle(0, 0, 2, 3)
image = display.imageCopy(0, 0, 1, 1)
display.imagePaste(image, 3, 2, False)
display.imageSave(None, "shown.png")
robot.step(32)
"""
    run_project(tmp_path, simulate, ROOM, {"mine": source})
    picture = Image.open(tmp_path / "controllers" / "mine" / "shown.png").convert("RGB")
    assert picture.size == (4, 3)
    colours = [picture.getpixel(at) for at in ((1, 2), (2, 0), (3, 2))]
    assert colours == [(255, 0, 0), (0, 0, 0), (255, 0, 0)]


def test_a_controller_that_fails_is_reported_and_the_world_goes_on(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    source = (
        "from controller import Robot\nrobot = Robot()\nrobot.step(10)\nrobot.getDevice('no').enable(1)\n"
    )
    sim = run_project(tmp_path, simulate, PAIR.replace('"ear"', '"void"'), {"mine": source}, 1.0)
    assert sim.code == 1
    assert sim.lines[-1].startswith('controllers that failed: robot1 ("mine": exit code 1, at ')
    assert 'Device "no" was not found on robot "robot1"' in said(sim, "robot1")
    assert sim.says("end at 1.000 s")


def test_void_is_in_the_place_of_controllers_that_cannot_start_and_the_exit_code_says_so(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    for file, text in (
        ("ear/ear.m", "wb_robot_step(64);"),
        ("broken/broken.c", "int main(void) { retrun 0; }"),
    ):
        (tmp_path / "controllers" / file).parent.mkdir(parents=True)
        (tmp_path / "controllers" / file).write_text(text)
    robots = [("a", "ear"), ("b", "broken"), ("c", "gone"), ("d", "void")]
    world = "".join(
        f'Robot {{ name "{name}" translation {x} 0 0 controller "{controller}" }}\n'
        for x, (name, controller) in enumerate(robots)
    )
    sim = run_project(tmp_path, simulate, world, {})
    assert sim.code == 1
    (line,) = sim.says("ear.m")
    assert "expected a file in Python, C, C++ or Java" in line
    assert len(sim.says('using "void" instead')) == 3 and sim.says("end at ")
    failed = ", ".join(f'{name} ("{controller}": could not be started)' for name, controller in robots[:3])
    assert sim.lines[-1] == f"controllers that failed: {failed}"


def test_keys_come_from_their_topic(
    tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any], client: Any
) -> None:
    source = """
from controller import Keyboard, Robot
robot = Robot()
keyboard = robot.getKeyboard()
keyboard.enable(4)
while robot.step(4) != -1:
    keys = [keyboard.getKey() for _ in range(3)]
    if keys[0] != -1:
        print(keys, keys[0] == Keyboard.UP, keys[1] == ord("A") + Keyboard.SHIFT)
        break
"""
    write_controllers(tmp_path, {"mine": source})
    sim = simulate(world_file("mine", sync=True), mode="realtime")
    keys = client.speak(Int32MultiArray, "/odesim/keyboard")
    keys.publish(Int32MultiArray(data=[315, 65 + 0x10000]))
    client.until(lambda: sim.says("[315, 65601, -1] True True"), "the keys")


def test_a_window_and_a_controller_talk_over_topics(
    tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any], client: Any
) -> None:
    """Both ways in order; what was said before the window opened, it gets then."""
    source = """
from controller import Robot
robot = Robot()
robot.wwiSendText("hello")
robot.wwiSendText("window")
while robot.step(4) != -1:
    text = robot.wwiReceiveText()
    while text is not None:
        robot.wwiSendText("you said " + text)
        text = robot.wwiReceiveText()
"""
    write_controllers(tmp_path, {"mine": source})
    sim = simulate(world_file("mine", sync=True), mode="realtime")
    client.until(lambda: sim.says("running"), "the first step")
    kept = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    heard: list[str] = []
    client.node.create_subscription(
        String, "/robot1/window/from_controller", lambda message: heard.append(message.data), kept
    )
    client.until(lambda: heard == ["hello", "window"], "what was said before")
    window = client.speak(String, "/robot1/window/to_controller")
    for text in ("one", "Grüße", ""):
        window.publish(String(data=text))
    client.until(lambda: len(heard) == 5, "the answers")
    assert heard[2:] == ["you said one", "you said Grüße", "you said "]


def test_a_reset_from_outside_starts_the_controller_anew(
    tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any], client: Any
) -> None:
    source = """
from controller import Robot
robot = Robot()
print("from", robot.getTime())
while robot.step(4) != -1:
    pass
print("to", robot.getTime() > 0)
"""
    write_controllers(tmp_path, {"mine": source})
    sim = simulate(world_file("mine", sync=True), mode="realtime")
    client.until(lambda: sim.says("running"), "the first step")
    assert client.call("reset").success
    client.until(lambda: len(sim.says("robot1: from 0.0")) == 2, "the controller from the start again")
    seed = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=7)  # all devices are others
    request = SetParameters.Request(parameters=[Parameter(name="seed", value=seed)])
    assert client.call("set_parameters", request, SetParameters).results[0].successful
    assert client.call("reset").success
    client.until(lambda: len(sim.says("robot1: from 0.0")) == 3, "the controller of the new devices")
    assert client.call("quit").success
    assert sim.wait() == 0
    assert said(sim, "robot1")[-1] == "to True"
    assert not sim.says("ended")


def test_an_extern_robot_is_driven_by_a_file_started_by_hand(
    tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any]
) -> None:
    source = """
import sys
from controller import Robot
robot = Robot()
print(robot.getName(), sys.argv[1:])
while robot.step(4) != -1:
    last = robot.getTime()
print("last", round(last, 3))
"""
    write_controllers(tmp_path, {"mine": source})
    sim = simulate(world_file("<extern>", sync=True), mode="fast", duration=0.2, wait_extern=True)
    file = str(tmp_path / "controllers" / "mine" / "mine.py")
    command = [sys.executable, "-m", "ros_bridge.cli", "controller", "--simulation", str(sim.process.pid)]
    for _ in range(100):
        done = subprocess.run(
            [*command, "robot1", file, "one", "two"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode != 2:  # the simulation has made its socket
            break
    assert done.stdout.splitlines() == ["robot1 ['one', 'two']", "last 0.2"]
    assert sim.wait() == 0


def test_what_is_no_message_ends_the_connection_alone(
    tmp_path: Path, world_file: Callable[..., Path], simulate: Callable[..., Any], client: Any
) -> None:
    source = "from controller import Robot\nrobot = Robot()\nwhile robot.step(4) != -1: pass\nprint('over')\n"
    write_controllers(tmp_path, {"mine": source})
    sim = simulate(world_file("mine", sync=True), mode="realtime", duration=4.0)
    client.until(lambda: sim.says("running"), "the first step")
    path = next(Path("/tmp").glob(f"odesim-*/{sim.process.pid}/controllers"))
    assert path.parent.stat().st_mode & 0o077 == 0
    for data in (b"GET / HTTP/1.0\r\n\r\n", struct.pack(">II", 4, 0) + b"[1,]", pack({"do": "step"})):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(data)
    assert sim.wait() == 0
    assert said(sim, "robot1") == ["over"]
    assert len(sim.says("; the connection is closed")) == 2


NONSENSE = [
    {},
    {"do": "dance"},
    {"do": "step"},
    {"do": "step", "ms": "long", "commands": []},
    {"do": "step", "ms": 4, "commands": 3},
    {"do": "step", "ms": 4, "commands": [[]]},
    {"do": "call", "name": "node_pose", "with": ["x"], "commands": []},
    {"do": "call", "name": "__init__", "with": [], "commands": []},
    {"do": "call", "name": "field_set", "with": [1], "commands": []},
    {"do": "hello", "robot": ["robot1"], "protocol": PROTOCOL},
    {"do": "hello", "robot": "robot1", "protocol": 99},
]
WRONG = [
    [0, "set_webots_position", "far"],
    [0, "set_webots_position"],
    [0, "set_webots_velocity", float("nan")],
    [999, "enable", 4],
    [0, "enable", 4],
    [-1, "motion", 7, "play"],
    [-1, "custom"],
    [-1, "battery", "x"],
    [3, "enable", "often"],
    [3, "enable", 10**30],
    [0, "no such", 1],
]


def test_nonsense_is_refused_and_the_world_goes_on(
    world_file: Callable[..., Path], simulate: Callable[..., Any], client: Any
) -> None:
    sim = simulate(world_file("<extern>", sync=True), mode="fast", duration=0.2, wait_extern=True)
    folder = Path("/tmp")
    client.until(lambda: list(folder.glob(f"odesim-*/{sim.process.pid}/controllers")), "the socket")
    path = next(folder.glob(f"odesim-*/{sim.process.pid}/controllers"))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        incoming = Incoming()

        def ask(message: Any) -> Any:
            connection.sendall(pack(message))
            return receive(connection, incoming)

        assert "devices" in ask({"do": "hello", "robot": "robot1", "protocol": PROTOCOL})
        for message in NONSENSE:
            assert "error" in ask(message), message
        answer = {}
        for command in WRONG:
            answer = ask({"do": "step", "ms": 4, "commands": [command]})
            assert "readings" in answer, command
        while not answer.get("end"):
            answer = ask({"do": "step", "ms": 4, "commands": []})
    assert sim.wait() == 0
    assert not sim.says("Traceback")


def test_messages_come_back_as_they_were() -> None:
    message = {"a": [1, 0.1, float("inf")], "b": b"\x00\xff", "c": [{"d": b""}], "e": "ü"}
    data = pack(message)
    text, raw = struct.unpack(">II", data[:8])
    assert unpack(data[8 : 8 + text], data[8 + text :]) == message
    assert len(data) == 8 + text + raw


@pytest.mark.parametrize(
    "part", ["[0, 5]", "[Infinity, 1]", "[NaN, 1]", "[]", "5", '"ab"', '{"a": 1}', "[[], {}]"]
)
def test_bytes_that_are_not_there_make_no_message(part: str) -> None:
    with pytest.raises(WireError):
        unpack(f'{{"@": {part}}}'.encode(), b"abc")


def test_without_a_simulation_it_says_so_in_one_line(tmp_path: Path) -> None:
    api = ROOT / "webots_api"
    done = subprocess.run(
        [sys.executable, "-c", "from controller import Robot; Robot()"],
        env={"PYTHONPATH": str(api)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "odesim run" in done.stderr
