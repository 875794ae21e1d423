"""Specification of a sweep."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

IN_PROCESS = "sim_core.experiments.sweep.one_run:run_one"
CONTROLLER, SIMULATION = "controller.", "simulation."
"""Prefixes of names for arguments of the controller and settings of the simulation; other names are
fields."""
"""Limits of a sweep."""


@dataclass(frozen=True)
class Job:
    """Part of a sweep common to all runs, which is sent to the workers."""

    folder: str
    """Folder of the spec, and of the user's modules."""
    duration: float | None = None
    """Seconds of sim time; None: the function `run` decides."""
    period: float = 0.0
    """Seconds of sim time between two calls of controllers; 0: every step."""
    controller: str | None = None
    """`module:name` of a function or a class."""
    robots: tuple[str, ...] = ()
    """Robots that the controller drives; empty: all."""
    run: str | None = None
    """`module:function` that executes the whole run."""
    metrics: tuple[str, ...] = ("*.pose", "*.distance")
    runner: str = IN_PROCESS
    domain: int | None = None
    """With ROS: the first domain; each worker takes the first free one from here on."""
    record: str | None = None
    """With ROS: folder of the bags, one for each run; relative to the spec."""
    limit: float = 600.0
    """Largest wall time of a run in s."""


@dataclass(frozen=True)
class Distribution:
    """Values of a sampled parameter."""

    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    is_vector: bool = False
    is_log: bool = False
    is_integer: bool = False
    choices: tuple[Any, ...] = ()

    @property
    def dimensions(self) -> int:
        """Number of random numbers for a value."""
        return 1 if self.choices else len(self.low)

    def value(self, draws: np.ndarray) -> Any:
        """Return the value for (dimensions,) numbers of 0 or more and below 1."""
        if self.choices:
            return self.choices[int(draws[0] * len(self.choices))]
        values = [self._number(*each) for each in zip(self.low, self.high, draws.tolist(), strict=True)]
        return values if self.is_vector else values[0]

    def _number(self, low: float, high: float, draw: float) -> float | int:
        if self.is_integer:
            return int(low) + int(draw * (int(high) - int(low) + 1))
        if self.is_log:
            return math.exp(math.log(low) + draw * (math.log(high) - math.log(low)))
        return low + draw * (high - low)


@dataclass(frozen=True)
class SamplePlan:
    """Random points of a space of parameters."""

    count: int
    method: str
    seed: int
    ranges: dict[str, Distribution]


@dataclass(frozen=True)
class Spec:
    """A sweep.

    Attributes:
        worlds: files of the worlds, by their names in the spec.
        grid: values of each parameter; all combinations are run.
        fixed: parameters with one value for all runs.
        results: file of the table; its ending determines the format.
        sources: files that the results depend on.
    """

    file: str
    job: Job
    worlds: dict[str, str]
    seeds: tuple[int, ...] = (0,)
    fixed: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    sample: SamplePlan | None = None
    results: Path = Path("results.csv")
    sources: tuple[str, ...] = ()
