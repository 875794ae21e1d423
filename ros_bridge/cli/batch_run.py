"""A run of a sweep with ROS: `odesim run` with its controllers, in a separate process and ROS domain.

    python -m ros_bridge.cli.batch_run TASK

The process executes the command `odesim run` with another node (`row_node.py`), which sets the fields of the
run before it builds the world, and measures. TASK is a file written by `run_one`.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from ros_bridge.base.ros_domain import take_domain
from ros_bridge.base.shutdown import end_process
from ros_bridge.cli.__main__ import handle_interrupts
from ros_bridge.cli.arguments import make_parser
from ros_bridge.cli.cli_commands import options_of_run
from ros_bridge.processes import end_with_parent
from sim_core.base.errors import ConfigError
from sim_core.experiments.sweep.metrics import Values
from sim_core.experiments.sweep.one_run import split_parameters
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.spec import Job
from sim_core.experiments.sweep.workers import folder_prefix

PARAMETER_NAMES = {"odometry_period": "state_period"}
"""Parameters of the node whose names differ from the settings of a simulation."""


def run_one(job: Job, run: PlannedRun) -> Values:
    """Run the world with its controllers to its end, and return the metrics.

    Robots with a controller are in lock-step with it, unless the spec sets `simulation.synchronization`.

    Raises:
        ConfigError: the run failed; the message contains its last output.
    """
    with tempfile.TemporaryDirectory(prefix=folder_prefix(os.getpid())) as folder:
        task, results, log = (Path(folder) / name for name in ("task", "results", "log"))
        bag = _new_bag(job, run)
        words = [*words_of(run, Path(folder)), "--mode", "fast", "--duration", str(job.duration)]
        words += ["--record", str(bag)] if bag else []
        task.write_bytes(pickle.dumps((words, job, run, str(results))))
        command = [sys.executable, "-I", "-S", end_with_parent.__file__, str(os.getpid())]
        command += [sys.executable, "-P", "-m", "ros_bridge.cli.batch_run", str(task)]
        environment = os.environ | {
            "ROS_DOMAIN_ID": str(take_domain(job.domain)),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        }
        with log.open("wb") as output:
            code = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, check=False
            ).returncode
        log_lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        errors = [line for line in log_lines if "[ERROR]" in line or "[FATAL]" in line]
        if code or errors or not results.is_file():
            lines = errors or [line for line in log_lines if line.strip()]
            text = lines[-1].rpartition("]: ")[2].strip() if lines else "it printed nothing"
            raise ConfigError(text if not code else f"exit code {code}: {text}")
        found: Values = pickle.loads(results.read_bytes())
        return found | ({"bag": os.path.relpath(bag, job.folder)} if bag else {})


def words_of(run: PlannedRun, folder: Path) -> list[str]:
    """Return the words of `odesim run` for a run's world, seed and settings, which are put into a folder."""
    _, settings, _ = split_parameters(run.parameters)
    params = folder / "params.yaml"
    values = {"synchronization": "always"} | {PARAMETER_NAMES.get(k, k): v for k, v in settings.items()}
    params.write_text(yaml.safe_dump({"odesim": {"ros__parameters": values}}), encoding="utf-8")
    return ["run", run.file, "--seed", str(run.seed), "--params", str(params)]


def _new_bag(job: Job, run: PlannedRun) -> Path | None:
    """Return the folder of the run's bag, after removing the bag of an earlier attempt."""
    if job.record is None:
        return None
    bag = Path(job.record) / f"run_{run.index:05d}_{run.key[:8]}"
    shutil.rmtree(bag, ignore_errors=True)
    bag.parent.mkdir(parents=True, exist_ok=True)
    return bag


def main() -> int:
    """Carry out `odesim run` with fields and metrics; return its exit code."""
    from ros_bridge.cli.row_node import run_row

    words, job, run, results = pickle.loads(Path(sys.argv[1]).read_bytes())
    options = options_of_run(make_parser().parse_args(words))
    return run_row(job, run, options, lambda values: Path(results).write_bytes(pickle.dumps(values)))


if __name__ == "__main__":
    handle_interrupts(at_once=True)
    end_process(main())
