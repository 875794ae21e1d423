"""A controller's connection to the topics of one robot, in lock-step or free-running.

The lock-step protocol (see `sim_core/session/lockstep.py`) also works with a free-running robot: at the
start, and whenever sim time jumps back, answer the present time; afterwards answer each complete set of
readings with its stamp. A set is complete when every sensor has sent a reading of the same time. A repeated
reading means that readings or the answer may have been lost: the same answer is sent again. Readings from
before a jump may still arrive: until the first set is answered, readings later than /clock are ignored.

/clock is subscribed to only until then: a message at each step costs simulation and controller more than all
readings do. A jump back is detected by `RESTARTS`, and by readings of an earlier time.
"""

from __future__ import annotations

import os
import signal
from array import array
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary, proxy

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from ros_bridge.base.middleware import prepare_controller
from ros_bridge.base.ros_thread import END_SIGNALS, redirect_signals, spin
from ros_bridge.base.shutdown import time_limit
from ros_bridge.controllers import NAMESPACE
from ros_bridge.topics.names import CLOCK, RESTARTS, graph_name

SIM_TIME = [Parameter("use_sim_time", value=True)]
"""Parameters of a controller's node that uses /clock."""
READINGS_ALONE = [Parameter("use_sim_time", value=False)]
"""Parameters of a controller's node without timers: it does not subscribe to /clock, even if the simulation
has started it."""

END_LIMIT = 4.0
"""Seconds of wall time for shutting down the middleware; afterwards the process ends in any case."""

Decide = Callable[[dict[str, Any]], Mapping[str, float] | JointState]


class RobotClient:
    """Calls `decide` with each complete set of readings and sends the command it returns.

    Args:
        node: the controller's node, with or without sim time.
        sensors: topic below the robot's namespace → message type; each message has a header.
        decide: gets the set of readings by topic, returns motor velocities in rad/s by motor name, or a whole
            JointState, whose header is filled in here.
        robot: the robot's name below the simulation's namespace; empty if the node itself is in the robot's
            namespace.
        restart: called after a reset of the simulation, to clear the controller's state.
    """

    def __init__(
        self,
        node: Node,
        sensors: Mapping[str, Any],
        decide: Decide,
        robot: str = "",
        restart: Callable[[], None] = lambda: None,
    ) -> None:
        space = os.environ.get(NAMESPACE, node.get_namespace().rstrip("/"))
        prefix = f"{space}/{robot}/" if robot else ""
        self._node = node
        self._decide = decide
        self._restart = restart
        self._sensors = tuple(sensors)
        self._readings: dict[str, Any] = {}
        self._answered: Any = None
        self._now: Any = None  # from /clock, while the first time is answered
        self._answer_sent = JointState()
        self._own_answer = JointState()  # reused: creating one takes 20 µs
        self._is_in_handshake = False
        self._clock = clock_of(node)
        self._clock.on_restart(self._handle_restart)  # before the sensors, so that no restart is missed
        self._answers = node.create_publisher(JointState, f"{prefix}joint_command", 10)
        for topic, message_type in sensors.items():
            node.create_subscription(message_type, prefix + topic, self._receiver(topic), 10)
        self._start_handshake()

    def _handle_restart(self, message: Clock) -> None:
        """Handle a jump back of time, unless the readings have shown it or no answer was sent yet."""
        if self._answered is not None and _is_before(message.clock, self._answered):
            self._start_handshake()

    def _start_handshake(self) -> None:
        """Start the handshake: the simulation has started or was reset."""
        self._readings.clear()
        self._answered = self._now = None
        self._restart()
        self._is_in_handshake = True
        self._clock.add_listener(self._answer_clock)

    def _answer_clock(self, message: Clock) -> None:
        """Answer the present time, repeatedly: the simulation may not know this controller yet.

        Later times are left to the readings: an answer without them would count as our command.

        """
        if not self._is_in_handshake:  # readings have arrived before this message
            return
        self._now = message.clock
        if self._answered is None or _is_before(message.clock, self._answered):
            self._answered = message.clock
        if message.clock == self._answered:
            self._send(message.clock, {})
        else:
            self._answer_if_complete()

    def _receiver(self, topic: str) -> Callable[[Any], None]:
        def receive(message: Any) -> None:
            self._readings[topic] = message
            self._answer_if_complete()

        return receive

    def _answer_if_complete(self) -> None:
        """Answer the readings if they are complete and, at the start, from this run."""
        if not self._readings or len(self._readings) < len(self._sensors):
            return
        stamp, *others = (reading.header.stamp for reading in self._readings.values())
        if all(other == stamp for other in others) and not (self._is_in_handshake and self._is_ahead(stamp)):
            self._answer(stamp)

    def _is_ahead(self, stamp: Any) -> bool:
        """Return whether a time is later than /clock, as far as that is known."""
        return self._now is None or _is_before(self._now, stamp)

    def _answer(self, stamp: Any) -> None:
        """Answer a set of readings; a repeated set gets the same answer."""
        if stamp == self._answered:
            self._answers.publish(self._answer_sent)
            return
        if self._is_in_handshake:
            self._is_in_handshake = False
            self._clock.remove_listener(self._answer_clock)
        elif _is_before(stamp, self._answered):
            self._start_handshake()
            return
        self._answered = stamp
        try:
            self._send(stamp, self._decide(self._readings))
        except RuntimeError:  # error of rclpy: a signal shuts ROS down in another thread
            if self._node.context.ok():
                raise

    def _send(self, stamp: Any, command: Mapping[str, float] | JointState) -> None:
        if isinstance(command, JointState):
            answer = command
        else:
            answer, names = self._own_answer, list(command)
            if names != answer.name:
                answer.name = names
            answer.velocity = array("d", command.values())
        answer.header.stamp = stamp
        answer.header.frame_id = self._node.get_name()
        self._answer_sent = answer
        self._answers.publish(answer)


