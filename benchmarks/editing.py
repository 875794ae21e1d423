"""Edits of a world of 1,000 solids, one by one: ms each, and of the step after it.

    python benchmarks/editing.py [solids]

Each field is set 200 times while the world runs, on one solid after another, with a distance sensor that is
sampled in each step: the time of a step includes what rays make of the edit. A step by itself stands on top.
Below stand a snapshot of `wall_avoiders`, and its return and a reset after a step each.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sim_core.scene import Node, parse_scene
from sim_core.session.simulation import Simulation, load_world

TIMES = 200
SOLID = """DEF S{k} Solid {{ name "s{k}" translation {x} {y} 0.1
  children DEF V{k} Shape {{
    appearance Appearance {{ material DEF M{k} Material {{ }} }}
    geometry DEF B{k} Box {{ size 0.2 0.2 0.2 }} }}
  boundingObject USE V{k} {physics} }}"""
HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { size 100 100 } }
DEF R Robot { name "r" translation -1 0 0.1 children [
  DistanceSensor { name "ds" type "infra-red" lookupTable [ 0 0 0, 5 5 0 ] } ] }
"""


def world(count: int) -> Simulation:
    """Boxes on a floor, every second one with Physics."""
    solids = [
        SOLID.format(
            k=k, x=0.5 * (k % 32), y=0.5 * (k // 32), physics=f"physics DEF P{k} Physics {{ }}" * (k % 2)
        )
        for k in range(count)
    ]
    return Simulation(parse_scene(HEAD + "\n".join(solids), "boxes.wbt"))


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


def print_row(name: str, *times: np.ndarray) -> None:
    """Median and 95th percentile of each."""
    print(f"{name:28}" + "".join(f"{np.median(ms):9.3f}{np.percentile(ms, 95):9.3f}   " for ms in times))


def measure_snapshots() -> None:
    """Print what it costs to keep a world and to bring it back; it has run for a second."""
    sim = load_world("wall_avoiders")
    for robot in sim.robots.values():
        for motor in robot.motors().values():
            motor.set_velocity(1.0)
    sim.run(1.0)
    snapshot = sim.snapshot()
    print_row("snapshot", measure(sim, lambda n: sim.snapshot())[0])
    print_row("restore", measure(sim, lambda n: sim.restore(snapshot))[0])
    print_row("reset", measure(sim, lambda n: sim.reset())[0])
    sim.close()


def main(count: int) -> None:
    """Print the table."""
    sim = world(count)
    robot = sim.robot("r")
    robot["ds"].add_listener(lambda reading: None)
    sim.step(20)
    nodes: dict[str, Node] = {node.def_name: node for node in sim.scene.walk() if node.def_name}
    odd = list(range(1, count, 2))
    supervisor, builds = sim.supervisor, sim.physics.builds

    def of(letter: str, number: int) -> Node:
        return nodes[f"{letter}{odd[number % len(odd)]}"]

    def still(number: int) -> Node:
        return nodes[f"S{odd[number % len(odd)] - 1}"]

    def place(number: int) -> tuple[float, float, float]:
        return (number * 0.5, -2.0, 0.1)

    def size(number: int) -> tuple[float, float, float]:
        return (0.2, 0.2, 0.15 + 0.01 * (number % 5))

    def colour(number: int) -> tuple[float, float, float]:
        return (number % 5 / 5.0, 0.3, 0.3)

    def table(number: int) -> Any:
        return [(0.0, 0.0, 0.0), (5.0, 5.0 + number % 3, 0.0)]

    edits: dict[str, Callable[[int], None]] = {
        "(nothing)": lambda n: None,
        "translation, moves freely": lambda n: supervisor.set(
            of("S", n), "translation", (n * 0.5, -2.0, 0.1)
        ),
        "translation, stands still": lambda n: supervisor.set(still(n), "translation", place(n)),
        "Box.size under USE": lambda n: supervisor.set(of("B", n), "size", size(n)),
        "Physics.mass": lambda n: supervisor.set(of("P", n), "mass", 1.0 + n % 7),
        "Material.diffuseColor": lambda n: supervisor.set(
            of("M", n), "diffuseColor", (n % 5 / 5.0, 0.3, 0.3)
        ),
        "lookupTable": lambda n: supervisor.set(robot.nodes["ds"], "lookupTable", table(n)),
    }
    print(f"{'ms':28}{'median':>9}{'95 %':>9}   {'step':>9}{'95 %':>9}")
    for name, edit in edits.items():
        print_row(name, *measure(sim, edit))
    print(f"built anew {sim.physics.builds - builds} times")
    measure_snapshots()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
