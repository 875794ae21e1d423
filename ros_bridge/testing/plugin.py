"""pytest plug-in: fixtures for tests of worlds, and recordings of failed runs.

    import pytest

    @pytest.mark.world("maze.wbt", seed=1)
    def test_it_leaves_the_maze(world):
        world.run_until(lambda: world.pose("robot").position[0] > 2.0, within=60.0, what="it is outside")
        assert "wall" not in world.touched("robot")

`odesim test` loads it; with pytest alone it is `-p ros_bridge.testing.plugin`.
"""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FAILURES = "odesim-failures"
"""Folder for recordings of failed runs, below the current folder."""
FILM_SECONDS = 10.0
"""Simulated seconds before the failure that are filmed."""
SUBMISSION = "submission"
"""Property of a test: the name of the submission."""
OUTCOME = pytest.StashKey[bool]()
"""Whether the call of a test has failed."""


class WorldSpec(NamedTuple):
    """The arguments of the mark `world`.

    Attributes:
        file: of the world, relative to the file of the test; or the name of a world of odesim's own.
        seed: of all noise; None: that of the world.
        fields: values of fields, such as `{"ROBOT.translation": (1, 0, 0)}`.
        params: ROS 2 parameter files, relative to the file of the test.
        controllers: whether the controllers that the world names are started.
        referees: robots whose controllers may change the world as supervisors.
        wall_limit: seconds of wall time that the run may take.
    """

    file: str
    seed: int | None = None
    fields: Mapping[str, Any] = {}
    params: Sequence[str] = ()
    controllers: bool = True
    referees: Sequence[str] = ()
    wall_limit: float = 120.0


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `odesim test`."""
    group = parser.getgroup("odesim", "worlds of odesim")
    about = "test each folder in this one, with its controllers in the place of those beside the world"
    group.addoption("--submissions", metavar="DIR", help=about)
    about = "write a table of the results, .csv, with a row for each submission"
    group.addoption("--grades", metavar="FILE", help=about)
    group.addoption("--trust", action="store_true", help="let files from elsewhere run their programs")
    about = f"keep no bag and no film of failed runs in {FAILURES}/"
    group.addoption("--no-failures", dest="keep_failures", action="store_false", help=about)


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and the table of results in the process that has all of them."""
    table = config.getoption("--grades")
    if table is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(GradeTable(Path(table)))
    fields = ", ".join(["file", *(f"{name}=…" for name in WorldSpec._fields[1:])])
    config.addinivalue_line("markers", f"world({fields}): the world that the fixture `world` runs")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let each test of a world run once for each submission."""
    folder = metafunc.config.getoption("--submissions")
    if folder is None or "submission" not in metafunc.fixturenames:
        return
    from ros_bridge.testing.submissions import find_submissions

    found = find_submissions(Path(folder))
    metafunc.parametrize("submission", found, ids=[each.name for each in found], indirect=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note whether the test failed, for the fixtures that end after it."""
    report = yield
    if report.when == "call":
        item.stash[OUTCOME] = report.failed
    return report


class GradeTable:
    """Collects the results by submission and writes them at the end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._results: dict[str, dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the result of a test; also one whose fixture failed."""
        if report.when != "call" and not report.failed:
            return
        submission = str(dict(report.user_properties).get(SUBMISSION, ""))
        test, _, parameters = report.nodeid.partition("[")
        others = parameters.removesuffix("]").replace(submission, "", 1).strip("-")
        test += f"[{others}]" if others else ""
        reason = "passed"
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            reason = (crash.message if crash else str(report.longrepr)).splitlines()[0]
        results = self._results.setdefault(submission, {})
        if results.get(test, "passed") == "passed":  # the first failure counts
            results[test] = reason

    def pytest_sessionfinish(self) -> None:
        """Write the table."""
        tests = sorted({test for results in self._results.values() for test in results})
        with self._file.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["submission", "passed", "of", *tests])
            for name, results in sorted(self._results.items()):
                passed = sum(reason == "passed" for reason in results.values())
                writer.writerow([name, passed, len(tests), *(results.get(test, "not run") for test in tests)])


