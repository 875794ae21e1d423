"""What a run does: fields, settings, controllers, metrics; it leaves nothing behind for the next."""

from pathlib import Path

import pytest
from sweeps import fallen, write_project

from sim_core.base.errors import OdesimError
from sim_core.experiments.sweep import one_run
from sim_core.experiments.sweep.metrics import as_values
from sim_core.experiments.sweep.one_run import run_one
from sim_core.experiments.sweep.plan import make_runs
from sim_core.experiments.sweep.spec_reader import read_spec
from sim_core.scene import load_scene, write_scene

GOOD = "world: world.wbt\nduration: 0.4\n"


def results(folder: Path, text: str) -> list[dict]:
    spec = read_spec(write_project(folder, text))
    return [run_one(spec.job, run) for run in make_runs(spec)]


def test_fields_are_as_if_the_file_had_them(tmp_path: Path) -> None:
    rows = results(
        tmp_path,
        GOOD + "grid:\n  BALL.translation: [[0, 0, 5], [1, 2, 7.5]]\n  WorldInfo.basicTimeStep: [1, 4, 16]\n"
        "metrics: [ball.pose, ball.distance]\n",
    )
    cases = [(height, step) for height in (5.0, 7.5) for step in (0.001, 0.004, 0.016)]
    for row, (height, step) in zip(rows, cases, strict=True):
        end = fallen(height, 0.4, step)
        assert row["ball.z"] == pytest.approx(end, abs=1e-9)
        assert row["ball.distance"] == pytest.approx(height - end, abs=1e-9)
        assert row["time"] == 0.4
    assert (rows[5]["ball.x"], rows[5]["ball.y"]) == pytest.approx((1.0, 2.0), abs=1e-6)


def test_a_run_equals_the_world_file_with_these_values(tmp_path: Path) -> None:
    spec = read_spec(write_project(tmp_path, GOOD + "seeds: [7]\nfixed:\n  BALL.translation: [1, 0, 3]\n"))
    (run,) = make_runs(spec)
    scene = load_scene(run.file)
    scene.find_def("BALL")["translation"] = (1.0, 0.0, 3.0)
    (tmp_path / "world.wbt").write_text(write_scene(scene))
    plain = read_spec(tmp_path / "spec.yaml")
    (tmp_path / "spec.yaml").write_text(GOOD + "seeds: [7]\n")
    plain = read_spec(tmp_path / "spec.yaml")
    assert run_one(plain.job, make_runs(plain)[0]) == run_one(spec.job, run)


def test_runs_leave_nothing_behind(tmp_path: Path) -> None:
    """In any order, again, and after a supervisor's changes: bit for bit the same."""
    text = (
        "world: world.wbt\nrun: my_module:fall\nseeds: 3\nperiod: 0.02\nduration: 0.1\n"
        "grid: {controller.height: [1.0, 4.0]}\nfixed: {simulation.robots.ball.gps.gaussian: 0.5}\n"
        "metrics: ['*.pose', ball.gps]\n"
    )
    spec = read_spec(write_project(tmp_path, text))
    runs = make_runs(spec)
    one_run._scenes.clear()
    forward = [run_one(spec.job, run) for run in runs]
    backward = [run_one(spec.job, run) for run in reversed(runs)]
    assert forward == backward[::-1]
    one_run._scenes.clear()
    assert run_one(spec.job, runs[-1]) == forward[-1]
    assert len({row["ball.gps.0"] for row in forward[:3]}) == 3  # a seed of its own for each
    assert forward[0]["z"] == pytest.approx(fallen(1.0, 0.2, 0.004), abs=1e-9)


def test_controllers_are_called_with_their_parameters(tmp_path: Path) -> None:
    rows = results(
        tmp_path,
        "world: world.wbt\nduration: 1\ncontroller: my_module:spin\ngrid: {controller.speed: [2, -3]}\n"
        "metrics: [ball.motor, 'my_module:answer']\n",
    )
    for row, speed in zip(rows, (2, -3), strict=True):  # they are first called at the end of a step of 4 ms
        assert row["ball.motor"] == pytest.approx(speed * 0.996, rel=1e-3)
        assert row["answer"] == 42


def test_a_failed_run_does_not_disturb_the_next(tmp_path: Path) -> None:
    text = GOOD + "controller: my_module:trouble\ngrid: {controller.kind: [none, raise, none]}\n"
    spec = read_spec(write_project(tmp_path, text + "metrics: [ball.pose]\n"))
    first, wrong, last = make_runs(spec)
    before = run_one(spec.job, first)
    with pytest.raises(ValueError, match="no luck"):
        run_one(spec.job, wrong)
    assert run_one(spec.job, last) == before


def test_what_functions_may_return() -> None:
    assert as_values("f", None) == {}
    assert as_values("f", [1.5, float("nan"), True]) == {"f.0": 1.5, "f.1": None, "f.2": True}
    assert as_values("f", {"a": "x", "b": (1,)}) == {"a": "x", "b.0": 1}
    with pytest.raises(OdesimError, match="found a object, expected numbers or texts"):
        as_values("f", object())
    with pytest.raises(OdesimError, match="found 100 numbers"):
        as_values("f", [0.0] * 100)
