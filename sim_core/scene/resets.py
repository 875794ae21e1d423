"""Reset of invalid field values: as in Webots the world is loaded with another value, with a warning.

The schema defines the values of single fields (`ranges.py`), `relations.py` those of several fields together.
The scene keeps the values of the file (`Node.written`), so that a saved world loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from sim_core.base.errors import Mistake, SceneError, bounded
from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType, node_type
from sim_core.scene.relations import RELATIONS, Relation


def reset_values(nodes: Iterable[Node], warnings: list[SceneError]) -> None:
    """Reset invalid field values of nodes to those that Webots uses, and add a line to `warnings` for
    each."""
    warnings += bounded(mistake for node in nodes for mistake in _reset_fields(node))


def _reset_fields(node: Node) -> Iterator[Mistake]:
    """Reset the invalid fields of a node and yield a description of each."""
    for field in _with_range(node.type_name):
        range_ = field.range
        if range_ is None or field.name not in node.fields or range_.allows(node.fields[field.name]):
            continue
        words = range_.words(field.type.endswith("Int32"), field.type in ("SFFloat", "SFInt32"))
        yield _reset(node, field.name, range_.replacement(node.fields[field.name]), words)
    for relation in _relations(node.type_name):
        for name, value, expected in relation(node):
            yield _reset(node, name, value, expected)


def _reset(node: Node, field: str, value: Any, expected: str) -> Mistake:
    was, taken = _text(node[field]), _text(value)
    if was == taken:  # the difference is in digits that are not shown
        was, taken = str(node[field]), str(value)
    node.override_value(field, value)
    return Mistake(*node.source, f"{node.type_name}.{field} is {was}", f"using {taken}", expected)


@cache
def _with_range(type_name: str) -> tuple[FieldType, ...]:
    """Return the fields of a node type that have a range."""
    known = node_type(type_name)
    return () if known is None else tuple(each for each in known.fields.values() if each.range is not None)


@cache
def _relations(type_name: str) -> tuple[Relation, ...]:
    known = node_type(type_name)
    return () if known is None else tuple(each for name, each in RELATIONS if known.is_a(name))


def _text(value: Any) -> str:
    """Return a value in the form of a file; of a long list the beginning."""
    if isinstance(value, list):
        inner = ", ".join(map(_text, value[:4])) + (" …" if len(value) > 4 else "")
        return f"[ {inner} ]" if value else "[ ]"
    if isinstance(value, tuple):
        return " ".join(map(_text, value))
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Node):
        return f"a {value.type_name}"
    return "NULL" if value is None else str(value)
