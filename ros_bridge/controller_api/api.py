"""All controllers that use the module `controller`: who is connected, who is waited for.

Only controllers send requests. Between two of its steps a controller computes, and if its robot is
synchronized the simulation waits meanwhile: this is the lock-step of `lockstep.py` with the answer on a
socket instead of a topic. Commands of controllers are executed in phase 1 of the next step, robot by robot in
file order, so that the order of arrival does not matter.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ros_bridge.control.runner import Runner
from ros_bridge.controller_api.client import Client
from ros_bridge.controller_api.describe import describe, is_supervisor
from ros_bridge.controller_api.requests import Requests
from ros_bridge.controller_api.server import Connections, ControllerConnection, ControllerServer
from ros_bridge.controller_api.user_input import input_in_file
from sim_core.base.alarm import NEVER, Alarm
from sim_core.base.errors import CommandError, OdesimError, in_one_line
from sim_core.base.outcome import Done, outcome_of
from sim_core.scene.wbt.header import X3D
from sim_core.session.controller_commands import Begin, End
from sim_core.session.robot import Robot
from sim_core.session.session import Follower
from webots_api.controller.connection import PROTOCOL
from webots_api.controller.user_input import KIND_OF_EVENT, NO_EVENT, NO_INPUT, events_of, first_event

LAST_WORDS = 0.5
"""Seconds of wall time that computing controllers have at the end of the run."""


Ended = Callable[[int], object]


class ControllerApi(Follower):
    """The clients of one simulation.

    Attributes:
        acts: set while something has to be executed before the next step.
        observes: sim time at which the next step of a controller ends.
        computing: robots that are waited for.
        may_speak: whether a controller computes: check for messages before each step.
        last_message: time of the last message of a controller, in seconds of `time.monotonic`.
        input: present input of the user, by kind; see `NO_INPUT`.
        path: socket for controllers of this user.
        address: address for others, `tcp://…`; empty: none.

    """

    def __init__(self, runner: Runner, port: int | None) -> None:
        self._runner, self._session, self._sim = runner, runner.session, runner.session.sim
        self._clients: dict[ControllerConnection, Client] = {}
        self._requests = Requests(runner)
        self.acts: Alarm = Alarm()
        self.observes: Alarm = Alarm()
        self.computing: list[str] = []
        self.may_speak = False
        self.last_message = 0.0
        self.input = dict(NO_INPUT)
        self._skipped: set[str] = set()
        self._held: list[tuple[ControllerConnection, Any]] = []
        self._is_ending = self._is_over = False
        self._edits = 0
        self._waits: dict[ControllerConnection, tuple[threading.Timer, int, Ended]] = {}
        self.connections = Connections(self._session.inbox, self._remove_client, runner.warn)
        self._server = ControllerServer(self.connections, self.received, port)
        self.path, self.address = self._server.path, self._server.address

    def robots(self) -> list[str]:
        """Return the robots whose controllers are connected, once for each controller."""
        return [client.name for client in self._clients.values()]

    # ---- called by the session

    def before_step(self, now_ns: int) -> None:
        """Execute the commands of the controllers, in phase 1."""
        self.acts.set(NEVER)
        for _, client in self._in_order():
            client.carry_out()

    def before_restart(self) -> None:
        """Execute commands sent before the restart."""
        for _, client in self._in_order():
            client.carry_out()

    def after_step(self, now_ns: int) -> None:
        """Answer the controllers whose step has ended."""
        for connection, client in self._in_order():
            if client.is_stepping and client.until_ns <= now_ns:
                connection.send(client.answer(self.input))
        self._update_alarms()

    def stop_waiting_for(self, robots: list[str]) -> None:
        """Stop waiting for these robots until their controllers send another request."""
        self._skipped.update(robots)
        self._update_alarms()

    def finish(self, wait: Callable[[float], None]) -> None:
        """Answer queries of controllers that compute, until they request a step: the run has ended.

        Args:
            wait: executes messages as they arrive, for at most the given seconds.

        """
        self._is_ending = True
        for _, client in self._in_order():
            if client.is_stepping:
                self.end_controllers(client.name)
        end = time.monotonic() + LAST_WORDS
        while self._clients and (left := end - time.monotonic()) > 0.0:
            wait(left)

    def close(self) -> None:
        """Tell all controllers to end, those that connect or request something later too."""
        self._is_over = True
        self.end_controllers()
        self.connections.close()
        self._server.close()

    def end_controllers(self, robot: str | None = None) -> None:
        """Tell controllers (of one robot, or all) to end."""
        for connection, client in list(self._clients.items()):
            if robot in (None, client.name):
                connection.send({"end": True})  # also answers a request that may be on its way
                del self._clients[connection]
                self._end(client)
                connection.is_open = False
        self._update_alarms()

    def end_after_step(self, robot: str) -> bool:
        """Answer the present step of a robot's controller, and tell it to end at its next one.

        Returns:
            Whether the robot has such a controller.

        """
        mine = [client for client in self._clients.values() if client.name == robot]
        for client in mine:
            client.is_over = True
        return bool(mine)

    def time_is_zero(self, before_ns: int) -> None:
        """Notify the clients that time is 0 again."""
        for client in self._clients.values():
            client.time_is_zero(before_ns)
        self._update_alarms()

    def world_loaded(self, is_trusted: bool) -> None:
        """Tell all controllers to end: another world has been loaded."""
        self.end_controllers()

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        """Update after a change of the world, such as robots added or removed."""
        self._edits += 1
        if now == before:
            return
        present = self._sim.robots
        for client in list(self._clients.values()):
            if present.get(client.name) is not client.robot:
                self.end_controllers(client.name)

    def receive_from_window(self, robot: str, text: str) -> None:
        """Forward text from a robot's window to its controller."""
        for client in self._clients.values():
            if client.name == robot:
                client.window_texts.append(text)

    def set_input(self, kind: str, value: Any) -> None:
        """Set the present input of one kind, whose positions are in ENU."""
        value = input_in_file(kind, value, self._sim.scene.axes.world)
        before, self.input[kind] = self.input[kind], value
        events = events_of(kind, before, value)
        for connection, (_, awaited, _) in list(self._waits.items()):
            if events & awaited:
                self._end_wait(connection, first_event(events & awaited))

    # ---- services for connections

    def wait_for_input(
        self, connection: ControllerConnection, seconds: float, events: int, ended: Ended
    ) -> None:
        """Call `ended` with the first of some events, or with `NO_EVENT` after some seconds of wall time.

        Args:
            connection: of the waiting controller.
            seconds: longest time.
            events: that end the wait, as the sum of their numbers.
            ended: called once.
        """
        for event, kind in KIND_OF_EVENT.items():
            if event & events:
                self._runner.listen_to(kind)
        over = partial(self._session.inbox.put, partial(self._end_wait, connection, NO_EVENT))
        timer = threading.Timer(seconds, over)
        timer.daemon = True
        self._waits[connection] = (timer, events, ended)
        timer.start()

    def _end_wait(self, connection: ControllerConnection, event: int) -> None:
        wait = self._waits.pop(connection, None)
        if wait is not None:
            timer, _, ended = wait
            timer.cancel()
            ended(event)

    def warn(self, line: str) -> None:
        """Write a line to the log."""
        self._runner.warn(line)

    def edits(self) -> int:
        """Return the number of changes of the world other than motion."""
        return self._edits

    def all_robots(self) -> dict[str, str]:
        """Return all robots by name, with their controllers."""
        return {name: robot.controller for name, robot in self._sim.robots.items()}

    def free_robots(self) -> list[str]:
        """Return the robots without a connected controller."""
        taken = set(self.robots())
        return [name for name in self._sim.robots if name not in taken]

    def query(self, connection: ControllerConnection, name: str, *arguments: Any) -> Any:
        """Answer a controller's query at once; None: it was refused."""
        client = self._clients[connection]
        outcome = outcome_of(self._requests.carry_out, client, name, list(arguments))
        return outcome.answer if isinstance(outcome, Done) else None

    # ---- messages

    def received(self, connection: ControllerConnection, message: Any) -> None:
        """Answer a message of a controller, now or later."""
        client = self._clients.get(connection)
        self.last_message = time.monotonic()
        if self._is_over or not connection.is_open:
            connection.send({"end": True})
            return
        try:
            self._answer(connection, client, message)
        except Exception as error:  # an invalid message must not end the run
            found = f"a message that makes no sense here ({in_one_line(error)})"
            self._runner.warn(f"{client.name if client else self.path}: {found}")
            connection.send({"error": found})

    def _remove_client(self, connection: ControllerConnection) -> None:
        """Handle the end of a connection."""
        self._waits.pop(connection, None)
        self.last_message = time.monotonic()
        client = self._clients.pop(connection, None)
        if client is not None:
            self._end(client)
            self._update_alarms()

    def _answer(
        self, connection: ControllerConnection, client: Client | None, message: dict[str, Any]
    ) -> None:
        what = message["do"]
        if what == "hello":
            self._add_client(connection, message)
        elif client is None:
            connection.send({"error": 'expected "hello" first'})
        elif what == "step" and (self._is_ending or client.is_over):
            self.end_controllers(client.name)
        elif what == "step":
            self._skipped.discard(client.name)
            self.acts.set(0)
            client.begin_step(int(message["ms"]), message["commands"])
            is_over = client.until_ns <= self._sim.time_ns
            if is_over or not client.synchronized:
                client.carry_out()
            self._listen_for(client)
            if client.uses_window:
                self._runner.open_window(client.name)
            if is_over:
                connection.send(client.answer(self.input))
            self._update_alarms()
        elif what == "call" and self._must_wait(client, message["name"]):
            self._held.append((connection, message))
            if not client.is_held:
                client.is_held = True
                self.retry_held()  # a reset may have been waiting for this controller only
        elif what == "call":
            client.is_held = False
            client.store_commands(message["commands"])
            if self._requests.is_for_supervisors(message["name"]):
                client.carry_out(-1, "custom")  # the query may refer to it
            outcome = outcome_of(self._requests.carry_out, client, message["name"], message["with"])
            self._listen_for(client)
            if isinstance(outcome, Done):
                answer = {"result": outcome.answer, "time": self._sim.time, **client.select_input(self.input)}
                if new := client.new_devices():
                    answer["devices"] = new
                connection.send({**answer, "lines": client.take_lines()})
            else:
                connection.send({"error": outcome.text})
        else:
            connection.send({"error": f"found {what!r}"})

    def _listen_for(self, client: Client) -> None:
        """Listen to the kinds of input that a controller has enabled."""
        for kind in client.inputs:
            self._runner.listen_to(kind)

    def _add_client(self, connection: ControllerConnection, message: dict[str, Any]) -> None:
        sim, name = self._sim, message["robot"]
        try:
            if message["protocol"] != PROTOCOL:
                raise CommandError(f"found protocol {message['protocol']}, expected {PROTOCOL}")
            robot = sim.robot(name)
            if connection in self._clients:
                raise CommandError(f"this is the controller of {self._clients[connection].name} already")
            if name in self.robots() and sim.scene.header.version != X3D:
                raise CommandError(f'robot "{name}" has a controller already')
        except OdesimError as error:
            connection.send({"error": str(error)})
            return
        client = Client(self._session, robot, self._runner.folder(name))
        client.synchronized = robot.synchronized and message.get("synchronized", True) is True
        client.send_to_window = partial(self._runner.send_to_window, name)
        client.number_of = self._requests.number_of
        is_first = name not in self.robots()
        self._clients[connection] = client
        if is_first:
            client.submit(Begin(name))
        self._hand_over(name)
        connection.send({**describe(sim, robot, client.devices), "mode": self._runner.mode})
        self._update_alarms()

    # ---- helpers

    def _end(self, client: Client) -> None:
        """Release a client that was removed."""
        if not (self._is_over or client.name in self.robots()):
            client.submit(End(client.name))
        client.release()
        self._hand_over(client.name)

    def _hand_over(self, robot: str) -> None:
        """Let this API wait for a robot while all of its expected controllers are connected."""
        lockstep, connected = self._session.lockstep, self.robots().count(robot)
        lockstep.set_elsewhere(robot, connected >= lockstep.expected(robot))

    def _in_order(self) -> list[tuple[ControllerConnection, Client]]:
        """Return the clients in file order of their robots."""
        if len(self._clients) < 2:
            return list(self._clients.items())
        place = {name: number for number, name in enumerate(self._sim.robots)}
        return sorted(self._clients.items(), key=lambda item: place.get(item[1].name, len(place)))

    def _must_wait(self, client: Client, name: str) -> bool:
        """Return whether a supervisor's request must follow those of another, who computes or is expected.

        Synchronized supervisors act in file order, so that runs are repeatable. A reset is executed at the
        end of the step, after the commands of all others for that step.

        """
        if not client.synchronized or not self._requests.is_for_supervisors(name):
            return False
        if name == "reset":
            held = {each.name for each in self._clients.values() if each.is_held}
            return not {client.name, *held}.issuperset(self.computing)
        acting = {*self.computing, *self._session.lockstep.missing(self._sim.time_ns)}
        for other, robot in self._sim.robots.items():
            if other == client.name:
                return False
            if other in acting and is_supervisor(robot):
                return True
        return False

    def retry_held(self) -> None:
        """Handle held requests again, because a controller that was waited for may have gone."""
        held, self._held = self._held, []
        for connection, message in held:
            self._session.inbox.put(partial(self.received, connection, message))

    def _update_alarms(self) -> None:
        """Determine who computes, and when the next step ends."""
        end_ns, computing = NEVER, []
        self.may_speak = False
        for client in self._clients.values():
            if client.is_stepping:
                end_ns = min(end_ns, client.until_ns)
                continue
            self.may_speak = True
            if client.synchronized and client.name not in self._skipped:
                computing.append(client.name)
        self.observes.set(end_ns)
        self.computing = computing
        if self._held:
            self.retry_held()
