"""Which of the names that a sweep varies have no effect on its results."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.workers import RunOutcome

SEED = "seed"


def varied_names(runs: Sequence[PlannedRun]) -> list[str]:
    """Return the names with several values: `world`, `seed` and parameters, in the order of the table."""
    values: dict[str, set[str]] = {}
    for run in runs:
        for name, value in inputs_of(run).items():
            values.setdefault(name, set()).add(json.dumps(value, default=str))
    return [name for name, found in values.items() if len(found) > 1]


def inputs_of(run: PlannedRun) -> dict[str, Any]:
    """Return what a run depends on, by name."""
    return {"world": run.world, SEED: run.seed, **run.parameters}


def without_effect(runs: Sequence[PlannedRun], outcomes: Mapping[str, RunOutcome]) -> list[str]:
    """Return a line for each varied name of which all runs that differ in it alone have the same results.

    Names of which there are no two such runs, such as those of a random sample, are left out.
    """
    ended = [run for run in runs if run.key in outcomes]
    return [line for name in varied_names(runs) for line in _line(name, ended, outcomes)]


def _line(name: str, ended: Sequence[PlannedRun], outcomes: Mapping[str, RunOutcome]) -> Iterator[str]:
    groups: dict[str, list[PlannedRun]] = defaultdict(list)
    for run in ended:
        others = {key: value for key, value in inputs_of(run).items() if key != name}
        groups[json.dumps(others, default=str)].append(run)
    several = [group for group in groups.values() if len(group) > 1]
    if not several or not all(_are_equal(group, outcomes) for group in several):
        return
    rows = ", ".join(str(run.index) for run in several[0][:3]) + (", …" if len(several[0]) > 3 else "")
    more = f", and {len(several) - 1} more groups" if len(several) > 1 else ""
    why = "; nothing in these runs is random" if name == SEED else ""
    yield f"{name}: its values change no result: rows {rows} are the same{more}{why}"


def _are_equal(group: Sequence[PlannedRun], outcomes: Mapping[str, RunOutcome]) -> bool:
    results = [replace(outcomes[run.key], key="", wall=0.0) for run in group]
    return all(result == results[0] for result in results)
