"""pytest plug-in: fixtures for tests of worlds, and recordings of failed runs.

    import pytest

    @pytest.mark.world("maze.wbt", seed=1)
    def test_it_leaves_the_maze(world):
        world.run_until(lambda: world.pose("robot").position[0] > 2.0, within=60.0, what="it is outside")
        assert "wall" not in world.touched("robot")

`odesim test` loads it; with pytest alone it is `-p ros_bridge.testing.plugin`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ros_bridge.testing.failed_runs import FAILURES, OUTPUT, keep, last_lines
from ros_bridge.testing.grades import SUBMISSION, Grades, reason_of

FAILURE = pytest.StashKey[str]()
"""Why the call of a test has failed; empty: it has not."""


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
    group.addoption("--page", metavar="FILE", help="write the same as a page, .html, with explanations")
    group.addoption("--trust", action="store_true", help="let files from elsewhere run their programs")
    about = f"keep no bag and no film of failed runs in {FAILURES}/"
    group.addoption("--no-failures", dest="keep_failures", action="store_false", help=about)


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and the results in the process that has all of them."""
    files = [Path(name) if name else None for name in map(config.getoption, ("--grades", "--page"))]
    if any(files) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Grades(*files))
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
        item.stash[FAILURE] = reason_of(report) if report.failed else ""
    return report


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
    bag, output = tmp_path / "bag", tmp_path / OUTPUT
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
            controller_output=str(output),
            fields=spec.fields,
            record=str(bag) if keeps else None,
            record_topic=("/clock",),
            ros_args=("-p", "synchronization:=always"),
        )
        options = as_trusted(options, request.config.getoption("--trust"))
        running = RunningWorld(options, referees=spec.referees, wall_limit=spec.wall_limit)
    except OdesimError as error:
        pytest.fail(str(error), pytrace=False)
    failure = ""
    try:
        yield running
        end = running.time
        failure = request.node.stash.get(FAILURE, "")
        if failure:
            running.note_failure(f"the test failed: {failure}")
    finally:
        running.close()
    if failure:
        print(last_lines(output))
    if keeps and failure:
        print(keep(bag, output, request.node.nodeid, end))


@pytest.fixture
def robot(world: Any) -> Any:
    """Return the only robot of the world."""
    robots = list(world.sim.robots.values())
    if len(robots) != 1:
        names = ", ".join(world.sim.robots) or "none"
        pytest.fail(f"fixture robot: found {names}, expected one robot; use world.robot(NAME)", pytrace=False)
    return robots[0]


def _spec(node: Any) -> WorldSpec:
    mark = node.get_closest_marker("world")
    if mark is None:
        pytest.fail('fixture world: found no mark, expected @pytest.mark.world("FILE.wbt")', pytrace=False)
    try:
        return WorldSpec(*mark.args, **mark.kwargs)
    except TypeError as error:
        pytest.fail(f"mark world: {error}", pytrace=False)
