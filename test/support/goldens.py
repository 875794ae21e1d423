"""Hashes of what the shipped worlds publish: whether a change of the code changed any number of any reading.

    PYTHONPATH=. python test/support/goldens.py check [WORLD…]    # against test/goldens.json
    PYTHONPATH=. python test/support/goldens.py record [WORLD…]   # after a wanted, understood change

Each world runs in this process with all its topics, and is given the commands of its `command_player`s, or
moved by a fixed list of commands; then once more after a reset, and its second half again from a snapshot.

The record is bound to last bits: of NumPy and its BLAS, which take other kernels on other processors (so all
are measured with those of AVX2 and FMA), of libode, and of Mesa for pictures. It is made of a commit, and
comes in one of its own: where a world differs and no change of the code explains it, check out the commit
that brought the record (`git log -- test/goldens.json`) and measure there. Equal to the record: a change
since has made the difference. Equal to what is measured now: the machine has.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist
from rclpy.serialization import serialize_message
from std_msgs.msg import Float64

from ros_bridge.controllers.command_player import read_commands
from ros_bridge.parameters.parameter_file import read_parameter_file, world_values
from ros_bridge.parameters.parameters import build_parameters, world_parameter_file
from ros_bridge.recorder.fingerprint import Fingerprint
from ros_bridge.recorder.player import ReplayedWorld
from ros_bridge.topics.filling import make_message
from ros_bridge.topics.names import legal_name
from sim_core.base.shipped import shipped_worlds
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.model.device_spec import device_names
from sim_core.scene import Node, load_scene
from sim_core.session.simulation import Simulation
from sim_core.session.snapshot_file import made_with

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "test" / "goldens.json"
HALF_NS = dict.fromkeys(("swarm", "turtlebot3_waffle", "crazyflie"), 320_000_000)
"""Sim time of each half, where it is not the usual one."""
USUAL_HALF_NS = 1_920_000_000
PERIOD_NS = 640_000_000
"""Between two commands to robots that have no list of commands."""
KERNELS = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
"""Environment in which NumPy and its BLAS have the same kernels on every processor with AVX2 and FMA."""

Event = tuple[int, str, bytes]


def feed(hashed: Any, value: Any) -> None:
    """Put a value with all its digits into a hash: numbers, texts, arrays, records, and lists of these."""
    if isinstance(value, np.ndarray):
        hashed.update(f"{value.dtype}{value.shape}".encode())
        hashed.update(np.ascontiguousarray(value).tobytes())
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.compare:  # or it is a name of this process alone
                feed(hashed, getattr(value, field.name))
    elif isinstance(value, (tuple, list)):
        hashed.update(b"[")
        for each in value:
            feed(hashed, each)
        hashed.update(b"]")
    elif not isinstance(value, Node):  # which is printed with its file
        hashed.update(repr(value).encode() + b",")


def feed_state(hashed: Any, sim: Simulation, with_pictures: bool = True) -> None:
    """Put into a hash what all robots are, and measure now; pictures take their time."""
    feed(hashed, sim.time_ns)
    for name, robot in sim.robots.items():
        feed(hashed, (name, robot.frame.pose()))
        feed(hashed, [(motor.position, motor.velocity) for motor in robot.motors().values()])
        feed(hashed, robot.battery.energy if robot.battery is not None else None)
        for sensor in robot.sensors():
            if not with_pictures and isinstance(sensor, PictureSensor):
                continue
            if sensor.reading is not None and sensor.reading.time_ns == sim.time_ns:
                feed(hashed, sensor.reading)


class GoldenRun:
    """A world, its commands, and the hash of what it publishes."""

    def __init__(self, world: Path) -> None:
        scene = load_scene(world)
        own = world_parameter_file(world)
        values = world_values(scene) + (read_parameter_file(own) if own is not None else [])
        self._fingerprint = Fingerprint()
        self.run = ReplayedWorld(
            scene, build_parameters(values, device_names(scene)), self._fingerprint.make_port
        )
        self.half_ns = HALF_NS.get(world.stem, USUAL_HALF_NS) // self.run.sim.step_ns * self.run.sim.step_ns
        self._events = sorted(self._commands(), key=lambda event: event[0])

    def hashes(self) -> dict[str, str]:
        """What is published; what robots are and measure, at first, after a reset, from a snapshot."""
        run, half, end = self.run, self.half_ns, 2 * self.half_ns
        run.session.begin()
        found = {"state": self._play(0, end), "topics": self._fingerprint.hexdigest()}
        run.apply_change("reset", {"seed": run.sim.seed})
        found["after reset"] = self._play(0, end)
        run.apply_change("reset", {"seed": run.sim.seed})
        self._play(0, half)
        snapshot = run.sim.snapshot()
        found["second half"] = self._play(half, end)
        run.sim.restore(snapshot)
        found["restored"] = self._play(half, end)
        return {what: digest[:16] for what, digest in found.items()}

    def _play(self, start_ns: int, end_ns: int) -> str:
        """Go on from one time to another; the hash of the states on the way."""
        hashed, sim = hashlib.sha256(), self.run.sim
        events = [event for event in self._events if start_ns <= event[0] < end_ns]
        for time_ns, topic, data in [*events, (end_ns, "", b"")]:
            while sim.time_ns < time_ns:
                self.run.session.advance(sim.time_ns + sim.step_ns)
                feed_state(hashed, sim)
            if topic:
                self.run.command(topic, data)
        return hashed.hexdigest()

    def _commands(self) -> list[Event]:
        inputs = {item.name: item.message_type for item in self.run.inputs.values()}
        events: list[Event] = []
        for robot in self.run.sim.robots.values():
            prefix = f"/{legal_name(robot.name)}/"
            if robot.controller == "command_player":
                commands, repeat = read_commands(robot.node["controllerArgs"])
                rounds = -(-2 * self.half_ns // repeat) if repeat else 1
                for command in commands:
                    topic = command.topic if command.topic.startswith("/") else prefix + command.topic
                    data = serialize_message(make_message(inputs[topic], command.value))
                    events += [(command.time_ns + k * repeat, topic, data) for k in range(rounds)]
            else:
                events += self._drive(prefix, inputs)
        return events

    def _drive(self, prefix: str, inputs: dict[str, Any]) -> list[Event]:
        """Commands for a robot that has no list of them: its drive, or else its motors, there and back."""
        events: list[Event] = []
        for count, time_ns in enumerate(range(0, 2 * self.half_ns, PERIOD_NS)):
            sign = 1.0 if count % 3 else -1.0
            if inputs.get(prefix + "cmd_vel") == Twist:
                twist = Twist()
                twist.linear.x, twist.angular.z = 0.2, 0.4 * sign
                events.append((time_ns, prefix + "cmd_vel", serialize_message(twist)))
                continue
            motors = [name for name in inputs if name.startswith(prefix) and name.endswith("/velocity")]
            for place, name in enumerate(motors):
                speed = Float64(data=sign * (0.5 + 0.25 * (place % 3)))
                events.append((time_ns, name, serialize_message(speed)))
        return events


def measure(names: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """These worlds, all if none is named, and their hashes."""
    worlds = shipped_worlds()
    for name in names or worlds:
        golden = GoldenRun(worlds[name])
        try:
            one = golden.hashes()
        finally:
            golden.run.close()
        notes = ["after a reset"] if one["state"] != one["after reset"] else []
        notes += ["from a snapshot"] if one["second half"] != one["restored"] else []
        print(f"{name}: {one['topics']}{', another run ' if notes else ''}{', '.join(notes)}", flush=True)
        yield name, one


def git(*arguments: str) -> str:
    """What git says here."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def bound_to() -> dict[str, str]:
    """What the last bits of a record depend on, beside the code."""
    return {**made_with(), "numpy": np.__version__}


