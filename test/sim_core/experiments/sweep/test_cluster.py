"""A sweep on a dask cluster of separate processes on this machine."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from processes import below
from sweeps import ROOT, interrupt, is_alive, lines, odesim, start, write_project
from waiting import wait_until

pytest.importorskip("distributed")

SPEC = (
    "world: world.wbt\nduration: 0.2\nperiod: 0.02\ncontroller: my_module:Slow\nseeds: 3\n"
    "grid: {BALL.translation: [[0, 0, 3], [0, 0, 4]]}\nmetrics: [ball.pose]\n"
)


def dask(*words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a scheduler with two workers."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    place = ["--scheduler-file", str(file), "--no-dashboard"]
    with ExitStack() as stack:
        words = [["scheduler", *place, "--host", "127.0.0.1", "--port", "0"]]
        words += 2 * [["worker", *place, "--no-nanny", "--nthreads", "1", "--local-directory", str(folder)]]
        for each in words:
            process = dask(*each)
            stack.callback(process.wait)
            stack.callback(process.send_signal, signal.SIGTERM)
            wait_until(lambda: file.exists() and file.stat().st_size, "the scheduler")
        yield json.loads(file.read_text())["address"]


def test_a_cluster_makes_the_same_table(cluster: str, tmp_path: Path) -> None:
    spec = write_project(tmp_path, SPEC)
    here = odesim("batch", spec, "-j", "1", "--results", tmp_path / "here.csv")
    there = odesim("batch", spec, "--scheduler", cluster)
    assert (here.returncode, there.returncode) == (0, 0), there.stderr
    assert (tmp_path / "spec.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    pids = lines(tmp_path / "pids")
    assert len(set(pids)) == 3  # one process here, one below each of two workers
    wait_until(lambda: not any(is_alive(int(pid)) for pid in pids), "the end of the processes")


def test_a_killed_worker_changes_nothing_in_the_table(cluster: str, tmp_path: Path) -> None:
    spec = write_project(tmp_path, SPEC.replace("seeds: 3", "seeds: 8"))
    here = odesim("batch", spec, "-j", "1", "--results", tmp_path / "here.csv")
    assert here.returncode == 0, here.stderr
    third = dask("worker", cluster, "--no-nanny", "--nthreads", "1", "--local-directory", str(tmp_path))
    try:
        process = start("batch", spec, "--scheduler", cluster)
        wait_until(
            lambda: {*map(str, below(third.pid))} & {*lines(tmp_path / "pids")},
            "a run below the third worker",
        )
        doomed = below(third.pid)
        third.kill()
        _, said = process.communicate(timeout=60.0)
    finally:
        third.kill()
        third.wait()
    assert process.returncode == 0, said
    assert (tmp_path / "spec.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    wait_until(lambda: not any(is_alive(pid) for pid in doomed), "the end of the processes below it")


def test_failures_and_limits_hold_there_too(cluster: str, tmp_path: Path) -> None:
    spec = write_project(
        tmp_path,
        "world: world.wbt\nduration: 0.2\ncontroller: my_module:trouble\nlimit: 2\n"
        "grid: {controller.kind: [raise, hang, abort, none]}\nmetrics: [ball.pose]\n",
    )
    done = odesim("batch", spec, "--scheduler", cluster)
    assert done.returncode == 1 and "4 of 4 runs, 3 of them failed" in done.stdout
    rows = lines(tmp_path / "spec.csv")[1:]
    status = [next(word for word in row.split(",") if word in ("ok", "failed", "timeout")) for row in rows]
    assert status == ["failed", "timeout", "failed", "ok"]


def test_ctrl_c_ends_the_runs_there(cluster: str, tmp_path: Path) -> None:
    spec = write_project(tmp_path, SPEC)
    process = start("batch", spec, "--scheduler", cluster)
    wait_until(lambda: lines(tmp_path / "spec.csv.runs"), "the first run")
    interrupt(process, 2)
    process.communicate(timeout=30.0)
    assert process.returncode == 130
    wait_until(lambda: not any(is_alive(int(pid)) for pid in lines(tmp_path / "pids")), "the end of the runs")


def test_no_scheduler_is_one_line(tmp_path: Path) -> None:
    spec = write_project(tmp_path, SPEC)
    done = odesim("batch", spec, "--scheduler", "tcp://127.0.0.1:9")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("--scheduler: found no answer at tcp://127.0.0.1:9")
    assert "Traceback" not in done.stderr
