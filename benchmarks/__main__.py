"""All benchmarks in one table, beside the peers that are installed, with plots of cost over size.

    python -m benchmarks                          # all of them: half an hour on two quiet cores
    python -m benchmarks physics fast2d --seconds 1
    python -m benchmarks --out docs/benchmarks    # the table and the plots of the documents

Each benchmark runs in a process of its own. Where `perf` is installed, the last column says what takes the
processor time of each row (see sampling.py). Peers are compared within one run, in turn, so that what else
the machine does meets both: MuJoCo and pybullet where this Python has them, ir-sim where `--irsim PYTHON`
names an interpreter that has it, the C program where there are a compiler and libode's headers. A section
that needs a package that is not installed is left out with one line. Exit code 1: one failed.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks import sampling
from benchmarks.figures import Figure
from benchmarks.scenes import ROOT
from sim_core.base.errors import MissingPackageError
from sim_core.base.missing_packages import missing_package

SECTIONS = {
    "physics": "One step of the physics, compared with C on libode, MuJoCo and pybullet",
    "ode_modules": "One step of the physics with odesim_ode, compared with PyODE",
    "thesis": "Wall avoiders with ROS controllers in separate processes",
    "fast2d": "Swarms in the plane",
    "vector": "Vector environments for learning",
    "cuda": "Vector environments on a graphics card",
    "controllers": "Controllers: exchanges, lock-step, fleets",
    "sensors_lidars": "Lidars, compared with ir-sim",
    "rays": "Ray casting",
    "camera": "Pictures, without a graphics card",
    "tiles": "Pictures of many copies at once",
    "editing": "Edits, snapshots, resets",
    "loading": "Loading worlds",
    "spawning": "Nodes that are added and removed",
    "sweep": "Sweeps over processes",
    "wanted": "Sensors without subscribers",
}
PLOTS = {
    "fast2d": ("robots.png", "robots", "µs per robot and step"),
    "vector": ("environments.png", "environments", "environment steps per second"),
}
RESULTS = ROOT / "runs" / "benchmarks"


def measure(section: str, seconds: float) -> None:
    """In the process of a section: write when it begins, a line of JSON for each figure as it comes, or what
    is missing.

    Raises:
        ImportError: what is missing is a part of odesim.
    """
    try:
        figures = importlib.import_module(f"benchmarks.{section}").figures(seconds)
        print("begins", flush=True)
        for figure in figures:
            print("= " + json.dumps(asdict(figure)), flush=True)
    except MissingPackageError as error:
        print(f"left out: {error}", flush=True)
    except ModuleNotFoundError as error:
        missing = missing_package(error)
        if missing is None:
            raise
        print(f"left out: {missing}", flush=True)


def run(section: str, seconds: float) -> list[Figure] | None:
    """The figures of a section, from a process of its own; None: it failed."""
    command = [sys.executable, "-m", "benchmarks", section, "--here", "--seconds", str(seconds)]
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "samples"
        if is_sampled := sampling.can_sample():
            command = [*sampling.command(samples), *command]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found, ends, start = [], [], time.monotonic()
        try:
            for line in process.stdout:
                if line.startswith("left out: "):
                    print(f"    {line}", end="", flush=True)
                elif line == "begins\n":
                    start = time.monotonic()
                elif line.startswith("= "):
                    found.append(Figure(**json.loads(line[2:])))
                    ends.append(time.monotonic())
                    print("    " + " | ".join(cells(found[-1])), flush=True)
            if process.wait() != 0:
                return None
        finally:
            process.terminate()  # perf ends with what it samples
            process.wait()
        limits = sampling.limits(samples, start, ends) if is_sampled else [""] * len(ends)
        return [replace(each, limit=limit) for each, limit in zip(found, limits, strict=True)]


def cells(figure: Figure) -> tuple[str, str, str, str, str]:
    """What stands in a row of the table: what, the number, what is wanted, beside whom, what limits it."""
    missed = "" if figure.holds else " **(not met)**"
    wanted = "" if figure.goal is None else f"at least {figure.goal:,g} ×{missed}"
    beside = "" if figure.ratio is None else f"{figure.ratio:.3g} × {figure.peer}"
    return figure.what, f"{number(figure.value)} {figure.unit}", wanted, beside, figure.limit


def number(value: float) -> str:
    """Three digits that count, without powers of ten."""
    return f"{value:,.0f}" if abs(value) >= 100.0 else f"{value:.3g}"


def table(results: dict[str, list[Figure]]) -> str:
    """The table as Markdown, a part for each section."""
    parts = []
    for section, figures in results.items():
        rows = ["| " + " | ".join(cells(each)) + " |" for each in figures]
        head = [
            f"### {SECTIONS[section]}",
            "",
            "| measurement | result | goal | comparison | processor time |",
            "|---|---|---|---|---|",
        ]
        parts.append("\n".join([*head, *rows, ""]))
    return "\n".join(parts)


def plot(figures: list[Figure], file: Path, across: str, up: str) -> None:
    """Draw the figures that have a place, a line for each unit and peer."""
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(7, 4), layout="constrained")
    axes = drawing.subplots()
    series: dict[str, list[Figure]] = {}
    for figure in figures:
        if figure.x is not None:
            series.setdefault(figure.what.split(",")[0], []).append(figure)
    for name, points in series.items():
        axes.loglog([each.x for each in points], [each.value for each in points], "o-", label=name)
    low, high = axes.get_ylim()
    if high < 10.0 * low:  # what is flat shall look so
        axes.set_ylim(low / 3.0, high * 3.0)
    axes.set(xlabel=across, ylabel=up)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    drawing.savefig(file, dpi=120)


def main() -> int:
    """Run what is asked for; 1: a section failed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--seconds", type=float, default=3.0, help="wall time of one figure, roughly (3)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder (runs/benchmarks)")
    parser.add_argument("--irsim", metavar="PYTHON", help="an interpreter that has ir-sim")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    wanted = options.sections or list(SECTIONS)
    if unknown := [each for each in wanted if each not in SECTIONS]:
        parser.error(f"found {', '.join(unknown)}, expected of {', '.join(SECTIONS)}")
    if options.here:
        measure(wanted[0], options.seconds)
        return 0
    if options.irsim:
        os.environ["ODESIM_IRSIM"] = options.irsim
    results, failed = {}, []
    for section in wanted:
        start = time.perf_counter()
        print(f"{section}: {SECTIONS[section]}", flush=True)
        found = run(section, options.seconds)
        if found is None:
            failed.append(section)
        else:
            results[section] = found
        print(f"    {time.perf_counter() - start:.0f} s", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "table.md").write_text(table(results), encoding="utf-8")
    with (options.out / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["section", *Figure.__dataclass_fields__])
        for section, figures in results.items():
            writer.writerows([section, *asdict(each).values()] for each in figures)
    for section, (name, across, up) in PLOTS.items():
        if any(each.x is not None for each in results.get(section, ())):
            plot(results[section], options.out / name, across, up)
    print(f"{options.out}: table.md, table.csv and the plots")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
