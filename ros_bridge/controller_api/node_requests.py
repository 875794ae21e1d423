"""Requests of supervisors about nodes, their fields, and their PROTOs."""

from __future__ import annotations

from typing import Any

from ros_bridge.controller_api import fields
from ros_bridge.controller_api.client import Client
from ros_bridge.controller_api.node_numbers import ControllerNodeNumbers
from ros_bridge.controller_api.proto_levels import Bodies, actual_field, level_value
from sim_core.base.errors import CommandError
from sim_core.base.outcome import Outcome
from sim_core.devices import Device
from sim_core.scene import Node
from sim_core.scene.by_name import by_def_names
from sim_core.scene.proto.expansion import find_in_body
from sim_core.scene.wbt.writer import write_node
from sim_core.session.pipeline import Action
from sim_core.session.session import Session
from sim_core.session.supervision.supervisor import Supervisor
from sim_core.session.world_commands import ImportFile, ImportText, Remove, SetField


class NodeRequests:
    """Executes them between two steps; each method named `ask_…` implements one."""

    def __init__(self, session: Session) -> None:
        self._sim = session.sim
        self._numbers: ControllerNodeNumbers | None = None
        self._bodies = Bodies()

    @property
    def _supervisor(self) -> Supervisor:
        return self._sim.supervisor

    @property
    def numbers(self) -> ControllerNodeNumbers:
        """Numbers for the present world."""
        if self._numbers is None or self._numbers.scene is not self._sim.scene:
            self._numbers = ControllerNodeNumbers(self._sim.scene)
        return self._numbers

    def _node(self, number: int) -> Node:
        """Return a node other than the root group."""
        node = self.numbers.node(number)
        if node is None:
            raise CommandError("found the root node, expected a node of the world")
        return node

    def _name(self, number: int) -> str:
        """Return a name of a node that is also valid in a repetition of the run."""
        return self._supervisor.lasting(self._node(number))

    def _description(self, node: Node | None, inside: bool = False) -> dict[str, Any] | None:
        if node is None:
            return None
        return self.numbers.describe(node if inside else self._sim.scene.shown(node), inside)

    # ---- finding nodes

    def ask_node_root(self, client: Client) -> Any:
        """Return the root group."""
        return self.numbers.describe(None)

    def ask_node(self, client: Client, number: int) -> Any:
        """Return the present description of a node; refused if it has been removed."""
        return self.numbers.describe(self.numbers.node(number)) | {"id": number}

    def ask_node_self(self, client: Client) -> Any:
        """Return the controller's robot."""
        return self._description(client.robot.node)

    def ask_node_from_def(self, client: Client, name: str) -> Any:
        """Find a node by DEF, or by a path of DEFs with dots."""
        return self._description(by_def_names(self._sim.scene, name))

    def ask_node_from_id(self, client: Client, number: int) -> Any:
        """Return a node by number; None: there is none."""
        try:
            return self.numbers.describe(self.numbers.node(number))
        except CommandError:
            return None

    def ask_node_from_device(self, client: Client, tag: int) -> Any:
        """Return the node of a device of the robot."""
        if not 0 <= tag < len(client.devices):
            return None
        device = client.devices[tag]
        return self._description(
            client.robot.nodes.get(device.name) if isinstance(device, Device) else device
        )

    def ask_node_parent(self, client: Client, number: int) -> Any:
        """Return the parent; for root nodes the root group, for that None."""
        if self.numbers.node(number) is None:
            return None
        holder = self.numbers.holder(number)
        return self._description(holder, self.numbers.is_inside(number)) or self.numbers.describe(None)

    def ask_node_from_proto_def(self, client: Client, number: int, name: str) -> Any:
        """Find a node in a PROTO's body; with dots those below it."""
        node = self._node(number)
        first, *others = name.split(".")
        found = None if node.proto is None else find_in_body(node, first)
        for each in others:
            below = () if found is None else self._sim.scene.shown(found).walk()
            found = next((node for node in below if node.def_name == each), None)
        return self._description(found, inside=True)

    # ---- PROTO

    def ask_proto(self, client: Client, number: int) -> Any:
        """Return the number of a node's body, None: it was not created by a PROTO."""
        node = self.numbers.node(number)
        return None if node is None else self._bodies.number_of(node)

    def ask_proto_level(self, client: Client, body: int, level: int) -> Any:
        """Return name of a PROTO, whether it derives from another, and its fields with types; None: the body
        is gone, or has no such level."""
        found = self._bodies.find_body(self._sim.scene, body, level)
        if found is None:
            return None
        proto = found[1][-1]
        kinds = [[name, kind.type] for name, kind in proto.node_type.fields.items()]
        return {"type": proto.node_type.name, "derived": proto.base is not None, "fields": kinds}

    def ask_proto_get(self, client: Client, body: int, level: int, name: str) -> Any:
        """Return the value of a field of a PROTO; None: the body was removed."""
        found = self._bodies.find_body(self._sim.scene, body, level)
        if found is None or name not in found[1][-1].node_type.fields:
            return None
        return self._encoded_value(
            found[1][-1].node_type.fields[name].type, level_value(self._supervisor, *found, name), True
        )

    def ask_proto_actual(self, client: Client, body: int, level: int, name: str) -> Any:
        """Return the field in the scene tree that a PROTO's field has its value from; None: there is none."""
        found = self._bodies.find_body(self._sim.scene, body, level)
        return None if found is None else self._field_description(actual_field(*found, name))

    def ask_field_actual(self, client: Client, number: int, name: str, inside: bool | int) -> Any:
        """Do the same as `proto_actual` for a field of a node."""
        node = self._node(number)
        levels = [node.proto] if node.proto is not None and not inside else []
        return self._field_description(actual_field(node, levels, name))

    def _field_description(self, found: tuple[Node, str] | None) -> Any:
        if found is None:
            return None
        node, name = found
        place = fields.find(node, name, False)
        return None if place is None else {"node": self._description(node), "name": name, "type": place.type}

    def ask_node_text(self, client: Client, number: int) -> str:
        """Return a node as VRML."""
        return write_node(self._node(number))

    def ask_node_remove(self, client: Client, number: int) -> Outcome:
        """Remove a node from the world."""
        return client.submit(Remove(self._name(number)))

    # ---- fields

    # `inside`: false; the number of the body of the field; or true for the present body

    def _find(self, number: int, name: str, inside: bool | int) -> fields.FieldPath | None:
        node = self.numbers.node(number)
        if node is not None and inside and inside is not True and inside != self._bodies.number_of(node):
            raise CommandError(f'field "{name}" of {node.path()}: its PROTO was rebuilt with other fields')
        return fields.find(node, name, bool(inside))

    def _place(self, number: int, name: str, inside: bool | int) -> fields.FieldPath:
        place = self._find(number, name, inside)
        if place is None:
            node = self.numbers.node(number)
            raise CommandError(f'{node.path() if node else "the root"} has no field "{name}"')
        return place

    def ask_field_type(self, client: Client, number: int, name: str, inside: bool | int) -> str | None:
        """Return the type of a field, None: there is no such field."""
        place = self._find(number, name, inside)
        return None if place is None else place.type

    def ask_field_names(self, client: Client, number: int, inside: bool) -> list[str]:
        """Return the names of all fields."""
        return fields.names(self.numbers.node(number), inside)

    def ask_field_get(self, client: Client, number: int, name: str, inside: bool | int) -> Any:
        """Return the present value."""
        place = self._place(number, name, inside)
        value = fields.value(self._supervisor, self._sim.scene.nodes, place)
        return self._encoded_value(place.type, value, bool(place.inside) or self.numbers.is_inside(number))

    def _encoded_value(self, kind: str, value: Any, inside: bool) -> Any:
        if kind == "SFNode":
            return self._description(value, inside)
        return [self._description(each, inside) for each in value] if kind == "MFNode" else value

    def ask_field_set(
        self, client: Client, number: int, name: str, inside: bool | int, value: Any
    ) -> Outcome:
        """Set a value at once."""
        node, field = self._address(number, name, inside)
        if node is None:
            raise CommandError("the children of the root cannot be set: import and remove nodes")
        return client.submit(SetField(node, field, value))

    def ask_field_import(
        self, client: Client, number: int, name: str, inside: bool | int, text: str, at: int
    ) -> Outcome:
        """Import nodes given as text."""
        return self._import(
            client, ImportText(text, *self._address(number, name, inside), at, importable=True)
        )

    def ask_field_import_file(
        self, client: Client, number: int, name: str, inside: bool | int, file: str, at: int
    ) -> Outcome:
        """Import nodes from a file."""
        path = str(client.folder / file)
        return self._import(client, ImportFile(path, *self._address(number, name, inside), at))

    def _import(self, client: Client, action: Action) -> Outcome:
        """Import nodes, and report errors in them that were ignored."""
        known = len(self._sim.scene.warnings)
        outcome = client.submit(action)
        for warning in self._sim.scene.warnings[known:]:
            client.add_line(str(warning))
        return outcome

    def _address(self, number: int, name: str, inside: bool | int) -> tuple[str | None, str]:
        """Return node (None for the root group) and field, by names that are valid in a repetition."""
        place = self._place(number, name, inside)
        if place.inside or self.numbers.is_inside(number):
            expected = "a parameter of the PROTO"
            raise CommandError(f'field "{name}" inside a PROTO is read only, expected {expected}')
        return None if place.node is None else self._supervisor.lasting(place.node), place.field
