"""The example that evolves: the same on one process and on two, and never worse than what it begins with."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHORT = ["--generations", "2", "--children", "3", "--starts", "1", "--seconds", "10", "--seed", "3"]


def evolve(jobs: int) -> str:
    command = [sys.executable, "examples/evolve_wall_avoider.py", *SHORT, "-j", str(jobs)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout


def test_a_seed_gives_the_same_rule_on_any_number_of_processes() -> None:
    text = evolve(1)
    assert evolve(2) == text
    scores = [float(number) for number in re.findall(r"([\d.]+) m   front", text)]
    assert len(scores) == 3  # shipped, and two generations
    assert scores == sorted(scores)  # the best parent stays
    assert re.search(r"on 2 starts not seen before: shipped [\d.]+ m, evolved [\d.]+ m\n$", text)
