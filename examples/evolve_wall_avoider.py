"""Evolves the thresholds of the wall avoider's rule, in parallel, without ROS.

    python3 examples/evolve_wall_avoider.py                # some minutes
    python3 examples/evolve_wall_avoider.py --short        # half a minute: a taste of it
    python3 examples/evolve_wall_avoider.py --speeds --seed 7 --generations 30 -j 8

The controller of worlds/wall_avoiders.wbt turns when something is nearer than one distance ahead, or than
another one at the sides. A (μ+λ) evolution strategy looks for better thresholds (with --speeds for wheel
speeds too): μ parents and their λ children, which are mixed of two parents and changed by normally
distributed steps, compete, and the best μ are the next parents. The steps shrink in each generation.

What counts is the distance in m that a robot covers without touching: its path up to the moment in which its
hull first touches a wall or another robot. The score is the mean over the ten robots and some starts. The
last comparison, with the thresholds that are shipped, is made on starts that the evolution has not seen.

The same seed gives the same numbers, on however many processes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import sim_core
from sim_core.base.machine import processors
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.spec import Job
from sim_core.experiments.sweep.sweep import stop_signals
from sim_core.experiments.sweep.workers import LocalPool

WORLD = HERE.parent / "worlds" / "wall_avoiders.wbt"
PERIOD = 0.2
"""Seconds of sim time between two decisions."""
UNSEEN = 1_000_000
"""Starts from this number on are for the last comparison."""


@dataclass(frozen=True)
class Rule:
    """The rule of `ros_bridge/controllers/wall_avoider.py`; as shipped if nothing is given."""

    front: float = 0.95
    """m: an obstacle ahead that is nearer makes the robot turn."""
    side: float = 0.5
    """m: the same at the sides."""
    cruise: float = 5.0
    """rad/s of the wheels straight on."""
    turn: float = 2.0
    """rad/s of the wheels in a turn on the spot."""

    def decide(self, front: float, left: float, right: float) -> tuple[float, float]:
        """Speeds of the left and the right wheel, rad/s, from three distances in m."""
        if front <= self.front or (left < right and left < self.side):
            return (self.turn, -self.turn)
        if right < left and right < self.side:
            return (-self.turn, self.turn)
        return (self.cruise, self.cruise)

    def __str__(self) -> str:
        wheels = f"wheels {self.cruise:.2f} and {self.turn:.2f} rad/s"
        return f"front {self.front:.3f} m, side {self.side:.3f} m, {wheels}"


LOW = np.array([0.3, 0.2, 1.0, 0.5])
HIGH = np.array([1.9, 1.9, 10.0, 10.0])
"""The sensors see 2 m; the motors reach 10 rad/s."""


def distance_without_touching(sim: sim_core.Simulation, **numbers: float) -> float:
    """Mean over the robots of the m that each covers before its hull touches something.

    Args:
        sim: at its start; its seed decides the headings of the robots.
        numbers: of the rule, and `seconds` of sim time.
    """
    seconds = numbers.pop("seconds")
    rule = Rule(**numbers)
    random = np.random.default_rng(sim.seed)
    robots = list(sim.robots.values())
    for robot in robots:
        turn = (0.0, 0.0, 1.0, float(random.uniform(-math.pi, math.pi)))
        sim.supervisor.set(robot.name, "rotation", turn)
    floor = next(node for node in sim.scene.nodes if node.is_a("Solid") and node["name"] == "floor")
    hulls = [sim.physics.watch_contacts(robot.node.id) for robot in robots]
    places = [robot.frame.pose().position for robot in robots]
    touched: set[int] = set()

    def look(_: int) -> None:
        """After each step; a robot that speeds up may sit down on its tail, so the floor does not count."""
        for index, hull in enumerate(hulls):
            if hull.contacts and any(touch.other != floor.id for touch in hull.contacts):
                touched.add(index)

    sim.every(0.0, look)
    distance = 0.0
    while sim.time < seconds and len(touched) < len(robots):
        sim.run(PERIOD)
        for index, robot in enumerate(robots):
            if index not in touched:
                place = robot.frame.pose().position
                distance += math.dist(place, places[index])
                places[index] = place
            left, right = rule.decide(*(robot[name].value for name in ("ds_front", "ds_left", "ds_right")))
            robot["motor_left"].set_velocity(left)
            robot["motor_right"].set_velocity(right)
    return distance / len(robots)


class Tries:
    """Tries rules in the worker processes of a sweep: a crash of one of them is a score of 0."""

    def __init__(self, pool: LocalPool, seconds: float, is_stopped: Callable[[], bool]) -> None:
        self.pool, self.seconds, self.is_stopped = pool, seconds, is_stopped
        self.job = Job(folder=str(HERE), run=f"{Path(__file__).stem}:distance_without_touching", metrics=())

    def scores(self, rules: Sequence[Rule], starts: Sequence[int]) -> list[float]:
        """m of each rule, the mean over the same starts.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        runs = []
        for rule in rules:
            numbers = asdict(rule) | {"seconds": self.seconds}
            parameters = {f"controller.{name}": value for name, value in numbers.items()}
            parameters["simulation.sampling_period"] = PERIOD
            runs += [
                PlannedRun(0, WORLD.name, str(WORLD), start, parameters, f"{len(runs) + index}")
                for index, start in enumerate(starts)
            ]
        metres = np.zeros(len(runs))
        for outcome in self.pool.outcomes(self.job, runs):
            if self.is_stopped():
                raise KeyboardInterrupt
            if outcome is not None:
                metres[int(outcome.key)] = outcome.metrics.get("distance_without_touching", 0.0)
                if outcome.error:
                    print(f"{runs[int(outcome.key)]}: {outcome.error}", file=sys.stderr)
        means: list[float] = metres.reshape(len(rules), len(starts)).mean(axis=1).tolist()
        return means


