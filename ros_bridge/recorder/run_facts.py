"""Collects the facts about a run that are needed to repeat it, or to detect that this is impossible.

Their names are in `facts.py`.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ros_bridge.parameters.options import RunOptions
from ros_bridge.recorder import changes, facts
from sim_core import __version__
from sim_core.base.errors import RecordingError
from sim_core.scene.urdf.spawn import parse_argument
from sim_core.session.simulation import Simulation
from sim_core.session.snapshot_file import library_of_ode


def run_facts(
    sim: Simulation, values: Mapping[str, Any], options: RunOptions, commands: Iterable[str]
) -> dict[str, str]:
    """Return the facts of a run at its start.

    Args:
        sim: the simulation.
        values: all parameters by dotted name.
        options: options of the run.
        commands: names of the topics that command the simulation.
    """
    world = Path(sim.scene.file).resolve()
    plugin = sim.physics.plugin
    others: list[str | Path] = [
        *sim.scene.headers,
        *(parse_argument(item).file for item in options.urdf),
        *([plugin.file] if plugin is not None else []),
    ]
    return {
        facts.WORLD: str(world),
        facts.WORLD_HASH: hash_of(world),
        facts.FILES: json.dumps({str(Path(file).resolve()): hash_of(file) for file in others}),
        facts.SEED: str(sim.seed),
        facts.PARAMETERS: json.dumps(dict(values)),
        facts.MODE: str(values.get("mode", "")),
        facts.STEP: str(sim.step_ns),
        facts.COMMANDS: json.dumps(list(commands)),
        facts.JOURNAL: changes.JOURNAL,
        facts.URDF: json.dumps(list(options.urdf)),
        facts.OPTIONS: json.dumps(
            {
                "skip_missing": not options.strict,
                "controllers": options.controllers,
                "plugins": options.plugins,
            }
        ),
        facts.VERSIONS: json.dumps(versions()),
        facts.WHEN: datetime.now(UTC).isoformat(timespec="seconds"),
        **({facts.FIELDS: json.dumps(dict(options.fields))} if options.fields else {}),
    }


def versions() -> dict[str, str]:
    """Return the versions of programs and packages that influence results, if known."""
    found = {"odesim": __version__, "python": platform.python_version(), "ode": library_of_ode()}
    for name in ("numpy", "numba", "rclpy", "ros-rclpy"):
        try:
            found[name.removeprefix("ros-")] = version(name)
        except PackageNotFoundError:
            continue
    found["machine"] = platform.machine()
    return found


def hash_of(file: str | Path) -> str:
    """Return the SHA-256 of a file in hexadecimal.

    Raises:
        RecordingError: the file cannot be read.
    """
    try:
        with open(file, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise RecordingError(f"{file}: cannot be read: {error.strerror}") from None