def run(make_node: Callable[[], Node]) -> int:
    """Spin a controller's node until Ctrl-C, SIGTERM or the end of ROS, however often signals arrive.

    Signals are never turned into exceptions: these could be raised anywhere, be swallowed where Python is
    called from C++ or deletes an object, or conflict with ROS's own handlers during shutdown.

    """
    signals = redirect_signals()
    prepare_controller()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node: Node | None = None
    try:
        node = make_node()
        spin(signals, node)
    except ExternalShutdownException:
        pass
    finally:
        with time_limit(END_LIMIT):
            if node is not None:
                node.destroy_node()
            rclpy.try_shutdown()
        for number in END_SIGNALS:  # at exit Python would restore the default handlers, which kill
            signal.signal(number, signal.SIG_IGN)
    return 0


def _is_before(time: Any, other: Any) -> bool:
    """Return whether a time message is earlier than another."""
    return (time.sec, time.nanosec) < (other.sec, other.nanosec)


ClockCallback = Callable[[Clock], None]


class SharedClock:
    """Subscribes to /clock once for many robots, while there are listeners: subscriptions cost time."""

    def __init__(self, node: Node) -> None:
        self._node = proxy(node)  # a weak reference, because the node owns this object
        self._listeners: list[ClockCallback] = []
        self._subscription = None
        self._restart_callbacks: list[ClockCallback] = []
        node.create_subscription(Clock, graph_name(node, RESTARTS), self._restart, 10)

    def on_restart(self, callback: ClockCallback) -> None:
        """Call `callback` with the new time each time that sim time has jumped back to its start."""
        self._restart_callbacks.append(callback)

    def _restart(self, message: Clock) -> None:
        for callback in self._restart_callbacks:
            callback(message)

    def add_listener(self, callback: ClockCallback) -> None:
        """Call `callback` with each message from now on."""
        if callback not in self._listeners:
            self._listeners.append(callback)
        if self._subscription is None:
            self._subscription = self._node.create_subscription(
                Clock, CLOCK, self._receive, qos_profile_sensor_data
            )

    def remove_listener(self, callback: ClockCallback) -> None:
        """Stop calling `callback`."""
        if callback in self._listeners:
            self._listeners.remove(callback)
        if not self._listeners and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def _receive(self, message: Clock) -> None:
        for callback in list(self._listeners):
            callback(message)


_clocks: WeakKeyDictionary[Node, SharedClock] = WeakKeyDictionary()


def clock_of(node: Node) -> SharedClock:
    """Return the shared clock of a node."""
    if node not in _clocks:
        _clocks[node] = SharedClock(node)
    return _clocks[node]
