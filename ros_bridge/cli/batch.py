"""`odesim batch`: carries out many runs of worlds, on all cores or on a cluster."""

from __future__ import annotations

import argparse
import shlex
import sys
from functools import partial
from pathlib import Path

from ros_bridge.base.exit_codes import INTERRUPTED
from sim_core.base.errors import ConfigError

SOME_FAILED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("spec", metavar="SPEC", help="a YAML file, see docs/experiments.md")
    about = "worker processes; default: one for each processor"
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help=about)
    about = "do the runs on the workers of this dask scheduler, such as tcp://10.0.0.1:8786"
    parser.add_argument("--scheduler", metavar="ADDRESS", help=about)
    parser.add_argument(
        "--results", metavar="FILE", help="the table, .csv or .parquet, in place of the spec's"
    )
    about = "write a page with the failed runs, plots and the table, .html"
    parser.add_argument("--page", metavar="FILE", help=about)
    about = "do the run of this row again, and print its results"
    parser.add_argument("--row", type=int, metavar="N", help=about)
    about = "with --row: say in words what went wrong; see odesim explain"
    parser.add_argument("--explain", action="store_true", help=about)
    parser.add_argument("--movie", metavar="FILE", help="with --row: film it, .mp4, .webm, .avi or .gif")
    about = "WIDTHxHEIGHT of the movie in pixels; default: 1280x720"
    parser.add_argument("--movie-size", default="", metavar="WxH", help=about)
    about = "with --row: show it in a browser, where Run begins it; it pauses at its end"
    parser.add_argument("--viewer", action="store_true", help=about)
    parser.add_argument("--fresh", action="store_true", help="do runs again that are done")
    parser.add_argument("--retry-failed", action="store_true", help="do runs again that failed")
    parser.add_argument("--list", action="store_true", help="show the runs and do none")


def batch(arguments: argparse.Namespace) -> int:
    """Carry out a sweep.

    Returns:
        Exit code: 0 all runs succeeded; 1 some failed; 130 interrupted, can be continued.

    Raises:
        OdesimError: the spec, a world or an argument is invalid.
    """
    from ros_bridge.cli.trust import ask_and_require_trust
    from sim_core.base.shipped import find_world
    from sim_core.experiments.sweep.plan import make_runs
    from sim_core.experiments.sweep.spec_reader import read_spec
    from sim_core.experiments.sweep.sweep import Pool, run_sweep

    if arguments.jobs is not None and arguments.jobs < 1:
        raise ConfigError(f"--jobs: found {arguments.jobs}, expected a whole number above 0")
    if arguments.row is None:
        for option in ("explain", "movie", "viewer"):
            if getattr(arguments, option):
                raise ConfigError(f"--{option}: found no --row N, expected both")
    spec = read_spec(arguments.spec, find_world, partial(ask_and_require_trust, assume_yes=arguments.trust))
    if arguments.list:
        for run in make_runs(spec):
            print(run)
        return 0
    results = Path(arguments.results) if arguments.results else spec.results
    if arguments.row is not None:
        from ros_bridge.cli.batch_row import repeat_row

        return repeat_row(spec, results, arguments)
    pool: Pool | None = None
    if arguments.scheduler:
        from sim_core.experiments.sweep.cluster import ClusterPool

        pool = ClusterPool(arguments.scheduler)
    summary = run_sweep(
        spec,
        workers=arguments.jobs,
        pool=pool,
        results=results,
        page=Path(arguments.page) if arguments.page else None,
        fresh=arguments.fresh,
        retry_failed=arguments.retry_failed,
    )
    failed = f", {len(summary.failed)} of them failed" if summary.failed else ""
    print(f"{summary.results}: {summary.ended} of {summary.runs} runs{failed}")
    if summary.failed:
        again = f"odesim batch {shlex.quote(arguments.spec)} --row {summary.failed[0]}"
        print(f"the first that failed again: {again} --explain, --viewer or --movie FILE")
    for line in summary.without_effect:
        print(line)
    if arguments.page:
        print(f"{arguments.page}: written")
    if summary.interrupted and summary.ended < summary.runs:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    return SOME_FAILED if summary.failed else 0
