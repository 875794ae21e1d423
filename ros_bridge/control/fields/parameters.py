"""Fields of the world's nodes as ROS parameters, read on request.

Nothing is declared and nothing is done in a step: the node below resolves these names itself.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from ros_bridge.base.ros_thread import SpunNode
from ros_bridge.control.fields import node_requests
from ros_bridge.control.fields.names import check_fields, node_named
from ros_bridge.control.fields.node_outline import ROOT
from ros_bridge.control.fields.node_requests import REQUESTS
from ros_bridge.parameters.parameter_file import Value
from ros_bridge.topics.names import robot_names
from sim_core.base.errors import ConfigError, OdesimError, SceneError, hint, in_one_line
from sim_core.base.inbox import awaited
from sim_core.base.outcome import Done, Outcome, Refused, outcome_of
from sim_core.scene import Node
from sim_core.scene.by_name import def_names
from sim_core.scene.node_types import FieldType
from sim_core.scene.values import COMPONENTS
from sim_core.scene.wbt.value_text import read_text_value
from sim_core.session.pipeline import Command
from sim_core.session.session import Session
from sim_core.session.supervision.parameters import fields_of, kind_of
from sim_core.session.world_commands import SetField

KINDS = {
    "SFBool": Parameter.Type.BOOL,
    "SFInt32": Parameter.Type.INTEGER,
    "SFFloat": Parameter.Type.DOUBLE,
    "SFString": Parameter.Type.STRING,
    "MFBool": Parameter.Type.BOOL_ARRAY,
    "MFInt32": Parameter.Type.INTEGER_ARRAY,
    "MFFloat": Parameter.Type.DOUBLE_ARRAY,
    "MFString": Parameter.Type.STRING_ARRAY,
}
"""Parameter types; vectors, colours and rotations, and lists of them, are arrays of doubles."""
FRESH = 0.02
"""Seconds of wall time for which the fields read of a node are cached."""


class FieldParameters:
    """Reads and sets fields by parameter name, from the ROS thread."""

    def __init__(self, session: Session) -> None:
        """Create it for the session's world, in the session's thread."""
        self._session, self._sim = session, session.sim
        self._owner = threading.get_ident()
        self._changes = 0
        self._read: dict[str, tuple[float, dict[str, Any]]] = {}
        self._sim.supervisor.changed.append(self._count)

    def _count(self) -> None:
        """Count a change of the world other than motion."""
        self._changes += 1
        self._read.clear()

    def names(self) -> list[str]:
        """Return the names of the fields of all DEF-named nodes and of all robots."""
        return self._ask(self._names) or []

    def get(self, name: str) -> Parameter[Any] | None:
        """Return the present value of a field; None: there is no such field."""
        node_name, _, field = name.rpartition(".")
        if not node_name:
            return None
        requested = name if field in REQUESTS else node_name
        when, values = self._read.get(requested, (0.0, {}))
        if time.monotonic() - when > FRESH:
            read = self._requested if field in REQUESTS else self._values
            values = self._ask(lambda: read(requested)) or {}
            self._read[requested] = (time.monotonic(), values)
            if len(self._read) > 1000:
                self._read.clear()
        found = values.get(field)
        return None if found is None else Parameter(name, found[0], found[1])

    def set_field(self, name: str, value: Any) -> SetParametersResult:
        """Set a field as a supervisor does."""
        self._read.clear()
        outcome = self._between_steps(lambda: self._set(name, value))
        reason = outcome.text if isinstance(outcome, Refused) else ""
        return SetParametersResult(successful=not reason, reason=reason)

    def _set(self, name: str, value: Any) -> Outcome:
        node_name, _, field = name.rpartition(".")
        node, supervisor = node_named(self._sim, node_name), self._sim.supervisor
        lasting = supervisor.lasting_name(node_name)
        if supervisor.find(lasting) is not node:  # a robot named by its ROS name
            lasting = supervisor.lasting(node)
        if field in REQUESTS:
            actions = node_requests.actions(self._sim, lasting, field, value)
        else:
            kind = kind_of(node, field)
            plain = list(value) if isinstance(value, array) else value
            actions = (SetField(lasting, field, plain if kind is None else _given(node, kind, plain)),)
        return self._session.pipeline.submit(Command(name, actions))

    def set_initial(self, given: Iterable[Value]) -> None:
        """Set the fields whose present values differ; None stands for an empty list, as in rclpy.

        Raises:
            ConfigError: a field is refused; those before it are set.
        """
        given = list(given)
        check_fields(self._sim, given)
        for each in given:
            name, value = ".".join(each.path), [] if each.value is None else each.value
            present = self.get(name)
            if present is not None and _plain(present.value) == _plain(value):
                continue
            result = self.set_field(name, value)
            if not result.successful:
                raise ConfigError(f"{each.where}: {result.reason}")

    def _ask(self, query: Callable[[], Any]) -> Any:
        """Return the result of a query between two steps; None: there is none."""
        outcome = self._between_steps(query)
        return outcome.answer if isinstance(outcome, Done) else None

    def _between_steps(self, act: Callable[[], Any]) -> Outcome:
        if threading.get_ident() == self._owner:
            return outcome_of(act)
        return awaited(self._session.inbox.post(act))

    def _names(self) -> list[str]:
        nodes = {name: self._sim.supervisor.node(name) for name in def_names(self._sim.scene)}
        for name, ros_name in robot_names(self._sim.robots).items():
            nodes.setdefault(ros_name, self._sim.robots[name].node)
        return [
            f"{name}.{field}"
            for name, node in nodes.items()
            for field, kind in fields_of(node).items()
            if not kind.type.endswith("Node")
        ]

    def _values(self, name: str) -> dict[str, tuple[Any, Any]]:
        """Return type and value of all fields of a node; empty: there is no such node."""
        try:
            node = node_named(self._sim, name)
        except OdesimError:
            return {}
        supervisor = self._sim.supervisor
        return {
            field: packed(kind, supervisor.get(node, field))
            for field, kind in fields_of(node).items()
            if not kind.type.endswith("Node")
        }

    def _requested(self, name: str) -> dict[str, tuple[Any, Any]]:
        """Return the further requests besides fields; empty: there is no such node."""
        node_name, _, what = name.rpartition(".")
        try:
            node = None if node_name == ROOT else node_named(self._sim, node_name)
            found = node_requests.read(self._sim, node, what, self._changes)
        except OdesimError:
            return {}
        return {} if found is None else {what: found}


def packed(kind: FieldType, value: Any) -> tuple[Any, Any]:
    """Return type and value of the parameter for a field's value; values of old types have their own."""
    if isinstance(value, tuple):
        return Parameter.Type.DOUBLE_ARRAY, [float(each) for each in value]
    if isinstance(value, list) and "SF" + kind.type[2:] in COMPONENTS:
        return Parameter.Type.DOUBLE_ARRAY, [float(number) for each in value for number in each]
    return KINDS.get(kind.type, Parameter.Type.STRING), value


