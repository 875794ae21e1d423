"""What the k-th node costs that a supervisor brings into a running world, and what it costs to take it out.

Each kind is brought in one by one, a step after each. `watched`: balls, while a robot with a distance sensor
looks on. A number is the median of ten imports (removals): where the 500th costs what the 50th does, a world
costs nothing by its size.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import sim_core
from benchmarks.figures import Figure
from benchmarks.swarm import robot_text, world_text
from sim_core.devices import Sensor
from sim_core.scene import Node

PROTO = """#VRML_SIM R2025a utf8
PROTO Crate [ field SFVec3f translation 0 0 0 field SFString name "crate" field SFFloat edge 0.2 ] {
  Solid {
    translation IS translation name IS name
    children [ DEF BODY Shape { appearance PBRAppearance { } geometry Box { size 0.2 0.2 0.2 } } ]
    boundingObject USE BODY
    physics Physics { density 500 }
  }
}
"""
SENSOR = 'DistanceSensor { name "ds" lookupTable [ 0 0 0, 5 5 0 ] type "laser" translation 0 0 1 }'


def _ball(k: int) -> str:
    return (
        f'DEF N{k} Solid {{ name "n{k}" translation {_place(k)} boundingObject Sphere {{ radius 0.1 }} '
        "children [ Shape { geometry Sphere { radius 0.1 } } ] physics Physics { mass 0.5 density -1 } }"
    )


def _crate(k: int) -> str:
    return f'DEF N{k} Crate {{ name "n{k}" translation {_place(k)} }}'


def _robot(k: int) -> str:
    x, y, _ = _place(k).split()
    return f"DEF N{k} {robot_text(f'n{k}', float(x), float(y)).strip()}"


def _place(k: int) -> str:
    return f"{k % 25 * 0.6 - 7.5} {k // 25 * 0.6 - 7.5} 0.11"


KINDS: dict[str, Callable[[int], str]] = {"ball": _ball, "proto": _crate, "robot": _robot, "watched": _ball}


def figures(seconds: float) -> Iterator[Figure]:
    """The 50th and the 500th of each kind, coming and going."""
    for kind in KINDS:
        for what, times in zip(("comes", "goes"), _measure(kind, 500), strict=True):
            first, last = (1e3 * statistics.median(times[place - 10 : place]) for place in (50, 500))
            yield Figure(f"{kind}, the 50th {what}", first, "ms")
            yield Figure(f"{kind}, the 500th {what}", last, "ms")


def _measure(kind: str, nodes: int) -> tuple[list[float], list[float]]:
    """Seconds for each import, and for each removal in a world of so many, the smallest world first."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("worlds", "protos"):
            Path(folder, name).mkdir()
        Path(folder, "protos", "Crate.proto").write_text(PROTO, encoding="utf-8")
        watcher = [robot_text("watcher", -9.0, -9.0, more=SENSOR)] if kind == "watched" else []
        extern = 'utf8\nEXTERNPROTO "../protos/Crate.proto"'
        text = world_text(*watcher, step=8.0).replace("utf8", extern, 1)
        world = Path(folder, "worlds", "world.wbt")
        world.write_text(text, encoding="utf-8")
        sim = sim_core.load_world(world, seed=1)
        if watcher:
            sensor = sim.robot("watcher").devices["ds"]
            assert isinstance(sensor, Sensor)
            sensor.add_listener(lambda reading: None)
        come, go = [], []
        brought: list[Node] = []

        def add(text: str) -> None:
            brought.extend(sim.supervisor.import_text(text))

        for k in range(nodes):
            text = KINDS[kind](k)
            come.append(_seconds(partial(add, text)))
            sim.step()
        for node in reversed(brought):
            go.append(_seconds(partial(sim.supervisor.remove, node)))
            sim.step()
    return come, go[::-1]


def _seconds(call: Callable[[], None]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
