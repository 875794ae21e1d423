"""Whether a recording loses anything at 5,000 messages a second: counts every stamp of every topic.

    python -m benchmarks.recording [--seconds 60] [--gyros 20] [--node]

Gyros are sampled every 4 ms in real time. It is recorded from inside (`odesim run --record`)
or, with --node, over DDS by `odesim record`. Each topic must hold the stamp of each sample, from the first
recorded one on.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from benchmarks.running import running
from benchmarks.scenes import ROOT

STEP_MS = 4
NANOSECONDS = 1_000_000


def world_text(gyros: int) -> str:
    """A robot that hangs in the air and turns, with so many gyros."""
    devices = " ".join(f'Gyro {{ name "gyro{i}" }}' for i in range(gyros))
    return (
        "#VRML_SIM R2025a utf8\n"
        f"WorldInfo {{ basicTimeStep {STEP_MS} gravity 0 }}\n"
        f'Robot {{ name "robot" controller "<none>" children [ {devices} ]\n'
        "  boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } angularVelocity 0 0 1 }\n"
    )


def run_world(world: Path, bag: Path, seconds: float, node: bool) -> float:
    """Run and record; returns the seconds of wall time that the run took."""
    words = ["run", str(world), "--duration", str(seconds), "--no-controllers"]
    if not node:
        words += ["--record", str(bag), "--record-topic", "/robot/gyro*"]
    with running("ros_bridge.cli", "record", str(bag), "/robot/gyro*") if node else nullcontext():
        time.sleep(2.0 * node)
        start = time.monotonic()
        subprocess.run([sys.executable, "-m", "ros_bridge.cli", *words], cwd=ROOT, check=True)
        return time.monotonic() - start


def report(bag: Path, gyros: int, seconds: float, wall: float, node: bool) -> int:
    """Print what is there and what is not; returns how many messages are missing."""
    from ros_bridge.recorder.bag import Bag

    stamps: dict[str, list[int]] = {}
    with Bag(bag) as opened:
        for topic, _, message in opened.messages([name for name in opened.rows if "/gyro" in name]):
            stamp = message.header.stamp
            stamps.setdefault(topic, []).append(stamp.sec * 1_000_000_000 + stamp.nanosec)
        size = opened.size
    step = STEP_MS * NANOSECONDS
    last = round(seconds * 1000) // STEP_MS * step
    missing = 0
    for found in stamps.values():
        first = found[0] if node else step
        missing += len(set(range(first, last + 1, step)) - set(found))
        missing += len(found) - len(set(found))  # twice is wrong too
    count = sum(map(len, stamps.values()))
    print(
        f"{count} messages of {len(stamps)} topics, {count / seconds:.0f} a second of sim time, "
        f"{wall:.1f} s of wall time, {size / 1e6:.1f} MB, missing: {missing}"
    )
    return missing + (gyros - len(stamps))


def main() -> int:
    """Exit code 1 if anything is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--gyros", type=int, default=20)
    parser.add_argument("--node", action="store_true", help="record over DDS with odesim record")
    arguments = parser.parse_args()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    with tempfile.TemporaryDirectory() as folder:
        world, bag = Path(folder) / "gyros.wbt", Path(folder) / "bag"
        world.write_text(world_text(arguments.gyros), encoding="utf-8")
        wall = run_world(world, bag, arguments.seconds, arguments.node)
        return 1 if report(bag, arguments.gyros, arguments.seconds, wall, arguments.node) else 0


if __name__ == "__main__":
    sys.exit(main())
