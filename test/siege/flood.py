"""Messages at random, on every topic and service that a running simulation takes: it goes on.

    python test/siege/flood.py [--seconds 600] [--rate 5000] [--seed 0] [--world NAME]

It starts `odesim run` in a folder and a ROS domain of its own, and asks for all that its node offers but
the end of the run. Each message has the right type and fields at random: none, huge, not finite. It has gone
wrong if the process ends, shows a traceback, or does not answer when the flood is over; or, in a flood of ten
minutes and more, if the mean of the memory that it has of its own is in the last quarter more than 2 % above
that of the second one.
"""

from __future__ import annotations

import argparse
import array
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a program, it finds the source tree
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "support"))

import rclpy
from domains import free_domain
from mutation import WORDS, WORLD, mutated_text
from processes import memory_of
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.serialization import serialize_message
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger

from ros_bridge.topics.conversions import message_class
from sim_core.base.shipped import find_world

ROOT = Path(__file__).resolve().parents[2]
HOME = "/odesim"
ENDS = ("quit", "set_simulation_state")
"""Services that may end the run, as they should."""
SLOW, SELDOM = "load_world", 0.1
"""A service that is carried out for a second, and the part of its turns that it is asked in."""
FLOATS = (0.0, 1.0, -1.0, 0.1, 1e30, -1e30, 1e-30, float("nan"), float("inf"), float("-inf"))
NAMES = (
    "",
    "BALL",
    "BALL.translation",
    "root",
    "#1",
    "mode",
    "speed",
    "seed",
    "robot1",
    "world",
    "x" * 300,
    "\ud800",
)
TEXTS = (*NAMES, *WORDS, "{text: a, x: .nan}")
LIMIT = 60.0
BEHIND = 300.0
"""Seconds in which it must have started beside other programs, and later have carried out all that has come:
worlds are loaded a hundred times among it."""
LONG = 600.0
"""Seconds of a flood in which memory must be flat at last."""
ALLOWED = 1.02
WAITING = 100
"""Requests that wait for their answers; what is more is not sent."""
HEARING = 0.02
"""Seconds between two looks for answers, while it sends as fast as it can."""
KEPT = 30
"""Messages at random for each topic."""


def random_value(kind: str, chance: random.Random) -> Any:
    """A value of a type as rosidl names it: `double`, `sequence<std_msgs/String>`, `double[36]`."""
    if kind.startswith("sequence<"):
        inner = kind[9:-1].split(",")[0]
        return [random_value(inner, chance) for _ in range(chance.choice((0, 1, 1, 2, 9)))]
    if kind.endswith("]"):
        inner, _, count = kind[:-1].rpartition("[")
        return [random_value(inner, chance) for _ in range(int(count))]
    if kind.startswith(("string", "wstring")):
        text = mutated_text(WORLD, chance) if chance.random() < 0.1 else chance.choice(TEXTS)
        return text.encode(errors="replace").decode()
    if kind in ("double", "float"):
        return chance.choice(FLOATS)
    if kind == "boolean":
        return chance.random() < 0.5
    if kind == "octet":
        return bytes([chance.randrange(256)])
    if "int" in kind and "/" not in kind:
        bits = int(kind[kind.index("t") + 1 :])
        low, high = (0, 2**bits - 1) if kind.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return min(max(chance.choice((0, 1, 2, 3, 7, -1, low, high)), low), high)
    return random_message(message_class(kind.replace("/", "/msg/")), chance)


def random_message(kind: Any, chance: random.Random) -> Any:
    """A message or a request with each of its fields at random, or as it is."""
    made = kind()
    for name, of in kind.get_fields_and_field_types().items():
        if chance.random() < 0.8:
            value = random_value(of, chance)
            kept = getattr(made, name)
            setattr(made, name, array.array(kept.typecode, value) if isinstance(kept, array.array) else value)
    return made


