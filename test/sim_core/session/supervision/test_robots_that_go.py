"""Robots that were added and removed are freed; robots of the file return at a reset."""

import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from random_edits import hashes

from sim_core.devices import DEVICES, Device
from sim_core.devices.media import Medium
from sim_core.engines.ode.contacts.contact_watches import OdeContactWatch
from sim_core.engines.ode.frames import OdeFrame
from sim_core.engines.ode.joints.axis_handle import AxisHandle
from sim_core.engines.ode.links import Link
from sim_core.scene import Node, parse_scene
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

FOLDER = Path(__file__).resolve().parents[4] / "worlds" / "devices"
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 }
Solid { name "floor" boundingObject DEF FLOOR Plane { size 20 20 } children Shape { geometry USE FLOOR }
  recognitionColors 1 1 1 radarCrossSection 1 }
PointLight { location 0 0 5 }
Robot { name "stays" translation 3 0 0.05 controller "<none>" physics Physics { }
  boundingObject Sphere { radius 0.05 } children [
  Receiver { name "receiver" }

  Emitter { name "emitter" }
  Microphone { name "microphone" }
  Connector { name "connector" translation 0.05 0 0 }
  DistanceSensor { name "ds" type "laser" lookupTable [ 0 0 0, 9 9 0 ] } ] }
"""
PARTS = """
  Accelerometer { } Altimeter { } Compass { } ForceTorque { }
  Connector { isLocked TRUE autoLock TRUE translation -0.05 0 0
    rotation 0 0 1 3.141592653589793 } GPS { } Gyro { } InertialUnit { }
  Camera { width 4 height 4 recognition Recognition { } } RangeFinder { width 4 height 4 }
  Display { width 4 height 4 } DistanceSensor { type "laser" lookupTable [ 0 0 0, 9 9 0 ] }
  Emitter { name "emitter" }
  LED { name "led" children [ PointLight { }
    Shape { appearance PBRAppearance { } geometry Sphere { radius 0.01 } } ] }
  Lidar { horizontalResolution 8 numberOfLayers 1 } LightSensor { }
  Microphone { name "microphone" } Pen { name "pen" write FALSE } Radar { }
  Receiver { } Speaker { }
  TouchSensor { boundingObject Sphere { radius 0.01 } }
  VacuumGripper { boundingObject Sphere { radius 0.01 } }
  HingeJoint { jointParameters HingeJointParameters { anchor 0 0 0.2 axis 0 0 1 }
    device [ RotationalMotor { name "motor" } PositionSensor { } Brake { } ]
    endPoint Solid { translation 0 0 0.2 physics Physics { } boundingObject Sphere { radius 0.05 } } }
  SliderJoint { device LinearMotor { }
    endPoint Solid { translation 0 0 0.4 physics Physics { } boundingObject Sphere { radius 0.05 } } }
  Servo { translation 0 0 0.6 name "servo" physics Physics { } boundingObject Sphere { radius 0.05 } }
