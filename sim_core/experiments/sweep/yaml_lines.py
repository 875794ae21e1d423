"""YAML values with their lines, for messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import yaml

from sim_core.base.errors import ConfigError, hint
from sim_core.base.yaml_nodes import compose_file, value_of

KeyPath = tuple[str | int, ...]
"""Keys and indices from the top of a file to a value."""


class YamlWithLines:
    """A YAML file with the lines of its values.

    Attributes:
        file: name of the file as given.
        value: content of the file: a table.
    """

    def __init__(self, path: str | Path) -> None:
        """Read a file.

        Raises:
            ConfigError: it cannot be read, is not YAML, or its top level is not a table.
        """
        self.file = str(path)
        self._lines: dict[KeyPath, int] = {}
        root = compose_file(path, "YAML")
        self.value: dict[str, Any] = {}
        if not isinstance(root, yaml.MappingNode):
            raise ConfigError(f"{path}:1: found no table, expected names with values, such as world: …")
        for key_path, line in self._walk(root, ()):
            self._lines[key_path] = line
        self.value = value_of(root, str(path))

    def refuse(self, key_path: KeyPath, found: str, expected: str) -> NoReturn:
        """Raise ConfigError: `file:line: name: found …, expected …`."""
        raise ConfigError(f"{self.place_of(key_path)}: found {found}, expected {expected}")

    def place_of(self, key_path: KeyPath) -> str:
        """Return `file:line: name` of a value, or of the nearest written one above it."""
        known = key_path
        while known and known not in self._lines:
            known = known[:-1]
        name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in key_path).lstrip(".")
        return f"{self.file}:{self._lines.get(known, 1)}" + (f": {name}" if name else "")

    def known_names(self, key_path: KeyPath, found: dict[str, Any], known: tuple[str, ...]) -> None:
        """Raise ConfigError for the first unknown name of a table."""
        for name in found:
            if name not in known:
                expected = f"one of {', '.join(known)}{hint(str(name), known)}"
                self.refuse((*key_path, name), "no such name", expected)

    def _walk(self, node: yaml.Node, key_path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
        if isinstance(node, yaml.MappingNode):
            for key, content in node.value:
                name = str(key.value)
                if (*key_path, name) in self._lines:
                    place = f"{self.file}:{key.start_mark.line + 1}"
                    raise ConfigError(f'{place}: found "{name}" a second time, expected it once')
                self._lines[(*key_path, name)] = key.start_mark.line + 1
                yield (*key_path, name), key.start_mark.line + 1
                yield from self._walk(content, (*key_path, name))
        elif isinstance(node, yaml.SequenceNode):
            for index, content in enumerate(node.value):
                yield (*key_path, index), content.start_mark.line + 1
                yield from self._walk(content, (*key_path, index))