def _plain(value: Any) -> Any:
    """Return a value for comparison: any sequence as a list."""
    return value if isinstance(value, (str, bool, int, float)) else list(value)


def _given(node: Node, kind: FieldType, value: Any) -> Any:
    """Convert a parameter's value to that of the field; text is parsed as in a world file.

    Raises:
        SceneError: the text is not a valid value.
    """
    if not isinstance(value, str) or kind.type == "SFString":
        return unpacked(kind, value)
    try:
        return read_text_value(kind, value)
    except ValueError as error:
        raise SceneError(*node.source, f"{node.path()}.{kind.name}: {error}") from None


def unpacked(kind: FieldType, value: Any) -> Any:
    """Convert a parameter's value to that of the field."""
    if value is None:
        return None
    width = COMPONENTS.get("SF" + kind.type[2:], 0)
    if kind.type.startswith("SF") or not width:
        return value if isinstance(value, (str, bool, int, float)) else list(value)
    numbers = list(value)
    return [numbers[start : start + width] for start in range(0, len(numbers), width)]


class FieldNode(SpunNode):
    """A node with the fields of a world as parameters, whose thread no message or request can end.

    Attributes:
        fields: provides them; None: there is no world yet.
    """

    fields: FieldParameters | None = None

    def create_service(self, srv_type: Any, srv_name: str, callback: Any, **how: Any) -> Any:
        """Create a service; a request whose callback raises gets an empty answer."""
        guarded = partial(self._guarded, srv_name, callback)
        return super().create_service(
            srv_type, srv_name, lambda request, response: guarded(request, response) or response, **how
        )

    def create_subscription(self, msg_type: Any, topic: str, callback: Any, *how: Any, **more: Any) -> Any:
        """Create a subscription; a message whose callback raises is refused."""
        guarded = partial(self._guarded, topic, callback)
        return super().create_subscription(msg_type, topic, lambda message: guarded(message), *how, **more)

    def _guarded(self, name: str, callback: Callable[..., Any], *values: Any) -> Any:
        """Return the result of a callback; None if it raised, which would otherwise end the ROS thread."""
        try:
            return callback(*values)
        except Exception as error:
            self.get_logger().warning(f"{name}: refused: {in_one_line(error)}")
            return None

    def _field(self, name: str) -> Parameter[Any] | None:
        if self.fields is None or "." not in name or super().has_parameter(name):
            return None
        return self.fields.get(name)

    def has_parameter(self, name: str) -> bool:
        """Return whether there is such a parameter or field."""
        return super().has_parameter(name) or self._field(name) is not None

    def get_parameter(self, name: str) -> Parameter[Any]:
        """Return a parameter, or the present value of a field."""
        return self._field(name) or super().get_parameter(name)

    def get_parameter_type(self, name: str) -> Any:
        """Return the type of a parameter or field."""
        found = self._field(name)
        return found.type_.value if found is not None else super().get_parameter_type(name)

    def describe_parameter(self, name: str) -> ParameterDescriptor:
        """Return the description of a parameter or field."""
        found = self._field(name)
        if found is None:
            return super().describe_parameter(name)
        request = name.rpartition(".")[2]
        about = REQUESTS.get(request, "a field of the world")
        fixed = request in REQUESTS and request not in (node_requests.POSE, node_requests.TYPE)
        return ParameterDescriptor(
            name=name, type=found.type_.value, description=about, read_only=fixed, dynamic_typing=True
        )

    def list_parameters(self, prefixes: list[str], depth: int) -> Any:
        """Return the parameters, followed by the fields."""
        result = super().list_parameters(prefixes, depth)
        if self.fields is None:
            return result
        for name in self.fields.names():
            fits = not prefixes or any(name == each or name.startswith(f"{each}.") for each in prefixes)
            if fits and (depth == 0 or name.count(".") < depth) and name not in result.names:
                result.names.append(name)
                prefix = name.rpartition(".")[0]
                if prefix not in result.prefixes:
                    result.prefixes.append(prefix)
        return result

    def set_parameters_atomically(self, parameter_list: list[Parameter[Any]]) -> SetParametersResult:
        """Set parameters, or a single field, because each field may be refused."""
        for each in parameter_list:
            if self.fields is not None and not self.has_parameter(each.name):
                reason = f'found no parameter "{each.name}"{hint(each.name, self._parameters)}'
                return SetParametersResult(successful=False, reason=reason)
        fields = [each for each in parameter_list if self._field(each.name) is not None]
        if not fields or self.fields is None:
            return super().set_parameters_atomically(parameter_list)
        if len(parameter_list) > 1:
            reason = f"{fields[0].name} is a field of the world, expected it alone in such a request"
            return SetParametersResult(successful=False, reason=reason)
        return self.fields.set_field(fields[0].name, fields[0].value)
