"""`odesim bag csv`: writes one table for each topic.

The first column, `time`, is the log time in seconds: sim time in our recordings. The others are the fields,
by dotted names, in the order of the message definition. An array of at most `MOST` elements has a column
for each element, `ranges[0]`, which is empty where a message's array is shorter; a longer array has only
the column `data.length`, unless all elements are requested.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from ros_bridge.recorder.bag import Bag
from ros_bridge.topics.message_fields import MOST, leaves
from sim_core.base.errors import RecordingError

TIME = "time"


def write_tables(bag: Bag, patterns: Sequence[str], folder: Path, most: int | None = MOST) -> list[Path]:
    """Write a file for each topic; return the files.

    Args:
        bag: the bag to read.
        patterns: patterns of topic names; empty: all topics.
        folder: target folder, created if it does not exist.
        most: maximum length of an array that is expanded into columns; None: no limit.

    Raises:
        RecordingError: there is no such topic, or a file exists already.
    """
    topics = [name for name in bag.choose(patterns) if bag.rows[name].messages]
    if not patterns:
        for name in [name for name in topics if not bag.defines(bag.rows[name].type_name)]:
            print(f"{name}: left out, found no definition of {bag.rows[name].type_name}", file=sys.stderr)
            topics.remove(name)
    files = {name: folder / f"{name.strip('/').replace('/', '.')}.csv" for name in topics}
    for file in files.values():
        if file.exists():
            raise RecordingError(f"{file}: exists already, expected a new file; --out DIR writes elsewhere")
    columns: dict[str, dict[str, None]] = {name: {TIME: None} for name in topics}
    for name, _, message in bag.messages(topics):  # a first pass, because arrays may become longer
        columns[name].update(dict.fromkeys(field for field, _ in leaves(message, most=most)))
    try:
        _write(bag, files, columns, most)
    except OSError as error:
        raise RecordingError(f"{folder}: cannot be written: {error.strerror}") from None
    return list(files.values())


def _write(bag: Bag, files: dict[str, Path], columns: dict[str, dict[str, None]], most: int | None) -> None:
    opened: dict[str, tuple[TextIO, Any]] = {}
    try:
        for name, file in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            stream = file.open("x", encoding="utf-8", newline="")
            table = csv.DictWriter(stream, list(columns[name]), restval="")
            table.writeheader()
            opened[name] = (stream, table)
        for name, time_ns, message in bag.messages(list(files)):
            row: dict[str, Any] = {TIME: f"{time_ns // 1_000_000_000}.{time_ns % 1_000_000_000:09d}"}
            row.update(leaves(message, most=most))
            opened[name][1].writerow(row)
    finally:
        for each, _ in opened.values():
            each.close()
