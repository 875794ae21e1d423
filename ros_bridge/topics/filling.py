"""Messages from values as YAML and JSON have them."""

from __future__ import annotations

from typing import Any

from ros_bridge.topics.conversions import message_class
from sim_core.base.errors import ConfigError


def make_message(kind: Any, value: Any) -> Any:
    """A message with a value as YAML says it: in its `data`, or field by field.

    Raises:
        ConfigError: a field that the message does not have, or a value that does not fit.
    """
    message = kind(check_fields=True)  # else a wrong value ends the process when it is sent
    fields = message.get_fields_and_field_types()
    for name, item in (value if isinstance(value, dict) else {"data": value}).items():
        if name not in fields:
            raise ConfigError(f'found "{name}", expected a field of {kind.__name__}: {", ".join(fields)}')
        old = getattr(message, name)
        try:
            if isinstance(item, dict):
                item = make_message(type(old), item)
            elif isinstance(old, float):
                item = float(item)
            elif isinstance(item, list):
                item = [_element(fields[name], each) for each in item]
            setattr(message, name, item)
        except (AssertionError, TypeError, ValueError, OverflowError):
            raise ConfigError(f'found {item!r} for "{name}", expected {fields[name]}') from None
    return message


def _element(kind: str, value: Any) -> Any:
    """An element of a field of this kind, such as `sequence<double>` or `sequence<geometry_msgs/Point>`."""
    inner = kind.partition("<")[2].partition(">")[0].partition(",")[0] or kind.partition("[")[0]
    if isinstance(value, dict) and "/" in inner:
        return make_message(message_class(inner.replace("/", "/msg/")), value)
    return float(value) if inner in ("double", "float") else value
