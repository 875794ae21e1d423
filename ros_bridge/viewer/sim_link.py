"""Connection to a simulation in another process: its time, status, services and parameters."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from std_srvs.srv import Trigger

from ros_bridge.parameters.parameter_file import NODE_NAME
from ros_bridge.topics.conversions import time_of
from ros_bridge.topics.names import SCENE_CLOCK, STATUS, UNKNOWN_NODE
from ros_bridge.viewer.polled_topic import PolledTopic

SILENCE_LIMIT = 5.0
"""Seconds of wall time without a message after which a simulation counts as ended: it publishes its status
every second, even while it is paused or waits."""
ANSWER_LIMIT = 5.0
"""Seconds of wall time after which an answer counts as lost."""
VIEW_ONLY = "Refused: this viewer was started with --view-only."
NO_ANSWER = "The simulation did not answer."
SERVICES = ("pause", "resume", "step", "reset", "physics_reset", "quit", "save", "revert", "world_text")
QUERIES = ("world_text",)
"""Services that change nothing."""
TOPICS = ("import_node", "remove_node", "load_world")
"""Topics that accept text."""
DEFAULT_NODE_PATH = f"/{NODE_NAME}"


@dataclass(frozen=True)
class Status:
    """Contents of `/odesim/status`."""

    mode: str = ""
    speed: float = 0.0
    """Simulated seconds per second."""
    wanted_speed: float = 1.0
    warning: str = ""
    """Text of a warning; empty: none."""


def read_status(message: Any) -> Status:
    """Parse a DiagnosticArray as filled by `ros_bridge/node/status.py`."""
    (row,) = message.status
    values = {item.key: item.value for item in row.values}
    warning = "" if row.level == DiagnosticStatus.OK else row.message
    return Status(values["mode"], float(values["speed"]), float(values["speed_wanted"]), warning)


@dataclass
class _PendingCall:
    """A service call that is not answered yet."""

    what: str
    future: Any
    sent_at: float
    then: Callable[[Any], Any] | None = None
    """Called with the response, None if it was lost; without it, the response is stored in `answer`."""


class SimLink:
    """Monitors one simulation and sends it requests, without blocking.

    Attributes:
        time_ns: sim time; None before its first message.
        status: its latest status.
        number: incremented whenever another simulation has replaced the last.
        answer: response to the last request, or the reason why there is none.
        node_path: full name of the simulation's node; its services and topics are below it.
        namespace: namespace of all its topics; empty: none.

    Args:
        node: for services; must be spun by the caller.
        watch: for topics; must not be spun (see PolledTopic).
        view_only: refuse all requests that change the simulation.
    """

    def __init__(
        self, node: Any, watch: Any, now: Callable[[], float] = time.monotonic, view_only: bool = False
    ) -> None:
        self._view_only = view_only
        self._node = node
        self._now = now
        self.time_ns: int | None = None
        self.status = Status()
        self.number = 0
        self.answer = ""
        self.node_path = DEFAULT_NODE_PATH
        self.namespace = node.get_namespace().rstrip("/")
        self._watch = watch
        self._last_heard = float("-inf")
        self._publishers: tuple[Any, ...] = ()
        self._subscribe()
        self._pending: list[_PendingCall] = []
        self._connect(DEFAULT_NODE_PATH)

    @property
    def logger(self) -> str:
        """Name under which the simulation writes to /rosout."""
        return self.node_path.strip("/").replace("/", ".")

    @property
    def is_running(self) -> bool:
        """Whether a simulation is running, paused or not."""
        return bool(self._publishers) and self._now() - self._last_heard < SILENCE_LIMIT

    @property
    def has_ended(self) -> bool:
        """Whether there is no simulation, not even one that is silent because its machine is busy."""
        return not self._publishers

    def poll(self) -> None:
        """Read what has arrived: time, status, answers."""
        for message in self._clock.take():
            self.time_ns = time_of(message.clock)
            self._last_heard = self._now()
        for message in self._status.take():
            self.status = read_status(message)
            self._last_heard = self._now()
        self._take_answers()

    def discover(self) -> None:
        """Find the publisher of the status, by which simulations are distinguished; call it once a second."""
        self._find_status()
        found = self._node.get_publishers_info_by_topic(self._status.name)
        node_paths = [
            f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            for info in found
            if info.node_name != UNKNOWN_NODE
        ]
        if node_paths and self.node_path not in node_paths:
            self._disconnect()
            self._connect(min(node_paths))
        publishers = tuple(sorted(tuple(info.endpoint_gid) for info in found))
        if publishers != self._publishers:
            self._publishers = publishers
            if publishers:
                self.number += 1
                self._last_heard = self._now()  # allow time for its first message

    def _find_status(self) -> None:
        """Subscribe to the status in our own namespace, else in the first one that has it."""
        own = f"{self._node.get_namespace().rstrip('/')}{STATUS}"
        every = [name for name, _ in self._node.get_topic_names_and_types() if name.endswith(STATUS)]
        published = [name for name in every if self._node.count_publishers(name)]
        known = [name for name in (own, self._status.name) if name in published]
        name = known[0] if known else min(published, default=own)
        if name != self._status.name:
            self._status.close()
            self._clock.close()
            self.namespace = name.removesuffix(STATUS)
            self._subscribe()
            self._publishers = ()

    def _subscribe(self) -> None:
        """Subscribe to the topics of the namespace; the status alone, while no browser is connected."""
        self._clock = PolledTopic(self._watch, Clock, f"{self.namespace}{SCENE_CLOCK}")
        self._status = PolledTopic(self._watch, DiagnosticArray, f"{self.namespace}{STATUS}", can_pause=False)

    def call(self, name: str, then: Callable[[Any], Any] | None = None) -> bool:
        """Call one of SERVICES; `then` gets the response, None if lost. Return False without a server."""
        if self._view_only and name not in QUERIES:
            self.answer = VIEW_ONLY
            return False
        return self._send_request(name, self._services[name], Trigger.Request(), then)

    def read_parameter(self, name: str, then: Callable[[str | None], Any]) -> bool:
        """Read a text parameter and pass it to `then`, None if there is none. Return False without a server.

        The request is repeated if the answer is lost.
        """

        def take(response: Any) -> None:
            if response is None and self.is_running and self.read_parameter(name, then):
                return
            values = list(response.values) if response is not None else []
            then(values[0].string_value if len(values) == 1 else None)

        return self._send_request(name, self._reader, GetParameters.Request(names=[name]), take)

    def set_parameter(self, name: str, value: str | Sequence[float], then: Callable[[str], Any]) -> bool:
        """Set a parameter to text or numbers; `then` gets the reason of a refusal, empty if it was set."""
        if self._view_only:
            then(VIEW_ONLY)
            return True

        def take(response: Any) -> None:
            if response is None:
                then(NO_ANSWER)
                return
            (result,) = response.results
            then("" if result.successful else result.reason or "refused")

        given = value if isinstance(value, str) else [float(each) for each in value]
        return self._send_request(name, self._parameters, _request(name, given), take)

    def set_mode(self, mode: str) -> None:
        """Set the mode: `realtime`, `fast` or `paused`."""
        self._set_parameter("mode", mode)

    def set_speed(self, speed: float) -> None:
        """Set the target speed in the mode realtime, simulated seconds per second."""
        self._set_parameter("speed", float(speed))

    def send_text(self, topic: str, text: str) -> bool:
        """Send text to one of TOPICS; return False if it has no subscriber."""
        if self._view_only:
            self.answer = VIEW_ONLY
            return False
        publisher = self._publishers_of[topic]
        if not publisher.get_subscription_count():
            return False
        publisher.publish(String(data=text))
        return True

    def _connect(self, node_path: str) -> None:
        """Connect to the simulation whose node has this name."""
        node, self.node_path = self._node, node_path
        services, topics = (QUERIES, ()) if self._view_only else (SERVICES, TOPICS)
        self._services = {name: node.create_client(Trigger, f"{node_path}/{name}") for name in services}
        if not self._view_only:
            self._parameters = node.create_client(SetParameters, f"{node_path}/set_parameters")
        self._reader = node.create_client(GetParameters, f"{node_path}/get_parameters")
        self._publishers_of = {
            name: node.create_publisher(String, f"{node_path}/{name}", 10) for name in topics
        }

    def _disconnect(self) -> None:
        """Disconnect from the simulation, which has ended; pending requests are answered with None."""
        pending, self._pending = self._pending, []
        for client in (*self._services.values(), self._reader):
            self._node.destroy_client(client)
        if not self._view_only:
            self._node.destroy_client(self._parameters)
        for publisher in self._publishers_of.values():
            self._node.destroy_publisher(publisher)
        for call in pending:
            if call.then is not None:
                call.then(None)

    def _set_parameter(self, name: str, value: str | float) -> None:
        if self._view_only:
            self.answer = VIEW_ONLY
        else:
            self._send_request(name, self._parameters, _request(name, value))

    def _send_request(
        self, what: str, client: Any, request: Any, then: Callable[[Any], Any] | None = None
    ) -> bool:
        if not client.service_is_ready():
            if then is None:
                self.answer = f"{what}: no simulation offers this service"
            return False
        self._pending.append(_PendingCall(what, client.call_async(request), self._now(), then))
        return True

    def _take_answers(self) -> None:
        pending, self._pending = self._pending, []  # an answer may cause another request
        for call in pending:
            is_late = self._now() - call.sent_at > ANSWER_LIMIT
            if not call.future.done() and not is_late:
                self._pending.append(call)
            elif call.then is not None:
                call.then(call.future.result() if call.future.done() else None)
            elif call.future.done():
                self.answer = f"{call.what}: {_text_of(call.future.result())}"
            else:
                self.answer = f"{call.what}: no answer within {ANSWER_LIMIT:g} s"


def _request(name: str, value: Any) -> SetParameters.Request:
    return SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])


def _text_of(response: Any) -> str:
    """Return the text of a response for users."""
    if hasattr(response, "results"):  # of set_parameters
        refused = [result.reason for result in response.results if not result.successful]
        return "; ".join(refused) or "set"
    return response.message or ("done" if response.success else "refused")
