"""Readings are made when they are due and wanted; a reading requested later is the one that was due."""

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.clock import to_seconds
from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import OdesimError
from sim_core.base.shipped import find_world, shipped_worlds
from sim_core.devices import Sensor
from sim_core.devices.drawing.display import Display
from sim_core.devices.light.led import Led
from sim_core.devices.motors.motor import Motor
from sim_core.devices.sensor import Reading
from sim_core.devices.touch.vacuum_gripper import VacuumGripper
from sim_core.scene import load_scene
from sim_core.session.sampling import SensorTurn
from sim_core.session.simulation import Simulation

WORLDS = {name: path for name, path in shipped_worlds().items() if name.startswith("devices/")}
COUNTS = (1, 1, 5, 1, 6, 2)
"""Steps between two checks of the sensors."""
LATE = FaultConfig(dropout=0.3, latency=0.001)
STUCK = FaultConfig(stuck_at=0.05)
NOISY = FaultConfig(gaussian=0.1, bias=0.2, drift=0.1)


def bits(thing: Any) -> Any:
    """Return a value that is equal only if all bits are equal."""
    if isinstance(thing, np.ndarray):
        return thing.tobytes(), thing.shape
    if isinstance(thing, Reading):
        return [bits(getattr(thing, item.name)) for item in fields(thing)]
    return repr(thing)


def sensors(sim: Simulation) -> dict[str, Sensor]:
    return {
        f"{robot.name}.{sensor.name}": sensor for robot in sim.robots.values() for sensor in robot.sensors()
    }


def config(path: Path, steps: int, faults: tuple[FaultConfig, ...]) -> SimulationConfig:
    """Return a period of some steps for all sensors, and for each in turn one of its possible faults."""
    scene = load_scene(path)
    period = steps * scene.world_info["basicTimeStep"] / 1000.0
    plain = SimulationConfig(seed=7, sampling_period=round(period, 9))
    found = plain
    for index, (name, sensor) in enumerate(sensors(sim := Simulation(scene, plain)).items()):
        robot = sensor.robot_name
        own = found.robots.get(robot, RobotConfig())
        for fault in (*faults[index % len(faults) :], *faults) if faults else ():
            devices = {**own.devices, name.removeprefix(f"{robot}."): DeviceConfig(faults=fault)}
            tried = replace(found, robots={**found.robots, robot: replace(own, devices=devices)})
            try:
                Simulation(load_scene(path), tried).close()
            except OdesimError:
                continue  # errors apply to numbers only
            found = tried
            break
    sim.close()
    return found


def act(sim: Simulation, turn: int) -> None:
    """Do what users do between two steps."""
    for robot in sim.robots.values():
        for device in robot.devices.values():
            if isinstance(device, Motor) and turn == 0:
                device.set_velocity(min(1.0, device.max_velocity))
            if isinstance(device, Led):
                device.set(turn % 2)
            if isinstance(device, Display):
                device.canvas.fill_rectangle(turn, 0, 9, 9)
            if isinstance(device, VacuumGripper):
                (device.turn_off, device.turn_on)[turn % 2]()
            if getattr(device, "zoom", None) is not None:
                device.set_fov(device.zoom[turn % 2])
            if isinstance(device, Sensor) and turn in (3, 4):
                device.enabled = turn == 4
    if turn in (2, 4) and sim.physics.can.rolling is None:
        solid = next(node for node in sim.scene.nodes if node.is_a("Solid"))
        x, y, z = sim.supervisor.get(solid, "translation")
        sim.supervisor.set(solid, "translation", (x, y, z + 0.05))


def looks(sim: Simulation, read: Callable[[int, int], bool]) -> Iterator[dict[str, Any]]:
    """Return readings before and after users' calls, of the sensors selected by `read`."""
    for turn, count in enumerate(COUNTS):
        sim.step(count)
        for moment in (2 * turn, 2 * turn + 1):
            yield {
                name: bits(sensor.reading)
                for index, (name, sensor) in enumerate(sensors(sim).items())
                if read(index, moment)
            }
            if moment == 2 * turn:
                act(sim, turn)


