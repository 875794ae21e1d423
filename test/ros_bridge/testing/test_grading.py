"""`odesim test`: tests of worlds, and the grades of submissions that fail each in its own way."""

import csv
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from contextlib import nullcontext
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from processes import ROOT

GRADING = ROOT / "examples/grading"
NEAR, STOPS = "test_it_comes_near_the_wall", "test_it_stops_without_touching_the_wall"
EXPECTED = {
    "ada": ("passed", "passed"),
    "ben": ("controller failed: e-puck", "controller failed: e-puck"),
    "cleo": ("waiting for the controller of e-puck",) * 2,
    "dan": ("passed", "'wall' not in"),
    "eva": ("not within 20 s of sim time: it is near the wall",) * 2,
    "finn": ("intervention: reset, expected commands of devices alone",) * 2,
}
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 1 gravity 9.81 }
DEF BALL Solid {
  translation 0 0 2 name "ball" boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 }
}
Solid { name "ground" boundingObject Plane { } }
"""
FALL = """
import math
import pytest

pytestmark = pytest.mark.world("fall.wbt", seed=3, fields={"BALL.translation": (0, 0, 1.1)})


def test_it_falls_as_newton_says(world):
    time = world.run_until(lambda: world.touched("ball"), within=1.0)
    assert time == pytest.approx(math.sqrt(2 / 9.81), abs=2e-3)
    assert world.touched("ground") == {"ball"}


def test_it_flies(world):
    world.run_until(lambda: world.pose("BALL").position[2] > 3.0, within=0.5, what="it is above 3 m")


def test_a_misspelt_solid_is_named(world):
    with pytest.raises(ValueError, match='found no solid "bal", expected one of ball, ground'):
        world.touched("bal")
"""


def odesim(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    environment = os.environ | {"NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        [sys.executable, "-m", "ros_bridge.cli", *map(str, words)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_each_submission_is_graded_by_what_it_does(tmp_path: Path) -> None:
    table, report = tmp_path / "grades.csv", tmp_path / "junit.xml"
    page = tmp_path / "grades.html"
    words = ["--submissions", GRADING / "submissions", "--grades", table, "--junit", report, "--no-failures"]
    words += ["--page", page]
    done = odesim(tmp_path, "test", GRADING / "course", *words, "-j", 2)
    assert done.returncode == 1, done.stdout + done.stderr
    with table.open(newline="") as rows:
        grades = {row["submission"]: row for row in csv.DictReader(rows)}
    assert set(grades) == set(EXPECTED)
    for name, (near, stops) in EXPECTED.items():
        found = {test.rpartition("::")[2]: reason for test, reason in grades[name].items()}
        assert near in found[NEAR] and stops in found[STOPS], (name, found)
        assert found["passed"] == str([near, stops].count("passed")) and found["of"] == "2"
    cases = ElementTree.parse(report).getroot().findall(".//testcase")
    failed = [case.attrib["name"] for case in cases if case.find("failure") is not None]
    assert len(cases) == 12 and len(failed) == 9
    shown = page.read_text(encoding="utf-8")
    assert shown.count('<span class="good">passed</span>') == 3 and shown.count('<span class="bad">') == 9
    assert "\ne-puck: ZeroDivisionError" in done.stdout and "[odesim]: e-puck: Zero" not in done.stdout


def test_a_world_falls_as_newton_says_and_a_failed_run_is_kept_with_its_film(tmp_path: Path) -> None:
    (tmp_path / "fall.wbt").write_text(WORLD)
    (tmp_path / "test_fall.py").write_text(FALL)
    done = odesim(tmp_path, "test", "test_fall.py", "--page", "page.html")
    assert done.returncode == 1 and "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "not within 0.5 s of sim time: it is above 3 m" in done.stdout
    (kept,) = (tmp_path / "odesim-failures").iterdir()
    assert (kept / "bag/metadata.yaml").is_file() and (kept / "last.mp4").stat().st_size > 1000
    reason = "the test failed: not within 0.5 s of sim time: it is above 3 m"
    assert reason in (kept / "why.txt").read_text(encoding="utf-8")
    assert reason in odesim(tmp_path, "explain", kept).stdout
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert reason in page and f'<a href="{kept.relative_to(tmp_path)}/last.mp4">film</a>' in page


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["nowhere"], "nowhere: not found, expected a file of tests or a folder"),
        (["course", "-j", "0"], "--jobs: found 0"),
    ],
)
def test_wrong_arguments_are_one_line(words: list[str], expected: str) -> None:
    done = odesim(GRADING, "test", *words)
    assert done.returncode == 2 and expected in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_run_that_is_not_over_in_time_says_for_whom_it_waits(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(GRADING / "course", project)
    shutil.copytree(GRADING / "submissions/cleo/controllers", project / "controllers")
    words = ["run", project / "worlds/corridor.wbt", "--mode", "fast", "--timeout", 8, "--no-viewer"]
    done = odesim(tmp_path, *words)
    assert done.returncode == 124
    assert "--timeout 8: the run was not over, at " in done.stderr
    assert "waiting for the controller of e-puck" in done.stderr


def test_the_class_of_thirty_is_made_of_right_and_of_wrong_programs() -> None:
    """All but the one that is wrong by that are Python; no two of the right ones are equal."""
    spec = spec_from_file_location("make_class", GRADING / "make_class.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    homeworks = module.homeworks()
    kinds = [kind for kind, _ in homeworks.values() if kind]
    assert len(homeworks) == 30 and len(kinds) == len(set(kinds)) == len(module.WRONG) == 11
    assert len({source for _, source in homeworks.values()}) == 30
    for kind, source in homeworks.values():
        with nullcontext() if kind != "syntax error" else pytest.raises(SyntaxError):
            compile(source, kind, "exec")
