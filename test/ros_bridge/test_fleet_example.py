"""examples/fleet.py drives a fleet over ROS, in step: with robots as arrays the run is the same."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from geometry_msgs.msg import PoseArray
from processes import LIMIT, ReadProcess

ROOT = Path(__file__).resolve().parents[2]
COUNT, STEPS = 12, 25
"""Robots, and steps of 0.032 s that are run."""


def world_text() -> str:
    robots = "\n".join(
        f'SwarmRobot {{ name "r{k + 1}" translation {0.3 * (k % 4)} {0.3 * (k // 4)} 0 rotation 0 0 1 {k} }}'
        for k in range(COUNT)
    )
    return f"""#VRML_SIM R2025a utf8
EXTERNPROTO "{ROOT}/protos/robots/SwarmRobot.proto"
WorldInfo {{ basicTimeStep 32 }}
{robots}
"""


def places(instanced: bool, world: Path, simulate: Callable[..., Any], client: Any) -> dict[int, list[Any]]:
    """The poses of all robots by the step in which they are."""
    args = ["-p", "physics:=fast2d", "-p", "sampling_period:=0.032", "-p", "state_period:=0.032"]
    args += ["-p", f"instanced:={str(instanced).lower()}"]
    params = [ROOT / "examples" / "fleet.yaml"]
    sim = simulate(world, mode="fast", duration=STEPS * 0.032, params=list(map(str, params)), ros_args=args)
    heard = client.listen(PoseArray, "/swarm/ground_truth")
    controller = ReadProcess(sys.executable, str(ROOT / "examples" / "fleet.py"))
    try:
        client.until(lambda: len(heard) == STEPS, "the poses of all steps")  # they may come after the end
        client.until(lambda: sim.process.poll() is not None, "the end of the run")
    finally:
        controller.process.terminate()
        controller.process.wait(LIMIT)
    assert sim.wait() == 0 and not sim.says("Traceback") and not controller.says("Traceback")
    for each in list(client.node.subscriptions):
        if each.topic_name == "/swarm/ground_truth":
            client.node.destroy_subscription(each)
    stamps = [each.header.stamp for each in heard]
    steps = [round((stamp.sec + stamp.nanosec / 1e9) / 0.032) for stamp in stamps]
    return {step: each.poses for step, each in zip(steps, heard, strict=True)}


def test_a_node_drives_a_fleet_in_step_and_two_runs_are_identical(
    tmp_path: Path, simulate: Callable[..., Any], client: Any
) -> None:
    world = tmp_path / "swarm.wbt"
    world.write_text(world_text())
    first, second = (places(instanced, world, simulate, client) for instanced in (False, True))
    assert sorted(first) == sorted(second) == list(range(1, STEPS + 1))
    assert first == second
    assert all(len(poses) == COUNT for poses in first.values())
    moved = [a.position != b.position for a, b in zip(first[1], first[STEPS], strict=True)]
    assert all(moved)
