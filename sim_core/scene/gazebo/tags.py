"""`<gazebo>` tags of a URDF file; they record which tags are read; one warning lists the others."""

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

ACCEPTED_VALUES = {
    "sensor": ("always_on", "visualize", "enable_metrics"),
    "contact": ("collision",),
    "image": ("anti_aliasing",),
    "range": ("resolution",),
}
"""Values of tags that need no warning, by tag name: they hold here anyway, or have no effect on ROS in
Gazebo."""
SWITCHES = re.compile(
    r"(sensors|imu|contact|navsat|air-pressure|altimeter|magnetometer|forcetorque|physics|user-commands"
    r"|scene-broadcaster)-system|gazebo_ros_(init|factory|state|api_plugin|paths_plugin)"
)
"""Plugins of Gazebo, by file name, that enable functions that are always enabled here."""
MOST_NAMED = 20
DEFAULT_TEXT = "__default__"
"""Text that sdformat writes for missing values."""
SLOWEST, HIGHEST = 1e-6, 1e9
"""Hz"""


class Tag:
    """An element below `<gazebo>`."""

    def __init__(self, item: Item, read_ids: set[int]) -> None:
        self.item = item
        self._read_ids = read_ids
        read_ids.add(id(item))
        for name in ACCEPTED_VALUES.get(item.name, ()):
            self.all(name)

    @property
    def source(self) -> Source:
        """Place of the element."""
        return self.item.source

    @property
    def text(self) -> str:
        """Text of the element, without blanks around it."""
        return self.item.content.strip()

    def attribute(self, name: str) -> str:
        """Return an attribute; empty: it is missing."""
        return self.item.fields.get(name, "").strip()

    def first(self, *names: str) -> Tag | None:
        """Return the first child element with one of these names."""
        found = self.item.first(*names)
        return None if found is None else Tag(found, self._read_ids)

    def at(self, *names: str) -> Tag | None:
        """Return the element at a path of names, each within the one before."""
        found: Tag | None = self
        for name in names:
            found = found.first(name) if found is not None else None
        return found

    def all(self, *names: str) -> list[Tag]:
        """Return all child elements with these names."""
        return [Tag(item, self._read_ids) for _, item in self.item.children if item.name in names]

    def word(self, *names: str) -> str:
        """Return the text of the first element with one of these names; empty: there is none, or
        `__default__`."""
        found = self.first(*names)
        return "" if found is None or found.text == DEFAULT_TEXT else found.text

    def number(self, name: str, default: float, low: float = -math.inf) -> float:
        """Return the number in an element, or the default if there is no such element.

        Raises:
            SceneError: it is not a number, or lower than `low`.
        """
        found = self.first(name)
        return default if found is None else found.as_number(low)

    def as_number(self, low: float = -math.inf) -> float:
        """Return the number in the text.

        Raises:
            SceneError: it is not a number, or lower than `low`.
        """
        return number_of(self.as_value(), "value", low=low)

    def flag(self, name: str, default: bool = False) -> bool:
        """Return whether an element is true, in one of the forms that Gazebo accepts."""
        text = self.word(name).lower()
        return default if not text else text in ("true", "1", "1.0")

    def period(self, *names: str) -> float | None:
        """Return the period in s for the rate in Hz of an element; None: there is none.

        Raises:
            SceneError: it is not a rate.
        """
        tag = self.first(*names)
        if tag is None:
            return None
        rate = tag.as_number()
        if rate > 0.0 and not SLOWEST < rate < HIGHEST:
            raise SceneError(*tag.source, f"<{tag.item.name}> {rate:g}", "Hz, or 0 for every step")
        return 1.0 / rate if rate > 0.0 else 0.0

    def numbers(self, count: int) -> list[float]:
        """Return the numbers in the text.

        Raises:
            SceneError: there are more or fewer.
        """
        return self.as_value().numbers("value", count) or []

    def as_value(self) -> Item:
        """Return an item whose field `value` is that attribute, or the text."""
        return Item(self.item.name, self.source, {"value": self.attribute("value") or self.text})

    def ignore(self) -> None:
        """List the tag as without effect, although it was read."""
        self._read_ids.discard(id(self.item))

    def count(self) -> None:
        """Do not list the tag as without effect."""
        self._read_ids.add(id(self.item))

    def expect(self, name: str, *values: float | str) -> None:
        """List an element as without effect unless it has one of the values that hold here."""
        for found in self.all(name):
            if found.text.lower() not in [str(value).lower() for value in values] and not _equals(
                found.text, values
            ):
                found.ignore()


def names_in(tags: Iterable[Tag], known: Collection[str] | None) -> list[str]:
    """Return the names in elements; unknown names are listed as without effect.

    `known` are the known names; None: all are known.
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
    """The `<gazebo>` tags of a robot; for SDF the equivalent tags, each with its link as reference.

    Args:
        robot: element with the tags.
        read_ids: receives the ids of the elements that are read.
    """

    def __init__(self, robot: Item, read_ids: set[int] | None = None) -> None:
        self._read_ids: set[int] = set() if read_ids is None else read_ids
        self.tags = [Tag(item, self._read_ids) for _, item in robot.children if item.name == "gazebo"]

    def inside(self, name: str) -> Iterator[tuple[Tag, Item]]:
        """Yield each element of a name that has not been read, with the tag that contains it."""
        for tag in self.tags:
            yield from ((tag, item) for _, item in tag.item.children if item.name == name)

    def claim(self, item: Item) -> Tag:
        """Mark an element as read."""
        return Tag(item, self._read_ids)

    def without_effect(self) -> list[SceneError]:
        """Return one warning that lists each kind of unread tag; none: all were read."""
        return in_one_warning("<gazebo> tags", self.unread_tags())

    def unread_tags(self) -> Iterator[tuple[str, Source]]:
        """Yield the kinds of unread tags, and the place of the outermost one around each."""
        for tag in self.tags:
            for _, item in tag.item.children:
                yield from ((name, item.source) for name in self._unread(item))

    def _unread(self, item: Item) -> Iterator[str]:
        """Yield the names of the kinds of unread tags in an element, and its own."""
        if item.name == "plugin" and SWITCHES.search(item.fields.get("filename", "")):
            return
        if id(item) not in self._read_ids:
            yield _kind(item)
            return
        of = f" of {item.name}"
        if name := item.fields.get("name"):
            of += f' "{name}"'
        for path in self._paths(item):
            yield path + of

    def _paths(self, item: Item) -> Iterator[str]:
        for _, child in item.children:
            if id(child) not in self._read_ids:
                yield _kind(child) if child.name in ("sensor", "plugin") else child.name
            else:
                yield from (f"{child.name}/{path}" for path in self._paths(child))


def _kind(item: Item) -> str:
    """Return a name for a whole element: its type, or the file of a plugin, not its own name."""
    about = item.fields.get("type") if item.name == "sensor" else item.fields.get("filename")
    if item.name not in ("sensor", "plugin"):
        return item.name
    return f'{item.name} "{PurePath(about or "").name}"'


def in_one_warning(what: str, found: Iterable[tuple[str, Source]]) -> list[SceneError]:
    """Return one warning that lists and counts kinds of tags; none: there are none."""
    found = list(found)
    if not found:
        return []
    counts = Counter(name for name, _ in found)
    named = [f"{name} ({count} times)" if count > 1 else name for name, count in counts.items()]
    more = [f"and {len(named) - MOST_NAMED} more"] if len(named) > MOST_NAMED else []
    return [SceneError(*found[0][1], f"{what} without effect: {', '.join(named[:MOST_NAMED] + more)}")]