def record(names: list[str]) -> int:
    """Put the hashes of these worlds, of all if none is named, into the file; the exit code."""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{FILE.relative_to(ROOT)}")
    if changed:
        print(
            f"found changes that are in no commit, expected none: nobody could measure this again\n{changed}"
        )
        return 2
    known = json.loads(FILE.read_text(encoding="utf-8"))["worlds"] if names else {}
    for name, hashes in measure(names):
        known[name] = hashes
        text = json.dumps({"made with": bound_to(), "worlds": known}, indent=1)
        FILE.write_text(text + "\n", encoding="utf-8")
    return 0


def check(names: list[str]) -> int:
    """Compare these worlds, all if none is named, with the file; the exit code."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    found = dict(measure(names))
    wrong = {name: hashes for name, hashes in found.items() if known["worlds"].get(name) != hashes}
    commit = git("log", "-1", "--format=%h", FILE.as_posix())
    print(f"{len(found) - len(wrong)} of {len(found)} worlds as recorded by {commit}")
    for name, hashes in wrong.items():
        before = known["worlds"].get(name, {})
        others = ", ".join(what for what, digest in hashes.items() if before.get(what) != digest)
        print(f"  {name}: {f'another {others}' if before else 'not in the record'}")
    for what, here in bound_to().items():
        if known["made with"][what] != here:
            print(f"recorded with {what} {known['made with'][what]}, here it is {here}: last bits may differ")
    return 1 if wrong else 0


def main(arguments: list[str]) -> int:
    """`check` or `record`; the exit code."""
    if os.environ | KERNELS != os.environ:
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | KERNELS)
    return {"check": check, "record": record}[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
