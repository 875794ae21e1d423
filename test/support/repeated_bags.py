"""A recorded run in this process, with its commands: from the start, after a reset, from a snapshot."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from ros_bridge.parameters.parameter_file import values_from_overrides
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.changes import from_text
from ros_bridge.recorder.player import ReplayedWorld
from ros_bridge.recorder.recording import SerializingPort
from sim_core.model.device_spec import device_names
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation


class Unheard(SerializingPort):
    """All sensors are sampled, nothing is sent."""

    wanted = True

    def _open(self, publication: Any, changed: Any) -> None:
        pass

    def destroy(self) -> None:
        pass

    def publish(self, time_ns: int, source: Any) -> None:
        pass


class RepeatedBag:
    """The world of a bag and what was done to it."""

    def __init__(self, bag: Bag) -> None:
        scene = load_scene(bag.facts[facts.WORLD])
        values = values_from_overrides(json.loads(bag.facts[facts.PARAMETERS]), str(bag.path))
        self.run = ReplayedWorld(scene, build_parameters(values, device_names(scene)), Unheard)
        self.events: list[tuple[int, str, Any]] = []
        self.end_ns = 0
        for item in bag.in_file_order():
            if item.topic == facts.CHANGES:
                change = from_text(bag.decode(item.data, item.type_name).data)
                if change["what"] == "end":
                    self.end_ns = change["time_ns"]
                else:
                    self.events.append((change["time_ns"], "", change))
            elif self.run.takes(item.topic):
                self.events.append((item.log_time_ns, item.topic, item.data))

    @property
    def sim(self) -> Simulation:
        """The simulation."""
        return self.run.sim

    def play(self, until_ns: int) -> str:
        """Go on to a time; the hash of all readings, poses and motors on the way."""
        hashed, done = hashlib.sha256(), self.sim.time_ns
        for time_ns, topic, what in self.events:
            if done <= time_ns < until_ns:
                self._advance(time_ns, hashed)
                if topic:
                    self.run.command(topic, what)
                else:
                    self.run.apply_change(what["what"], what)
        self._advance(until_ns, hashed)
        return hashed.hexdigest()

    def _advance(self, time_ns: int, hashed: Any) -> None:
        while self.sim.time_ns < time_ns:
            self.sim.step()
            hashed.update(state(self.sim).encode())


def state(sim: Simulation) -> str:
    """What all robots are, and measure now, with all digits."""
    with np.printoptions(precision=17, threshold=1 << 30):
        parts = [repr(sim.time_ns)]
        for name, robot in sim.robots.items():
            readings = [sensor.reading for sensor in robot.sensors()]
            readings = [each for each in readings if each is not None and each.time_ns == sim.time_ns]
            motors = [
                (motor_name, motor.position, motor.velocity) for motor_name, motor in robot.motors().items()
            ]
            energy = robot.battery.energy if robot.battery is not None else None
            parts.append(repr((name, robot.frame.pose(), motors, energy, readings)))
    return "\n".join(parts)
