"""A long run with a recording: its memory stays where it is.

    python test/siege/soak.py [--hours 24] [--world NAME] [--no-record]

Simulated hours, as fast as they go. Memory is looked at each second; it has gone wrong if the mean of the
last quarter is more than 2 % above that of the second one. `benchmarks/viewer_soak.py` does it with browsers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from domains import free_domain

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = 1.02


def soak(seconds: float, world: str, record: bool, period: float = 1.0) -> tuple[list[float], int]:
    """Run for so many seconds of sim time.

    Returns:
        Memory in MB at each look, and the exit code.
    """
    looks = []
    with free_domain() as domain, tempfile.TemporaryDirectory() as name:
        command = [
            sys.executable,
            "-m",
            "ros_bridge.cli",
            "run",
            world,
            "--mode",
            "fast",
            "--duration",
            f"{seconds}",
        ]
        run = subprocess.Popen(
            [*command, *(["--record", f"{name}/bag"] if record else [])],
            cwd=name,
            env={"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", **os.environ}
            | {"PYTHONPATH": str(ROOT), "ROS_DOMAIN_ID": str(domain)},
            stdin=subprocess.DEVNULL,
        )
        while run.poll() is None:
            pages = Path(f"/proc/{run.pid}/statm").read_text(encoding="ascii").split()[1]
            looks.append(int(pages) * os.sysconf("SC_PAGESIZE") / 1e6)
            time.sleep(period)
        return looks, run.returncode


def main() -> int:
    """Soak, and say how memory went."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--world", default="wall_avoiders")
    parser.add_argument("--record", action=argparse.BooleanOptionalAction, default=True)
    arguments = parser.parse_args()
    began = time.monotonic()
    looks, code = soak(arguments.hours * 3600.0, arguments.world, arguments.record)
    quarter = max(1, len(looks) // 4)
    parts = [mean(looks[at * quarter : (at + 1) * quarter] or looks[-1:]) for at in range(4)]
    is_flat = parts[3] <= ALLOWED * parts[1]
    took = time.monotonic() - began
    print(f"{arguments.hours:g} h of sim time in {took:.0f} s, exit code {code}")
    print(f"mean memory of its quarters: {', '.join(f'{each:.1f}' for each in parts)} MB, flat: {is_flat}")
    return 0 if is_flat and not code else 1


if __name__ == "__main__":
    sys.exit(main())
