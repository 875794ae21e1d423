"""Carries out `odesim replay` and `odesim bag` and prints their results."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ros_bridge.base.progress import ProgressBar
from ros_bridge.recorder import repair
from ros_bridge.recorder.bag import Bag
from sim_core.base.errors import RecordingError
from sim_core.base.trust import DecideTrust
from sim_core.experiments.explain.finding import as_table

if TYPE_CHECKING:
    from ros_bridge.recorder.replay import Film

DIFFERS = 1
"""Exit code of a replay that differs from the recording."""


@contextmanager
def opened(path: str | Path) -> Iterator[Bag]:
    """Open a bag; print a line if it was repaired."""
    with Bag(path) as bag:
        if bag.repaired is not None:
            print(f"{path}: the recording was interrupted; repaired, it holds {bag.repaired} messages")
        yield bag


def replay_and_report(
    path: str, world: str | None, skip_pictures: bool, decide_trust: DecideTrust, film: Film | None = None
) -> int:
    """Carry out `odesim replay`; return the exit code."""
    from ros_bridge.control.recording_services import check_animation, check_movie
    from ros_bridge.recorder.replay import replay

    if film is not None:
        (check_animation if film.is_page else check_movie)(film.how)
    with opened(path) as bag:
        start_ns, whole = bag.span.start_ns, (bag.span.end_ns - bag.span.start_ns) / 1e9
        bar = ProgressBar(whole)
        try:
            result = replay(
                bag,
                world,
                skip_pictures,
                lambda time_ns: bar.show_time(time_ns - start_ns),
                decide_trust,
                film,
            )
        finally:
            bar.close()
    if film is not None:
        ended = f"the run ended before {film.start:g} s"
        print(f"{film.how.file}: {'written' if Path(film.how.file).is_file() else ended}")
    if result.difference is not None:
        print(f"differs after {result.messages} messages: {result.difference}")
        return DIFFERS
    print(
        f"identical: {result.messages} messages of {result.topics} topics, "
        f"{(result.end_ns - start_ns) / 1e9:g} s of sim time"
    )
    return 0


def explain_and_report(path: str, world: str | None, as_json: bool, decide_trust: DecideTrust) -> int:
    """Run `odesim explain`; returns the exit code."""
    from ros_bridge.recorder.explain import bag_of, explain, explanation_text

    with opened(bag_of(Path(path))) as bag:
        found = explain(bag, world, decide_trust)
    if as_json:
        print(json.dumps(as_table(found.findings) | {"problem": found.problem}, indent=2))
    else:
        print(explanation_text(found))
    return 0


def use_bag(arguments: argparse.Namespace) -> int:
    """Carry out `odesim bag`; return the exit code."""
    path = Path(arguments.bag)
    if arguments.action == "repair":
        return repair_and_report(path)
    with opened(path) as bag:
        if arguments.action == "info":
            from ros_bridge.recorder.bag_info import as_text

            print(as_text(bag))
        elif arguments.action == "commands":
            from ros_bridge.recorder.bag_journal import journal

            for line in journal(bag):
                print(line)
        elif arguments.action == "csv":
            from ros_bridge.recorder.bag_csv import MOST, write_tables

            folder = Path(arguments.out or f"{path.resolve()}_csv")
            most = None if arguments.all_elements else MOST
            files = write_tables(bag, arguments.topics, folder, most)
            for file in files:
                print(f"{file}: written")
            if not files:
                print(f"{path}: no messages, no table written")
        else:
            from ros_bridge.recorder.bag_plot import plot

            picture = Path(arguments.out or f"{path.resolve()}.png")
            plot(bag, arguments.fields, picture)
            print(f"{picture}: written")
    return 0


def repair_and_report(folder: Path) -> int:
    """Carry out `odesim bag repair`; return the exit code."""
    files = sorted(folder.glob("*.mcap"))
    if len(files) != 1:
        raise RecordingError(f"{folder}: found {len(files)} .mcap files, expected a folder with one")
    saved = repair.repair(folder, files[0])
    for start, end in saved.damaged:
        print(
            f"{files[0]}: bytes {start} to {end} are damaged, what was in them is left out", file=sys.stderr
        )
    kept = f"; as it was: {saved.kept}" if saved.kept is not None else ""
    print(f"{folder}: repaired, it holds {saved.messages} messages{kept}")
    return 0