@dataclass
class Figures:
    """What came of a flood."""

    sent: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    memory: list[float] = field(default_factory=list)
    """MB that the simulation has of its own, each second of the flood, and at the end."""
    wrong: list[str] = field(default_factory=list)

    def quarters(self) -> list[float]:
        """Mean memory of each quarter of the flood, MB."""
        size = max(1, len(self.memory) // 4)
        return [mean(self.memory[at * size : (at + 1) * size] or self.memory[-1:]) for at in range(4)]

    def judge_memory(self) -> None:
        """In a long flood it must stay where it is; at first it grows by what is loaded when it is used."""
        quarters = self.quarters()
        if self.seconds >= LONG and quarters[3] > ALLOWED * quarters[1]:
            self.wrong.append(f"more memory: {quarters} MB")

    def lines(self) -> list[str]:
        """For people."""
        count = sum(self.sent.values())
        most = ", ".join(f"{name} {number}" for name, number in self.sent.most_common(5))
        memory = ", ".join(f"{each:.1f}" for each in self.quarters())
        return [
            f"{count} messages to {len(self.sent)} topics and services in {self.seconds:.1f} s, "
            f"{count / max(self.seconds, 1e-9):.0f} a second: {most}, …",
            f"mean memory of the simulation in its quarters: {memory} MB",
            f"{len(self.wrong)} went wrong",
        ]


class Flood:
    """One simulation, and all that can be sent to it."""

    def __init__(self, process: subprocess.Popen[bytes], node: Node, seed: int) -> None:
        self.process, self.node = process, node
        self.chance = random.Random(seed)
        self.figures = Figures()
        self.clocks: list[Clock] = []
        self._executor = EventsExecutor(context=node.context)  # the others look at each client each time
        self._executor.add_node(node)
        node.create_subscription(Clock, "/clock", self.clocks.append, 10)
        self._waiting: list[Any] = []
        self._made: dict[str, list[Any]] = {}

    def until(self, condition: Any, what: str, limit: float = LIMIT) -> None:
        """Spin until something holds; notes it if it does not come true."""
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end or self.process.poll() is not None:
                self.figures.wrong.append(f"not within {limit:g} s, or the simulation has ended: {what}")
                return
            self._executor.spin_once(0.05)

    def has_started(self) -> bool:
        """It makes steps, and the graph of nodes, which comes by other messages, has it too."""
        return len(self.clocks) > 3 and HOME.strip("/") in self.node.get_node_names()

    def targets(self) -> list[tuple[str, Any, Any]]:
        """Name, type and the publisher or client of all that the simulation takes."""
        node, name = self.node, HOME.strip("/")
        found: list[tuple[str, Any, Any]] = []
        for topic, (kind, *_) in node.get_subscriber_names_and_types_by_node(name, "/"):
            if topic != "/clock":
                made = message_class(kind)
                found.append((topic, made, node.create_publisher(made, topic, 10)))
        for service, (kind, *_) in node.get_service_names_and_types_by_node(name, "/"):
            if not service.endswith(ENDS):
                package, _, last = kind.split("/")
                made = getattr(__import__(f"{package}.srv", fromlist=[last]), last)
                found.append((service, made.Request, node.create_client(made, service)))
        return found

    def flood(self, seconds: float, rate: float) -> None:
        """Send for so long, so many a second."""
        targets = self.targets()
        began = time.monotonic()
        count, heard = 0, 0.0
        while (passed := time.monotonic() - began) < seconds:
            if passed > heard + HEARING:  # each look may wait for a processor
                heard = passed
                self._executor.spin_once(0.0)
                self._waiting = [each for each in self._waiting if not each.done()]
                if self.process.poll() is not None:
                    break
            if count > rate * passed:
                time.sleep(HEARING / 10.0)
                continue
            name, kind, sender = self.chance.choice(targets)
            if name.endswith(SLOW) and self.chance.random() > SELDOM:
                continue
            if hasattr(sender, "publish"):
                sender.publish(self._one_of(name, kind, serialize_message))
            elif len(self._waiting) < WAITING:
                self._waiting.append(sender.call_async(self._one_of(name, kind, lambda made: made)))
            else:
                continue  # a request that was not sent is none
            self.figures.sent[name] += 1
            count += 1
            if passed > len(self.figures.memory):
                self.figures.memory.append(self._memory())
        self.figures.seconds = time.monotonic() - began

    def goes_on(self) -> None:
        """It still answers, and makes steps."""
        step = self.node.create_client(Trigger, f"{HOME}/step")
        answer = step.call_async(Trigger.Request())
        self.until(answer.done, "an answer after the flood", BEHIND)
        if self.process.poll() is None:
            self.figures.memory.append(self._memory())

    def _one_of(self, name: str, kind: Any, finish: Callable[[Any], Any]) -> Any:
        """A message or request; to make one takes longer than to send one, so each is sent often."""
        made = self._made.setdefault(name, [])
        if len(made) == KEPT:
            return self.chance.choice(made)
        made.append(finish(random_message(kind, self.chance)))
        return made[-1]

    def _memory(self) -> float:
        return memory_of(self.process.pid)[0]


def run(seconds: float, rate: float, seed: int, world: str) -> Figures:
    """Start a simulation and flood it."""
    with free_domain() as domain, tempfile.TemporaryDirectory() as name:
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        file = Path(name) / "worlds" / "w.wbt"
        file.parent.mkdir()
        file.write_bytes(find_world(world).read_bytes())
        log = Path(name) / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", "-m", "ros_bridge.cli", "run", str(file)],
                cwd=name,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        context = rclpy.Context()
        rclpy.init(context=context)
        flood = Flood(process, Node("flood", context=context), seed)
        try:
            flood.until(flood.has_started, "the start", BEHIND)
            flood.flood(seconds, rate)
            flood.goes_on()
            flood.figures.judge_memory()
        finally:
            process.terminate()
            try:
                process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                flood.figures.wrong.append("the simulation did not end")
                process.kill()
            flood.node.destroy_node()
            context.try_shutdown()
        said = log.read_text(encoding="utf-8", errors="replace")
        if process.returncode not in (0, 1) or "Traceback" in said:
            flood.figures.wrong.append(f"it ended with {process.returncode}:\n{said[-5000:]}")
        return flood.figures


def main() -> int:
    """Flood, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--rate", type=float, default=5000.0, help="messages a second")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--world", default="wall_avoiders")
    arguments = parser.parse_args()
    figures = run(arguments.seconds, arguments.rate, arguments.seed, arguments.world)
    print(*figures.wrong, sep="\n\n", file=sys.stderr)
    print(*figures.lines(), sep="\n")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
