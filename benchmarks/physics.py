"""Time per physics step of the wall-avoider scene, beside the same scene on libode in C, MuJoCo and pybullet.

The C program (physics_baseline.c) is compiled here, with cc and the headers of libode; it makes the same
contacts in the same order, which is checked by its final positions. The engines take turns, round by round.
A time is the median of the rounds, a ratio the median of those of neighbouring rounds: a machine that is busy
with other things slows all of them. Engines that are not installed are left out.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.physics_others import other_engines, rounds_of
from benchmarks.physics_scene import baseline_scene, drive
from benchmarks.scenes import wall_avoiders
from sim_core.engines.ode import PhysicsWorld
from sim_core.model.world_model import WorldModel

COUNTS = (1, 10, 100)
ROUNDS = 21
WARM_UP = 200

Round = Callable[[], float]
"""Runs one round and returns its microseconds per step."""


def compile_baseline(folder: Path) -> Path:
    """The C program, compiled; raises CalledProcessError or FileNotFoundError if it cannot be."""
    source = Path(__file__).with_name("physics_baseline.c")
    program = folder / "physics_baseline"
    subprocess.run(["cc", "-O2", "-o", program, source, "-lode", "-lm"], check=True)
    return program


class Baseline:
    """The C program with one scene, waiting for its next round."""

    def __init__(self, program: Path, scene: str, steps: int, rounds: int) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._started = False
        self._scene = f"{scene}run\n{WARM_UP} {steps} {rounds}\n"

    def round(self) -> float:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("go\n" if self._started else self._scene)
        self._process.stdin.flush()
        self._started = True
        return float(self._process.stdout.readline())

    def positions(self) -> list[tuple[float, ...]]:
        """Positions of all bodies after the last round."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        with self._process.stdout as lines:
            found = [tuple(float(value) for value in line.split()) for line in lines]
        self._process.wait()
        return found


def measure(
    count: int, program: Path | None, rounds: int, seconds: float
) -> tuple[dict[str, float], float, bool]:
    """Median microseconds per step by engine, median ratio to C, and whether both ended in the same state."""
    scene = wall_avoiders(count, 5.0)
    world = PhysicsWorld(WorldModel(scene), contacts="stiff")  # as config/wall_avoiders.yaml has it
    text = baseline_scene(world)
    drive(world, scene)
    for _ in range(WARM_UP):
        world.step()
    steps = max(20, round(seconds / (12e-6 * count)))
    engines: dict[str, Round] = {"odesim": rounds_of(world.step, steps)}
    baseline = Baseline(program, text, steps, rounds) if program else None
    if baseline:
        engines["C"] = baseline.round
    engines |= other_engines(scene, world, steps)
    times: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(rounds):
        for name, run in engines.items():
            times[name].append(run())
    same = True
    if baseline:
        mine = [link.body.getPosition() for link in world.built.bodies]
        same = all(
            abs(a - b) < 1e-9
            for p, q in zip(mine, baseline.positions(), strict=True)
            for a, b in zip(p, q, strict=True)
        )
    medians = {name: statistics.median(values) for name, values in times.items()}
    pairs = zip(times["odesim"], times.get("C", []), strict=False)
    ratio = statistics.median([mine / theirs for mine, theirs in pairs] or [math.nan])
    return medians, ratio, same


def figures(seconds: float) -> Iterator[Figure]:
    """A step with one, ten and a hundred robots, beside whoever is here."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = compile_baseline(Path(folder))
        except (FileNotFoundError, subprocess.CalledProcessError):
            program = None
        for count in COUNTS:
            medians, ratio, same = measure(count, program, ROUNDS, seconds / ROUNDS)
            mine = medians.pop("odesim")
            what = f"step of 5 ms, {count} robot{'s' * (count > 1)}"
            if program:
                assert same, "the C program did not end in the same state"
                medians["C"] = mine / ratio  # of neighbouring rounds
            for peer, theirs in medians.items():
                yield Figure(what, mine, "µs", peer=f"as fast as {peer}", ratio=theirs / mine)
            if not medians:
                yield Figure(what, mine, "µs")
