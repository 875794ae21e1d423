"""A controller's side of the topics of one robot, in step with the simulation or free of it.

The rule of lock-step (see `sim_core/session/lockstep.py`) does no harm to a free-running robot: at the
start, and whenever simulated time jumps back, answer the present time; afterwards answer each complete set of
readings with its stamp. A set is complete when every sensor has sent a reading of the same time. A reading
that comes again tells that readings or our answer may have been lost: the same answer goes out again.
Readings of before the jump may still be on their way: until the first set is answered, none counts that is
later than /clock.

/clock is heard only until then: a message of each step costs the simulation and a controller more than all
readings do. That time has jumped back is told by `RESTARTS`, and by readings of a time that has been before.
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

from ros_bridge.base.ending import bounded
from ros_bridge.base.middleware import prepare_controller
from ros_bridge.base.ros_thread import END_SIGNALS, hear_signals, spin
from ros_bridge.controllers import NAMESPACE
from ros_bridge.topics.names import CLOCK, RESTARTS, on_graph

SIM_TIME = [Parameter("use_sim_time", value=True)]
"""Parameters of a controller's node: its clock is /clock."""
READINGS_ALONE = [Parameter("use_sim_time", value=False)]
"""The same of one that asks no clock and has no timers: it need not hear /clock at each step, also where the
simulation has started it."""

END_LIMIT = 4.0
"""Seconds of wall time for the middleware to take itself down; the process ends then in any case."""

Decide = Callable[[dict[str, Any]], Mapping[str, float] | JointState]


class RobotClient:
    """Calls `decide` with each complete set of readings and sends what it returns.

    Args:
        node: the controller's node; whether it uses simulated time is its own affair.
        sensors: topic below the robot's namespace → message type; each message has a header.
        decide: gets the set of readings by topic, returns motor velocities in rad/s by motor name, or a whole
            JointState, whose header is filled in here.
        robot: the robot's name below the simulation's namespace; empty where the node itself is in the
            robot's namespace.
        restart: called when the simulation begins anew, to forget what was before.
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
        self._now: Any = None  # on /clock, while the first time is answered
        self._answer_sent = JointState()
        self._own_answer = JointState()  # always the same one: to make one takes 20 µs
        self._greets = False
        self._clock = clock_of(node)
        self._clock.tell_restarts(self._went_back)  # first: whom the simulation knows hears of them
        self._answers = node.create_publisher(JointState, f"{prefix}joint_command", 10)
        for topic, message_type in sensors.items():
            node.create_subscription(message_type, prefix + topic, self._receiver(topic), 10)
        self._start_again()

    def _went_back(self, message: Clock) -> None:
        """It is this time again; nothing is to do where the readings have told it, or no answer has been."""
        if self._answered is not None and _is_before(message.clock, self._answered):
            self._start_again()

    def _start_again(self) -> None:
        """The simulation has started, or was reset: greet it at the next time on /clock."""
        self._readings.clear()
        self._answered = self._now = None
        self._restart()
        self._greets = True
        self._clock.listen(self._greet)

    def _greet(self, message: Clock) -> None:
        """Answer the first time seen, again as often as it comes: until then the simulation may not know us.

        Later times are for the readings: an answer without them would be taken for our command.
        """
        if not self._greets:  # readings have come, this message was still on its way
            return
        self._now = message.clock
        if self._answered is None or _is_before(message.clock, self._answered):
            self._answered = message.clock
        if message.clock == self._answered:
            self._send(message.clock, {})
        else:
            self._look()

    def _receiver(self, topic: str) -> Callable[[Any], None]:
        def receive(message: Any) -> None:
            self._readings[topic] = message
            self._look()

        return receive

    def _look(self) -> None:
        """Answer the readings if they are complete, and if, at the start, they are of this run's time."""
        if not self._readings or len(self._readings) < len(self._sensors):
            return
        stamp, *others = (reading.header.stamp for reading in self._readings.values())
        if all(other == stamp for other in others) and not (self._greets and self._is_ahead(stamp)):
            self._answer(stamp)

    def _is_ahead(self, stamp: Any) -> bool:
        """Whether a time is later than /clock, as far as that is known."""
        return self._now is None or _is_before(self._now, stamp)

    def _answer(self, stamp: Any) -> None:
        """Answer a set of readings; one that the simulation sends again gets the same answer again."""
        if stamp == self._answered:
            self._answers.publish(self._answer_sent)
            return
        if self._greets:
            self._greets = False
            self._clock.leave(self._greet)
        elif _is_before(stamp, self._answered):
            self._start_again()
            return
        self._answered = stamp
        try:
            self._send(stamp, self._decide(self._readings))
        except RuntimeError:  # rclpy's errors: a signal ends ROS in another thread
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
    """Spin a controller's node until Ctrl-C, SIGTERM or the end of ROS, however often the signals come.

    A signal never becomes an exception: it would strike anywhere, be swallowed where Python calls back from
    C++ or deletes an object, or meet ROS's own handlers while they are taken down.
    """
    signals = hear_signals()
    prepare_controller()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node: Node | None = None
    try:
        node = make_node()
        spin(node, signals)
    except ExternalShutdownException:
        pass
    finally:
        with bounded(END_LIMIT):
            if node is not None:
                node.destroy_node()
            rclpy.try_shutdown()
        for number in END_SIGNALS:  # at its end Python would give them back the power to kill
            signal.signal(number, signal.SIG_IGN)
    return 0


def _is_before(time: Any, other: Any) -> bool:
    """Whether a time, as messages have it, is earlier than another."""
    return (time.sec, time.nanosec) < (other.sec, other.nanosec)


Hear = Callable[[Clock], None]


class SharedClock:
    """Subscribes to /clock while somebody listens: a subscription for each of many robots costs time."""

    def __init__(self, node: Node) -> None:
        self._node = proxy(node)  # which owns us
        self._listeners: list[Hear] = []
        self._subscription = None
        self._told: list[Hear] = []
        node.create_subscription(Clock, on_graph(node, RESTARTS), self._restart, 10)

    def tell_restarts(self, told: Hear) -> None:
        """`told` gets the time that it is again, each time that time has gone back to the start."""
        self._told.append(told)

    def _restart(self, message: Clock) -> None:
        for told in self._told:
            told(message)

    def listen(self, hear: Hear) -> None:
        """`hear` gets each message from now on."""
        if hear not in self._listeners:
            self._listeners.append(hear)
        if self._subscription is None:
            self._subscription = self._node.create_subscription(
                Clock, CLOCK, self._receive, qos_profile_sensor_data
            )

    def leave(self, hear: Hear) -> None:
        """`hear` gets no more messages."""
        if hear in self._listeners:
            self._listeners.remove(hear)
        if not self._listeners and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def _receive(self, message: Clock) -> None:
        for hear in list(self._listeners):
            hear(message)


_clocks: WeakKeyDictionary[Node, SharedClock] = WeakKeyDictionary()


def clock_of(node: Node) -> SharedClock:
    """The one of a node."""
    if node not in _clocks:
        _clocks[node] = SharedClock(node)
    return _clocks[node]