"""
ROBOT = f"""Robot {{ name "comes" translation 3.1 0 0.05 controller "<none>" physics Physics {{ }}
  battery [ 100 100 ] boundingObject Sphere {{ radius 0.05 }} children [ {PARTS} ] }}"""
OLD_ROBOT = """DifferentialWheels { name "rolls" translation 0 2 0.05 controller "<none>" physics Physics { }
  boundingObject Sphere { radius 0.05 } children [
  Solid { name "left wheel" translation 0 0.1 0 physics Physics { } boundingObject Sphere { radius 0.05 } }
  Solid { name "right wheel" translation 0 -0.1 0 physics Physics { } boundingObject Sphere { radius 0.05 } }
  ] }"""


@pytest.fixture
def sim() -> Iterator[Simulation]:
    sim = fresh()
    yield sim
    sim.close()


def fresh() -> Simulation:
    return Simulation(parse_scene(WORLD, str(FOLDER / "goes.wbt")))


def live(sim: Simulation) -> None:
    """Return a world in which robots with all kinds of devices are added and used."""
    for each in (ROBOT, OLD_ROBOT):
        sim.supervisor.import_text(each)
    robot, other = sim.robot("comes"), sim.robot("rolls")
    kinds = {each.spec.type_name for each in (*robot.devices.values(), *other.devices.values())}
    assert kinds == set(DEVICES)
    for device in robot.sensors():
        device.add_listener(lambda reading: None)
    robot["emitter"].send(b"late")
    robot["microphone"].catch_up()
    robot["led"].set(1)
    robot["motor"].set_velocity(1.0)
    sim.step(3)
    robot["emitter"].send(b"never heard")
    robot["led"].set(0)


def held() -> dict[str, int]:
    """Count the existing robots, devices and engine objects."""
    gc.collect()
    kinds = (Device, Medium, Robot, OdeFrame, AxisHandle, OdeContactWatch, Link, Node)
    return Counter(type(each).__name__ for each in gc.get_objects() if isinstance(each, kinds))


def sizes(sim: Simulation) -> dict[str, int]:
    """Return the sizes of all collections of the media, the engine and the schedules."""
    built = sim.physics.built
    keepers = [
        *sim.media.parts(),
        sim.media.appearance_changes,
        sim.world,
        sim.world.scheduler,
        sim.world.sampling,
    ]
    keepers += [
        sim.world.energy,
        sim.playback,
        sim.supervisor.history,
        built,
        built.ode_objects,
        built.contacts,
    ]
    keepers += [built.touch, built.reading, built.islands, built.builder, built.mover, sim.physics, sim.scene]
    found: dict[str, int] = {}
    for keeper in keepers:
        for name, kept in vars(keeper).items():
            if isinstance(kept, (list, dict, set, tuple)) or type(kept).__name__.startswith("Weak"):
                found[f"{type(keeper).__name__}.{name}"] = len(kept)
    return found


def test_removed_robots_are_freed_and_a_reset_equals_a_fresh_build(sim: Simulation) -> None:
    grown: list[tuple[dict[str, int], dict[str, int]]] = []
    for _ in range(3):
        live(sim)
        sim.supervisor.remove("comes")
        sim.supervisor.remove("rolls")
        sim.step(2)
        grown.append((held(), sizes(sim)))
    assert grown[-1] == grown[1]
    sim.reset()
    other = fresh()
    assert hashes(sim) == hashes(other)
    other.close()


def test_a_snapshot_restores_removed_robots(sim: Simulation) -> None:
    live(sim)
    sim.step(5)
    snapshot = sim.snapshot()
    wanted = hashes(sim)
    table = [(0.0, 0.0, 0.0), (9.0, 1.0, 0.0)]
    sim.supervisor.set(sim.robot("comes").nodes["distance sensor"], "lookupTable", table)
    sim.supervisor.remove("comes")
    sim.supervisor.remove("rolls")
    live(sim)
    sim.supervisor.remove("rolls")
    sim.step(2)
    sim.restore(snapshot)
    assert hashes(sim) == wanted


def test_a_removed_robot_of_the_file_returns_to_its_place_at_a_reset(sim: Simulation) -> None:
    """It is at its place among the others again, and so are its devices in all media."""
    robot = sim.robot("stays")
    sim.supervisor.import_text(ROBOT)
    sim.supervisor.remove("stays")
    sim.step()
    sim.reset()
    assert sim.robot("stays") is robot
    other = fresh()
    assert hashes(sim) == hashes(other)
    other.close()


def test_ink_of_a_removed_pen_stays(sim: Simulation, tmp_path: Path) -> None:
    live(sim)
    traces, pen = sim.media.appearance_changes.traces, sim.robot("comes")["pen"]
    pen.write(True)
    sim.step(3)
    pen.write(False)
    sim.step()
    drawn = pen.trace.points.copy()
    assert len(drawn)
    sim.supervisor.remove("comes")
    sim.step(2)
    assert [each.points.tolist() for each in traces] == [drawn.tolist()]
    opened = Simulation.from_snapshot(sim.snapshot().save(tmp_path / "ink.snapshot"))
    assert [each.points.tolist() for each in opened.media.appearance_changes.traces] == [drawn.tolist()]
    opened.close()
    sim.reset()
    assert not sim.media.appearance_changes.traces


def test_sound_in_transit_of_a_removed_speaker_arrives(sim: Simulation) -> None:
    """0.1 m at 343 m/s: sound played in the last step arrives in the next one; then there is silence."""
    live(sim)
    robot, microphone = sim.robot("comes"), sim.robot("stays")["microphone"]
    robot["speaker"].play("sounds/beep.wav", loop=True)
    sim.step(10)
    assert microphone.reading.level > 0.0
    sim.supervisor.remove("comes")
    sim.step()
    assert microphone.reading.level > 0.0
    sim.step()
    assert microphone.reading.level == 0.0


def test_a_robot_restored_by_a_reset_has_its_place_in_all_orders() -> None:
    file = str(FOLDER / "goes.wbt")
    first, second = (
        f"""Robot {{ name "{name}" translation 0 {y} 1 controller "<none>" physics Physics {{ }}
          battery [ 9 9 ]
          boundingObject Sphere {{ radius 0.05 }} children [
            TouchSensor {{ boundingObject Sphere {{ radius 0.01 }} }} Pen {{ }} GPS {{ }} ] }}"""
        for name, y in (("a", -3), ("b", -5))
    )
    sim, loaded = (Simulation(parse_scene(WORLD + first + second, file)) for _ in range(2))
    sim.supervisor.remove("a")
    sim.step()
    sim.reset()
    assert list(sim.robots) == list(loaded.robots)
    assert sim.world.sampling.state.sampled == loaded.world.sampling.state.sampled
    assert sim.world.scheduler.state.awake == loaded.world.scheduler.state.awake
    assert hashes(sim) == hashes(loaded)


def test_inserted_devices_are_sampled_in_scene_order() -> None:
    sim = fresh()
    robot = sim.supervisor.node("stays")
    sim.supervisor.import_text('GPS { name "between" }', robot, index=1)
    names = [sampled.sensor[1] for sampled in sim.world.sampling.state.sampled]
    assert names == ["receiver", "between", "microphone", "connector", "ds"]


def test_robots_added_to_copies_of_a_node_have_unique_names() -> None:
    """As after loading such a world; and an edit that orders their sensors finds all of them."""
    sim = Simulation(parse_scene(f"{WORLD} DEF PLACE Pose {{ }} Pose {{ children USE PLACE }}"))
    sim.step()
    guest = 'Robot { name "guest" controller "<none>" children GPS { } }'
    sim.supervisor.import_text(guest, "PLACE", "children")
    sim.supervisor.import_text('Robot { name "first" children GPS { } }', None, "children", 0)
    assert list(sim.robots) == ["first", "stays", "guest", "guest(1)"]
    sim.step()
    assert all(sim.robot(name)["gps"].value is not None for name in ("first", "guest", "guest(1)"))
