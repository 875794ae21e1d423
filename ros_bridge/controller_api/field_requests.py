"""Requests about fields by index and for single values, as used by Webots' own library."""

from __future__ import annotations

from typing import Any

from ros_bridge.controller_api import fields
from ros_bridge.controller_api.client import Client
from ros_bridge.controller_api.node_requests import NodeRequests
from ros_bridge.controller_api.proto_levels import actual_field, level_value
from sim_core.base.errors import CommandError
from sim_core.base.outcome import Outcome
from sim_core.devices import Device
from sim_core.scene import Node
from sim_core.scene.proto.expansion import ProtoInstance
from sim_core.session.world_commands import ImportText, Remove, SetField

NO_LEVEL = -1
"""Used instead of a PROTO level: a field of the node itself."""


class FieldRequests(NodeRequests):
    """Executes them between two steps; each method named `ask_…` implements one.

    A field has an index among those of its node, of the node that a PROTO creates, or of one PROTO.
    """

    def ask_node_about(self, client: Client, number: int) -> dict[str, Any] | None:
        """Return a node with its parent, its body, whether it is in one, and its device."""
        try:
            node = self.numbers.node(number)
        except CommandError:
            return None
        if node is None:
            return {
                **self.numbers.describe(None),
                "parent": 0,
                "body": None,
                "is_inside": False,
                "device": None,
            }
        parent = self.ask_node_parent(client, number)
        nodes = client.robot.nodes
        devices = enumerate(client.devices)
        return {
            **self.numbers.describe(node),
            "id": number,
            "parent": parent["id"] if parent is not None else 0,
            "body": self._bodies.number_of(node),
            "is_inside": self.numbers.is_inside(number),
            "device": next(
                (
                    index
                    for index, each in devices
                    if (nodes.get(each.name) if isinstance(each, Device) else each) is node
                ),
                None,
            ),
        }

    def ask_proto_about(self, client: Client, number: int, level: int) -> dict[str, Any] | None:
        """Return a PROTO that a node is an instance of, or derives from; None: there is no such level."""
        levels = self._levels(number, level)
        if not levels:
            return None
        proto = levels[-1]
        fields_of_it = len(proto.node_type.fields)
        return {
            "level": level,
            "type": proto.node_type.name,
            "derived": proto.base is not None,
            "fields": fields_of_it,
        }

    def ask_field_about(
        self, client: Client, number: int, level: int, which: str | int, inside: bool
    ) -> dict[str, Any] | None:
        """Return a field by name or index: both, its type, its number of values (−1: a single one), and node
        number and index of the field in the scene tree that its value comes from; None: there is none."""
        kinds = self._kinds(number, level, inside)
        names = list(kinds)
        if isinstance(which, int):
            which = names[which] if which < len(names) else ""
        if which not in kinds:
            return None
        value = None
        if kinds[which][:2] == "MF" or kinds[which] == "SFNode":
            value = self._value(number, level, which, inside)
        count = -1
        if kinds[which] == "SFNode":
            count = int(value is not None)
        elif kinds[which].startswith("MF"):
            count = len(value or ())
        return {
            "place": names.index(which),
            "name": which,
            "type": kinds[which],
            "count": count,
            "actual": self._actual(number, level, which) if inside or level >= 0 else None,
        }

    def ask_field_value(
        self, client: Client, number: int, level: int, place: int, inside: bool, at: int | None
    ) -> dict[str, Any] | None:
        """Return type and present value, or one of several values; None: it is not there any more."""
        kinds = list(self._kinds(number, level, inside).items())
        if not 0 <= place < len(kinds):
            return None
        name, kind = kinds[place]
        try:
            value = self._value(number, level, name, inside)
            value = value if at is None else value[at]
        except (IndexError, CommandError):
            return None
        if kind.endswith("Node"):
            within = inside or level >= 0 or self.numbers.is_inside(number)
            value = self._description(value, within)
        return {"type": kind, "value": value}

    def ask_field_set_at(
        self, client: Client, number: int, place: int, at: int | None, value: Any
    ) -> Outcome:
        """Set the value, or one of several."""
        name = self._name_at(number, place)
        if at is not None:
            values = list(self._value(number, NO_LEVEL, name, False))
            if not 0 <= at < len(values):
                raise CommandError(f'field "{name}": found place {at}, expected 0 to {len(values) - 1}')
            values[at] = value
            value = values
        return self.ask_field_set(client, number, name, False, value)

    def ask_field_insert_at(self, client: Client, number: int, place: int, at: int, value: Any) -> Outcome:
        """Insert a value; a node is given as text."""
        name = self._name_at(number, place)
        node, field = self._address(number, name, False)
        if self._kinds(number, NO_LEVEL, False)[name].endswith("Node"):
            return self._import(client, ImportText(value, node, field, at, importable=True))
        values = list(self._value(number, NO_LEVEL, name, False))
        return self.ask_field_set(client, number, name, False, [*values[:at], value, *values[at:]])

    def ask_field_remove_at(self, client: Client, number: int, place: int, at: int) -> Outcome:
        """Remove a value, or the node of a field with a single one."""
        name = self._name_at(number, place)
        value = self._value(number, NO_LEVEL, name, False)
        node = value if at < 0 else value[at] if at < len(value) else None
        if isinstance(node, Node):
            return client.submit(Remove(self._supervisor.lasting(node)))
        if at < 0 or at >= len(value):
            raise CommandError(f'field "{name}": found place {at}, expected 0 to {len(value) - 1}')
        left = [*value[:at], *value[at + 1 :]]
        found, field = self._address(number, name, False)
        assert found is not None  # because the root group contains only nodes
        return client.submit(SetField(found, field, left))

    # ---- helpers

    def _levels(self, number: int, level: int) -> list[ProtoInstance]:
        """Return the levels of a node's PROTO from the first to `level`; empty: it has fewer."""
        node = self.numbers.node(number)
        if node is None or node.proto is None:
            return []
        levels = list(node.proto.levels())[: level + 1]
        return levels if level < len(levels) else []

    def _kinds(self, number: int, level: int, inside: bool) -> dict[str, str]:
        """Return the fields by name, with types, in the order of their indices.

        Those that can only be found by name follow those that are listed.

        """
        if level >= 0:
            levels = self._levels(number, level)
            return {name: kind.type for name, kind in levels[-1].node_type.fields.items()} if levels else {}
        node = self.numbers.node(number)
        listed = fields.names(node, inside)
        if node is None:
            return dict.fromkeys(listed, "MFNode")
        kinds = (node.node_type if inside or node.proto is None else node.proto.node_type).fields
        return {name: kinds[name].type for name in dict.fromkeys((*listed, *kinds))}

    def _value(self, number: int, level: int, name: str, inside: bool) -> Any:
        if level >= 0:
            node = self._node(number)
            return level_value(self._supervisor, node, self._levels(number, level), name)
        place = self._place(number, name, inside)
        return fields.value(self._supervisor, self._sim.scene.nodes, place)

    def _actual(self, number: int, level: int, name: str) -> tuple[int, int] | None:
        node = self._node(number)
        found = actual_field(node, self._levels(number, level) if level >= 0 else [], name)
        if found is None:
            return None
        actual = self.numbers.number_of(self._sim.scene.shown(found[0]))
        places = list(self._kinds(actual, NO_LEVEL, False))
        return (actual, places.index(found[1])) if found[1] in places else None

    def _name_at(self, number: int, place: int) -> str:
        names = list(self._kinds(number, NO_LEVEL, False))
        if not 0 <= place < len(names):
            raise CommandError(f"found field {place}, expected 0 to {len(names) - 1}")
        return names[place]
