"""The benchmarks: goals are ratios to what was measured beside, and a missing package is one line."""

import ast
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import fast2d, sampling, vector
from benchmarks.__main__ import SECTIONS, cells, table
from benchmarks.figures import Figure

ROOT = Path(__file__).resolve().parents[1]
FIELDS = list(Figure.__dataclass_fields__)


@pytest.mark.parametrize(
    ("ratio", "goal", "holds"), [(None, None, None), (2.0, None, None), (0.5, 0.5, True), (0.4, 0.5, False)]
)
def test_a_goal_is_a_ratio_that_is_wanted_at_least(
    ratio: float | None, goal: float | None, holds: bool | None
) -> None:
    figure = Figure("a step", 33.0, "µs", "as fast as C", ratio, goal)
    assert figure.holds is holds
    assert ("not met" in cells(figure)[2]) == (holds is False)
    assert ("at least 0.5 ×" in table({"physics": [figure]})) == (goal is not None)


def test_no_goal_stands_without_a_ratio_to_something_measured_beside_it() -> None:
    files = sorted((ROOT / "benchmarks").glob("*.py"))
    calls = [
        (file.name, node)
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Figure"
    ]
    assert len(calls) > 20
    for name, call in calls:
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            continue  # rows that `beside_fewer` has, see below
        given = {*FIELDS[: len(call.args)], *(each.arg for each in call.keywords)}
        assert "goal" not in given or {"peer", "ratio"} <= given, f"{name}:{call.lineno}"


def test_more_robots_are_beside_as_many_times_fewer() -> None:
    before, now = (1_000.0, 0.2, 20.0, 150.0), (10_000, 1.0, 1.0, 300.0)
    assert [each.ratio for each in fast2d.beside_fewer((1_000, *before[1:]), None)] == [None] * 3
    loading, speed, memory = fast2d.beside_fewer(now, before)
    assert [each.ratio for each in (loading, speed, memory)] == pytest.approx([2.0, 0.5, 5.0])
    assert all(each.holds for each in (loading, speed, memory))


def test_copies_are_beside_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "steps_a_second", lambda count, *_: 100.0 * count**0.5)
    one, four, many = vector.beside_one((1, 4, 16), "ode", 1.0, 3.0)
    assert (one.ratio, four.ratio, many.ratio) == (None, 2.0, 4.0)
    assert (one.holds, four.holds, many.holds) == (None, None, True)


@pytest.mark.parametrize(("section", "package"), [("vector", "gymnasium"), ("thesis", "rclpy")])
def test_a_section_whose_package_is_missing_is_one_line(section: str, package: str) -> None:
    assert section in SECTIONS
    code = (
        f"import sys; sys.modules[{package!r}] = None; from benchmarks.__main__ import measure; "
        f"measure({section!r}, 0.01)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    (line,) = [line for line in done.stdout.splitlines() if line != "begins"]
    assert line.startswith("left out: ") and package in line and "install" in line and not done.stderr


SAMPLES = """
          python   11    10.100000:            50b1e7 (/usr/bin/python3.11)
          python   11    10.200000:      7f3bd78d1a11 (/tmp/perf-19076.map)
          python   11    10.300000:      7f3bd78d1a11 (/tmp/perf-19076.map)
 physics_basel   12    10.400000:      7f3bd78d1a11 (/usr/lib/libode.so.8)
     dds.udp.7   11    12.100000:      7f3bd78d1a11 (/usr/lib/libfastdds.so.3.2)
            peer   13    12.200000:            50b1e7 (/usr/bin/python3.11)
     dds.udp.7   13    12.300000:      7f3bd78d1a11 (/usr/lib/libfastdds.so.3.2)
          python   11    13.500000:      7f3bd78d1a11 ([kernel.kallsyms])
"""


def test_samples_belong_to_the_row_that_ends_next() -> None:
    """Those of a compared program count for none; a row right after another one was measured with it."""
    first, second, third = sampling.shared_out(SAMPLES.splitlines(), 10.15, [11.0, 13.0, 13.05])
    assert first == {"arithmetic": 2}
    assert second == third == {"DDS": 1}
    assert sampling.described(first) == "arithmetic 100 %"


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("/usr/lib/x86_64-linux-gnu/libode.so.8.0.2", "arithmetic"),
        ("/x/rclpy/_rclpy_pybind11.cpython-311-x86_64-linux-gnu.so", "DDS"),
        ("/x/sensor_msgs/sensor_msgs_s__rosidl_typesupport_c.so", "DDS"),
        ("/usr/lib/python3.11/lib-dynload/_queue.cpython-311-x86_64-linux-gnu.so", "Python"),
        ("/usr/lib/x86_64-linux-gnu/libc.so.6", "memory"),
        ("[kernel.kallsyms]", "system"),
    ],
)
def test_code_is_told_by_its_file(file: str, kind: str) -> None:
    assert sampling.kind_of(file) == kind


@pytest.mark.skipif(not sampling.can_sample(), reason="perf is not installed, or not allowed")
def test_what_takes_the_time_is_seen(tmp_path: Path) -> None:
    file, start = tmp_path / "samples", time.monotonic()
    code = "import time; end = time.process_time() + 1.0\nwhile time.process_time() < end: pass"
    subprocess.run([*sampling.command(file), sys.executable, "-c", code], check=True)
    (limit,) = sampling.limits(file, start, [time.monotonic()])
    assert "Python" in limit or "system" in limit
