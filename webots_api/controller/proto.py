"""PROTOs of nodes for supervisors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .connection import connection, print_error
from .field import Field, make_field

if TYPE_CHECKING:
    from .node import Node


class Proto:
    """The PROTO of a node; invalid after the node was regenerated."""

    def __init__(self, node: Node, body: int, level: int) -> None:
        self._node, self._body, self._level = node, body, level

    def _description(self) -> dict[str, Any]:
        found = connection().call("proto_level", self._body, self._level)
        return found or {"type": "", "derived": False, "fields": None}

    def getTypeName(self) -> str:
        """Return its name; empty: the node was regenerated."""
        return str(self._description()["type"])

    def isDerived(self) -> bool:
        return bool(self._description()["derived"])

    def getParent(self) -> Proto | None:
        """Return the PROTO from which it is derived."""
        return Proto(self._node, self._body, self._level + 1) if self.isDerived() else None

    def getField(self, name: str) -> Field | None:
        """Return a field, which is read-only."""
        kind = dict(self._description()["fields"] or ()).get(name)
        return None if kind is None else ProtoField(self._node, name, kind, self._body, self._level)

    def getFieldByIndex(self, index: int) -> Field | None:
        fields = self._description()["fields"] or ()
        if not 0 <= index < len(fields):
            return None
        name, kind = fields[index]
        return ProtoField(self._node, name, kind, self._body, self._level)

    def getNumberOfFields(self) -> int:
        fields = self._description()["fields"]
        return -1 if fields is None else len(fields)

    type_name = property(getTypeName)
    is_derived = property(isDerived)
    number_of_fields = property(getNumberOfFields)


class ProtoField(Field):
    """A field of a PROTO, which is read-only."""

    def __init__(self, node: Node, name: str, type_name: str, body: int, level: int) -> None:
        super().__init__(node, name, type_name, body)
        self._at = (body, level, name)

    @property
    def _place(self) -> tuple[Any, ...]:
        return self._at

    def getTypeName(self) -> str:
        found = connection().call("proto_level", *self._at[:2])
        return "" if found is None else self._type

    def getActualField(self) -> Field | None:
        return make_field(connection().call("proto_actual", *self._at))

    def _get(self) -> Any:
        return connection().call("proto_get", *self._at)

    def _ask(self, what: str, *arguments: Any) -> Any:
        print_error(f"Error: the field '{self._name}' of a PROTO is read only: {what.replace('_', ' ')}")

    type_name = property(getTypeName)
