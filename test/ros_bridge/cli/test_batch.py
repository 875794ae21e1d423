"""Sweeps with ROS: each run is `odesim run` with the world's controllers, in a domain of its own."""

import csv
from pathlib import Path

from sweeps import interrupt, is_alive, lines, odesim, start, write_project
from waiting import wait_until

from ros_bridge.cli.batch_row import run_on_node
from sim_core.experiments.sweep.one_run import run_one
from sim_core.experiments.sweep.plan import make_runs
from sim_core.experiments.sweep.spec_reader import read_spec

SPEC = """
world: go_to_pose
duration: 2
ros: true
grid:
  ROBOT.translation: [[-2, -1.5, 0.0975], [0, 0, 0.0975]]
metrics: [robot.pose, robot.distance]
"""

OWN = """
world: world.wbt
duration: 0.4
period: 0.02
seeds: [3]
controller: my_module:spin
fixed: {controller.speed: 2.0, simulation.robots.ball.gps.gaussian: 0.5}
metrics: [ball.pose, ball.gps, ball.motor, ball.distance]
"""


def table(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as rows:
        return list(csv.DictReader(rows))


def test_the_controllers_of_the_world_drive_in_lock_step_and_each_run_has_its_bag(tmp_path: Path) -> None:
    """Its goal is the origin: from afar it comes nearer, from there it does not leave; twice the same."""
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC + "record: bags\n")
    tables = []
    for _ in range(2):  # again: the bag of the first try is taken away
        done = odesim("batch", spec, "-j", "1", "--fresh")
        assert done.returncode == 0, done.stderr
        tables.append((tmp_path / "spec.csv").read_bytes())
    assert tables[0] == tables[1]
    far, there = table(tmp_path / "spec.csv")
    assert far["time"] == there["time"] == "2.0"
    end = (float(far["robot.x"]), float(far["robot.y"]))
    assert end[0] ** 2 + end[1] ** 2 < 2.0**2 < 2.0**2 + 1.5**2
    assert float(far["robot.distance"]) >= ((end[0] + 2.0) ** 2 + (end[1] + 1.5) ** 2) ** 0.5
    assert float(there["robot.distance"]) < 0.01
    bags = [tmp_path / row["bag"] for row in (far, there)]
    assert len(set(bags)) == 2 and all((bag / "metadata.yaml").is_file() for bag in bags)
    assert sorted(bags) == sorted((tmp_path / "bags").iterdir())


def test_a_controller_that_is_nowhere_is_a_failed_run(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC + "fixed: {ROBOT.controller: nothing_here}\n")
    done = odesim("batch", spec, "-j", "1")
    assert done.returncode == 1
    for row in table(tmp_path / "spec.csv"):
        assert row["status"] == "failed" and "nothing_here" in row["error"]


def test_a_row_is_the_same_on_the_node_that_the_viewer_shows(tmp_path: Path) -> None:
    """The functions of the spec drive there as in the processes of a sweep."""
    file = write_project(tmp_path, OWN)
    spec = read_spec(file)
    (run,) = make_runs(spec)
    words = ["--mode", "fast", "--duration", "0.4", "--no-controllers"]
    code, values = run_on_node(spec, run, words, tmp_path)
    assert code == 0 and values == run_one(spec.job, run)
    assert values["ball.motor"] > 0.5 and values["ball.gps.0"] != values["ball.x"]


def test_a_row_with_controllers_is_explained(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC)
    done = odesim("batch", spec, "--row", "0", "--explain")
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0].startswith("run 0 (go_to_pose, seed 0, ") and said[1] == "cause: none found"
    assert any("robot has moved" in line for line in said) and said[-1].startswith("robot.distance")


def test_ctrl_c_ends_simulation_and_controllers(tmp_path: Path) -> None:
    project = tmp_path / "project"
    for folder in ("worlds", "controllers/endless"):
        (project / folder).mkdir(parents=True)
    (project / "worlds/w.wbt").write_text(
        '#VRML_SIM R2025a utf8\nRobot { name "r" controller "endless" synchronization FALSE }\n'
    )
    pids = tmp_path / "pids"
    (project / "controllers/endless/endless.py").write_text(
        f"import os, time\nopen({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n{{os.getppid()}}\\n')\n"
        "while True:\n    time.sleep(1)\n"
    )
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "world: project/worlds/w.wbt\nduration: 100000\nros: true\n"
        "fixed: {simulation.synchronization: never}\nmetrics: [r.pose]\n"
    )
    process = start("batch", spec, "-j", "1")
    wait_until(lambda: len(lines(pids)) >= 2, "the controller")
    interrupt(process, 2)
    process.communicate(timeout=60)
    assert process.returncode == 130
    wait_until(lambda: not any(is_alive(int(pid)) for pid in lines(pids)), "the end of all")