def evolve(tries: Tries, options: argparse.Namespace) -> Rule:
    """The best rule that a (μ+λ) evolution strategy finds; prints how it goes."""
    random = np.random.default_rng(options.seed)
    free = 4 if options.speeds else 2  # how many of the numbers may change
    starts = range(options.starts)
    size = 0.25 * (HIGH - LOW)[:free]
    parents = [Rule()]
    scores = tries.scores(parents, starts)
    print(f"shipped        {scores[0]:7.2f} m   {parents[0]}", flush=True)
    for generation in range(options.generations):
        children = []
        for _ in range(options.children):
            mother, father = (np.array(astuple(parents[k])) for k in random.integers(len(parents), size=2))
            child = np.where(random.random(4) < 0.5, mother, father)
            child[:free] += random.normal(size=free) * size * 0.85**generation
            children.append(Rule(*np.clip(child, LOW, HIGH).round(4).tolist()))
        rules, values = parents + children, scores + tries.scores(children, starts)
        best = sorted(range(len(rules)), key=lambda k: -values[k])[: options.parents]
        parents, scores = [rules[k] for k in best], [values[k] for k in best]
        print(f"generation {generation + 1:3d} {scores[0]:7.2f} m   {parents[0]}", flush=True)
    return parents[0]


def main() -> int:
    """Evolve, and compare with what is shipped."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generations", type=int, default=10)
    parser.add_argument("--parents", type=int, default=4, help="μ")
    parser.add_argument("--children", type=int, default=12, help="λ, in each generation")
    parser.add_argument("--starts", type=int, default=2, help="starts that a rule is tried from")
    parser.add_argument("--seconds", type=float, default=60.0, help="sim time of each try")
    parser.add_argument("--speeds", action="store_true", help="evolve the wheel speeds too")
    parser.add_argument("--short", action="store_true", help="three generations of four children, 30 s each")
    parser.add_argument("-j", "--jobs", type=int, default=processors(), help="processes")
    options = parser.parse_args()
    if options.short:
        options.generations, options.children, options.starts, options.seconds = 3, 4, 1, 30.0
    unseen = range(UNSEEN, UNSEEN + 2 * options.starts)
    with stop_signals() as is_stopped, closing(LocalPool(options.jobs)) as pool:
        pool.start()
        try:
            tries = Tries(pool, options.seconds, is_stopped)
            best = evolve(tries, options)
            shipped, evolved = tries.scores([Rule(), best], unseen)
        except KeyboardInterrupt:
            return 130
    print(f"on {len(unseen)} starts not seen before: shipped {shipped:.2f} m, evolved {evolved:.2f} m")
    return 0


if __name__ == "__main__":
    sys.exit(main())
