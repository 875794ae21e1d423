"""Controllers in C and C++ without Webots read what the one in Python reads, of each group of devices."""

from __future__ import annotations

import math
import subprocess
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controller_runs import said
from sensor_msgs.msg import Joy
from std_msgs.msg import Int32MultiArray

from ros_bridge.controller_api.compiling import include_folder

PROBES = Path(__file__).parent / "probes"
STRICT = ("-g", "-Wall", "-Wextra", "-pedantic", "-Werror")
COMPILERS = {
    "c": ("gcc", "-std=c11", "-fsanitize=address,undefined"),
    "cpp": ("g++", "-std=c++17", "-fsanitize=address"),
}
WORLD = """#VRML_SIM R2025a utf8
EXTERNPROTO "webots://projects/objects/floors/protos/Floor.proto"
EXTERNPROTO "webots://projects/vehicles/protos/abstract/Car.proto"
EXTERNPROTO "webots://projects/vehicles/protos/abstract/VehicleLights.proto"
WorldInfo { basicTimeStep 8 }
Viewpoint { }
Background { skyColor [ 0 0 1 ] }
DirectionalLight { ambientIntensity 1 }
Floor { size 400 400 }
DEF BOX Solid { name "box" translation 3 0 0.5 rotation 0 0 1 0.3 recognitionColors [ 1 0 0, 1 1 0 ]
    model "cube"
  radarCrossSection 1 children DEF SHAPE Shape {
    appearance PBRAppearance { baseColor 1 0 0 roughness 1 metalness 0 } geometry Box { size 1 1 1 } }
  boundingObject USE SHAPE physics Physics { } }
Robot { name "probe" model "all" supervisor TRUE controller "probe" controllerArgs [ "one" "two" ]
    translation 0 0 0.5
  customData "hello" battery [ 1e6 1e6 ] children [
  GPS { name "gps" } InertialUnit { name "imu" } Altimeter { name "altimeter" } Compass { name
    "compass" }
  Gyro { name "gyro" lookupTable [ -10 -10 0, 10 10 0 ] } Accelerometer { name "accelerometer" }
  DistanceSensor { name "distance" type "laser" aperture 0.1 lookupTable [ 0 0 0, 5 5 0 ] }
  LightSensor { name "light" } TouchSensor { name "touch" boundingObject Box { size 0.01 0.01 0.01 } }
  Radar { name "radar" } Connector { name "connector" } VacuumGripper { name "gripper" }
  Receiver { name "receiver" channel 2 }
  Camera { name "camera" width 8 height 4 recognition Recognition { segmentation TRUE }
    zoom Zoom { minFieldOfView 0.5 maxFieldOfView 1 } focus Focus { minFocalDistance 1 maxFocalDistance
    2 } }
  RangeFinder { name "depths" width 4 height 2 maxRange 9 }
  Lidar { name "lidar" horizontalResolution 5 numberOfLayers 2 fieldOfView 1 maxRange 9 }
  Display { name "display" width 8 height 4 } LED { name "led" color [ 1 0 0, 0 1 0, 0 0 1 ] } Pen {
    name "pen" }
  Speaker { name "speaker" }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    device [ RotationalMotor { name "motor" minPosition -1 maxPosition 1 } PositionSensor { name
    "sensor" }
      Brake { name "brake" } ]
    endPoint Solid { name "arm" physics Physics { density -1 mass 0.1 } boundingObject Box { size 0.1
    0.1 0.1 } } }
  SliderJoint { jointParameters JointParameters { axis 0 0 1 } device LinearMotor { name "lift"
    maxPosition 0.3 }
    endPoint Solid { name "fork" translation 0 0 0.2 } }
] }
DEF CAR Car { name "car" controller "probe" translation 0 20 0 wheelbase 2.9 trackFront 1.6 trackRear
    1.5 extensionSlot [
    VehicleLights { } DEF BODY Pose { translation 1.45 0 0.4 children Shape { geometry Box { size 4.4
    1.2 0.6 } } }
    GPS { name "gps" } Emitter { name "emitter" channel 2 } ]
  boundingObject USE BODY
  physics Physics { density -1 mass 1500 centerOfMass [ 1.45 0 0.3 ] inertiaMatrix [ 500 2500 2600, 0 0
    0 ] } }
"""
MOTION = "#WEBOTS_MOTION,V1.0,motor\n00:00:000,Pose1,0\n00:00:032,Pose2,0.5\n"
Told = dict[str, list[list[Any]]]