@pytest.fixture
def submission(request: pytest.FixtureRequest) -> Path | None:
    """Folder of the submission that is tested; None: there are none."""
    folder: Path | None = getattr(request, "param", None)
    if folder is not None:
        request.node.user_properties.append((SUBMISSION, folder.name))  # JUnit has it too
    return folder


@pytest.fixture
def world(request: pytest.FixtureRequest, submission: Path | None, tmp_path: Path) -> Iterator[Any]:
    """Yield the world that the mark `world` names, with its controllers, as a `RunningWorld`."""
    from ros_bridge.cli.trust import as_trusted
    from ros_bridge.parameters.options import RunOptions
    from ros_bridge.testing.running_world import RunningWorld
    from ros_bridge.testing.submissions import project_with
    from sim_core.base.errors import OdesimError
    from sim_core.base.shipped import find_world

    spec, beside = _spec(request.node), request.path.parent
    keeps = request.config.getoption("keep_failures")
    bag = tmp_path / "bag"
    try:
        file = beside / spec.file
        file = file if file.is_file() else Path(find_world(spec.file))
        if submission is not None:
            file = project_with(submission, file, tmp_path, request.config.getoption("--trust"))
        options = RunOptions(
            str(file),
            mode="fast",
            seed=spec.seed,
            params=[beside / each for each in spec.params],
            controllers=spec.controllers,
            record=str(bag) if keeps else None,
            record_topic=("/clock",),
            ros_args=("-p", "synchronization:=always"),
        )
        options = as_trusted(options, request.config.getoption("--trust"))
        running = RunningWorld(
            options, fields=spec.fields, referees=spec.referees, wall_limit=spec.wall_limit
        )
    except OdesimError as error:
        pytest.fail(str(error), pytrace=False)
    try:
        yield running
        end = running.time
    finally:
        running.close()
    if keeps and request.node.stash.get(OUTCOME, False):
        print(keep(bag, request.node.nodeid, end))


@pytest.fixture
def robot(world: Any) -> Any:
    """Return the only robot of the world."""
    robots = list(world.sim.robots.values())
    if len(robots) != 1:
        names = ", ".join(world.sim.robots) or "none"
        pytest.fail(f"fixture robot: found {names}, expected one robot; use world.robot(NAME)", pytrace=False)
    return robots[0]


def keep(bag: Path, test: str, end: float) -> str:
    """Keep the bag of a failed run, with a film of its last seconds; returns a line that says where.

    Args:
        bag: of the run.
        test: the id of the test.
        end: sim time in seconds at which it failed.
    """
    folder = Path(FAILURES) / re.sub(r"[^\w.-]+", "_", test)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(bag, folder / "bag")
    film = folder / "last.mp4"
    start = max(end - FILM_SECONDS, 0.0)
    words = [sys.executable, "-m", "ros_bridge.cli", "replay", str(folder / "bag"), "--trust"]
    words += ["--skip-pictures", "--movie", str(film), "--movie-from", f"{start:g}"]
    words += ["--movie-size", "640x360"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    lines = (done.stderr or done.stdout).strip().splitlines()
    seen = f" and {film}" if film.is_file() else f"; no film: {lines[0] if lines else 'no message'}"
    return f"kept: {folder / 'bag'}{seen}"


def _spec(node: Any) -> WorldSpec:
    mark = node.get_closest_marker("world")
    if mark is None:
        pytest.fail('fixture world: found no mark, expected @pytest.mark.world("FILE.wbt")', pytrace=False)
    try:
        return WorldSpec(*mark.args, **mark.kwargs)
    except TypeError as error:
        pytest.fail(f"mark world: {error}", pytrace=False)
