"""Table of a sweep: CSV or Parquet, one row per run, in the order of the plan."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim_core.base.errors import ConfigError

if TYPE_CHECKING:
    from sim_core.experiments.sweep.plan import PlannedRun
    from sim_core.experiments.sweep.workers import RunOutcome

ENDINGS = (".csv", ".parquet")
FIRST = ("run", "world", "seed")
LAST = ("status", "error")

TableRows = list[dict[str, Any]]


def make_rows(runs: Iterable[PlannedRun], outcomes: Mapping[str, RunOutcome]) -> tuple[list[str], TableRows]:
    """Return columns and rows of the runs that have ended.

    The columns are run, world, seed, the parameters, status, error, and the metrics in the order of their
    first appearance.
    """
    rows: TableRows = []
    parameters: dict[str, None] = {}
    metrics: dict[str, None] = {}
    for run in runs:
        outcome = outcomes.get(run.key)
        parameters |= dict.fromkeys(run.parameters)
        if outcome is None:
            continue
        metrics |= dict.fromkeys(outcome.metrics)
        own = {name: cell(value) for name, value in run.parameters.items()}
        row = {"run": run.index, "world": run.world, "seed": run.seed} | own | outcome.metrics
        rows.append(row | {"status": outcome.status, "error": outcome.error})
    names = [*FIRST, *parameters, *LAST]
    return [*names, *(name for name in metrics if name not in names)], rows


def write_table(path: Path, columns: list[str], rows: TableRows) -> None:
    """Write the table and replace an existing one atomically.

    Raises:
        ConfigError: it cannot be written, or pyarrow is not installed.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        if path.suffix == ".parquet":
            _write_parquet(beside, columns, rows)
        else:
            with beside.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        os.replace(beside, path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from None


def check_ending(path: Path) -> None:
    """Check, before the runs, that a table of this format can be written.

    Raises:
        ConfigError: the ending is unknown, or pyarrow is not installed.
    """
    if path.suffix not in ENDINGS:
        raise ConfigError(f"{path}: found the ending {path.suffix!r}, expected {' or '.join(ENDINGS)}")
    if path.suffix == ".parquet":
        _pyarrow(path)


def _write_parquet(path: Path, columns: list[str], rows: TableRows) -> None:
    arrow, parquet = _pyarrow(path)
    arrays = {}
    for name in columns:
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if kinds == {int, float}:
            values = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1:
            values = [None if value is None else str(value) for value in values]
        arrays[name] = arrow.array(values, type=None if kinds else arrow.float64())
    parquet.write_table(arrow.table(arrays), path)


def _pyarrow(path: Path) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(
            f"{path}: Parquet needs pyarrow, which is not installed (pip install pyarrow); CSV needs nothing"
        ) from None
    return pyarrow, pyarrow.parquet


def cell(value: Any) -> Any:
    """Convert lists to JSON, so that a cell can be read back."""
    return value if value is None or isinstance(value, (bool, int, float, str)) else json.dumps(value)
