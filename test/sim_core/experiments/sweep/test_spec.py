"""Every mistake in a spec is one line with file and line."""

from pathlib import Path

import pytest
from sweeps import write_project

from sim_core.base.errors import OdesimError
from sim_core.experiments.sweep.plan import make_runs
from sim_core.experiments.sweep.spec_reader import read_spec

GOOD = "world: world.wbt\nduration: 1\n"

WRONG = {
    "unknown name": (GOOD + "sedes: 3\n", ":3: sedes: ", 'did you mean "seeds"'),
    "no world": ("duration: 1\n", ":1: ", "found no world"),
    "missing world": ("duration: 1\nworld: nowhere.wbt\n", "nowhere.wbt: ", "no such file"),
    "no duration": ("world: world.wbt\n", ":1: ", "seconds of sim time"),
    "duration": ("world: world.wbt\nduration: -1\n", ":2: duration", "found -1"),
    "nan": ("world: world.wbt\nduration: .nan\n", ":2: duration", "found nan"),
    "seeds": (GOOD + "seeds: [1, 1]\n", ":3: seeds", "different whole numbers"),
    "no list": (GOOD + "grid:\n  BALL.translation: 3\n", ":4: grid.BALL.translation", "a list of values"),
    "no node": (GOOD + "grid:\n  BAL.translation: [[0, 0, 1]]\n", ":4: grid.", "no node"),
    "no field": (GOOD + "grid:\n  BALL.translatio: [1]\n", ":4: grid.", 'did you mean "translation"'),
    "wrong type": (GOOD + "grid:\n  BALL.translation: [[0, 0, 1], 2]\n", ":4: grid.", "3 numbers"),
    "holds nodes": (GOOD + "grid:\n  BALL.children: [1]\n", ":4: grid.", "holds nodes"),
    "twice": (
        GOOD + "fixed:\n  BALL.translation: [0, 0, 1]\ngrid:\n  BALL.translation: [[0, 0, 1]]\n",
        ":6: grid.",
        "a second time",
    ),
    "same key": (GOOD + "seeds: 1\nseeds: 2\n", ":4: ", "a second time"),
    "no parameter": (GOOD + "grid:\n  simulation.physic: [ode]\n", ":4: grid.", 'did you mean "physics"'),
    "no physics": (GOOD + "grid:\n  simulation.physics: [bullet]\n", ":4: grid.", "ode or fast2d"),
    "no contacts": (GOOD + "grid:\n  simulation.contacts: [soft]\n", ":4: grid.", "webots or stiff"),
    "no robot": (
        GOOD + "fixed:\n  simulation.robots.bal.gps.gaussian: 1\n",
        ":4: fixed.",
        'did you mean "ball"',
    ),
    "no device": (
        GOOD + "fixed:\n  simulation.robots.ball.gsp.gaussian: 1\n",
        ":4: fixed.",
        'did you mean "gps"',
    ),
    "no module": (GOOD + "controller: nothing:f\n", ":3: controller", "found no module"),
    "no function": (GOOD + "controller: my_module:spinn\n", ":3: controller", 'did you mean "spin"'),
    "argument": (
        GOOD + "controller: my_module:spin\ngrid:\n  controller.sped: [1]\n",
        ":3: controller",
        "sped",
    ),
    "no controller": (GOOD + "grid:\n  controller.speed: [1]\n", ":4: grid.", "that takes it"),
    "metric": (GOOD + "metrics: [ball.pos]\n", ":3: metrics[0]", 'did you mean "pose"'),
    "metric function": (GOOD + "metrics: ['my_module:answr']\n", ":3: metrics[0]", 'did you mean "answer"'),
    "results": (GOOD + "results: a.xls\n", ":3: results", ".csv or .parquet"),
    "range": (
        GOOD + "sample: {count: 3, parameters: {BALL.translation: {low: 1, high: 0}}}\n",
        ":3: sample.parameters",
        "low ≤ high",
    ),
    "log": (
        GOOD + "sample: {count: 3, parameters: {controller.x: {low: 0, high: 1, log: true}}}\n",
        ":3: sample.",
        "above 0",
    ),
    "count": (GOOD + "sample: {count: 0, parameters: {}}\n", ":3: sample.count", "above 0"),
    "ros and controller": (GOOD + "ros: true\ncontroller: my_module:spin\n", ":4: controller", "ros: true"),
    "domain": (GOOD + "ros: true\ndomain: 200\n", ":4: domain", "0 to 101"),
    "yaml": (GOOD + "grid: [\n", ":4:1: ", "expected"),
    "empty": ("", ":1: ", "found no table"),
    "list": ("- 1\n", ":1: ", "found no table"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_one_line_with_its_place(case: str, tmp_path: Path) -> None:
    text, place, says = WRONG[case]
    file = write_project(tmp_path, text)
    with pytest.raises(OdesimError) as caught:
        read_spec(file)
    (line,) = str(caught.value).splitlines()
    assert place in line and says in line
    assert line.startswith(str(file)) or case == "missing world"


def test_a_module_that_fails_is_one_line(tmp_path: Path) -> None:
    file = write_project(tmp_path, GOOD + "controller: broken_module:f\n")
    (tmp_path / "broken_module.py").write_text("x = 1\ny = x / 0\n")
    with pytest.raises(OdesimError, match=r":3: controller: .*division by zero \(broken_module.py:2\)"):
        read_spec(file)


def test_runs_are_all_combinations_in_order(tmp_path: Path) -> None:
    file = write_project(
        tmp_path,
        GOOD + "controller: my_module:spin\nseeds: [3, 5]\nfixed: {BALL.controller: void}\n"
        "grid:\n  BALL.translation: [[0, 0, 1], [0, 0, 2]]\n  controller.speed: [1, 2, 3]\n",
    )
    runs = make_runs(read_spec(file))
    assert [run.index for run in runs] == list(range(12))
    assert [run.seed for run in runs] == [3, 5] * 6
    assert [run.parameters["controller.speed"] for run in runs] == [1, 1, 2, 2, 3, 3] * 2
    assert [run.parameters["BALL.translation"][2] for run in runs] == [1] * 6 + [2] * 6
    assert {run.parameters["BALL.controller"] for run in runs} == {"void"}
    assert len({run.key for run in runs}) == 12


def test_keys_change_with_what_a_result_depends_on(tmp_path: Path) -> None:
    text = GOOD + "controller: my_module:spin\n"
    file = write_project(tmp_path, text)

    def key() -> str:
        return make_runs(read_spec(file))[0].key

    first = key()
    file.write_text(text + "limit: 5\nresults: other.csv\n")
    assert key() == first
    (tmp_path / "my_module.py").open("a").write("\n# another\n")
    second = key()
    assert second != first
    (tmp_path / "world.wbt").open("a").write("\n# another\n")
    third = key()
    assert third != second
    file.write_text(text.replace("duration: 1", "duration: 2"))
    assert key() != third


def test_shipped_example(tmp_path: Path) -> None:
    from sim_core.base.shipped import find_world

    root = Path(__file__).resolve().parents[4]
    spec = read_spec(root / "examples/sweep/spec.yaml", find_world)
    assert len(make_runs(spec)) == 200
