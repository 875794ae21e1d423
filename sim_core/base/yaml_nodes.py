"""Reader of YAML from users: as nodes with line numbers, or as plain values.

An alias counts as often as it is used, so a few hundred bytes can stand for 10⁹ values: they are counted
while reading, before any value is created. Refused are nodes that contain themselves, nesting deeper than
`DEEPEST`, and numbers of more than `LONGEST_NUMBER` characters, which take Python minutes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from sim_core.base.errors import ConfigError, in_one_line
from sim_core.base.limits import limit, limit_text

DEEPEST = 100
"""Maximum nesting of tables and lists."""
LONGEST_NUMBER = 400
"""Maximum number of characters: the largest 64-bit float, written out, has 309 digits."""
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def compose_file(path: str | Path, what: str) -> yaml.Node | None:
    """Return the root node of a YAML file; None: the file is empty.

    Raises:
        ConfigError: it cannot be read, is too large, or is not YAML; `what`: the expected content.
    """
    try:
        size = os.stat(path).st_size
        if size > limit("yaml_bytes"):
            raise ConfigError(f"{path}: found {size} bytes, expected {limit_text('yaml_bytes')}")
        return compose_text(Path(path).read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: found bytes that are no UTF-8 text, expected {what}") from None
    except ValueError as error:  # a path with a NUL character
        raise ConfigError(f"{path}: cannot be read: {error}") from None


def compose_text(text: str, place: str) -> yaml.Node | None:
    """Return the root node of a YAML text; None: it is empty.

    Raises:
        ConfigError: it is not YAML, or contains too much; with the place, the line and the column.
    """
    try:
        return _Nodes(text).get_single_node()
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{_at(error, place)}: {_problem(error)}") from None


def value_of(node: yaml.Node | None, place: str) -> Any:
    """Return the plain value of a node: tables, lists, texts, numbers.

    Raises:
        ConfigError: it has no valid value, such as the date 2001-99-99.
    """
    if node is None:
        return None
    try:
        return yaml.SafeLoader("").construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError, OverflowError) as error:
        raise ConfigError(f"{_at(error, place)}: {_problem(error)}") from None


def read_yaml(text: str, place: str) -> Any:
    """Return the plain value of a text.

    Raises:
        ConfigError: as `compose_text` and `value_of`.
    """
    if len(text) > limit("yaml_bytes"):
        raise ConfigError(f"{place}: found {len(text)} characters, expected {limit_text('yaml_bytes')}")
    return value_of(compose_text(text, place), place)


def read_yaml_file(path: str | Path, what: str) -> Any:
    """Return the plain value of a file.

    Raises:
        ConfigError: as `compose_file` and `value_of`.
    """
    return value_of(compose_file(path, what), str(path))


def _at(error: Exception, place: str) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"{place}:{mark.line + 1}:{mark.column + 1}" if mark is not None else place


def _problem(error: Exception) -> str:
    text = getattr(error, "problem", None) or in_one_line(error)
    return str(text).splitlines()[0].removeprefix("but ")


class _BeyondLimits(yaml.composer.ComposerError):
    """Valid YAML that exceeds our limits."""

    def __init__(self, found: str, expected: str, event: yaml.Event) -> None:
        super().__init__(None, None, f"found {found}, expected {expected}", event.start_mark)


class _LimitedComposer(Composer):
    """Composes nodes within limits."""

    def compose_document(self) -> Any:
        """Reset the counters."""
        self._count = self._depth = 0
        self._sizes: dict[int, int] = {}
        return super().compose_document()

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node and count all values it stands for."""
        event = self.peek_event()
        is_alias = isinstance(event, yaml.AliasEvent)
        before = self._count
        self._depth += 1
        if self._depth > DEEPEST:
            raise _BeyondLimits("one more level", f"at most {DEEPEST} within one another", event)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if is_alias and id(node) not in self._sizes:
            raise _BeyondLimits(f"*{event.anchor} within what it names", "a name of something else", event)
        self._count += self._sizes[id(node)] if is_alias else 1
        if self._count > limit("yaml_values"):
            raise _BeyondLimits("too many values", limit_text("yaml_values"), event)
        if not is_alias and event.anchor is not None:
            self._sizes[id(node)] = self._count - before
        if node.tag in NUMBERS and len(node.value) > LONGEST_NUMBER:
            expected = f"at most {LONGEST_NUMBER} characters"
            raise _BeyondLimits(f"a number of {len(node.value)} characters", expected, event)
        return node


_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""With libyaml reading a hundred topics of a bag takes 0.05 s, without it 0.3 s."""


class _Nodes(_LimitedComposer, _Parser):
    """Nodes of a text."""

    def __init__(self, text: str) -> None:
        Composer.__init__(self)
        _Parser.__init__(self, text)
