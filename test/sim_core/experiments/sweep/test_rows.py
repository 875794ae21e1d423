"""After a sweep: what had no effect, its page, and one of its rows again."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sweeps import odesim, write_project

from sim_core.experiments.sweep.effects import without_effect
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.workers import RunOutcome

SPEC = (
    "world: world.wbt\nduration: 0.2\nperiod: 0.02\ncontroller: my_module:trouble\nseeds: 2\n"
    "fixed: {simulation.robots.ball.gps.gaussian: 0}\n"
    "grid: {controller.kind: [none, raise], BALL.translation: [[0, 0, 3], [0, 0, 4]]}\nmetrics: [ball.pose]\n"
)


def outcomes(runs: list[PlannedRun], results: list[dict[str, float]]) -> dict[str, RunOutcome]:
    return {
        run.key: RunOutcome(run.key, "ok", result, "", 0.1) for run, result in zip(runs, results, strict=True)
    }


def test_what_changes_no_result_is_named() -> None:
    cases = [(seed, gain) for gain in (1, 2) for seed in (0, 1, 2)]
    runs = [PlannedRun(i, "w", "w.wbt", seed, {"gain": gain}, str(i)) for i, (seed, gain) in enumerate(cases)]
    by_gain = outcomes(runs, [{"x": float(gain)} for _, gain in cases])
    said = "seed: its values change no result: rows 0, 1, 2 are the same, and 1 more groups"
    assert without_effect(runs, by_gain) == [f"{said}; nothing in these runs is random"]
    by_seed = outcomes(runs, [{"x": float(seed)} for seed, _ in cases])
    assert [line.split(":")[0] for line in without_effect(runs, by_seed)] == ["gain"]
    by_both = outcomes(runs, [{"x": float(index)} for index in range(6)])
    assert without_effect(runs, by_both) == []
    last = runs[-1].key
    one_failed = by_gain | {last: RunOutcome(last, "failed", {}, "no luck", 0.1)}
    assert without_effect(runs, one_failed) == []
    alone = [run for run in runs if run.seed == 0]
    assert [line.split(":")[0] for line in without_effect(alone, by_seed)] == ["gain"]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The spec of a sweep that is done, half of whose runs failed, and what it said."""
    spec = write_project(tmp_path_factory.mktemp("sweep"), SPEC)
    done = odesim("batch", spec, "-j", "1", "--page", spec.with_name("page.html"))
    assert done.returncode == 1, done.stderr
    return spec, done.stdout


class Tags(HTMLParser):
    """Counts tags and keeps attributes that load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.loaded += [str(value) for name, value in attrs if name in ("src", "href")]


def test_the_page_shows_failures_plots_and_the_table_and_loads_nothing(swept: tuple[Path, str]) -> None:
    spec, said = swept
    assert f"{spec.with_name('page.html')}: written" in said
    assert f"odesim batch {spec} --row 4 --explain, --viewer or --movie FILE\n" in said
    assert "seed: its values change no result: rows 0, 1 are the same" in said
    page = spec.with_name("page.html").read_text(encoding="utf-8")
    tags = Tags(page)
    assert tags.open.count("table") == 2 and tags.open.count("svg") >= 1 and not tags.loaded
    assert "8 of 8 runs, 4 well" in page and "4 failed" in page
    assert page.count("no luck") == 8  # in the failures and in the table
    assert f"odesim batch {spec} --row 5 --explain" in page
    assert "script" not in tags.open and len(page) < 30_000


def test_a_sweep_says_how_many_runs_were_there(swept: tuple[Path, str]) -> None:
    spec, _ = swept
    spec.write_text(SPEC.replace("seeds: 2", "seeds: 3"))
    done = odesim("batch", spec, "-j", "1")
    assert re.search(r"spec\.csv: 8 of 12 runs were there, 4 to do\n", done.stderr)
    assert re.search(r"spec\.csv: 12 of 12 runs were there\n", odesim("batch", spec, "-j", "1").stderr)
    spec.write_text(SPEC)


def test_a_row_again_is_as_in_the_table(swept: tuple[Path, str]) -> None:
    spec, _ = swept
    done = odesim("batch", spec, "--row", "2", "--explain")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0].startswith("run 2 (world.wbt, seed 0, ") and lines[1] == "cause: none found"
    assert lines[-1] == f"as in {spec.with_name('spec.csv')}" and any("ball.z" in line for line in lines)
    failed = odesim("batch", spec, "--row", "5", "--explain")
    assert failed.returncode == 1
    assert failed.stdout.splitlines()[1].startswith(
        "cause: the run fails: ValueError: no luck (my_module.py:"
    )
    assert failed.stdout.splitlines()[-1].startswith("failed: ValueError: no luck (my_module.py:")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--row", "8"], "--row: found 8, expected a number from 0 to 7"),
        (["--movie", "m.mp4"], "--movie: found no --row N, expected both"),
        (["--row", "1", "--viewer", "--explain"], "--viewer: found --explain too, expected one of them"),
    ],
)
def test_wrong_arguments_are_one_line(swept: tuple[Path, str], words: list[str], expected: str) -> None:
    done = odesim("batch", swept[0], *words)
    assert done.returncode == 2 and done.stderr.splitlines() == [expected]
