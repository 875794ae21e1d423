"""Make messages from values as given in YAML and JSON."""

from __future__ import annotations

from typing import Any

from ros_bridge.topics.conversions import message_class
from sim_core.base.errors import ConfigError


def make_message(kind: Any, value: Any) -> Any:
    """Return a message with a value from YAML: in its `data`, or field by field.

    Raises:
        ConfigError: the message has no such field, or a value does not fit.
    """
    message = kind(check_fields=True)  # unchecked, a wrong value ends the process when it is sent
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
    """Return an element of a field type such as `sequence<double>` or `sequence<geometry_msgs/Point>`."""
    inner = kind.partition("<")[2].partition(">")[0].partition(",")[0] or kind.partition("[")[0]
    if isinstance(value, dict) and "/" in inner:
        return make_message(message_class(inner.replace("/", "/msg/")), value)
    return float(value) if inner in ("double", "float") else value
