"""A reset of a demonstration that runs is a fresh start, also for what its controllers remember."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rosgraph_msgs.msg import Clock

from ros_bridge.recorder.bag import Bag
from sim_core.base.shipped import find_world

LIMIT = 60.0


@pytest.mark.parametrize(
    ("demo", "before", "topic"),
    [
        ("go_to_pose", 6, "/robot/ground_truth"),  # it has arrived by then, and stands
        ("talkers", 6, "/follower/ground_truth"),
    ],
)
def test_after_a_reset_the_same_comes_again(
    demo: str, before: int, topic: str, tmp_path: Path, simulate: Callable[..., Any], client: Any
) -> None:
    file = find_world(demo)
    bag = tmp_path / "bag"
    run = simulate(file, mode="realtime", speed=6.0, record=str(bag))
    clock = client.listen(Clock, "/clock")
    client.until(lambda: clock and clock[-1].clock.sec >= before, f"{before} s of sim time", LIMIT)
    assert client.call("reset").success
    client.until(lambda: clock[-1].clock.sec < before, "time from 0 again", LIMIT)
    client.until(lambda: clock[-1].clock.sec >= before, f"{before} s again", LIMIT)
    run.send(signal.SIGINT)
    assert run.wait(LIMIT) == 0, run.lines
    with Bag(bag) as opened:
        messages = [message for _, _, message in opened.messages([topic])]
    stamps = [message.header.stamp.sec * 10**9 + message.header.stamp.nanosec for message in messages]
    again = next(k for k in range(1, len(stamps)) if stamps[k] < stamps[k - 1])
    count = min(again, len(messages) - again)
    assert stamps[again : again + count] == stamps[:count]
    assert count * (stamps[1] - stamps[0]) > (before - 1) * 10**9
    poses = [message.pose.pose for message in messages]
    assert max(pose.position.x for pose in poses) - poses[0].position.x > 0.3
    assert poses[again : again + count] == poses[:count]
