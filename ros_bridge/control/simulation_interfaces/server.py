"""The services and the action, on a node of their own with threads of their own.

A request may take long (a world is loaded, a thousand steps are made) and must not keep the node of the
simulation from hearing the commands that these steps wait for. Everything that touches the simulation is put
into its inbox and carried out between two steps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node as RosNode

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces import PACKAGE
from ros_bridge.control.simulation_interfaces.entities import Entities
from ros_bridge.control.simulation_interfaces.entity_services import EntityServices, NamedPoses
from ros_bridge.control.simulation_interfaces.features import fill_features
from ros_bridge.control.simulation_interfaces.messages import answer
from ros_bridge.control.simulation_interfaces.resetting import reset_simulation
from ros_bridge.control.simulation_interfaces.running import Running
from ros_bridge.control.simulation_interfaces.spawning import Spawning
from ros_bridge.control.simulation_interfaces.stepping import Steps
from ros_bridge.control.simulation_interfaces.worlds import Worlds
from sim_core.base.errors import Code, CommandError
from sim_core.base.inbox import Inbox, awaited
from sim_core.base.outcome import DONE, Refused, outcome_of

THREADS = 6
"""One waits for steps, one for its cancellation, and some are left for questions."""
LIMIT = 600.0
"""Seconds of wall time in which a request is carried out; loading a world may take some of them."""
END_LIMIT = 1.0

Answer = Callable[[Any, Any], None]


class Services:
    """What answers each service, without ROS."""

    def __init__(self, runner: Runner, messages: Any) -> None:
        """`messages` is the module `simulation_interfaces.msg`, or has its classes."""
        self.entities = Entities(runner)
        self.worlds = Worlds(runner, messages)
        self.running = Running(runner, self.worlds)
        self.worlds.loaded = self._stand_at_start
        of_entities = EntityServices(runner, self.entities, messages)
        spawning = Spawning(runner, self.entities, messages)
        poses = NamedPoses(self.entities, messages)
        worlds, running = self.worlds, self.running
        self.of_world: dict[str, Answer] = {
            "GetEntities": of_entities.get_entities,
            "GetEntitiesStates": of_entities.get_entities_states,
            "GetEntityInfo": of_entities.get_entity_info,
            "SetEntityInfo": of_entities.set_entity_info,
            "GetEntityBounds": of_entities.get_entity_bounds,
            "GetEntityState": of_entities.get_entity_state,
            "SetEntityState": of_entities.set_entity_state,
            "DeleteEntity": of_entities.delete_entity,
            "SpawnEntity": spawning.spawn_entity,
            "SpawnEntities": spawning.spawn_entities,
            "GetNamedPoses": poses.get_named_poses,
            "GetNamedPoseBounds": poses.get_named_pose_bounds,
            "ResetSimulation": partial(reset_simulation, runner, self.entities),
        }
        """Those that need a world."""
        self.of_simulator: dict[str, Answer] = {
            "SetSimulationState": running.set_simulation_state,
            "LoadWorld": worlds.load_world,
            "UnloadWorld": worlds.unload_world,
            "GetCurrentWorld": worlds.get_current_world,
        }
        self.at_once: dict[str, Answer] = {
            "GetSimulatorFeatures": lambda _, response: fill_features(response.features),
            "GetSimulationState": running.get_simulation_state,
            "GetSpawnables": spawning.get_spawnables,
            "GetAvailableWorlds": worlds.get_available_worlds,
        }
        """Those that need not wait until a step ends, or a world is loaded."""

    def _stand_at_start(self) -> None:
        self.running.is_stopped = True

    def carry_out(self, name: str, request: Any, response: Any) -> None:
        """Answer a service, between two steps (those of `at_once`: any time); refusals are answers."""
        act = self.of_world.get(name) or self.of_simulator.get(name) or self.at_once[name]
        if hasattr(response, "result"):
            answer(response.result, Code.OK)
        outcome = outcome_of(self.worlds.must_have_world) if name in self.of_world else DONE
        if not isinstance(outcome, Refused):
            outcome = outcome_of(act, request, response)
        if isinstance(outcome, Refused):
            answer(response.result, outcome.code, outcome.text)

    def names(self) -> list[str]:
        """All of them."""
        return [*self.of_world, *self.of_simulator, *self.at_once]


class Server:
    """The node of the services."""

    def __init__(self, node: Any, inbox: Inbox, runner: Runner) -> None:
        """Its services stand below the name of `node`."""
        import simulation_interfaces.action
        import simulation_interfaces.msg
        import simulation_interfaces.srv

        self._inbox, self._runner = inbox, runner
        self._services = Services(runner, simulation_interfaces.msg)
        self._is_closed = False
        self._action = simulation_interfaces.action.SimulateSteps
        self._node = RosNode(
            PACKAGE,
            namespace=node.get_fully_qualified_name(),
            context=node.context,
            use_global_arguments=False,
            start_parameter_services=False,
        )
        group = ReentrantCallbackGroup()
        offered: dict[str, Callable[[Any, Any], Any]] = {
            name: partial(self._serve, name) for name in self._services.names()
        }
        offered["StepSimulation"] = self._step
        for name, callback in offered.items():
            kind = getattr(simulation_interfaces.srv, name, None)
            if kind is not None:  # versions differ
                self._node.create_service(kind, snake_case(name), callback, callback_group=group)
        self._server = ActionServer(
            self._node,
            self._action,
            "simulate_steps",
            self._simulate_steps,
            callback_group=group,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        self._executor = MultiThreadedExecutor(THREADS, context=node.context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, name=PACKAGE, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it; what is still asked for is refused."""
        self._is_closed = True
        self._executor.shutdown(END_LIMIT)
        self._thread.join(END_LIMIT)
        self._server.destroy()
        self._node.destroy_node()

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            self._executor.spin()

    def _serve(self, name: str, request: Any, response: Any) -> Any:
        carry_out = partial(self._services.carry_out, name, request, response)
        if name in self._services.at_once:
            carry_out()
            return response
        outcome = awaited(self._inbox.post(carry_out), LIMIT)
        if isinstance(outcome, Refused):
            answer(response.result, outcome.code, outcome.text)
        return response

    def _step(self, request: Any, response: Any) -> Any:
        self._make_steps(int(request.steps), response.result, lambda: False)
        return response

    def _simulate_steps(self, goal: Any) -> Any:
        result = self._action.Result()

        def tell(completed: int, remaining: int) -> None:
            feedback = self._action.Feedback()
            feedback.completed_steps, feedback.remaining_steps = completed, remaining
            goal.publish_feedback(feedback)

        steps = self._make_steps(
            int(goal.request.steps), result.result, lambda: bool(goal.is_cancel_requested), tell
        )
        if steps.is_cancelled:
            goal.canceled()
        elif steps.refusal is not None:
            goal.abort()
        else:
            goal.succeed()
        return result

    def _make_steps(
        self,
        count: int,
        result: Any,
        is_cancelled: Callable[[], bool],
        tell: Callable[[int, int], Any] | None = None,
    ) -> Steps:
        steps = Steps(self._runner, self._inbox, count, tell)

        def begin() -> None:
            self._services.worlds.must_have_world()
            steps.begin()

        outcome = awaited(self._inbox.post(begin), LIMIT)
        if isinstance(outcome, Refused):
            steps.refuse(CommandError(outcome.text, outcome.code))
        steps.wait(is_cancelled, lambda: self._is_closed)
        if steps.refusal is not None:
            answer(result, steps.refusal.code, str(steps.refusal))
        else:
            answer(result, Code.OK)
        return steps


def snake_case(name: str) -> str:
    """`get_entities` for GetEntities."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
