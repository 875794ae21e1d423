"""A long run with a recording and viewers: their memory stays where it is.

    python test/siege/soak.py [--hours 24] [--seconds S] [--world NAME] [--viewers 3] [--no-record]

Simulated hours, as fast as they go, or as many as go in S seconds of wall time. Memory is looked at each
second; it has gone wrong if the mean of what a process has of its own (libraries that it loads when it first
needs them do not count) is in the last quarter more than 2 % above that of the second one.
`browsers.py` does it with browsers.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from domains import free_domain
from processes import memory_of

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = 1.02
END_LIMIT = 60.0
Looks = dict[str, list[tuple[float, float]]]
"""Of each process, once a period: MB of its own, and of files."""


def start(folder: Path, domain: int, *words: str) -> subprocess.Popen[bytes]:
    """`odesim` with these words."""
    with (folder / "log").open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "ros_bridge.cli", *words],
            cwd=folder,
            env={"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", **os.environ}
            | {"PYTHONPATH": str(ROOT), "ROS_DOMAIN_ID": str(domain)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )


def soak(
    hours: float, seconds: float, world: str, viewers: int, record: bool, period: float = 1.0
) -> tuple[Looks, int, str]:
    """Run for so many hours of sim time, or seconds of wall time.

    Returns:
        Memory at each look, the exit code of the run, and what all have said, with what its bag holds.
    """
    with free_domain() as domain, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = ["run", world, "--mode", "fast", "--duration", f"{hours * 3600.0}"]
        run = start(folder, domain, *words, *(["--record", f"{name}/bag"] if record else []))
        every = {"simulation": run}
        every |= {f"viewer {at + 1}": start(folder, domain, "view", "--port", "0") for at in range(viewers)}
        looks: Looks = {each: [] for each in every}
        end = time.monotonic() + seconds
        try:
            while run.poll() is None:
                for each, process in every.items():
                    looks[each].append(memory_of(process.pid))
                time.sleep(period)
                if time.monotonic() > end:
                    run.terminate()
                    run.wait(END_LIMIT)
        finally:
            for process in every.values():
                process.terminate()
            for process in every.values():
                process.wait(END_LIMIT)
        if record:
            start(folder, domain, "bag", "info", f"{name}/bag").wait()
        return looks, run.returncode, (folder / "log").read_text(encoding="utf-8", errors="replace")


def quarters(looks: Sequence[float]) -> list[float]:
    """Means of the four quarters of a run."""
    size = max(1, len(looks) // 4)
    return [mean(looks[at * size : (at + 1) * size] or looks[-1:]) for at in range(4)]


def main() -> int:
    """Soak, and say how memory went."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hours", type=float, default=24.0, help="of sim time")
    parser.add_argument("--seconds", type=float, default=math.inf, help="of wall time, no longer")
    parser.add_argument("--world", default="wall_avoiders")
    parser.add_argument("--viewers", type=int, default=3)
    parser.add_argument("--record", action=argparse.BooleanOptionalAction, default=True)
    arguments = parser.parse_args()
    began = time.monotonic()
    looks, code, said = soak(
        arguments.hours, arguments.seconds, arguments.world, arguments.viewers, arguments.record
    )
    took = time.monotonic() - began
    is_well = not code and "Traceback" not in said
    told = [line for line in said.splitlines() if line.startswith(("size", "time", "messages"))]
    print(f"{took:.0f} s of wall time, exit code {code}", *(told if is_well else [said[-5000:]]), sep="\n")
    for name, each in looks.items():
        own, files = quarters([look[0] for look in each]), quarters([look[1] for look in each])
        is_flat = own[3] <= ALLOWED * own[1]
        is_well = is_well and is_flat
        mb = ", ".join(f"{value:.1f}" for value in own)
        print(f"{name:12} {mb} MB of its own, {files[1]:.1f} to {files[3]:.1f} MB of files, flat: {is_flat}")
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
