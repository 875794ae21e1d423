"""What one viewer costs a simulation: the share of real time that 30 messages of poses a second take.

    python -m benchmarks.viewer_poses [WORLD…]

A number is a world of so many boxes that move (`viewer_load.py`). Each world is stepped, and its poses are
read, put into a message and serialised, as for a subscriber.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from rclpy.serialization import serialize_message
from std_msgs.msg import Float32MultiArray

import sim_core
from benchmarks.scenes import ROOT
from benchmarks.viewer_load import world_text
from ros_bridge.composites.scene_topics import POSES_PERIOD, SceneTopics
from sim_core.scene import parse_scene

ROUNDS = 300


def seconds_of(world: str) -> tuple[float, int]:
    """CPU time of one message in s, and how many parts it is about."""
    config = sim_core.SimulationConfig(plugins=False)
    if world.isdecimal():
        sim = sim_core.Simulation(parse_scene(world_text(int(world))), config)
    else:
        sim = sim_core.load_world(ROOT / "worlds" / f"{world}.wbt", config)
    shown, message, spent = SceneTopics(sim), Float32MultiArray(), 0.0

    class Subscribed:
        """Publishers of topics that all have a subscriber."""

        def is_wanted(self, name: str) -> bool:
            return True

        def publish_topic(self, name: str, time_ns: int) -> None:
            shown.fill_poses(message, time_ns)
            serialize_message(message)

    publishers: Any = Subscribed()
    scene = next(iter(shown.publications()))
    scene.fill(scene.message_type(), sim.time_ns)  # builds the parts whose poses are sent
    for number in range(ROUNDS):
        sim.step()
        start = time.process_time()
        shown.publish_poses(publishers, 1e9 + number, sim.time_ns, None)
        spent += time.process_time() - start
    sim.close()
    return spent / ROUNDS, len(message.data) // 7


if __name__ == "__main__":
    for world in sys.argv[1:] or ("wall_avoiders", "soccer", "navigation", "swarm", "200", "1000"):
        seconds, parts = seconds_of(world)
        share = 100.0 * seconds / POSES_PERIOD
        print(f"{world:>16}: {parts:5} parts, {1e6 * seconds:7.0f} µs a message, {share:5.2f} % of real time")
