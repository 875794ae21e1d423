"""Page of a sweep: its failed runs, its results over what it varies, and its table."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim_core.base.errors import ConfigError
from sim_core.base.html_page import escaped, folded, table, write_page
from sim_core.experiments.sweep.effects import SEED, inputs_of, varied_names, without_effect
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.plots import plot
from sim_core.experiments.sweep.table import make_rows
from sim_core.experiments.sweep.worker import OK
from sim_core.experiments.sweep.workers import RunOutcome

MOST_ROWS = 2000
"""Rows of the table on the page; the file of the table has all."""
MOST_PLOTS = 60


def write_sweep_page(
    file: Path, spec: str, runs: Sequence[PlannedRun], outcomes: Mapping[str, RunOutcome]
) -> None:
    """Write the page.

    Args:
        file: to write.
        spec: file of the spec, for the commands on the page.
        runs: all runs of the sweep.
        outcomes: of those that have ended, by key.

    Raises:
        ConfigError: it cannot be written.
    """
    ended = [run for run in runs if run.key in outcomes]
    failed = [run for run in ended if outcomes[run.key].status != OK]
    parts = [f"<p>{len(ended)} of {len(runs)} runs, {len(ended) - len(failed)} well, {_failed(failed)}.</p>"]
    parts += [f"<p>{escaped(line)}</p>" for line in without_effect(runs, outcomes)]
    if failed:
        parts += ["<h2>Failed runs</h2>", _failures(spec, failed, outcomes, varied_names(runs))]
    parts += _plots(runs, outcomes)
    columns, rows = make_rows(runs, outcomes)
    cells = ([escaped(_shown(row.get(name))) for name in columns] for row in rows[:MOST_ROWS])
    title = "All runs" if len(rows) <= MOST_ROWS else f"The first {MOST_ROWS} of {len(rows)} runs"
    parts.append("<h2>Table</h2>" + folded(title, table(columns, cells)))
    try:
        write_page(file, Path(spec).name, parts)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror or error}") from None


def _failed(failed: Sequence[PlannedRun]) -> str:
    return f'<span class="bad">{len(failed)} failed</span>' if failed else "none failed"


def _failures(
    spec: str, failed: Sequence[PlannedRun], outcomes: Mapping[str, RunOutcome], names: Sequence[str]
) -> str:
    rows = []
    for run in failed:
        inputs = inputs_of(run)
        error = outcomes[run.key].error or outcomes[run.key].status
        again = f"odesim batch {shlex.quote(spec)} --row {run.index} --explain"
        cells = [str(run.index), *(_shown(inputs.get(name)) for name in names), error]
        rows.append([*map(escaped, cells), f"<code>{escaped(again)}</code>"])
    return table(["run", *names, "error", "again"], rows)


def _plots(runs: Sequence[PlannedRun], outcomes: Mapping[str, RunOutcome]) -> Iterator[str]:
    """Each metric that is a number over each number that is varied, the seed only if it is the only one."""
    well = [run for run in runs if run.key in outcomes and outcomes[run.key].status == OK]
    inputs = [dict(_numbers_of(run)) for run in well]
    names = list(dict.fromkeys(name for each in inputs for name in each))
    names = [name for name in names if len({str(each.get(name)) for each in inputs}) > 1]
    names = [name for name in names if name != SEED] or names
    metrics = dict.fromkeys(name for run in well for name in outcomes[run.key].metrics)
    figures, same = [], []
    for metric in metrics:
        values = [outcomes[run.key].metrics.get(metric) for run in well]
        points: list[tuple[dict[str, Any], Any]] = [
            (each, value) for each, value in zip(inputs, values, strict=True) if _is_number(value)
        ]
        if len({value for _, value in points}) < 2:
            same += [f"{metric} {_shown(points[0][1])}"] if points else []
            continue
        for name in names:
            x = [each.get(name) for each, _ in points]
            figures.append(plot(f"{metric} over {name}", x, [value for _, value in points]))
    if figures:
        yield f'<h2>Results</h2><div class="plots">{"".join(figures[:MOST_PLOTS])}</div>'
    if len(figures) > MOST_PLOTS:
        yield f"<p>{len(figures) - MOST_PLOTS} more plots are left out.</p>"
    if same:
        yield f"<p>The same in all runs: {escaped(', '.join(same))}.</p>"


def _numbers_of(run: PlannedRun) -> Iterator[tuple[str, Any]]:
    """Yield what a run depends on; of lists of numbers each number, as `ROBOT.translation[0]`."""
    for name, value in inputs_of(run).items():
        if isinstance(value, list) and all(map(_is_number, value)):
            yield from ((f"{name}[{index}]", each) for index, each in enumerate(value))
        else:
            yield name, value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value)
