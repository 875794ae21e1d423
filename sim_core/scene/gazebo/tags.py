"""`<gazebo>` tags of a URDF file: they remember what was asked for; one warning names the rest."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath

from sim_core.base.errors import SceneError
from sim_core.scene.node import Source
from sim_core.scene.x3d.scenery_item import Item
from sim_core.scene.xml_attributes import number_of

ALWAYS_SO = {
    "sensor": ("always_on", "visualize", "enable_metrics"),
    "contact": ("collision",),
    "image": ("anti_aliasing",),
    "range": ("resolution",),
}
"""By the name of a tag, what in it asks for nothing: it is so here, or has no effect on ROS in Gazebo."""
SWITCHES = re.compile(
    r"(sensors|imu|contact|navsat|air-pressure|altimeter|magnetometer|forcetorque|physics|user-commands"
    r"|scene-broadcaster)-system|gazebo_ros_(init|factory|state|api_plugin|paths_plugin)"
)
"""Plugins of Gazebo that turn on what is always on here, by the names of their files."""
MOST_NAMED = 20
UNSAID = "__default__"
"""What sdformat writes where nothing was said."""
SLOWEST, HIGHEST = 1e-6, 1e9
"""Hz"""


class Tag:
    """An element below `<gazebo>`."""

    def __init__(self, item: Item, asked: set[int]) -> None:
        self.item = item
        self._asked = asked
        asked.add(id(item))
        for name in ALWAYS_SO.get(item.name, ()):
            self.all(name)

    @property
    def source(self) -> Source:
        """Where it stands."""
        return self.item.source

    @property
    def text(self) -> str:
        """What stands in it, without blanks around."""
        return self.item.content.strip()

    def attribute(self, name: str) -> str:
        """One of its attributes; empty: it has none of that name."""
        return self.item.fields.get(name, "").strip()

    def first(self, *names: str) -> Tag | None:
        """The first element in it of one of these names."""
        found = self.item.first(*names)
        return None if found is None else Tag(found, self._asked)

    def at(self, *names: str) -> Tag | None:
        """The element to which the names lead, each in the one before."""
        found: Tag | None = self
        for name in names:
            found = found.first(name) if found is not None else None
        return found

    def all(self, *names: str) -> list[Tag]:
        """All elements in it of these names."""
        return [Tag(item, self._asked) for _, item in self.item.children if item.name in names]

    def word(self, *names: str) -> str:
        """The text of the first element of one of these names; empty: there is none, or `__default__`."""
        found = self.first(*names)
        return "" if found is None or found.text == UNSAID else found.text

    def number(self, name: str, default: float, low: float = -math.inf) -> float:
        """The number in an element, or the default where there is no such element.

        Raises:
            SceneError: it is none, or lower than `low`.
        """
        found = self.first(name)
        return default if found is None else found.as_number(low)

    def as_number(self, low: float = -math.inf) -> float:
        """The number that stands in it.

        Raises:
            SceneError: it is none, or lower than `low`.
        """
        return number_of(self.as_value(), "value", low=low)

    def flag(self, name: str, default: bool = False) -> bool:
        """Whether an element says yes, in one of the forms that Gazebo takes."""
        text = self.word(name).lower()
        return default if not text else text in ("true", "1", "1.0")

    def period(self, *names: str) -> float | None:
        """Seconds from one to the next at the rate in Hz that an element says; None: there is none.

        Raises:
            SceneError: it is no rate.
        """
        tag = self.first(*names)
        if tag is None:
            return None
        rate = tag.as_number()
        if rate > 0.0 and not SLOWEST < rate < HIGHEST:
            raise SceneError(*tag.source, f"<{tag.item.name}> {rate:g}", "Hz, or 0 for every step")
        return 1.0 / rate if rate > 0.0 else 0.0

    def numbers(self, count: int) -> list[float]:
        """The numbers that stand in it.

        Raises:
            SceneError: there is another count of them.
        """
        return self.as_value().numbers("value", count) or []

    def as_value(self) -> Item:
        """An item whose field `value` is that attribute, or the text that stands in it."""
        return Item(self.item.name, self.source, {"value": self.attribute("value") or self.text})

    def ignore(self) -> None:
        """Let it be named: it was looked at, but has no effect."""
        self._asked.discard(id(self.item))

    def count(self) -> None:
        """Let it not be named, after all."""
        self._asked.add(id(self.item))

    def expect(self, name: str, *values: float | str) -> None:
        """Let an element be named unless it says one of the values that hold here."""
        for found in self.all(name):
            if found.text.lower() not in [str(value).lower() for value in values] and not _equals(
                found.text, values
            ):
                found.ignore()


def names_in(tags: Iterable[Tag], known: Collection[str] | None) -> list[str]:
    """The names that stand in elements; those that are not known are left to be named.

    `known`: None: all are.
    """
    found = []
    for tag in tags:
        if known is None or tag.text in known:
            found.append(tag.text)
        else:
            tag.ignore()
    return found


def _equals(text: str, values: tuple[float | str, ...]) -> bool:
    try:
        return float(text) in [value for value in values if not isinstance(value, str)]
    except ValueError:
        return False


class GazeboTags:
    """The `<gazebo>` tags of a robot; of SDF what would be in such tags, each with its link as reference.

    Args:
        robot: holds the tags.
        asked: gets the ids of the elements that are asked for.
    """

    def __init__(self, robot: Item, asked: set[int] | None = None) -> None:
        self._asked: set[int] = set() if asked is None else asked
        self.tags = [Tag(item, self._asked) for _, item in robot.children if item.name == "gazebo"]

    def inside(self, name: str) -> Iterator[tuple[Tag, Item]]:
        """Each element of a name, not asked for yet, with the tag that it stands in."""
        for tag in self.tags:
            yield from ((tag, item) for _, item in tag.item.children if item.name == name)

    def claim(self, item: Item) -> Tag:
        """Ask for an element."""
        return Tag(item, self._asked)

    def without_effect(self) -> list[SceneError]:
        """One warning, which names each kind of tag that nobody asked for; none: all were asked for."""
        return in_one_warning("<gazebo> tags", self.not_asked())

    def not_asked(self) -> Iterator[tuple[str, Source]]:
        """The kinds of tags that nobody asked for, and where the outermost one around each stands."""
        for tag in self.tags:
            for _, item in tag.item.children:
                yield from ((name, item.source) for name in self._not_asked(item))

    def _not_asked(self, item: Item) -> Iterator[str]:
        """The names of the kinds of tags in an element that were not asked for, itself among them."""
        if item.name == "plugin" and SWITCHES.search(item.fields.get("filename", "")):
            return
        if id(item) not in self._asked:
            yield _kind(item)
            return
        of = f" of {item.name}"
        if name := item.fields.get("name"):
            of += f' "{name}"'
        for path in self._paths(item):
            yield path + of

    def _paths(self, item: Item) -> Iterator[str]:
        for _, child in item.children:
            if id(child) not in self._asked:
                yield _kind(child) if child.name in ("sensor", "plugin") else child.name
            else:
                yield from (f"{child.name}/{path}" for path in self._paths(child))


def _kind(item: Item) -> str:
    """What a whole element is called: its type, or the file of a plugin, not its own name."""
    about = item.fields.get("type") if item.name == "sensor" else item.fields.get("filename")
    if item.name not in ("sensor", "plugin"):
        return item.name
    return f'{item.name} "{PurePath(about or "").name}"'


def in_one_warning(what: str, found: Iterable[tuple[str, Source]]) -> list[SceneError]:
    """One warning, which names kinds of tags and counts them; none: there are none."""
    found = list(found)
    if not found:
        return []
    counts = Counter(name for name, _ in found)
    named = [f"{name} ({count} times)" if count > 1 else name for name, count in counts.items()]
    more = [f"and {len(named) - MOST_NAMED} more"] if len(named) > MOST_NAMED else []
    return [SceneError(*found[0][1], f"{what} without effect: {', '.join(named[:MOST_NAMED] + more)}")]
