"""`odesim bag info`: what a bag holds, as text."""

from __future__ import annotations

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


def as_text(bag: Bag) -> str:
    """Facts and a table of topics; rates are per second of log time, which is sim time in our recordings."""
    seconds = (bag.span.end_ns - bag.span.start_ns) / 1e9
    count = sum(row.messages for row in bag.rows.values())
    lines = [
        f"bag         {bag.path}",
        f"size        {bag.size / 1e6:.2f} MB in {len(bag.files)} file{'s' * (len(bag.files) > 1)}",
        f"time        {bag.span.start_ns / 1e9:g} s to {bag.span.end_ns / 1e9:g} s, {seconds:g} s",
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
