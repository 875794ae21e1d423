"""The worlds whose controllers speak Webots' interface: what they say is what the recording shows."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from ros_bridge.recorder.bag import Bag
from sim_core import load_world
from sim_core.base.shipped import share_dir, shipped_worlds

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120.0
GOAL_LINE, GOAL_HALF, RADIUS = 2.0, 0.5, 0.08
"""m; where the lines are, half of a goal's width, the ball."""
GOAL = re.compile(r"goal for (\w+) at ([\d.]+) s, blue (\d+) : (\d+) yellow, picture (\S+)")
HEARD = re.compile(r'follower: ([\d.]+) s: heard "(\d+) (\w+) (\S+)" from ([\d.]+) m')


EVERY_STEP = ["--ros-args", "-p", "state_period:=0.008"]
PLACE = (1.0, 0.42)
"""m; where the ball starts."""


def run(demo: str, duration: float, folder: Path, **environment: str) -> str:
    """What a run says; its bag is the folder `bag`."""
    command = [sys.executable, "-m", "ros_bridge.cli", "run", demo, "--mode", "fast"]
    result = subprocess.run(
        [*command, "--duration", str(duration), "--record", str(folder / "bag"), *EVERY_STEP],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        env={**os.environ, **environment},
    )
    said = result.stdout + result.stderr
    assert result.returncode == 0, said
    assert "Traceback" not in said
    return said


def test_the_referee_counts_exactly_the_goals_that_the_ball_shows(tmp_path: Path) -> None:
    """The whole ball behind a line between the posts is a goal; then all stand as at the start.

    The ball starts with a shot past the keeper, so that there is a goal for sure; then the players play on.
    """
    for folder in ("controllers", "protos"):
        (tmp_path / folder).symlink_to(share_dir() / folder)
    world = tmp_path / "worlds" / "shot.wbt"
    world.parent.mkdir()
    text = shipped_worlds()["soccer"].read_text(encoding="utf-8")
    ball = "translation 0 0 0.08\n"
    assert text.count(ball) == 1
    shot = f"translation {PLACE[0]} {PLACE[1]} 0.08 linearVelocity 2.5 0 0\n"
    world.write_text(text.replace(ball, shot), encoding="utf-8")
    said = GOAL.findall(run(str(world), 12.0, tmp_path, TMPDIR=str(tmp_path)))
    seen: list[tuple[str, float]] = []
    labels: set[str] = set()
    with Bag(tmp_path / "bag") as bag:
        was_in = False
        for _, time_ns, message in bag.messages(["/ball/ground_truth"]):
            at = message.pose.pose.position
            is_in = abs(at.x) > GOAL_LINE + RADIUS and abs(at.y) < GOAL_HALF
            if is_in and not was_in:
                seen.append(("blue" if at.x > 0.0 else "yellow", time_ns / 1e9))
            elif was_in and not is_in:
                assert math.dist((at.x, at.y), PLACE) < 0.02, "brought back to where it started"
            was_in = is_in
        for _, _, message in bag.messages(["/odesim/markers"]):
            labels.update(marker.text for marker in message.markers if marker.ns.startswith("label"))
    told = [(team, float(time)) for team, time, *_ in said]
    assert len(told) >= 1
    assert [team for team, _ in told] == [team for team, _ in seen]
    for (_, one), (_, other) in zip(told, seen, strict=True):
        assert one == pytest.approx(other, abs=1e-6)  # both look at every step
    score = {"blue": 0, "yellow": 0}
    for team, _, blue, yellow, picture in said:
        score[team] += 1
        assert (int(blue), int(yellow)) == (score["blue"], score["yellow"])
        assert f"blue {blue} : {yellow} yellow" in labels
        with Image.open(picture) as image:
            assert image.size == (1280, 720)
            low_high = image.convert("L").getextrema()
            assert low_high[0] < low_high[1]


def test_the_follower_hears_each_order_carries_it_out_and_reports(tmp_path: Path) -> None:
    """Orders and reports take turns; strength 1/r² gives the distance; the way is the sum of the orders."""
    text = run("talkers", 21.0, tmp_path)
    orders = [
        (float(time), int(k), what, float(by), float(r)) for time, k, what, by, r in HEARD.findall(text)
    ]
    assert [number for _, number, *_ in orders] == list(range(1, len(orders) + 1))
    assert len(orders) >= 8
    sim = load_world(shipped_worlds()["talkers"])
    leader = sim.robot("leader").frame.pose().position
    x, y, heading = (*sim.robot("follower").frame.pose().position[:2], 0.0)
    with Bag(tmp_path / "bag") as bag:
        heard: list[tuple[str, str]] = []
        places: list[tuple[float, float, float]] = []
        topics = ["/leader/receiver/data", "/follower/receiver/data", "/follower/ground_truth"]
        for topic, time_ns, message in bag.messages(topics):
            if topic == topics[2]:
                at = message.pose.pose.position
                places.append((time_ns / 1e9, at.x, at.y))
            else:
                heard.append((topic.split("/")[1], bytes(message.data).rstrip(b"\0").decode()))
    for k, (who, what) in enumerate(heard):  # one after the other, in turns
        number = k // 2 + 1
        assert who == ("follower", "leader")[k % 2]
        assert what.startswith(f"{number} ") and (what == f"{number} done") == (who == "leader")
    for time, _, what, by, distance in orders:
        _, true_x, true_y = next(place for place in places if place[0] >= time)
        assert math.dist((true_x, true_y), (x, y)) < 0.03, f"at {time} s"
        assert distance == pytest.approx(math.dist((true_x, true_y), leader[:2]), abs=0.02)
        if what == "turn":
            heading += math.radians(by)
        else:
            x, y = x + by * math.cos(heading), y + by * math.sin(heading)
