"""How often poses are sent to viewers: as often as the simulation has time for it."""

import time
from typing import Any

import pytest

from ros_bridge.composites.scene_topics import SceneTopics
from ros_bridge.topics.names import POSES
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
Solid { physics Physics { } angularVelocity 0 0 1
  children DEF S Shape { geometry Box { } } boundingObject USE S }
"""
COST, STEP = 0.005, 0.008
"""Processor time of a message, and wall time between two steps, in s."""


class Spending:
    """Publishers of topics that have a subscriber; a message of poses takes its time."""

    def __init__(self) -> None:
        self.sent = 0

    def is_wanted(self, name: str) -> bool:
        return True

    def publish_topic(self, name: str, time_ns: int) -> None:
        end = time.thread_time() + COST
        while name == POSES and time.thread_time() < end:
            pass
        self.sent += name == POSES


@pytest.mark.parametrize(
    ("spare", "least", "most"),
    [
        pytest.param(None, 1, 2, id="as fast as possible: half a hundredth of the time"),
        pytest.param(0.2 * COST, 1, 2, id="the next step would be late"),
        pytest.param(4.0 * COST, 29, 31, id="the next step waits for longer"),
    ],
)
def test_messages_of_poses_in_a_second(spare: float | None, least: int, most: int) -> None:
    sim = Simulation(parse_scene(WORLD))
    topics, spending = SceneTopics(sim), Spending()
    publishers: Any = spending
    scene = next(iter(topics.publications()))
    scene.fill(scene.message_type(), 0)
    for number in range(round(1.0 / STEP)):
        sim.step()
        topics.publish_poses(publishers, 100.0 + number * STEP, sim.time_ns, spare)
    sim.close()
    assert least <= spending.sent <= most
