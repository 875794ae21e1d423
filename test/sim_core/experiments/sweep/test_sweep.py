"""Sweeps as processes: the table, kills, failures, time limits, Ctrl-C."""

import csv
from pathlib import Path

import pytest
from sweeps import fallen, interrupt, is_alive, lines, odesim, start, write_project
from waiting import wait_until

SLOW = (
    "world: world.wbt\nduration: 0.2\nperiod: 0.02\ncontroller: my_module:Slow\nseeds: 4\n"
    "fixed: {simulation.robots.ball.gps.gaussian: 0.5}\n"
    "grid: {BALL.translation: [[0, 0, 3], [0, 0, 4], [0, 0, 5]]}\nmetrics: [ball.pose, ball.gps]\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path, SLOW)


def table(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as rows:
        return list(csv.DictReader(rows))


def workers(project: Path) -> set[int]:
    return {int(line) for line in lines(project.with_name("pids"))}


def test_a_killed_sweep_goes_on_and_its_table_is_the_same(project: Path) -> None:
    whole = odesim("batch", project, "-j", "1", "--results", project.with_name("whole.csv"))
    assert (whole.returncode, whole.stdout) == (0, f"{project.with_name('whole.csv')}: 12 of 12 runs\n")
    journal = project.with_name("spec.csv.runs")
    process = start("batch", project, "-j", "2")
    wait_until(lambda: len(lines(journal)) >= 3, "three runs")
    process.kill()
    process.communicate()
    wait_until(lambda: not any(map(is_alive, workers(project))), "the end of the workers")
    done = lines(journal)
    assert 3 <= len(done) < 12
    with journal.open("a") as file:
        file.write(done[0][: len(done[0]) // 2])  # a line that was being written
    again = odesim("batch", project, "-j", "2")
    assert again.returncode == 0
    assert lines(journal)[: len(done)] == done and len(lines(journal)) == 12
    assert project.with_name("spec.csv").read_bytes() == project.with_name("whole.csv").read_bytes()
    rows = table(project.with_name("spec.csv"))
    assert [row["run"] for row in rows] == [str(index) for index in range(12)]
    for row in rows:
        height = float(row["BALL.translation"].strip("[]").split(",")[2])
        assert float(row["ball.z"]) == pytest.approx(fallen(height, 0.2, 0.004), abs=1e-9)
    count = len(lines(project.with_name("pids")))
    assert odesim("batch", project).returncode == 0  # nothing is left to be done
    assert len(lines(project.with_name("pids"))) == count


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_leaves_a_table_and_no_process(project: Path, times: int) -> None:
    journal = project.with_name("spec.csv.runs")
    process = start("batch", project, "-j", "2")
    wait_until(lambda: len(lines(journal)) >= 2, "two runs")
    interrupt(process, times)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from here" in err and "Traceback" not in err
    rows = table(project.with_name("spec.csv"))
    assert 2 <= len(rows) == len(lines(journal)) < 12 and f": {len(rows)} of 12 runs" in out
    assert not any(map(is_alive, workers(project)))


def test_failures_are_rows_and_not_fatal(tmp_path: Path) -> None:
    spec = write_project(
        tmp_path,
        "world: world.wbt\nduration: 0.2\ncontroller: my_module:trouble\nlimit: 3\n"
        "grid: {controller.kind: [none, raise, hang, abort, none]}\nmetrics: [ball.pose]\n",
    )
    done = odesim("batch", spec, "-j", "2")
    assert done.returncode == 1
    said, again = done.stdout.splitlines()
    assert said.endswith("spec.csv: 5 of 5 runs, 3 of them failed") and "--row 1 --explain" in again
    assert "run 1 (world.wbt, seed 0, controller.kind raise): failed: ValueError: no luck" in done.stderr
    good, wrong, late, dead, last = table(tmp_path / "spec.csv")
    assert [good["status"], wrong["status"], late["status"], dead["status"]] == [
        "ok",
        "failed",
        "timeout",
        "failed",
    ]
    assert wrong["error"] == "ValueError: no luck (my_module.py:19)" and wrong["ball.z"] == ""
    assert late["error"] == "it took longer than the limit of 3 s"
    assert dead["error"] == "the process of the run ended: killed by SIGABRT"
    assert good["ball.z"] == last["ball.z"] != ""
    count = len(lines(tmp_path / "spec.csv.runs"))
    again = odesim("batch", spec, "--retry-failed", "-j", "2")
    assert again.returncode == 1 and len(lines(tmp_path / "spec.csv.runs")) == count + 3


def test_two_sweeps_do_not_write_one_table(project: Path) -> None:
    process = start("batch", project, "-j", "1")
    try:
        wait_until(lambda: lines(project.with_name("spec.csv.runs")), "the first run")
        other = odesim("batch", project)
        assert other.returncode == 2
        (line,) = other.stderr.splitlines()
        assert "found another sweep writing it" in line
    finally:
        interrupt(process, 1)
        process.communicate(timeout=60)


def test_parquet_holds_the_same(project: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert odesim("batch", project, "-j", "2").returncode == 0
    assert odesim("batch", project, "--results", project.with_name("a.parquet"), "-j", "2").returncode == 0
    found = parquet.read_table(project.with_name("a.parquet")).to_pylist()
    expected = table(project.with_name("spec.csv"))
    assert len(found) == 12
    for row, other in zip(found, expected, strict=True):
        assert row["run"] == int(other["run"]) and row["ball.z"] == float(other["ball.z"])
        assert row["BALL.translation"] == other["BALL.translation"]


def test_wrong_specs_and_arguments_are_one_line(project: Path) -> None:
    project.write_text(SLOW + "sedes: 2\n")
    for arguments, says in (
        ([project], f"{project}:9: sedes: found"),
        ([project.with_name("no.yaml")], "cannot be read"),
        ([project, "-j", "0"], "--jobs"),
    ):
        done = odesim("batch", *arguments)
        (line,) = done.stderr.splitlines()
        assert done.returncode == 2 and says in line


def test_a_journal_that_is_none_is_not_written_over(project: Path) -> None:
    journal = project.with_name("spec.csv.runs")
    journal.write_text("my diary\n")
    done = odesim("batch", project, "-j", "1")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and f"{journal}:1: found no run" in line
    assert journal.read_text() == "my diary\n"


def test_workers_have_one_thread_each(monkeypatch: pytest.MonkeyPatch) -> None:
    from sim_core.experiments.sweep.workers import THREADS, worker_environment

    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    assert {worker_environment()[name] for name in THREADS} == {"1"}
    monkeypatch.setenv(THREADS[0], "4")  # who wants more says so
    assert worker_environment()[THREADS[0]] == "4"
