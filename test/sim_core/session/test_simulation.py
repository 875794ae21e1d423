import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sim_core
from sim_core.base.config import RobotConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 5 }
Solid { name "floor" boundingObject Plane { } }
Solid {
  name "wall" translation 3 0 0.5
  boundingObject Box { size 0.1 4 1 }
}
Robot {
  name "robot1"
  translation 0 0 0.22
  controller "<none>"
  boundingObject Box { size 0.4 0.4 0.35 }
  physics Physics { density -1 mass 10 }
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0.25 -0.02 }
      device RotationalMotor { name "motor_left" maxVelocity 20 }
      endPoint Solid {
        name "left" translation 0 0.25 -0.02 rotation 1 0 0 1.5707963267948966
        boundingObject Cylinder { radius 0.2 height 0.02 }
        physics Physics { density -1 mass 1 }
      }
    }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0 -0.25 -0.02 }
      device RotationalMotor { name "motor_right" maxVelocity 20 }
      endPoint Solid {
        name "right" translation 0 -0.25 -0.02 rotation 1 0 0 1.5707963267948966
        boundingObject Cylinder { radius 0.2 height 0.02 }
        physics Physics { density -1 mass 1 }
      }
    }
    DistanceSensor {
      name "ds_front" translation 0.3 0 0
      lookupTable [ 0 0 0.01, 5 5 0.01 ] aperture 0
    }
    GPS { name "gps" }
    Skin { name "eye" }
  ]
}
"""


def simulation(config: sim_core.SimulationConfig | None = None) -> Simulation:
    return Simulation(parse_scene(WORLD, "test.wbt"), config)


def drive_and_hash(sim: Simulation, steps: int = 200) -> str:
    """Return a hash of readings and true state of a drive with a turn in it, bit by bit."""
    robot = sim.robot("robot1")
    robot["motor_left"].set_velocity(4.0)
    robot["motor_right"].set_velocity(3.0)
    digest = hashlib.sha256()
    for _ in range(steps):
        sim.step()
        pose = robot.frame.pose()
        digest.update(repr((robot["ds_front"].value, robot["gps"].value, pose)).encode())
    return digest.hexdigest()


def test_time_advances_by_whole_steps() -> None:
    sim = simulation()
    sim.step(3)
    assert sim.time_ns == 15_000_000
    sim.run(0.012)
    assert sim.time_ns == 30_000_000


@pytest.mark.parametrize("duration", [-1.0, float("nan"), float("inf")])
def test_impossible_durations_are_refused(duration: float) -> None:
    sim = simulation()
    with pytest.raises(sim_core.OdesimError, match="expected a number from 0 to 1e\\+09"):
        sim.run(duration)
    assert sim.time_ns == 0


def test_a_reading_is_stamped_with_the_time_of_its_state() -> None:
    config = sim_core.SimulationConfig(sampling_period=0.02)
    sim = simulation(config)
    sensor = sim.robot("robot1")["ds_front"]
    stamps = []
    sensor.add_listener(lambda reading: stamps.append(reading.time_ns))
    sim.step(3)
    assert sensor.value is None
    sim.step(9)
    assert stamps == [20_000_000, 40_000_000, 60_000_000]


def test_a_sensor_that_is_not_wanted_is_not_sampled() -> None:
    sim = simulation()
    sensor = sim.robot("robot1")["gps"]
    sensor.demand = lambda: False
    sim.step()
    assert sensor.reading is None
    sensor.demand = lambda: True
    sim.step()
    assert sensor.reading.time_ns == sim.time_ns


def test_missing_listeners_change_no_later_reading() -> None:
    """Noise depends on time, not on how often readings are requested."""
    listened, ignored = simulation(), simulation()
    ignored.robot("robot1")["ds_front"].enabled = False
    listened.step(50)
    ignored.step(49)
    ignored.robot("robot1")["ds_front"].enabled = True
    ignored.step()
    assert listened.robot("robot1")["ds_front"].value == ignored.robot("robot1")["ds_front"].value


def test_a_command_takes_effect_in_the_next_step() -> None:
    sim = simulation()
    sim.step(100)
    motor = sim.robot("robot1")["motor_left"]
    before = motor.position
    motor.set_velocity(4.0)
    assert motor.position == before
    sim.step()
    assert motor.position > before


def test_an_edit_waits_for_the_next_step() -> None:
    sim = simulation()
    seen = []
    sim.before_next_step(lambda: seen.append(sim.time_ns))
    assert not seen
    sim.step(2)
    assert seen == [0]


def test_tasks_come_at_their_period() -> None:
    sim = simulation()
    times: list[int] = []
    sim.every(0.01, times.append)
    sim.step(6)
    assert times == [10_000_000, 20_000_000, 30_000_000]


def test_a_sampling_period_can_be_changed_while_running() -> None:
    sim = simulation()
    sensor = sim.robot("robot1")["gps"]
    stamps: list[int] = []
    sensor.add_listener(lambda reading: stamps.append(reading.time_ns // 1_000_000))
    sim.step(2)
    sim.set_sampling_period(sensor, 0.02)
    sim.step(8)
    assert stamps == [5, 10, 30, 50]


def test_two_runs_and_a_reset_are_identical_to_the_last_bit() -> None:
    sim = simulation()
    first = drive_and_hash(sim)
    sim.reset()
    assert sim.time_ns == 0
    assert drive_and_hash(sim) == first
    assert drive_and_hash(simulation()) == first


def test_a_reset_that_keeps_the_clock_moves_all_as_from_time_0_to_the_last_bit() -> None:
    """Readings go on with their periods; noise, which is a function of time, and the seed go on too."""
    sim = simulation(sim_core.SimulationConfig(robots={"robot1": RobotConfig(sampling_period=0.02)}))
    robot, stamps = sim.robot("robot1"), []
    robot["gps"].add_listener(lambda reading: stamps.append(reading.time_ns))

    def drive() -> list[Any]:
        robot["motor_left"].set_velocity(4.0)
        robot["motor_right"].set_velocity(3.0)
        told = []
        for _ in range(150):
            sim.step()
            told.append((robot.frame.pose(), robot["motor_left"].position, robot["gps"].value))
        return told

    first = drive()
    sim.step()  # at no multiple of the period
    sim.supervisor.set("wall", "translation", (9.0, 0.0, 0.5))
    sim.reset(seed=7, keep_clock=True)
    wall = sim.supervisor.get("wall", "translation")
    assert (sim.time_ns, sim.seed, tuple(wall)) == (755_000_000, 0, (3.0, 0.0, 0.5))
    again = drive()
    assert [each[:2] for each in again] == [each[:2] for each in first]
    assert stamps == list(range(20_000_000, 1_505_000_000, 20_000_000))
    assert again[148][2] == pytest.approx(first[147][2], abs=0.02)  # of 5 ms before
    sim.reset()
    assert sim.time_ns == 0 and drive() == first


def test_another_process_gives_the_same_bits(tmp_path: Path) -> None:
    script = tmp_path / "drive.py"
    source = Path(__file__).read_text(encoding="utf-8")
    script.write_text(source + "\nprint(drive_and_hash(simulation()))\n", encoding="utf-8")
    root = Path(__file__).resolve().parents[3]
    code = f"import sys, runpy; sys.path.insert(0, {str(root)!r}); runpy.run_path({str(script)!r})"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert result.stdout.split()[-1] == drive_and_hash(simulation())


def test_another_seed_gives_other_noise() -> None:
    values = []
    for seed in (1, 2):
        sim = simulation(sim_core.SimulationConfig(seed=seed))
        sim.step(10)
        values.append(sim.robot("robot1")["ds_front"].value)
    assert values[0] != values[1]


def test_a_reset_with_another_seed_equals_a_world_built_with_it() -> None:
    """Twice, with changes in between; watchers of the first world are called for the next one."""
    fresh = {seed: drive_and_hash(simulation(sim_core.SimulationConfig(seed=seed))) for seed in (1, 2)}
    sim, told = simulation(sim_core.SimulationConfig(seed=1)), []
    sim.supervisor.changed.append(lambda: told.append(sim.seed))
    assert drive_and_hash(sim) == fresh[1]
    sim.supervisor.set("robot1", "translation", (0.5, 0.0, 0.22))
    for seed in (2, 2, 1):
        told.clear()
        sim.reset(seed)
        assert sim.seed == seed and sim.time_ns == 0 and told
        assert drive_and_hash(sim) == fresh[seed]
    sim.reset()
    assert drive_and_hash(sim) == fresh[1]


def test_unknown_robots_and_devices_get_a_suggestion() -> None:
    sim = simulation()
    with pytest.raises(sim_core.DeviceError, match=r'no robot "robto1".*did you mean "robot1"'):
        sim.robot("robto1")
    with pytest.raises(sim_core.DeviceError, match=r'no device "ds_frnt".*did you mean "ds_front"'):
        sim.robot("robot1")["ds_frnt"]


def test_settings_of_unknown_devices_are_refused() -> None:
    config = sim_core.SimulationConfig(
        robots={"robot1": sim_core.RobotConfig(devices={"gsp": sim_core.DeviceConfig(0.1)})}
    )
    with pytest.raises(sim_core.ConfigError, match=r'robots\.robot1: found "gsp".*did you mean "gps"'):
        simulation(config)


def test_devices_without_a_simulation_are_listed() -> None:
    assert [node["name"] for node in simulation().robot("robot1").not_simulated] == ["eye"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("basicTimeStep 5", "basicTimeStep 0", r"test\.wbt:2:\d+"),
        ("basicTimeStep 5", "basicTimeStep -5", r"test\.wbt:2:\d+"),
    ],
)
def test_worlds_that_cannot_be_simulated_are_refused_in_place(old: str, new: str, message: str) -> None:
    with pytest.raises(sim_core.OdesimError, match=message):
        Simulation(parse_scene(WORLD.replace(old, new), "test.wbt"))


def test_devices_of_one_name_are_numbered() -> None:
    text = WORLD.replace('GPS { name "gps" }', 'GPS { name "ds_front" } GPS { name "ds_front" }')
    robot = Simulation(parse_scene(text, "test.wbt")).robot("robot1")
    assert [name for name in robot.devices if name.startswith("ds_front")] == [
        "ds_front",
        "ds_front_2",
        "ds_front_3",
    ]
    assert all(device.name == name for name, device in robot.devices.items())
    assert [robot["ds_front_2"].spec.type_name, len(robot.warnings)] == ["GPS", 2]
    assert 'a second device named "ds_front" in robot "robot1", here "ds_front_2"' in str(robot.warnings[0])


def test_robots_of_one_name_are_numbered() -> None:
    robots = 'Robot { name "robot1" } Robot { name "robot1(1)" } Robot { name "robot1" }\n'
    scene = parse_scene(WORLD + robots, "test.wbt")
    assert list(Simulation(scene).robots) == ["robot1", "robot1(2)", "robot1(1)", "robot1(3)"]
    assert 'a second robot named "robot1", here "robot1(2)"' in str(scene.warnings[0])
    assert len(scene.warnings) == 2
    assert list(Simulation(scene).robots) == ["robot1", "robot1(2)", "robot1(1)", "robot1(3)"]
    assert len(scene.warnings) == 2
