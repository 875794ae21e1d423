import re
import time

from ros_bridge.node.run_report import RunReport

STEP_NS = 5_000_000


def test_the_first_step_is_said_once() -> None:
    lines: list[str] = []
    report = RunReport(lines.append, STEP_NS)
    for time_ns in (0, 0, STEP_NS, 2 * STEP_NS):
        report.log_start(time.monotonic(), time_ns)
    assert len(lines) == 1 and lines[0].startswith("running, the first step 0.0 s after")


def test_the_end_says_time_steps_and_speed() -> None:
    lines: list[str] = []
    report = RunReport(lines.append, STEP_NS)
    report.log_start(time.monotonic() - 2.0, STEP_NS)
    report.log_end(STEP_NS + 6_000_000_000)
    found = re.fullmatch(r"end at 6\.005 s, after 1201 steps, (.*) times real time", lines[-1])
    assert found and abs(float(found[1]) - 3.0) < 0.1


def test_a_run_that_never_moved_has_no_speed() -> None:
    lines: list[str] = []
    RunReport(lines.append, STEP_NS).log_end(0)
    assert lines == ["end at 0.000 s, after 0 steps"]


def test_after_a_reset_the_speed_counts_anew() -> None:
    lines: list[str] = []
    report = RunReport(lines.append, STEP_NS)
    now = time.monotonic()
    report.log_start(now - 100.0, 50 * STEP_NS)
    report.log_start(now - 1.0, STEP_NS)
    report.log_end(STEP_NS + 1_000_000_000)
    assert re.search(r"(0\.99|1\.0\d) times real time$", lines[-1])
