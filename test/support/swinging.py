"""Worlds whose motors all swing, and hashes of what they do; also of snapshots, in a process of its own.

python test/support/swinging.py FILE…    # goes on from each for a while, prints the hashes as JSON
"""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.devices import Sensor
from sim_core.devices.motors.motor import Motor
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.engines.ode.ode_binding import STATE_DOUBLES
from sim_core.model.dynamics.bodies import BodyKind
from sim_core.session.simulation import Simulation

SECONDS = {"swarm": 0.4, "camera": 0.6}
"""Of worlds whose steps or pictures take long; others run for a second each time."""


def told(value: Any) -> str:
    """A reading as text, arrays in full."""
    if isinstance(value, np.ndarray):
        return value.tobytes().hex()
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return repr([told(getattr(value, name)) for name in fields])
    if isinstance(value, (tuple, list)):
        return repr([told(each) for each in value])
    return repr(value) if not hasattr(value, "node_type") else value.path()


def state_of(sim: Simulation, with_pictures: bool = True) -> str:
    """All readings, and where all solids are; pictures take their time."""
    words = [str(sim.time_ns)]
    for node in sim.scene.walk():
        if node.is_a("Solid"):
            frame = sim.physics.frame(node.id)
            words.append(repr((frame.pose(), frame.linear_velocity(), frame.angular_velocity())))
    for robot in sim.robots.values():
        words += [
            f"{name} {told(sensor.reading)}"
            for name, sensor in robot.devices.items()
            if isinstance(sensor, Sensor) and (with_pictures or not isinstance(sensor, PictureSensor))
        ]
        words.append(repr(robot.battery.energy) if robot.battery is not None else "")
    return "\n".join(words)


def run(sim: Simulation, seconds: float, start: float = 0.0) -> str:
    """A run in which all motors swing; a hash of it."""
    digest = hashlib.sha256()
    steps = math.ceil(seconds * 1e9 / sim.step_ns)
    for step in range(steps):
        if step % 50 == 0:
            speed = 1.5 * math.sin(1.0 + start + 0.02 * step)
            for robot in sim.robots.values():
                for device in robot.devices.values():
                    if isinstance(device, Motor):
                        device.set_velocity(max(-1.0, min(1.0, speed)) * min(device.max_velocity, 5.0))
                if robot.drive is not None and not robot.motors():
                    robot.drive.set_twist(0.05, 0.3 * speed)
        sim.step()
        if step % 10 == 0:
            digest.update(state_of(sim, with_pictures=step + 10 >= steps).encode())
    return digest.hexdigest()


def bits_of(physics: Any) -> str:
    """Where everything is and how it moves, to the last bit, but not how long bodies have been slow."""
    state = physics.get_state()
    turns = [counted[0] for _, counted in state.motors]
    forced = [physics.built.reading.links[row].kind is BodyKind.DYNAMIC for row in state.with_body]
    bodies = state.bodies[forced, :STATE_DOUBLES].tobytes()
    return repr((state.time_ns, state.solver_seed, state.links, bodies, turns, state.driven))


def go_on(sim: Simulation) -> list[str]:
    """What a simulation is now, and a hash of a run from here."""
    now = hashlib.sha256(state_of(sim).encode()).hexdigest()
    return [now, run(sim, SECONDS.get(Path(sim.scene.file).stem, 1.0), 1.0)]


def opened_elsewhere(files: Iterable[Path]) -> dict[str, list[str]]:
    """`go_on` of what snapshots hold, by file, in a new process."""
    words = [sys.executable, __file__, *map(str, files)]
    found: dict[str, list[str]] = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return found


def main(files: list[str]) -> None:
    """Open each file and go on from it."""
    found = {}
    for file in files:
        sim = Simulation.from_snapshot(file)
        found[file] = go_on(sim)
        sim.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
