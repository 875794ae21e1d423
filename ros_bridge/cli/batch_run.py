"""A run of a sweep with ROS: `odesim run` with its controllers, in a separate process and ROS domain.

    python -m ros_bridge.cli.batch_run TASK

The process executes the command `odesim run`. Its node also sets the fields of the run before it builds the
world, and writes the metrics at the end. TASK is a file written by `run_one`.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from ros_bridge.base.shutdown import end_process
from ros_bridge.cli.__main__ import handle_interrupts
from ros_bridge.cli.arguments import make_parser
from ros_bridge.processes import end_with_parent
from sim_core.base.errors import ConfigError, OdesimError
from sim_core.experiments.sweep.metrics import Metrics, Values
from sim_core.experiments.sweep.one_run import split_parameters
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.spec import Job
from sim_core.experiments.sweep.workers import folder_prefix
from sim_core.scene.by_name import changed_fields

LAST_DOMAIN = 101
"""Largest usable domain; the ports of larger ones are in the range of ephemeral ports."""
PARAMETER_NAMES = {"odometry_period": "state_period"}
"""Parameters of the node whose names differ from the settings of a simulation."""
_domain: tuple[int, BinaryIO] | None = None


def run_one(job: Job, run: PlannedRun) -> Values:
    """Run the world with its controllers to its end, and return the metrics.

    Robots with a controller are in lock-step with it, unless the spec sets `simulation.synchronization`.

    Raises:
        ConfigError: the run failed; the message contains its last output.
    """
    fields, settings, _ = split_parameters(run.parameters)
    with tempfile.TemporaryDirectory(prefix=folder_prefix(os.getpid())) as folder:
        task, results, log = (Path(folder) / name for name in ("task", "results", "log"))
        params = Path(folder) / "params.yaml"
        values = {"synchronization": "always"} | {PARAMETER_NAMES.get(k, k): v for k, v in settings.items()}
        params.write_text(yaml.safe_dump({"odesim": {"ros__parameters": values}}), encoding="utf-8")
        words = ["run", run.file, "--mode", "fast", "--seed", str(run.seed)]
        words += ["--duration", str(job.duration), "--params", str(params)]
        bag = _new_bag(job, run)
        words += ["--record", str(bag)] if bag else []
        task.write_bytes(pickle.dumps((words, job, fields, str(results))))
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


def take_domain(first: int | None) -> int:
    """Return the first ROS domain that no worker on this machine uses, reserved until this process ends.

    Args:
        first: first domain to try; None: the one after ROS_DOMAIN_ID.

    Raises:
        ConfigError: all domains are in use.
    """
    global _domain
    if _domain is not None:
        return _domain[0]
    if first is None:
        first = int(os.environ.get("ROS_DOMAIN_ID") or 0) + 1
    for number in range(first, LAST_DOMAIN + 1):
        file = (Path(tempfile.gettempdir()) / f"odesim-{os.getuid()}-domain-{number}").open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        _domain = (number, file)
        return number
    raise ConfigError(f"domain: found all from {first} to {LAST_DOMAIN} taken, expected a free one")


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
    from ros_bridge.cli.cli_commands import options_of_run
    from ros_bridge.node.run import run
    from ros_bridge.node.sim_node import SimNode

    words, job, fields, results = pickle.loads(Path(sys.argv[1]).read_bytes())

    class MeasuredNode(SimNode):
        """Simulation node that also computes metrics."""

        _metrics: Metrics | None = None

        def __init__(self, node: Any, begin: Any, options: Any) -> None:
            with ExitStack() as stack:
                stack.enter_context(changed_fields(begin, fields))
                super().__init__(node, begin, options)
                self._measured = stack.pop_all()  # the fields keep these values
            self._metrics = Metrics(self.sim, job.metrics, job.period, Path(job.folder))
            for robot in self.sim.robots.values():
                for sensor in robot.sensors():
                    if any(f"{name}.{sensor.name}" in job.metrics for name in (robot.name, "*")):
                        sensor.demand = None  # also sampled without subscribers

        def close(self) -> None:
            metrics, self._metrics = self._metrics, None
            if metrics is not None:
                try:
                    values = {"time": self.sim.time} | metrics.results()
                    Path(results).write_bytes(pickle.dumps(values))
                except OdesimError as error:
                    self._log.error(str(error))
            super().close()

    return run(options_of_run(make_parser().parse_args(words)), MeasuredNode)


if __name__ == "__main__":
    handle_interrupts(at_once=True)
    end_process(main())
