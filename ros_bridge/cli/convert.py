"""`odesim convert`: old worlds, X3D and VRML97 files to worlds of today, and worlds to X3D and VRML97."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sim_core.base.errors import ConfigError, SceneError
from sim_core.base.shipped import WORLD_ENDINGS
from sim_core.base.whole_file import whole_file
from sim_core.scene import Scene, load_scene, write_scene
from sim_core.scene.older.restate import to_todays_axes
from sim_core.scene.urdf.spawn import add_urdfs
from sim_core.scene.wbt.header import X3D
from sim_core.scene.x3d.x3d_writer import write_vrml, write_x3d


def convert(source: str, target: str, force: bool = False, urdf: Sequence[str] = ()) -> list[SceneError]:
    """Read a file and write it in the format that the ending of the target says.

    Args:
        force: write over a file that is there.
        urdf: URDF or xacro files of robots to put into the world before it is written.

    Returns:
        What to know about the new file: what was old, what could not be written.

    Raises:
        OdesimError: the source cannot be read, or the target not be written.
    """
    goal = Path(target)
    if goal.suffix.lower() not in WORLD_ENDINGS:
        raise ConfigError(
            f"{target}: found the ending {goal.suffix!r}, expected {' or '.join(WORLD_ENDINGS)}"
        )
    if goal.exists() and Path(source).exists() and goal.samefile(source):
        raise ConfigError(f"{target}: found the file itself, expected another one to write to")
    if goal.exists() and not force:
        raise ConfigError(f"{target}: there is such a file; --force writes over it")
    scene = load_scene(source)
    add_urdfs(scene, urdf)
    keeps_axes = scene.header.version == X3D and goal.suffix.lower() != ".wbt" and not urdf
    if not keeps_axes:
        to_todays_axes(scene)
    _move_urls(scene, goal)
    warnings = list(scene.warnings)
    if goal.suffix.lower() == ".wbt":
        text = write_scene(scene)
    else:
        text, left_out = (write_x3d if goal.suffix.lower() == ".x3d" else write_vrml)(scene)
        warnings += left_out
    _write(goal, text)
    return warnings


def _move_urls(scene: Scene, goal: Path) -> None:
    """Relative paths lead on to the same files: they count from the file that they stand in."""
    for node in scene.walk():
        for name, value in node.fields.items():
            if name == "url" or name.endswith("Url"):
                node[name] = _moved(node.source.file, value, goal)
    for place, extern in enumerate(scene.extern_protos):
        moved = _moved_url(extern.url, Path(scene.file), goal)
        if moved != extern.url:
            scene.extern_protos[place] = type(extern)(moved, extern.importable, extern.line, extern.column)


def _moved(source: str, value: str | list[str], goal: Path) -> str | list[str]:
    file = Path(source.removesuffix(" (as made by its template)"))
    if isinstance(value, list):
        return [_moved_url(url, file, goal) for url in value]
    return _moved_url(value, file, goal)


def _moved_url(url: str, file: Path, goal: Path) -> str:
    if not url or "://" in url or Path(url).is_absolute() or file.parent.resolve() == goal.parent.resolve():
        return url
    return Path(os.path.relpath(file.parent.resolve() / url, goal.parent.resolve())).as_posix()


def _write(goal: Path, text: str) -> None:
    """All of the file or nothing."""
    try:
        with whole_file(goal) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{goal}: cannot be written: {error.strerror}") from None
