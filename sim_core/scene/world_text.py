"""Scenes as the text of a file in any of the formats."""

from __future__ import annotations

import os
from pathlib import Path

from sim_core.base.errors import SceneError
from sim_core.scene.scene import Scene
from sim_core.scene.wbt.writer import write_scene
from sim_core.scene.x3d.x3d_writer import write_vrml, write_x3d


def text_for(scene: Scene, target: Path) -> tuple[str, list[SceneError]]:
    """Return a scene in the format of a file's ending, and warnings about parts that the format cannot
    express.

    Relative URLs in the scene are changed so that they refer to the same files from there.
    """
    _move_urls(scene, target)
    ending = target.suffix.lower()
    if ending == ".wbt":
        return write_scene(scene), []
    return write_x3d(scene) if ending == ".x3d" else write_vrml(scene)


def _move_urls(scene: Scene, target: Path) -> None:
    """Change relative paths, which refer to the folder of their file, so that they refer to the same
    files."""
    for node in scene.walk():
        for name, value in node.fields.items():
            if name == "url" or name.endswith("Url"):
                node[name] = _moved(node.source.file, value, target)
    for place, extern in enumerate(scene.extern_protos):
        moved = _moved_url(extern.url, Path(scene.file), target)
        if moved != extern.url:
            scene.extern_protos[place] = type(extern)(moved, extern.importable, extern.line, extern.column)


def _moved(source: str, value: str | list[str], target: Path) -> str | list[str]:
    file = Path(source.removesuffix(" (as made by its template)"))
    if isinstance(value, list):
        return [_moved_url(url, file, target) for url in value]
    return _moved_url(value, file, target)


def _moved_url(url: str, file: Path, target: Path) -> str:
    if not url or "://" in url or Path(url).is_absolute() or file.parent.resolve() == target.parent.resolve():
        return url
    return Path(os.path.relpath(file.parent.resolve() / url, target.parent.resolve())).as_posix()
