"""The services of the standard, called over DDS; needs the package simulation_interfaces."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("simulation_interfaces")

from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import SimulationState
from simulation_interfaces.msg import SpawnEntity as SpawnRequest
from simulation_interfaces.srv import (
    GetCurrentWorld,
    GetEntities,
    GetEntityState,
    GetSimulationState,
    GetSimulatorFeatures,
    LoadWorld,
    ResetSimulation,
    SetEntityState,
    SetSimulationState,
    SpawnEntities,
    SpawnEntity,
    StepSimulation,
    UnloadWorld,
)

from ros_bridge.cli.__main__ import main

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DEF BALL Solid { translation 0 0 5 boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 2 } }
Robot { name "my robot" translation 1 2 3 children GPS { name "gps" } }
"""
OK = 1


@pytest.fixture
def world(tmp_path: Path) -> Path:
    file = tmp_path / "w.wbt"
    file.write_text(WORLD, encoding="utf-8")
    return file


def ask(client: Any, kind: Any, **fields: Any) -> Any:
    name = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind.__name__).lstrip("_")
    return client.call(name, kind.Request(**fields), kind)


def state(client: Any) -> int:
    return int(ask(client, GetSimulationState).state.state)


def test_a_world_is_run_by_the_standard(simulate: Callable[..., Any], client: Any, world: Path) -> None:
    simulation = simulate(world, mode="paused")
    features = ask(client, GetSimulatorFeatures).features
    assert {0, 10, 33, 40, 50} <= set(features.features) and "urdf" in features.spawn_formats
    assert state(client) == SimulationState.STATE_STOPPED
    assert ask(client, GetEntities).entities == ["BALL", "my robot"]

    stepped = ask(client, StepSimulation, steps=50)
    assert stepped.result.result == OK, stepped.result.error_message
    ball = ask(client, GetEntityState, entity="BALL").state
    assert (ball.header.stamp.sec, ball.header.stamp.nanosec) == (0, 400_000_000)
    # Semi-implicit Euler: after n steps of h the speed is -g n h, the way -g h² n (n + 1) / 2.
    assert ball.twist.linear.z == pytest.approx(-9.81 * 0.4)
    assert ball.pose.position.z == pytest.approx(5.0 - 9.81 * 0.008**2 * 50 * 51 / 2)
    assert state(client) == SimulationState.STATE_PAUSED

    request = SetEntityState.Request(entity="BALL", set_pose=True, set_twist=True)
    request.state.pose.position.x, request.state.twist.linear.x = 7.0, 2.0
    assert client.call("set_entity_state", request, SetEntityState).result.result == OK
    ask(client, StepSimulation, steps=1)
    ball = ask(client, GetEntityState, entity="BALL").state
    assert ball.pose.position.x == pytest.approx(7.0 + 2.0 * 0.008)

    text = 'Robot { name "rover" children GPS { name "gps" } }'
    spawn = SpawnEntity.Request(entity_namespace="fleet", allow_renaming=True)
    spawn.entity_resource.resource_string = text
    spawn.initial_pose.pose.position.x = 9.0
    spawned = client.call("spawn_entity", spawn, SpawnEntity)
    assert spawned.result.result == OK and spawned.entity_name.startswith("fleet/rover")
    client.until(lambda: client.node.count_publishers("/fleet/rover/gps"), "a topic in the namespace")
    first, second = SpawnRequest(name="a"), SpawnRequest(name="b")
    first.entity_resource.resource_string = text
    second.entity_resource.resource_string = "Solid {"
    several = ask(client, SpawnEntities, spawn_requests=[first, second])
    assert several.result.result == 150 and [each.result.result for each in several.results] == [OK, 106]

    assert ask(client, SetSimulationState, state=SimulationState(state=1)).result.result == OK
    assert state(client) == SimulationState.STATE_PLAYING
    assert ask(client, StepSimulation, steps=1).result.result == 4
    assert ask(client, SetSimulationState, state=SimulationState(state=0)).result.result == OK
    assert state(client) == SimulationState.STATE_STOPPED
    assert ask(client, GetEntities).entities == ["BALL", "my robot"]
    assert ask(client, ResetSimulation).result.result == OK

    assert ask(client, UnloadWorld).result.result == OK
    assert state(client) == SimulationState.STATE_NO_WORLD
    assert ask(client, GetCurrentWorld).result.result == 101
    assert ask(client, GetEntities).result.result == 3
    load = LoadWorld.Request()
    load.world_resource.resource_string = WORLD.replace("BALL", "EGG")
    loaded = client.call("load_world", load, LoadWorld)
    assert loaded.result.result == OK and "EGG" in loaded.world.world_resource.resource_string
    assert ask(client, GetEntities).entities == ["EGG", "my robot"]
    assert client.call("spawn_entity", spawn, SpawnEntity).result.result == OK
    seed = Parameter(name="seed", value=ParameterValue(type=2, integer_value=7))
    client.call("set_parameters", SetParameters.Request(parameters=[seed]), SetParameters)
    assert ask(client, ResetSimulation).result.result == OK  # the simulation is made anew for it
    assert ask(client, GetEntities).entities == ["EGG", "my robot"]
    quitting = ask(client, SetSimulationState, state=SimulationState(state=3))
    assert quitting.result.result == OK
    assert simulation.wait() == 0


