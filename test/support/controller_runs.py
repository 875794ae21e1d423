"""Projects with controllers in Webots' Python, run by a real simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def write_controllers(folder: Path, sources: Mapping[str, str]) -> None:
    """`controllers/NAME/NAME.py` below a project's folder."""
    for name, source in sources.items():
        place = folder / "controllers" / name
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{name}.py").write_text(source, encoding="utf-8")


def run_project(
    folder: Path,
    simulate: Callable[..., Any],
    world: str | Path,
    sources: Mapping[str, str],
    duration: float = 0.1,
    **options: Any,
) -> Any:
    """Run a world (its text, or its file) to the end; the process, which has ended."""
    write_controllers(folder, sources)
    if isinstance(world, str):
        file = folder / "worlds" / "mine.wbt"
        file.parent.mkdir(exist_ok=True)
        file.write_text("#VRML_SIM R2025a utf8\n" + world, encoding="utf-8")
        world = file
    sim = simulate(world, mode="fast", duration=duration, **options)
    sim.code = sim.wait(60.0)
    return sim


def said(sim: Any, robot: str) -> list[str]:
    """What the controller of a robot has printed."""
    lines = [line.split(f"{robot}: ", 1)[1] for line in sim.says(f" {robot}: ")]
    return [line for line in lines if not line.startswith('controller "')]  # the simulation, on its end