@pytest.mark.parametrize("path", WORLDS.values(), ids=WORLDS)
def test_a_late_request_returns_the_reading_that_was_due(path: Path) -> None:
    """In each step and less often, with all kinds of faults, after a reset and after restoring a snapshot."""
    kinds = ((1, ()), (4, ()), (3, (FaultConfig(), LATE, NOISY, STUCK)))
    for steps, faults in kinds[2:] if path.stem in ("camera", "range_finder") else kinds:
        settings = config(path, steps, faults)
        always, late = (Simulation(load_scene(path), settings) for _ in "al")
        if not sensors(always):
            pytest.skip("a world without sensors")
        for sensor in sensors(always).values():
            sensor.enabled_by_controller = True
        due = list(looks(always, lambda index, moment: True))
        assert faults or any(value != "None" for each in due for value in each.values())
        start = late.snapshot()
        for ask, go_back in (
            (lambda index, moment: (moment // 3 + index) % 4 == 0, partial(late.restore, start)),
            (lambda index, moment: (moment + index) % 5 == 1, late.reset),
            (lambda index, moment: moment == 2 * len(COUNTS) - 1, late.reset),
        ):
            for asked, wanted in zip(looks(late, ask), due, strict=True):
                assert asked == {name: wanted[name] for name in asked}
            go_back()
        late.close()
        always.close()


def simulation(name: str, steps: int = 1) -> Simulation:
    scene = load_scene(find_world(name))
    return Simulation(
        scene, SimulationConfig(sampling_period=steps * scene.world_info["basicTimeStep"] / 1e3)
    )


def counted(sensor: Sensor) -> list[int]:
    """Return the list of sim times at which a sensor is sampled from now on."""
    times: list[int] = []
    sample = sensor.sample

    def count(time_ns: int) -> Any:
        times.append(time_ns)
        return sample(time_ns)

    sensor.sample = count
    return times


@pytest.mark.parametrize("steps", [1, 4])
def test_readings_without_request_are_not_made(steps: int) -> None:
    """Of a run only the last reading is made, when it is requested."""
    sim = simulation("wall_avoiders", steps)
    sensor = sim.robot("robot1")["ds_front"]
    times = counted(sensor)
    for _ in range(3):
        sim.step(20)
    assert times == []
    assert sensor.value == sensor.value == sensor.reading.value
    assert times == [sensor.reading.time_ns] == [60 * sim.step_ns]
    sim.step(steps - 1)
    assert sensor.reading.time_ns == 60 * sim.step_ns
    assert len(times) == 1


def test_a_reading_that_may_be_requested_is_made_before_the_world_moves_on() -> None:
    sim = simulation("wall_avoiders", 4)
    sensor = sim.robot("robot1")["ds_front"]
    times = counted(sensor)
    sim.step(6)
    assert times == [4 * sim.step_ns]
    seen: list[Any] = []
    sim.every(to_seconds(6 * sim.step_ns), lambda now: seen.append(sensor.reading.time_ns // sim.step_ns))
    sim.step(18)
    assert seen == [12, 16, 24]


def test_a_listener_may_request_other_readings() -> None:
    """Its own rays are not lost."""
    settings = simulation("wall_avoiders", 2), simulation("wall_avoiders", 2)
    found: list[list[Any]] = []
    for sim in settings:
        robots = list(sim.robots.values())
        seen: list[Any] = []
        for robot in robots[:3]:
            robot["ds_front"].add_listener(lambda reading, seen=seen: seen.append(bits(reading)))
        found.append(seen)
    others = list(settings[1].robots.values())[3:]
    front = settings[1].robot("robot1")["ds_front"]
    front.add_listener(lambda reading: [robot["ds_left"].value for robot in others])
    for sim in settings:
        sim.step(10)
    assert found[0] == found[1]
    assert len(found[0]) == 3 * 5


def test_readings_requested_together_are_cast_together() -> None:
    """As long as they are requested together."""
    sim = simulation("wall_avoiders")
    casts: list[int] = []
    sample = sim.sample
    for turn in sim.world.sampling._turns.values():
        turn._measure = lambda which: (casts.append(len(which)), sample(which))
    front = [robot["ds_front"] for robot in sim.robots.values()]
    for _ in range(3):
        sim.step(2)
        assert all(math.isfinite(sensor.value) for sensor in front)
    assert casts == [1] * len(front) + [len(front)] * 2
    casts.clear()
    for _ in range(2 * SensorTurn.NOTED_EVERY):
        sim.step(2)
        assert math.isfinite(front[0].value)
    assert casts[0] == len(front) and casts[-1] == 1
