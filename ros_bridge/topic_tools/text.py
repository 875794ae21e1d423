"""Messages as text, in the formats of `ros2 topic echo`: YAML, comma-separated values, a field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml
from rosidl_parser import definition as idl

from ros_bridge.topics.message_fields import SEQUENCES

MORE = "..."
LONG = 1 << 30


@dataclass(frozen=True)
class TextOptions:
    """How much of a message is shown."""

    longest: int | None = 128
    """Most elements of a list and characters of a string; None: all."""
    no_arrays: bool = False
    """Show only the lengths of arrays."""
    no_strings: bool = False
    flow: bool = False
    """Show each list in one line."""


def as_yaml(message: Any, shape: TextOptions) -> str:
    """Format a message as YAML, with a final line break."""
    text = yaml.dump(
        plain(message, shape),
        allow_unicode=True,
        width=LONG,
        default_flow_style=shape.flow,
        sort_keys=False,
        Dumper=_Dumper,
    )
    return str(text)


def as_csv(message: Any, shape: TextOptions) -> str:
    """Format all values of a message, separated by commas."""
    return ",".join(_values(message, None, shape))


def as_text(value: Any, shape: TextOptions) -> str:
    """Format a message as YAML, and a basic field as in Python."""
    return as_yaml(value, shape) if hasattr(value, "SLOT_TYPES") else f"{value}\n"


def plain(message: Any, shape: TextOptions) -> dict[str, Any]:
    """Convert a message to dictionaries, lists, numbers and strings."""
    kinds = zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True)
    return {name: _plain(getattr(message, name), kind, shape) for name, kind in kinds}


def _plain(value: Any, kind: Any, shape: TextOptions) -> Any:
    if isinstance(value, bytes):
        return _cut(value.decode("latin-1"), shape)
    if isinstance(value, str):
        if shape.no_strings:
            return f"<string length: <{len(value)}>>"
        return _cut(value, shape)
    if isinstance(value, SEQUENCES):
        if shape.no_arrays:
            return _about(value, kind)
        some = value if shape.longest is None else value[: shape.longest]
        shown = [_plain(each, None, shape) for each in some]
        return shown if len(some) == len(value) else [*shown, MORE]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (bool, int, float)) else plain(value, shape)


def _cut(text: str, shape: TextOptions) -> str:
    most = shape.longest
    return text if most is None or len(text) <= most else text[:most] + MORE


def _about(value: Any, kind: Any) -> str:
    """Describe a list of which only the length is shown."""
    inner = kind.value_type
    name = (
        getattr(inner, "typename", "")
        or ("/".join(inner.namespaced_name()) if isinstance(inner, idl.NamespacedType) else "")
        or ("wstring" if isinstance(inner, idl.AbstractWString) else "string")
    )
    if isinstance(kind, idl.Array):
        return f"<array type: {name}[{kind.size}]>"
    most = f"[{kind.maximum_size}]" if isinstance(kind, idl.BoundedSequence) else ""
    return f"<sequence type: {name}{most}, length: {len(value)}>"


def _values(value: Any, kind: Any, shape: TextOptions) -> Iterator[str]:
    if isinstance(value, bytes):
        yield str(value if shape.longest is None else value[: shape.longest])
    elif isinstance(value, SEQUENCES) and not shape.no_arrays:
        some = value if shape.longest is None else value[: shape.longest]
        for each in some:
            yield from _values(each, None, shape)
        if len(some) < len(value):
            yield MORE
        elif not len(value):
            yield ""
    elif hasattr(value, "SLOT_TYPES"):
        for name, inner in zip(value.get_fields_and_field_types(), value.SLOT_TYPES, strict=True):
            yield from _values(getattr(value, name), inner, shape)
    else:
        yield str(_plain(value, kind, shape))


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        """Write equal objects in full, without aliases."""
        return True

    def represent_block(self, data: dict[str, Any]) -> yaml.MappingNode:
        """Write each field on its own line, in flow style too."""
        return self.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=False)


_Dumper.add_representer(dict, _Dumper.represent_block)
