"""One run of a sweep again: measured, explained, filmed, or shown in the viewer."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ros_bridge.base.exit_codes import ERROR
from ros_bridge.control.recording_services import check_movie, start_movie
from ros_bridge.parameters.options import RecordingOptions
from sim_core.base.errors import ConfigError
from sim_core.experiments.explain.finding import Finding, Kind, as_lines
from sim_core.experiments.explain.run_watch import RunWatch
from sim_core.experiments.sweep.metrics import Values
from sim_core.experiments.sweep.one_run import run_one
from sim_core.experiments.sweep.plan import PlannedRun, make_runs
from sim_core.experiments.sweep.spec import IN_PROCESS, Spec
from sim_core.experiments.sweep.sweep import ENDING, RunLog
from sim_core.experiments.sweep.table import cell
from sim_core.experiments.sweep.user_code import one_line
from sim_core.experiments.sweep.worker import OK
from sim_core.session.simulation import Simulation

FAILED_OR_DIFFERS = 1


def repeat_row(spec: Spec, results: Path, arguments: argparse.Namespace) -> int:
    """Do the run of a row again, and print what comes of it.

    Args:
        spec: of the sweep.
        results: file of the table, whose row is compared if it is there.
        arguments: of `odesim batch`.

    Returns:
        Exit code: 0; 1 the run failed, or its results are others than in the table; or that of `odesim run`.

    Raises:
        OdesimError: there is no such row, or arguments contradict each other.
    """
    runs = make_runs(spec)
    if not 0 <= arguments.row < len(runs):
        raise ConfigError(f"--row: found {arguments.row}, expected a number from 0 to {len(runs) - 1}")
    if arguments.movie:
        check_movie(RecordingOptions(arguments.movie, arguments.movie_size))
    run = runs[arguments.row]
    print(run, flush=True)
    if arguments.viewer:
        return _view(spec, run, arguments)
    if spec.job.runner != IN_PROCESS:
        return _run_with_ros(spec, run, results, arguments)
    watches: list[RunWatch] = []

    def watch(sim: Simulation) -> None:
        if arguments.explain:
            watches.append(RunWatch(sim))
        if arguments.movie:
            start_movie(sim, RecordingOptions(arguments.movie, arguments.movie_size))

    error = ""
    values: Values = {}
    try:
        values = run_one(spec.job, run, watch)
    except Exception as problem:  # the user's code may raise anything
        error = one_line(problem)
    if arguments.movie and Path(arguments.movie).is_file():
        print(f"{arguments.movie}: written")
    for each in watches:
        failed = [Finding(each.time_ns, Kind.CONTROLLER, f"the run fails: {error}")] if error else []
        print("\n".join(as_lines([*each.findings(), *failed])))
    if error:
        print(f"failed: {error}")
        return FAILED_OR_DIFFERS
    return _print_metrics(run, values, results)


def _print_metrics(run: PlannedRun, values: Values, results: Path) -> int:
    """Print the metrics, and whether they are those of the table."""
    wide = max(map(len, values), default=0)
    for name, value in values.items():
        print(f"{name:<{wide}}  {cell(value)}")
    if not results.with_name(results.name + ENDING).is_file():
        return 0
    with RunLog(results) as log:
        known = log.outcomes.get(run.key)
    if known is None or known.status != OK:
        return 0
    others = [name for name in known.metrics if name != "bag" and known.metrics[name] != values.get(name)]
    if others:
        print(f"{results}: there {others[0]} is {cell(known.metrics[others[0]])}")
        return FAILED_OR_DIFFERS
    print(f"as in {results}")
    return 0


def _run_with_ros(spec: Spec, run: PlannedRun, results: Path, arguments: argparse.Namespace) -> int:
    """Do a run whose controllers are those of the world."""
    from ros_bridge.recorder.bag import Bag
    from ros_bridge.recorder.explain import explain, explanation_text

    with tempfile.TemporaryDirectory(prefix="odesim-row-") as folder:
        bag = Path(folder) / "bag"
        words = ["--mode", "fast", "--duration", str(spec.job.duration)]
        words += ["--record", str(bag)] if arguments.explain else []
        film = RecordingOptions(arguments.movie, arguments.movie_size) if arguments.movie else None
        code, values = run_on_node(spec, run, words, Path(folder), film)
        if arguments.explain:
            with Bag(bag) as recorded:
                print(explanation_text(explain(recorded)))
    return code or _print_metrics(run, values, results)


def _view(spec: Spec, run: PlannedRun, arguments: argparse.Namespace) -> int:
    """Show a run in the viewer: it begins when the user presses Run, and pauses at its end.

    Raises:
        ConfigError: it cannot be shown, or other options are given.
    """
    from ros_bridge.viewer.process import viewer_process

    if arguments.explain or arguments.movie:
        other = "--explain" if arguments.explain else "--movie"
        raise ConfigError(f"--viewer: found {other} too, expected one of them")
    if spec.job.run is not None:
        found = f"--viewer: found run: {spec.job.run} in {spec.file}"
        raise ConfigError(f"{found}, expected controller: or ros: true")
    words = ["--mode", "paused", "--viewer"]
    words += ["--no-controllers"] if spec.job.runner == IN_PROCESS else []
    print("paused: press Run in the viewer", flush=True)
    with tempfile.TemporaryDirectory(prefix="odesim-row-") as folder, viewer_process():
        code, _ = run_on_node(spec, run, words, Path(folder))
    return code


def run_on_node(
    spec: Spec, run: PlannedRun, words: Sequence[str], folder: Path, film: RecordingOptions | None = None
) -> tuple[int, Values]:
    """Do a run on the simulation node, in this process.

    Args:
        spec, run: what to do.
        words: more arguments of `odesim run`.
        folder: for its parameter file.
        film: the movie to make of it; None: none.

    Returns:
        The exit code of `odesim run`, and the metrics; empty after an error.
    """
    from ros_bridge.cli.arguments import make_parser
    from ros_bridge.cli.batch_run import words_of
    from ros_bridge.cli.cli_commands import options_of_run
    from ros_bridge.cli.row_node import run_row

    taken: list[Any] = []
    own = ["run", run.file] if spec.job.runner == IN_PROCESS else words_of(run, folder)
    options = options_of_run(make_parser().parse_args([*own, *words]))
    code = run_row(spec.job, run, replace(options, movie=film), taken.append)
    return (code, taken[0]) if taken else (code or ERROR, {})