def read(lines: list[str]) -> Told:
    """The values of each line by its first words, numbers as numbers; what is complained of is left out."""
    told: Told = {}
    for line in lines:
        what, *words = line.split()
        if not what.endswith(":"):
            told.setdefault(what, []).append([number(word) for word in words])
    return told


def number(word: str) -> Any:
    try:
        return float(word)
    except ValueError:
        return word


@pytest.fixture
def told(tmp_path: Path, simulate: Callable[..., Any], client: Any) -> Callable[[str], dict[str, Told]]:
    """What the probe in a language has read, by the robots."""

    def run(language: str) -> dict[str, Told]:
        project = tmp_path / language
        folder = project / "controllers" / "probe"
        folder.mkdir(parents=True)
        source = PROBES / f"probe.{language}"
        if language == "py":
            (folder / "probe.py").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        else:
            flags = (*COMPILERS[language], *STRICT, "-I", include_folder())
            subprocess.run([*flags, source, "-o", folder / "probe", "-lm"], check=True)
        (folder / "wave.motion").write_text(MOTION)
        with wave.open(str(folder / "beep.wav"), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(8000)
            sound.writeframes(bytes(1600))
        world = project / "worlds" / "all.wbt"
        world.parent.mkdir()
        world.write_text(WORLD, encoding="utf-8")
        sim = simulate(world, mode="fast")
        client.until(lambda: sim.says("probe: waits"), f"the probe in {language}", 100.0)
        keys = client.speak(Int32MultiArray, "/odesim/keyboard")
        mouse, joystick = client.speak(Joy, "/odesim/mouse"), client.speak(Joy, "/joy")

        def are_told() -> bool:
            keys.publish(Int32MultiArray(data=[81, 0x10000 + 65]))
            mouse.publish(Joy(buttons=[1, 0, 1], axes=[0.25, 0.75, 1.0, -2.0]))
            joystick.publish(Joy(buttons=[0, 1, 0, 1], axes=[-1.0, 0.5]))
            return bool(sim.says("probe: keys"))

        client.until(are_told, "the keys")
        client.until(lambda: sim.says("car: brakes"), "the car")
        sim.end()
        wrong = ("Sanitizer", "runtime error", "Traceback", "refused")
        assert not [line for line in sim.lines if any(each in line for each in wrong)], sim.lines
        return {robot: read(said(sim, robot)) for robot in ("probe", "car")}

    return run


def test_c_and_cpp_read_what_python_reads(told: Callable[[str], dict[str, Told]]) -> None:
    expected = told("py")
    probe, car = expected["probe"], expected["car"]
    assert probe["keys"] == [[81.0, 0x10000 + 65.0, -1.0, 4.0]]
    assert probe["no_joystick"] == [[0.0, 0.0, 0.0]]
    *state, z = probe["mouse"][0]  # z is not known
    assert state == [1.0, 0.0, 1.0, 0.25, 0.75, 1.0, -2.0] and math.isnan(z)
    assert probe["joystick"] == [[2.0, 32767.0, round(-0.5 * 32767)]]  # joy_node reverses the axes
    assert probe["buttons"] == [[1.0, 3.0, -1.0]]
    assert probe["heard"][0][:2] == [1.0, "hello"] and probe["held"] == [[0.0, 1.0, 1.0, 0.0]]
    assert probe["recognition"][0][:3] == [1.0, 1.0, 1.0] and probe["id"] == [[1.0]]
    assert len(probe["target"]) == 1 and len(probe["point"]) == 5
    assert car["brakes"][0][1:4] == [0.5, 1.0, 0.0]
    for language in ("c", "cpp"):
        found = told(language)
        wrong = [
            (language, what, found[robot].get(what), values)
            for robot, lines in expected.items()
            for what, values in lines.items()
            if repr(found[robot].get(what)) != repr(values)
        ]
        assert not wrong
