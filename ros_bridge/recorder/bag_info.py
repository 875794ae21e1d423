"""`odesim bag info`: describes the contents of a bag as text."""

from __future__ import annotations

from datetime import UTC, datetime

from ros_bridge.recorder import bag_metadata, facts
from ros_bridge.recorder.bag import Bag

SHOWN = (
    ("world", facts.WORLD),
    ("sha-256", facts.WORLD_HASH),
    ("seed", facts.SEED),
    ("mode", facts.MODE),
    ("started", facts.WHEN),
    ("state", bag_metadata.STATE),
)

FIRST_DATE_NS = 10**18
"""September 2001; later log times are wall time, because no run has that many seconds of sim time."""


def moment(time_ns: int) -> str:
    """Return a log time as text: seconds of sim time, or date and time (UTC) of wall time."""
    if time_ns < FIRST_DATE_NS:
        return f"{time_ns / 1e9:g} s"
    date = datetime.fromtimestamp(time_ns // 10**9, UTC)
    return f"{date:%Y-%m-%d %H:%M:%S}.{time_ns % 10**9 // 10**6:03d} UTC"


def as_text(bag: Bag) -> str:
    """Return facts and a table of topics; rates are per second of log time: sim time in our recordings."""
    seconds = (bag.span.end_ns - bag.span.start_ns) / 1e9
    count = sum(row.messages for row in bag.rows.values())
    lines = [
        f"bag         {bag.path}",
        f"size        {bag.size / 1e6:.2f} MB in {len(bag.files)} file{'s' * (len(bag.files) > 1)}",
        f"time        {moment(bag.span.start_ns)} to {moment(bag.span.end_ns)}, {seconds:g} s",
        f"messages    {count} of {len(bag.rows)} topic{'s' * (len(bag.rows) != 1)}",
    ]
    lines += [f"{name:<12}{bag.facts[key]}" for name, key in SHOWN if bag.facts.get(key)]
    for name, key in (("versions", facts.VERSIONS), ("parameters", facts.PARAMETERS)):
        if bag.facts.get(key):
            table = bag.table(key, dict)
            lines.append(f"{name:<12}" + ", ".join(f"{k} {v}" for k, v in table.items()))
    wide = max([len("topic"), *(len(name) for name in bag.rows)])
    kinds = max([len("type"), *(len(row.type_name) for row in bag.rows.values())])
    lines += ["", f"{'topic':<{wide}}  {'type':<{kinds}}  {'messages':>8}  {'per s':>8}"]
    for row in bag.rows.values():
        rate = f"{(row.messages - 1) / seconds:8.2f}" if seconds > 0.0 and row.messages > 1 else " " * 8
        lines.append(f"{row.name:<{wide}}  {row.type_name:<{kinds}}  {row.messages:>8}  {rate}".rstrip())
    return "\n".join(lines)
