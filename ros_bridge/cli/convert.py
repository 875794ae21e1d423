"""`odesim convert`: converts old worlds, X3D and VRML97 to current worlds, and worlds to X3D and VRML97."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ros_bridge.parameters.parameter_file import parameter_text, world_values
from ros_bridge.parameters.parameters import in_layout
from sim_core.base.atomic_file import atomic_file
from sim_core.base.errors import ConfigError, SceneError
from sim_core.base.shipped import WRITTEN_ENDINGS
from sim_core.scene import load_scene
from sim_core.scene.older.axes_conversion import to_current_axes
from sim_core.scene.robot_files import add_robot_files
from sim_core.scene.wbt.header import X3D
from sim_core.scene.world_text import text_for


def convert(
    source: str, target: str, force: bool = False, urdf: Sequence[str] = ()
) -> tuple[Path | None, list[SceneError]]:
    """Read a file and write it in the format given by the ending of the target.

    Args:
        force: whether an existing file is overwritten.
        urdf: URDF or xacro files of robots to add to the world before it is written.

    Returns:
        The parameter file that was written beside it, if there is one (see `parameters_of`), and warnings
        about what was converted and what could not be written.

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
    settings = [each for each in in_layout(world_values(scene)) if each.path != ("mode",)]
    parameters = parameters_of(goal) if settings and goal.suffix.lower() == ".wbt" else None
    if parameters is not None and parameters.exists() and not force:
        raise ConfigError(f"{parameters}: there is such a file; --force writes over it")
    _write(goal, text)
    if parameters is not None:
        _write(parameters, parameter_text(settings))
    return parameters, [*scene.warnings, *left_out]


def parameters_of(goal: Path) -> Path:
    """Return the parameter file beside a written world, with what its format has no place for: topics,
    rates, noise and drives of robots from URDF and SDF files."""
    return goal.with_suffix(".yaml")


def _write(goal: Path, text: str) -> None:
    """Write the file atomically."""
    try:
        with atomic_file(goal) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{goal}: cannot be written: {error.strerror}") from None
