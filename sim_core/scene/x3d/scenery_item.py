"""Items: nodes of X3D and VRML97 files as written, before they are converted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.scene.node import Source
from sim_core.scene.values import COMPONENTS
from sim_core.scene.wbt.lexer import unquoted

MAX_DEPTH = 200
MAX_ITEMS = 150_000
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_BLANKS = re.compile(r"[\s,]+")


@dataclass
class Item:
    """One node; its fields are text as X3D writes it in attributes.

    Attributes:
        children: its child nodes, each with the field that contains it (empty: the default field).
        content: the text between its tags, if requested.
    """

    name: str
    source: Source
    fields: dict[str, str] = field(default_factory=dict)
    children: list[tuple[str, Item]] = field(default_factory=list)
    def_name: str | None = None
    use_name: str | None = None
    content: str = ""

    def numbers(self, name: str, count: int | None = None) -> list[float] | None:
        """Return the numbers of a field, or None if it is missing.

        Raises:
            SceneError: it contains something else, or another count.
        """
        text = self.fields.get(name)
        if text is None:
            return None
        words = [word for word in _BLANKS.split(text) if word]
        try:
            values = [float(int(word, 16)) if word[:2].lower() == "0x" else float(word) for word in words]
        except ValueError:
            values = None
        if values is None or not all(abs(value) < 1e300 for value in values):
            raise self.error(name, "numbers" if count is None else f"{count} numbers")
        if count is not None and len(values) != count:
            raise self.error(name, f"{count} number{'' if count == 1 else 's'}")
        return values

    def vectors(self, name: str, size: int) -> list[tuple[float, ...]] | None:
        """Return the numbers of a field in groups."""
        values = self.numbers(name)
        if values is None:
            return None
        if len(values) % size:
            raise self.error(name, f"{size} numbers for each")
        return [tuple(values[start : start + size]) for start in range(0, len(values), size)]

    def value(self, name: str, kind: str) -> Any:
        """Return a field in the form of `Node`.

        Args:
            name: name of the field, which must exist.
            kind: its type, such as `MFVec3f`.
        """
        single = "SF" + kind[2:]
        if single == "SFString":
            return self.strings(name) if kind == "MFString" else self.text(name)
        if kind == "SFBool":
            return self.flag(name)
        if single in COMPONENTS:
            size = COMPONENTS[single]
            return self.vectors(name, size) if kind != single else tuple(self.numbers(name, size) or ())
        values = self.numbers(name, 1 if kind == single else None) or []
        if single == "SFInt32":
            if any(value != int(value) or not -1 <= value < 2**31 for value in values):
                raise self.error(name, "whole numbers")
            return int(values[0]) if kind == single else [int(value) for value in values]
        return values[0] if kind == single else values

    def number(self, name: str, default: float = 0.0) -> float:
        """Return the single number of a field."""
        values = self.numbers(name, 1)
        return default if values is None else values[0]

    def flag(self, name: str, default: bool = False) -> bool:
        """Return `true` or `false`, in any case of letters.

        Raises:
            SceneError: it is neither.
        """
        text = self.fields.get(name)
        if text is None:
            return default
        if text.strip().lower() not in ("true", "false"):
            raise self.error(name, "true or false")
        return text.strip().lower() == "true"

    def text(self, name: str, default: str = "") -> str:
        """Return a string, with or without quotes around it."""
        strings = self.strings(name)
        return strings[0] if strings else default

    def strings(self, name: str) -> list[str]:
        """Return the strings of a field; text without quotes is one string."""
        text = self.fields.get(name, "").strip()
        found = [unquoted(match) for match in _STRING.findall(text)]
        return found or ([text] if text else [])

    def error(self, name: str, expected: str) -> SceneError:
        """Return the error for a field with a wrong value."""
        shown = " ".join(self.fields.get(name, "").split())
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        return SceneError(*self.source, f'{self.name}.{name} "{shown}"', expected)

    def first(self, *names: str) -> Item | None:
        """Return the first child node of one of these types."""
        return next((item for _, item in self.children if item.name in names), None)
