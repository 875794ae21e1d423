"""Time begins again at 0 while all else goes on: the run is the one without it, but for its stamps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.radio.receiver import ReceiverReading
from sim_core.scene import parse_scene
from sim_core.session.players.motion_control import DriveTimeout
from sim_core.session.players.trajectory import Trajectory
from sim_core.session.players.trajectory_player import TrajectoryPlayer
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { size 50 50 } }
DEF BALL Solid { translation 0.4 0 1 boundingObject Sphere { radius 0.1 } physics Physics { } }
Robot {
  name "one" translation 0 0 0.05 controller "<none>"
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device [ RotationalMotor { name "motor" } PositionSensor { name "angle" } ]
      endPoint Solid { name "arm" translation 0.3 0 0.2
        boundingObject Box { size 0.2 0.05 0.05 } physics Physics { density -1 mass 0.1 } }
    }
    LED { name "led" color [ 1 0 0, 0 1 0 ] }
    Accelerometer { name "accelerometer" }
    TouchSensor { name "bumper" boundingObject Box { size 0.31 0.31 0.05 } }
    Receiver { name "receiver" }
    Lidar { name "lidar" translation 0 0 0.5 type "rotating" horizontalResolution 64 numberOfLayers 1 }
  ]
  boundingObject Box { size 0.3 0.3 0.1 } physics Physics { }
}
Robot { name "two" translation 0 2 0 controller "<none>"
  children [ Emitter { name "emitter" baudRate 400 } ] }
"""


def _sim() -> tuple[Simulation, list[tuple[str, Any]]]:
    """A world in which all is under way, and what its sensors say."""
    sim = Simulation(parse_scene(WORLD, "clock.wbt"))
    robot, told = sim.robot("one"), []
    for name in ("angle", "accelerometer", "bumper", "receiver", "lidar"):
        sensor = robot[name]
        sensor.always_on = True
        sensor.add_listener(lambda reading, name=name: told.append((name, reading)))
    robot["led"].set(2)
    player = TrajectoryPlayer(
        Trajectory((500_000_000, 1_500_000_000), np.array([[1.0], [-1.0]])),
        [robot["motor"]],
        sim.playback,
        start_ns=0,
    )
    player.play(0)
    sim.run(0.4)
    sim.robot("two")["emitter"].send(b"x" * 10)  # 0.25 s under way
    return sim, told


def _later(reading: Any, shift_ns: int) -> Any:
    """A reading, and packets in it, as of another clock."""
    if isinstance(reading, ReceiverReading):
        packets = tuple(replace(each, time_ns=each.time_ns + shift_ns) for each in reading.value)
        reading = replace(reading, value=packets)
    return replace(reading, time_ns=reading.time_ns + shift_ns)


def test_all_goes_on_but_the_clock() -> None:
    (straight, expected), (restarted, told) = _sim(), _sim()
    start = len(told)
    restarted.restart_clock()
    assert restarted.time_ns == 0
    for sim in (straight, restarted):
        sim.run(1.6)
    assert restarted.time_ns == 1_600_000_000
    assert restarted.physics.get_state().bodies.tobytes() == straight.physics.get_state().bodies.tobytes()
    shifted = [(name, _later(reading, 400_000_000)) for name, reading in told[start:]]
    assert repr(shifted) == repr(expected[start:])
    assert any(name == "receiver" and reading.value for name, reading in told[start:])
    assert restarted.robot("one")["led"].value == 2
    assert abs(restarted.robot("one")["angle"].reading.value + 1.0) < 0.1


def test_a_drive_stops_as_long_after_its_last_command_as_without() -> None:
    wheels = " ".join(
        f"""HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}
          device RotationalMotor {{ name "{name}" }}
          endPoint Solid {{ name "{name}" translation 0 {y} 0 rotation 1 0 0 1.5707963267948966
            boundingObject Cylinder {{ radius 0.05 height 0.02 }} physics Physics {{ }} }} }}"""
        for name, y in (("left wheel motor", 0.1), ("right wheel motor", -0.1))
    )
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 8 }}
    Robot {{ name "car" controller "<none>" children [ {wheels} ]
      boundingObject Box {{ size 0.1 0.1 0.02 }} physics Physics {{ }} }}"""
    sim = Simulation(parse_scene(text, "drive.wbt"))
    drive = sim.robot("car").drive
    assert isinstance(drive, DifferentialDrive)
    timeout = DriveTimeout(sim.robot("car"), sim.playback)
    sim.run(0.8)
    drive.set_twist(0.1, 0.0)
    timeout.set_timeout(400_000_000)
    sim.run(0.2)
    sim.restart_clock()
    motor = sim.robot("car")["left wheel motor"]
    sim.run(0.192)
    assert motor.target_velocity > 0.0
    sim.run(0.024)
    assert motor.target_velocity == 0.0


def test_sensors_count_their_periods_from_the_new_start() -> None:
    sim, told = _sim()
    sim.set_sampling_period(sim.robot("one")["angle"], 0.08)
    sim.run(0.056)
    sim.restart_clock()
    assert sim.robot("one")["angle"].reading is None
    told.clear()
    sim.run(0.2)
    assert [reading.time_ns for name, reading in told if name == "angle"] == [80_000_000, 160_000_000]


def test_a_snapshot_keeps_what_counts_from_before_the_new_start() -> None:
    (straight, expected), (restarted, told) = _sim(), _sim()
    restarted.restart_clock()
    snapshot = restarted.snapshot()
    restarted.reset()
    assert restarted.physics.clock.elapsed_ns == 0
    restarted.restore(snapshot)
    start = len(told)
    for sim in (straight, restarted):
        sim.run(0.5)
    shifted = [(name, _later(reading, 400_000_000)) for name, reading in told[start:]]
    assert repr(shifted) == repr(expected[start:])
    head = [
        sim.robot("one")["lidar"].state.head.turns(sim.physics.clock.elapsed_ns)
        for sim in (straight, restarted)
    ]
    assert head[0] == head[1]
