"""Writes docs/robots.md and the pages in docs/robots/: a page for each robot.

    python3 docs/write_robots.py

Texts and dimensions are in docs/robots/robots.yaml, devices and topics those of the robot's world, pictures
those of docs/draw_gallery.py.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

from ros_bridge.cli.world_info import describe_world
from ros_bridge.topics.names import legal_name

Record = dict[str, Any]


def filled(text: str) -> str:
    """Paragraphs in lines of a page."""
    return "\n\n".join(
        textwrap.fill(part, 98, break_long_words=False, break_on_hyphens=False)
        for part in text.strip().split("\n\n")
    )


def robots() -> dict[str, Record]:
    """What docs/robots/robots.yaml says, by the name of the PROTO."""
    found: dict[str, Record] = yaml.safe_load((HERE / "robots" / "robots.yaml").read_text(encoding="utf-8"))
    return found


def overview() -> Iterator[str]:
    """The lines of docs/robots.md."""
    yield "# Robots\n"
    yield "The PROTO file of each robot creates its shapes from primitives and meshes. For many robots"
    yield 'or slow machines, set `detail "low"` to get fewer shapes. The sizes are published values.\n'
    yield "`docs/write_robots.py` creates this page.\n"
    yield "| | | |\n|---|---|---|"
    for name, robot in robots().items():
        picture = f"[![{robot['title']}](gallery/{name}.jpg){{ width=240 }}](robots/{name}.md)"
        yield f"| {picture} | [{robot['title']}](robots/{name}.md) | {robot['about']} |"


def page(name: str, robot: Record) -> Iterator[str]:
    """The lines of a robot's page."""
    world = ROOT / "worlds" / f"{robot['world']}.wbt"
    found = describe_world(world)
    (one,) = found["robots"]
    yield f"# {robot['title']}\n"
    yield f"{filled(robot['about'])}\n"
    yield f"![{robot['title']}](../gallery/{name}.jpg)\n"
    yield f"    odesim run {robot['world']} --viewer\n"
    yield "In another terminal:\n"
    yield f"    {robot['drive']}\n"
    use = f'`{name} {{ controller "my_controller" }}` (`protos/robots/{name}.proto`)'
    yield filled(f"In your own world, use {use}.")
    yield "\n## Dimensions\n\n| part | value | source |\n|---|---|---|"
    for what, value, source in robot["dimensions"]:
        yield f"| {what} | {value} | {source} |"
    if "more" in robot:
        yield f"\n{filled(robot['more'])}"
    yield "\n## Devices\n\n| node | names | topics below the name of the robot |\n|---|---|---|"
    yield from devices(one, found["topics"])
    yield "\n## Topics of the robot\n\n| topic | type |\n|---|---|"
    for topic in found["topics"]:
        if topic["robot"] == one["name"] and not topic["device"]:
            yield f"| `{topic['name']}`{way(topic)} | {topic['type']} |"


def way(topic: Record) -> str:
    """Whether a topic commands the robot."""
    return " (in)" if topic["direction"] == "subscribe" else ""


def devices(robot: Record, topics: list[Record]) -> Iterator[str]:
    """A row for each kind of device: the names, and the topics of one of them."""
    kinds: dict[str, list[str]] = {}
    for device in robot["devices"]:
        kinds.setdefault(device["type"], []).append(device["name"])
    prefix = f"/{legal_name(robot['name'])}/"
    for kind, names in kinds.items():
        below = [
            f"`{topic['name'].removeprefix(prefix)}`{way(topic)}"
            for topic in topics
            if (topic["robot"], topic["device"]) == (robot["name"], names[0])
        ]
        yield f"| {kind} | {', '.join(names)} | {', '.join(below) or 'in `joint_states`'} |"


def pages() -> dict[Path, str]:
    """All files that are made, with what stands in them."""
    made = {HERE / "robots.md": "\n".join(overview()) + "\n"}
    for name, robot in robots().items():
        made[HERE / "robots" / f"{name}.md"] = "\n".join(page(name, robot)) + "\n"
    return made


if __name__ == "__main__":
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
