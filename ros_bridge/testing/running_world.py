"""A world that a test runs: stepped by the test, driven by its controllers."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from ros_bridge.base.middleware import largest_message
from ros_bridge.base.ros_domain import take_domain
from ros_bridge.base.shutdown import shut_down
from ros_bridge.node.node_parameters import make_node
from ros_bridge.node.run import SWITCH_INTERVAL, start_of
from ros_bridge.node.sim_node import SimNode
from ros_bridge.parameters.options import RunOptions
from ros_bridge.testing.interventions import InterventionLog
from ros_bridge.testing.message_listener import MessageListener
from sim_core.base.clock import to_nanoseconds
from sim_core.base.geometry import Pose
from sim_core.experiments.explain.run_watch import names_of_solids
from sim_core.session.robot import Robot
from sim_core.session.session import Note
from sim_core.session.simulation import Simulation


class RunningWorld:
    """A world with its controllers; time passes only within `run_for` and `run_until`.

    Between two calls everything of `sim` may be read and changed: devices, `sim.supervisor`, fields.

    Attributes:
        sim: the simulation.
        interventions: who changed the world in another way than by commanding devices.
    """

    def __init__(
        self,
        options: RunOptions,
        *,
        referees: Sequence[str] = (),
        wall_limit: float = 120.0,
    ) -> None:
        """Load the world and start its controllers.

        Args:
            options: of the run; its `mode` and `duration` have no effect.
            referees: robots whose controllers may change the world as supervisors.
            wall_limit: seconds of wall time that the whole run may take.

        Raises:
            OdesimError: the world or an option is wrong.
        """
        self._stack = ExitStack()
        self._limit, self._end = wall_limit, time.monotonic() + wall_limit
        self._touched: dict[str, set[str]] = {}
        self._listener: MessageListener | None = None
        with ExitStack() as stack:
            environment = stack.enter_context(pytest.MonkeyPatch.context())
            environment.setenv("ROS_DOMAIN_ID", str(take_domain()))
            environment.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")  # tests do not meet
            begin, scene = start_of(options)
            node = make_node(options.ros_args, largest_message(scene))
            stack.callback(shut_down, node)
            stack.callback(sys.setswitchinterval, sys.getswitchinterval())
            sys.setswitchinterval(SWITCH_INTERVAL)
            self._node = SimNode(node, begin, options)
            stack.callback(self._node.close)
            self.sim: Simulation = self._node.sim
            self._node.begin()
            self.interventions = InterventionLog(self._node.session, referees)
            self._stack = stack.pop_all()
        self._names = names_of_solids(self.sim)
        self.sim.physics.record_contacts = True
        self.sim.watchers.append(self._note_contacts)

    @property
    def time(self) -> float:
        """Sim time in seconds."""
        return self.sim.time

    def robot(self, name: str) -> Robot:
        """Return a robot by its name; its devices are `robot["NAME"]`.

        Raises:
            DeviceError: there is none; the message names the closest.
        """
        return self.sim.robot(name)

    def pose(self, node: str) -> Pose:
        """Return the pose in the world of a solid, by its DEF name, or of a robot by its name.

        Raises:
            SceneError: there is none; the message names the closest.
        """
        return self.sim.supervisor.pose(node)

    def reading(self, robot: str, device: str) -> Any:
        """Return what a sensor measures now, whether or not its controller has enabled it.

        Raises:
            DeviceError: there is no such robot or device.
        """
        sensor = self.sim.robot(robot)[device]
        self.sim.sample([sensor])
        return sensor.reading

    def touched(self, name: str) -> set[str]:
        """Return the names of the solids that a robot or a solid has touched since the start.

        Args:
            name: of a robot, or the name (or else the DEF name) of another outermost solid.

        Raises:
            ValueError: there is no such solid.
        """
        if name not in self._names.values():
            known = ", ".join(sorted(set(self._names.values())))
            raise ValueError(f'found no solid "{name}", expected one of {known}')
        return set(self._touched.get(name, ()))

    def messages(self, topic: str, message_type: Any) -> list[Any]:
        """Subscribe to a topic of any node.

        Returns:
            The list to which messages are appended while the world runs, from the time on at which their
            publisher has discovered the subscription.
        """
        if self._listener is None:
            self._listener = self._stack.enter_context(MessageListener())
        return self._listener.subscribe(topic, message_type)

    def run_for(self, seconds: float) -> None:
        """Let sim time pass.

        Raises:
            AssertionError: a controller failed, somebody intervened, the run ended, or took too long.
        """
        __tracebackhide__ = True
        end_ns = self.sim.time_ns + to_nanoseconds(seconds)
        self._spin(lambda: self.sim.time_ns >= end_ns, f"{seconds:g} s had passed")

    def run_until(self, condition: Callable[[], object], within: float, what: str = "the condition") -> float:
        """Let sim time pass until a condition holds, which is evaluated before each step.

        Args:
            condition: a function without arguments.
            within: seconds of sim time in which it must hold.
            what: the condition in words, for the message.

        Returns:
            The sim time in seconds.

        Raises:
            AssertionError: it did not hold in time; or as `run_for`.
        """
        __tracebackhide__ = True
        end_ns = self.sim.time_ns + to_nanoseconds(within)

        def until() -> bool:
            __tracebackhide__ = True
            if condition():
                return True
            assert self.sim.time_ns < end_ns, f"not within {within:g} s of sim time: {what}"
            return False

        self._spin(until, what)
        return self.sim.time

    def note_failure(self, text: str) -> None:
        """Note in the recording of the run why its test failed."""
        self._node.notes.note(Note.FAILED, text)

    def close(self) -> None:
        """End the controllers and the simulation; may be called twice."""
        self._stack.close()

    def _spin(self, until: Callable[[], bool], what: str) -> None:
        __tracebackhide__ = True
        outcome: bool | Exception = False

        def is_over() -> bool:
            nonlocal outcome
            try:
                self.check()
                outcome = until()
            except Exception as error:  # raised below, where the frames of the loop are not in its trace
                outcome = error
            return outcome is not False

        self._node.spin(is_over)
        if isinstance(outcome, Exception):
            raise outcome
        self.check()
        assert outcome, f"the run ended at {self.sim.time:g} s of sim time, before {what}"

    def check(self) -> None:
        """Raise an error if something went wrong that no test may accept.

        Raises:
            AssertionError: a controller failed, somebody intervened, or the run takes too long.
        """
        __tracebackhide__ = True
        failed = self._node.controllers.failed
        assert not failed, f"controller failed: {failed[0]}"
        found = self.interventions.found
        assert not found, f"intervention: {found[0]}, expected commands of devices alone"
        if time.monotonic() >= self._end:
            session = self._node.session
            session.note_waiting()
            waited_for = ", ".join(session.waited_for)
            late = f"; waiting for the controller of {waited_for}" if waited_for else ""
            raise AssertionError(f"the run took longer than {self._limit:g} s of wall time{late}")

    def _note_contacts(self, time_ns: int) -> None:
        for contact in self.sim.physics.contacts:
            first, second = self._names.get(contact.first, ""), self._names.get(contact.second, "")
            if first != second:
                self._touched.setdefault(first, set()).add(second)
                self._touched.setdefault(second, set()).add(first)
