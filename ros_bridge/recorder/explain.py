"""`odesim explain`: what went wrong in a recorded run, in words.

The recording tells which controllers ended, what was refused, and when commands came. What the robots did is
seen by repeating the run, which is the same to the last bit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from ros_bridge.control.world_topics import EDITS
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.changes import COMMAND, NOTE, OUTCOME, command_of, from_text
from ros_bridge.recorder.replay import RESTARTS, Film, replay
from sim_core.base.clock import to_seconds
from sim_core.base.errors import OdesimError
from sim_core.base.trust import DecideTrust, require_trust
from sim_core.experiments.explain.finding import Finding, Kind, as_lines
from sim_core.experiments.explain.run_watch import RunWatch
from sim_core.session.interventions import is_of_controller
from sim_core.session.session import RESET_KEEPING_CLOCK, Note
from sim_core.session.simulation import Simulation

KINDS = {
    Note.CONTROLLER: Kind.CONTROLLER,
    Note.ENDED: Kind.ENDED,
    Note.SAID: Kind.SAID,
    Note.WAITING: Kind.WAITING,
    Note.DIVERGED: Kind.DIVERGED,
    Note.TOPIC: Kind.TOPIC,
    Note.FAILED: Kind.FAILED,
}
KEPT_BAG = "bag"
"""Folder of the bag among what is kept of a failed test."""
LATE_NS = 500_000_000
"""Least gap between two messages that may be one too many."""
LATE_PART = 10.0
"""Part of the usual gap that it must be."""
FEW = 10
"""Messages from which on a usual gap is known."""


class Explanation(NamedTuple):
    """What was found.

    Attributes:
        findings: of the recording, and of the run that was repeated.
        problem: why the run could not be repeated, or differs from then on; "": it is the same.
    """

    findings: list[Finding]
    problem: str


def explain(
    bag: Bag, world: str | None = None, decide_trust: DecideTrust = require_trust, film: Film | None = None
) -> Explanation:
    """Explain a recorded run.

    Args:
        bag: made by `odesim run --record`, a batch or a test.
        world: the world's file where it is not where it was.
        decide_trust: called with trust issues; raises ConfigError if programs of the world must not run.
        film: the movie to make of it; None: none.

    Raises:
        RecordingError: the bag cannot be read.
    """
    watches: list[RunWatch] = []

    def watch(sim: Simulation) -> None:
        watches.append(RunWatch(sim))

    findings = _recorded(bag)
    problem = ""
    try:
        result = replay(bag, world, skip_pictures=True, decide_trust=decide_trust, film=film, watch=watch)
        if result.difference is not None:
            problem = (
                f"repeated, the run differs from the recording, so this may be wrong: {result.difference}"
            )
    except OdesimError as error:
        problem = f"the run cannot be repeated, so this is of the recording alone: {error}"
    return Explanation([*findings, *(each for one in watches for each in one.findings())], problem)


class _Repeated:
    """Events of one kind by one sender: the first is described, the others are counted."""

    def __init__(self) -> None:
        self._first: dict[tuple[Kind, str], Finding] = {}
        self._count: dict[tuple[Kind, str], int] = defaultdict(int)

    def note(self, sender: str, found: Finding) -> None:
        key = found.kind, sender
        self._first.setdefault(key, found)
        self._count[key] += 1

    def findings(self) -> Iterator[Finding]:
        for key, found in self._first.items():
            more = self._count[key] - 1
            times = f" (and {more} more time{'s' * (more > 1)})" if more else ""
            yield found._replace(text=found.text + times)


def _recorded(bag: Bag) -> list[Finding]:
    """Return the findings that follow from the recording itself."""
    notes: list[Finding] = []
    repeated = _Repeated()
    heard: dict[str, list[int]] = {str(name): [] for name in bag.table(facts.COMMANDS, list, "[]")}
    for item in bag.in_file_order():
        time_ns = item.log_time_ns
        if item.topic == facts.CHANGES:
            change = from_text(bag.decode(item.data, item.type_name).data)
            if change["what"] == NOTE and change.get("about") in set(Note):
                notes.append(Finding(time_ns, KINDS[Note(change["about"])], str(change.get("text"))))
            else:
                _note_change(repeated, time_ns, change)
        elif item.topic in EDITS:
            text = f"a message on {item.topic} changes the world"
            repeated.note(item.topic, Finding(time_ns, Kind.INTERVENTION, text))
        elif item.topic in heard:
            heard[item.topic].append(time_ns)
    gaps = [each for topic, times in heard.items() for each in late(topic, times, bag.span.end_ns)]
    return [*notes, *repeated.findings(), *gaps]


def _note_change(repeated: _Repeated, time_ns: int, change: Mapping[str, Any]) -> None:
    """Note a change that came by no topic, if it is one that explains something."""
    what, sender = change["what"], str(change.get("from", change["what"]))
    if what == OUTCOME:
        for name, kind in (("refused", Kind.REFUSED), ("clamped", Kind.CLAMPED)):
            if name in change:
                repeated.note(sender, Finding(time_ns, kind, f"{sender}: {name}: {change[name]}"))
    elif what == COMMAND:
        actions = [type(each).__name__ for each in command_of(change).actions if not is_of_controller(each)]
        if actions:
            text = f"{sender} changes the world: {', '.join(actions)}"
            repeated.note(sender, Finding(time_ns, Kind.INTERVENTION, text))
    elif what in (*RESTARTS, RESET_KEEPING_CLOCK):
        repeated.note(what, Finding(time_ns, Kind.INTERVENTION, f"the world starts again: {what}"))


def late(topic: str, times: list[int], end_ns: int) -> Iterator[Finding]:
    """Return the longest time without a message, if it is much longer than usual.

    Args:
        topic: its name.
        times: of all messages, in ns.
        end_ns: end of the run.
    """
    gaps = [after - before for before, after in pairwise(times)]
    if len(gaps) < FEW:
        return
    usual = median(gaps)
    gaps.append(end_ns - times[-1])
    longest = max(gaps)
    if longest < max(LATE_NS, LATE_PART * usual):
        return
    index = gaps.index(longest)
    until = "until the end" if index == len(times) - 1 else f"for {to_seconds(longest):.3g} s"
    text = f"{topic}: no message {until}; before, one came every {to_seconds(int(usual)):.3g} s"
    yield Finding(times[index], Kind.LATE, text)


def explanation_text(explanation: Explanation) -> str:
    """Return an explanation as lines."""
    lines = as_lines(explanation.findings)
    return "\n".join([*lines, explanation.problem] if explanation.problem else lines)


def bag_of(run: Path) -> Path:
    """Return the bag of a run: what is given, or in the folder of a failed test the bag in it."""
    return run / KEPT_BAG if (run / KEPT_BAG).is_dir() else run