def test_steps_are_told_and_can_be_cancelled(simulate: Callable[..., Any], client: Any, world: Path) -> None:
    simulation = simulate(world, mode="paused")
    action = ActionClient(client.node, SimulateSteps, "/odesim/simulate_steps")
    client.until(action.server_is_ready, "the action")
    told: list[tuple[int, int]] = []

    def send(steps: int) -> Any:
        goal = action.send_goal_async(
            SimulateSteps.Goal(steps=steps),
            feedback_callback=lambda message: told.append(
                (message.feedback.completed_steps, message.feedback.remaining_steps)
            ),
        )
        return client.until(lambda: goal.done() and goal, "the goal").result()

    goal = send(5)
    result = goal.get_result_async()
    client.until(result.done, "the result")
    assert result.result().result.result.result == OK
    client.until(lambda: len(told) == 5, "the feedback")
    assert told == [(1, 4), (2, 3), (3, 2), (4, 1), (5, 0)]
    ball = ask(client, GetEntityState, entity="BALL").state
    assert ball.header.stamp.nanosec == 5 * 8_000_000

    goal = send(10**15)
    client.until(lambda: len(told) > 10, "steps on the way")
    cancelled = goal.cancel_goal_async()
    client.until(cancelled.done, "the cancellation")
    result = goal.get_result_async()
    client.until(result.done, "the result")
    assert "cancelled after" in result.result().result.result.error_message
    stamps = [ask(client, GetEntityState, entity="my robot").state.header.stamp for _ in range(2)]
    assert stamps[0] == stamps[1]

    goal = send(10**15)
    assert ask(client, StepSimulation, steps=1).result.result == 4
    client.call("reset")
    result = goal.get_result_async()
    client.until(result.done, "the result")
    assert "reset meanwhile" in result.result().result.result.error_message
    action.destroy()
    client.call("quit")
    assert simulation.wait() == 0


def test_a_recording_of_changes_by_the_standard_is_repeated(
    simulate: Callable[..., Any], client: Any, world: Path, tmp_path: Path
) -> None:
    bag = tmp_path / "bag"
    simulation = simulate(world, mode="paused", record=str(bag))
    spawn = SpawnEntity.Request(name="box", entity_namespace="fleet")
    spawn.entity_resource.resource_string = (
        'Robot { children GPS { name "gps" } boundingObject Box { size 1 1 1 } physics Physics { } }'
    )
    spawn.initial_pose.pose.position.z = 3.0
    put = SetEntityState.Request(entity="fleet/box", set_twist=True)
    put.state.twist.angular.y, put.state.twist.linear.x = 1.3, 0.7
    assert ask(client, StepSimulation, steps=10).result.result == OK
    assert client.call("spawn_entity", spawn, SpawnEntity).result.result == OK
    for _ in range(3):
        assert ask(client, StepSimulation, steps=20).result.result == OK
        assert client.call("set_entity_state", put, SetEntityState).result.result == OK
    for scope in (2, 1, 3, 0):
        assert ask(client, StepSimulation, steps=20).result.result == OK
        assert ask(client, ResetSimulation, scope=scope).result.result == OK
    assert ask(client, StepSimulation, steps=20).result.result == OK
    client.call("quit")
    assert simulation.wait() == 0
    assert main(["replay", str(bag)]) == 0
