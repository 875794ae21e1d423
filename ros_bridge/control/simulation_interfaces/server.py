"""The services and the action, on a node of their own with their own threads.

A request may take long (loading a world, making a thousand steps) and must not keep the simulation's node
from receiving the commands that these steps wait for. Everything that accesses the simulation is put into its
inbox and executed between two steps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node as RosNode

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces.entities import Entities
from ros_bridge.control.simulation_interfaces.entity_services import EntityServices, NamedPoses
from ros_bridge.control.simulation_interfaces.features import fill_features
from ros_bridge.control.simulation_interfaces.messages import PACKAGE, answer
from ros_bridge.control.simulation_interfaces.resetting import reset_simulation
from ros_bridge.control.simulation_interfaces.running import Running
from ros_bridge.control.simulation_interfaces.spawning import Spawning
from ros_bridge.control.simulation_interfaces.stepping import Steps
from ros_bridge.control.simulation_interfaces.worlds import WorldServices
from sim_core.base.errors import Code, CommandError
from sim_core.base.inbox import Inbox, awaited
from sim_core.base.outcome import DONE, Refused, outcome_of

THREADS = 6
"""One waits for steps, one for their cancellation, the others serve queries."""
LIMIT = 600.0
"""Longest duration of a request, s of wall time, including the loading of a world."""
END_LIMIT = 1.0

ACTION = "SimulateSteps"
STEP = "StepSimulation"

Answer = Callable[[Any, Any], None]
Act = Callable[["Services"], Answer]


class Services:
    """The implementations of the services, without ROS."""

    def __init__(self, runner: Runner, messages: Any) -> None:
        """`messages` is the module `simulation_interfaces.msg`, or has its classes."""
        self.entities = Entities(runner)
        self.worlds = WorldServices(runner, messages)
        self.running = Running(runner, self.worlds)
        self.worlds.loaded = self._stand_at_start
        self.of_entities = EntityServices(runner, self.entities, messages)
        self.spawning = Spawning(runner, self.entities, messages)
        self.poses = NamedPoses(self.entities, messages)
        self.runner = runner

    OF_WORLD: ClassVar[dict[str, Act]] = {
        "GetEntities": lambda of: of.of_entities.get_entities,
        "GetEntitiesStates": lambda of: of.of_entities.get_entities_states,
        "GetEntityInfo": lambda of: of.of_entities.get_entity_info,
        "SetEntityInfo": lambda of: of.of_entities.set_entity_info,
        "GetEntityBounds": lambda of: of.of_entities.get_entity_bounds,
        "GetEntityState": lambda of: of.of_entities.get_entity_state,
        "SetEntityState": lambda of: of.of_entities.set_entity_state,
        "DeleteEntity": lambda of: of.of_entities.delete_entity,
        "SpawnEntity": lambda of: of.spawning.spawn_entity,
        "SpawnEntities": lambda of: of.spawning.spawn_entities,
        "GetNamedPoses": lambda of: of.poses.get_named_poses,
        "GetNamedPoseBounds": lambda of: of.poses.get_named_pose_bounds,
        "ResetSimulation": lambda of: partial(reset_simulation, of.runner, of.entities),
    }
    """Services that need a world."""
    AT_ONCE: ClassVar[dict[str, Act]] = {
        "GetSimulatorFeatures": lambda _: lambda _, response: fill_features(response.features),
        "GetSimulationState": lambda of: of.running.get_simulation_state,
        "GetSpawnables": lambda of: of.spawning.get_spawnables,
        "GetAvailableWorlds": lambda of: of.worlds.get_available_worlds,
    }
    """Services that need not wait for the end of a step or for a world to be loaded."""
    ALL: ClassVar[dict[str, Act]] = (
        OF_WORLD
        | AT_ONCE
        | {
            "SetSimulationState": lambda of: of.running.set_simulation_state,
            "LoadWorld": lambda of: of.worlds.load_world,
            "UnloadWorld": lambda of: of.worlds.unload_world,
            "GetCurrentWorld": lambda of: of.worlds.get_current_world,
        }
    )
    """All services with their implementations."""

    def _stand_at_start(self) -> None:
        self.running.is_stopped = True

    def carry_out(self, name: str, request: Any, response: Any) -> None:
        """Answer a service between two steps (those of `AT_ONCE`: any time); refusals are answers too."""
        act = self.ALL[name](self)
        if hasattr(response, "result"):
            answer(response.result, Code.OK)
        outcome = outcome_of(self.worlds.require_world) if name in self.OF_WORLD else DONE
        if not isinstance(outcome, Refused):
            outcome = outcome_of(act, request, response)
        if isinstance(outcome, Refused):
            answer(response.result, outcome.code, outcome.text)


def service_types() -> dict[str, Any]:
    """Return the classes of the services in the installed version."""
    import simulation_interfaces.srv

    kinds = {name: getattr(simulation_interfaces.srv, name, None) for name in (*Services.ALL, STEP)}
    return {name: kind for name, kind in kinds.items() if kind is not None}


class InterfacesServer:
    """The node of the services."""

    def __init__(self, node: Any, inbox: Inbox, runner: Runner) -> None:
        """Create the server; its services are below the name of `node`."""
        import simulation_interfaces.action
        import simulation_interfaces.msg

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
            name: partial(self._serve, name) for name in Services.ALL
        }
        offered[STEP] = self._step
        for name, kind in service_types().items():
            self._node.create_service(kind, snake_case(name), offered[name], callback_group=group)
        self._server = ActionServer(
            self._node,
            self._action,
            snake_case(ACTION),
            self._simulate_steps,
            callback_group=group,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        self._executor = MultiThreadedExecutor(THREADS, context=node.context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, name=PACKAGE, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop it; pending requests are refused."""
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
        if name in Services.AT_ONCE:
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

        def report_progress(completed: int, remaining: int) -> None:
            feedback = self._action.Feedback()
            feedback.completed_steps, feedback.remaining_steps = completed, remaining
            goal.publish_feedback(feedback)

        steps = self._make_steps(
            int(goal.request.steps), result.result, lambda: bool(goal.is_cancel_requested), report_progress
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
        report_progress: Callable[[int, int], Any] | None = None,
    ) -> Steps:
        steps = Steps(self._runner, self._inbox, count, report_progress)

        def start_steps() -> None:
            self._services.worlds.require_world()
            steps.start_steps()

        outcome = awaited(self._inbox.post(start_steps), LIMIT)
        if isinstance(outcome, Refused):
            steps.refuse(CommandError(outcome.text, outcome.code))
        steps.wait(is_cancelled, lambda: self._is_closed)
        if steps.refusal is not None:
            answer(result, steps.refusal.code, str(steps.refusal))
        else:
            answer(result, Code.OK)
        return steps


def snake_case(name: str) -> str:
    """Convert a name: `get_entities` for GetEntities."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
