"""Where the processor time of a benchmark goes: what limits each row of the table.

`perf record` samples, some hundred times a second, which file the code belongs to that each processor runs.
The samples of a row are those between the row before it and itself, of this process and all that it has
started, without the programs that it is compared with: those have names of their own, or call themselves
PEER. Arithmetic includes waiting for memory: to tell them
apart takes counters of the processor, which virtual machines do not have.
"""

from __future__ import annotations

import bisect
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

RATE = 199
"""Samples a second; not a divisor of anything that happens periodically."""
SHORTEST = 0.1
"""s; a row that comes sooner after the one before was measured together with it, as one without samples."""
SHOWN = 0.1
"""Least share that is named."""
KINDS = {
    "drawing": r"gallium|llvmpipe|swrast|libEGL|libGL|mgl|libglapi",
    "compiling": r"libllvmlite|cc1|libLLVM",
    "DDS": r"fastdds|fastcdr|rmw|librcl|rcutils|rcpputils|rosidl|_rclpy|_msgs|_interfaces|libtracetools",
    "arithmetic": r"\[JIT\]|perf-\d+|//anon|libode|/ode\.|odesim_ode|libm\.|libmvec|numpy|multiarray|torch",
    "memory": r"libc\.|libstdc\+\+|jemalloc",
    "system": r"\[kernel|\[vdso\]|ld-linux|libpthread",
    "Python": r"python|\.cpython-",
}
"""What code does, by the name of its file; the first that matches. System: sockets, threads, files."""
ROW = re.compile(
    r"^\s*(?P<program>.+?)\s+(?P<process>\d+)\s+(?P<time>\d+\.\d+):\s+[0-9a-f]+\s+\((?P<file>.*)\)\s*$"
)
OURS = re.compile(r"python|odesim|ros|dds\.")
"""Names of our threads."""
PEER = "peer"
AS_PEER = f"open('/proc/self/comm', 'w').write('{PEER}')"
"""A line of Python that makes a program a peer."""


def can_sample() -> bool:
    """Return whether `perf` is installed, and the system allows its use."""
    if shutil.which("perf") is None:
        return False
    tried = subprocess.run([*command(Path("/dev/null")), "true"], capture_output=True, check=False)
    return tried.returncode == 0


def command(file: Path) -> list[str]:
    """Return the words before a command that sample it into a file."""
    return ["perf", "record", "-q", "-F", str(RATE), "-k", "mono", "-o", str(file), "--"]


def limits(file: Path, start: float, ends: Sequence[float]) -> list[str]:
    """Return what takes the processor time of each row, most first, such as `Python 61 %, DDS 20 %`.

    Args:
        file: of the samples.
        start: of the first row, by `time.monotonic`.
        ends: of all rows.
    """
    script = ["perf", "script", "-i", str(file), "-F", "comm,pid,time,ip,dso"]
    lines = subprocess.run(script, capture_output=True, text=True, check=False).stdout.splitlines()
    return [described(counted) for counted in shared_out(lines, start, ends)]


def shared_out(lines: Sequence[str], start: float, ends: Sequence[float]) -> list[Counter[str]]:
    """Return the number of samples of each kind for each row, from lines of `perf script`."""
    found: list[Counter[str]] = [Counter() for _ in ends]
    samples = [match for line in lines if (match := ROW.match(line))]
    peers = {each["process"] for each in samples if each["program"] == PEER}
    for match in samples:
        if match["process"] in peers or not OURS.match(match["program"]):
            continue
        row = bisect.bisect_left(ends, float(match["time"]))
        if row < len(ends) and float(match["time"]) >= start:
            found[row][kind_of(match["file"])] += 1
    for row, (before, end) in enumerate(zip([start, *ends], ends, strict=False)):
        if row and (end - before < SHORTEST or not found[row]):
            found[row] = found[row - 1]
    return found


def kind_of(file: str) -> str:
    """Return what code in a file does."""
    return next((kind for kind, pattern in KINDS.items() if re.search(pattern, file)), "other")


def described(counted: Counter[str]) -> str:
    """Return the kinds with a share of at least SHOWN, most first."""
    total = sum(counted.values())
    shares = [(kind, count / total) for kind, count in counted.most_common() if count >= SHOWN * total]
    return ", ".join(f"{kind} {100.0 * share:.0f} %" for kind, share in shares)
