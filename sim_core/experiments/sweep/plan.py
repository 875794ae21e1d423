"""Plan of a sweep: the runs of a spec, in a fixed order."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sim_core
from sim_core.base.errors import ConfigError
from sim_core.base.limits import limit, limit_text
from sim_core.experiments.sweep.spec import SamplePlan, Spec


@dataclass(frozen=True)
class PlannedRun:
    """One run of a sweep.

    Attributes:
        index: index of its row in the table.
        world: name in the spec.
        file: file of the world.
        parameters: values by name, in the order of the spec.
        key: hash of everything on which the result depends.
    """

    index: int
    world: str
    file: str
    seed: int
    parameters: dict[str, Any]
    key: str

    def __str__(self) -> str:
        parts = [f"{name} {value}" for name, value in self.parameters.items()]
        return f"run {self.index} ({', '.join([self.world, f'seed {self.seed}', *parts])})"


def make_runs(spec: Spec) -> list[PlannedRun]:
    """Return all runs: for each world, each combination of the grid, each point of the sample: each seed.

    Raises:
        ConfigError: there are too many runs, or a source cannot be read.
    """
    count = math.prod(map(len, (spec.worlds, spec.seeds, *spec.grid.values())))
    count *= spec.sample.count if spec.sample else 1
    if count > limit("runs"):
        raise ConfigError(f"{spec.file}: found {count} runs, expected {limit_text('runs')}")
    points = list(sample_points(spec.sample)) if spec.sample else [{}]
    sources = [_digest(file) for file in spec.sources]
    digests = {file: _digest(file) for file in spec.worlds.values()}
    job = spec.job
    common = [
        sim_core.__version__, job.runner, job.duration, job.period, job.controller, job.robots, job.run,
        job.metrics, sources,
    ]  # fmt: skip
    runs: list[PlannedRun] = []
    grid = [dict(zip(spec.grid, values, strict=True)) for values in itertools.product(*spec.grid.values())]
    for (world, file), own, point, seed in itertools.product(spec.worlds.items(), grid, points, spec.seeds):
        parameters = spec.fixed | own | point
        content = json.dumps([common, world, digests[file], seed, parameters], sort_keys=True, default=str)
        key = hashlib.sha256(content.encode()).hexdigest()[:24]
        runs.append(PlannedRun(len(runs), world, file, seed, parameters, key))
    return runs


def sample_points(sample: SamplePlan) -> Iterator[dict[str, Any]]:
    """Yield the points of a sample, equal for equal seeds.

    latin: a Latin hypercube (McKay, Beckman, Conover 1979): the range of each number is cut into `count`
    strips, and each strip contains one point. random: independent numbers.
    """
    random = np.random.Generator(np.random.PCG64(sample.seed))
    dimensions = sum(each.dimensions for each in sample.ranges.values())
    draws = random.random((sample.count, dimensions))
    if sample.method == "latin":
        strips = np.stack([random.permutation(sample.count) for _ in range(dimensions)], axis=1)
        draws = (strips + draws) / sample.count
    for row in draws:
        at = 0
        point = {}
        for name, each in sample.ranges.items():
            point[name] = each.value(row[at : at + each.dimensions])
            at += each.dimensions
        yield point


def _digest(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
