"""Edits of a world of 1,000 solids, one by one: ms each, and of the step after it.

Each field is set 200 times while the world runs, on one solid after another, with a distance sensor that is
sampled in each step: the time of a step includes what rays make of the edit. Solids are named by DEF, as a
supervisor does it; once also given as nodes. Then a Wall, whose template makes its body anew for each size.
Below stand a snapshot of one of the robots of `wall_avoiders`, and of all ten, and its return and a reset
after a step each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.figures import Figure
from benchmarks.scenes import ROOT, wall_avoiders
from sim_core.scene import parse_scene
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

TIMES = 200
SOLID = """DEF S{k} Solid {{ name "s{k}" translation {x} {y} 0.1
  children DEF V{k} Shape {{
    appearance Appearance {{ material DEF M{k} Material {{ }} }}
    geometry DEF B{k} Box {{ size 0.2 0.2 0.2 }} }}
  boundingObject USE V{k} {physics} }}"""
HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { }
Solid { name "floor" boundingObject Plane { size 100 100 } }
DEF R Robot { name "r" translation -1 0 0.1 children [
  DEF DS DistanceSensor { name "ds" type "infra-red" lookupTable [ 0 0 0, 5 5 0 ] } ] }
"""

WALL = f"""EXTERNPROTO "{ROOT}/protos/objects/Wall.proto"
DEF W Wall {{ translation 0 9 0 }}
"""


def world(count: int, more: str = "") -> Simulation:
    """Boxes on a floor, every second one with Physics."""
    solids = [
        SOLID.format(
            k=k, x=0.5 * (k % 32), y=0.5 * (k // 32), physics=f"physics DEF P{k} Physics {{ }}" * (k % 2)
        )
        for k in range(count)
    ]
    return Simulation(parse_scene(HEAD + more + "\n".join(solids), "boxes.wbt"))


def measure(sim: Simulation, edit: Callable[[int], object]) -> tuple[np.ndarray, np.ndarray]:
    """(n,) ms of each edit and (n,) ms of the step after it."""
    edits, steps = [], []
    for number in range(TIMES):
        start = time.perf_counter()
        edit(number)
        middle = time.perf_counter()
        sim.step()
        edits.append(middle - start)
        steps.append(time.perf_counter() - middle)
    return 1e3 * np.array(edits), 1e3 * np.array(steps)


def row(what: str, measured: tuple[np.ndarray, np.ndarray], goal: float) -> Figure:
    """The 95th percentile of what was measured, beside that of the steps after it."""
    times, steps = measured
    what = f"{what} (median {np.median(times):.2f}), 95 %"
    value, step = float(np.percentile(times, 95)), float(np.percentile(steps, 95))
    return Figure(what, value, "ms", "as quick as the step after it", step / value, goal)


def snapshots(sim: Simulation, of: str, goal: float) -> Iterator[Figure]:
    """What it costs to keep a world after a second of driving, and to bring it back."""
    for robot in sim.robots.values():
        for motor in robot.motors().values():
            motor.set_velocity(1.0)
    sim.run(1.0)
    snapshot = sim.snapshot()
    yield row(f"snapshot of {of}", measure(sim, lambda n: sim.snapshot()), goal)
    yield row(f"restore of {of}", measure(sim, lambda n: sim.restore(snapshot)), goal)
    yield row(f"reset of {of}", measure(sim, lambda n: sim.reset()), goal)
    sim.close()


def regeneration() -> Iterator[Figure]:
    """A Wall among ten boxes that gets one size after another."""
    sim = world(10, WALL)
    sim.robot("r")["ds"].add_listener(lambda reading: None)
    sim.step(20)
    edits, _ = measure(sim, lambda n: sim.supervisor.set("W", "size", (0.2, 1.0 + n % 5, 2.4)))
    took = float(np.median(edits))
    yield Figure("a Wall's size, its body made anew", took, "ms", "as quick as 10 ms", 10.0 / took, 1.0)
    sim.close()


def figures(seconds: float) -> Iterator[Figure]:
    """Edits of a world of 1,000 solids, then snapshots."""
    count = 1000
    sim = world(count)
    robot = sim.robot("r")
    robot["ds"].add_listener(lambda reading: None)
    sim.step(20)
    supervisor, builds = sim.supervisor, sim.physics.builds
    odd = list(range(1, count, 2))
    nodes = [supervisor.node(f"S{k}") for k in odd]

    def of(letter: str, number: int) -> str:
        return f"{letter}{odd[number % len(odd)]}"

    def still(number: int) -> str:
        return f"S{odd[number % len(odd)] - 1}"

    def place(number: int) -> tuple[float, float, float]:
        return (number * 0.5, -2.0, 0.1)

    def size(number: int) -> tuple[float, float, float]:
        return (0.2, 0.2, 0.15 + 0.01 * (number % 5))

    def colour(number: int) -> tuple[float, float, float]:
        return (number % 5 / 5.0, 0.3, 0.3)

    def table(number: int) -> Any:
        return [(0.0, 0.0, 0.0), (5.0, 5.0 + number % 3, 0.0)]

    edits: dict[str, Callable[[int], None]] = {
        "translation, moves freely": lambda n: supervisor.set(of("S", n), "translation", place(n)),
        "translation, moves freely, by node": lambda n: supervisor.set(
            nodes[n % len(odd)], "translation", place(n)
        ),
        "translation, stands still": lambda n: supervisor.set(still(n), "translation", place(n)),
        "Box.size under USE": lambda n: supervisor.set(of("B", n), "size", size(n)),
        "Physics.mass": lambda n: supervisor.set(of("P", n), "mass", 1.0 + n % 7),
        "Material.diffuseColor": lambda n: supervisor.set(of("M", n), "diffuseColor", colour(n)),
        "lookupTable": lambda n: supervisor.set("DS", "lookupTable", table(n)),
    }
    for name, edit in edits.items():
        measured = measure(sim, edit)
        yield row(f"1,000 solids: {name}", measured, 3.0)
        yield Figure(f"1,000 solids: {name}, the step after it", float(np.median(measured[1])), "ms")
    assert sim.physics.builds == builds, "the world was built anew"
    sim.close()
    yield from regeneration()
    yield from snapshots(Simulation(wall_avoiders(1, 5.0)), "one robot", 0.1)
    yield from snapshots(load_world("wall_avoiders"), "ten robots", 0.1)
