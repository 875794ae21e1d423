"""Every demonstration in lock-step with its controllers, twice at once: the same to the last bit.

And again when it is replayed, after a reset, and from a snapshot.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from domains import free_domain
from PIL import Image
from repeated_bags import RepeatedBag

from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_plot import plot, trajectories
from ros_bridge.recorder.fingerprint import hash_of_bag
from ros_bridge.recorder.replay import replay
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import load_scene, write_scene

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 300.0
ALWAYS = ["--ros-args", "-p", "synchronization:=always"]
DEMOS: dict[str, tuple[float, list[str]]] = {
    "wall_avoiders": (0.8, ALWAYS),  # its controllers run free otherwise
    "fast2d": (0.8, []),
    "wall_follower": (1.6, []),
    "go_to_pose": (3.0, []),
    "ute": (1.0, []),
    "chairs": (1.6, []),
    "line_follower": (1.6, []),
    "docking": (2.0, []),
    "talkers": (4.0, []),
    "soccer": (1.6, []),
}
"""s of sim time, and options; the swarm, whose start takes long, is repeated in test/worlds/test_swarm.py."""


FEWER = {"wall_avoiders": 3}
"""So many robots of those that are all alike, each with a controller of its own, whose start takes long."""


def world_of(demo: str, folder: Path) -> str:
    """The name of a demonstration, or the file of one with fewer robots."""
    if demo not in FEWER:
        return demo
    scene = load_scene(shipped_worlds()[demo])
    robots = [node for node in scene.nodes if node.is_a("Robot")]
    for robot in robots[FEWER[demo] :]:
        scene.nodes.remove(robot)
    file = folder / "worlds" / f"{demo}.wbt"
    file.parent.mkdir()
    file.write_text(write_scene(scene), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("demo", DEMOS)
def test_a_demo_runs_twice_alike_to_the_last_bit(demo: str, tmp_path: Path) -> None:
    duration, options = DEMOS[demo]
    world = world_of(demo, tmp_path)
    command = [sys.executable, "-m", "ros_bridge.cli", "run", world, "--mode", "fast"]
    with free_domain() as other:
        running = [
            subprocess.Popen(
                [*command, "--duration", str(duration), "--record", str(tmp_path / str(number)), *options],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=os.environ | environment,
            )
            for number, environment in enumerate(({}, {"ROS_DOMAIN_ID": str(other)}))
        ]
        try:
            said = [process.communicate(timeout=LIMIT)[0] for process in running]
        finally:
            for process in running:
                process.kill()
                process.wait()
    assert [process.returncode for process in running] == [0, 0], said
    assert not [line for text in said for line in text.splitlines() if "Traceback" in line]
    with Bag(tmp_path / "0") as bag, Bag(tmp_path / "1") as other:
        assert hash_of_bag(bag) == hash_of_bag(other)
        result = replay(bag)
        assert result.difference is None
        assert result.messages > 100
        assert result.end_ns == pytest.approx(duration * 1e9, abs=0.04e9)
        repeat_in_process(bag)
        if demo == "go_to_pose":
            see_both_ways(bag, tmp_path / "ways.png")


def see_both_ways(bag: Bag, picture: Path) -> None:
    """Dead reckoning and truth are drawn together: both from the start, never more than 2 cm apart."""
    ways = trajectories(bag)
    counted, true = ways["/robot/odom"], ways["/robot/ground_truth"]
    assert counted.shape == true.shape
    assert np.linalg.norm(true - true[0], axis=1).max() > 0.5
    assert np.linalg.norm(counted - true, axis=1).max() < 0.02
    plot(bag, [], picture)
    with Image.open(picture) as image:
        assert min(image.size) > 500


def repeat_in_process(bag: Bag) -> None:
    """The recorded commands again in this process: equal after a reset, and from a snapshot on, twice."""
    again = RepeatedBag(bag)
    half = again.end_ns // 2 // again.sim.step_ns * again.sim.step_ns
    try:
        assert again.events
        first = [again.play(half), again.play(again.end_ns)]
        again.run.apply_change("reset", {"seed": again.sim.seed})
        assert again.play(half) == first[0]
        snapshot = again.sim.snapshot()
        assert again.play(again.end_ns) == first[1]
        for _ in range(2):
            again.sim.restore(snapshot)
            assert again.sim.time_ns == half
            assert again.play(again.end_ns) == first[1]
    finally:
        again.run.close()
