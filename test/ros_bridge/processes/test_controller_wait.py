"""Messages about late answers in lock-step."""

from types import SimpleNamespace
from typing import Any

import pytest

from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.processes.controller_wait import CURE, ControllerWait
from sim_core.session.lockstep import LockStep

STEP_NS = 32_000_000
LIMIT = 5.0


@pytest.mark.parametrize(
    ("topics", "named"),
    [
        ({}, ["r0, r1, r2 and 2 more on /swarm/joint_command"]),
        (
            {"r1": "/r1/joint_command"},
            ["r0, r2, r3 and 1 more on /swarm/joint_command", "r1 on /r1/joint_command"],
        ),
    ],
    ids=["one fleet", "one beside it"],
)
def test_the_robots_of_a_fleet_are_named_in_one_line_and_once(
    topics: dict[str, str], named: list[str]
) -> None:
    lockstep = LockStep()
    for k in range(5):
        lockstep.add_robot(f"r{k}", STEP_NS)
    session: Any = SimpleNamespace(lockstep=lockstep, waited_for=[])
    api: Any = SimpleNamespace(computing=[], last_message=0.0)
    session_topics: Any = SimpleNamespace(
        answer_topics=lambda robot: [topics.get(robot, "/swarm/joint_command")],
        publishers=SimpleNamespace(repeat=None),
    )
    lines: list[str] = []
    params = BridgeParams(lockstep_timeout=LIMIT)
    graph: Any = None
    wait = ControllerWait(session, api, session_topics, params, lines.append, graph, lambda _: None)
    for now in (0.0, LIMIT, LIMIT + 1.0):
        assert not wait.continues(0, now)
    assert lines == [
        f"lock-step: no answer from {each} to time 0 s for 5 s; still waiting; {CURE}" for each in named
    ]
