"""`odesim convert`: converts old worlds, X3D and VRML97 to current worlds, and worlds to X3D and VRML97."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim_core.base.atomic_file import atomic_file
from sim_core.base.errors import ConfigError, SceneError
from sim_core.base.shipped import WRITTEN_ENDINGS
from sim_core.scene import load_scene
from sim_core.scene.older.axes_conversion import to_current_axes
from sim_core.scene.robot_files import add_robot_files
from sim_core.scene.wbt.header import X3D
from sim_core.scene.world_text import text_for


def convert(source: str, target: str, force: bool = False, urdf: Sequence[str] = ()) -> list[SceneError]:
    """Read a file and write it in the format given by the ending of the target.

    Args:
        force: whether an existing file is overwritten.
        urdf: URDF or xacro files of robots to add to the world before it is written.

    Returns:
        Warnings about what was converted and what could not be written.

    Raises:
        OdesimError: the source cannot be read, or the target cannot be written.
    """
    goal = Path(target)
    if goal.suffix.lower() not in WRITTEN_ENDINGS:
        raise ConfigError(
            f"{target}: found the ending {goal.suffix!r}, expected {' or '.join(WRITTEN_ENDINGS)}"
        )
    if goal.exists() and Path(source).exists() and goal.samefile(source):
        raise ConfigError(f"{target}: found the file itself, expected another one to write to")
    if goal.exists() and not force:
        raise ConfigError(f"{target}: there is such a file; --force writes over it")
    scene = load_scene(source)
    add_robot_files(scene, urdf)
    keeps_axes = scene.header.version == X3D and goal.suffix.lower() != ".wbt" and not urdf
    if not keeps_axes:
        to_current_axes(scene)
    text, left_out = text_for(scene, goal)
    _write(goal, text)
    return [*scene.warnings, *left_out]


def _write(goal: Path, text: str) -> None:
    """Write the file atomically."""
    try:
        with atomic_file(goal) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{goal}: cannot be written: {error.strerror}") from None
